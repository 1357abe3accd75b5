// Output from records whose copies reach into a preset dictionary (note [dictionary] of steps.h), against copies done
// byte by byte: wherever the dictionary ends in front of the window, and whatever of the window is output already.
#if !defined(PRIM_DICTIONARY_SUITE)
#define PRIM_DICTIONARY_SUITE PrimDictionary
#endif
#define SLUICE_MIN_TOKEN 1
#define SLUICE_DICTIONARY 1
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/simt/record_engine.h"
#include "tests/support/guard.h"

namespace sluice::simt::test {
namespace {

using sluice::test::Flush;
using sluice::test::GuardedBuffer;

// A story that is told from the middle: what its first tokens make is the dictionary, what the next ones make is output
// that is there already, in front of which stands what no copy may see.
struct Middle {
  Story story;
  std::size_t dictionary = 0, before = 0;  // bytes
  Records records;                         // of the rest

  Middle(Story whole, std::size_t dictionary_tokens, std::size_t tokens_before)
      : story(std::move(whole)), records(story) {
    const auto bytes_of = [&](std::size_t tokens) {
      std::size_t n = 0;
      for (std::size_t i = 0; i < tokens; ++i) n += story.tokens[i].literals + story.tokens[i].length;
      return n;
    };
    dictionary = bytes_of(dictionary_tokens);
    before = bytes_of(dictionary_tokens + tokens_before) - dictionary;
    records.list.erase(records.list.begin(),
                       records.list.begin() + static_cast<std::ptrdiff_t>(dictionary_tokens + tokens_before));
  }
};

// `unseen`: bytes of output in front of the window.
void expect_rest(const Middle& m, std::uint64_t seed, std::size_t skew, std::size_t unseen) {
  const std::vector<u8>& text = m.story.text;
  const std::size_t start = kEdge + skew, size = text.size() - m.dictionary, end = start + unseen + size;
  std::vector<u8> memory(end + kEdge, kBlank);
  std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(m.dictionary), m.before,
              memory.begin() + static_cast<std::ptrdiff_t>(start + unseen));
  std::vector<u8> whole(seed % 3 * 70, kBlank);  // what the dictionary begins with is out of reach
  whole.insert(whole.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(m.dictionary));
  GuardedBuffer dictionary(whole, seed % 2 == 0 ? Flush::Start : Flush::End);
  const Told told = tell(
      m.records.list, m.records.literals,
      {memory.data() + start, unseen + m.before, unseen + size, unseen, m.dictionary, dictionary.bytes().data(), whole.size()}, seed);
  EXPECT_EQ(told.taken, m.records.list.size());
  EXPECT_EQ(told.made, size - m.before);
  EXPECT_FALSE(told.refused);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool inside = i >= start + unseen && i < end;
    ASSERT_EQ(memory[i], inside ? text[i - start - unseen + m.dictionary] : kBlank)
        << "byte " << i << " of " << size << ", seed " << seed;
  }
}

TEST(PRIM_DICTIONARY_SUITE, CopiesOfAllKinds) {
  std::mt19937 random(0xd1c7);
  std::uint64_t seed = 0;
  for (const u32 farthest : {9u, 300u, 5000u})
    for (const u32 longest : {5u, 64u, 700u})
      for (const u32 tokens : {40u, 150u})
        for (const std::size_t dictionary : {1u, 7u, 30u})
          for (const std::size_t before : {0u, 1u, 9u}) {
            ++seed;
            expect_rest(Middle(random_story(random, tokens, farthest, longest), dictionary, before), seed, seed % 17,
                        seed % 3 * 50);
          }
}

// Whole steps of the dictionary, copies that go on in the window, and short periods whose first one is the dictionary's
// end.
TEST(PRIM_DICTIONARY_SUITE, LongCopies) {
  for (u32 seed = 0; seed < 40; ++seed) {
    Story story;
    story.add({1000, 1, 0});
    for (const u32 distance : {1000u, 1u, 3u, 700u, 64u, 129u, 1500u}) {
      story.add({seed % 3, std::min<u32>(distance, static_cast<u32>(story.text.size())), 250 + 61 * (seed % 7)});
      expect_rest(Middle(story, 1 + seed % story.tokens.size() / 2, 0), seed, seed % 17, 0);
    }
  }
}

// One byte farther than the dictionary's first one, and as far as that.
TEST(PRIM_DICTIONARY_SUITE, WhatLiesBeforeItIsRefused) {
  std::vector<u8> memory(4096, kBlank);
  const std::vector<u8> input(64, 1), dictionary(100, 2);
  for (const u32 farther : {0u, 1u}) {
    const std::vector<Record> records{{5, 0, 0, 0}, {0, 5, 3, 105 + farther}};
    const u64 size = dictionary.size();
    const Told told = tell(records, input, {memory.data() + kEdge, 0, 100, 0, size, dictionary.data(), size}, farther);
    EXPECT_EQ(told.refused, farther != 0);
    EXPECT_EQ(told.made, farther != 0 ? 5u : 8u);
  }
}

}  // namespace
}  // namespace sluice::simt::test
