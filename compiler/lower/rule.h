#pragma once
// The body of one rule.
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "dsl/model/model.h"

namespace sluice::lower {

// Clauses for a site's `wrong`: of a value that is none of `t`, wanted for `into`; of an index; of what needs a byte
// boundary.
std::string misfit(model::Type t, std::string_view into);
std::string no_index(std::string_view of, std::uint64_t count);
inline constexpr const char* kUnaligned = "does not start at a byte boundary";

class RuleLowering {
 public:
  RuleLowering(const model::Format& format, ir::Module& module, std::uint32_t rule)
      : format_(format), module_(module), rule_(rule), element_(format.rules[rule].element) {}

  void body(const model::Block& in, ir::Block& out);
  // After main's last statement: no whole byte may be left.
  void trailing(ir::Block& out);

 private:
  using Stmt = model::Stmt;

  ir::SiteId site(ir::Reason reason, Span span, const std::string& clause = {}, std::string wrong = {});
  ir::Stmt& add(ir::Block& out, ir::Stmt::Kind kind, const Stmt& from);
  // `wrong`: see ir::Site.
  void check(ir::Block& out, ir::ExprPtr condition, ir::Reason reason, Span span, const std::string& clause = {},
             std::string wrong = {});
  // An OutOfRange check of the expression under `span`.
  void in_range(ir::Block& out, ir::ExprPtr condition, Span span, std::string wrong);

  // Checks that make plain(e) total, operands first.
  void checks(const model::Expr* e, ir::Block& out);
  void check_node(const model::Expr& e, ir::Block& out);
  // checks(e), and that it fits. `into`: what the value is for, "the output", "a count", for the message.
  void fitting(const model::Expr& e, model::Type t, ir::Block& out, std::string_view into);
  void fitting(const model::Expr& e, model::Type t, const std::optional<model::Range>& declared, ir::Block& out,
               std::string_view into);

  void statement(const Stmt& s, ir::Block& out);
  ir::ReadSpec read_spec(const model::ReadSpec& r, ir::Block& out);
  void read_sites(const model::ReadSpec& r, Span span, ir::Stmt& to);
  void read(const Stmt& s, ir::Block& out);
  void literals(const Stmt& s, ir::Block& out);
  void once(ir::ExprPtr& value, const Stmt& s, ir::Block& out);
  void output(const Stmt& s, ir::Block& out);
  void build(const Stmt& s, ir::Block& out);
  ir::Stmt& build_from(ir::Stmt::Kind kind, const Stmt& s, const char* what, const std::string& name, std::uint32_t symbols, ir::Block& out);
  void call(const Stmt& s, std::uint32_t callee, const std::vector<model::ExprPtr>& args, ir::Block& out);
  void stage(const Stmt& s, ir::Block& out);
  void emit_buffer(const Stmt& s, ir::Block& out);
  void slice(const Stmt& s, ir::Block& out);
  void symbol(const Stmt& s, ir::Block& out);
  void choose(const Stmt& s, std::size_t arm, ir::Block& out);
  void loop(const Stmt& s, ir::Block& out);

  const model::Format& format_;
  ir::Module& module_;
  std::uint32_t rule_;
  ir::Type element_;  // of what is output here
  std::uint32_t clauses_ = 0;
};

}  // namespace sluice::lower
