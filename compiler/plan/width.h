#pragma once
// Which numbers of a kernel's token loop are held, and computed, in 32 bits. A GPU's registers and its arithmetic are 32
// bits wide; a CPU's are 64, so its loops say nothing of it.
//
//   field local %0 load u8                    u32 %0 t1
//   field local %1 load u32              ->   field local %0 load u8
//   store (add %1 %0)                         field local %1 load u32
//                                             store (add{0..4294967550} %1 %0) wide [0]
//
// note [widths]: a slot or a global whose range fits 32 bits is a word, and so are the width of a field, what counts steps, and what a
// statement is given that is computed in 32 bits. An operator that is given words alone computes in 32 bits, and then what it computes must fit; where it may
// not, its node stands in `wide`, and it is given its first operand in 64 bits. An operator that is given a number of 64
// bits computes in 64. Signed numbers, positions, what a varint or a sum over lanes makes: 64 bits.
#include <vector>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Fills in what a loop holds in 32 bits, and its operands' `wide`.
void set_widths(const ir::Module& module, Target target, Loop& loop);

// What may be held in 32 bits: which of the loop's slots, and which values of a statement of it.
[[nodiscard]] std::vector<Local> narrow_locals(const ir::Module& module, const Loop& loop);
[[nodiscard]] std::vector<Value> narrow_values(const Loop& loop, const Step& step);
[[nodiscard]] bool few_steps(const ir::Module& module, const Loop& loop);

// The operand's nodes, in preorder from 0, that must be given a number of 64 bits in that loop.
[[nodiscard]] std::vector<std::uint32_t> wide_nodes(const Loop& loop, const Operand& operand);
// The nodes of an operand that its `wide` names.
[[nodiscard]] std::vector<const ir::Expr*> nodes_at(const Operand& operand, const std::vector<std::uint32_t>& numbers);

// Never negative, and never more than 32 bits say.
[[nodiscard]] bool fits_word(ir::Type type, ir::Range range);
[[nodiscard]] inline bool fits_word(const ir::Expr& e) { return fits_word(e.type, e.range); }

}  // namespace sluice::plan
