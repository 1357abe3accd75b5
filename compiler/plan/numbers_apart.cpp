#include "compiler/plan/numbers_apart.h"

#include <algorithm>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

class Sizes {
 public:
  explicit Sizes(const ValueTokens& values) : values_(values) {}

  // Where a token has come to: in front of its numbers, behind one, behind something else that follows them.
  enum class At : unsigned char { Others, Numbers, Behind };

  At body(const Body& steps, At at) {
    for (const Step& s : steps) at = step(s, at);
    return at;
  }
  bool told() const { return told_; }

 private:
  At step(const Step& s, At at) {
    if (const auto* branch = std::get_if<If>(&s.what)) {
      ask(branch->condition);
      return std::max(body(branch->then, at), branch->orelse ? body(*branch->orelse, at) : at);
    }
    if (const auto* call = std::get_if<Inline>(&s.what)) {
      for (std::size_t i = 0; i < call->args.size(); ++i)
        if (unknown(call->args[i])) unknown_.insert(Local{call->scope, static_cast<std::uint32_t>(i)});
      return body(call->body, at);
    }
    if (const auto* drop = std::get_if<Drop>(&s.what)) return body(drop->read, at);
    if (const auto* field = std::get_if<Field>(&s.what)) return read(*field, at);
    if (const auto* literals = std::get_if<Literals>(&s.what)) {
      ask(literals->count);
      return literals->form == LiteralsForm::Varints || !literals->read.empty() ? list(*literals, at) : passed(at);
    }
    if (const auto* each = std::get_if<SideBySide>(&s.what)) {
      told_ = told_ && (values_.listed.contains(each) || values_.passed.contains(each));
      ask(each->count);
      for (const Width& width : each->widths) ask(width.bits);
      return passed(at);
    }
    if (const auto* let = std::get_if<Let>(&s.what)) {
      if (unknown(let->value)) unknown_.insert(let->local);
      return at;
    }
    const bool makes = std::holds_alternative<Run>(s.what) || std::holds_alternative<Store>(s.what);
    if (!makes) for_each_operand(s, [&](const Operand& o) { ask(o); });
    const bool plain = makes || std::holds_alternative<Width>(s.what) || std::holds_alternative<Word>(s.what) || std::holds_alternative<Check>(s.what) ||
                       std::holds_alternative<Leave>(s.what) || std::holds_alternative<Align>(s.what) || std::holds_alternative<Skip>(s.what);
    told_ = told_ && plain;
    if (std::holds_alternative<Word>(s.what)) told_ = told_ && at == At::Others;
    return std::holds_alternative<Skip>(s.what) || std::holds_alternative<Align>(s.what) ? passed(at) : at;
  }

  At read(const Field& field, At at) {
    if (field.form == FieldForm::Varint) {
      if (field.into == Field::Into::Local) unknown_.insert(field.local);
      return number(at);
    }
    told_ = told_ && at == At::Others;  // behind a number it would be read in the wrong place
    return at;
  }
  At list(const Literals& literals, At at) {
    const auto* field = literals.read.empty() ? nullptr : std::get_if<Field>(&literals.read.front().what);
    return field != nullptr && field->form != FieldForm::Varint ? passed(at) : number(at);
  }
  At number(At at) {
    told_ = told_ && at != At::Behind;
    return At::Numbers;
  }
  static At passed(At at) { return at == At::Others ? at : At::Behind; }

  // Its value is not asked where a token's size is.
  void ask(const Operand& o) { told_ = told_ && !unknown(o); }
  bool unknown(const Operand& o) const {
    bool found = false;
    for_each_node(*o, [&](const ir::Expr& e) {
      found |= e.op == ir::Op::AtEnd || e.op == ir::Op::Elem || (e.op == ir::Op::Local && unknown_.contains(Local{o.scope, e.ref}));
    });
    return found;
  }

  const ValueTokens& values_;
  std::set<Local> unknown_;  // what hangs on numbers, or on the place
  bool told_ = true;
};

}  // namespace

bool numbers_apart(const Body& token, const ValueTokens& values) {
  Sizes sizes(values);
  sizes.body(token, Sizes::At::Others);
  return sizes.told();
}

}  // namespace sluice::plan
