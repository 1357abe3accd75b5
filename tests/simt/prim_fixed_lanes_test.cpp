// Tokens of one size that make so many strings each, taken by all lanes, against tokens read one after the other; and symbols that
// lanes read, against a loop that reads them. By a team: prim_team_lanes_test.cpp.
#define SLUICE_MIN_TOKEN 1
#if !defined(PRIM_FIXED_SUITE)
#define PRIM_FIXED_SUITE PrimFixedLanes
#define PRIM_READS_SUITE PrimSymbolReads
#endif
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/simt/lane_prims.h"

namespace sluice::simt::test {
namespace {

using gpu::prim::Cursor;
using gpu::prim::kLeastFixed;

// Strings by number.
struct Word {
  u32 size = 0;  // 0: there is none
  u64 text = 0;
};
typedef std::vector<Word> Words;
constexpr u32 kWords = 4096;

// Two strings in three bytes.
struct Pairs {
  static constexpr u64 kInMargin = 12;
  static constexpr u32 kBytes = 3, kStrings = 2;
  const Word* words;
  void own() {}
  template <typename Source> static u32 code(const Source& src, Cursor in, u32 k) {
    return gpu::thread::prim::load_le32(src, in) >> 12 * k & 0xfff;
  }
  template <typename Source, typename Out> Cursor token(const Source& src, Cursor in, Cursor in_end, Out& out) const {
    if (in > in_end - kInMargin) return gpu::prim::kCannotTell;
    for (u32 k = 0; k < 2; ++k) {
      const Word& w = words[code(src, in, k)];
      if (w.size == 0) return gpu::prim::kCannotTell;
      gpu::thread::prim::put(out, w.text, w.size);
    }
    return in + 3;
  }
};
// One in two; a byte, a word and a byte in four.
struct Ones : Pairs {
  static constexpr u32 kBytes = 2, kStrings = 1;
  template <typename Source> static u32 code(const Source& src, Cursor in, u32) { return gpu::thread::prim::load_le16(src, in) & 0xfff; }
  template <typename Source, typename Out> Cursor token(const Source& src, Cursor in, Cursor, Out& out) const {
    const Word& w = words[code(src, in, 0)];
    if (w.size == 0) return gpu::prim::kCannotTell;
    gpu::thread::prim::put(out, w.text, w.size);
    return in + 2;
  }
};
struct Threes : Pairs {
  static constexpr u32 kBytes = 4, kStrings = 3;
  template <typename Source, typename Out> Cursor token(const Source& src, Cursor in, Cursor, Out& out) const {
    gpu::thread::prim::store<1>(out, gpu::thread::prim::load_byte(src, in) | 0x700);
    const Word& w = words[gpu::thread::prim::load_le16(src, in + 1) & 0xfff];
    if (w.size == 0) return gpu::prim::kCannotTell;
    gpu::thread::prim::put(out, w.text, w.size);
    gpu::thread::prim::store<1>(out, gpu::thread::prim::load_byte(src, in + 3));
    return in + 4;
  }
};

// What a token at that place makes; false: it is none.
void add(std::vector<u8>& made, const Word& w) {
  for (u32 k = 0; k < w.size; ++k) made.push_back(static_cast<u8>(w.text >> 8 * k));
}
bool token_of(const Pairs& t, const u8* in, std::vector<u8>& made) {
  const u32 word = in[0] | in[1] << 8 | in[2] << 16;
  add(made, t.words[word & 0xfff]);
  add(made, t.words[word >> 12]);
  return t.words[word & 0xfff].size != 0 && t.words[word >> 12].size != 0;
}
bool token_of(const Ones& t, const u8* in, std::vector<u8>& made) {
  const Word& w = t.words[(in[0] | in[1] << 8) & 0xfff];
  add(made, w);
  return w.size != 0;
}
bool token_of(const Threes& t, const u8* in, std::vector<u8>& made) {
  made.push_back(in[0]);
  const Word& w = t.words[(in[1] | in[2] << 8) & 0xfff];
  add(made, w);
  made.push_back(in[3]);
  return w.size != 0;
}

#if SLUICE_STRING_WARPS > 1
constexpr u32 kThreads = gpu::prim::kTeamThreads;
// The first warp decodes, and the others do its jobs.
template <bool Write, typename T> bool decode(Chunk& s, const T& tokens) {
  if (threadIdx.x < 32) {
    const bool left = gpu::prim::team_fixed<Write>(s, tokens, 1);
    gpu::prim::end_jobs();
    return left;
  }
  while (gpu::prim::next_job() != 0) gpu::prim::decode_fixed_together<Write, T>();
  return false;
}
#else
constexpr u32 kThreads = 32;
template <bool Write, typename T> bool decode(Chunk& s, const T& tokens) { return gpu::prim::decode_fixed<Write>(s, tokens); }
#endif

template <bool Write, typename T>
Outcome engine(const T& tokens, std::span<const u8> input, std::size_t first, std::size_t end, u8* text, std::size_t room, u64 seed) {
  Outcome told;
  const Report report = launch(grid(kThreads, seed), [&] {
    Chunk s;
    s.in = input.data();
    s.size = input.size();
    s.end = end;
    s.pos = first;
    s.out = Write ? text : nullptr;
    s.out_end = room;
    const bool left = decode<Write>(s, tokens);
    if (threadIdx.x == 0) told = {left, s};
  });
  EXPECT_TRUE(report.ok()) << report.text;
  return told;
}

template <typename T> void expect_tokens(const Words& words, const std::vector<u8>& in, std::size_t first, std::size_t room, std::size_t skew) {
  T tokens;
  tokens.words = words.data();
  std::vector<u8> right;
  std::size_t at = first;
  while (in.size() - first >= kLeastFixed && in.size() - at >= T::kBytes) {
    std::vector<u8> made;
    if (!token_of(tokens, in.data() + at, made) || right.size() + made.size() > room) break;
    right.insert(right.end(), made.begin(), made.end());
    at += T::kBytes;
  }
  std::vector<u8> longer = in;  // the region ends before the input does
  for (std::size_t i = 0; i < skew % 3 * 150; ++i) longer.push_back(static_cast<u8>(i * 29));
  sluice::test::GuardedBuffer input(longer, skew % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  std::vector<u8> memory(kEdge + room + 16 + kEdge, kBlank);
  const std::size_t base = reinterpret_cast<std::uintptr_t>(memory.data()) % 16, start = kEdge - base + skew;
  const Outcome told = engine<true>(tokens, input.bytes(), first, in.size(), memory.data() + start, room, skew);
  const Outcome counted = engine<false>(tokens, input.bytes(), first, in.size(), nullptr, room, skew + 1);
  EXPECT_EQ(told.left, at - first < kLeastFixed);
  EXPECT_EQ(counted.left, told.left);
  EXPECT_EQ(told.stream.pos, at);
  EXPECT_EQ(counted.stream.pos, at);
  EXPECT_EQ(told.stream.produced, right.size());
  EXPECT_EQ(counted.stream.produced, right.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const u8 byte = i >= start && i - start < right.size() ? right[i - start] : kBlank;
    ASSERT_EQ(memory[i], byte) << "byte " << static_cast<std::ptrdiff_t>(i - start) << " of " << right.size() << ", room " << room;
  }
}

template <typename T> void expect_kind(u64 seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < 60; ++i) {
    Words words(kWords);
    const u32 longest = 1 + static_cast<u32>(random() % 8), rare = i % 3 == 0 ? 0 : 1 + static_cast<u32>(random() % 4);
    for (Word& w : words) {
      w.size = 1 + static_cast<u32>(random() % longest);
      w.text = random() & gpu::prim::mask(8 * w.size);
    }
    for (u32 k = 0; k < rare; ++k) words[random() % kWords] = {};
    std::vector<u8> in(i % 19 + (i % 7 == 0 ? 505 + random() % 16 : 500 + random() % 4000 * SLUICE_STRING_WARPS));
    for (u8& byte : in) byte = static_cast<u8>(random());
    expect_tokens<T>(words, in, i % 19, i % 4 == 1 ? random() % 9000 : 20000 * SLUICE_STRING_WARPS, i % 17);
  }
}
TEST(PRIM_FIXED_SUITE, TwoStringsInThreeBytes) { expect_kind<Pairs>(0x212); }
TEST(PRIM_FIXED_SUITE, OneInTwo) { expect_kind<Ones>(0x112); }
TEST(PRIM_FIXED_SUITE, ThreeInFour) { expect_kind<Threes>(0x324); }

// ---- Symbols ------------------------------------------------------------------------------------------------------

constexpr u32 kSymbols = 300;
typedef gpu::prim::Symbols<kSymbols> Symbols;

template <typename Read>
void expect_symbols(const std::vector<u8>& in, std::size_t first, const Words& right, u64 from, u64 count, std::size_t end, const Read& read) {
  sluice::test::GuardedBuffer input(in, first % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  static Symbols symbols;
  symbols = {};
  u64 done = 0, pos = 0;
  const Report report = launch(grid(32, first), [&] {
    Chunk s;
    s.in = input.bytes().data();
    s.size = s.end = in.size();
    s.pos = first;
    const u64 n = read(s, symbols);
    if (gpu::prim::lane() != 0) return;
    done = n;
    pos = s.pos;
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(done, count);
  EXPECT_EQ(pos, end);
  for (u64 i = 0; i < kSymbols; ++i) {
    const bool one = i >= from && i < from + count;
    ASSERT_EQ(symbols.length[i], one ? right[i - from].size : 0) << i;
    ASSERT_EQ(symbols.text[i], one ? right[i - from].text : 0) << i;
  }
}

TEST(PRIM_READS_SUITE, OfOneSize) {
  std::mt19937_64 random(0x51e);
  for (std::size_t i = 0; i < 200; ++i) {
    const u64 size = i % 20 == 0 ? 0 : i % 20 == 1 ? 9 : 1 + random() % 8;
    const u64 from = random() % 200, most = random() % (kSymbols + 1);
    std::vector<u8> in(i % 9 + random() % (i % 2 == 0 ? 3000 : 300));
    in.resize(std::max<std::size_t>(in.size(), i % 9));
    for (u8& byte : in) byte = static_cast<u8>(random());
    const u64 n = i % 3 == 0 && size != 0 ? (in.size() - i % 9) / size + 1 : random() % 320;
    u64 count = size < 1 || size > 8 || from >= most ? 0 : std::min({n, most - from, (in.size() - i % 9) / size});
    Words right(count);
    for (u64 k = 0; k < count; ++k) {
      right[k].size = static_cast<u32>(size);
      for (u64 b = 0; b < size; ++b) right[k].text |= static_cast<u64>(in[i % 9 + k * size + b]) << 8 * b;
    }
    expect_symbols(in, i % 9, right, from, count, i % 9 + count * size,
                   [&](Chunk& s, Symbols& symbols) { return gpu::prim::read_symbols(s, symbols, from, n, size, most); });
  }
}

template <u32 Sizes> void expect_told_sizes(u64 seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < 120; ++i) {
    const u64 n = random() % 320;
    std::vector<u8> in(i % 9);
    for (u64 k = 0; k < n; ++k) {
      u32 size = 0;
      while ((Sizes >> size & 1) == 0) size = 1 + static_cast<u32>(random() % 8);
      if (i % 3 == 0 && random() % 100 == 0) size = static_cast<u32>(random());
      in.push_back(static_cast<u8>(size));
      for (u32 b = 0; b < size % 9; ++b) in.push_back(static_cast<u8>(random()));
    }
    if (i % 4 == 1) in.resize(i % 9 + random() % (in.size() - i % 9 + 1));
    Words right;
    std::size_t at = i % 9;
    while (right.size() < std::min<u64>(n, kSymbols) && at < in.size() && in[at] <= 8 && (Sizes >> in[at] & 1) != 0 && in.size() - at > in[at]) {
      Word w{in[at], 0};
      for (u32 b = 0; b < w.size; ++b) w.text |= static_cast<u64>(in[at + 1 + b]) << 8 * b;
      at += 1 + w.size;
      right.push_back(w);
    }
    expect_symbols(in, i % 9, right, 0, right.size(), at,
                   [&](Chunk& s, Symbols& symbols) { return gpu::prim::read_sized_symbols<Sizes>(s, symbols, n); });
  }
}
TEST(PRIM_READS_SUITE, OfSizesThatAreTold) {
  expect_told_sizes<0x1fe>(1);
  expect_told_sizes<0x100>(2);
  expect_told_sizes<0x0a4>(3);
}

// An input that ends with a symbol a few bytes behind the lanes' window: texts are read by words where there are words to read.
TEST(PRIM_READS_SUITE, EndsBehindTheWindow) {
  std::mt19937_64 random(0xe2d);
  for (std::size_t size = 1000; size < 1070; ++size) {
    std::vector<u8> in;
    Words right;
    while (in.size() < size) {
      const std::size_t most = std::min<std::size_t>(8, size - in.size() - 1);
      Word w{static_cast<u32>(most == 0 ? 1 : most < 4 ? most : 1 + random() % (most - 2)), 0};
      in.push_back(static_cast<u8>(w.size));
      for (u32 b = 0; b < w.size; ++b) {
        in.push_back(static_cast<u8>(random()));
        w.text |= static_cast<u64>(in.back()) << 8 * b;
      }
      right.push_back(w);
    }
    for (const std::size_t first : {1, 2, 3}) {  // where the input ends with its page, or begins with it
      std::vector<u8> more(first);
      more.insert(more.end(), in.begin(), in.end());
      const u64 count = std::min<u64>(right.size(), kSymbols);
      std::size_t end = first;
      for (u64 i = 0; i < count; ++i) end += 1 + right[i].size;
      expect_symbols(more, first, right, 0, count, end,
                     [&](Chunk& s, Symbols& symbols) { return gpu::prim::read_sized_symbols<0x1fe>(s, symbols, right.size()); });
    }
  }
}

}  // namespace
}  // namespace sluice::simt::test
