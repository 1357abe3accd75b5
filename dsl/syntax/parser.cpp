// The parser's tools, and the file level: `use` lines and one `format`.
#include "dsl/syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dsl/syntax/words.h"

namespace sluice::ast {
namespace {

std::string describe(const Token& t) {
  switch (t.kind) {
    case Token::Kind::Newline:
      return "the end of the line";
    case Token::Kind::End:
      return "the end of the file";
    case Token::Kind::Indent:
    case Token::Kind::Dedent:
      return "a new line";
    default:
      return fmt::format("`{}`", t.text);
  }
}

// `"RIFF"` where a type is wanted: its bytes are read as a number, first byte highest, and compared.
std::string as_number_and_check(const Token& string) {
  const unsigned bits = 8 * string.characters;
  return fmt::format("read a number and compare it: `magic: u{}{}`, then `require magic == {} else reject bad_magic`", bits,
                     bits == 8 ? "" : "be", string.text);
}

}  // namespace

const Token& Parser::peek(std::size_t ahead) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

Token Parser::take() {
  const Token t = peek();
  if (!t.is(Kind::Newline) && !t.is(Kind::Indent) && !t.is(Kind::Dedent) && !t.is(Kind::End)) last_ = t.span;
  if (at_ + 1 < tokens_.size()) ++at_;
  return t;
}

bool Parser::take_if(std::string_view text) {
  if (panic_ || !at(text)) return false;
  take();
  return true;
}

Span Parser::from(Span first) const { return last_.offset < first.offset ? first : cover(first, last_); }

void Parser::fail(Code code, Span span, std::string message, std::string help, std::vector<Note> notes) {
  failed_ = true;
  // A token marked silent was reported by the lexer; reaching it ends the line's analysis just the same.
  if (panic_ || peek().silent) {
    panic_ = true;
    return;
  }
  panic_ = true;
  DiagBuilder d = sink_.error(code, span, std::move(message));
  if (!help.empty()) d.help(std::move(help));
  for (Note& note : notes) d.note(note.span, std::move(note.text));
}

void Parser::fail_expected(std::string_view what, std::string help) {
  fail(Code::Expected, peek().span, fmt::format("expected {}, found {}", what, describe(peek())), std::move(help));
}

bool Parser::expect(std::string_view text, std::string_view help) {
  if (panic_) return false;
  if (take_if(text)) return true;
  fail_expected(fmt::format("`{}`", text), std::string(help));
  return false;
}

bool Parser::foreign(Place place) {
  if (panic_) return false;
  auto found = find_foreign(place, [&](std::size_t ahead) { return peek(ahead); });
  if (!found) return false;
  fail(Code::ForeignWord, peek().span, std::move(found->message), std::move(found->help));
  drops_block_ = found->hides_block;
  return true;
}

bool Parser::expect_close(std::string_view text, Span open) {
  if (panic_) return false;
  if (take_if(text)) return true;
  if (text == ")" && foreign(Place::Brackets)) return false;
  fail(Code::Expected, peek().span, fmt::format("expected `{}`, found {}", text, describe(peek())), {},
       {{open, "to close this bracket"}});
  return false;
}

Name Parser::expect_name(std::string_view what) {
  if (panic_) return {};
  const Token& t = peek();
  if (!t.is(Kind::Word)) {
    fail_expected(what);
    return {};
  }
  const WordClass c = classify(t.text);
  if (c == WordClass::Later) {
    fail(Code::ReservedForLater, t.span, fmt::format("`{}` is reserved for the next version of the language", t.text),
         "choose another name");
    return {};
  }
  if (c != WordClass::Name) {
    fail(Code::ReservedWord, t.span, fmt::format("`{}` is a word of the language and can't be {}", t.text, what),
         fmt::format("choose another name, such as `{}_`", t.text));
    return {};
  }
  take();
  return {std::string(t.text), t.span};
}

Name Parser::expect_path(std::string_view what) { return member(expect_name(what)); }

Name Parser::member(Name module) {
  if (panic_ || !take_if(".")) return module;
  const Name name = expect_name("the name of something that the module declares");
  if (!panic_ && at("."))
    fail(Code::Expected, peek().span, fmt::format("`{}.{}` has no parts of its own", module.text, name.text),
         fmt::format("a module that `{0}` uses is named above the format: `use {0}.{1}`, then `{1}.NAME`", module.text, name.text));
  return {module.text + "." + name.text, cover(module.span, name.span)};
}

Name Parser::expect_type(std::string_view what) {
  if (panic_) return {};
  const Token& t = peek();
  const WordClass c = t.is(Kind::Word) ? classify(t.text) : WordClass::Statement;
  if (c == WordClass::Name) {
    take();
    return member({std::string(t.text), t.span});
  }
  if (c == WordClass::Later) return expect_name(what);
  fail_expected(what, t.characters > 0 ? as_number_and_check(t) : "");
  return {};
}

void Parser::end_line() {
  if (!panic_ && !at_line_end() && !foreign(Place::After))
    fail(Code::TrailingWords, peek().span,
         fmt::format("unexpected {} after the end of the statement", describe(peek())),
         at(";") ? "`;` stands between simple statements; everything else has a line of its own" : "");
  skip_line();
}

void Parser::skip_line() {
  while (!at_line_end()) take();
  failed_ |= peek().silent;
  if (at(Kind::Newline)) take();
  panic_ = false;
}

// ---- the file level -----------------------------------------------------------------------------------

File Parser::run() {
  File out;
  out.file = file_;
  while (!at(Kind::End)) file_line(out);
  if (!format_seen_ && !failed_)
    fail(Code::NoFormat, {file_, 0, 0}, "the file declares no format",
         "start with `format NAME` and indent the rest below it");
  out.ok = !failed_;
  return out;
}

void Parser::file_line(File& out) {
  if (at(Kind::Indent)) {
    fail(Code::UnexpectedIndent, peek(1).span, "the line is indented, but no block is open");
    panic_ = false;
    take();
  } else if (at(Kind::Dedent) || at(Kind::Newline)) {
    take();
  } else if (at("use")) {
    use_line(out);
  } else if (at("format")) {
    if (!format_seen_) {
      format(out);
    } else {
      fail(Code::OutsideFormat, peek().span, "a file holds one format", "move the second format to a file of its own",
           {{out.format.span, "the first one is here"}});
      skip_line();
      ignore_block();
    }
  } else {
    const bool after = format_seen_;
    const std::string help = after ? "indent the line to make it part of the format"
                                   : "start with `format NAME` and indent everything else below it";
    const bool drops = foreign(Place::File) && drops_block_;
    if (!panic_)
      fail(Code::OutsideFormat, peek().span, fmt::format("{} stands outside the format", describe(peek())), help);
    // The lines that follow at the margin have the same cause.
    do {
      skip_line();
      drops_block_ = drops;
      ignore_block();
    } while (!at(Kind::End) && !at(Kind::Indent) && !at(Kind::Dedent) && !at("use") && !at("format"));
  }
}

// use NAME[.NAME] [( NAME = EXPR , ... )]
void Parser::use_line(File& out) {
  const Span first = take().span;
  Use use;
  use.name = expect_name("a module's name");
  if (!panic_ && take_if(".")) {
    use.of = std::move(use.name);
    use.name = expect_name("the name of a module that it uses");
  }
  if (!panic_ && at("(")) use.settings = settings();
  use.span = from(first);
  if (!panic_ && format_seen_)
    fail(Code::OutsideFormat, use.span, "`use` stands before the format", {},
         {{out.format.span, "the format starts here"}});
  if (!panic_) out.uses.push_back(std::move(use));
  end_line();
  ignore_block();
}

std::vector<Setting> Parser::settings() {
  static constexpr std::string_view kShape = "parameters of a module are set by name: `use fse(most_symbols = 53)`";
  std::vector<Setting> out;
  mark(Token::Role::Tight);
  const Span open = take().span;
  do {
    if (!at(Kind::Word)) fail_expected("a parameter's name", std::string(kShape));
    Setting s;
    s.name = expect_name("a parameter's name");
    expect("=", kShape);
    s.value = expr();
    if (!panic_) out.push_back(std::move(s));
  } while (take_if(","));
  expect_close(")", open);
  return out;
}

void Parser::format(File& out) {
  take();
  format_seen_ = true;
  out.format = expect_name("the format's name");
  if (at("(")) out.params = params(true);
  const bool sound = !panic_;
  if (sound && !at_line_end()) fail_expected("the end of the line", "the format's body is indented below this line");
  const Span head = last_;
  const bool complained = panic_;
  skip_line();
  if (!at(Kind::Indent)) {
    if (complained) return;
    fail(Code::ExpectedBlock, head, "the format has no body",
         "indent the format's declarations and statements by two spaces");
    panic_ = false;
    // Lines at the margin were meant to be the body: one report is enough.
    while (!at(Kind::End) && !at("use") && !at("format")) take();
    return;
  }
  take();
  for (unsigned open = 1; open > 0 && !at(Kind::End);) {
    if (at(Kind::Indent)) {  // a line too deep: its declarations and statements are the format's all the same
      deeper_line();
      ++open;
    } else if (at(Kind::Dedent)) {
      take();
      --open;
    } else {
      format_line(out);
    }
  }
}

void Parser::deeper_line() {
  fail(Code::UnexpectedIndent, peek(1).span, "the line is indented deeper than its block",
       "lines of one block start at the same column");
  panic_ = false;
  take();
}

void Parser::format_line(File& out) {
  const bool declares =
      at(Kind::Word) && (classify(peek().text) == WordClass::Declaration || at("var") || at_symbols());
  if (declares && !keyword_as_name())
    out.decls.push_back(decl());
  else
    stmt_line(out.body);
}

void Parser::stray_block(Block& out, bool report) {
  const bool drops = std::exchange(drops_block_, false);
  if (!at(Kind::Indent)) return;
  if (drops) return skip_block();
  if (report)
    deeper_line();
  else
    take();
  block_lines(out);
}

void Parser::skip_block() {
  take();
  for (unsigned open = 1; open > 0 && !at(Kind::End);) {
    const Token t = take();
    if (t.is(Kind::Indent)) ++open;
    if (t.is(Kind::Dedent)) --open;
  }
}

void Parser::ignore_block() {
  Block dropped;
  stray_block(dropped, false);
}

namespace {

// At the first place whose line is not reported for something else.
void report_habit(const SourceSet& sources, const Habit& habit, DiagSink& sink) {
  const auto line_of = [&](Span span) { return sources.line_col(span).line; };
  std::set<std::uint32_t> reported, lines;
  if (habit.code != Code::TabInIndent)
    for (const Diagnostic& d : sink.diagnostics()) reported.insert(line_of(d.span));
  for (const Span& place : habit.places) lines.insert(line_of(place));
  const auto free = std::find_if(habit.places.begin(), habit.places.end(),
                                 [&](const Span& place) { return !reported.contains(line_of(place)); });
  if (free == habit.places.end()) return;
  std::string message(habit.message);
  if (lines.size() > 1)
    message += fmt::format(" (and on {} more line{})", lines.size() - 1, lines.size() == 2 ? "" : "s");
  sink.error(habit.code, *free, std::move(message)).help(std::string(habit.help));
}

}  // namespace

File parse(const SourceSet& sources, std::uint32_t file, DiagSink& sink) {
  // Lexer and parser report one after the other; readers want the order of the text.
  DiagSink found;
  Tokens tokens = lex(sources, file, found);
  File out = Parser(tokens.tokens, file, found).run();
  for (const Habit& habit : tokens.habits) report_habit(sources, habit, found);
  std::vector<Diagnostic> sorted(found.diagnostics().begin(), found.diagnostics().end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.offset < b.span.offset; });
  std::uint32_t foreign_line = 0;  // a line of another language: its characters are, too
  for (Diagnostic& d : sorted) {
    const std::uint32_t line = sources.line_col(d.span).line;
    if (d.code == Code::ForeignWord) foreign_line = line;
    if (d.code == Code::BadCharacter && line == foreign_line) continue;
    if (d.code == Code::TabInIndent || d.span.offset < tokens.first_tab) sink.report(std::move(d));
  }
  out.ok = found.ok();
  return out;
}

}  // namespace sluice::ast
