// Kernels as plans: what legality asks is what the emitter writes, and sizes follow the device.
#include "compiler/plan/kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/driver/schedule.h"
#include "compiler/emit/cuda.h"
#include "compiler/strategy/strategies.h"

namespace sluice::test {
namespace {

// A codec with what is known of it.
struct Known {
  explicit Known(const std::string& codec) {
    request.name = codec;
    compiled = driver::compile_spec(request);
    if (!compiled.ok()) return;
    facts = analysis::analyse(*compiled.module);
    forms = emit::token_forms(*compiled.module, !facts.splits.loops.empty());
  }
  [[nodiscard]] strategy::Subject subject() const { return {*compiled.module, facts, forms}; }
  // The plan under directives; nothing when they are refused.
  std::optional<plan::Kernel> kernel(std::string_view directives, std::string_view arch) {
    const auto chosen = driver::schedule_for(compiled, request, facts, fmt::format("cuda:{}", arch), directives).schedule;
    if (!chosen) return std::nullopt;
    return strategy::kernel_of(subject(), *chosen, schedule::device_for(arch));
  }

  driver::Request request;
  driver::Compiled compiled;
  analysis::Facts facts;
  plan::TokenForms forms;
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
        EXPECT_LE(block, schedule::kStaticShared) << what;
        EXPECT_LE(kernel->min_blocks * (block + schedule::kReservedShared), kernel->device.shared) << what;
        EXPECT_LE(kernel->min_blocks, kernel->device.blocks) << what;
        EXPECT_LE(kernel->min_blocks * kernel->launch.threads_per_block, kernel->device.threads) << what;
      }
  }
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
