// Streams of one code that a warp begins together (note [streams] of runtime/prim/streams.h): what is decoded is what was written, as far
// as it says; no stream gets past its start or its count, nothing is stored elsewhere, and what can't be begun is not.
#define SLUICE_WARPS 1

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"
#include "tests/simt/longest_first_code.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/stream_start.h"
#include "runtime/prim/cuda/streams.h"

#pragma GCC diagnostic pop

typedef prim::Stream<prim::Input::Turning, prim::Buffer::Shared> Stream;
constexpr u32 kStreams = 4, kSymbols = 40, kMax = 11;
constexpr u8 kUntouched = 0xee;

struct Written {
  std::vector<u8> bytes;    // one stream behind the other
  std::vector<u64> sizes;
  std::vector<std::vector<u8>> symbols;
};

// Symbols of a complete code whose longest codes come first, into regions that are read from their end.
Written write(std::mt19937& random, const std::vector<u8>& lengths, const std::vector<u32>& codes, u64 most) {
  Written made;
  for (u32 k = 0; k < kStreams; ++k) {
    std::vector<u8> symbols(random() % (most + 1));
    std::vector<bool> bits;  // the first one read first
    for (u8& s : symbols) {
      s = static_cast<u8>(random() % lengths.size());
      for (u32 n = lengths[s]; n > 0; --n) bits.push_back((codes[s] >> (n - 1) & 1) != 0);
    }
    const u64 size = bits.size() / 8 + 1;  // with the bit that ends the padding
    std::vector<u8> bytes(size);
    const auto set = [&](u64 bit) { bytes[bit / 8] = static_cast<u8>(bytes[bit / 8] | 1 << bit % 8); };
    set(bits.size());
    for (u64 i = 0; i < bits.size(); ++i)
      if (bits[i]) set(bits.size() - 1 - i);
    made.bytes.insert(made.bytes.end(), bytes.begin(), bytes.end());
    made.sizes.push_back(size);
    made.symbols.push_back(std::move(symbols));
  }
  return made;
}

struct Code {
  std::vector<u8> lengths;
  std::vector<u32> codes;
  explicit Code(std::mt19937& random) : lengths(complete_lengths(random, kSymbols, kMax)), codes(longest_first(lengths, kMax)) {}
};

// `behind`: bytes of input behind the streams. `lie`: counts are not those of what was written.
void begin(unsigned seed, u64 most, u64 behind, bool lie) {
  std::mt19937 random(seed);
  const Code code(random);
  Written written = write(random, code.lengths, code.codes, most);
  const u64 skew = random() % 8, bytes = written.bytes.size() + behind;
  const std::unique_ptr<u8[]> memory(new u8[bytes + skew]);
  std::copy(written.bytes.begin(), written.bytes.end(), memory.get() + skew);
  std::vector<u64> counts;
  u64 all = 0;
  for (const auto& symbols : written.symbols) all += counts.emplace_back(lie ? random() % (2 * most + 1) : symbols.size());
  std::vector<u8> out(all + 1, kUntouched);
  static prim::Code<kSymbols, kMax> built;
  static u32 table[1u << kMax], info[kSymbols];
  static prim::NarrowEntry narrow[1u << kMax];
  for (u32 s = 0; s < kSymbols; ++s) info[s] = s << 16;
  std::vector<std::vector<prim::StreamStart>> starts(32);
  std::vector<bool> known(32);
  const Report report = launch(grid(32, seed), [&] {
    prim::build_code(built, code.lengths.data(), code.lengths.size(), prim::kLongestFirst);
    if (seed % 2 == 0) prim::build_table<true, kMax, kMax>(table, built, info);
    else prim::build_table<true, kMax, kMax>(narrow, built, info);
    Stream s{};
    s.in = memory.get() + skew;
    s.size = bytes;
    s.end = 8 * bytes;
    s.out = out.data();
    s.out_end = all;
    prim::open(s);
    prim::StreamStart mine[kStreams] = {};
    bool there = true;
    for (u32 k = 0; k < kStreams; ++k) there = there && prim::measure_stream(s, mine[k], written.sizes[k], counts[k]);
    if (there && seed % 2 == 0) prim::start_streams<kStreams, kMax>(s, mine, table);
    else if (there) prim::start_streams<kStreams, kMax>(s, mine, narrow);
    starts[threadIdx.x].assign(mine, mine + kStreams);
    if (!there) starts[threadIdx.x].clear();
  });
  ASSERT_TRUE(report.ok()) << report.text;
  u64 place = 0, first = 0;
  for (u32 k = 0; k < kStreams; place += counts[k], first += written.sizes[k], ++k) {
    ASSERT_EQ(starts[0].size(), kStreams);
    const prim::StreamStart& start = starts[0][k];
    for (const auto& lane : starts) EXPECT_TRUE(lane[k].pos == start.pos && lane[k].made == start.made);
    const std::vector<u8>& symbols = written.symbols[k];
    ASSERT_LE(start.made, std::min<u64>(counts[k], symbols.size()));
    u64 bits = 0;
    for (u64 i = 0; i < counts[k]; ++i) {
      EXPECT_EQ(out[place + i], i < start.made ? symbols[i] : kUntouched) << "stream " << k << ", symbol " << i;
      if (i < start.made) bits += code.lengths[symbols[i]];
    }
    // note [last symbols]: all, unless its last bits are among the input's first ones.
    if (behind >= prim::kStreamAfter && !lie && 8 * first >= prim::kStreamWord + prim::kStreamBefore) {
      EXPECT_EQ(start.made, symbols.size()) << "stream " << k;
    }
    if (start.made == 0) continue;
    u64 total = 0;
    for (const u8 s : symbols) total += code.lengths[s];
    EXPECT_EQ(start.pos, prim::kTurn - (8 * first + total - bits));
  }
  EXPECT_EQ(out.back(), kUntouched);
  if (behind < prim::kStreamAfter) {
    for (const prim::StreamStart& start : starts[0]) EXPECT_EQ(start.made, 0u);
  } else if (!lie && most >= 200) {  // a long stream is begun, whatever the others are
    for (u32 k = 0; k < kStreams; ++k) EXPECT_TRUE(starts[0][k].made > 0 || written.symbols[k].size() <= 150);
  }
}

TEST(PrimStreams, AreBegunTogether) {
  for (unsigned seed = 0; seed < 40; ++seed)
    for (const u64 most : {3ull, 30ull, 300ull})
      for (const u64 behind : {0ull, 2ull, 3ull, 9ull}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << most << " symbols, " << behind << " bytes behind");
        begin(seed, most, behind, false);
        begin(seed, most, behind, true);
      }
}

// A byte of zeros at a stream's end is none of padding: then none is begun.
TEST(PrimStreams, NoneIsBegunWithoutPadding) {
  std::mt19937 random(5);
  const Code code(random);
  Written written = write(random, code.lengths, code.codes, 300);
  written.bytes.back() = 0;
  written.bytes.resize(written.bytes.size() + 8);
  static u32 table[1u << kMax];
  for (u32& e : table) e = 1 | 1 << 8;
  std::vector<u8> out(2000);
  u64 made = 0;
  const Report report = launch(grid(32, 1), [&] {
    Stream s{};
    s.in = written.bytes.data();
    s.size = written.bytes.size();
    s.end = 8 * s.size;
    s.out = out.data();
    s.out_end = out.size();
    prim::open(s);
    prim::StreamStart mine[kStreams] = {};
    bool there = true;
    for (u32 k = 0; k < kStreams; ++k) there = there && prim::measure_stream(s, mine[k], written.sizes[k], written.symbols[k].size());
    if (there) prim::start_streams<kStreams, kMax>(s, mine, table);
    if (threadIdx.x == 0)
      for (const prim::StreamStart& start : mine) made += start.made + !there;
  });
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(made, 0u);
}

// What begins between bytes has its padding in no byte of the input: nothing is measured, and the stream stays where it is.
TEST(PrimStreams, NoneIsMeasuredBetweenBytes) {
  const std::vector<u8> input(40, 0xff);
  for (u64 bit = 0; bit < 17; ++bit) {
    Stream s{};
    s.in = input.data();
    s.size = input.size();
    s.pos = bit;
    s.end = 8 * s.size;
    s.out_end = 100;
    prim::StreamStart start{};
    const bool whole = bit % 8 == 0;
    EXPECT_EQ(prim::measure_stream(s, start, 9, 20), whole) << "bit " << bit;
    EXPECT_EQ(s.pos, whole ? bit + 72 : bit);
    EXPECT_EQ(s.produced, whole ? 20u : 0u);
    EXPECT_EQ(start.end, whole ? bit / 8 + 9 : 0u);
  }
}

}  // namespace
}  // namespace sluice::simt::test
