#pragma once
// Does it matter to a part where in the output it begins? Limits and windows apart, only `produced` tells it.
//
//   start = produced                               a place
//   far >= size + (produced - start)               the difference of two: not one     -> placeless
//   produced % 4 == 0                              looks at a place                   -> not
//
// So a part without a known place can be decoded at any, and at its own afterwards would do the same.
#include <cstdint>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

// A block of a rule, with the rules that it calls.
[[nodiscard]] bool is_placeless(const ir::Module& module, std::uint32_t rule, const ir::Block& block);

}  // namespace sluice::analysis
