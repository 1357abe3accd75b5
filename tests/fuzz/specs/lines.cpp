#include "tests/fuzz/specs/lines.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sluice::fuzz {
namespace {

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The line without its comment. A '#' in a character constant is none.
std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'')
      i += i + 1 < line.size() && line[i + 1] == '\\' ? 3 : 2;
    else if (line[i] == '"')
      i = std::min(line.find('"', i + 1), line.size());
    else if (line[i] == '#')
      return line.substr(0, i);
  }
  return line;
}

bool opens_block(const Lines& lines, std::size_t at) {
  return at + 1 < lines.size() && lines[at + 1].indent > lines[at].indent;
}

}  // namespace

Lines parse_lines(std::string_view spec) {
  Lines lines;
  int open = 0;
  while (!spec.empty()) {
    const std::size_t end = std::min(spec.find('\n'), spec.size());
    std::string_view line = without_comment(spec.substr(0, end));
    spec.remove_prefix(std::min(end + 1, spec.size()));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    if (line.empty()) continue;
    if (open > 0 && !lines.empty()) {
      lines.back().text += " ";
      lines.back().text += line;
    } else {
      lines.push_back({static_cast<unsigned>(indent), std::string(line)});
    }
    for (const char c : line) open += (c == '(' || c == '[') - (c == ')' || c == ']');
    open = std::max(open, 0);
  }
  return lines;
}

std::string print_lines(const Lines& lines) {
  std::string text;
  for (const Line& line : lines) text += std::string(line.indent, ' ') + line.text + "\n";
  return text;
}

std::size_t end_of_block(const Lines& lines, std::size_t at) {
  std::size_t end = at + 1;
  while (end < lines.size() && lines[end].indent > lines[at].indent) ++end;
  return end;
}

Lines without(const Lines& lines, std::size_t from, std::size_t to) {
  Lines rest(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(from));
  const bool first = from > 0 && opens_block(lines, from - 1);
  const bool last = to >= lines.size() || lines[to].indent < lines[from].indent;
  if (first && last && from > 0) rest.push_back({lines[from].indent, "pass"});
  rest.insert(rest.end(), lines.begin() + static_cast<std::ptrdiff_t>(to), lines.end());
  return rest;
}

std::vector<std::string> tokens_of(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kLong{
      "<<", ">>", "<=", ">=", "==", "!=", "..", ":=", "->", "+%", "-%", "*%"};
  std::vector<std::string> tokens;
  while (!text.empty()) {
    std::size_t size = 1;
    if (text[0] == ' ') {
      text.remove_prefix(1);
      continue;
    }
    if (word_character(text[0])) {
      while (size < text.size() && word_character(text[size])) ++size;
    } else if (text[0] == '"') {
      size = std::min(text.find('"', 1), text.size() - 1) + 1;
    } else if (text[0] == '\'') {
      size = std::min<std::size_t>(text.size(), text.size() > 1 && text[1] == '\\' ? 4 : 3);
    } else {
      for (const std::string_view op : kLong)
        if (text.starts_with(op)) size = op.size();
    }
    tokens.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return tokens;
}

std::string join_tokens(const std::vector<std::string>& tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    const bool tight = i == 0 || token == "." || tokens[i - 1] == "." || token == "," || token == ")" || token == "]" ||
                       token == ":" || tokens[i - 1] == "(" || tokens[i - 1] == "[" || token == ".." ||
                       tokens[i - 1] == ".." || ((token == "(" || token == "[") && is_word(tokens[i - 1]));
    if (!tight) text += ' ';
    text += token;
  }
  return text;
}

bool is_word(std::string_view token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_');
}

bool is_number(std::string_view token) {
  return !token.empty() && std::isdigit(static_cast<unsigned char>(token[0])) != 0;
}

}  // namespace sluice::fuzz
