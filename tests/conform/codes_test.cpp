// Codes of a byte in regions so long that a CPU makes a table of their strings (note [codes] of runtime/prim/code_table.h):
// escapes thick and thin, bytes that no table tells, and every room and every length near the ends.
#include <algorithm>
#include <random>

#include "tests/conform/subjects.h"

namespace sluice::test {
namespace {

constexpr std::uint8_t kEscape = 255;
constexpr std::size_t kCodes = 3000;  // more than prim::kLeastCodes
constexpr std::uint64_t kRoom = 1 << 16;

// A table of `known` symbols of 1 to 8 bytes and `codes`, as a block of FSST.
Bytes block(std::mt19937& random, unsigned known, const Bytes& codes) {
  Bytes counts(8), all;
  for (unsigned i = 0; i < known; ++i) ++counts[random() % 8];
  for (unsigned k = 0; k < 8; ++k) {
    const unsigned size = (k + 1) % 8 + 1;
    for (unsigned n = size * counts[size - 1]; n > 0; --n) all.push_back(static_cast<std::uint8_t>('a' + random() % 26));
  }
  const std::size_t size = 3 + 17 + all.size() + codes.size();
  Bytes made{static_cast<std::uint8_t>(size >> 16), static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size),
             1, 0, 0, 0, 0x0a, 0x14, 0x34, 0x01, 0};
  // The version's bytes, lowest first: 20190218.
  for (unsigned i = 0; i < 4; ++i) made[7 + i] = static_cast<std::uint8_t>(20190218u >> 8 * i);
  for (const Bytes& part : {counts, all, codes}) made.insert(made.end(), part.begin(), part.end());
  return made;
}

// One in `rare` is an escape; 0: none.
Bytes codes(std::mt19937& random, std::size_t n, unsigned known, unsigned rare) {
  Bytes made;
  while (made.size() < n) {
    if (rare != 0 && random() % rare == 0) {
      made.push_back(kEscape);
      made.push_back(static_cast<std::uint8_t>(random() % 4 == 0 ? kEscape : random()));
    } else {
      made.push_back(static_cast<std::uint8_t>(random() % known));
    }
  }
  return made;
}

class CodeTables : public testing::Test {
 protected:
  void check(const Subjects& on, const Bytes& data, const std::string& what, std::uint64_t less = 0) {
    agree_in_pages(on, data, kRoom, less, what);
  }
  std::mt19937 random_{17};
};

TEST_F(CodeTables, OfSymbols) {
  const Subjects& on = subjects("fsst", "");
  ASSERT_TRUE(usable(on));
  for (const unsigned known : {1u, 200u, 255u})
    for (const unsigned rare : {0u, 1u, 2u, 7u, 60u}) {
      const Bytes data = block(random_, known, codes(random_, kCodes, known, rare));
      check(on, data, std::to_string(known) + " symbols, an escape in " + std::to_string(rare), 1200);
    }
}

// Two blocks, the second with fewer symbols: a table is made of each.
TEST_F(CodeTables, OfEachRegion) {
  const Subjects& on = subjects("fsst", "");
  Bytes data = block(random_, 255, codes(random_, kCodes, 255, 20));
  const Bytes second = block(random_, 30, codes(random_, kCodes, 30, 20)), third = block(random_, 30, codes(random_, kCodes, 31, 0));
  data.insert(data.end(), second.begin(), second.end());
  check(on, data, "two blocks");
  data.insert(data.end(), third.begin(), third.end());
  check(on, data, "a third with a code that has no symbol", 600);
}

TEST_F(CodeTables, LengthsAndTruncations) {
  const Subjects& on = subjects("fsst_strings", "");
  const Bytes whole = block(random_, 90, codes(random_, kCodes, 90, 9));
  const std::span<const std::uint8_t> bare = std::span(whole).subspan(3);
  for (std::size_t less = 0; less < 40; ++less) {
    const auto cut = bare.first(bare.size() - less);
    check(on, Bytes(cut.begin(), cut.end()), "cut by " + std::to_string(less));
  }
}

TEST_F(CodeTables, MutatedCodes) {
  const Subjects& on = subjects("fsst", "");
  const Bytes whole = block(random_, 120, codes(random_, kCodes, 120, 12));
  for (unsigned i = 0; i < 120; ++i) {
    Bytes mutant = whole;
    for (auto n = random_() % 3 + 1; n != 0; --n)
      mutant[mutant.size() - 1 - random_() % kCodes] = static_cast<std::uint8_t>(random_() % 2 == 0 ? kEscape : random_());
    check(on, mutant, "mutant " + std::to_string(i), 3);
  }
}

// Several escapes, strings of several values, bytes that are checked against what the stream says, and bytes that are refused.
TEST_F(CodeTables, OfOtherTokens) {
  const Subjects& on = subjects(SLUICE_CODED_BYTES, "");
  ASSERT_EQ(on.codec->problem, "");
  if (!on.jit_missing.empty()) GTEST_SKIP() << on.jit_missing;
  ASSERT_GE(on.all.size(), 2u);
  for (unsigned i = 0; i < 200; ++i) {
    Bytes data{static_cast<std::uint8_t>(200 + random_() % 50)};
    const bool clean = i % 2 == 0;
    while (data.size() < kCodes + random_() % 9) {
      const std::uint8_t byte = static_cast<std::uint8_t>(random_());
      if (byte < 200 || (!clean && random_() % 400 == 0)) data.push_back(byte);
    }
    check(on, data, "bytes " + std::to_string(i), i < 4 ? 700 : 2);
  }
}

}  // namespace
}  // namespace sluice::test
