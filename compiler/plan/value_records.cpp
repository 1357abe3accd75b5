#include "compiler/plan/value_records.h"

#include <algorithm>
#include <functional>
#include <map>

#include "compiler/analysis/walk.h"
#include "compiler/plan/numbers_apart.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

// What a token has made on the ways to here: a bit of each that there is. Left: it has done what is no record, and the checked path
// takes it.
using Made = std::uint8_t;
constexpr Made kNothing = 1, kRun = 2, kList = 4, kLeft = 8;

// The variable whose value a value is, with all of its bits that an element has; zigzag-coded, or as it is.
struct Coded {
  std::optional<Local> local;
  bool zigzag = false;
};
Coded coded(const ir::Expr& e, ScopeId scope, unsigned element) {
  if (e.op == ir::Op::Local) return {Local{scope, e.ref}};
  const bool zigzag = e.op == ir::Op::ZigZag;
  if (!zigzag && (e.op != ir::Op::Cast || e.type.bits < element)) return {};
  const Coded of = coded(*e.kids[0], scope, zigzag ? 64 : element);
  return zigzag && of.zigzag ? Coded{} : Coded{of.local, zigzag || of.zigzag};
}

// The first step of each, where that is a field of one width for all.
const Field* packed_field(const SideBySide& s) {
  if (s.widths.size() != 1 || s.body.size() < 2 || (*s.widths.front().bits).range.lo < 1) return nullptr;
  const auto* field = std::get_if<Field>(&s.body[0].what);
  const bool plain = field != nullptr && field->into == Field::Into::Local && !field->type.is_signed && field->width == s.widths.front().value &&
                     (field->form == FieldForm::At || field->form == FieldForm::AtWide);
  return plain ? field : nullptr;
}

// Is each of its steps such a field, which is put out?
std::optional<ValueList> packed_list(const SideBySide& s, unsigned element, bool msb) {
  const Field* const field = packed_field(s);
  if (field == nullptr || s.index || s.body.size() != 2) return std::nullopt;
  const auto* store = std::get_if<Store>(&s.body[1].what);
  const auto* call = std::get_if<Inline>(&s.body[1].what);
  if (call != nullptr && call->args.size() == 1 && call->body.size() == 1) store = std::get_if<Store>(&call->body.front().what);
  if (store == nullptr) return std::nullopt;
  Coded value = coded(*store->value, store->value.scope, element);
  if (call != nullptr && value.local == Local{call->scope, 0}) {
    const Coded arg = coded(*call->args.front(), call->args.front().scope, 64);
    value = {arg.zigzag ? std::nullopt : arg.local, value.zigzag};
  }
  if (value.local != field->local) return std::nullopt;
  return ValueList{false, 0, value.zigzag, msb, true};
}

bool mentions(const ir::Expr& e, const std::function<bool(const ir::Expr&)>& f) {
  bool found = false;
  for_each_node(e, [&](const ir::Expr& x) { found |= f(x); });
  return found;
}
bool same(const ir::Expr& a, const ir::Expr& b) {
  const bool one = a.op == b.op && a.type == b.type && a.imm == b.imm && a.ref == b.ref && a.kids.size() == b.kids.size();
  return one && std::ranges::equal(a.kids, b.kids, [](const auto& x, const auto& y) { return same(*x, *y); });
}
bool same(const Operand& a, const Operand& b) { return a.scope == b.scope && same(*a, *b); }

// The variable, or 0 less it, whatever else it looks at.
bool more_or_less(const ir::Expr& e, std::uint32_t slot) {
  const auto is_slot = [&](const ir::Expr& x) { return x.op == ir::Op::Local && x.ref == slot; };
  if (e.op == ir::Op::Cast) return e.type.bits == 64 && more_or_less(*e.kids[0], slot);
  if (e.op == ir::Op::Sub) return e.kids[0]->op == ir::Op::Const && e.kids[0]->imm == 0 && more_or_less(*e.kids[1], slot);
  if (e.op == ir::Op::Select) return !mentions(*e.kids[0], is_slot) && more_or_less(*e.kids[1], slot) && more_or_less(*e.kids[2], slot);
  return is_slot(e);
}

// Is each of its steps a field that is added to a sum, or taken from it, which is put out?
bool summed_list(const SideBySide& s, unsigned element) {
  const Field* const field = packed_field(s);
  if (field == nullptr || s.index || s.in_order || s.body.size() != 3) return false;
  const auto* sum = std::get_if<Sum>(&s.body[1].what);
  const auto* store = std::get_if<Store>(&s.body[2].what);
  if (sum == nullptr || store == nullptr || sum->term.scope != field->local.scope || !more_or_less(*sum->term, field->local.slot)) return false;
  const Coded value = coded(*store->value, store->value.scope, element);
  return value.local == sum->local && !value.zigzag;
}

// ---- Through an array

// The array whose elements from 0 on it sets to fields that it reads.
std::optional<std::uint32_t> filled_array(const ir::Module& module, const SideBySide& s) {
  const Field* const field = packed_field(s);
  if (field == nullptr || !s.index || s.body.size() != 2) return std::nullopt;
  const auto* set = std::get_if<SetElement>(&s.body[1].what);
  const auto is = [](const Operand& o, Local l) { return o.scope == l.scope && (*o).op == ir::Op::Local && (*o).ref == l.slot; };
  if (set == nullptr || !is(set->index, *s.index) || !is(set->value, field->local)) return std::nullopt;
  const ir::Type elem = module.arrays[set->array].elem;
  return !elem.is_signed && elem.bits >= field->bits ? std::optional(set->array) : std::nullopt;
}

bool reads_array(const ir::Expr& e, std::uint32_t array) {
  return mentions(e, [&](const ir::Expr& x) { return x.op == ir::Op::Elem && x.ref == array; });
}

// Are they as many elements of the array as that loop has filled, in order, each with the same added to it?
bool puts_out(const SideBySide& s, const SideBySide& fill, std::uint32_t array, unsigned element) {
  if (!s.index || s.in_order || s.body.size() != 1 || !same(s.count, fill.count)) return false;
  const auto* store = std::get_if<Store>(&s.body[0].what);
  if (store == nullptr || store->value.scope != s.index->scope) return false;
  const auto own = [&](const ir::Expr& x) {
    return x.op == ir::Op::Elem && x.ref == array && x.kids[0]->op == ir::Op::Local && x.kids[0]->ref == s.index->slot;
  };
  const auto varies = [&](const ir::Expr& x) { return x.op == ir::Op::Elem || (x.op == ir::Op::Local && x.ref == s.index->slot); };
  const ir::Expr* e = &*store->value;
  for (; e->op == ir::Op::Cast; e = e->kids[0].get())
    if (e->type.bits < element) return false;
  if (own(*e)) return true;
  if (e->op != ir::Op::Add || e->type.bits < element) return false;
  const auto as_it_is = [&](const ir::Expr& x) { return own(x) || (x.op == ir::Op::Cast && x.type.bits == 64 && own(*x.kids[0])); };
  return (as_it_is(*e->kids[0]) && !mentions(*e->kids[1], varies)) || (as_it_is(*e->kids[1]) && !mentions(*e->kids[0], varies));
}

// Does each of its steps read fields, compute, and change one element, of which it has tested that the loop has filled it?
bool amends(const SideBySide& s, const SideBySide& fill, std::uint32_t array) {
  if (!s.in_order || s.body.empty()) return false;
  const auto* set = std::get_if<SetElement>(&s.body.back().what);
  if (set == nullptr || set->array != array || (*set->index).op != ir::Op::Local) return false;
  const Local at{set->index.scope, (*set->index).ref};
  const auto is_at = [&](const ir::Expr& x) { return x.op == ir::Op::Local && x.ref == at.slot; };
  // at < count, or at <= n where the count is n + 1.
  const auto tests = [&](const Operand& o) {
    if (o.scope != at.scope || o.scope != fill.count.scope || (*o).kids.size() != 2 || !is_at(*(*o).kids[0])) return false;
    const ir::Expr &most = *(*o).kids[1], &count = *fill.count;
    if ((*o).op == ir::Op::Lt) return same(most, count);
    const bool one_more = count.op == ir::Op::Add && count.kids[1]->op == ir::Op::Const && count.kids[1]->imm == 1;
    return (*o).op == ir::Op::Le && one_more && same(most, *count.kids[0]);
  };
  bool tested = false;
  for (const Step& step : s.body) {
    const auto* field = std::get_if<Field>(&step.what);
    const auto* let = std::get_if<Let>(&step.what);
    const auto* check = std::get_if<Check>(&step.what);
    const bool placed = field != nullptr && (field->form == FieldForm::InWord || field->form == FieldForm::At || field->form == FieldForm::AtWide);
    if (field != nullptr && (field->into != Field::Into::Local || !placed)) return false;
    if (field == nullptr && let == nullptr && check == nullptr && !std::holds_alternative<Word>(step.what) && &step != &s.body.back()) return false;
    if ((field != nullptr && field->local == at) || (let != nullptr && let->local == at)) tested = false;
    bool reads = false, others = false;
    for_each_operand(step, [&](const Operand& o) {
      reads |= reads_array(*o, array);
      others |= mentions(*o, [&](const ir::Expr& x) { return x.op == ir::Op::Elem && x.ref == array && !(o.scope == at.scope && is_at(*x.kids[0])); });
    });
    if (others || (reads && !tested)) return false;
    if (check != nullptr) tested |= tests(check->condition);
  }
  return tested;
}

// Times that a statement of the module, or of these loops, sets or reads an element of it.
std::size_t uses_of(const ir::Expr& e, std::uint32_t array) {
  std::size_t uses = 0;
  for_each_node(e, [&](const ir::Expr& x) { uses += x.op == ir::Op::Elem && x.ref == array ? 1 : 0; });
  return uses;
}
std::size_t uses_of(const ir::Module& module, std::uint32_t array) {
  std::size_t uses = 0;
  for (const ir::Rule& rule : module.rules)
    analysis::for_each_stmt(rule.body, [&](const ir::Stmt& s) {
      uses += s.kind == ir::Stmt::Kind::SetElem && s.ref == array ? 1 : 0;
      analysis::for_each_expr(s, [&](const ir::Expr& e) { uses += uses_of(e, array); });
    });
  return uses;
}
std::size_t uses_of(const SideBySide& loop, std::uint32_t array) {
  std::size_t uses = 0;
  for_each_step(loop.body, [&](const Step& s) {
    if (const auto* set = std::get_if<SetElement>(&s.what)) uses += set->array == array ? 1 : 0;
    for_each_operand(s, [&](const Operand& o) { uses += uses_of(*o, array); });
  });
  return uses;
}

class Shape {
 public:
  Shape(const ir::Module& module, const Loop& loop) : module_(module), loop_(loop) {}

  ValueTokens run() {
    const unsigned element = loop_.element_bits(module_);
    const bool placed = loop_.reader == Reader::Bytes || (loop_.reader == Reader::Position && loop_.aligned);
    if (loop_.reader == Reader::Bytes && module_.input != ir::Input::Bytes)
      found_.against = analysis::Reason{"its tokens are whole bytes of a bit stream", {}};
    else if (!placed || loop_.form != LoopForm::Token || !loop_.counts)
      found_.against = analysis::Reason{"its tokens are not read by themselves", {}};
    else if (loop_.kind != ir::LoopKind::Forever && loop_.kind != ir::LoopKind::UntilEnd)
      found_.against = analysis::Reason{ends_otherwise(loop_.kind), {}};
    else if (!loop_.hoisted.empty())
      found_.against = analysis::Reason{"a token reads what was computed before the loop", {}};
    else if (element != 8 && element != 16 && element != 32 && element != 64)
      found_.against = analysis::Reason{"its elements are not of 1, 2, 4 or 8 bytes", {}};
    else if (!loop_.carried.empty() || !loop_.set_globals.empty())
      found_.against = analysis::Reason{"a token leaves something to the next one", {}};
    else
      body(loop_.body, kNothing);
    if (!found_.against && found_.values.left && !makes_) found_.against = analysis::Reason{"no token of it is a value, a run or a list of them", {}};
    if (!found_.values.list) found_.values.list = added_;
    return std::move(found_);
  }

 private:
  void refuse(const Step& s, const char* why) {
    if (!found_.against) found_.against = analysis::Reason{why, s.span};
  }

  Made body(const Body& steps, Made made) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& s = steps[i];
      if (const std::size_t last = made == kNothing ? through_array(steps, i) : i; last != i) {
        i = last;
        made = kList;
        continue;
      }
      if ((made & kList) != 0 && !std::holds_alternative<Align>(s.what)) refuse(s, "a token goes on behind its list of values");
      for_each_operand(s, [&](const Operand& o) { operand(s, o); });
      made = step(s, made);
    }
    return made;
  }

  // Does a list begin there that goes through an array, which nothing else in the module looks at? Then where it ends, else where it
  // begins. What is computed between its loops is no count of theirs.
  std::size_t through_array(const Body& steps, std::size_t from) {
    const auto* fill = std::get_if<SideBySide>(&steps[from].what);
    const auto array = fill == nullptr || !module_.codes.empty() ? std::nullopt : filled_array(module_, *fill);
    if (!array) return from;
    std::map<const SideBySide*, ListPart> parts{{fill, ListPart::Array}};
    std::size_t uses = uses_of(*fill, *array), at = from + 1;
    const SideBySide* put = nullptr;
    std::set<Local> set;
    const auto sets = [&](const Step& s) {
      if (const auto* field = std::get_if<Field>(&s.what); field != nullptr && field->into == Field::Into::Local) set.insert(field->local);
      if (const auto local = set_by(s)) set.insert(*local);
    };
    for (; at < steps.size() && put == nullptr; ++at) {
      const auto* each = std::get_if<SideBySide>(&steps[at].what);
      sets(steps[at]);
      if (each == nullptr && (std::holds_alternative<Let>(steps[at].what) || std::holds_alternative<Align>(steps[at].what))) continue;
      if (each == nullptr) return from;
      uses += uses_of(*each, *array);
      if (puts_out(*each, *fill, *array, loop_.element_bits(module_))) {
        put = each;
      } else {
        if (!amends(*each, *fill, *array)) return from;
        if (each->index) set.insert(*each->index);
        for_each_step(each->body, sets);
      }
      parts[each] = each == put ? ListPart::Offset : ListPart::Amends;
    }
    const bool recounted = mentions(*fill->count, [&](const ir::Expr& x) { return x.op == ir::Op::Local && set.contains(Local{fill->count.scope, x.ref}); });
    if (put == nullptr || recounted || uses != uses_of(module_, *array)) return from;
    if (!may_add(module_.input == ir::Input::BitsMsb)) return from;
    array_ = *array;
    for (std::size_t i = from; i < at; ++i) {
      for_each_operand(steps[i], [&](const Operand& o) { operand(steps[i], o); });
      if (const auto* each = std::get_if<SideBySide>(&steps[i].what))
        for_each_step(each->body, [&](const Step& s) { for_each_operand(s, [&](const Operand& o) { operand(s, o); }); });
    }
    array_.reset();
    found_.listed.merge(parts);
    found_.values.arrays = makes_ = true;
    return at - 1;
  }

  // A walk does none of its steps, so it does not know what they set.
  void pass(const SideBySide& each) {
    found_.passed.insert(&each);
    std::set<Local>& sets = unknown_[&each];
    if (each.index) sets.insert(*each.index);
    for_each_step(each.body, [&](const Step& s) {
      if (const auto* field = std::get_if<Field>(&s.what); field != nullptr && field->into == Field::Into::Local) sets.insert(field->local);
      if (const auto* sum = std::get_if<Sum>(&s.what)) sets.insert(sum->local);
      if (const auto set = set_by(s)) sets.insert(*set);
    });
  }

  Made step(const Step& s, Made made) {
    if (const auto* each = std::get_if<SideBySide>(&s.what)) {
      const bool msb = module_.input == ir::Input::BitsMsb;
      if ((made & ~(kNothing | kRun)) == 0 && summed_list(*each, loop_.element_bits(module_)) && may_add(msb)) {
        for_each_step(each->body, [&](const Step& inner) { for_each_operand(inner, [&](const Operand& o) { operand(inner, o); }); });
        found_.listed[each] = ListPart::Sums;
        found_.values.sums = makes_ = true;
        return kList;
      }
      const auto kind = packed_list(*each, loop_.element_bits(module_), msb);
      if (!kind || made != kNothing || each->in_order) {
        found_.values.left = true;
        pass(*each);
        return kLeft;
      }
      found_.listed[each] = ListPart::Values;
      makes_ = true;
      list(s, kind);
      return kList;
    }
    makes_ |= std::holds_alternative<Literals>(s.what) || std::holds_alternative<Run>(s.what) || std::holds_alternative<Store>(s.what);
    const bool run = std::holds_alternative<Run>(s.what) || std::holds_alternative<Store>(s.what);
    if (makes_output(s) && made != kNothing && !(run && (made & ~(kNothing | kLeft)) == 0)) refuse(s, "a token makes values more than once");
    if (const auto* literals = std::get_if<Literals>(&s.what)) {
      list(s, kind_of(*literals));
      return kList;
    }
    if (run) return static_cast<Made>((made & kLeft) | ((made & kNothing) != 0 ? kRun : 0));
    if (const auto* branch = std::get_if<If>(&s.what)) {
      const Made then = body(branch->then, made);
      return static_cast<Made>(then | (branch->orelse ? body(*branch->orelse, made) : made));
    }
    if (const auto* drop = std::get_if<Drop>(&s.what)) return body(drop->read, made);
    if (const auto* call = std::get_if<Inline>(&s.what)) {
      if (call->exits) refuse(s, "a rule that it calls returns early");
      return body(call->body, made);
    }
    if (const auto* repeat = std::get_if<Repeat>(&s.what)) {
      if (body(repeat->body, kNothing) != kNothing) refuse(s, "a loop inside a token makes output");
      return made;
    }
    if (const auto* field = std::get_if<Field>(&s.what)) {
      if (field->form == FieldForm::Varint)
        found_.values.numbers = true;
      else if (field->form != FieldForm::Load && (loop_.reader != Reader::Position || field->form == FieldForm::Ranges))
        refuse(s, "a field's end is not where its width says");
      return made;
    }
    if (makes_output(s)) refuse(s, "it makes output that is neither values nor a run of them");
    const bool plain = std::holds_alternative<Width>(s.what) || std::holds_alternative<Let>(s.what) ||
                       std::holds_alternative<Check>(s.what) || std::holds_alternative<Leave>(s.what) ||
                       std::holds_alternative<Break>(s.what) || std::holds_alternative<Skip>(s.what) ||
                       std::holds_alternative<Word>(s.what) || std::holds_alternative<Align>(s.what);
    if (std::holds_alternative<Leave>(s.what)) found_.values.left = true;
    if (!plain) refuse(s, "it does more than read and compute");
    return made;
  }

  static std::optional<ValueList> kind_of(const Literals& literals) {
    std::optional<ValueList> kind;
    if (literals.form == LiteralsForm::Varints) {
      kind = ValueList{true, literals.type.bits, literals.type.is_signed, false};
    } else if (literals.form == LiteralsForm::Fixed || literals.form == LiteralsForm::Short) {
      kind = ValueList{false, 8, false, false};
    } else if (literals.form == LiteralsForm::Each && literals.read.size() == 1) {
      const auto* field = std::get_if<Field>(&literals.read.front().what);
      if (field != nullptr && field->into == Field::Into::Element && field->form == FieldForm::Load && field->width == kNoValue)
        kind = ValueList{false, field->bits, field->type.is_signed, field->big};
      if (field != nullptr && field->into == Field::Into::Element && field->form == FieldForm::Varint)
        kind = ValueList{true, field->bits, field->type.is_signed, false};
    }
    return kind;
  }

  void list(const Step& s, const std::optional<ValueList>& kind) {
    if (!kind) return refuse(s, "where the values of its list end is not where a width says");
    const bool mixed = added_ && !(kind->packed && kind->big == added_->big);
    if (mixed || (found_.values.list && *found_.values.list != *kind)) return refuse(s, "its lists are not all read alike");
    found_.values.list = *kind;
    found_.values.numbers |= kind->varints;
  }

  // A lane that guesses knows what the token reads itself, and what was known before the loop.
  void operand(const Step& s, const Operand& o) {
    for_each_node(*o, [&](const ir::Expr& e) {
      if (e.op == ir::Op::Local)
        for (const auto& [each, sets] : unknown_)
          if (sets.contains(Local{o.scope, e.ref})) found_.passed.erase(each);
      if (e.op == ir::Op::Elem && array_ == e.ref) return;
      const bool own = e.op == ir::Op::Const || e.op == ir::Op::Local || e.op == ir::Op::Global || e.op == ir::Op::TableElem ||
                       e.op == ir::Op::AtEnd || (e.op >= ir::Op::Add && e.op <= ir::Op::Fits);
      if (!own) refuse(s, "it asks for more than its own bytes");
    });
  }

  const ir::Module& module_;
  const Loop& loop_;
  ValueTokens found_;
  // Of fields that are added to something there may be lists where others are packed, too, or there are none.
  bool may_add(bool msb) {
    if (found_.values.list) return found_.values.list->packed && found_.values.list->big == msb;
    added_ = ValueList{false, 0, false, msb, true};
    return true;
  }

  std::optional<std::uint32_t> array_;    // that the list goes through which is being looked at
  std::optional<ValueList> added_;        // what lists are of that are added to something
  std::map<const SideBySide*, std::set<Local>> unknown_;  // what is not known behind a loop that a walk passes
  bool makes_ = false;  // some token does
};

}  // namespace

ValueTokens value_tokens(const ir::Module& module, const Loop& loop) {
  ValueTokens found = Shape(module, loop).run();
  // Where numbers stand by themselves they are looked at one by one: so is what walks pass (H200, RLE v2 of bytes: 3 to 14 % slower so).
  const bool lists = found.values.list && found.values.list->varints;
  found.values.apart = !found.against && lists && numbers_apart(loop.body, found);
  return found;
}

}  // namespace sluice::plan
