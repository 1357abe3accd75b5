// Lines written as in another language: reported once with what to write here, and read on as what they stand for.
//
//   when n == 0        an arm
//   elif n == 1        reported; an arm
//   elif n == 2        an arm
//   else               its end
#include <fmt/format.h>

#include "dsl/syntax/parser.h"
#include "dsl/syntax/words.h"

namespace sluice::ast {

bool Parser::foreign_line() {
  if (block_depth_ == 0 && at("symbols")) return false;
  return foreign(Place::Line);
}

// What is taken is not looked at again: the condition of a foreign arm is skipped with its line.
bool Parser::other_arm(bool first) {
  const bool else_if = at("else") && (peek(1).is("if") || peek(1).is("when"));
  const bool one_word = (at("elif") || at("elsif") || at("elseif")) && !peek(1).is(":") && !peek(1).is("=") &&
                        !peek(1).is(":=") && !peek(1).is("[");
  if (!else_if && !one_word) return false;
  if (else_if) take();
  if (first)
    fail(Code::ForeignWord, else_if ? cover(last_, peek().span) : peek().span,
         else_if ? fmt::format("there is no `else {}`", peek().text)
                 : fmt::format("`{}` is not a word of this language", peek().text),
         find_foreign(Place::Line, "elif")->help);
  panic_ = true;
  return true;
}

void Parser::no_chain(Span head) {
  const auto at_arm = [&] { return at("else") && !peek(1).is("=") && !peek(1).is(":="); };
  for (bool first = true;; first = false) {
    Block dropped;
    if (!at_arm() && !at("elif") && !at("elsif") && !at("elseif")) return;
    if (first)
      fail(Code::ElseWithoutWhen, peek().span, fmt::format("`if` has no `{}`", peek().text),
           "write `when` instead of `if`: a chain of `when`s at one indentation may end in `else`",
           {{head, "this `if`"}});
    panic_ = true;
    block(dropped);
  }
}

// Reports a line that is no statement, with a guess at what it was meant to be.
void Parser::not_a_statement() {
  const Token& t = peek();
  if (foreign_line()) return;
  if (!t.is(Kind::Word)) {
    fail(Code::ExpectedStatement, t.span, fmt::format("a statement can't start with `{}`", t.text));
    return;
  }
  std::string help;
  std::vector<std::string_view> words(statement_words().begin(), statement_words().end());
  if (block_depth_ == 0) words.insert(words.end(), declaration_words().begin(), declaration_words().end());
  if (block_depth_ == 0) words.push_back("symbols");
  const auto meant = did_you_mean(t.text, words);
  if (meant && t.text.size() > 2)
    help = fmt::format("did you mean `{}`?", *meant);
  else if (classify(t.text) == WordClass::Name && peek(1).is(Kind::Newline))
    help = fmt::format("a rule is called with brackets: `{0}()`; a field is read with `{0}: TYPE`", t.text);
  else if (classify(t.text) == WordClass::Name)
    help = "after a name comes `:` to read, `=` to name a value, `:=` to assign, `[` for an element, or `(` to call";
  fail(Code::ExpectedStatement, t.span, fmt::format("`{}` does not start a statement", t.text), std::move(help));
}

}  // namespace sluice::ast
