#include "compiler/plan/kept_sums.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "compiler/plan/unpacked_steps.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Op;

constexpr unsigned kBits = 32;  // of a sum, and of what holds an element

// Without casts that keep so many bits.
const ir::Expr& uncast(const ir::Expr& e, unsigned bits) {
  return e.op == Op::Cast && e.type.bits >= bits ? uncast(*e.kids[0], bits) : e;
}

ir::Type type_of(const ir::Module& module, const Loop& loop, Local local) { return module.rules[loop.rule].slots[local.slot].type; }

// Of slots that the loop's rule has, and constants; of none that is set, but those.
bool computed_from(const Loop& loop, const ir::Expr& e, const std::vector<Local>& set, const std::vector<Local>& but) {
  bool right = true;
  for_each_node(e, [&](const ir::Expr& node) {
    const auto local = read_by(0, node);
    const auto in = [&](const std::vector<Local>& list) { return std::ranges::find(list, *local) != list.end(); };
    if (local) right &= local->scope == 0 && (in(but) || !in(set));
    else right &= node.op == Op::Const || node.op == Op::Cast || node.op == Op::Add || node.op == Op::Sub;
  });
  return right && !loop.nested;
}

}  // namespace

std::optional<KeptSums> kept_sums(const ir::Module& module, const Loop& loop) {
  const Body& steps = loop.body;
  if (loop.form != LoopForm::Unchecked || !loop.index || (steps.size() != 3 && steps.size() != 4)) return std::nullopt;
  const auto* field = std::get_if<Field>(&steps[0].what);
  const auto* let = std::get_if<Let>(&steps[1].what);
  const auto* also = steps.size() == 4 ? std::get_if<Let>(&steps[2].what) : nullptr;
  const auto* set = std::get_if<SetElement>(&steps.back().what);
  if (field == nullptr || let == nullptr || set == nullptr || (steps.size() == 4) != (also != nullptr)) return std::nullopt;
  const Local index{0, *loop.index};
  std::vector<Local> changed{field->local, let->local, index};
  if (also != nullptr) changed.push_back(also->local);
  for (const Local l : changed)
    if (l.scope != 0) return std::nullopt;
  for (const Operand* o : {&let->value, &set->index, &set->value})
    if (o->scope != 0) return std::nullopt;

  const bool plain = loop.reader == Reader::Position && !loop.backward && loop.only_field != kNoValue && field->into == Field::Into::Local &&
                     !field->type.is_signed && field->bits <= kBits && !module.rules[loop.rule].slots[field->local.slot].is_mutable;
  if (!plain) return std::nullopt;

  // The sum: one of it, one of the field, and what no step changes.
  if (type_of(module, loop, let->local).bits != kBits || set->undo != kNoValue || set->array >= module.arrays.size()) return std::nullopt;
  if (!sums_up(let->value, let->local, field->local, kBits) || !computed_from(loop, *let->value, changed, {let->local, field->local}))
    return std::nullopt;
  if (also != nullptr) {
    const ir::Expr& both = uncast(*also->value, kBits);
    const bool any = also->value.scope == 0 && type_of(module, loop, also->local).bits == kBits && also->local != let->local && both.op == Op::BitOr &&
                     read_by(0, uncast(*both.kids[0], kBits)) == also->local && read_by(0, uncast(*both.kids[1], kBits)) == let->local;
    if (!any) return std::nullopt;
  }

  // Its place, and the element: the sum's low bits.
  const ir::Type element = module.arrays[set->array].elem;
  if (element.is_signed || element.bits <= kBits / 2 || element.bits > kBits) return std::nullopt;
  if (read_by(0, uncast(*set->value, element.bits)) != let->local) return std::nullopt;
  KeptSums made{let->local, let->value, also != nullptr ? std::optional(also->local) : std::nullopt, set->array, set->index, {}};
  const ir::Expr* place = &*set->index;
  if (place->op == Op::Min && place->kids[1]->op == Op::Const) {
    made.last = place->kids[1]->imm;
    place = place->kids[0].get();
  }
  const bool counts = read_by(0, *place) == index || (place->op == Op::Add && place->type.bits == 64 && sums_up({std::shared_ptr<const ir::Expr>(set->index.expr, place), 0}, index, index, 64));
  if (!counts || place->type.is_signed || !computed_from(loop, *place, changed, {index})) return std::nullopt;
  made.first = {std::shared_ptr<const ir::Expr>(set->index.expr, place), 0};
  return made;
}

}  // namespace sluice::plan
