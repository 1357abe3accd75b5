#pragma once
// What of a token has to wait for the tokens before it, where tokens are taken as records (records.h). A lane that
// guesses where a token begins finds its size and its parts; where its output stands, and what earlier tokens left, it
// learns when those are known, and then does what it has kept for that.
//
//   carried [0 1]                                  records counters [%0] latched [%1] late [@1%2] kept [%3]
//   if (eq %0 0)                                   if (eq %0 0)  late
//     let %1 (produced)                              let %1 (produced)  late
//     let %0 32                                      let %0 32  late
//   let %0 (sub %0 1)                         ->   let %0 (sub %0 1)  late
//   field local %3 load u16                        field local %3 load u16
//   inline 1 with [%3 %1]                          inline 1 with [%3 %1]  both
//     check (ge %0 (sub (produced) %2))              check (ge %0 (sub (produced) %2))  late
//   copy distance %3 length 4                      copy distance %3 length 4  both    its place in the output counts
//
// note [late]: a value is late that comes from the output's size or from what tokens carry. A late step moves nothing:
// it sets late values, or checks. A copy's distance may be late, nothing else of what a token takes or makes. What
// tokens carry is of three kinds, so that 32 tokens find theirs together: a counter, which every token changes in the
// same way, whatever it is; a sum, to which a token adds what it knows by itself, if it does; and what is latched: the
// value that the last token left which set it, from its own bytes, counters, sums and the output's size.
// note [in turn]: of tokens that are walked one after the other (chain.h), those that do the walking know what that takes of
// what tokens carry, as if it were the token's own. And where what a token leaves is computed from what the one before it
// left, that is handed on in turn, from what tokens know by themselves.
// note [moves]: where all that a token does to what is handed on is to put one of its values, or one of its own, into the place
// of another, with something of its own added to it, two tokens that follow each other do such a thing together, too: so 32 of
// them find theirs in five steps. zstd's last offsets are so, whichever a token takes.
#include <optional>
#include <set>

#include "compiler/analysis/reason.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

// What a loop's tokens leave to the next one, and what they only read of what was known before the loop: slots of the
// rule, and globals.
[[nodiscard]] std::vector<Local> carried_of(const Loop& loop);
[[nodiscard]] std::vector<Local> captured_of(const Loop& loop);

struct Late {
  std::optional<analysis::Reason> against;  // why its tokens can't be done so
  std::vector<Local> counters, added, latched, turned;
  std::vector<Local> late, kept;
  bool moves = false;                    // what is handed on in turn is: note [moves]
  std::vector<Local> moved;              // then: those of `late` that come from it
  std::vector<Local> counted;            // a token's that come from counters or constants alone: from which counters may be computed
  std::vector<Value> kept_symbols;
  std::vector<Reading> readings;         // of the loop's steps, as for_each_step goes
  std::set<std::size_t> late_distances;  // those of them that are copies from a late distance, or slices from a late place
};

// Of a loop with a form. `walked`: of one whose tokens are walked one after the other, what that takes of what they carry.
[[nodiscard]] Late late_of(const Loop& loop, const std::optional<std::vector<Local>>& walked = std::nullopt);

}  // namespace sluice::plan
