#pragma once
// Temporary memory of one chunk: what the format's own state takes, whatever the data.
//
//   array lengths u4[320], code litlen(288, 15)   ->  320 + 131072 bytes
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

// Bytes of one entry of a direct look-up table: symbol (16 bits) and code length.
inline constexpr std::uint64_t kTableEntryBytes = 4;

struct Memory {
  struct Part {
    std::string name;
    std::string formula;  // "320 elements of 1 byte"
    std::uint64_t bytes = 0;
  };
  std::vector<Part> parts;  // arrays, then prefix codes, in order of declaration; empty: only registers
  std::uint64_t bytes = 0;  // sum: an upper bound. A code counts as one direct table of 2^max_bits entries a copy;
                            // an emitter may split it in two levels and use less.
};

Memory memory_of(const ir::Module& module);

}  // namespace sluice::analysis
