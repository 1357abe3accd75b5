// What is read, built and taken: the statements around a read type, and arguments.
#include <algorithm>

#include "dsl/syntax/parser.h"
#include "dsl/syntax/words.h"

namespace sluice::ast {

using K = Stmt::Kind;

// `read` is a word of its own only where a name follows it.
bool Parser::at_read() const { return at("read") && peek(1).is(Kind::Word); }

// read VARIABLE: TYPE, read ARRAY[INDEX]: TYPE
void Parser::stmt_read(Stmt& s) {
  take();
  s.kind = K::ReadInto;
  s.name = expect_path("a variable or an array");
  if (!panic_ && at("[")) {
    mark(Token::Role::Tight);
    const Span open = take().span;
    s.a = expr();
    expect_close("]", open);
  }
  expect(":");
  s.read = field_type();
}

ReadType Parser::field_type() {
  ReadType r = read_type();
  if (!panic_ && take_if("from")) r.from = expr();
  return r;
}

// build CODE[[i]] from ARRAY[START, COUNT], or from TABLE
void Parser::stmt_build(Stmt& s) {
  take();
  s.kind = K::Build;
  s.name = expect_path("a code's name");
  if (!panic_ && at("[")) {
    mark(Token::Role::Tight);
    const Span open = take().span;
    s.c = expr();
    expect_close("]", open);
  }
  expect("from", shape_of("build"));
  s.source = expect_path("an array or a table");
  if (panic_ || !at("[")) return;
  mark(Token::Role::Tight);
  const Span open = take().span;
  s.a = expr();
  expect(",", shape_of("build"));
  s.b = expr();
  expect_close("]", open);
}

// literals TYPE[COUNT]; for an element of ranges or of an array of codes TYPE[INDEX][COUNT]
// literals BUFFER[FROM, COUNT]
void Parser::stmt_literals(Stmt& s) {
  const Span first = take().span;
  s.kind = K::Literals;
  if (at(Kind::Number) || at("(")) fail_expected("a type to read", std::string(shape_of("literals")));
  s.read = read_type(false);
  bool slice = false;
  const auto bracketed = [&](bool sliceable) -> ExprPtr {
    if (!panic_ && at("[")) mark(Token::Role::Tight);
    const Span open = peek().span;
    if (!expect("[", shape_of("literals"))) return nullptr;
    ExprPtr e = expr();
    if (sliceable && !panic_ && take_if(",")) {
      slice = true;
      s.b = expr();
    }
    expect_close("]", open);
    return e;
  };
  s.a = bracketed(!s.read.has_args);
  if (slice) {
    s.kind = K::EmitBuffer;
    s.word = {"literals", first};
    s.name = std::move(s.read.name);
    return;
  }
  if (panic_ || !at("[")) return;
  s.read.index = std::move(s.a);
  s.a = bracketed(false);
}

ReadType Parser::read_type(bool with_index) {
  ReadType r;
  const Span first = peek().span;
  r.name = expect_type("a type, a prefix code, ranges or a rule to read");
  if (!panic_ && at("(")) {
    r.has_args = true;
    r.args = args();
  }
  if (with_index && !panic_ && at("[")) {
    mark(Token::Role::Tight);
    const Span open = take().span;
    r.index = expr();
    expect_close("]", open);
  }
  if (!panic_) r.span = from(first);
  return r;
}

std::vector<ExprPtr> Parser::args() {
  std::vector<ExprPtr> out;
  unsigned height = 1;
  if (panic_) return out;
  mark(Token::Role::Tight);
  const Span open = peek().span;
  expect("(");
  if (!at(")")) {
    do {
      out.push_back(expr());
      height = std::max(height, height_);
    } while (take_if(","));
  }
  expect_close(")", open);
  height_ = height;
  return out;
}

}  // namespace sluice::ast
