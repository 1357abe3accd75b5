#pragma once
// How far back copies reach and whether one may read what it writes.
//
//   copy (local %far u16) (add (local %len u4) 4)     reach 65535, may overlap (distance from 0, length up to 19)
#include <cstdint>
#include <optional>

#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct Copies {
  bool any = false;
  std::optional<std::uint64_t> reach;    // largest distance in elements; nullopt: back to the start of the window
  bool may_overlap = false;              // some copy may be longer than its distance
  bool dictionary = false;               // some copy may reach into a preset dictionary
  std::optional<std::uint64_t> longest;  // elements of one copy; nullopt: no bound
  std::uint64_t sites = 0;               // copy statements
  ReasonChain why;                       // one step a copy statement
};

Copies copies_of(const ir::Module& module);

}  // namespace sluice::analysis
