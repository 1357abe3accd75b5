#pragma once
// Tokens that are walked one after the other (chain.h), of which the states of state codes that they begin with tell all that walking takes: how many bits
// each has, and where those of the next states stand. Then an entry tells how many bits follow its state, and how many bits of fields its symbol has; a walk
// adds up what the entries tell, and reads nothing else (runtime/prim/cuda/chain.h, note [state walk]).
//
//   let %19 (bit_and (shr (elem 4 %16) 12) 31)      ->   walked [%17 %16] state_walk [2 1]   states of codes 2 and 1, in the order of their bits
//   width t0 %19
//   field %20 look width t0                              extras 1 bits [0 1 2 3 ...]         of fields, of each symbol of code 1
//   field %21 ranges 1 index (bit_and (shr (elem 5 %17) 12) 63)    extras 2 bits [0 0 ... 1 1 2 ...]
//   let %28 (elem 5 %17)
//   width t1 (bit_and %28 15)
//   field %29 look width t1
//   let %17 (add (shr %28 20) %29)
//   ... the same of %16 ...
#include <span>
#include <string>
#include <vector>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// What the entries of a token's states tell is added up in fields of six bits each, and the bits that follow states are those of one word.
inline constexpr unsigned kMostExtraBits = 63, kMostStateBits = 32;

struct StateWalk {
  std::string against;               // why they are not walked so
  std::vector<Local> walked;         // in the order in which their bits stand
  std::vector<std::uint32_t> codes;  // of each
  std::vector<StateExtras> extras;   // of those codes
};

// Of a chained loop, and of what walking takes.
[[nodiscard]] StateWalk state_walk_of(const ir::Module& module, const Loop& loop, const std::vector<Local>& walked);

// What entries tell of their symbols, for all loops that are walked so. One that wants other bits of a code than a loop before it has its tokens
// decoded by walks.
std::vector<StateExtras> settle_state_walks(const ir::Module& module, std::vector<Loop>& loops);
// Is that what the plan says?
[[nodiscard]] bool says_its_extras(const ir::Module& module, const Plan& plan);

}  // namespace sluice::plan
