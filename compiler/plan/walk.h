#pragma once
// Small readers of a plan that lowering, printers and the verifier share.
#include <functional>
#include <set>

#include "compiler/analysis/walk.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

using analysis::for_each_node;

// Calls `visit` for each body that stands directly in the step.
void for_each_body(const Step& step, const std::function<void(const Body&)>& visit);
// Calls `visit` for every step of the body and of those in it, outer before inner, in order.
void for_each_step(const Body& body, const std::function<void(const Step&)>& visit);
// Calls `visit` for each operand that stands directly in the step.
void for_each_operand(const Step& step, const std::function<void(const Operand&)>& visit);
// Likewise, of a plan that is still being made.
void for_each_step(Body& body, const std::function<void(Step&)>& visit);
void for_each_operand(Step& step, const std::function<void(Operand&)>& visit);

// Does some step of the body, or of those in it, satisfy f?
bool any_step(const Body& body, const std::function<bool(const Step&)>& f);
template <typename... Kinds>
bool holds(const Body& body) {
  return any_step(body, [](const Step& s) { return (std::holds_alternative<Kinds>(s.what) || ...); });
}

// What the steps cost together: branches as much as the dearest, loops as much as one of their steps.
Cost cost_of(const Body& body);

// Bytes of the input that a token of this cost may take or touch, read so: what a margin holds, in whichever direction.
std::uint64_t taken_bytes(const Cost& cost, Reader reader);

// What the expression itself reads, in that scope: a slot, or a global.
[[nodiscard]] std::optional<Local> read_by(ScopeId scope, const ir::Expr& e);
// The buffers whose counts the steps ask.
[[nodiscard]] std::set<std::uint32_t> counts_asked(const Body& body);

// What a Let or a SetGlobal sets.
std::optional<Local> set_by(const Step& step);

// Are all values of the run the same?
bool of_equal_values(const Run& run);
// May control go from this step to the token's start?
bool may_leave(const Step& step);
// Does it compare with in_limit or out_limit?
bool tests_limits(const Step& step);
// Does a warp's loop have lanes that each load a field of their own? Then all of its fields are loaded: note [direct] of cuda/direct.h.
bool lanes_load(const Loop& loop);
// Does it make output, or store an element of an array?
bool makes_output(const Step& step);
// Do the steps read fields and compute, and nothing else? They make something of the input so.
bool adds_up(const Body& body);
// Does a step compute with what the one before it has set?
bool goes_in_turn(const Body& body);
// Does it ask how much output there is?
bool asks_output(const Step& step);
// Does it look at the chunk's arrays and tables?
bool reads_memory(const Step& step, const std::vector<bool>& views);

// The widths that stand before the loop.
std::vector<Value> hoisted_widths(const Loop& loop);

// The fields of the body in order, those in its bodies too.
std::vector<const Field*> fields_of(const Body& body);

// The width of the steps' one field, when every step takes it, whole, and nothing else from the input. `same`: widths that
// are the same in every step.
Value only_field(const Body& body, const std::vector<Value>& same);
std::vector<Value> values_of(const std::vector<Width>& widths);

// A copy of its own.
ir::ExprPtr copy_of(const ir::Expr& e);
std::shared_ptr<const ir::Expr> clone(const ir::Expr& e);

}  // namespace sluice::plan
