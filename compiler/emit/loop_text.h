#pragma once
// Loops of a plan as functions. The checked path (checked.h) calls them at the head of its own loop.
//
// One description gives both forms. The checked path does one token with every check; the loop here does tokens while a
// margin test at its head guarantees that no token can run past either buffer, and leaves whenever something is unusual
// (a failed check, an end of block, a clause that refuses, a long copy near the end). Leaving restores the token's start,
// so the checked path does that token again and gives the exact answer.
//
//   note [fast-loop margin]: in_limit = in_end - kInMargin and out_limit = out_end - kOutMargin, where the margins are
//   the sums of the plan's costs. A token that starts at or below both limits stays inside both buffers, because every
//   statement either has a static cost that the margins contain or tests its own size against the limits again.
#include <string>
#include <vector>

#include "compiler/emit/context.h"
#include "compiler/plan/kernel.h"
#include "compiler/plan/plan.h"

namespace sluice::emit {

// Its function, which takes the stream, then the slots that the loop captures, then by reference those that tokens carry.
[[nodiscard]] std::string loop_name(const Context&, const plan::Loop&);

// Of one that does two chunks at once, what does: note [pairs] of runtime/prim/pair.h.
[[nodiscard]] std::string pair_name(const Context&, const plan::Loop&);
[[nodiscard]] std::string write_pair(const Context&, const plan::Plan&, const plan::Loop&);
// Takes a token by its first byte, if that tells it: an expression.
[[nodiscard]] std::string take_told(const Context&, const plan::Loop&, const std::string& ending = "");

// The slots that it takes behind the stream: as its parameters, and as what it is called with by one that has the same.
struct LoopSlots {
  std::string parameters, arguments;
};
[[nodiscard]] LoopSlots loop_slots(const Context&, const plan::Plan&, const plan::Loop&);

// Its definition; under another name than its own, where that is given.
[[nodiscard]] std::string write_loop(const Context&, const plan::Plan&, const plan::Loop&, const std::string& name = "");
// Of tokens that are records, for strategy speculate: the loop of a warp stands behind it, under another name.
// Behind such loops stands what other warps of a chunk do, if it has several that find tokens: `team` or `walker`.
[[nodiscard]] std::string write_guessing_loop(const Context&, const plan::Plan&, const plan::Loop&, const plan::Kernel&);
// Likewise, where each token begins as the one before it leaves off: plan/chain.h.
[[nodiscard]] std::string write_chained_loop(const Context&, const plan::Plan&, const plan::Loop&);
// Of tokens that are codes, for strategy lanes: likewise.
[[nodiscard]] std::string write_codes_loop(const Context&, const plan::Plan&, const plan::Loop&, const plan::Kernel&);
// Of tokens that fill an array, for strategy speculate: plan/fills.h.
[[nodiscard]] std::string write_fills_loop(const Context&, const plan::Plan&, const plan::Loop&);
[[nodiscard]] std::string write_team(const Context&, const plan::Plan&, const plan::Kernel&);
[[nodiscard]] std::string write_walker(const Context&, const plan::Plan&);
// Of form SideBySide.
[[nodiscard]] std::string write_lanes_loop(const Context&, const plan::Plan&, const plan::Loop&);

}  // namespace sluice::emit
