#pragma once
// The body of one rule.
#include <optional>
#include <string>

#include "compiler/ir/ir.h"
#include "dsl/model/model.h"

namespace sluice::lower {

class RuleLowering {
 public:
  RuleLowering(const model::Format& format, ir::Module& module, std::uint32_t rule)
      : format_(format), module_(module), rule_(rule) {}

  void body(const model::Block& in, ir::Block& out);
  // After main's last statement: no whole byte may be left.
  void trailing(ir::Block& out);

 private:
  using Stmt = model::Stmt;

  ir::SiteId site(ir::Reason reason, Span span, const std::string& clause = {});
  ir::Stmt& add(ir::Block& out, ir::Stmt::Kind kind, const Stmt& from);
  void check(ir::Block& out, ir::ExprPtr condition, ir::Reason reason, Span span, const std::string& clause = {});

  // Checks that make plain(e) total, operands first.
  void checks(const model::Expr* e, ir::Block& out);
  void check_node(const model::Expr& e, ir::Block& out);
  // checks(e), and that it fits.
  void fitting(const model::Expr& e, model::Type t, ir::Block& out);
  void fitting(const model::Expr& e, model::Type t, const std::optional<model::Range>& declared, ir::Block& out);

  void statement(const Stmt& s, ir::Block& out);
  ir::ReadSpec read_spec(const model::ReadSpec& r, ir::Block& out);
  void read_sites(const model::ReadSpec& r, Span span, ir::Stmt& to);
  void read(const Stmt& s, ir::Block& out);
  void literals(const Stmt& s, ir::Block& out);
  void output(const Stmt& s, ir::Block& out);
  void build(const Stmt& s, ir::Block& out);
  void call(const Stmt& s, std::uint32_t callee, const std::vector<model::ExprPtr>& args, ir::Block& out);
  void stage(const Stmt& s, ir::Block& out);
  void symbol(const Stmt& s, ir::Block& out);
  void choose(const Stmt& s, std::size_t arm, ir::Block& out);
  void loop(const Stmt& s, ir::Block& out);

  const model::Format& format_;
  ir::Module& module_;
  std::uint32_t rule_;
  std::uint32_t clauses_ = 0;
};

}  // namespace sluice::lower
