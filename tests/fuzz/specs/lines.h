// A spec as a tree of lines: what generator, mutator and shrinker work on.
//
//   repeat until end of input        {2, "repeat until end of input"}
//     n: u8                          {4, "n: u8"}
//
// A statement that goes on inside brackets is one line here. Comments and empty lines are left out.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::fuzz {

struct Line {
  unsigned indent = 0;
  std::string text;
  friend bool operator==(const Line&, const Line&) = default;
};
using Lines = std::vector<Line>;

[[nodiscard]] Lines parse_lines(std::string_view spec);
[[nodiscard]] std::string print_lines(const Lines& lines);

// One past the last line of the block that line `at` opens: at + 1 when it opens none.
[[nodiscard]] std::size_t end_of_block(const Lines& lines, std::size_t at);

// The lines without [from, to). A block that is left without lines gets `pass`.
[[nodiscard]] Lines without(const Lines& lines, std::size_t from, std::size_t to);

// Words, numbers and operators of a line, blanks left out; joined by join_tokens they mean the same.
[[nodiscard]] std::vector<std::string> tokens_of(std::string_view text);
[[nodiscard]] std::string join_tokens(const std::vector<std::string>& tokens);

[[nodiscard]] bool is_word(std::string_view token);
[[nodiscard]] bool is_number(std::string_view token);

}  // namespace sluice::fuzz
