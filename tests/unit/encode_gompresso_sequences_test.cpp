// Sequences of the Gompresso encoders: they rebuild the block, keep their limits, and nest as deep as they should.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "codecs/gompresso_byte/lz_sequences.h"
#include "tests/support/nesting.h"

namespace sluice::encode {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes rebuilt(std::span<const std::uint8_t> block, std::span<const Sequence> sequences) {
  Bytes out;
  for (const Sequence& sequence : sequences) {
    const auto literals = block.subspan(out.size(), sequence.literals);
    out.insert(out.end(), literals.begin(), literals.end());
    for (std::uint32_t i = 0; i < sequence.length; ++i) out.push_back(out[out.size() - sequence.distance]);
  }
  return out;
}

struct Placed {
  std::size_t copy_at = 0;  // output position of the copy
  std::size_t end = 0;
  std::size_t source_end = 0;
  bool copies = false;
};

std::vector<Placed> placed(std::span<const Sequence> sequences) {
  std::vector<Placed> all;
  std::size_t position = 0;
  for (const Sequence& sequence : sequences) {
    const std::size_t copy_at = position + sequence.literals;
    position = copy_at + sequence.length;
    all.push_back({copy_at, position, position - sequence.distance, sequence.length != 0});
  }
  return all;
}

// Rounds of multi-round resolution (paper, figure 5) of each whole group. The mark is the start of the first pending
// copy, because literals are written first; and that copy is always resolved, even where it reads what it writes.
std::vector<unsigned> rounds(std::span<const Sequence> sequences, std::size_t group) {
  const std::vector<Placed> all = placed(sequences);
  std::vector<unsigned> counts;
  for (std::size_t first = 0; first + group <= all.size(); first += group) {
    std::vector<Placed> pending;
    for (const Placed& one : std::span(all).subspan(first, group)) {
      if (one.copies) pending.push_back(one);
    }
    unsigned count = 0;
    while (!pending.empty()) {
      ++count;
      const std::size_t mark = pending.front().copy_at;
      pending.erase(pending.begin());
      std::erase_if(pending, [&](const Placed& one) { return one.source_end <= mark; });
    }
    counts.push_back(count);
  }
  return counts;
}

Bytes words(std::size_t size) {
  static constexpr const char* kWords[] = {"gate ", "water ", "the ", "drop", "let through ", "1234", "\n"};
  Bytes out;
  std::uint32_t state = 1;
  while (out.size() < size) {
    state = state * 1664525 + 1013904223;
    const std::string word = kWords[(state >> 24) % 7];
    out.insert(out.end(), word.begin(), word.end());
  }
  out.resize(size);
  return out;
}

Bytes noise(std::size_t size) {
  Bytes out;
  std::uint32_t state = 7;
  while (out.size() < size) {
    state = state * 1664525 + 1013904223;
    out.push_back(static_cast<std::uint8_t>(state >> 24));
  }
  return out;
}

std::vector<Bytes> blocks() {
  Bytes changes = words(5000);
  changes.insert(changes.end(), 5000, 'z');
  const Bytes more = noise(3000);
  changes.insert(changes.end(), more.begin(), more.end());
  changes.insert(changes.end(), more.begin(), more.end());
  return {{}, {1}, {1, 1, 1}, Bytes(100000, 0), words(60000), noise(20000), changes, test::nested_data(20000, 32)};
}

TEST(GompressoSequences, RebuildTheBlockWithinTheirLimits) {
  for (const Bytes& block : blocks()) {
    for (const bool independent : {false, true}) {
      for (const std::uint32_t shortest : {3u, 4u}) {
        LzSettings settings;
        settings.independent = independent;
        settings.shortest = shortest;
        settings.window = 1000;
        settings.longest = 40;
        const auto sequences = lz_sequences(block, settings);
        ASSERT_EQ(rebuilt(block, sequences), block);
        for (const Sequence& sequence : sequences) {
          if (sequence.length == 0) continue;
          EXPECT_GE(sequence.length, shortest);
          EXPECT_LE(sequence.length, 40u);
          EXPECT_LE(sequence.distance, 1000u);
        }
      }
    }
  }
}

TEST(GompressoSequences, IndependentCopiesEndBelowTheGroupsMark) {
  for (const Bytes& block : blocks()) {
    LzSettings settings;
    settings.independent = true;
    const auto sequences = lz_sequences(block, settings);
    const auto all = placed(sequences);
    std::size_t mark = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % settings.group == 0) mark = i == 0 ? 0 : all[i - 1].end;
      if (all[i].copies) {
        ASSERT_LE(all[i].source_end, mark) << "sequence " << i;
      }
    }
  }
}

// Without a way out of the first group, in which nothing can be copied, these would be literals from end to end.
TEST(GompressoSequences, EliminationLeavesRepetitionsCompressible) {
  LzSettings settings;
  settings.independent = true;
  for (const Bytes& block : {Bytes(100000, 0), words(100000)}) {
    std::size_t literals = 0;
    for (const Sequence& sequence : lz_sequences(block, settings)) literals += sequence.literals;
    EXPECT_LT(literals, 3000u);
  }
}

TEST(GompressoSequences, BoundOnSequencesHolds) {
  for (const Bytes& block : blocks()) {
    LzSettings settings;
    EXPECT_LE(lz_sequences(block, settings).size(), block.size() / settings.shortest + 1);
    settings.independent = true;
    EXPECT_LE(lz_sequences(block, settings).size(), block.size() + 1);
  }
}

TEST(GompressoNesting, GroupsTakeTheWantedRounds) {
  for (const unsigned depth : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const Bytes data = test::nested_data(60000, depth);
    for (const std::uint32_t shortest : {3u, 4u}) {
      LzSettings settings;
      settings.shortest = shortest;
      const auto sequences = lz_sequences(data, settings);
      const auto counts = rounds(sequences, settings.group);
      ASSERT_GT(counts.size(), 100u);
      // Where the strings come for the first time, matches are what they happen to be: 32 strings, less than two
      // groups.
      for (std::size_t i = 2; i < counts.size(); ++i)
        ASSERT_EQ(counts[i], depth) << "group " << i << ", shortest " << shortest;
    }
  }
}

TEST(GompressoNesting, EliminationMakesOneRound) {
  LzSettings settings;
  settings.independent = true;
  for (const unsigned count : rounds(lz_sequences(test::nested_data(60000, 32), settings), settings.group))
    EXPECT_LE(count, 1u);
}

}  // namespace
}  // namespace sluice::encode
