#include "dsl/syntax/lexer.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "dsl/syntax/foreign.h"
#include "dsl/syntax/words.h"

namespace sluice::ast {
namespace {

using Kind = Token::Kind;

// A tab was reported; counting it as one level makes the rest of the file mean what its author saw.
constexpr std::uint32_t kTabColumns = 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Words that may stand between operands or before one.
bool joins_operands(std::string_view w) {
  return w == "and" || w == "or" || w == "not" || w == "in" || w == "as" || w == "is" || w == "x" || w == "of" ||
         w == "since";
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Longest run of unexpected bytes that is repeated in the message.
constexpr std::size_t kMaxQuoted = 24;

// A string is a number, and a number has 64 bits.
constexpr unsigned kMaxStringCharacters = 8;

// Longest first: the first match wins.
constexpr std::array<std::string_view, 32> kPuncts = {":=", "==", "!=", "<=", ">=", "<<", ">>", "..", "+%", "-%", "*%",
                                                      "->", "(",  ")",  "[",  "]",  ",",  ":",  "=",  "<",  ">",  "+",
                                                      "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  ".",  ";"};

class Lexer {
 public:
  Lexer(const SourceSet& sources, std::uint32_t file, DiagSink& sink)
      : text_(sources.text(file)), file_(file), sink_(sink) {}

  Tokens run() {
    while (at_ < text_.size()) line();
    end_logical_line();
    while (levels_.size() > 1) {
      levels_.pop_back();
      push(Kind::Dedent, text_.size(), 0);
    }
    push(Kind::End, text_.size(), 0);
    out_.first_tab = tabs_.places.empty() || !spaces_ ? Tokens::kNoTab : tabs_.places.front().offset;
    for (Habit* habit : {&tabs_, &comments_, &semicolons_, &braces_})
      if (!habit->places.empty()) out_.habits.push_back(std::move(*habit));
    return std::move(out_);
  }

 private:
  Span span(std::size_t from, std::size_t length) const {
    return {file_, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(length)};
  }

  Token& push(Kind kind, std::size_t from, std::size_t length) {
    Token token;
    token.kind = kind;
    token.span = span(from, length);
    token.text = text_.substr(from, length);
    out_.tokens.push_back(token);
    return out_.tokens.back();
  }

  bool at_line_end() const {
    return at_ >= text_.size() || text_[at_] == '\n' ||
           (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n');
  }

  // One physical line: its indentation, its tokens, its comment.
  void line() {
    const std::size_t start = at_;
    std::uint32_t column = 0;
    bool tab = false;
    std::size_t tab_at = 0;
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) {
      if (text_[at_] == '\t' && !std::exchange(tab, true)) tab_at = at_;
      column = text_[at_] == '\t' ? (column / kTabColumns + 1) * kTabColumns : column + 1;
    }
    while (foreign_comment()) {
    }
    if (at_line_end() || text_[at_] == '#') {  // a line without code has no indentation to speak of
      comment(true);
      next_line();
      return;
    }
    if (tab) tabs_.places.push_back(span(tab_at, 1));
    spaces_ = spaces_ || (!tab && column > 0);
    if (!open_.empty() && !goes_on(column)) give_up_bracket();
    if (open_.empty()) {
      end_logical_line();
      indentation(column, start);
    }
    while (!at_line_end() && text_[at_] != '#')
      if (!foreign_comment()) token();
    comment(false);
    next_line();
  }

  // `// ...` up to the end of the line, `/* ... */`: skipped, and reported at the end.
  bool foreign_comment() {
    const std::string_view rest = text_.substr(at_);
    const bool block = rest.starts_with("/*");
    if (!block && !rest.starts_with("//")) return false;
    const std::size_t end = text_.find(block ? "*/" : "\n", at_);
    comments_.places.push_back(span(at_, 2));
    at_ = std::min(end, text_.size());
    if (block && end != std::string_view::npos) at_ += 2;
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return true;
  }

  // Lines inside brackets are indented deeper than the line they continue, and hold no statement: no keyword at
  // their start, and no second operand right after the one before.
  bool goes_on(std::uint32_t column) const {
    if (column <= levels_.back()) return text_[at_] == ')' || text_[at_] == ']';
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const Token& last = out_.tokens.back();
    const bool operand_before =
        last.is(Kind::Number) || last.is(")") || last.is("]") || (last.is(Kind::Word) && !joins_operands(last.text));
    if (operand_before && !word.empty() && !joins_operands(word)) return false;
    return !starts_a_line(classify(word));
  }

  void give_up_bracket() {
    const Token bracket = out_.tokens[open_.back()];
    sink_.error(Code::UnclosedBracket, bracket.span, fmt::format("`{}` is never closed", bracket.text))
        .help("lines that go on inside brackets are indented deeper than the first, and hold no statement");
    open_.clear();
    end_logical_line();
    out_.tokens.back().silent = true;
  }

  void end_logical_line() {
    if (!open_.empty()) {
      give_up_bracket();
      return;
    }
    if (out_.tokens.empty()) return;
    const Token& last = out_.tokens.back();
    if (last.is(Kind::Newline) || last.is(Kind::Indent) || last.is(Kind::Dedent)) return;
    push(Kind::Newline, last.span.offset + last.span.length, 0);
  }

  void indentation(std::uint32_t column, std::size_t line_start) {
    if (column > levels_.back()) {
      levels_.push_back(column);
      push(Kind::Indent, line_start, at_ - line_start);
      return;
    }
    while (column < levels_.back()) {
      if (column > levels_[levels_.size() - 2]) {
        sink_.error(Code::BadDedent, span(line_start, at_ - line_start), "indentation matches no enclosing block")
            .help(fmt::format("indent by {} to stay in the block, or by {} to end it", levels_.back(),
                              levels_[levels_.size() - 2]));
        // The block goes on here, so that the lines that follow at this column are not reported again.
        levels_.back() = column;
        return;
      }
      levels_.pop_back();
      push(Kind::Dedent, at_, 0);
    }
  }

  void token() {
    const char c = text_[at_];
    if (is_blank(c)) {
      ++at_;
    } else if (is_word_start(c)) {
      std::size_t end = at_;
      while (end < text_.size() && is_word(text_[end])) ++end;
      push(Kind::Word, at_, end - at_);
      at_ = end;
    } else if (is_digit(c)) {
      number();
    } else if (c == '\'') {
      character();
    } else if (c == '"') {
      string();
    } else if (!punct()) {
      bad_character();
    }
  }

  bool punct() {
    for (const std::string_view p : kPuncts) {
      if (!text_.substr(at_).starts_with(p)) continue;
      if (p == ";" && !between_statements()) return false;
      push(Kind::Punct, at_, p.size());
      if (p == "(" || p == "[") open_.push_back(out_.tokens.size() - 1);
      if ((p == ")" || p == "]") && !open_.empty()) open_.pop_back();
      at_ += p.size();
      return true;
    }
    return false;
  }

  // At `;`: outside brackets, with something behind it on its line.
  bool between_statements() const {
    std::size_t next = at_ + 1;
    while (next < text_.size() && is_blank(text_[next])) ++next;
    return open_.empty() && next < text_.size() && is_word_start(text_[next]);
  }

  void number() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view all = text_.substr(start, at_ - start);
    std::string_view digits = all;
    unsigned base = 10;
    if (all.starts_with("0x") || all.starts_with("0X")) base = 16;
    if (all.starts_with("0b") || all.starts_with("0B")) base = 2;
    if (base != 10) digits.remove_prefix(2);

    std::uint64_t value = 0;
    bool good = !digits.empty(), large = false;
    char before = '_';
    for (const char d : digits) {
      const int v = digit_value(d);
      if (d == '_' ? before == '_' : (v < 0 || v >= static_cast<int>(base))) good = false;
      before = d;
      if (!good) break;
      if (d != '_') {
        large |= __builtin_mul_overflow(value, static_cast<std::uint64_t>(base), &value);
        large |= __builtin_add_overflow(value, static_cast<std::uint64_t>(v), &value);
      }
    }
    Token& t = push(good && before != '_' && !large ? Kind::Number : Kind::Bad, start, all.size());
    t.value = value;
    if (t.is(Kind::Number)) return;
    t.silent = true;
    if (!good || before == '_') {
      DiagBuilder d = sink_.error(Code::BadNumber, t.span, fmt::format("`{}` is not a number", all));
      d.help("numbers look like 12, 0xff, 0b101 or 1_000");
      const std::size_t x = all.find('x');
      if (base == 10 && x != std::string_view::npos)
        d.help(fmt::format("to repeat a value write `{} x {}`", all.substr(0, x), all.substr(x + 1)));
    } else {
      sink_.error(Code::NumberTooLarge, t.span, fmt::format("`{}` does not fit 64 bits", all))
          .help("the largest number is 0xffffffffffffffff");
    }
  }

  // The character at at_, or the one an escape stands for; at_ moves behind it. Nothing: not one that may stand between
  // `quote`s.
  std::optional<std::uint8_t> quoted(char quote) {
    if (at_line_end() || text_[at_] < ' ' || text_[at_] > '~' || text_[at_] == quote) return std::nullopt;
    if (text_[at_] != '\\') return static_cast<std::uint8_t>(text_[at_++]);
    ++at_;
    if (at_line_end()) return std::nullopt;
    const char name = text_[at_];
    if (name == 'x') {
      int value = 0;
      for (std::size_t i = at_ + 1; i <= at_ + 2; ++i) {
        const int digit = i < text_.size() ? digit_value(text_[i]) : -1;
        if (digit < 0) return std::nullopt;
        value = value * 16 + digit;
      }
      at_ += 3;
      return static_cast<std::uint8_t>(value);
    }
    constexpr std::string_view kNames = "nrt0\\'\"", kValues("\n\r\t\0\\'\"", 7);
    const std::size_t i = kNames.find(name);
    if (i == std::string_view::npos) return std::nullopt;
    ++at_;
    return static_cast<std::uint8_t>(kValues[i]);
  }

  // Skips what was probably meant to be inside: up to a quote on this line, else to the next blank.
  Token& bad_literal(std::size_t start, char quote) {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n' && text_[end] != quote) ++end;
    if (end < text_.size() && text_[end] == quote) {
      at_ = end + 1;
    } else {
      while (!at_line_end() && !is_blank(text_[at_])) ++at_;
    }
    Token& t = push(Kind::Bad, start, at_ - start);
    t.silent = true;
    return t;
  }

  void character() {
    const std::size_t start = at_++;
    const auto value = quoted('\'');
    if (value && at_ < text_.size() && text_[at_] == '\'') {
      ++at_;
      push(Kind::Number, start, at_ - start).value = *value;
      return;
    }
    const Token& t = bad_literal(start, '\'');
    sink_.error(Code::BadCharLiteral, t.span, "malformed character literal")
        .help("one printable ASCII character between quotes: 'a', or an escape: '\\n' '\\0' '\\\\' '\\'' '\\x89'");
  }

  // "RIFF": the number that these bytes are when they are read as u32be.
  void string() {
    const std::size_t start = at_++;
    std::uint64_t value = 0;
    unsigned count = 0;
    std::optional<std::uint8_t> next;
    while ((next = quoted('"'))) {
      value = value << 8 | *next;
      ++count;
    }
    const bool closed = at_ < text_.size() && text_[at_] == '"';
    if (closed && count >= 1 && count <= kMaxStringCharacters) {
      ++at_;
      Token& t = push(Kind::Number, start, at_ - start);
      t.value = value;
      t.characters = count;
      return;
    }
    const Token& t = bad_literal(start, '"');
    if (closed) {
      DiagBuilder d = sink_.error(Code::BadString, t.span, fmt::format("a string has 1 to {} characters", kMaxStringCharacters));
      d.help(count == 0 ? "it stands for the number that its bytes make, first byte highest"
                        : "it stands for a number of 64 bits; read a longer magic number in parts");
    } else {
      sink_.error(Code::BadString, t.span, "malformed string")
          .help("printable ASCII characters between double quotes: \"RIFF\", or escapes: \"\\x89PNG\\r\\n\"");
    }
  }

  // A run of characters that are no part of the language makes one report.
  void bad_character() {
    const std::size_t start = at_;
    const auto bad = [&](char c) {
      return !is_blank(c) && !is_word(c) && c != '\'' && c != '"' && c != '#' &&
             std::string_view("()[],:=<>+-*/%&|^~.").find(c) == std::string_view::npos;
    };
    do ++at_;
    while (!at_line_end() && bad(text_[at_]));
    const char first = text_[start];
    if (first == ';' || first == '{' || first == '}') at_ = start + 1;
    Token& t = push(Kind::Bad, start, at_ - start);
    t.silent = true;
    if (first == ';' || first == '{' || first == '}') {
      (first == ';' ? semicolons_ : braces_).places.push_back(t.span);
      return;
    }
    const std::string what = at_ - start <= kMaxQuoted ? fmt::format(" `{}`", t.text) : "";
    DiagBuilder d = sink_.error(Code::BadCharacter, t.span,
                                fmt::format("unexpected character{}{}", code_points(t.text) == 1 ? "" : "s", what));
    if (const auto found = find_foreign(Place::Character, t.text.substr(0, 1))) d.help(found->help);
    if (static_cast<unsigned char>(text_[start]) >= 0x80) d.help("only ASCII may stand outside comments");
  }

  // At the end of a line's code: takes the comment, if any.
  void comment(bool own_line) {
    if (at_ >= text_.size() || text_[at_] != '#') return;
    const std::size_t start = at_;
    at_ = std::min(text_.find('\n', at_), text_.size());
    std::size_t end = at_;
    while (is_blank(text_[end - 1]) || text_[end - 1] == '\r') --end;
    out_.comments.push_back({span(start, end - start), own_line});
  }

  void next_line() { at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1; }

  std::string_view text_;
  std::uint32_t file_;
  DiagSink& sink_;
  std::size_t at_ = 0;
  std::vector<std::uint32_t> levels_ = {0};  // columns of the open blocks
  std::vector<std::size_t> open_;            // brackets: their indices in out_.tokens
  Tokens out_;
  bool spaces_ = false;  // some line is indented with spaces alone
  Habit tabs_{Code::TabInIndent, "tab in indentation", "indent with two spaces a level", {}};
  Habit comments_{Code::ForeignWord, "a comment starts with `#`", "the quotient is written `/`", {}};
  Habit semicolons_{Code::ForeignWord, "there is no `;` at the end of a line", "a statement ends with its line; `;` stands between statements of one line", {}};
  Habit braces_{Code::ForeignWord, "there are no braces",
                "a block is what is indented below its head, two spaces a level", {}};
};

}  // namespace

Tokens lex(const SourceSet& sources, std::uint32_t file, DiagSink& sink) { return Lexer(sources, file, sink).run(); }

}  // namespace sluice::ast
