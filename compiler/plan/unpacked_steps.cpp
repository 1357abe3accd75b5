#include "compiler/plan/unpacked_steps.h"

#include <algorithm>

#include "compiler/plan/kept_sums.h"
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

// How many times the variable is a term of that sum, of which so many bits are meant; none: it is something else, too.
std::optional<unsigned> terms(const Operand& of, const ir::Expr& e, Local local, unsigned bits) {
  if (read_by(of.scope, e) == local) return 1;
  if (!mentions(of, e, local)) return 0;
  if (e.op == ir::Op::Cast && e.type.bits >= bits) return terms(of, *e.kids[0], local, bits);
  if (e.op != ir::Op::Add) return std::nullopt;
  const auto a = terms(of, *e.kids[0], local, bits), b = terms(of, *e.kids[1], local, bits);
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

}  // namespace

bool sums_up(const Operand& value, Local sum, Local field, unsigned bits) {
  return terms(value, *value, sum, bits) == 1u && terms(value, *value, field, bits) == 1u;
}

namespace {

class Finder {
 public:
  Finder(const ir::Module& module, Target target, const Loop& loop) : module_(module), target_(target), loop_(loop) {}

  Unpacked steps(const Unchecked& s) const { return target_ == Target::Cpu ? steps(s.body, s.only_field, s.index) : Unpacked::No; }
  Unpacked steps(const SideBySide& s) const { return s.in_order ? Unpacked::No : steps(s.body, s.only_field, s.index); }
  Unpacked own() const {
    const bool unchecked = loop_.form == LoopForm::Unchecked && target_ == Target::Cpu;
    if (unchecked && kept_sums(module_, loop_)) return Unpacked::Kept;
    return unchecked ? steps(loop_.body, loop_.only_field, loop_.index ? std::optional(Local{0, *loop_.index}) : std::nullopt) : Unpacked::No;
  }

 private:
  Unpacked steps(const Body& body, Value only_field, std::optional<Local> index) const {
    if (target_ == Target::Lane || loop_.backward || loop_.reader != Reader::Position || only_field == kNoValue) return Unpacked::No;
    const unsigned element = loop_.element_bits(module_);
    const auto* field = body.empty() ? nullptr : std::get_if<Field>(&body[0].what);
    const bool plain = field != nullptr && field->into == Field::Into::Local && !field->type.is_signed && only_here(field->local);
    if (!plain) return Unpacked::No;
    if (body.size() == 2) {
      const auto* store = std::get_if<Store>(&body[1].what);
      return store != nullptr && stored(store->value, element) == field->local ? Unpacked::Stored : Unpacked::No;
    }
    // Narrower sums would be cut off on the way.
    if (body.size() != 3 || element < 32 || field->bits > element) return Unpacked::No;
    const bool term = std::holds_alternative<Sum>(body[1].what);
    const auto* store = std::get_if<Store>(&body[2].what);
    if ((!term && !set_by(body[1])) || store == nullptr) return Unpacked::No;
    const auto& [sum, value] = summing(body);
    if (sum == field->local) return Unpacked::No;
    const unsigned bits = type_of(sum).bits;  // more than those an element has: they are what the sum is behind the loop
    const bool adds = bits >= element && (term || terms(value, *value, sum, bits) == 1u) && terms(value, *value, field->local, bits) == 1u;
    const bool alike = !index || !mentions(value, *value, *index);
    return adds && alike && stored(store->value, element) == sum ? Unpacked::Summed : Unpacked::No;
  }

  // Nothing behind the loop can ask for it.
  bool only_here(Local local) const { return !module_.rules[loop_.scopes[local.scope].rule].slots[local.slot].is_mutable; }

  ir::Type type_of(Local local) const {
    return local.scope == kGlobalScope ? module_.globals[local.slot].type : module_.rules[loop_.scopes[local.scope].rule].slots[local.slot].type;
  }

  const ir::Module& module_;
  Target target_;
  const Loop& loop_;
};

}  // namespace

Summing summing(const Body& steps) {
  const auto& what = steps[1].what;
  if (const auto* sum = std::get_if<Sum>(&what)) return {sum->local, sum->term};
  if (const auto* let = std::get_if<Let>(&what)) return {let->local, let->value};
  const auto& set = std::get<SetGlobal>(what);
  return {{kGlobalScope, set.global}, set.value};
}

void take_unpacked(const ir::Module& module, Target target, Loop& loop) {
  const Finder finder(module, target, loop);
  for_each_step(loop.body, [&](Step& s) {
    if (auto* steps = std::get_if<Unchecked>(&s.what)) steps->unpacked = finder.steps(*steps);
    if (auto* steps = std::get_if<SideBySide>(&s.what)) steps->unpacked = finder.steps(*steps);
  });
  loop.unpacked = finder.own();
  if (target == Target::Cpu && unpacks(loop)) loop.in_margin = std::max(loop.in_margin, kUnpackReach);
}

bool unpacks(const Loop& loop) {
  return loop.unpacked != Unpacked::No || any_step(loop.body, [](const Step& s) {
           const auto* steps = std::get_if<Unchecked>(&s.what);
           return steps != nullptr && steps->unpacked != Unpacked::No;
         });
}

bool sound_unpacked(const ir::Module& module, Target target, const Loop& loop) {
  const Finder finder(module, target, loop);
  bool sound = loop.unpacked == Unpacked::No || loop.unpacked == finder.own();
  for_each_step(loop.body, [&](const Step& s) {
    if (const auto* steps = std::get_if<Unchecked>(&s.what)) sound &= steps->unpacked == Unpacked::No || steps->unpacked == finder.steps(*steps);
    if (const auto* steps = std::get_if<SideBySide>(&s.what)) sound &= steps->unpacked == Unpacked::No || steps->unpacked == finder.steps(*steps);
  });
  return sound && (target != Target::Cpu || !unpacks(loop) || loop.in_margin >= kUnpackReach);
}

}  // namespace sluice::plan
