// Declarations: one line each at the format's level, and rules.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/syntax/parser.h"
#include "dsl/syntax/words.h"

namespace sluice::ast {

// With its line end, and the block of a rule.
Decl Parser::decl() {
  using K = Decl::Kind;
  Decl d;
  const Token word = take();
  d.span = word.span;
  const std::string_view shape = shape_of(word.text);
  const auto typed_name = [&](std::string_view what) {
    d.name = expect_name(what);
    expect(":", shape);
    d.type_name = expect_type("a type");
  };
  if (word.is("input")) {
    d.kind = K::Input;
    if (at("bytes") || at("bits")) {
      d.name = {std::string(peek().text), peek().span};
      take();
    } else {
      fail_expected("`bytes`, `bits lsb` or `bits msb`");
    }
    if (d.name.text == "bits") {
      if (at("lsb") || at("msb"))
        d.order = take().text;
      else
        fail_expected("`lsb` or `msb`",
                      "there is no default: `lsb` takes a byte's least significant bit first (Deflate), "
                      "`msb` its most significant (bzip2)");
    }
  } else if (word.is("output")) {
    const bool named = peek().is(Token::Kind::Word) && peek(1).is(":");
    d.kind = named ? K::FurtherOutput : K::Output;
    named ? decl_further_output(d) : decl_output(d);
  } else if (word.is("dictionary")) {
    d.kind = K::Dictionary;
  } else if (word.is("argument") || word.is("var")) {
    d.kind = word.is("var") ? K::Var : K::Argument;
    if (word.is("var")) {
      d.name = expect_name("a variable's name");
      expect(":", shape);
      var_type(d.type_name, d.b, d.c);
    } else {
      typed_name("an argument's name");
    }
    expect("=", shape);
    d.a = expr();
  } else if (word.is("const")) {
    d.kind = K::Const;
    d.name = expect_name("a constant's name");
    expect("=", shape);
    d.a = expr();
  } else if (word.is("table")) {
    d.kind = K::Table;
    typed_name("a table's name");
    if (!foreign(Place::AfterTable)) expect("=", shape);
    d.items = list();
  } else if (word.is("ranges")) {
    d.kind = K::Ranges;
    d.name = expect_name("a name for the ranges");
    expect("=", shape);
    expect("base", shape);
    d.items = list();
    expect("extra", shape);
    d.items2 = list();
  } else if (word.is("array")) {
    d.kind = K::Array;
    typed_name("an array's name");
    if (!panic_ && at("[")) mark(Token::Role::Tight);
    const Span open = peek().span;
    expect("[", shape);
    d.a = expr();
    expect_close("]", open);
    foreign(Place::AfterArray);
  } else if (word.is("buffer") || word.is("symbols")) {
    d.kind = word.is("buffer") ? K::Buffer : K::Symbols;
    decl_sized(d);
  } else if (word.is("prefix_code")) {
    d.kind = K::PrefixCode;
    decl_prefix_code(d);
  } else if (word.is("state_code")) {
    d.kind = K::StateCode;
    decl_state_code(d);
  } else if (word.is("trailing")) {
    d.kind = K::Trailing;
    if (at("reject") || at("accept"))
      d.policy = take().text;
    else
      fail_expected("`reject` or `accept`", std::string(shape));
    d.name = expect_name("a clause's name");
  } else if (word.is("assert")) {
    d.kind = K::Assert;
    decl_assert(d);
  } else if (word.is("rule")) {
    d.kind = K::Rule;
    decl_rule(d);
    return d;
  } else {  // `use` or `format` below a format
    fail(Code::OutsideFormat, word.span, fmt::format("`{}` belongs to the left margin", word.text));
  }
  d.span = from(word.span);
  if (panic_) d.kind = K::Error;
  const bool sound = !panic_;
  end_line();
  if (!sound) ignore_block();
  return d;
}

// buffer NAME[LIMIT], symbols NAME[COUNT]: neither has a type of its own.
void Parser::decl_sized(Decl& d) {
  d.name = expect_name(d.kind == Decl::Kind::Buffer ? "a buffer's name" : "a name for the symbols");
  if (!panic_ && at(":"))
    fail_expected("`[`", d.kind == Decl::Kind::Buffer
                             ? "a buffer holds elements of the output's type: `buffer NAME[LIMIT]`"
                             : "symbols are strings of 1 to 8 bytes: `symbols NAME[COUNT]`");
  if (!panic_ && at("[")) mark(Token::Role::Tight);
  const Span open = peek().span;
  expect("[");
  d.a = expr();
  expect_close("]", open);
}

// output NAME: TYPE[]
void Parser::decl_further_output(Decl& d) {
  d.name = expect_name("an output's name");
  expect(":");
  d.type_name = expect_type("`bytes` or an element type with `[]`");
  if (!panic_ && d.type_name.text != "bytes") {
    mark(Token::Role::Tight);
    expect("[", "a further output is `output NAME: TYPE[]`");
    expect("]");
  }
  if (!panic_ && at(","))
    fail_expected("the end of the line", "a window belongs to the format's own output, and holds in all of them");
}

void Parser::decl_output(Decl& d) {
  d.name = expect_type("`bytes` or an element type with `[]`");
  if (!panic_ && d.name.text != "bytes") {
    mark(Token::Role::Tight);
    expect("[", shape_of("output"));
    expect("]");
  }
  if (take_if(",")) {
    expect("window");
    d.a = expr();
  }
}

void Parser::decl_prefix_code(Decl& d) {
  d.name = expect_name("a prefix code's name");
  if (!panic_ && at("(")) mark(Token::Role::Tight);
  const Span open = peek().span;
  expect("(", shape_of("prefix_code"));
  d.a = expr();
  if (!take_if(",")) fail_expected("`,` and the length of the longest code");
  d.b = expr();
  expect_close(")", open);
  if (take_if("x")) d.c = expr();
  if (!take_if(",")) return;
  if (take_if("longest")) {
    d.order = "longest";
    expect("first", "write `longest first` for a code whose longest codes are handed out first");
    return;
  }
  expect("incomplete");
  if (at("single") || at("accept"))
    d.policy = take().text;
  else
    fail_expected("`single` or `accept`", "without `incomplete ...` an incomplete code is refused");
}

// state_code NAME(SYMBOLS, LARGEST)
void Parser::decl_state_code(Decl& d) {
  d.name = expect_name("a state code's name");
  if (!panic_ && at("(")) mark(Token::Role::Tight);
  const Span open = peek().span;
  expect("(", shape_of("state_code"));
  d.a = expr();
  if (!take_if(",")) fail_expected("`,` and the logarithm of the largest number of states", std::string(shape_of("state_code")));
  d.b = expr();
  expect_close(")", open);
}

// assert FACT [OP BOUND]
void Parser::decl_assert(Decl& d) {
  d.name = expect_name("a fact");
  for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (panic_ || !at(op)) continue;
    d.op = take().text;
    d.a = expr();
    break;
  }
}

void Parser::decl_rule(Decl& d) {
  const Span first = d.span;
  d.name = expect_name("a rule's name");
  if (!panic_ && at("(")) d.params = params(false);
  foreign(Place::AfterRule);
  if (take_if("->")) d.type_name = expect_type("the type of the result");
  d.span = from(first);
  if (panic_) d.kind = Decl::Kind::Error;
  block(d.body);
}

// ( NAME : TYPE [= EXPR] , ... ); only a format's parameters have a default.
std::vector<Param> Parser::params(bool of_format) {
  std::vector<Param> out;
  if (panic_) return out;
  mark(Token::Role::Tight);
  const Span open = take().span;
  if (take_if(")")) return out;
  do {
    Param p;
    p.name = expect_name("a parameter's name");
    expect(":", "a parameter's name comes first: `n: u8`");
    p.type_name = expect_type(of_format ? "a type, `bool` or `integer`" : "a type");
    if (of_format && take_if("=")) p.initial = expr();
    if (!panic_) out.push_back(std::move(p));
  } while (take_if(","));
  expect_close(")", open);
  return out;
}

// What stands after `var NAME:`. A word is the type unless something follows that makes it part of a bound.
void Parser::var_type(Name& type, ExprPtr& low, ExprPtr& high) {
  static constexpr std::string_view kGoesOn[] = {"..", "+", "-", "*", "/", "%", "<<", ">>"};
  const bool goes_on = std::any_of(std::begin(kGoesOn), std::end(kGoesOn), [&](auto op) { return peek(1).is(op); });
  if (!at(Kind::Number) && !at("(") && !at("-") && !goes_on) {
    type = expect_type("a type");
    return;
  }
  low = expr();
  expect("..");
  high = expr();
}

// [ V , V x N , ... ]; may be empty, which sema refuses
std::vector<ListItem> Parser::list() {
  std::vector<ListItem> out;
  const Span open = peek().span;
  if (!expect("[") || take_if("]")) return out;
  do {
    ListItem item;
    item.value = expr();
    if (take_if("x")) item.times = expr();
    if (!panic_) out.push_back(std::move(item));
  } while (take_if(","));
  expect_close("]", open);
  return out;
}

}  // namespace sluice::ast
