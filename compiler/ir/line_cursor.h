#pragma once
// Tokens of IR text: a cursor over one line.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::ir {

// A line that holds something. Comments and trailing blanks are gone.
struct Line {
  std::size_t number = 1;  // 1-based
  std::size_t indent = 0;  // leading spaces
  std::string_view text;   // from the first non-blank on
};
std::vector<Line> split_lines(std::string_view text);

// Every take_* moves only when it returns true (or a value), and skips blanks first unless its name says "here".
class LineCursor {
 public:
  explicit LineCursor(std::string_view text) : text_(text) {}

  bool at_end() { return peek() == '\0'; }
  std::string_view rest() const { return text_.substr(at_); }

  // The next character after blanks, '\0' at the end.
  char peek();
  char peek_here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c);
  bool take_here(char c);

  // A run of letters, digits, `_`, `.`, `-` and `>`; empty when there is none.
  std::string_view word();
  // As word(), without dots: an operator's name.
  std::string_view name();
  // A whole word equal to `expected`.
  bool take_word(std::string_view expected);
  std::optional<std::string> quoted();
  // Decimal, optional minus. Absent when there is none or it does not fit 128 bits.
  std::optional<i128> number();
  // An operand comes next: a number, %, $ or (.
  bool at_operand();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace sluice::ir
