#pragma once
// Streams of one prefix code, which calls of a rule in a row decode one after the other, each from the end of its region. A CPU begins
// them together, so that it has several look-ups to do at a time (note [streams] of runtime/prim/streams.h), a warp, so that each has a lane.
//
//   into 0                            rule "stream" 2                          loop of rule 9
//     call 9 %3 %6                      producing %1                     ->      streams rule 4 at [...] of 4 look_ups 5
//     call 9 %4 %6                        within backward %0
//     check (fits u24 (remaining))          loop until_end                     checked rule 4
//     call 9 (remaining) %7                   read %2 code u32 of 0              stream at [...] loop 2 of 4
//                                             emit %2                            stream at [...] loop 2 of 4 index 1 ...
//
// What must be so, and is looked for here:
//   - where each begins and how much it makes is known before the first one is read: size and count are parameters, and arguments and
//     checks between the calls are of variables and of what is left of the input, not of what a stream reads or makes;
//   - none reads what another writes, and no two write the same: a token is a symbol that is output and nothing else, all look it up
//     in the same table, and the calls' outputs follow each other in one buffer. A buffer: of a chunk that is refused nobody sees
//     what a stream behind the refused one has left there;
//   - a look-up can't leave: the table's index is as long as the longest code, and a code that is built leaves no bits unused.
#include "compiler/plan/plan.h"

namespace sluice::plan {

// A start has a word, an address and a place for each; more would not be in registers.
inline constexpr std::uint32_t kMostStreams = 4;
// What a load surely shows of a stream (prim::kStreamBits).
inline constexpr unsigned kStreamBits = 56;

// Of a loop of a CPU's or a warp's plan: all calls in a row of its rule, begun together or not.
[[nodiscard]] std::vector<Streams> streams_of(const ir::Module& module, const Plan& plan, const Loop& loop);
// Sets them for all of the plan's loops.
void set_streams(const ir::Module& module, Plan& plan);

// The calls of a group, in the block that the first one stands in; fewer, where there are not so many.
[[nodiscard]] std::vector<const ir::Stmt*> calls_of(const ir::Module& module, const Streams& streams);

// The rule's parameters that are the size of its region and the number of its outputs.
struct StreamParameters {
  std::uint32_t size = 0, count = 0;
};
[[nodiscard]] StreamParameters stream_parameters(const ir::Rule& rule);

}  // namespace sluice::plan
