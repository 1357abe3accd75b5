#include "compiler/plan/value_records.h"

#include <algorithm>
#include <map>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

// What a token has made, on some way to here. Left: it does what is no record, and the checked path takes it.
enum class Made : std::uint8_t { Nothing, Run, List, Left };

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

// Is each of its steps a field of one width for all, which is put out?
std::optional<ValueList> packed_list(const SideBySide& s, unsigned element, bool msb) {
  if (s.index || s.widths.size() != 1 || s.body.size() != 2 || (*s.widths.front().bits).range.lo < 1) return std::nullopt;
  const auto* field = std::get_if<Field>(&s.body[0].what);
  const bool plain = field != nullptr && field->into == Field::Into::Local && !field->type.is_signed && field->width == s.widths.front().value &&
                     (field->form == FieldForm::At || field->form == FieldForm::AtWide);
  if (!plain) return std::nullopt;
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

class Shape {
 public:
  Shape(const ir::Module& module, const Loop& loop) : module_(module), loop_(loop) {}

  ValueTokens run() {
    const unsigned element = module_.output.bits;
    const bool placed = loop_.reader == Reader::Bytes || (loop_.reader == Reader::Position && loop_.aligned);
    if (!placed || loop_.form != LoopForm::Token || !loop_.counts)
      found_.against = analysis::Reason{"its tokens are not read by themselves", {}};
    else if (loop_.kind != ir::LoopKind::Forever && loop_.kind != ir::LoopKind::UntilEnd)
      found_.against = analysis::Reason{"it ends by a count, not with a token or the region", {}};
    else if (!loop_.hoisted.empty())
      found_.against = analysis::Reason{"a token reads what was computed before the loop", {}};
    else if (element != 8 && element != 16 && element != 32 && element != 64)
      found_.against = analysis::Reason{"its elements are not of 1, 2, 4 or 8 bytes", {}};
    else if (!loop_.carried.empty() || !loop_.set_globals.empty())
      found_.against = analysis::Reason{"a token leaves something to the next one", {}};
    else
      body(loop_.body, Made::Nothing);
    if (!found_.against && found_.values.left && !makes_) found_.against = analysis::Reason{"no token of it is a value, a run or a list of them", {}};
    return std::move(found_);
  }

 private:
  void refuse(const Step& s, const char* why) {
    if (!found_.against) found_.against = analysis::Reason{why, s.span};
  }

  Made body(const Body& steps, Made made) {
    for (const Step& s : steps) {
      if (made == Made::List && !std::holds_alternative<Align>(s.what)) refuse(s, "a token goes on behind its list of values");
      for_each_operand(s, [&](const Operand& o) { operand(s, o); });
      made = step(s, made);
    }
    return made;
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
      const auto kind = packed_list(*each, module_.output.bits, module_.input == ir::Input::BitsMsb);
      if (!kind || made != Made::Nothing || each->in_order) {
        found_.values.left = true;
        pass(*each);
        return Made::Left;
      }
      found_.listed.insert(each);
      makes_ = true;
      list(s, kind);
      return Made::List;
    }
    makes_ |= std::holds_alternative<Literals>(s.what) || std::holds_alternative<Run>(s.what) || std::holds_alternative<Store>(s.what);
    if (made == Made::Left && (std::holds_alternative<Run>(s.what) || std::holds_alternative<Store>(s.what))) return made;
    if (makes_output(s) && made != Made::Nothing) refuse(s, "a token makes values more than once");
    if (const auto* literals = std::get_if<Literals>(&s.what)) {
      list(s, kind_of(*literals));
      return Made::List;
    }
    if (std::holds_alternative<Run>(s.what) || std::holds_alternative<Store>(s.what)) return Made::Run;
    if (const auto* branch = std::get_if<If>(&s.what)) {
      const Made then = body(branch->then, made);
      return std::max(then, branch->orelse ? body(*branch->orelse, made) : made);
    }
    if (const auto* drop = std::get_if<Drop>(&s.what)) return body(drop->read, made);
    if (const auto* call = std::get_if<Inline>(&s.what)) {
      if (call->exits) refuse(s, "a rule that it calls returns early");
      return body(call->body, made);
    }
    if (const auto* repeat = std::get_if<Repeat>(&s.what)) {
      if (body(repeat->body, Made::Nothing) != Made::Nothing) refuse(s, "a loop inside a token makes output");
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
    if (found_.values.list && *found_.values.list != *kind) return refuse(s, "its lists are not all read alike");
    found_.values.list = *kind;
    found_.values.numbers |= kind->varints;
  }

  // A lane that guesses knows what the token reads itself, and what was known before the loop.
  void operand(const Step& s, const Operand& o) {
    for_each_node(*o, [&](const ir::Expr& e) {
      if (e.op == ir::Op::Local)
        for (const auto& [each, sets] : unknown_)
          if (sets.contains(Local{o.scope, e.ref})) found_.passed.erase(each);
      const bool own = e.op == ir::Op::Const || e.op == ir::Op::Local || e.op == ir::Op::Global || e.op == ir::Op::TableElem ||
                       e.op == ir::Op::AtEnd || (e.op >= ir::Op::Add && e.op <= ir::Op::Fits);
      if (!own) refuse(s, "it asks for more than its own bytes");
    });
  }

  const ir::Module& module_;
  const Loop& loop_;
  ValueTokens found_;
  std::map<const SideBySide*, std::set<Local>> unknown_;  // what is not known behind a loop that a walk passes
  bool makes_ = false;  // some token does
};

}  // namespace

ValueTokens value_tokens(const ir::Module& module, const Loop& loop) { return Shape(module, loop).run(); }

}  // namespace sluice::plan
