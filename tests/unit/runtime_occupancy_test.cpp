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

// As an H200's driver says of these kernels (tests/bench/results/tune-trials.tsv).
TEST(OccupancyTest, WithACarveOut) {
  const schedule::Device& device = *schedule::find_device("sm_90");
  EXPECT_EQ(device.carved_shared(50), 132u << 10);
  EXPECT_EQ(device.carved_shared(100), 228u << 10);
  EXPECT_EQ(device.carved_shared(0), 8u << 10);
  EXPECT_EQ(schedule::find_device("sm_80")->carved_shared(50), 100u << 10);
  EXPECT_EQ(schedule::find_device("sm_89")->carved_shared(100), 100u << 10);
  EXPECT_EQ(schedule::find_device("sm_89")->carved_shared(64), 64u << 10) << "so much and no more";
  EXPECT_EQ(schedule::find_device("sm_89")->carved_shared(65), 100u << 10);
  struct Kernel {
    unsigned threads, registers, shared;
    int carve_out;
    unsigned blocks;
  };
  for (const Kernel& k : {Kernel{32, 80, 8400, 100, 24}, Kernel{32, 80, 8400, 50, 14}, Kernel{256, 64, 53952, 100, 4}, Kernel{256, 64, 53952, 50, 2},
                          Kernel{128, 72, 32000, 50, 4}, Kernel{32, 71, 8192, 50, 14}, Kernel{32, 58, 9696, 50, 12}, Kernel{256, 48, 2176, 50, 5}}) {
    plan::LaunchPlan plan;
    plan.threads_per_block = k.threads;
    plan.carve_out = k.carve_out;
    KernelResources resources;
    resources.registers = k.registers;
    resources.shared = k.shared;
    EXPECT_EQ(occupancy_of(device, plan, resources).blocks, k.blocks) << k.threads << " " << k.registers << " " << k.shared << " " << k.carve_out;
    resources.shared = 140 << 10;
    plan.carve_out = 50;
    EXPECT_EQ(occupancy_of(device, plan, resources).blocks, 1u) << "a block that needs more gets it";
  }
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
