#pragma once
// Parts of the input whose size stands before them (`within N bytes`): candidates for the strategy *split*.
//
//   read %n fixed u32le                     recorded, at most 4294967295 bytes; independent: the window is new and
//   within (local %n)                       the body uses no state of the parts before
//     new_window ...
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/analysis/effects.h"
#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct SubStream {
  const ir::Stmt* within = nullptr;  // owned by the module
  std::uint32_t rule = 0;
  std::optional<std::uint64_t> max_bytes;
  unsigned depth = 0;        // `within`s around it in its rule
  bool repeated = false;     // inside a loop of its rule
  bool independent = false;  // its body can be decoded without what the body of another one left
  ReasonChain why;           // what makes it dependent
};

// Reachable ones, rules in order, outer before inner.
std::vector<SubStream> sub_streams_of(const ir::Module& module, EffectsOf& effects);

}  // namespace sluice::analysis
