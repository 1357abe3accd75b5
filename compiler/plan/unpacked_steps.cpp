#include "compiler/plan/unpacked_steps.h"

#include <algorithm>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

bool mentions(const Operand& of, const ir::Expr& e, Local local) {
  bool found = false;
  for_each_node(e, [&](const ir::Expr& x) { found |= read_by(of.scope, x) == local; });
  return found;
}

// The variable, with all of its bits that an element has.
std::optional<Local> stored(const Operand& value, unsigned element) {
  const ir::Expr* e = &*value;
  for (; e->op == ir::Op::Cast; e = e->kids[0].get())
    if (e->type.bits < element) return std::nullopt;
  return read_by(value.scope, *e);
}

// How many times the variable is a term of that sum of 64 bits; none: it is something else, too.
std::optional<unsigned> terms(const Operand& of, const ir::Expr& e, Local local) {
  if (read_by(of.scope, e) == local) return 1;
  if (!mentions(of, e, local)) return 0;
  if (e.op == ir::Op::Cast && e.type.bits == 64) return terms(of, *e.kids[0], local);
  if (e.op != ir::Op::Add) return std::nullopt;
  const auto a = terms(of, *e.kids[0], local), b = terms(of, *e.kids[1], local);
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

class Finder {
 public:
  Finder(const ir::Module& module, Target target, const Loop& loop) : module_(module), target_(target), loop_(loop) {}

  Unpacked steps(const Body& body, Value only_field, std::optional<Local> index) const {
    if (target_ != Target::Cpu || loop_.backward || loop_.reader != Reader::Position || only_field == kNoValue) return Unpacked::No;
    const unsigned element = module_.output.bits;
    const auto* field = body.empty() ? nullptr : std::get_if<Field>(&body[0].what);
    const bool plain = field != nullptr && field->into == Field::Into::Local && !field->type.is_signed && only_here(field->local);
    if (!plain) return Unpacked::No;
    if (body.size() == 2) {
      const auto* store = std::get_if<Store>(&body[1].what);
      return store != nullptr && stored(store->value, element) == field->local ? Unpacked::Stored : Unpacked::No;
    }
    // Narrower sums would be cut off on the way.
    if (body.size() != 3 || element < 32 || field->bits > element) return Unpacked::No;
    const std::optional<Local> sum = set_by(body[1]);
    const auto* store = std::get_if<Store>(&body[2].what);
    if (!sum || store == nullptr || sum == field->local) return Unpacked::No;
    const Operand& value = sum_of(body);
    const bool adds = terms(value, *value, *sum) == 1u && terms(value, *value, field->local) == 1u;
    const bool alike = !index || !mentions(value, *value, *index);
    return adds && alike && stored(store->value, element) == sum ? Unpacked::Summed : Unpacked::No;
  }

 private:
  // Nothing behind the loop can ask for it.
  bool only_here(Local local) const { return !module_.rules[loop_.scopes[local.scope].rule].slots[local.slot].is_mutable; }

  const ir::Module& module_;
  Target target_;
  const Loop& loop_;
};

std::optional<Local> index_of(const Loop& loop) {
  return loop.index ? std::optional(Local{0, *loop.index}) : std::nullopt;
}

}  // namespace

const Operand& sum_of(const Body& steps) {
  const auto* let = std::get_if<Let>(&steps[1].what);
  return let != nullptr ? let->value : std::get<SetGlobal>(steps[1].what).value;
}

void take_unpacked(const ir::Module& module, Target target, Loop& loop) {
  const Finder finder(module, target, loop);
  for_each_step(loop.body, [&](Step& s) {
    if (auto* steps = std::get_if<Unchecked>(&s.what)) steps->unpacked = finder.steps(steps->body, steps->only_field, steps->index);
  });
  if (loop.form == LoopForm::Unchecked) loop.unpacked = finder.steps(loop.body, loop.only_field, index_of(loop));
  if (unpacks(loop)) loop.in_margin = std::max(loop.in_margin, kUnpackReach);
}

bool unpacks(const Loop& loop) {
  return loop.unpacked != Unpacked::No || any_step(loop.body, [](const Step& s) {
           const auto* steps = std::get_if<Unchecked>(&s.what);
           return steps != nullptr && steps->unpacked != Unpacked::No;
         });
}

bool sound_unpacked(const ir::Module& module, Target target, const Loop& loop) {
  const Finder finder(module, target, loop);
  bool sound = loop.unpacked == Unpacked::No ||
               (loop.form == LoopForm::Unchecked && loop.unpacked == finder.steps(loop.body, loop.only_field, index_of(loop)));
  for_each_step(loop.body, [&](const Step& s) {
    const auto* steps = std::get_if<Unchecked>(&s.what);
    sound &= steps == nullptr || steps->unpacked == Unpacked::No ||
             steps->unpacked == finder.steps(steps->body, steps->only_field, steps->index);
  });
  return sound && (!unpacks(loop) || loop.in_margin >= kUnpackReach);
}

}  // namespace sluice::plan
