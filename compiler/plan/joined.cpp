#include "compiler/plan/joined.h"

#include <algorithm>
#include <cstddef>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Op;

bool is_zero(const ir::Expr& e) { return e.op == Op::Const && e.imm == 0; }

// `if (gt N 0)`, of which the copy has length N: null, it is something else.
const Copy* guarded_copy(const Step& step) {
  const auto* branch = std::get_if<If>(&step.what);
  if (branch == nullptr || branch->orelse || branch->then.size() != 1) return nullptr;
  const auto* copy = std::get_if<Copy>(&branch->then[0].what);
  const ir::Expr& asked = *branch->condition;
  const bool right = copy != nullptr && (asked.op == Op::Gt || asked.op == Op::Ne) && is_zero(*asked.kids[1]) &&
                     analysis::same(*asked.kids[0], *copy->length) && copy->group.empty() && !copy->tests_window;
  return right ? copy : nullptr;
}

bool of_loop(const Operand& o) { return o.scope == 0 && (*o).range.lo >= 0; }

// Does it compute a variable, and nothing that the value reads?
bool leaves_alone(const Step& step, const Operand& value) {
  const auto set = set_by(step);
  if (!set) return std::holds_alternative<Check>(step.what);
  bool read = false;
  for_each_node(*value, [&](const ir::Expr& e) { read |= read_by(value.scope, e) == *set; });
  return !read;
}

// Is the variable set to what the two make, and to nothing else?
bool counts_them(const Body& body, std::size_t at, Local before, const Operand& copied, const Operand& added) {
  const auto sets = [&](const Step& s) { return set_by(s) == before; };
  if (std::ranges::count_if(body, sets) != 1) return false;
  for (std::size_t k = at + 2; k < body.size(); ++k) {
    if (!sets(body[k])) {
      if (!leaves_alone(body[k], copied) || !leaves_alone(body[k], added)) return false;
      continue;
    }
    const auto* let = std::get_if<Let>(&body[k].what);
    const Operand& value = let != nullptr ? let->value : std::get<SetGlobal>(body[k].what).value;
    const ir::Expr& e = *value;
    return value.scope == 0 && e.op == Op::Add && e.type.bits == 64 &&  // which does not wrap, of lengths
           ((analysis::same(*e.kids[0], *copied) && analysis::same(*e.kids[1], *added)) ||
            (analysis::same(*e.kids[0], *added) && analysis::same(*e.kids[1], *copied)));
  }
  return false;
}

// Is it set only at the body's own level?
bool set_inside(const Body& body, Local local) {
  bool inside = false;
  for (const Step& s : body)
    for_each_body(s, [&](const Body& b) { inside |= any_step(b, [&](const Step& x) { return set_by(x) == local; }); });
  return inside;
}

// Is it an element of an array, at the loop's index or a constant behind it?
bool at_index(const Loop& loop, const ir::Expr& e) {
  if (e.op != Op::Elem || !loop.index) return false;
  const auto is_index = [&](const ir::Expr& at) { return at.op == Op::Local && at.ref == *loop.index; };
  const ir::Expr& at = *e.kids[0];
  return is_index(at) || (at.op == Op::Add && is_index(*at.kids[0]) && at.kids[1]->op == Op::Const);
}
const Operand& rest_of(const Loop& loop) { return std::get<Literals>(loop.body[*loop.joined + 1].what).count; }
ArrayPlace place_of(const Operand& element) {
  return {(*element).ref, {std::shared_ptr<const ir::Expr>(element.expr, &*(*element).kids[0]), element.scope}};
}

}  // namespace

bool joined_alone(const Loop& loop) {
  if (!loop.joined || loop.kind != ir::LoopKind::Times || *loop.joined == 0 || *loop.joined + 3 != loop.body.size()) return false;
  const auto* let = std::get_if<Let>(&loop.body[0].what);
  const Operand& prefix = joined_copy(loop.body[*loop.joined]).length;
  if (let == nullptr || let->local.scope != 0 || read_by(prefix.scope, *prefix) != let->local) return false;
  for (std::size_t k = 1; k < *loop.joined; ++k) {
    const auto* check = std::get_if<Check>(&loop.body[k].what);
    if (check == nullptr) return false;
    const ir::Expr& asked = *check->condition;
    if (asked.op != Op::Le || !analysis::same(*asked.kids[0], *prefix) || asked.kids[1]->range.lo < 0) return false;
  }
  return at_index(loop, *let->value) && at_index(loop, *rest_of(loop));
}

Local joined_before(const Loop& loop) {
  const Operand& distance = joined_copy(loop.body[*loop.joined]).distance;
  return *read_by(distance.scope, *distance);
}
ArrayPlace prefix_place(const Loop& loop) { return place_of(std::get<Let>(loop.body[0].what).value); }
ArrayPlace rest_place(const Loop& loop) { return place_of(rest_of(loop)); }

const Copy& joined_copy(const Step& step) { return std::get<Copy>(std::get<If>(step.what).then[0].what); }

std::optional<std::uint32_t> joined_at(const ir::Module& module, const Loop& loop) {
  const bool bytes = loop.form == LoopForm::Token && loop.reader == Reader::Bytes && !loop.backward && loop.element_bits(module) == 8;
  if (!bytes || loop.told || any_step(loop.body, asks_output)) return std::nullopt;
  const auto makes = [](const Step& s) { return makes_output(s) || std::holds_alternative<SetElement>(s.what); };
  for (std::size_t at = 0; at + 2 < loop.body.size(); ++at) {
    const Copy* copy = guarded_copy(loop.body[at]);
    const auto* literals = std::get_if<Literals>(&loop.body[at + 1].what);
    if (copy == nullptr || literals == nullptr || literals->form != LiteralsForm::Short) continue;
    const auto before = read_by(copy->distance.scope, *copy->distance);
    if (!before || !of_loop(copy->distance) || !of_loop(copy->length) || !of_loop(literals->count)) return std::nullopt;
    // Two of all steps make output: the copy and the literals.
    std::size_t outputs = 0;
    for_each_step(loop.body, [&](const Step& s) { outputs += makes(s) ? 1 : 0; });
    const std::uint64_t in = loop.body[at + 1].cost.in, out = std::get<If>(loop.body[at].what).then[0].cost.out + loop.body[at + 1].cost.out;
    const bool room = in >= kJoinedBytes && out >= kJoinedBytes;
    const bool counted = counts_them(loop.body, at, *before, copy->length, literals->count) && !set_inside(loop.body, *before);
    return outputs == 2 && room && counted ? std::optional(static_cast<std::uint32_t>(at)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sluice::plan
