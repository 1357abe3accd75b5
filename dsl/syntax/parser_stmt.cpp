// Statements and blocks.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dsl/syntax/parser.h"
#include "dsl/syntax/words.h"

namespace sluice::ast {
namespace {

using K = Stmt::Kind;

constexpr std::string_view kBlockWords[] = {"when", "else", "if", "repeat", "for", "within", "producing", "into"};

bool holds_block(const Token& t) {
  return std::any_of(std::begin(kBlockWords), std::end(kBlockWords), [&](std::string_view w) { return t.is(w); });
}

}  // namespace

// ---- blocks ---------------------------------------------------------------------------------------------

void Parser::block(Block& out) {
  const Span head = last_;
  if (take_if(":")) {
    if (at_line_end())
      fail_expected("a statement after `:`", "a block on the lines below needs no `:`");
    else
      out.push_back(stmt(true));
    more_stmts(out);
    const bool sound = !panic_;
    end_line();
    stray_block(out, sound);
    return;
  }
  if (!panic_ && !at_line_end() && !foreign(Place::After))
    fail_expected("`:` or the end of the line", "a statement on the same line stands after `:`");
  const bool complained = panic_;
  skip_line();
  drops_block_ = false;
  if (at(Kind::Indent)) {
    take();
    block_lines(out);
  } else if (!complained) {
    fail(Code::ExpectedBlock, head, "expected an indented block below this line",
         "`pass` is the statement that does nothing");
    panic_ = false;
  }
}

void Parser::block_lines(Block& out) {
  if (block_depth_ >= kMaxBlockDepth) {
    fail(Code::TooDeep, peek().span, fmt::format("blocks are nested more than {} deep", kMaxBlockDepth),
         "move the inner block to a rule");
    panic_ = false;
    for (unsigned open = 1; open > 0 && !at(Kind::End);) {
      const Token t = take();
      if (t.is(Kind::Indent)) ++open;
      if (t.is(Kind::Dedent)) --open;
    }
    return;
  }
  ++block_depth_;
  while (!at(Kind::Dedent) && !at(Kind::End)) stmt_line(out);
  if (at(Kind::Dedent)) take();
  --block_depth_;
}

void Parser::stmt_line(Block& out) {
  if (at(Kind::Indent)) {
    stray_block(out, true);
    return;
  }
  const bool takes_its_line = holds_block(peek()) && !keyword_as_name();
  StmtPtr s = stmt(false);
  if (!takes_its_line) {
    Block more;
    more_stmts(more);
    const bool sound = !panic_;
    end_line();
    // What stands below a wrong line was probably its block: out of context, but worth parsing. Below a sound line
    // the caller finds the indentation and reports it.
    if (!sound) stray_block(s->body, false);
    out.push_back(std::move(s));
    std::move(more.begin(), more.end(), std::back_inserter(out));
    return;
  }
  out.push_back(std::move(s));
}

void Parser::more_stmts(Block& out) {
  while (!panic_ && at(";")) {
    if (block_depth_ == 0 && peek(1).is("var"))
      return fail(Code::DeclInBlock, peek(1).span, "a variable of the format is declared on a line of its own");
    take();
    out.push_back(stmt(true));
  }
}

// ---- statements -------------------------------------------------------------------------------------------

// A keyword where a name must be, seen from what follows it.
bool Parser::keyword_as_name() const {
  if (!at(Kind::Word) || classify(peek().text) == WordClass::Name) return false;
  if (at("else") || at("repeat")) return false;  // these may stand before `:`
  return peek(1).is(":") || peek(1).is("=") || peek(1).is(":=");
}

StmtPtr Parser::stmt(bool after_colon) {
  auto s = std::make_unique<Stmt>();
  const Span first = peek().span;
  const bool has_block = holds_block(peek());
  s->span = first;
  if (keyword_as_name() && foreign_line()) {
    // `input: bytes`
  } else if (keyword_as_name()) {
    expect_name("a name");
  } else if (at(Kind::Word) && after_colon && holds_block(peek())) {
    fail(Code::BlockOnOneLine, first, fmt::format("`{}` can't stand after `{}`", peek().text, tokens_[at_ - 1].text),
         "put it on a line of its own, indented deeper");
  } else if (!at(Kind::Word)) {
    not_a_statement();
  } else if (!stmt_by_word(*s)) {
    const WordClass c = classify(peek().text);
    if (c == WordClass::Name && foreign_line()) {
      // reported
    } else if (c == WordClass::Name && !at_symbols()) {
      stmt_by_name(*s);
    } else if (c == WordClass::Declaration || at_symbols()) {
      fail(Code::DeclInBlock, first, fmt::format("`{}` is a declaration and stands at the format's level", peek().text),
           at("const") ? "inside a block write `NAME = VALUE`" : "move the line to the format's level, before its use");
    } else if (c == WordClass::Later) {
      fail(Code::ReservedForLater, first,
           fmt::format("`{}` is reserved for the next version of the language", peek().text),
           "it has no meaning yet; dsl/grammar.md says what is planned");
    } else {
      not_a_statement();
    }
  }
  if (!has_block) s->span = from(first);
  if (panic_) s->kind = K::Error;
  return s;
}

bool Parser::stmt_by_word(Stmt& s) {
  const Token word = peek();
  const std::string_view shape = shape_of(word.text);
  const auto is = [&](std::string_view text) { return word.is(text); };
  // The span of a statement with a block is its head: set before the block is parsed.
  const auto head = [&](K kind) {
    s.kind = panic_ ? K::Error : kind;
    s.span = from(word.span);
    block(s.body);
  };
  if (is("when")) return stmt_when(s), true;
  if (is("repeat")) return stmt_repeat(s), true;
  if (is("literals")) return stmt_literals(s), true;
  if (is("build")) return stmt_build(s), true;
  if (at_read()) return stmt_read(s), true;
  if (is("else")) {
    fail(Code::ElseWithoutWhen, take().span, "`else` without a `when` before it",
         "`else` ends a chain of `when`s at the same indentation; `if` has none: write `when` instead of `if`");
    head(K::Error);
  } else if (is("if")) {
    take();
    s.a = expr();
    head(K::If);
    no_chain(word.span);
  } else if (is("for")) {
    take();
    foreign(Place::ForHead);
    s.name = expect_name("a counter's name");
    expect("<", shape);
    s.a = expr();
    head(K::For);
  } else if (is("within")) {
    take();
    within_what(s);
    head(K::Within);
  } else if (is("into")) {
    take();
    s.name = expect_path("the name of a buffer or of an output");
    head(K::Into);
  } else if (is("producing")) {
    take();
    s.a = expr();
    head(K::Producing);
  } else if (is("var")) {
    take();
    s.kind = K::Var;
    s.name = expect_name("a variable's name");
    expect(":", shape);
    var_type(s.type_name, s.b, s.c);
    expect("=", shape);
    s.a = expr();
  } else if (is("emit")) {
    stmt_emit(s);
  } else if (is("stage")) {
    stmt_stage(s);
  } else if (is("symbol")) {
    stmt_symbol(s);
  } else if (is("run")) {
    take();
    s.kind = K::Run;
    s.a = expr();
    expect(",", shape);
    expect("count", shape);
    s.b = expr();
    if (take_if(",")) {
      expect("step", "write `run VALUE, count N, step D`");
      s.c = expr();
    }
  } else if (is("copy")) {
    take();
    s.kind = K::Copy;
    expect("distance", shape);
    s.a = expr();
    expect(",", shape);
    expect("length", shape);
    s.b = expr();
  } else if (is("stop") || is("pass")) {
    s.kind = take().is("stop") ? K::Stop : K::Pass;
  } else if (is("return")) {
    take();
    s.kind = K::Return;
    if (!at_line_end()) s.a = expr();
  } else if (is("reject") || is("accept")) {
    s.kind = take().is("reject") ? K::Reject : K::Accept;
    if (at_line_end()) fail_expected("a clause's name", std::string(shape));
    s.name = expect_name("a clause's name");
  } else if (is("require")) {
    take();
    s.kind = K::Require;
    s.a = expr();
    else_reject(s);
  } else if (is("mark")) {
    take();
    s.kind = K::Mark;
    s.name = expect_name("a mark's name");
  } else if (is("new")) {
    take();
    s.kind = K::NewWindow;
    expect("window", shape);
    s.flag = take_if("after");
    if (s.flag && !at_whole_dictionary()) {
      s.a = expr();
      expect("bytes", "write `new window after dictionary`, or `new window after N bytes of dictionary` for its last N bytes");
      expect("of");
    }
    if (s.flag) expect("dictionary");
  } else if (is("align")) {
    take();
    s.kind = K::Align;
    s.flag = take_if("zero");
    if (s.flag) else_reject(s);
  } else if (is("skip")) {
    take();
    s.kind = K::Skip;
    s.a = expr();
    expect("bytes", shape);
  } else {
    return false;
  }
  return true;
}

// `dictionary`, and not the number `dictionary size`.
bool Parser::at_whole_dictionary() const { return at("dictionary") && !peek(1).is("size"); }

// within dictionary | within N bytes|bits [at OFFSET since NAME] [, backward]
void Parser::within_what(Stmt& s) {
  if (at_whole_dictionary()) {
    take();
    s.dictionary = true;
    return;
  }
  s.a = expr();
  s.flag = take_if("bits");
  if (!s.flag && !take_if("bytes")) fail_expected("`bytes` or `bits`", std::string(shape_of("within")));
  if (!panic_ && take_if("at")) {
    s.b = expr();
    expect("since", "write `within N bytes at OFFSET since NAME`, with `mark NAME` where offsets count from");
    s.name = expect_name("a mark's name");
  }
  if (!panic_ && take_if(",")) {
    s.backward = take_if("backward");
    if (!s.backward) fail_expected("`backward`", "write `within N bytes, backward` for a region that is read from its end");
  }
}

// ... else reject NAME
void Parser::else_reject(Stmt& s) {
  const std::string_view shape = shape_of(s.kind == K::Align ? "align" : "require");
  expect("else", shape);
  expect("reject", shape);
  s.name = expect_name("a clause's name");
}

void Parser::stmt_by_name(Stmt& s) {
  const Token& next = peek(1);
  const bool known = next.is(":") || next.is("=") || next.is(":=") || next.is("[") || next.is("(") || next.is(".");
  if (!known) return not_a_statement();
  s.name = expect_path("a name");
  if (next.is(".") && (at(":") || at("="))) {
    fail_expected("`:=`, `[` or `(`", at(":") ? fmt::format("`read {}: TYPE` reads into a module's variable", s.name.text)
                                              : fmt::format("`{} := VALUE` assigns to a module's variable", s.name.text));
  } else if (take_if(":")) {
    s.kind = K::Read;
    s.read = field_type();
    foreign(Place::AfterRead);
  } else if (take_if("=")) {
    s.kind = K::Let;
    s.a = expr();
  } else if (take_if(":=")) {
    s.kind = K::Assign;
    s.a = expr();
  } else if (at("[")) {
    s.kind = K::AssignElem;
    mark(Token::Role::Tight);
    const Span open = take().span;
    s.a = expr();
    expect_close("]", open);
    expect(":=");
    if (at_next_bytes())
      stmt_read_symbol(s);
    else
      s.b = expr();
  } else {
    s.kind = K::Call;
    if (!panic_ && !at("(")) fail_expected("`(`", "a rule is called with brackets, even without arguments");
    s.args = args();
  }
}

void Parser::stmt_when(Stmt& s) {
  s.kind = K::When;
  s.span = peek().span;
  for (bool told = false;;) {
    Arm arm;
    const Span first = peek().span;
    const bool other = other_arm(!told);
    told = told || other;
    if (!other && (!at("when") || keyword_as_name())) break;
    take();
    arm.condition = expr();
    arm.span = from(first);
    if (s.arms.empty()) s.span = arm.span;
    block(arm.body);
    s.arms.push_back(std::move(arm));
  }
  if (!at("else")) return;
  Arm arm;
  arm.span = take().span;
  block(arm.body);
  s.arms.push_back(std::move(arm));
}

void Parser::stmt_repeat(Stmt& s) {
  const Span first = take().span;
  s.kind = K::RepeatForever;
  if (take_if("until")) {
    s.a = expr();
    s.kind = K::RepeatUntil;
    if (take_if("outputs")) {
      s.kind = K::RepeatUntilOutputs;
    } else if (s.a->kind == Expr::Kind::EndOfInput) {
      s.kind = K::RepeatUntilEnd;
      s.a = nullptr;
    }
    if (take_if(",")) {
      expect("at");
      expect("most");
      s.b = expr();
      if (s.kind == K::RepeatUntilOutputs)
        fail(Code::Expected, s.b->span, "`at most` bounds `repeat until CONDITION` and `repeat until end of input`",
             "bound the steps with a condition: `mark start`, then `repeat until produced since start >= N, at most M`");
    }
  } else if (!at_line_end() && !at(":")) {
    s.a = expr();
    s.kind = K::RepeatTimes;
    expect("times", shape_of("repeat"));
  }
  if (panic_) s.kind = K::Error;
  s.span = from(first);
  block(s.body);
}

}  // namespace sluice::ast
