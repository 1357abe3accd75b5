#pragma once
// Symbols that a counted loop reads, as many at once as a warp has lanes: where they begin follows from the size that all of
// them have. What lanes leave, and all that is wrong, the loop does.
//
//   loop times (bit_and %2 255)                ->   symbols 0 counter %3 most 255
//     check (lt %3 255) "too_many_symbols"
//     read_symbol 0 index %3 bytes %5
//     set %3 (add %3 1)
//
// Or each has a byte in front that is its size, and its number is that of the step: lanes keep what of the input comes next,
// and go from size to size.
//
//   loop times %2 -> %3                        ->   symbols 0 sizes 510
//     read %4 fixed u8
//     check (log_and (ge %4 1) (le %4 8)) "bad_symbol_size"
//     read_symbol 0 index %3 bytes %4
#include <optional>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Of a warp's loop of a stream of bytes that no lanes do otherwise; none: it does something else.
[[nodiscard]] std::optional<ReadSymbols> symbol_reads(const ir::Module& module, const ir::Stmt& loop);

}  // namespace sluice::plan
