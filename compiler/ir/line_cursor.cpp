#include "compiler/ir/line_cursor.h"

namespace sluice::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_char(char c) { return is_name_char(c) || c == '.' || c == '-' || c == '>'; }

// The line up to a `#` outside quotes, without trailing blanks.
std::string_view content(std::string_view line) {
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (in_quotes && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      in_quotes = !in_quotes;
    } else if (line[i] == '#' && !in_quotes) {
      line = line.substr(0, i);
    }
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = content(text.substr(0, end));
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent != std::string_view::npos) lines.push_back({number, indent, line.substr(indent)});
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

char LineCursor::peek() {
  while (peek_here() == ' ') ++at_;
  return peek_here();
}

bool LineCursor::take_here(char c) {
  if (peek_here() != c) return false;
  ++at_;
  return true;
}

bool LineCursor::take(char c) {
  peek();
  return take_here(c);
}

std::string_view LineCursor::word() {
  peek();
  const std::size_t start = at_;
  while (is_word_char(peek_here())) ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view LineCursor::name() {
  peek();
  const std::size_t start = at_;
  while (is_name_char(peek_here())) ++at_;
  return text_.substr(start, at_ - start);
}

bool LineCursor::take_word(std::string_view expected) {
  const std::size_t start = at_;
  if (word() == expected) return true;
  at_ = start;
  return false;
}

std::optional<std::string> LineCursor::quoted() {
  const std::size_t start = at_;
  if (!take('"')) return std::nullopt;
  std::string text;
  while (peek_here() != '\0') {
    const char c = text_[at_++];
    if (c == '"') return text;
    if (c == '\\' && peek_here() != '\0') {
      text += text_[at_++];
    } else {
      text += c;
    }
  }
  at_ = start;
  return std::nullopt;
}

std::optional<i128> LineCursor::number() {
  // Keeps value * 10 + 9 below 2^127.
  constexpr i128 kRoom = static_cast<i128>(1) << 120;
  const std::size_t start = at_;
  peek();
  const bool negative = take_here('-');
  const std::size_t digits = at_;
  i128 value = 0;
  while (is_digit(peek_here()) && value < kRoom) value = value * 10 + (text_[at_++] - '0');
  if (at_ == digits || is_digit(peek_here())) {
    at_ = start;
    return std::nullopt;
  }
  return negative ? -value : value;
}

bool LineCursor::at_operand() {
  const char c = peek();
  if (c == '-') return at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  return is_digit(c) || c == '%' || c == '$' || c == '(';
}

}  // namespace sluice::ir
