#pragma once
// A batch of LZ4 blocks in host memory.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/fake_cuda/environment.h"

namespace sluice::test {

// `count` blocks of texts of size(i) bytes; rooms a little larger, poisoned.
struct Chunks {
  std::vector<std::vector<std::uint8_t>> in, out;
  std::vector<Chunk> chunks;
  std::vector<Status> statuses;

  explicit Chunks(std::size_t count, std::size_t (*size)(std::size_t)) {
    for (std::size_t i = 0; i < count; ++i) {
      std::string text;
      for (std::size_t k = 0; k < size(i); ++k) text += static_cast<char>('a' + (i * 7 + k) % 26);
      in.push_back(lz4_block(text));
      out.emplace_back(text.size() + i % 3, std::uint8_t{0xcc});
      expected.push_back(text);
    }
    for (std::size_t i = 0; i < count; ++i) chunks.push_back({in[i], out[i]});
    statuses.resize(count);
  }
  std::vector<std::string> expected;

  void check() const {
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      ASSERT_EQ(statuses[i].error, 0u) << i;
      ASSERT_EQ(statuses[i].produced, expected[i].size()) << i;
      ASSERT_EQ(statuses[i].consumed, in[i].size()) << i;
      ASSERT_TRUE(std::equal(expected[i].begin(), expected[i].end(), out[i].begin())) << i;
      for (std::size_t k = expected[i].size(); k < out[i].size(); ++k) ASSERT_EQ(out[i][k], 0xcc) << i;
    }
  }
};

}  // namespace sluice::test
