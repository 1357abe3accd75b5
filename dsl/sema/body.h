#pragma once
// The checker of one rule's body (or, with no rule, of constant expressions). Its functions are spread over
// body.cpp (scopes), expr.cpp and arithmetic.cpp (operators), primary.cpp (names and built-in words), read.cpp (read
// types), stmt.cpp, variables.cpp, strings.cpp, build.cpp, states.cpp, buffers.cpp, loops.cpp and chain.cpp.
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "dsl/sema/context.h"
#include "dsl/sema/facts.h"

namespace sluice::sema {

class Body {
 public:
  // `rule` null: constants only; there is nothing to read and no local.
  Body(Context& context, Instance& instance, model::Rule* rule) : context_(context), instance_(instance), rule_(rule), element_(instance.output) {}

  void check_rule(const RuleHead& head);

  // The value of a compile-time expression, reported when it is none. `what`: "array size", for the message.
  std::optional<i128> constant(const ast::Expr* e, std::string_view what);
  // The same with its type, which tells a truth value from a number.
  struct Known {
    i128 value = 0;
    Type type;
  };
  std::optional<Known> known(const ast::Expr* e, std::string_view what);

  // The type of a variable: TYPE, or the smallest one that holds LOW..HIGH. Nothing after an error.
  struct Held {
    Type type;
    std::optional<Range> declared;
    Range range() const { return declared.value_or(model::range_of(type)); }
  };
  std::optional<Held> held(const ast::Name& type, const ast::Expr* low, const ast::Expr* high);

 private:
  using Expr = model::Expr;
  using ExprPtr = model::ExprPtr;
  using Stmt = model::Stmt;

  // A null result means: wrong, and reported (or an Error node). Callers stay silent about it.
  // ---- expr.cpp, arithmetic.cpp
  ExprPtr expr(const ast::Expr* e);
  ExprPtr unary(const ast::Expr& e);
  ExprPtr binary(const ast::Expr& e);
  ExprPtr arithmetic(model::Op op, bool wraps, ExprPtr a, ExprPtr b, Span span);
  ExprPtr divide(model::Op op, ExprPtr a, ExprPtr b, Span span);
  ExprPtr shift(model::Op op, ExprPtr a, ExprPtr b, Span span);
  ExprPtr bits(model::Op op, ExprPtr a, ExprPtr b, Span span);
  ExprPtr compare(model::Op op, ExprPtr a, ExprPtr b, Span span);
  ExprPtr logic(model::Op op, ExprPtr a, ExprPtr b, Span span);
  ExprPtr negate(ExprPtr a, Span span);
  ExprPtr cast(ExprPtr a, Type type, Span span);

  ExprPtr make(model::Op op, Type type, Range range, Span span, std::vector<ExprPtr> kids = {});
  ExprPtr literal(i128 value, Type type, Span span);
  ExprPtr as_signed(ExprPtr e, bool is_signed);
  bool unify(ExprPtr& a, ExprPtr& b, Span span);
  bool require_bool(const Expr& e);
  ExprPtr condition(const ast::Expr* e);  // expr, and a truth value

  // ---- strings.cpp
  void note_field(std::uint32_t slot, const model::ReadSpec& r);
  void judge_string(const ast::Expr& comparison);

  // ---- primary.cpp
  ExprPtr name(const ast::Expr& e);
  ExprPtr index(const ast::Expr& e);
  ExprPtr function(const ast::Expr& e);
  Range range_if(const Expr& condition, bool truth, const Expr& value) const;
  ExprPtr peek(const ast::Expr& e);
  ExprPtr checksum(const ast::Expr& e);
  bool has_dictionary(Span span, const char* instead = "");  // false and reported: `instead` ends the help
  ExprPtr dictionary_size(Span span);                        // null and reported: the format has none
  ExprPtr since(model::Op op, const ast::Expr& e);
  ExprPtr checked_index(const ast::Expr* e, std::uint64_t count, const std::string& of, bool* checked);
  std::optional<std::uint32_t> mark_id(const ast::Name& name);

  // ---- read.cpp
  bool read_type(const ast::ReadType& r, model::ReadSpec& out);
  bool fixed_read(const ast::ReadType& r, std::uint64_t width, bool has_order, bool big_endian, Type type,
                  model::ReadSpec& out);
  bool computed_read(const ast::ReadType& r, model::ReadSpec& out);
  bool varint_read(const ast::ReadType& r, model::ReadSpec& out);
  bool code_read(const ast::ReadType& r, const Symbol& code, model::ReadSpec& out);
  bool ranges_read(const ast::ReadType& r, const Symbol& ranges, model::ReadSpec& out);
  bool rule_read(const ast::ReadType& r, std::uint32_t rule, model::ReadSpec& out);
  bool needs_bits(Span span, std::string_view what);
  bool turns(const ast::Stmt& s);
  bool no_parts(const ast::ReadType& r, bool index_allowed);
  bool arguments(Span call, const RuleHead& head, const std::vector<ast::ExprPtr>& args, std::vector<ExprPtr>& out);
  std::optional<std::uint32_t> find_rule(const ast::Name& name);

  // ---- stmt.cpp
  void block(const ast::Block& in, model::Block& out);
  void scoped_block(const ast::Block& in, model::Block& out);
  void close_scope();
  void statement(const ast::Stmt& s, model::Block& out);
  void read(const ast::Stmt& s, model::Block& out);
  void let(const ast::Stmt& s, model::Block& out);
  void let(const ast::Stmt& s, ExprPtr value, model::Block& out);
  void emit(const ast::Stmt& s, model::Block& out);
  void run(const ast::Stmt& s, model::Block& out);
  void literals(const ast::Stmt& s, model::Block& out);
  void copy(const ast::Stmt& s, model::Block& out);
  void leave(const ast::Stmt& s, model::Block& out);
  void require(const ast::Stmt& s, model::Block& out);
  void region(const ast::Stmt& s, model::Block& out);
  void new_window(const ast::Stmt& s, model::Block& out);
  void call(const ast::Stmt& s, model::Block& out);

  // ---- variables.cpp
  void var(const ast::Stmt& s, model::Block& out);
  void assign(const ast::Stmt& s, ExprPtr value, model::Block& out);
  void assign_element(const ast::Stmt& s, ExprPtr value, model::Block& out);
  void read_into(const ast::Stmt& s, model::Block& out);

  // ---- build.cpp
  void build(const ast::Stmt& s, model::Block& out);
  bool build_operands(const ast::Stmt& s, const Symbol& target, const Symbol& source, std::uint64_t symbols, std::string_view what,
                      model::Stmt& to);
  // ---- states.cpp
  void build_states(const ast::Stmt& s, const Symbol& target, const Symbol& source, model::Block& out);
  const Symbol* state_code(const ast::Name& name);
  bool goes_on_from_a_state(const ast::ReadType& r);  // true and reported: what is read is no state code
  ExprPtr state_entry(const model::StateCode& code, const ast::Expr* state, Span span);
  ExprPtr state_bits(const model::StateCode& code, ExprPtr entry, Span span);
  ExprPtr state_part(const ast::Expr& e);
  void read_state(const ast::Stmt& s, const Symbol& code, model::Block& out);
  ExprPtr state_read(const ast::Stmt& s, const Symbol& code, model::Block& out);
  ExprPtr hidden(std::string name, ExprPtr value, const ast::Stmt& s, model::Block& out);
  // ---- buffers.cpp
  void into(const ast::Stmt& s, model::Block& out);
  void stage(const ast::Stmt& s, model::Block& out);
  bool stage_operands(const ast::Stmt& s, model::Stmt& to);
  bool alphabet(const ast::Stmt& s, model::Stmt& to);
  bool needs_bytes(const ast::Name& what);
  void emit_buffer(const ast::Stmt& s, model::Block& out);
  void slice(const ast::Stmt& s, const Symbol* source, std::unique_ptr<model::Stmt> stmt, model::Block& out);
  void read_symbol(const ast::Stmt& s, model::Block& out);
  void emit_symbol(const ast::Stmt& s, model::Block& out);
  Symbol* declared(const ast::Name& name, Symbol::Kind kind, Code code, std::string_view what);
  Symbol* buffer(const ast::Name& name);
  Symbol* target(const ast::Name& name);
  ExprPtr count_of(const ast::Expr& e);
  ExprPtr buffer_element(const ast::Expr& e, const Symbol& buffer);

  // ---- loops.cpp
  void loop(const ast::Stmt& s, model::Block& out);
  void forget_assigned(const ast::Block& block);
  bool assigns(const ast::Block& block, const model::Expr& value);

  // ---- chain.cpp
  void chain(const ast::Stmt& s, model::Block& out);
  void optional_part(const ast::Stmt& s, model::Block& out);
  void warn_constant(const ast::Expr& written, const Expr& condition);
  bool mentions_param(const ast::Expr& e);

  // ---- body.cpp
  void undefined(const ast::Name& name, std::string_view what, std::vector<std::string> more = {});
  std::uint32_t declare_local(const ast::Name& name, Type type, Range range, bool is_mutable, bool may_be_unused);
  Symbol* find(const std::string& name);
  // False: can't ever, and reported.
  bool fits(const Expr& e, Type type, std::string_view what);
  bool fits(const Expr& e, Type type, const std::optional<Range>& declared, std::string_view what);
  Range range_of_slot(std::size_t slot) const;  // that an assignment may give it
  std::unique_ptr<Stmt> make_stmt(Stmt::Kind kind, const ast::Stmt& s);
  ExprPtr amount(const ast::Expr* e, std::string_view what);  // a count: not always negative
  void after_call();

  struct Loop {
    std::uint32_t regions;  // open within/producing/into when the loop starts
    bool stopped = false;   // a stop leaves it
  };

  Context& context_;
  Instance& instance_;
  model::Rule* rule_;
  std::optional<Type> result_;
  Type element_;  // of what is output here: inside an `into` that output's
  Place place_;
  bool is_main_ = false, is_broken_ = false;
  std::map<std::size_t, Range> assigned_;  // by slot of a variable: all values ever assigned
  Facts facts_;
  struct Field {
    unsigned bits;
    bool reversed;  // its first byte is the lowest
  };
  std::map<std::uint32_t, Field> fields_;  // of fixed width, by slot
  std::vector<std::map<std::string, Symbol>> scopes_;
  std::vector<Loop> loops_;
  std::uint32_t regions_ = 0;
};

}  // namespace sluice::sema
