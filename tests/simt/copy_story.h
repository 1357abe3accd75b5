#pragma once
// Lists of literals and copies, and what they make byte by byte: what tests of copies are compared with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace sluice::simt::test {

struct Token {
  std::uint32_t literals = 0, distance = 0, length = 0;
};

// A list of tokens and what they make, byte by byte.
struct Story {
  std::vector<Token> tokens;
  std::vector<std::uint8_t> text;

  void add(Token token) {
    for (std::uint32_t i = 0; i < token.literals; ++i) text.push_back(static_cast<std::uint8_t>(text.size() * 151 >> 3));
    ASSERT_GE(text.size(), token.distance);
    for (std::uint32_t i = 0; i < token.length; ++i) text.push_back(text[text.size() - token.distance]);
    tokens.push_back(token);
  }
};

// Distances are drawn up to `farthest`, lengths up to `longest`.
inline Story random_story(std::mt19937& random, std::uint32_t tokens, std::uint32_t farthest, std::uint32_t longest) {
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  Story story;
  story.add({40, 1, 0});
  for (std::uint32_t i = 0; i < tokens; ++i) {
    Token token{below(3) ? 0 : below(20), 0, below(longest + 1)};
    token.distance = 1 + below(std::min<std::size_t>(farthest, story.text.size() + token.literals));
    story.add(token);
  }
  return story;
}

}  // namespace sluice::simt::test
