#pragma once
// A kernel's plan as text, in lines that begin with `#`: what stands before the plans of its loops (text.h), and what a
// reader of those passes over.
//
//   # kernel sm_90: strategy warp, input shared, ...
//   # 32 workers a chunk, 2 chunks in blocks of 64 threads
//   # shared 10652 of 48128 bytes
//   #   lookup 0 of `litlen`  4096 bytes
#include <string>

#include "compiler/plan/kernel.h"

namespace sluice::plan {

[[nodiscard]] std::string print(const ir::Module& module, const Kernel& kernel, std::span<const Table> tables);
// Likewise of what a CPU's decoder keeps of a chunk; nothing where that is nothing.
[[nodiscard]] std::string print(const ir::Module& module, std::span<const Member> members, std::span<const Table> tables);

}  // namespace sluice::plan
