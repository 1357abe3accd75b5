#pragma once
// What the steps of a loop share with what is around it and with each other: variables of the rule, and arrays.
//
//   n = 0                       loop: set outside { n };  x and i are a step's own
//   for i < 10                  arrays stored and read { seen }
//     x: u8
//     n := n + seen[x]
//     seen[x] := 1
#include <cstdint>
#include <functional>
#include <set>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

// The first statement in the block, or in a rule that it calls, that satisfies f; null: none. Each rule is looked at
// once.
const ir::Stmt* first_reached(const ir::Module& module, const ir::Block& block,
                              const std::function<bool(const ir::Stmt&)>& f);

// Slots of the rule that keep their meaning from step to step: parameters, and what is set outside of the loop.
std::set<std::uint32_t> set_outside(const ir::Module& module, std::uint32_t rule, const ir::Stmt& loop);

// Arrays that a step stores to and reads as well; to build a prefix code reads any.
struct StoredAndRead {
  std::set<std::uint32_t> arrays;
  const ir::Stmt* first = nullptr;  // of the statements that store to one of them; null: there is none
};
StoredAndRead stored_and_read(const ir::Module& module, const ir::Stmt& loop);

// May a step come to the end of its region and ask?
bool tests_end(const ir::Module& module, const ir::Stmt& loop);

}  // namespace sluice::analysis
