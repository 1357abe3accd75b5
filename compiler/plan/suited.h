#pragma once
// What a loop's statements say about the forms that it may have, before its token is lowered.
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// A loop over a bit stream.
struct BitFields {
  bool fetched = true;  // each field can be fetched from where it stands: no symbol depends on the bits before it
  bool nested = false;  // tokens hold loops that make output, or end at byte boundaries
  bool buffered = false;  // of a warp, that only fills arrays, with fields that a bit buffer shows: what it holds is nearer
};
[[nodiscard]] BitFields bit_fields(const Ground&, const ir::Stmt& loop);

// A loop of a bit stream whose tokens are whole bytes, each field of it, that gains by being read as a loop over bytes is, which it
// is from a byte boundary on. Lanes by themselves read bits.
//   use lz4_block                            `input bytes`, used by a format of `input bits lsb`
[[nodiscard]] bool reads_whole_bytes(const ir::Module&, Target, const ir::Stmt& loop);

// A run of several values, written as a loop: counted, not for long, and it does nothing but output. A CPU's token holds it.
//   repeat n times
//     emit red, green, blue
[[nodiscard]] bool repeats_values(const Ground&, const ir::Stmt& loop);

// What keeps a loop from a better form than Checked, whatever its token is. `nested`: its tokens may hold loops.
[[nodiscard]] std::optional<Obstacle> unsuited(const Ground&, const ir::Stmt& loop, bool nested);

}  // namespace sluice::plan
