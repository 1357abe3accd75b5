#include "compiler/analysis/walk.h"

#include <algorithm>

#include "compiler/analysis/reason.h"
#include "compiler/ir/names.h"

namespace sluice::analysis {

void append(ReasonChain& chain, const ReasonChain& more) {
  for (const Reason& step : more) {
    const bool known = std::any_of(chain.begin(), chain.end(), [&](const Reason& have) {
      return have.span == step.span && have.text == step.text;
    });
    if (!known) chain.push_back(step);
  }
}

void for_each_stmt(const ir::Block& block, const std::function<void(const ir::Stmt&)>& visit) {
  for (const auto& stmt : block) {
    visit(*stmt);
    for_each_stmt(stmt->body, visit);
    for_each_stmt(stmt->orelse, visit);
  }
}

void for_each_stmt_mutable(ir::Block& block, const std::function<void(ir::Stmt&)>& visit) {
  for (const auto& stmt : block) {
    visit(*stmt);
    for_each_stmt_mutable(stmt->body, visit);
    for_each_stmt_mutable(stmt->orelse, visit);
  }
}

void for_each_expr_ptr(ir::Stmt& stmt, const std::function<void(ir::ExprPtr&)>& visit) {
  for (ir::ExprPtr* expr : {&stmt.a, &stmt.b, &stmt.c, &stmt.d, &stmt.read.width, &stmt.read.index})
    if (*expr) visit(*expr);
  for (ir::ExprPtr& arg : stmt.args) visit(arg);
}

void for_each_expr(const ir::Stmt& stmt, const std::function<void(const ir::Expr&)>& visit) {
  for (const ir::ExprPtr* expr : {&stmt.a, &stmt.b, &stmt.c, &stmt.d, &stmt.read.width, &stmt.read.index})
    if (*expr) visit(**expr);
  for (const ir::ExprPtr& arg : stmt.args) visit(*arg);
}

void for_each_node(const ir::Expr& expr, const std::function<void(const ir::Expr&)>& visit) {
  for (const ir::ExprPtr& kid : expr.kids) for_each_node(*kid, visit);
  visit(expr);
}

std::vector<bool> reachable_rules(const ir::Module& module) {
  std::vector<bool> reached(module.rules.size(), false);
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t rule) {
    if (reached[rule]) return;
    reached[rule] = true;
    open.push_back(rule);
  };
  if (!module.rules.empty()) reach(0);
  while (!open.empty()) {
    const std::uint32_t rule = open.back();
    open.pop_back();
    for_each_stmt(module.rules[rule].body, [&](const ir::Stmt& stmt) {
      if (stmt.kind == ir::Stmt::Kind::Call) reach(stmt.ref);
    });
  }
  return reached;
}

bool has_output_checksum(const ir::Expr& expr) {
  bool found = false;
  for_each_node(
      expr, [&](const ir::Expr& node) { found |= node.op == ir::Op::Checksum && node.stream == ir::Stream::Output; });
  return found;
}

bool same(const ir::Expr& a, const ir::Expr& b) {
  if (a.op != b.op || a.type != b.type || a.imm != b.imm || a.ref != b.ref || a.algo != b.algo ||
      a.stream != b.stream || a.flag != b.flag || a.cast_type != b.cast_type || a.kids.size() != b.kids.size())
    return false;
  for (std::size_t i = 0; i < a.kids.size(); ++i)
    if (!same(*a.kids[i], *b.kids[i])) return false;
  return true;
}

ir::i128 value_of(std::uint64_t word, ir::Type type) {
  return type.is_signed ? static_cast<ir::i128>(static_cast<std::int64_t>(word)) : static_cast<ir::i128>(word);
}

std::string spell(const ir::Stmt& stmt) {
  using K = ir::Stmt::Kind;
  if ((stmt.kind == K::Read || stmt.kind == K::SetLocal) && !stmt.name.empty() && stmt.name != "_")
    return "`" + stmt.name + "`";
  switch (stmt.kind) {
    case K::Read:
      return "`_`";
    case K::SetLocal:
    case K::SetGlobal:
    case K::SetElem:
      return "`" + (stmt.name.empty() ? std::string("assignment") : stmt.name) + "`";
    case K::Emit:
      return "`emit`";
    case K::Literals:
      return "`literals`";
    case K::Run:
      return "`run`";
    case K::Copy:
      return "`copy`";
    case K::BuildCode:
    case K::BuildStates:
      return "`build`";
    case K::If:
      return "the condition";
    case K::Loop:
      return "the loop";
    case K::Stop:
      return "`stop`";
    case K::Reject:
      return "`reject " + stmt.name + "`";
    case K::Accept:
      return "`accept " + stmt.name + "`";
    case K::Check:
      return "the check";
    case K::Call:
      return "the call";
    case K::Return:
      return "`return`";
    case K::Within:
      return "`within`";
    case K::Producing:
      return "`producing`";
    case K::Mark:
      return "`mark`";
    case K::NewWindow:
      return "`new window`";
    case K::Align:
      return "`align`";
    case K::Skip:
      return "`skip`";
    case K::Into:
      return "`into`";
    case K::Stage:
      return "`stage " + std::string(ir::name(stmt.stage)) + "`";
    case K::EmitBuffer:
      return "`" + ir::spelling(stmt.form) + "`";
    case K::ReadSymbol:
      return "the symbol";
    case K::EmitSymbol:
      return "`symbol`";
  }
  return {};
}

std::string count_of(std::uint64_t n, std::string_view unit) {
  std::string text = std::to_string(n) + " " + std::string(unit);
  if (n != 1) text += "s";
  return text;
}

std::string to_text(ir::i128 value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  while (value != 0) {
    const int digit = static_cast<int>(value % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace sluice::analysis
