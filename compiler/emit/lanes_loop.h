#pragma once
// A kernel's counted loop whose steps are done side by side, one a lane.
//
//   repeat count times          ->   for (k = lane; k < sure; k += lanes)
//     value: uint(width)               value = lane_bits_at(first_bit + k * width, width);
//     emit zigzag(value)               store_lane(first_out + 8 * k, zigzag(value));
//
// Legal when every step takes the same number of bits and makes the same number of outputs, and uses nothing of another
// step but running sums `x := x +% term`, which become a prefix sum over the lanes. A step may store the element of an
// array that the loop's variable names. A step that a check refuses undoes the round: the careful half finds it.
#include "compiler/emit/fast_loop.h"

namespace sluice::emit {

std::optional<FastLoop> make_lanes_loop(const Context&, std::uint32_t rule, const ir::Stmt& loop, std::size_t ordinal,
                                        std::vector<CodeTable>& tables);

}  // namespace sluice::emit
