#pragma once
// Which slots of its rule a block names.
//
//   read %0 fixed u8             ->   set  %0 %1
//   set %1 (add %0 %2)                read %0 %2
#include <functional>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct Slots {
  std::vector<bool> read, set;  // by slot
  [[nodiscard]] bool named(std::uint32_t slot) const { return read[slot] || set[slot]; }
};

// `without`: statements that count for nothing, with all that is in them.
[[nodiscard]] Slots slots_of(const ir::Rule& rule, const ir::Block& block,
                             const std::function<bool(const ir::Stmt&)>& without);

}  // namespace sluice::analysis
