// Variables and arrays: declared, assigned, read into.
//
//   var width: 3..12 = 3     held as u4; an assigned value lies in 3..12, proven or checked
//   width := width + 1       checked: 13 is refused
//   read width: u8           _: u8, then width := what was read
#include <fmt/format.h>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using model::Op;
using Kind = model::Stmt::Kind;

std::optional<Body::Held> Body::held(const ast::Name& type, const ast::Expr* low, const ast::Expr* high) {
  if (low == nullptr || high == nullptr) {
    const auto named = scalar_type(context_, instance_, type);
    if (!named) return std::nullopt;
    return Held{*named, std::nullopt};
  }
  const auto least = constant(low, "the least value"), greatest = constant(high, "the greatest value");
  if (!least || !greatest) return std::nullopt;
  const Span span = cover(low->span, high->span);
  if (*least > *greatest) {
    context_.sink.error(Code::EmptyInterval, span, "no value lies between these bounds")
        .help("the lower bound stands first: `var n: 3..12 = 3`");
    return std::nullopt;
  }
  const auto smallest = smallest_type({*least, *greatest});
  if (!smallest) {
    context_.sink.error(Code::MixedSigns, span, "no 64-bit type holds all of these values")
        .help("a range that goes below 0 ends below 2^63");
    return std::nullopt;
  }
  return Held{*smallest, Range{*least, *greatest}};
}

Range Body::range_of_slot(std::size_t slot) const {
  const model::Slot& s = rule_->slots[slot];
  return s.declared.value_or(model::range_of(s.type));
}

void Body::var(const ast::Stmt& s, model::Block& out) {
  const auto known = held(s.type_name, s.b.get(), s.c.get());
  ExprPtr value = expr(s.a.get());
  const Held type = known.value_or(Held{model::kI64, std::nullopt});
  const std::uint32_t slot = declare_local(s.name, type.type, type.range(), true, false);
  if (slot == Stmt::kNoSlot) return;
  rule_->slots[slot].declared = type.declared;
  if (!value || !known || !fits(*value, type.type, type.declared, "the initial value")) return;
  ExprPtr self = make(Op::Local, type.type, type.range(), s.span);
  self->ref = slot;
  facts_.forget(slot);
  facts_.narrow(*self, value->range);
  assigned_[slot] = *intersect(value->range, type.range());
  auto stmt = make_stmt(Kind::Set, s);
  stmt->slot = slot;
  stmt->a = std::move(value);
  out.push_back(std::move(stmt));
}

// `value` may be null: wrong, and reported.
void Body::assign(const ast::Stmt& s, ExprPtr value, model::Block& out) {
  Symbol* target = find(s.name.text);
  if (target == nullptr) {
    undefined(s.name, "variable");
    return;
  }
  const bool local = target->kind == Symbol::Kind::Local && rule_->slots[target->id].is_mutable;
  if (!local && target->kind != Symbol::Kind::Global) {
    auto report = context_.sink.error(Code::Immutable, s.name.span,
                                      fmt::format("`{}` is {} and can't be assigned", s.name.text, kind_name(target->kind)));
    report.note(target->span, "declared here");
    if (s.name.text == target->name) report.help(fmt::format("declare a variable: `var {}: TYPE = VALUE`", s.name.text));
    return;
  }
  const auto& declared =
      local ? rule_->slots[target->id].declared : context_.format.globals[target->id].declared;
  const Range may_be = declared.value_or(model::range_of(target->type));
  if (!value || !fits(*value, target->type, declared, "this value")) return;
  auto stmt = make_stmt(local ? Kind::Set : Kind::SetGlobal, s);
  (local ? stmt->slot : stmt->ref) = target->id;
  ExprPtr self = make(local ? Op::Local : Op::Global, target->type, may_be, s.span);
  self->ref = target->id;
  facts_.forget(local ? target->id : target->id | kGlobalBit);
  facts_.narrow(*self, value->range);
  if (local) assigned_[target->id] = hull(assigned_[target->id], *intersect(value->range, may_be));
  stmt->a = std::move(value);
  out.push_back(std::move(stmt));
}

void Body::assign_element(const ast::Stmt& s, ExprPtr value, model::Block& out) {
  Symbol* target = find(s.name.text);
  if (target == nullptr) {
    undefined(s.name, "array");
    return;
  }
  if (target->kind != Symbol::Kind::Array) {
    context_.sink
        .error(target->kind == Symbol::Kind::Table ? Code::Immutable : Code::NotIndexable, s.name.span,
               fmt::format("`{}` is {}: its elements can't be assigned", s.name.text, kind_name(target->kind)))
        .note(target->span, "declared here")
        .help(target->kind == Symbol::Kind::Buffer ? fmt::format("`into {}` fills it", s.name.text)
              : target->kind == Symbol::Kind::Symbols
                  ? fmt::format("an entry is read from the input: `{}[INDEX] := next LENGTH bytes`", s.name.text)
                  : "elements of an `array` can");
    return;
  }
  target->used = true;
  const model::Array& array = context_.format.arrays[target->id];
  if (array.count == 0) return;
  auto stmt = make_stmt(Kind::SetElem, s);
  bool checked = false;
  stmt->a = checked_index(s.a.get(), array.count, array.name, &checked);
  stmt->b = std::move(value);
  if (!stmt->a || !stmt->b || !fits(*stmt->b, array.elem, "this value")) return;
  stmt->ref = target->id;
  out.push_back(std::move(stmt));
}

// read NAME: TYPE      x: TYPE, then NAME := x, of a field x that nothing else can name. The index of an array's
// element is computed after the field was read.
void Body::read_into(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::Read, s);
  const bool of_module = s.name.text.find('.') != std::string::npos;
  if (!s.a && find(s.name.text) == nullptr && !s.name.text.empty() && !of_module) {
    context_.sink.error(Code::Undefined, s.name.span, fmt::format("there is no variable `{}` here", s.name.text))
        .help(fmt::format("`read` reads into a variable declared above; a new field is `{}: {}`", s.name.text,
                          context_.text(s.read.span)));
    return;
  }
  if (const Symbol* code = state_code(s.read.name)) {
    ExprPtr state = state_read(s, *code, out);
    if (s.a)
      assign_element(s, std::move(state), out);
    else
      assign(s, std::move(state), out);
    return;
  }
  if (!read_type(s.read, stmt->read)) return;
  if (stmt->read.kind == model::ReadSpec::Kind::Rule) after_call();
  const auto slot = static_cast<std::uint32_t>(rule_->slots.size());
  rule_->slots.push_back({s.name.text, stmt->read.type, stmt->read.range, false, s.span, std::nullopt});
  ExprPtr field = make(Op::Local, stmt->read.type, stmt->read.range, s.span);
  field->ref = slot;
  stmt->slot = slot;
  out.push_back(std::move(stmt));
  if (s.a)
    assign_element(s, std::move(field), out);
  else
    assign(s, std::move(field), out);
}

}  // namespace sluice::sema
