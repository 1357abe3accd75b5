// Streams that are begun together (note [streams] of runtime/prim/streams.h) against the interpreter: of every number, of sizes that
// meet and do not, right and wrong in each one's beginning, middle and end.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/unit/emit_loops_fixture.h"

namespace sluice::loops_test {
namespace {

// Codes of 1 to 11 bits, handed out from the longest on: note [longest first] of runtime/prim/codes.h.
constexpr std::array<unsigned, 15> kLengths{1, 3, 3, 4, 4, 5, 5, 5, 6, 7, 8, 9, 10, 11, 11};

std::array<unsigned, kLengths.size()> codes() {
  std::array<unsigned, kLengths.size()> made{};
  unsigned code = 0;
  for (unsigned length = 1; length <= 11; ++length, code *= 2)
    for (std::size_t s = made.size(); s-- > 0;)
      if (kLengths[s] == length) made[s] = ~code++ & ((1u << length) - 1);
  return made;
}

// Symbols as they are read from the end on.
Bytes stream(const Bytes& symbols) {
  std::vector<bool> bits;
  for (const std::uint8_t s : symbols)
    for (unsigned i = kLengths[s]; i-- > 0;) bits.push_back((codes()[s] >> i & 1) != 0);
  Bytes made(bits.size() / 8 + 1);
  const std::size_t all = bits.size();
  for (std::size_t i = 0; i < all; ++i) made[(all - 1 - i) / 8] |= static_cast<std::uint8_t>(bits[i] << (all - 1 - i) % 8);
  made[all / 8] |= static_cast<std::uint8_t>(1u << all % 8);
  return made;
}

struct Case {
  std::vector<Bytes> streams;
  std::vector<std::size_t> counts;

  Bytes input() const {
    Bytes made;
    for (std::size_t k = 0; k < streams.size(); ++k)
      for (const std::size_t n : {streams[k].size(), counts[k]})
        for (unsigned b = 0; b < 2; ++b) made.push_back(static_cast<std::uint8_t>(n >> 8 * b));
    for (const Bytes& s : streams) made.insert(made.end(), s.begin(), s.end());
    return made;
  }
};

class EmitStreams : public testing::TestWithParam<unsigned> {
 protected:
  // The last one takes what is left.
  std::string spec() const {
    std::string sizes, calls;
    for (unsigned k = 0; k < GetParam(); ++k) {
      sizes += fmt::format("  size_{0}: u16le\n  count_{0}: u16le\n", k);
      calls += k + 1 < GetParam() ? fmt::format("    stream(size_{0}, count_{0})\n", k) : fmt::format("    stream(remaining, count_{0})\n", k);
    }
    return fmt::format(
        "format f\n  input bits lsb\n  output bytes\n  trailing reject rest\n  table lengths: u4 = [{}]\n  prefix_code code(15, 11), longest first\n  buffer text[9000]\n"
        "  rule stream(size: u32, count: u16)\n    producing count\n      within size bytes, backward\n        repeat until end of input\n"
        "          s: code\n          emit s\n  build code from lengths\n{}  into text\n{}  literals text[0, count of text]\n",
        fmt::join(kLengths, ", "), sizes, calls);
  }

  void SetUp() override {
    Options options;
    options.target = Target::Interp;
    auto interp = Decoder::from_text(spec(), "spec.sluice", options);
    ASSERT_TRUE(interp) << interp.error().text;
    interp_.emplace(*std::move(interp));
    options.target = Target::Cpu;
    auto cpu = Decoder::from_text(spec(), "spec.sluice", options);
    if (!cpu && !compiles()) GTEST_SKIP() << cpu.error().text;
    ASSERT_TRUE(cpu) << cpu.error().text;
    cpu_.emplace(*std::move(cpu));
  }

  // So many symbols; `most`: the one that is as long as any.
  Bytes symbols(std::size_t n, unsigned most) {
    Bytes made(n);
    for (std::uint8_t& s : made) s = static_cast<std::uint8_t>(random_() % (random_() % most + 1));
    return made;
  }
  Case good(const std::vector<std::size_t>& counts, unsigned most = static_cast<unsigned>(kLengths.size())) {
    Case made;
    for (const std::size_t n : counts) {
      made.streams.push_back(stream(symbols(n, most)));
      made.counts.push_back(n);
    }
    return made;
  }
  bool agree(const Bytes& in, const std::string& what) {
    constexpr std::size_t kRoom = 9000;
    const Outcome expected = decode(*interp_, in, kRoom), got = decode(*cpu_, in, kRoom);
    EXPECT_EQ(cpu_->describe(got.status.error, 0), interp_->describe(expected.status.error, 0)) << what;
    EXPECT_EQ(got.status, expected.status) << what;
    EXPECT_TRUE(got.bytes == expected.bytes) << what;
    EXPECT_TRUE(got.intact) << what;
    return expected.status.error == 0;
  }
  std::vector<std::size_t> equal(std::size_t n) const { return std::vector<std::size_t>(GetParam(), n); }

  std::optional<Decoder> interp_, cpu_;
  std::mt19937 random_{11};
};

TEST_P(EmitStreams, OfEveryLength) {
  for (std::size_t n = 0; n < 120; ++n) ASSERT_TRUE(agree(good(equal(n)).input(), fmt::format("{} symbols each", n)));
  for (const unsigned most : {1u, 2u, 5u, 15u})
    for (const std::size_t n : {200, 777, 1024}) ASSERT_TRUE(agree(good(equal(n), most).input(), fmt::format("{} of {}", n, most)));
}

// One that is short keeps all others to a few rounds, wherever it stands.
TEST_P(EmitStreams, OfLengthsThatDiffer) {
  for (unsigned at = 0; at < GetParam(); ++at)
    for (const std::size_t n : {0, 1, 9, 10, 11, 40, 333, 1500}) {
      std::vector<std::size_t> counts = equal(500);
      counts[at] = n;
      ASSERT_TRUE(agree(good(counts).input(), fmt::format("{} in stream {}", n, at)));
    }
}

// A bit of each byte: where a stream begins, on its way, and in what it does alone at its end.
TEST_P(EmitStreams, WithABitTurned) {
  const Case right = good(equal(300));
  unsigned refused = 0;
  for (unsigned at = 0; at < GetParam(); ++at)
    for (std::size_t byte = 0; byte < right.streams[at].size(); ++byte) {
      Case wrong = right;
      wrong.streams[at][byte] ^= static_cast<std::uint8_t>(1u << random_() % 8);
      refused += agree(wrong.input(), fmt::format("byte {} of stream {}", byte, at)) ? 0 : 1;
      if (HasFailure()) return;
    }
  EXPECT_GE(refused, 20 * GetParam()) << "hardly any of them is wrong";
}

TEST_P(EmitStreams, WithSizesAndCountsThatAreNotTheirs) {
  const Case right = good(equal(300));
  for (unsigned at = 0; at < GetParam(); ++at) {
    for (const int more : {-300, -2, -1, 1, 2, 9000, 60000}) {
      Case wrong = right;
      wrong.counts[at] = static_cast<std::size_t>(static_cast<int>(wrong.counts[at]) + more) & 0xffff;
      EXPECT_FALSE(agree(wrong.input(), fmt::format("{} more of stream {}", more, at)));
    }
    Case cut = right, padded = right, none = right;
    cut.streams[at].erase(cut.streams[at].begin());
    EXPECT_FALSE(agree(cut.input(), fmt::format("stream {} cut", at)));
    padded.streams[at].insert(padded.streams[at].begin(), 0x11);
    EXPECT_FALSE(agree(padded.input(), fmt::format("stream {} longer", at)));
    none.streams[at].back() = 0;
    EXPECT_FALSE(agree(none.input(), fmt::format("stream {} without padding", at)));
    Bytes in = right.input();
    in[4 * at] = static_cast<std::uint8_t>(in[4 * at] + 1);  // a size: those behind begin elsewhere
    EXPECT_EQ(agree(in, fmt::format("size of stream {}", at)), at + 1 == GetParam());
  }
  const Bytes whole = right.input();
  for (std::size_t n = 0; n < whole.size(); n += 1 + n / 50) EXPECT_FALSE(agree(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)), fmt::format("{} bytes", n)));
}

INSTANTIATE_TEST_SUITE_P(Of, EmitStreams, testing::Values(2u, 3u, 4u, 5u, 6u));

// The code is built on one of two ways: on the other all entries leave, and no stream is begun.
TEST(EmitStreamsUnbuilt, CodesThatNobodyHasBuilt) {
  expect_agreement(format("bits lsb", "bytes", R"(
  table lengths: u4 = [1, 2, 3, 3]
  prefix_code code(4, 3)
  buffer text[5000]
  rule stream(size: u32, count: u16)
    producing count
      within size bytes, backward
        repeat until end of input
          s: code
          emit s
  n: u8
  when n < 100
    build code from lengths
  else
    emit 7
  repeat 200 times
    emit 1
  into text
    stream(remaining / 2, 40)
    stream(remaining, 40)
)"));
}

}  // namespace
}  // namespace sluice::loops_test
