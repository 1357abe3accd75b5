#pragma once
// Count mode: finding how much a chunk produces without storing it. Buffers are stored all the same: what stages make
// of them may decide the size. Only a checksum over the output looks at output bytes, so a decode without them is exact
// as long as such checksums are only compared, never steered by.
//
//   set %3 (checksum crc32c output 0)          value of %3 depends on output bytes
//   check (eq %0 %3) !4                        skipped in count mode
//   if (lt %3 5)                               would make the module uncountable
#include <unordered_set>

#include "compiler/ir/ir.h"

namespace sluice::ir {

// The largest capacity, and the one of a count whose caller sets no limit: no output that is ever stored comes near it,
// and the sum of two such numbers still fits 64 bits.
inline constexpr std::uint64_t kMaxCapacity = std::uint64_t{1} << 62;

struct CountPlan {
  // False: a value that depends on output bytes decides control, an index, a width, a length or the like. Then the
  // size can only be found by decoding.
  bool countable = true;
  // Check statements to take as passed when the output is not stored.
  std::unordered_set<const Stmt*> skipped;
};

// Flow-insensitive: a local, global, array, buffer, parameter or rule result depends on output bytes if anything ever
// stored there does. Pointers stay valid as long as the module's statements do.
CountPlan count_plan(const Module& module);

}  // namespace sluice::ir
