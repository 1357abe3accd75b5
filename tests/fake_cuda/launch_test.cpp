// What is beneath the interface: ptxas' report, cache entries, architectures, grids.
#include <gtest/gtest.h>

#include "runtime/jit/cuda_code.h"
#include "runtime/launch/cuda_launch.h"
#include "tests/fake_cuda/device_batch.h"

namespace sluice::test {
namespace {

using runtime::find_kernel;
using runtime::parse_ptxas_log;

TEST(PtxasLog, ReadsWhatPtxasSays) {
  const auto list = parse_ptxas_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k1' for 'sm_90'\n"
      "ptxas info    : Function properties for k1\n"
      "ptxas         .     160 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads\n"
      "ptxas info    : Used 34 registers, used 1 barriers, 176 bytes cumulative stack size, 400 bytes smem, 4 bytes "
      "cmem[0]\n"
      "ptxas info    : Compile time = 7.237 ms\n"
      "ptxas info    : Function properties for _Z4deepPii\n"
      "ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'k2' for 'sm_90'\n"
      "ptxas info    : Function properties for k2\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 10 registers, used 0 barriers");
  ASSERT_EQ(list.size(), 3u);
  const auto* k1 = find_kernel(list, "k1");
  ASSERT_NE(k1, nullptr);
  EXPECT_EQ(k1->registers, 34u);
  EXPECT_EQ(k1->barriers, 1u);
  EXPECT_EQ(k1->stack, 176u);
  EXPECT_EQ(k1->shared, 400u);
  EXPECT_EQ(k1->constant, 4u);
  EXPECT_EQ(k1->spill_stores, 12u);
  EXPECT_EQ(k1->spill_loads, 24u);
  EXPECT_EQ(list[1].name, "_Z4deepPii");
  EXPECT_FALSE(list[1].kernel);
  EXPECT_EQ(list[1].stack, 8u);
  EXPECT_EQ(find_kernel(list, "_Z4deepPii"), nullptr) << "a function is no kernel";
  ASSERT_NE(find_kernel(list, "k2"), nullptr);
  EXPECT_EQ(find_kernel(list, "k2")->registers, 10u);
  EXPECT_TRUE(parse_ptxas_log("").empty());
  EXPECT_TRUE(parse_ptxas_log("Used 5 registers\nbytes stack frame\n'").empty());
}

TEST(CudaCode, PacksAndUnpacks) {
  runtime::DeviceCode code;
  code.arch = "sm_90";
  code.image = {1, 2, 3};
  code.log = "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used 7 registers\n";
  const auto bytes = runtime::pack(code);
  const auto back = runtime::unpack(bytes, "sm_90");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->image, code.image);
  EXPECT_EQ(back->log, code.log);
  ASSERT_EQ(back->kernels.size(), 1u);
  EXPECT_EQ(back->kernels[0].registers, 7u);
  EXPECT_FALSE(runtime::unpack(bytes, "compute_90")) << "PTX ends in a zero byte";
  for (std::size_t n = 0; n + code.image.size() <= bytes.size(); ++n)
    EXPECT_FALSE(runtime::unpack(std::span(bytes).first(n), "sm_90")) << n;
  auto damaged = bytes;
  damaged[7] = 0xff;
  EXPECT_FALSE(runtime::unpack(damaged, "sm_90"));
}

TEST(Nvrtc, KnowsNamesOfArchitectures) {
  for (const char* good : {"sm_75", "sm_90", "sm_90a", "sm_100f", "compute_80", "compute_120"})
    EXPECT_TRUE(runtime::is_cuda_arch(good)) << good;
  for (const char* bad : {"", "sm_", "sm_9", "sm_1000", "sm90", "native", "compute_", "sm_90 ", "sm_9a", "sm_aa"})
    EXPECT_FALSE(runtime::is_cuda_arch(bad)) << bad;
}

class FakeProgram : public FakeCuda {
 protected:
  // The stand-in has 4 multiprocessors, and 512 resident threads on each.
  static std::shared_ptr<const runtime::CudaProgram> load(std::uint32_t threads, std::uint32_t chunks_per_block,
                                                          std::uint64_t temp_per_slot) {
    auto device = runtime::CudaDevice::open(0);
    EXPECT_TRUE(device);
    static const std::string image = "FAKE sluice_decode_kernel( sluice_count_kernel(";
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(image.c_str()), image.size() + 1);
    plan::LaunchPlan plan;
    plan.threads_per_block = threads;
    plan.chunks_per_block = chunks_per_block;
    plan.temp_bytes_per_slot = temp_per_slot;
    auto program = runtime::CudaProgram::load(*device, bytes, plan);
    EXPECT_TRUE(program) << program.error().text;
    return program ? *program : nullptr;
  }
};

TEST_F(FakeProgram, TemporaryMemoryFollowsResidency) {
  const auto program = load(128, 4, 1024);  // 4 blocks a multiprocessor, 16 in all, 64 slots
  ASSERT_TRUE(program);
  EXPECT_EQ(program->temp_bytes(0), 0u);
  EXPECT_EQ(program->temp_bytes(1), 512u + 4 * 1024);
  EXPECT_EQ(program->temp_bytes(5), 512u + 8 * 1024);
  EXPECT_EQ(program->temp_bytes(1000), 512u + 64 * 1024);
  EXPECT_EQ(program->least_temp_bytes(), 512u + 4 * 1024);
  // A quarter of the device's 4 GiB is the most: 100 MiB a slot leaves 10, in blocks of 4.
  EXPECT_EQ(load(128, 4, 100 << 20)->temp_bytes(1000), 512u + 8 * (std::uint64_t{100} << 20));
  EXPECT_EQ(load(128, 4, 0)->temp_bytes(1000), 0u);
}

// 16 blocks, of which 15 take no more than 256 MiB; where more than one would have to go, all are there.
TEST_F(FakeProgram, TemporaryMemoryIsARoundFigureWhereThatCostsLittle) {
  constexpr std::uint64_t kMiB = 1 << 20, kSlot = 256 * kMiB / 60 - 256 * kMiB / 60 % 256 - 256;
  EXPECT_EQ(load(128, 4, kSlot)->temp_bytes(1000), 512u + 60 * kSlot);
  EXPECT_LE(load(128, 4, kSlot)->temp_bytes(1000), 256 * kMiB);
  EXPECT_EQ(load(128, 4, kSlot)->temp_bytes(13), 512u + 16 * kSlot);
  EXPECT_EQ(load(128, 4, 5 * kMiB)->temp_bytes(1000), 512u + 64 * 5 * kMiB);
}

// Shared memory beyond what needs no asking is asked for when the kernel is loaded, and given at each launch.
TEST_F(FakeProgram, SharedMemoryIsAskedFor) {
  auto device = runtime::CudaDevice::open(0);
  ASSERT_TRUE(device);
  const std::string image = "FAKE sluice_decode_kernel( sluice_count_kernel(";
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(image.c_str()), image.size() + 1);
  plan::LaunchPlan plan;
  plan.dynamic_shared_bytes = 96 << 10;
  const auto program = runtime::CudaProgram::load(*device, bytes, plan);
  ASSERT_TRUE(program) << program.error().text;
  EXPECT_EQ((*program)->kernel(runtime::CudaMode::Decode).shared_bytes, (96u << 10) + 2048);
  EXPECT_EQ((*program)->kernel(runtime::CudaMode::Decode).blocks_per_sm, 16u);
  sluice_cuda_batch batch{};
  batch.chunks = 1;
  EXPECT_TRUE((*program)->launch(runtime::CudaMode::Decode, batch, 0, 0, nullptr).empty());

  plan.carve_out = 100;
  const auto carved = runtime::CudaProgram::load(*device, bytes, plan);
  ASSERT_TRUE(carved) << carved.error().text;
  EXPECT_EQ((*carved)->kernel(runtime::CudaMode::Count).blocks_per_sm, 2u);

  plan.dynamic_shared_bytes = 227 << 10;  // with what the kernel declares it is too much
  const auto refused = runtime::CudaProgram::load(*device, bytes, plan);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("234496 bytes of shared memory"), std::string::npos) << refused.error().text;
}

TEST_F(FakeProgram, RefusesWhatTheDeviceCanNotRun) {
  auto device = runtime::CudaDevice::open(0);
  ASSERT_TRUE(device);
  const std::string junk = "junk", no_decode = "FAKE sluice_count_kernel(";
  for (const std::string& image : {junk, no_decode}) {
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(image.c_str()), image.size() + 1);
    const auto program = runtime::CudaProgram::load(*device, bytes, {});
    ASSERT_FALSE(program);
    EXPECT_NE(program.error().text.find(image == junk ? "no image" : "no kernel sluice_decode_kernel"),
              std::string::npos)
        << program.error().text;
  }
  plan::LaunchPlan plan;
  plan.threads_per_block = 2048;
  const std::string good = "FAKE sluice_decode_kernel(";
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(good.c_str()), good.size() + 1);
  const auto program = runtime::CudaProgram::load(*device, bytes, plan);
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().text.find("2048 threads"), std::string::npos);
}

}  // namespace
}  // namespace sluice::test
