#pragma once
// Fast loops: a second form of a token loop that needs no bounds checks inside.
//
// One description gives both forms. The careful half (careful.h) does one token with every check; the fast loop does
// tokens while a margin test at its head guarantees that no token can run past either buffer, and leaves whenever
// something is unusual (a failed check, an end of block, a clause that refuses, a long copy near the end). Leaving
// restores the token's start, so the careful half does that token again and gives the exact answer.
//
//   note [fast-loop margin]: in_limit = in_end - kInMargin and out_limit = out_end - kOutMargin, where the margins are
//   the sums below. A token that starts at or below both limits stays inside both buffers, because every statement
//   either has a static cost that the margins contain or tests its own size against the limits again.
//
// Loops over bit streams whose fields need no look-up table (`positional`) read each field where it stands; counted
// ones in which nothing can go wrong test only their count (sure_steps.h), and tokens may hold such loops
// (deep_token.cpp).
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/context.h"
#include "compiler/emit/symbol_plan.h"

namespace sluice::emit {

// A look-up table that fast loops want built with a code.
struct CodeTable {
  SymbolPlan plan;
  std::string name;  // member of Scratch; kInfo_<name> holds plan.info
};

struct FastLoop {
  std::string name;                     // function
  std::string text;                     // its definition
  std::vector<std::uint32_t> captures;  // slots of the rule, passed by value in this order
  std::vector<std::uint32_t> carried;   // then these by reference: each token may change them
  bool counts = false;                  // a template of `Write`, for count mode too
  bool deep = false;                    // its tokens hold loops, which are worth fast forms where a token is left
  bool copies = false;                  // it copies from its own output
};

// Why a loop has no fast form, for `explain`.
struct NoFastLoop {
  std::string reason;
  Span span;         // what it is about; empty: the loop
  std::string cure;  // how its author can have one; empty: not at all
};

// Slots of the rule that keep their meaning from step to step: parameters, and what is set outside of the loop.
std::set<std::uint32_t> outer_slots(const ir::Module&, std::uint32_t rule, const ir::Stmt& loop);
// Does a step read an element of an array that a step stores to?
bool reads_its_arrays(const ir::Module&, const ir::Stmt& loop);

// Builds the fast form of `loop`, the module's fast loop number `ordinal`, in rule `rule`; appends the tables it needs
// to `tables`.
std::optional<FastLoop> make_fast_loop(const Context&, std::uint32_t rule, const ir::Stmt& loop, std::size_t ordinal,
                                       std::vector<CodeTable>& tables, NoFastLoop& why);

}  // namespace sluice::emit
