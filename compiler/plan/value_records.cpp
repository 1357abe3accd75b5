#include "compiler/plan/value_records.h"

#include <algorithm>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

// What a token has made, on some way to here.
enum class Made : std::uint8_t { Nothing, Run, List };

class Shape {
 public:
  Shape(const ir::Module& module, const Loop& loop) : module_(module), loop_(loop) {}

  ValueTokens run() {
    const unsigned element = module_.output.bits;
    if (loop_.reader != Reader::Bytes || loop_.form != LoopForm::Token || !loop_.counts)
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
    return std::move(found_);
  }

 private:
  void refuse(const Step& s, const char* why) {
    if (!found_.against) found_.against = analysis::Reason{why, s.span};
  }

  Made body(const Body& steps, Made made) {
    for (const Step& s : steps) {
      if (made == Made::List) refuse(s, "a token goes on behind its list of values");
      for_each_operand(s, [&](const Operand& o) { operand(s, o); });
      made = step(s, made);
    }
    return made;
  }

  Made step(const Step& s, Made made) {
    if (makes_output(s) && made != Made::Nothing) refuse(s, "a token makes values more than once");
    if (const auto* literals = std::get_if<Literals>(&s.what)) {
      list(s, *literals);
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
      else if (field->form != FieldForm::Load)
        refuse(s, "a field's end is not where its width says");
      return made;
    }
    if (makes_output(s)) refuse(s, "it makes output that is neither values nor a run of them");
    const bool plain = std::holds_alternative<Width>(s.what) || std::holds_alternative<Let>(s.what) ||
                       std::holds_alternative<Check>(s.what) || std::holds_alternative<Leave>(s.what) ||
                       std::holds_alternative<Break>(s.what) || std::holds_alternative<Skip>(s.what);
    if (!plain) refuse(s, "it does more than read and compute");
    return made;
  }

  void list(const Step& s, const Literals& literals) {
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
    if (!kind) return refuse(s, "where the values of its list end is not where a width says");
    if (found_.values.list && *found_.values.list != *kind) return refuse(s, "its lists are not all read alike");
    found_.values.list = *kind;
    found_.values.numbers |= kind->varints;
  }

  // A lane that guesses knows what the token reads itself, and what was known before the loop.
  void operand(const Step& s, const Operand& o) {
    for_each_node(*o, [&](const ir::Expr& e) {
      const bool own = e.op == ir::Op::Const || e.op == ir::Op::Local || e.op == ir::Op::Global || e.op == ir::Op::TableElem ||
                       e.op == ir::Op::AtEnd || (e.op >= ir::Op::Add && e.op <= ir::Op::Fits);
      if (!own) refuse(s, "it asks for more than its own bytes");
    });
  }

  const ir::Module& module_;
  const Loop& loop_;
  ValueTokens found_;
};

}  // namespace

ValueTokens value_tokens(const ir::Module& module, const Loop& loop) { return Shape(module, loop).run(); }

}  // namespace sluice::plan
