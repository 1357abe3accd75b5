#pragma once
// What of a kernel can be compiled apart, as relocatable objects side by side: a compiler takes as long as its largest object, and the
// linker milliseconds. Cuts go between a loop's engine, which is called once for many tokens, and rules.
//
//   deflate     ->  4: the kernel with `main`; what decodes tokens of `body`; `body`, called from two places; `code_lengths`
//   orc_rle_v2  ->  4: the kernel with some rules; what decodes tokens of `main`; the walks that find them; the other rules
//   without an engine, and with several warps a chunk  ->  1
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/plan/kernel.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of a plan whose loops and checked rules are known. Registers follow from the launch: see registers_of().
[[nodiscard]] Objects objects_of(const ir::Module& module, const Plan& plan, const Kernel& kernel);

// A thread's registers, where a multiprocessor is to hold `blocks` (0: one) blocks of `threads`. What is called from another object must
// be compiled for no more than the kernel's launch bounds leave: the linker refuses it.
[[nodiscard]] std::uint32_t registers_of(std::uint32_t threads, std::uint32_t blocks);

}  // namespace sluice::plan
