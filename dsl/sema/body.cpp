// A rule as a whole: its scopes, locals, and how it ends.
#include "dsl/sema/body.h"

#include <fmt/format.h>

#include "dsl/sema/types.h"

namespace sluice::sema {

using Kind = model::Stmt::Kind;

void check_body(Context& context, std::uint32_t rule) {
  const RuleHead& head = context.rules[rule];
  const std::size_t reported = context.sink.diagnostics().size();
  Body(context, *head.owner, &context.format.rules[rule]).check_rule(head);
  note_settings(context, *head.owner, reported);
}

void Body::check_rule(const RuleHead& head) {
  is_main_ = head.decl == nullptr;
  place_.rule = head.decl;
  is_broken_ = head.broken;
  result_ = head.result;
  element_ = rule_->element = head.element.value_or(instance_.output);
  scopes_.emplace_back();
  if (head.decl != nullptr) {
    for (std::size_t i = 0; i < head.decl->params.size() && i < head.params.size(); ++i)
      declare_local(head.decl->params[i].name, head.params[i], model::range_of(head.params[i]), false, false);
    rule_->params = static_cast<std::uint32_t>(rule_->slots.size());
  }
  block(is_main_ ? instance_.file->body : head.decl->body, rule_->body);
  close_scope();
  for (model::Slot& slot : rule_->slots)
    if (slot.is_mutable) slot.range = assigned_[&slot - rule_->slots.data()];
  if (result_ && facts_.reachable && !head.broken) {
    context_.sink
        .error(Code::MissingReturn, head.decl->name.span, fmt::format("rule `{}` may end without a result", head.name))
        .note(head.decl->type_name.span, "its result is declared here")
        .help("end every path with `return VALUE` or `reject NAME`");
  }
}

void Body::undefined(const ast::Name& name, std::string_view what, std::vector<std::string> more) {
  report_undefined(context_, instance_, place_, name, what, more);
}

std::unique_ptr<model::Stmt> Body::make_stmt(Kind kind, const ast::Stmt& s) {
  auto out = std::make_unique<Stmt>();
  out->kind = kind;
  out->span = s.span;
  out->name = s.name.text;
  return out;
}

std::uint32_t Body::declare_local(const ast::Name& name, Type type, Range range, bool is_mutable, bool may_be_unused) {
  if (name.text.empty()) return Stmt::kNoSlot;
  std::uint64_t width = 0;
  if (spell_type(name.text, &width)) {
    context_.sink.error(Code::NameIsType, name.span, fmt::format("`{}` is the name of a type", name.text))
        .help("choose another name");
    // Declared all the same: its uses are not wrong again.
  }
  const auto here = scopes_.back().find(name.text);
  if (here != scopes_.back().end()) {
    const bool variable = here->second.kind == Symbol::Kind::Local && rule_->slots[here->second.id].is_mutable;
    context_.sink.error(Code::Duplicate, name.span, fmt::format("`{}` already has a value here", name.text))
        .note(here->second.span, "first declared here")
        .help(variable
                  ? fmt::format("assign it with `{} := VALUE`, or choose another name", name.text)
                  : "a name keeps its value; declare it with `var` to assign it with `:=`, or choose another name");
    return Stmt::kNoSlot;
  }
  if (const Symbol* outer = find(name.text)) {
    const bool variable = outer->kind == Symbol::Kind::Global ||
                          (outer->kind == Symbol::Kind::Local && rule_->slots[outer->id].is_mutable);
    context_.sink
        .error(Code::Shadowing, name.span,
               fmt::format("`{}` hides {} of the same name", name.text,
                           variable ? "a variable" : kind_name(outer->kind)))
        .note(outer->span, "first declared here")
        .help(variable ? fmt::format("assign it with `{} := VALUE`, or choose another name", name.text)
                       : "choose another name");
    return Stmt::kNoSlot;
  }
  const auto slot = static_cast<std::uint32_t>(rule_->slots.size());
  rule_->slots.push_back({name.text, type, range, is_mutable, name.span, std::nullopt});
  Symbol symbol;
  symbol.kind = Symbol::Kind::Local;
  symbol.name = name.text;
  symbol.span = name.span;
  symbol.id = slot;
  symbol.type = type;
  symbol.may_be_unused = may_be_unused || name.text[0] == '_';
  scopes_.back().emplace(name.text, std::move(symbol));
  return slot;
}

bool Body::fits(const Expr& e, Type type, std::string_view what) { return fits(e, type, std::nullopt, what); }

bool Body::fits(const Expr& e, Type type, const std::optional<Range>& declared, std::string_view what) {
  if (!model::disjoint(e.range, declared.value_or(model::range_of(type)))) return true;
  context_.sink.error(Code::NeverFits, e.span, fmt::format("{} never fits `{}`", what, held_text(type, declared)))
      .help(declared ? "the variable is declared with this range: widen it there"
                     : fmt::format("use a wider type, or cut it with `as {}`", type_text(type)));
  return false;
}

model::ExprPtr Body::amount(const ast::Expr* e, std::string_view what) {
  ExprPtr value = expr(e);
  if (value && value->range.hi < 0) {
    context_.sink.error(Code::NeverFits, value->span, fmt::format("{} is always negative", what));
    return nullptr;
  }
  return value;
}

void Body::after_call() { facts_.forget_globals(); }

void Body::scoped_block(const ast::Block& in, model::Block& out) {
  scopes_.emplace_back();
  block(in, out);
  close_scope();
}

void Body::close_scope() {
  if (instance_.is_top) {
    for (const auto& [name, symbol] : scopes_.back()) {
      if (symbol.used || symbol.may_be_unused) continue;
      context_.unused.push_back({name, symbol.span});
    }
  }
  scopes_.pop_back();
}

}  // namespace sluice::sema
