#pragma once
// IR to C++ for the CPU: one header-free translation unit that exports what runtime/api/abi.h says.
//
//   abi, primitives  ->  constants and state  ->  fast loops  ->  rules (careful half)  ->  exports
//
// The text compiles with Clang and GCC, needs no header, allocates nothing and calls nothing but memcpy, memset,
// memmove and memcmp.
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::emit {

struct CpuOptions {
  // Prefix of the exported symbols: <prefix>_decode, <prefix>_count, <prefix>_scratch_bytes, <prefix>_abi_version.
  // Several decoders live in one program when their prefixes differ.
  std::string prefix = "sluice";
  bool fast_loops = true;  // false: the careful half alone, for comparison and for finding faults
};

// What became of each loop that could have had a fast form.
struct LoopReport {
  std::uint32_t rule = 0;
  const ir::Stmt* loop = nullptr;
  bool fast = false;
  std::string reason;  // why not
  Span at;             // the statement that is why; empty: the loop itself
  std::string cure;    // what its author can do about it, if there is something
};

// The translation unit. `report`, if given, receives one entry a loop. Deterministic: equal modules give equal text.
std::string emit_cpu(const ir::Module& module, const CpuOptions& options = {},
                     std::vector<LoopReport>* report = nullptr);

}  // namespace sluice::emit
