// Kernels as plans: what legality asks is what the emitter writes, and sizes follow the device.
#include "compiler/plan/kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"
#include "compiler/strategy/strategies.h"

namespace sluice::test {
namespace {

// A codec with what is known of it.
struct Known {
  explicit Known(const std::string& codec, const std::optional<std::string>& text = {}) {
    request.name = codec;
    request.text = text;
    compiled = driver::compile_spec(request);
    if (!compiled.ok()) return;
    facts = analysis::analyse(*compiled.module);
    tokens = plan::token_plans(*compiled.module, facts.splits.loops);
  }
  [[nodiscard]] strategy::Subject subject() const { return {*compiled.module, facts, tokens}; }
  // The plan under directives; nothing when they are refused.
  std::optional<plan::Kernel> kernel(std::string_view directives, std::string_view arch) {
    const auto chosen = driver::schedule_for(compiled, request, facts, fmt::format("cuda:{}", arch), directives).schedule;
    if (!chosen) return std::nullopt;
    return strategy::kernel_of(subject(), *chosen, schedule::device_for(arch));
  }

  driver::Request request;
  driver::Compiled compiled;
  analysis::Facts facts;
  plan::TokenPlans tokens;
};

constexpr std::string_view kArchitectures[] = {"sm_80", "sm_86", "sm_90", "sm_100"};

TEST(KernelPlan, IsWhatTheEmitterWrites) {
  std::size_t compared = 0;
  for (const std::string& codec : driver::builtin_codecs()) {
    Known known(codec);
    ASSERT_TRUE(known.compiled.ok()) << codec;
    for (const strategy::Variant& variant : strategy::variants()) {
      const auto kernel = known.kernel(variant.directives, "sm_90");
      if (!kernel) continue;
      ++compared;
      const emit::CudaUnit unit = emit::emit_cuda(
          *known.compiled.module, {.schedule = kernel->schedule, .count = false, .device = kernel->device});
      EXPECT_EQ(unit.plan, kernel->launch) << codec << " " << variant.name;
      std::string bounds = fmt::format("{}", kernel->launch.threads_per_block);
      if (kernel->min_blocks != 0) bounds += fmt::format(", {}", kernel->min_blocks);
      EXPECT_NE(unit.text.find(fmt::format("__launch_bounds__({})", bounds)), std::string::npos)
          << codec << " " << variant.name;
    }
  }
  EXPECT_GE(compared, 100u);
}

// A chunk's second warp writes: a block of two warps, as many as the records' loop leaves registers for.
TEST(KernelPlan, OfAWarpThatWrites) {
  for (const char* codec : {"lz4_block", "deflate"}) {
    Known known(codec);
    ASSERT_TRUE(known.compiled.ok());
    const auto pair = known.kernel("strategy speculate, writer_warps 1", "sm_90"), usual = known.kernel("strategy speculate", "sm_90");
    ASSERT_TRUE(pair && usual) << codec;
    EXPECT_EQ(pair->launch.threads_per_block, 2 * schedule::kLanes);
    EXPECT_EQ(pair->launch.chunks_per_block, 1u);
    EXPECT_EQ(pair->workers, schedule::kLanes);
    EXPECT_GT(pair->memory.shared_bytes, usual->memory.shared_bytes) << "its rings are longer";
    EXPECT_FALSE(known.kernel("strategy speculate, writer_warps 2", "sm_90"));
    EXPECT_FALSE(known.kernel("strategy speculate, writer_warps 1, chunk_warps 2", "sm_90"));
    EXPECT_FALSE(known.kernel("strategy speculate, writer_warps 1, warps_per_block 2", "sm_90"));
    EXPECT_FALSE(known.kernel("strategy warp, writer_warps 1", "sm_90"));
  }
  Known lz4("lz4_block");
  EXPECT_EQ(lz4.kernel("strategy speculate, writer_warps 1", "sm_90")->min_blocks, 20u);
}

// Wide steps need no more memory and no more registers; where copies have a greatest length, the kernel knows it.
TEST(KernelPlan, OfWideSteps) {
  for (const auto& [codec, longest] : {std::pair("lz4_block", 0u), std::pair("snappy_raw", 64u), std::pair("deflate", 258u)}) {
    Known known(codec);
    ASSERT_TRUE(known.compiled.ok());
    const auto value_of = [](const plan::Kernel& kernel, std::string_view name) {
      const auto at = std::ranges::find(kernel.defines, name, &plan::Define::name);
      return at == kernel.defines.end() ? 0u : at->value;
    };
    const auto wide = known.kernel("strategy speculate, wide_parts 40", "sm_90"), usual = known.kernel("strategy speculate", "sm_90");
    ASSERT_TRUE(wide && usual) << codec;
    EXPECT_EQ(value_of(*wide, "SLUICE_WIDE_PARTS"), 40u);
    EXPECT_EQ(value_of(*usual, "SLUICE_WIDE_PARTS"), 0u);
    EXPECT_EQ(value_of(*wide, "SLUICE_LONGEST_COPY"), longest) << codec;
    EXPECT_EQ(wide->launch, usual->launch) << codec;
    EXPECT_EQ(wide->min_blocks, usual->min_blocks) << codec;
    EXPECT_TRUE(known.kernel("strategy speculate, wide_parts 40, writer_warps 1", "sm_90")) << codec;
    EXPECT_FALSE(known.kernel("strategy speculate, wide_parts 257", "sm_90"));
    EXPECT_FALSE(known.kernel("strategy warp, wide_parts 40", "sm_90"));
  }
  Known lz4("lz4_block");
  EXPECT_FALSE(lz4.kernel("strategy speculate, wide_parts 40, chunk_warps 2", "sm_90"));
}

// Several warps a chunk are one block, and no more warps are resident than with one.
TEST(KernelPlan, OfSeveralWarpsAChunk) {
  Known known("lz4_block");
  ASSERT_TRUE(known.compiled.ok());
  for (const std::uint32_t warps : {2u, 4u, 8u}) {
    const auto kernel = known.kernel(fmt::format("strategy speculate, chunk_warps {}", warps), "sm_90");
    ASSERT_TRUE(kernel) << warps;
    EXPECT_EQ(kernel->launch.threads_per_block, warps * schedule::kLanes);
    EXPECT_EQ(kernel->launch.chunks_per_block, 1u);
    EXPECT_EQ(kernel->workers, schedule::kLanes);
    EXPECT_EQ(kernel->min_blocks, 40 / warps);
  }
  EXPECT_FALSE(known.kernel("strategy speculate, chunk_warps 3", "sm_90"));
  EXPECT_FALSE(known.kernel("strategy speculate, chunk_warps 16", "sm_90"));
  // One warp is what stands, whoever says so.
  const auto one = known.kernel("strategy speculate, chunk_warps 1", "sm_90"), usual = known.kernel("strategy speculate", "sm_90");
  ASSERT_TRUE(one && usual);
  EXPECT_EQ(one->launch, usual->launch);
}

// Blocks fit, and so do as many of them as the compiler is told to keep registers for.
TEST(KernelPlan, FitsTheDevice) {
  for (const std::string& codec : driver::builtin_codecs()) {
    Known known(codec);
    ASSERT_TRUE(known.compiled.ok()) << codec;
    for (const std::string_view arch : kArchitectures)
      for (const strategy::Variant& variant : strategy::variants()) {
        const auto kernel = known.kernel(variant.directives, arch);
        if (!kernel) continue;
        const std::uint64_t block = kernel->launch.chunks_per_block * kernel->memory.shared_bytes;
        const std::string what = fmt::format("{} {} {}", codec, variant.name, arch);
        EXPECT_LE(kernel->block_shared,
                  kernel->launch.dynamic_shared_bytes != 0 ? kernel->device.block_shared() : schedule::kStaticShared)
            << what;
        EXPECT_LE(kernel->block_shared - kernel->launch.dynamic_shared_bytes, schedule::kStaticShared) << what;
        EXPECT_LE(kernel->min_blocks * (block + schedule::kReservedShared), kernel->device.shared) << what;
        EXPECT_LE(kernel->min_blocks, kernel->device.blocks) << what;
        EXPECT_LE(kernel->min_blocks * kernel->launch.threads_per_block, kernel->device.threads) << what;
      }
  }
}

// A chunk may have what the rings of its block leave: what does not fit beside them lies in temporary memory.
TEST(KernelPlan, RingsOfWideBlocksFitToo) {
  constexpr int kArray = 46500;
  Known known("wide", fmt::format("format wide\n  input bytes\n  output bytes\n  array seen: u8[{}]\n"
                                  "  repeat until end of input\n    n: u8\n    seen[n] := n\n    emit seen[n]\n",
                                  kArray));
  ASSERT_TRUE(known.compiled.ok());
  for (const bool wide : {false, true}) {
    const auto kernel = known.kernel(fmt::format("strategy block, block_threads {}", wide ? 992 : 32), "sm_90");
    ASSERT_TRUE(kernel);
    EXPECT_LE(kernel->block_shared, schedule::kStaticShared);
    EXPECT_EQ(kernel->memory.temporary(), wide);
    const auto ahead = known.kernel(fmt::format("strategy block, prefetch on, block_threads {}", wide ? 992 : 32), "sm_90");
    EXPECT_EQ(ahead.has_value(), !wide);
  }
  const auto asks = known.kernel("strategy block, block_threads 992, shared_memory 64", "sm_90");
  ASSERT_TRUE(asks);
  EXPECT_LE(asks->block_shared, std::uint64_t{64} << 10);
  EXPECT_FALSE(asks->memory.temporary());
}

// A multiprocessor of sm_80 has less shared memory than one of sm_90.
TEST(KernelPlan, FollowsTheDevice) {
  Known known("gompresso_bit");
  ASSERT_TRUE(known.compiled.ok());
  const auto small = known.kernel("strategy split", "sm_80"), large = known.kernel("strategy split", "sm_90");
  ASSERT_TRUE(small && large);
  EXPECT_LT(small->min_blocks * small->warps, large->min_blocks * large->warps);
  EXPECT_EQ(small->memory.shared_bytes, large->memory.shared_bytes);
  for (const auto* kernel : {&*small, &*large}) {
    const std::string text = emit::emit_cuda(*known.compiled.module, {.schedule = kernel->schedule, .device = kernel->device}).text;
    EXPECT_NE(text.find(fmt::format("__launch_bounds__({}, {})", kernel->launch.threads_per_block, kernel->min_blocks)),
              std::string::npos);
  }
}

// More than a block may declare is asked for at launch, and only that; nothing is declared beside it that is too much.
TEST(KernelPlan, AsksForSharedMemory) {
  Known known("gsst12_codes");
  ASSERT_TRUE(known.compiled.ok());
  const auto usual = known.kernel("strategy split", "sm_90");
  const auto large = known.kernel("strategy split, warps_per_block 4, shared_memory 200, carve_out max", "sm_90");
  ASSERT_TRUE(usual && large);
  EXPECT_EQ(usual->launch.dynamic_shared_bytes, 0u);
  EXPECT_EQ(usual->launch.carve_out, schedule::kAnyCarveOut);
  EXPECT_EQ(large->launch.chunks_per_block, 4u);
  EXPECT_EQ(large->launch.dynamic_shared_bytes, 4 * large->memory.scratch_bytes);
  EXPECT_EQ(large->launch.carve_out, 100);
  const std::string text =
      emit::emit_cuda(*known.compiled.module, {.schedule = large->schedule, .device = large->device}).text;
  EXPECT_NE(text.find("SLUICE_DYNAMIC_SHARED(Scratch, scratch_of, kChunksPerBlock);"), std::string::npos);
  // Each GPU has its own limit.
  EXPECT_FALSE(known.kernel("strategy split, warps_per_block 4, shared_memory 200", "sm_80"));
  EXPECT_TRUE(known.kernel("strategy split, warps_per_block 2, shared_memory 96", "sm_86"));
  EXPECT_FALSE(known.kernel("strategy split, warps_per_block 2, shared_memory 100", "sm_86"));
  // Long arrays lie in shared memory where somebody asks for it, and warps that nobody gave room for do not fit.
  Known bzip2("bzip2");
  ASSERT_TRUE(bzip2.compiled.ok());
  EXPECT_GT(bzip2.kernel("shared_memory 48", "sm_90")->memory.shared_bytes,
            bzip2.kernel("", "sm_90")->memory.shared_bytes + (16 << 10));
  EXPECT_FALSE(bzip2.kernel("shared_memory 48, warps_per_block 3", "sm_90"));
  // A format that fits has nothing to ask for.
  Known deflate("deflate");
  ASSERT_TRUE(deflate.compiled.ok());
  EXPECT_FALSE(deflate.kernel("shared_memory 96", "sm_90"));
  EXPECT_TRUE(deflate.kernel("strategy warp, warps_per_block 16, shared_memory 200", "sm_90"));
}

TEST(KernelPlan, MembersOfATokenAreShared) {
  Known known("bzip2");
  ASSERT_TRUE(known.compiled.ok());
  const auto kernel = known.kernel("", "sm_90");
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(kernel->memory.temporary());
  for (const plan::Member& member : kernel->memory.members) {
    using Kind = plan::Member::Kind;
    if (member.hot) {
      EXPECT_TRUE(member.shared);
    } else if (member.kind == Kind::Buffer || member.kind == Kind::BwtLinks || member.kind == Kind::BwtText) {
      EXPECT_FALSE(member.shared);
    }
  }
}

}  // namespace
}  // namespace sluice::test
