#include "compiler/ir/elements.h"

#include <algorithm>

#include "compiler/ir/names.h"

namespace sluice::ir {
namespace {

bool sums_output(const ExprPtr& e) {
  if (!e) return false;
  return (e->op == Op::Checksum && e->stream == Stream::Output) || std::ranges::any_of(e->kids, sums_output);
}

// Does the statement itself, not its blocks, make or look at elements?
bool handles_elements(const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::Emit:
    case Stmt::Kind::Literals:
    case Stmt::Kind::Run:
    case Stmt::Kind::Copy:
    case Stmt::Kind::EmitBuffer:
    case Stmt::Kind::EmitSymbol: return true;
    default: break;
  }
  return sums_output(s.a) || sums_output(s.b) || sums_output(s.c) || sums_output(s.d) || sums_output(s.read.width) ||
         sums_output(s.read.index) || std::ranges::any_of(s.args, sums_output);
}

bool handles_elements(const Module& m, const Block& statements) {
  return std::ranges::any_of(statements, [&](const auto& s) {
    if (handles_elements(*s)) return true;
    if (s->kind == Stmt::Kind::Call && handles_elements(m, m.rules[s->ref].body)) return true;
    return (s->kind != Stmt::Kind::Into && handles_elements(m, s->body)) || handles_elements(m, s->orelse);
  });
}

// Is it in the block? `into`: the innermost Into around it, as far as one stands in the block.
bool holds(const Block& statements, const Stmt& wanted, const Stmt*& into) {
  return std::ranges::any_of(statements, [&](const auto& s) {
    if (s.get() == &wanted) return true;
    if (!holds(s->body, wanted, into) && !holds(s->orelse, wanted, into)) return false;
    if (into == nullptr && s->kind == Stmt::Kind::Into) into = s.get();
    return true;
  });
}

}  // namespace

std::string further_output_of(const Module& m, const Stmt& s) {
  if (m.outputs.empty()) return {};
  for (const Rule& rule : m.rules) {
    const Stmt* into = nullptr;
    if (holds(rule.body, s, into)) return into != nullptr && into->further ? m.outputs[into->ref].name : "";
  }
  return {};
}

Elements::Elements(const Module& module) : output_(module.output) {
  if (module.outputs.empty() || module.rules.empty()) return;
  rules_.resize(module.rules.size());
  rule(module, 0, module.output);
}

void Elements::rule(const Module& m, std::uint32_t id, Type element) {
  if (!rules_[id]) {
    rules_[id] = element;
    block(m, m.rules[id].body, id, element);
  } else if (*rules_[id] != element && handles_elements(m, m.rules[id].body)) {
    problems_.push_back("rule " + m.rules[id].name + ": outputs " + name(*rules_[id]) + " and, called from elsewhere, " + name(element));
  }
}

void Elements::block(const Module& m, const Block& statements, std::uint32_t rule_id, Type element) {
  for (const auto& s : statements) {
    if (element != output_) statements_.emplace(s.get(), element);
    if (s->kind == Stmt::Kind::EmitBuffer && element != output_)
      problems_.push_back("rule " + m.rules[rule_id].name + ": emit_buffer: outputs " + name(output_) + " where " + name(element) + " belong");
    if (s->kind == Stmt::Kind::EmitSymbol && element.bits != 8)
      problems_.push_back("rule " + m.rules[rule_id].name + ": emit_symbol: outputs bytes where " + name(element) + " belong");
    if (s->kind == Stmt::Kind::Call) rule(m, s->ref, element);
    block(m, s->body, rule_id, s->kind == Stmt::Kind::Into ? filled_type(m, *s) : element);
    block(m, s->orelse, rule_id, element);
  }
}

Type Elements::of(const Stmt& s) const {
  const auto found = statements_.find(&s);
  return found == statements_.end() ? output_ : found->second;
}

}  // namespace sluice::ir
