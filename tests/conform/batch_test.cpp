// Batches through the public API: a bad chunk in the middle leaves the others intact, whatever the number of threads.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/api/sluice.hpp"
#include "tests/support/files.h"
#include "tests/support/subject.h"
#include "tests/support/vectors.h"

namespace sluice::test {
namespace {

class Batches : public testing::TestWithParam<std::string> {};

struct Item {
  const Vector* vector;
  Bytes out;
  bool bad;
  std::vector<Bytes> further = {};              // room for the format's other outputs: what a good one needs
  std::vector<std::span<std::uint8_t>> rooms = {};  // these
};

// Good and bad vectors of the codec in turn, `kRounds` times over. Good ones come again without room for their last byte, which
// is bad in formats that refuse nothing, too.
std::vector<Item> mixed(const Decoder& decoder, const std::string& codec, const std::vector<Vector>& vectors) {
  constexpr unsigned kRounds = 5;
  std::vector<Item> items;
  for (unsigned round = 0; round < kRounds; ++round) {
    for (const Vector& vector : vectors) {
      if (vector.codec != codec || !vector.set.empty() || !vector.dictionary.empty()) continue;
      items.push_back({&vector, Bytes(vector.out ? vector.out->size() : 64, 0xcc), !vector.out});
      if (vector.out && !vector.out->empty()) items.push_back({&vector, Bytes(vector.out->size() - 1, 0xcc), true});
    }
  }
  for (Item& item : items) {
    item.further = item.vector->further;
    if (!item.vector->out) item.further.assign(decoder.further_outputs().size(), Bytes(64));
    for (Bytes& bytes : item.further) {
      std::ranges::fill(bytes, std::uint8_t{0xcc});
      item.rooms.emplace_back(bytes);
    }
  }
  return items;
}

void run(const Decoder& decoder, const std::string& codec, unsigned threads, std::vector<Status>& statuses) {
  const std::vector<Vector> vectors = all_vectors();
  std::vector<Item> items = mixed(decoder, codec, vectors);
  std::vector<Chunk> chunks;
  for (Item& item : items) {
    // Elements wider than a byte: the buffer of a bad chunk is a whole number of them.
    chunks.push_back({item.vector->in, item.out, item.rooms});
  }
  statuses.assign(chunks.size(), Status{});
  ASSERT_EQ(decoder.decode_batch(chunks, statuses, Batch{{}, {}, threads}), "");
  unsigned good = 0;
  unsigned bad = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Vector& vector = *items[i].vector;
    SCOPED_TRACE(vector.name + " as chunk " + std::to_string(i));
    if (items[i].bad) {
      ++bad;
      EXPECT_NE(statuses[i].error, 0u);
      EXPECT_NE(decoder.describe(statuses[i].error, i).find("chunk " + std::to_string(i)), std::string::npos)
          << decoder.describe(statuses[i].error, i);
      continue;
    }
    ++good;
    EXPECT_EQ(decoder.describe(statuses[i].error, i), "");
    EXPECT_EQ(statuses[i].produced * decoder.output_element_bytes(), vector.out->size());
    EXPECT_EQ(items[i].out, *vector.out);
    EXPECT_EQ(items[i].further, vector.further);
  }
  EXPECT_GT(good, 5u);
  EXPECT_GT(bad, 5u);
}

TEST_P(Batches, BadChunksLeaveOthersIntact) {
  for (const Target target : {Target::Interp, Target::Auto}) {
    Options options;
    options.target = target;
    const auto decoder = Decoder::from_name(GetParam(), options);
    ASSERT_TRUE(static_cast<bool>(decoder)) << decoder.error().text;
    SCOPED_TRACE(decoder->engine());
    std::vector<Status> alone;
    run(*decoder, GetParam(), 1, alone);
    for (const unsigned threads : {2u, 4u, 0u}) {
      SCOPED_TRACE(std::to_string(threads) + " threads");
      std::vector<Status> together;
      run(*decoder, GetParam(), threads, together);
      EXPECT_TRUE(together == alone) << "statuses depend on the number of threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, Batches, testing::ValuesIn(codec_names()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sluice::test
