// Occupancy against figures of NVIDIA's occupancy calculator.
#include <gtest/gtest.h>

#include "runtime/launch/occupancy.h"

namespace sluice::runtime {
namespace {

struct Case {
  const char* arch;
  unsigned threads, registers, shared, blocks;
  const char* limit;
};

TEST(OccupancyTest, IsLimitedByWhatRunsOutFirst) {
  for (const Case& c : {Case{"sm_90", 1024, 32, 0, 2, "threads"}, Case{"sm_90", 32, 16, 0, 32, "blocks"},
                        Case{"sm_90", 256, 64, 0, 4, "registers"}, Case{"sm_90", 32, 96, 6736, 20, "registers"},
                        Case{"sm_90", 128, 32, 48 << 10, 4, "shared memory"},
                        Case{"sm_80", 256, 255, 0, 1, "registers"}, Case{"sm_86", 1024, 32, 0, 1, "threads"},
                        Case{"sm_86", 128, 40, 8 << 10, 11, "shared memory"}, Case{"sm_89", 32, 32, 0, 24, "blocks"}}) {
    const SmLimits* limits = sm_limits(c.arch);
    ASSERT_NE(limits, nullptr) << c.arch;
    const Occupancy found = occupancy_of(*limits, c.threads, c.registers, c.shared);
    EXPECT_EQ(found.blocks, c.blocks) << c.arch << " " << c.threads << " " << c.registers << " " << c.shared;
    EXPECT_EQ(found.limit, c.limit) << c.arch << " " << c.threads << " " << c.registers << " " << c.shared;
    EXPECT_DOUBLE_EQ(found.share, static_cast<double>(c.blocks * c.threads) / limits->threads);
  }
  EXPECT_EQ(sm_limits("sm_20"), nullptr);
}

}  // namespace
}  // namespace sluice::runtime
