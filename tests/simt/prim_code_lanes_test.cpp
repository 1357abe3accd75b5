// Tokens of a byte that stand for strings, and literals behind escapes, taken by all lanes, against tokens read one after the
// other: whatever strings there are, wherever the region begins and ends, and whatever is wrong.
#define SLUICE_MIN_TOKEN 1
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "tests/simt/lane_prims.h"

namespace sluice::simt::test {
namespace {

using gpu::prim::Cursor;
using gpu::prim::kFewCodes;
using gpu::prim::kLeastCodes;
using gpu::prim::kTileStrings;

// What each byte does.
struct Meaning {
  enum class Kind : std::uint8_t { String, Escape, None } kind = Kind::String;
  u32 size = 0;
  u64 text = 0;
};
typedef std::vector<Meaning> Code;

// A format whose tokens these are.
struct Tokens256 {
  static constexpr u64 kInMargin = 17;
  const Meaning* meanings;
  template <typename Source, typename Out> Cursor token(const Source& src, Cursor in, Cursor in_end, Out& out) const {
    if (in > in_end - kInMargin) return gpu::prim::kCannotTell;
    const Meaning& m = meanings[gpu::thread::prim::load_byte(src, in)];
    if (m.kind == Meaning::Kind::None) return gpu::prim::kCannotTell;
    if (m.kind == Meaning::Kind::Escape) {
      gpu::thread::prim::store<1>(out, gpu::thread::prim::load_byte(src, in + 1));
      out += 1;
      return in + 2;
    }
    // In two pieces, and with bytes behind them that are none of theirs.
    const u32 first = m.size / 3;
    gpu::thread::prim::put(out, m.text | (first < 8 ? m.text >> 8 * first << 8 * first : 0), first);
    gpu::thread::prim::put(out, first < 8 ? m.text >> 8 * first : 0, m.size - first);
    return in + 1;
  }
};

// What tokens make, one after the other, up to one that is none, or has no room.
struct Plain {
  std::vector<u8> made;
  std::size_t at = 0;
};
Plain plain(const Code& code, const std::vector<u8>& in, std::size_t first, std::size_t room) {
  Plain told{{}, first};
  while (told.at < in.size()) {
    const Meaning& m = code[in[told.at]];
    const bool escape = m.kind == Meaning::Kind::Escape;
    if (m.kind == Meaning::Kind::None || (escape && told.at + 1 == in.size())) break;
    if (told.made.size() + (escape ? 1 : m.size) > room) break;
    if (escape) told.made.push_back(in[told.at + 1]);
    for (u32 k = 0; !escape && k < m.size; ++k) told.made.push_back(static_cast<u8>(m.text >> 8 * k));
    told.at += escape ? 2 : 1;
  }
  return told;
}

template <bool Write>
Outcome engine(const Code& code, std::span<const u8> input, std::size_t first, std::size_t end, u8* text, std::size_t room, u64 seed) {
  Outcome told;
  const Report report = launch(grid(32, seed), [&] {
    Chunk s;
    s.in = input.data();
    s.size = input.size();
    s.end = end;
    s.pos = first;
    s.out = Write ? text : nullptr;
    s.out_end = room;
    const bool left = gpu::prim::decode_codes<Write>(s, Tokens256{code.data()});
    if (gpu::prim::lane() == 0) told = {left, s};
  });
  EXPECT_TRUE(report.ok()) << report.text;
  return told;
}

// The input lies between pages that nobody may touch.
void expect_strings(const Code& code, const std::vector<u8>& in, std::size_t first, std::size_t room, std::size_t skew) {
  const bool few = in.size() - first < kLeastCodes;
  const Plain right = plain(code, in, first, room);
  std::vector<u8> longer = in;  // the region ends before the input does
  for (std::size_t i = 0; i < skew % 3 * 150; ++i) longer.push_back(static_cast<u8>(i * 29));
  sluice::test::GuardedBuffer input(longer, skew % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  std::vector<u8> memory(kEdge + room + 16 + kEdge, kBlank);
  const std::size_t base = reinterpret_cast<std::uintptr_t>(memory.data()) % 16, start = kEdge - base + skew;
  const Outcome told = engine<true>(code, input.bytes(), first, in.size(), memory.data() + start, room, skew);
  const Outcome counted = engine<false>(code, input.bytes(), first, in.size(), nullptr, room, skew + 1);
  EXPECT_EQ(told.left, few || right.at - first < kFewCodes);
  EXPECT_EQ(told.left, counted.left);
  const std::size_t at = few ? first : right.at, made = few ? 0 : right.made.size();
  EXPECT_EQ(told.stream.pos, at);
  EXPECT_EQ(counted.stream.pos, at);
  EXPECT_EQ(told.stream.produced, made);
  EXPECT_EQ(counted.stream.produced, made);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const u8 byte = i >= start && i - start < made ? right.made[i - start] : kBlank;
    ASSERT_EQ(memory[i], byte) << "byte " << static_cast<std::ptrdiff_t>(i - start) << " of " << made << ", room " << room << ", skew " << skew;
  }
}

struct Mix {
  u32 shortest, longest;  // bytes of strings
  u32 escapes, none;      // so many of the 256 bytes are escapes, or nothing
  u32 rare;               // and these are found where one in so many bytes is; 0: nowhere
};
Code code_of(const Mix& mix, std::mt19937_64& random) {
  Code code(256);
  for (Meaning& m : code) {
    m.size = mix.shortest + static_cast<u32>(random() % (mix.longest - mix.shortest + 1));
    m.text = random();  // more than its size
    if (random() % 4 == 0) m.text = 0;
  }
  for (u32 i = 0; i < mix.escapes; ++i) code[random() % 256].kind = Meaning::Kind::Escape;
  for (u32 i = 0; i < mix.none; ++i) code[random() % 256].kind = Meaning::Kind::None;
  return code;
}
std::vector<u8> stream(const Code& code, const Mix& mix, std::size_t first, std::size_t bytes, std::mt19937_64& random) {
  std::vector<u8> in(first, 0x55);
  std::vector<u8> common, rare;
  for (u32 i = 0; i < 256; ++i) (code[i].kind == Meaning::Kind::String ? common : rare).push_back(static_cast<u8>(i));
  for (std::size_t i = 0; i < bytes; ++i) {
    const bool some = !rare.empty() && mix.rare != 0 && random() % mix.rare == 0;
    const std::vector<u8>& of = some || common.empty() ? rare : common;
    in.push_back(of[random() % of.size()]);
    if (code[in.back()].kind == Meaning::Kind::Escape && random() % 2 == 0) in.push_back(rare[random() % rare.size()]);
  }
  return in;
}

constexpr std::size_t kAnyRoom = 80000;

TEST(PrimCodeLanes, Strings) {
  std::mt19937_64 random(0xc0de);
  std::size_t skew = 0;
  for (const Mix& mix : {Mix{1, 8, 0, 0, 0}, Mix{8, 8, 0, 0, 0}, Mix{1, 1, 0, 0, 0}, Mix{0, 1, 0, 0, 0}, Mix{0, 8, 0, 0, 0}, Mix{0, 0, 0, 0, 0}, Mix{3, 5, 0, 0, 0}})
    for (const std::size_t bytes : {511, 512, 513, 767, 768, 2000, 5000}) {
      ++skew;
      const Code code = code_of(mix, random);
      const std::vector<u8> in = stream(code, mix, skew % 21, bytes, random);
      const std::size_t all = plain(code, in, skew % 21, kAnyRoom).made.size();
      for (const std::size_t room : {all, all == 0 ? 0 : all - 1, all / 2, all + 3000}) expect_strings(code, in, skew % 21, room, skew % 17);
    }
}

// Of all distances from each other, over lanes' and tiles' ends, as the last byte; and behind each other.
TEST(PrimCodeLanes, LiteralsBehindEscapes) {
  std::mt19937_64 random(0xe5c);
  for (std::size_t i = 0; i < 150; ++i) {
    const Mix mix{static_cast<u32>(random() % 3), 2 + static_cast<u32>(random() % 7),
                  1 + static_cast<u32>(random() % (i % 3 == 0 ? 200 : 3)), 0, 1 + static_cast<u32>(random() % (i % 2 == 0 ? 3 : 60))};
    const Code code = code_of(mix, random);
    std::vector<u8> in = stream(code, mix, i % 19, 600 + random() % 1000, random);
    if (i % 5 == 0) in.resize(i % 19 + 256 * (2 + random() % 4) - (i % 19) % 8);
    expect_strings(code, in, i % 19, i % 4 == 0 ? random() % 2000 : kAnyRoom, i % 17);
  }
  for (const std::size_t bytes : {512, 777, 1024, 1025, 5001}) {
    Code all(256);
    for (Meaning& m : all) m.kind = Meaning::Kind::Escape;
    for (const std::size_t room : {std::size_t{0}, bytes / 4, bytes / 2, bytes})
      expect_strings(all, std::vector<u8>(bytes, static_cast<u8>(bytes)), 0, room, bytes % 17);
  }
}

// One behind which the next tile begins, whose other bytes are none.
TEST(PrimCodeLanes, EscapesThatEndATile) {
  std::mt19937_64 random(0xe4d);
  const Mix mix{2, 8, 3, 0, 0};
  for (std::size_t i = 0; i < 40; ++i) {
    const Code code = code_of(mix, random);
    std::vector<u8> in = stream(code, mix, i, 1500, random);
    const auto escape = std::ranges::find(code, Meaning::Kind::Escape, &Meaning::kind) - code.begin();
    for (std::size_t tile = i / 8 * 8 + kTileStrings; tile < in.size(); tile += kTileStrings * (1 + i % 2)) in[tile - 1] = static_cast<u8>(escape);
    expect_strings(code, in, i, kAnyRoom, 2 * (i % 8));
  }
}

// Bytes that are nothing end it, but for those that are literals.
TEST(PrimCodeLanes, WhatIsNoCodeIsLeft) {
  std::mt19937_64 random(0xbad);
  for (std::size_t i = 0; i < 150; ++i) {
    const Mix mix{static_cast<u32>(random() % 9), 8, static_cast<u32>(random() % 9), 1 + static_cast<u32>(random() % 3),
                  100 + static_cast<u32>(random() % 4000)};
    const Code code = code_of(mix, random);
    expect_strings(code, stream(code, mix, i % 23, 550 + random() % 6000, random), i % 23, i % 3 == 0 ? random() % 9000 : kAnyRoom, i % 17);
  }
}

}  // namespace
}  // namespace sluice::simt::test
