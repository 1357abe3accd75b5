#pragma once
// What becomes of a kernel's token loops, as far as memory and legality want to know it.
//
//   deflate   ->   its token loop is fast and collects copies; look-up tables for `litlen` and `dist`
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/ir/table_shape.h"

namespace sluice::plan {

// A look-up table that token loops want built with a code.
struct Lookup {
  std::uint32_t code = 0;  // Module::codes
};

// Index bits of a code's look-up table in a kernel. They share a multiprocessor's memory with those of other chunks:
// several tables of one code are kept small, longer codes are looked for by all lanes.
inline unsigned kernel_lookup_bits(const ir::Code& code) {
  constexpr unsigned kOfSeveral = 8;
  return code.copies > 1 ? std::min(ir::table_bits(code), kOfSeveral) : ir::table_bits(code);
}

struct TokenForms {
  struct Loop {
    const ir::Stmt* loop = nullptr;  // owned by the module
    bool fast = false;
    bool copies = false;  // fast, and copies from its own output
    std::string reason;   // why it is not fast
    Span at;              // the statement that is why; empty: the loop itself
  };
  std::vector<Loop> loops;           // that a warp's lanes do together
  std::vector<Lookup> lookups;       // of those
  std::vector<Lookup> lane_lookups;  // and of those that a lane does by itself, the former among them
};

}  // namespace sluice::plan
