#pragma once
// Recursive descent over tokens; private to dsl/syntax.
//
// Errors: the first thing wrong in a line is reported and the parser "panics": every later fail() is silent until the
// line's end, where sync happens. While panicking, parse functions return quickly and what they return is only
// placed in Error nodes. A block below a wrong line is still parsed.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/syntax/ast.h"
#include "dsl/syntax/foreign.h"
#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parse.h"

namespace sluice::ast {

class Parser {
 public:
  // Sets the roles of `tokens` as it goes.
  Parser(std::vector<Token>& tokens, std::uint32_t file, DiagSink& sink) : tokens_(tokens), file_(file), sink_(sink) {}
  File run();

 private:
  using Kind = Token::Kind;

  // ---- tokens and errors: parser.cpp
  const Token& peek(std::size_t ahead = 0) const;
  bool at(std::string_view text) const { return peek().is(text); }
  bool at(Kind kind) const { return peek().is(kind); }
  bool at_line_end() const { return at(Kind::Newline) || at(Kind::End); }
  Token take();
  bool take_if(std::string_view text);
  void mark(Token::Role role) { tokens_[at_].role = role; }
  Span from(Span first) const;  // from there up to the last token taken

  void fail(Code code, Span span, std::string message, std::string help = {}, std::vector<Note> notes = {});
  void fail_expected(std::string_view what, std::string help = {});
  bool expect(std::string_view text, std::string_view help = {});  // taken, or reported
  bool foreign(Place place);                                       // another language's spelling stands here: reported
  bool expect_close(std::string_view text, Span open);
  Name expect_name(std::string_view what);  // a name of the author's choice, or reported
  Name expect_path(std::string_view what);  // the same, or MODULE.NAME, which is one name of both with the dot
  Name member(Name module);                 // `module`, or MODULE.NAME if a dot follows
  Name expect_type(std::string_view what);  // a word that names a type: its meaning is checked by sema
  void end_line();                          // takes the Newline; ends panic
  void skip_line();

  // ---- the file: parser.cpp
  void file_line(File& out);
  void use_line(File& out);
  std::vector<Setting> settings();            // at `(`: of a module's parameters
  void format(File& out);
  void format_line(File& out);
  void deeper_line();                         // at an Indent nobody asked for: reported and taken
  void stray_block(Block& out, bool report);  // a block below a line that holds none, if there is one
  void skip_block();                          // at an Indent: the block is not looked at
  void ignore_block();                        // the same, for its errors only

  // ---- parser_decl.cpp
  Decl decl();
  void decl_output(Decl& d);
  void decl_further_output(Decl& d);
  void decl_sized(Decl& d);
  void decl_prefix_code(Decl& d);
  void decl_state_code(Decl& d);
  void decl_assert(Decl& d);
  void decl_rule(Decl& d);
  std::vector<Param> params(bool of_format);
  void var_type(Name& type, ExprPtr& low, ExprPtr& high);  // TYPE, or LOW..HIGH
  std::vector<ListItem> list();

  // ---- parser_foreign.cpp
  void not_a_statement();
  bool foreign_line();         // a line as another language would start it: reported
  bool other_arm(bool first);  // `elif C`, `else if C`: reported if it is the chain's first
  void no_chain(Span head);    // `else` below an `if`: reported once, and its chain dropped

  // ---- parser_stmt.cpp
  void block(Block& out);        // at the end of a head: `: stmt`, or Newline Indent ... Dedent
  void block_lines(Block& out);  // after Indent, up to and with Dedent
  void stmt_line(Block& out);
  void more_stmts(Block& out);  // at `;`: those that follow on the same line
  StmtPtr stmt(bool after_colon);  // without its line end, with its block
  bool stmt_by_word(Stmt& s);      // false: no statement starts with this word
  void stmt_by_name(Stmt& s);
  void stmt_when(Stmt& s);
  void stmt_repeat(Stmt& s);
  void within_what(Stmt& s);     // the head behind `within`
  bool at_whole_dictionary() const;
  void else_reject(Stmt& s);
  bool at_symbols() const;       // `symbols NAME`: a declaration; alone the word may be a name
  bool keyword_as_name() const;  // `table: u8`, `when = 1`

  // ---- parser_read.cpp
  bool at_read() const;  // `read NAME`: a statement; else the word may be a name
  void stmt_read(Stmt& s);
  void stmt_build(Stmt& s);
  void stmt_literals(Stmt& s);
  ReadType read_type(bool with_index = true);
  ReadType field_type();        // with `from STATE`
  std::vector<ExprPtr> args();  // at `(`

  // ---- parser_buffer.cpp
  void stmt_stage(Stmt& s);
  void stmt_emit(Stmt& s);
  void stmt_symbol(Stmt& s);
  void stmt_read_symbol(Stmt& s);  // at the word `next`
  bool at_next_bytes() const;      // `next EXPR bytes`, not a value named `next`
  ExprPtr element(Name& name);     // NAME [ EXPR ]

  // ---- parser_expr.cpp
  // Each sets height_ to the height of the tree it returns.
  ExprPtr expr();
  ExprPtr binary(int min_level);
  ExprPtr comparison_tail(ExprPtr left, int level);
  ExprPtr unary();
  ExprPtr postfix();
  ExprPtr primary();
  ExprPtr word_primary();
  ExprPtr call(const Token& name);
  ExprPtr of_state(ExprPtr e, Expr::Kind kind, Span first);
  void since(Expr& e, bool required);
  ExprPtr make(Expr::Kind kind, Span span) const;
  bool grow(unsigned height, Span span);  // false and reported: too deep

  std::vector<Token>& tokens_;
  std::uint32_t file_;
  DiagSink& sink_;
  std::size_t at_ = 0;
  bool panic_ = false;
  bool failed_ = false;       // any error so far
  bool drops_block_ = false;  // what stands below the line that is wrong is not worth parsing
  bool format_seen_ = false;  // perhaps one without a name
  unsigned block_depth_ = 0;
  unsigned expr_depth_ = 0;  // recursion on the way down
  unsigned height_ = 0;      // of the last expression, on the way up
  Span last_;                // span of the last token taken
};

}  // namespace sluice::ast
