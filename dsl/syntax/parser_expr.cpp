// Expressions, by precedence climbing. Levels, lowest first:
//   1 or   2 and   3 not   4 == != < <= > >= in   5 |   6 ^   7 &   8 << >>   9 + - +% -%   10 * / % *%
#include <fmt/format.h>

#include <algorithm>

#include "dsl/syntax/parser.h"
#include "dsl/syntax/words.h"

namespace sluice::ast {
namespace {

constexpr int kNotLevel = 3, kCompareLevel = 4, kBitOrLevel = 5;

// Level of a binary operator; 0: not one.
int level_of(const Token& t) {
  struct Row {
    std::string_view op;
    int level;
  };
  static constexpr Row kRows[] = {{"or", 1}, {"and", 2}, {"==", 4}, {"!=", 4}, {"<", 4},  {"<=", 4},
                                  {">", 4},  {">=", 4},  {"in", 4}, {"|", 5},  {"^", 6},  {"&", 7},
                                  {"<<", 8}, {">>", 8},  {"+", 9},  {"-", 9},  {"+%", 9}, {"-%", 9},
                                  {"*", 10}, {"/", 10},  {"%", 10}, {"*%", 10}};
  for (const Row& row : kRows)
    if (t.is(row.op)) return row.level;
  return 0;
}

bool is_checksum(std::string_view name) {
  return name == "adler32" || name == "crc32" || name == "crc32c" || name == "crc32_bzip2" || name == "xxh32" || name == "xxh64";
}

}  // namespace

ExprPtr Parser::make(Expr::Kind kind, Span span) const {
  auto e = std::make_unique<Expr>();
  e->kind = kind;
  e->span = span;
  return e;
}

bool Parser::grow(unsigned height, Span span) {
  height_ = height;
  if (height <= kMaxExprDepth) return true;
  fail(Code::TooDeep, span, fmt::format("the expression is nested more than {} deep", kMaxExprDepth),
       "name parts of it: `part = ...`");
  return false;
}

ExprPtr Parser::expr() {
  if (panic_) return make(Expr::Kind::Error, peek().span);
  if (expr_depth_ >= kMaxExprDepth) {
    grow(kMaxExprDepth + 1, peek().span);
    return make(Expr::Kind::Error, peek().span);
  }
  ++expr_depth_;
  ExprPtr e = binary(1);
  --expr_depth_;
  if (panic_) e->kind = Expr::Kind::Error;
  return e;
}

ExprPtr Parser::binary(int min_level) {
  height_ = 1;
  ExprPtr left;
  if (at("not") && min_level <= kNotLevel) {
    const Span first = take().span;
    if (expr_depth_ >= kMaxExprDepth) {
      grow(kMaxExprDepth + 1, first);
      return make(Expr::Kind::Error, first);
    }
    ++expr_depth_;
    ExprPtr kid = binary(kNotLevel);
    --expr_depth_;
    left = make(Expr::Kind::Unary, from(first));
    left->op = "not";
    left->kids.push_back(std::move(kid));
    if (!grow(height_ + 1, first)) return left;
  } else {
    left = unary();
  }
  for (int level; !panic_ && (level = level_of(peek())) >= min_level && level > 0;) {
    if (level == kCompareLevel) {
      left = comparison_tail(std::move(left), level);
      continue;
    }
    const unsigned left_height = height_;
    const Token op = take();
    ExprPtr right = binary(level + 1);
    ExprPtr whole = make(Expr::Kind::Binary, cover(left->span, right->span));
    whole->op = op.text;
    whole->kids.push_back(std::move(left));
    whole->kids.push_back(std::move(right));
    left = std::move(whole);
    if (!grow(std::max(left_height, height_) + 1, op.span)) break;
  }
  return left;
}

// `left < right`, `left in low..high`; another comparison after it is refused.
ExprPtr Parser::comparison_tail(ExprPtr left, int level) {
  unsigned height = height_;
  const Token op = take();
  if (op.is("in")) foreign(Place::InSet);
  ExprPtr right = panic_ ? make(Expr::Kind::Error, peek().span) : binary(level + 1);
  height = std::max(height, height_);
  ExprPtr whole;
  if (op.is("in")) {
    expect("..", "write `x in A..B`: both ends are included");
    foreign(Place::InEnd);
    ExprPtr high = panic_ ? make(Expr::Kind::Error, peek().span) : binary(kBitOrLevel);
    height = std::max(height, height_);
    whole = make(Expr::Kind::In, cover(left->span, high->span));
    whole->kids.push_back(std::move(left));
    whole->kids.push_back(std::move(right));
    whole->kids.push_back(std::move(high));
  } else {
    whole = make(Expr::Kind::Binary, cover(left->span, right->span));
    whole->op = op.text;
    whole->kids.push_back(std::move(left));
    whole->kids.push_back(std::move(right));
  }
  grow(height + 1, op.span);
  if (!panic_ && level_of(peek()) == kCompareLevel)
    fail(Code::ChainedComparison, peek().span, fmt::format("`{}` after another comparison", peek().text),
         "write `a < b and b < c`, or `b in a..c`; brackets if a boolean is to be compared",
         {{op.span, "the first comparison"}});
  return whole;
}

ExprPtr Parser::unary() {
  if (panic_) return make(Expr::Kind::Error, peek().span);
  if (!at("-") && !at("~")) return postfix();
  mark(Token::Role::Prefix);
  const Token op = take();
  if (expr_depth_ >= kMaxExprDepth) {
    grow(kMaxExprDepth + 1, op.span);
    return make(Expr::Kind::Error, op.span);
  }
  ++expr_depth_;
  ExprPtr kid = unary();
  --expr_depth_;
  ExprPtr e = make(Expr::Kind::Unary, from(op.span));
  e->op = op.text;
  e->kids.push_back(std::move(kid));
  grow(height_ + 1, op.span);
  return e;
}

// A primary with `as TYPE` any number of times, or `is signed`.
ExprPtr Parser::postfix() {
  ExprPtr e = primary();
  while (!panic_ && at("as")) {
    const Span as = take().span;
    ExprPtr whole = make(Expr::Kind::As, e->span);
    whole->type_name = expect_type("a type");
    whole->span = from(e->span);
    whole->kids.push_back(std::move(e));
    e = std::move(whole);
    if (!grow(height_ + 1, as)) break;
  }
  return e;
}

ExprPtr Parser::primary() {
  height_ = 1;
  const Token t = peek();
  if (panic_ || t.is(Kind::Bad)) {
    fail_expected("an expression");  // silent: reported before
    return make(Expr::Kind::Error, t.span);
  }
  if (t.is(Kind::Number)) {
    take();
    ExprPtr e = make(Expr::Kind::Number, t.span);
    e->value = t.value;
    e->characters = t.characters;
    return e;
  }
  if (t.is("(") && foreign(Place::Operand)) return make(Expr::Kind::Error, t.span);
  if (t.is("(")) {
    take();
    ExprPtr e = expr();
    expect_close(")", t.span);
    e->span = from(t.span);
    return e;
  }
  if (t.is(Kind::Word)) return word_primary();
  if (foreign(Place::Operand)) return make(Expr::Kind::Error, t.span);
  std::string help;
  if (t.is("=")) help = "equality is written `==`";
  if (t.is(">") || t.is("<")) help = "inequality is written `!=`, shifts `<<` and `>>`, comparisons `<` `<=` `>` `>=`";
  fail(Code::ExpectedExpression, t.span,
       t.is(Kind::Newline) ? "expected an expression before the end of the line"
                           : fmt::format("expected an expression, found `{}`", t.text),
       std::move(help));
  return make(Expr::Kind::Error, t.span);
}

ExprPtr Parser::word_primary() {
  const Token t = peek();
  if (t.is("true") || t.is("false")) {
    take();
    ExprPtr e = make(Expr::Kind::Bool, t.span);
    e->value = t.is("true") ? 1 : 0;
    return e;
  }
  if (t.is("end") && peek(1).is("of")) {
    take(), take();
    expect("input");
    return make(Expr::Kind::EndOfInput, from(t.span));
  }
  if (t.is("bits") && peek(1).is("of")) {
    take(), take();
    ExprPtr e = make(Expr::Kind::BitsOf, t.span);
    e->type_name = expect_type("a type");
    if (!panic_ && at("at")) return of_state(std::move(e), Expr::Kind::StateBits, t.span);
    e->span = from(t.span);
    return e;
  }
  if (t.is("symbol") && peek(1).is("of")) {
    take(), take();
    ExprPtr e = make(Expr::Kind::StateSymbol, t.span);
    e->type_name = expect_path("a state code's name");
    return of_state(std::move(e), Expr::Kind::StateSymbol, t.span);
  }
  if (t.is("count") && peek(1).is("of")) {
    take(), take();
    ExprPtr e = make(Expr::Kind::CountOf, t.span);
    e->name = expect_path("a buffer's name");
    e->span = from(t.span);
    return e;
  }
  if (t.is("dictionary")) {
    take();
    expect("size");
    return make(Expr::Kind::DictionarySize, from(t.span));
  }
  if (t.is("remaining") || t.is("produced") || t.is("consumed")) {
    take();
    ExprPtr e = make(t.is("remaining")  ? Expr::Kind::Remaining
                     : t.is("produced") ? Expr::Kind::Produced
                                        : Expr::Kind::ConsumedSince,
                     t.span);
    if (!t.is("produced")) e->bits = take_if("bits");
    if (!t.is("remaining")) since(*e, t.is("consumed"));
    e->span = from(t.span);
    return e;
  }
  const WordClass c = classify(t.text);
  if (c == WordClass::Later) {
    expect_name("a value");
    return make(Expr::Kind::Error, t.span);
  }
  // A type is a value nowhere but as the argument of varint( ), the default of an `integer` parameter and before
  // `is signed`; sema tells the places apart.
  if (c != WordClass::Name) {
    fail(Code::ExpectedExpression, t.span, fmt::format("expected an expression, found `{}`", t.text));
    return make(Expr::Kind::Error, t.span);
  }
  if (peek(1).is("(")) return call(t);
  take();
  ExprPtr e = make(Expr::Kind::Ref, t.span);
  e->name = member({std::string(t.text), t.span});
  if (panic_) return e;
  if (at("(")) {  // a module's rule, which sema says is read, not computed
    mark(Token::Role::Tight);
    e->kind = Expr::Kind::Call;
    e->kids = args();
    grow(height_ + 1, t.span);
  } else if (at("[")) {
    mark(Token::Role::Tight);
    const Span open = take().span;
    e->kind = Expr::Kind::Index;
    e->kids.push_back(expr());
    expect_close("]", open);
    grow(height_ + 1, open);
  } else if (at("is") && peek(1).is("signed")) {
    take(), take();
    e->kind = Expr::Kind::IsSigned;
    e->type_name = std::exchange(e->name, {});
  }
  e->span = from(t.span);
  return e;
}

// ... of NAME at STATE: a name, an element, or brackets.
ExprPtr Parser::of_state(ExprPtr e, Expr::Kind kind, Span first) {
  e->kind = kind;
  e->name = std::exchange(e->type_name, {});
  expect("at", kind == Expr::Kind::StateBits ? "write `bits of NAME at STATE`" : "write `symbol of NAME at STATE`");
  if (expr_depth_ >= kMaxExprDepth) {
    grow(kMaxExprDepth + 1, first);
    return make(Expr::Kind::Error, first);
  }
  ++expr_depth_;
  e->kids.push_back(primary());
  --expr_depth_;
  grow(height_ + 1, first);
  e->span = from(first);
  return e;
}

// NAME ( ... ): a function, peek or a checksum. Which functions there are is sema's business.
ExprPtr Parser::call(const Token& name) {
  take();
  mark(Token::Role::Tight);
  const Span open = peek().span;
  ExprPtr e = make(Expr::Kind::Call, name.span);
  e->name = {std::string(name.text), name.span};
  if (name.is("peek")) {
    take();
    e->kind = Expr::Kind::Peek;
    e->type_name = expect_type("a type, such as `u16le`");
    expect_close(")", open);
  } else if (is_checksum(name.text)) {
    take();
    e->kind = Expr::Kind::Checksum;
    if (!at("output") && !at("input") && !at("dictionary")) {
      fail_expected("`output since`, `input since` or `dictionary`",
                    fmt::format("write `{}(output since NAME)`, with `mark NAME` where the bytes start", name.text));
    } else {
      e->stream = take().text;
      if (e->stream != "dictionary") since(*e, true);
      expect_close(")", open);
    }
  } else {
    e->kids = args();
    grow(height_ + 1, name.span);
  }
  e->span = from(name.span);
  return e;
}

void Parser::since(Expr& e, bool required) {
  if (take_if("since"))
    e.mark = expect_name("a mark's name");
  else if (required)
    fail_expected("`since` and a mark", "write `since NAME`, with `mark NAME` where counting starts");
}

}  // namespace sluice::ast
