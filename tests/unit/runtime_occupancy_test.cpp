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
    const schedule::Device* device = schedule::find_device(c.arch);
    ASSERT_NE(device, nullptr) << c.arch;
    const Occupancy found = occupancy_of(*device, c.threads, c.registers, c.shared);
    EXPECT_EQ(found.blocks, c.blocks) << c.arch << " " << c.threads << " " << c.registers << " " << c.shared;
    EXPECT_EQ(found.limit, c.limit) << c.arch << " " << c.threads << " " << c.registers << " " << c.shared;
    EXPECT_DOUBLE_EQ(found.share, static_cast<double>(c.blocks * c.threads) / device->threads);
  }
}

TEST(Devices, AreFoundByTheirNames) {
  using schedule::device_for;
  using schedule::find_device;
  EXPECT_EQ(find_device("sm_90a"), find_device("sm_90"));
  EXPECT_EQ(find_device("compute_80"), find_device("sm_80"));
  for (const char* unknown : {"sm_20", "sm_95", "sm_90x", "90", "sm_", ""}) EXPECT_EQ(find_device(unknown), nullptr) << unknown;
  EXPECT_EQ(find_device("sm_80")->block_shared(), 163u << 10);
  EXPECT_EQ(find_device("sm_90")->block_shared(), 227u << 10);
  // Kernels have to be sized for devices that nobody has heard of, too: by the newest one before them.
  EXPECT_EQ(device_for("sm_88").arch, "sm_87");
  EXPECT_EQ(device_for("sm_130").arch, "sm_121");
  for (const char* none : {"", "sm_70"}) EXPECT_EQ(device_for(none).arch, schedule::kDefaultArch) << none;
  EXPECT_EQ(schedule::arch_of("cuda:sm_80"), "sm_80");
  EXPECT_EQ(schedule::arch_of("cuda"), "");
}

TEST(Launches, FewChunksAreSpread) {
  plan::LaunchPlan plan;
  plan.chunks_per_block = 4;
  plan.threads_per_block = 128;
  EXPECT_EQ(chunks_of_block(plan, 1'000'000, 132), 4u);
  EXPECT_EQ(chunks_of_block(plan, 1056, 132), 4u);
  EXPECT_EQ(chunks_of_block(plan, 1050, 132), 2u);
  EXPECT_EQ(chunks_of_block(plan, 528, 132), 2u);
  EXPECT_EQ(chunks_of_block(plan, 500, 132), 1u);
  EXPECT_EQ(chunks_of_block(plan, 1, 132), 1u);
  plan.temp_bytes_per_slot = 256;  // slots are counted in whole blocks
  EXPECT_EQ(chunks_of_block(plan, 1, 132), 4u);
  plan.temp_bytes_per_slot = 0;
  plan.chunks_per_block = 1;
  EXPECT_EQ(chunks_of_block(plan, 1, 132), 1u);
}

}  // namespace
}  // namespace sluice::runtime
