// Output from records whose literals are values of their tokens, and no piece of the input (note [values] of steps.h),
// against copies done byte by byte.
#if !defined(PRIM_VALUES_SUITE)
#define PRIM_VALUES_SUITE PrimValues
#endif
#define SLUICE_MIN_TOKEN 1
#define SLUICE_VALUES 1
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/simt/record_engine.h"

namespace sluice::simt::test {
namespace {

// A story's records: a value each, the last one of a token's literals with the copy behind it.
std::vector<Record> values_of(const Story& story) {
  std::vector<Record> list;
  std::size_t made = 0;
  for (const Token& token : story.tokens) {
    for (u32 i = 0; i < token.literals; ++i) list.push_back({1, story.text[made + i], 0, 0});
    if (token.literals == 0) list.push_back({0, 0, 0, 0});
    list.back().length = token.length;
    list.back().distance = token.distance;
    made += token.literals + token.length;
  }
  return list;
}

void expect_text(const Story& story, std::uint64_t seed, std::size_t skew) {
  const std::size_t start = kEdge + skew, size = story.text.size();
  std::vector<u8> memory(start + size + kEdge, kBlank);
  const std::vector<Record> records = values_of(story);
  // No input: nothing is fetched from there.
  const Told told = tell(records, {}, {memory.data() + start, 0, size, 0}, seed);
  EXPECT_EQ(told.taken, records.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool inside = i >= start && i < start + size;
    ASSERT_EQ(memory[i], inside ? story.text[i - start] : kBlank) << "byte " << i << " of " << size << ", seed " << seed;
  }
}

TEST(PRIM_VALUES_SUITE, CopiesOfThem) {
  std::mt19937 random(0x7a1);
  std::uint64_t seed = 0;
  for (const u32 farthest : {1u, 2u, 9u, 40u, 300u, 5000u})
    for (const u32 longest : {0u, 5u, 64u, 300u})
      for (const u32 tokens : {1u, 31u, 150u}) {
        ++seed;
        expect_text(random_story(random, tokens, farthest, longest), seed, seed % 17);
      }
}

// Each byte that there is, by itself and as a chain's end.
TEST(PRIM_VALUES_SUITE, EveryByte) {
  Story story;
  for (u32 i = 0; i < 256; ++i) {
    story.add({1, 1, i % 3});
    story.text[story.text.size() - 1 - i % 3] = static_cast<u8>(i);
    for (u32 k = 0; k < i % 3; ++k) story.text[story.text.size() - 1 - k] = static_cast<u8>(i);
  }
  expect_text(story, 3, 5);
}

}  // namespace
}  // namespace sluice::simt::test
