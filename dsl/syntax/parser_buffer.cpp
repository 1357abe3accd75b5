// Statements about buffers and symbols.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dsl/syntax/parser.h"
#include "dsl/syntax/words.h"

namespace sluice::ast {
namespace {

using K = Stmt::Kind;

constexpr std::string_view kForms[] = {"all", "runs", "unshuffled", "bit_unshuffled"};
constexpr std::string_view kStages[] = {"inverse_mtf", "inverse_bwt", "prefix_sum", "add", "gather"};

// Words that go on with an expression whose first operand stands before them.
bool is_infix_word(const Token& t) { return t.is("and") || t.is("or") || t.is("in") || t.is("as") || t.is("is"); }

}  // namespace

bool Parser::at_symbols() const { return at("symbols") && peek(1).is(Kind::Word); }

// emit VALUE {, VALUE}     emit all BUFFER     emit runs BUFFER     emit unshuffled BUFFER, size EXPR
// Two words side by side are no value, so `all`, `runs` and the others stay names.
void Parser::stmt_emit(Stmt& s) {
  take();
  const auto is_here = [&](std::string_view word) { return at(word); };
  const auto form = std::ranges::find_if(kForms, is_here);
  if (form != std::end(kForms) && peek(1).is(Kind::Word) && !is_infix_word(peek(1))) {
    s.kind = K::EmitBuffer;
    s.word = {std::string(*form), take().span};
    s.name = expect_path("a buffer's name");
    if (!form->ends_with("unshuffled")) return;
    expect(",");
    expect("size");
    if (!panic_ && at_line_end())
      fail_expected("the bytes of an element", "a field that is named `size` itself is given as `size size`");
    s.a = expr();
    return;
  }
  s.kind = K::Emit;
  s.a = expr();
  while (take_if(",")) s.args.push_back(expr());
}

// stage inverse_mtf B [, alphabet ARRAY[0, COUNT]]     stage inverse_bwt B, origin EXPR
// stage prefix_sum B [, start EXPR]     stage add B, EXPR     stage gather B, from BUFFER
void Parser::stmt_stage(Stmt& s) {
  take();
  s.kind = K::Stage;
  const Token word = peek();
  bool known = false;
  for (const std::string_view stage : kStages) known = known || word.is(stage);
  if (!known) {
    if (!word.is(Kind::Word)) return fail_expected("the name of a stage");
    const auto meant = did_you_mean(word.text, std::span<const std::string_view>(kStages));
    return fail(Code::UnknownStage, word.span, fmt::format("there is no stage `{}`", word.text),
                meant ? fmt::format("did you mean `{}`?", *meant)
                      : "stages are inverse_mtf, inverse_bwt, prefix_sum, add and gather");
  }
  s.word = {std::string(word.text), word.span};
  take();
  s.name = expect_path("a buffer's name");
  if (panic_) return;
  if (word.is("inverse_mtf")) {
    if (!take_if(",")) return;
    expect("alphabet");
    s.source = expect_path("an array");
    if (!panic_ && at("[")) mark(Token::Role::Tight);
    const Span open = peek().span;
    expect("[");
    s.a = expr();
    expect(",");
    s.b = expr();
    expect_close("]", open);
    return;
  }
  if (word.is("prefix_sum")) {
    if (!take_if(",")) return;
    expect("start");
    s.a = expr();
    return;
  }
  expect(",");
  if (word.is("gather")) {
    expect("from");
    s.source = expect_path("a buffer's name");
    return;
  }
  if (word.is("inverse_bwt")) {
    expect("origin");
    if (!panic_ && at_line_end())
      fail_expected("the row of the original", "a field that is named `origin` itself is given as `origin origin`");
  }
  s.a = expr();
}

ExprPtr Parser::element(Name& name) {
  name = expect_path("the name of symbols");
  if (!panic_ && at("[")) mark(Token::Role::Tight);
  const Span open = peek().span;
  expect("[");
  ExprPtr index = expr();
  expect_close("]", open);
  return index;
}

void Parser::stmt_symbol(Stmt& s) {
  take();
  s.kind = K::EmitSymbol;
  s.a = element(s.name);
}

bool Parser::at_next_bytes() const {
  if (!at("next")) return false;
  const Token& after = peek(1);
  return after.is(Kind::Number) || after.is("(") || (after.is(Kind::Word) && !is_infix_word(after));
}

// NAME[EXPR] := next EXPR bytes
void Parser::stmt_read_symbol(Stmt& s) {
  take();
  s.kind = K::ReadSymbol;
  s.b = expr();
  expect("bytes");
}

}  // namespace sluice::ast
