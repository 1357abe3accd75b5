// Tokens of values that lanes decode alone, against tokens read one after the other: wherever guesses fall, wherever output begins and ends,
// and whatever among them is long, wrong or cut off. Elements of two bytes: prim_own_tokens_2_test.cpp.
#if !defined(SLUICE_ELEMENT)
#define SLUICE_ELEMENT 1
#define PRIM_OWN_SUITE PrimOwnTokens
#endif
#define SLUICE_MIN_TOKEN 2
#define SLUICE_OWN 1
#define SLUICE_ADDED 1
#define SLUICE_LENT 4016
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <optional>
#include <random>
#include <vector>

#include "tests/simt/value_prims.h"

namespace sluice::simt::test {
namespace {

using gpu::prim::Cursor;
using gpu::prim::kElement;
namespace lane = gpu::thread::prim;

std::atomic<std::size_t> alone = 0, others = 0;  // tokens that lanes have made alone, and those of which all took up records, to write them
std::atomic<bool> writing = false;

// kind:2, width less one:5, n:9, first bits highest. Kind 0: a run of `n >> 8` and twice the width's lowest two bits, and 1; a value of so
// many bytes as the width's others say, and 1, follows the first byte; none with a width of 20. 1: n + 1 fields. 2: a run of n + 1, whose
// first value and step are numbers. Of 1, 13 is refused, of which the table knows nothing. 3: two values and n % 256 sums, or, with an odd width, none of the engine's.
constexpr u32 kRefused = 13;
struct Header {
  u32 kind, width, n;
  Header(u32 first, u32 second) : kind(first >> 6), width((first >> 1 & 31) + 1), n((first & 1) << 8 | second) {}
  u32 run() const { return width == 20 ? 0 : (width - 1) % 4 * 2 + (n >> 8) + 1; }
  u32 bytes() const { return (width - 1) / 4 + 1; }
  bool left() const { return kind == 3 && width % 2 == 1; }
  bool refused() const { return kind == 1 && n == kRefused; }
};

std::array<u64, 256> told() {
  constexpr u32 kNotTold = 0x80000000;
  std::array<u64, 256> entries;
  for (u32 first = 0; first < 256; ++first) {
    const Header h(first, 0);
    u32 bits = 0, added = 0, numbers = 0, values = 0, more = 0;
    if (h.kind == 0) bits = 8 + 8 * h.bytes(), values = h.run();
    if (h.kind == 1) bits = 16 + (h.n + 1) * h.width, added = h.width, values = h.n + 1, more = 1;
    if (h.kind == 2) bits = 16 + 16, numbers = 2, values = h.n + 1, more = 1;
    if (h.kind == 3) bits = 16, added = h.width, values = 2, more = 1;
    const u64 size = (bits + 7) << 16 | (numbers != 0 ? 2u : 0u) << 12 | numbers << 8 | added;
    entries[first] = h.left() ? kNotTold : u64{values << 16 | more} << 32 | size;
  }
  return entries;
}

struct Short {
  static constexpr u64 kInMargin = 40;
  static constexpr u32 kToldMost = 0, kLoop = 1;
  static constexpr bool kApart = false, kOwn = true, kToEnd = true;
  typedef gpu::prim::ValueRecord Own;
  typedef gpu::prim::PackedList<true, true, true, true> List;
  static u64 size_of(u32 first) {
    static const std::array<u64, 256> entries = told();
    return entries[first];
  }
  template <typename Out> Cursor token(const gpu::prim::ValueTile& tile, Cursor in, Cursor in_end, Out& out) const {
    if (std::is_same_v<Out, gpu::prim::BriefRecord>) ++alone;
    if (std::is_same_v<Out, gpu::prim::ValueRecord> && writing) ++others;
    if (in > in_end - kInMargin) return gpu::prim::kCannotTell;
    const Header h(tile.byte(in), tile.byte(in + 1));
    u32 bit = 8 * in + 16;
    if (h.refused()) return gpu::prim::kCannotTell;
    bool done = !h.left();
    if (h.kind == 0) {
      const u64 value = gpu::prim::tile_bits<true>(tile, bit - 8, 8 * h.bytes());
      lane::run_of_values(out, static_cast<u64>(gpu::prim::zigzag(value)), h.run(), 0);
      bit += 8 * h.bytes() - 8;
    } else if (h.kind == 1) {
      done = lane::packed_list<List>(out, tile, bit, h.n + 1, h.width);
    } else if (h.kind == 2) {
      u64 number[2] = {0, 0}, length = 0;
      for (u64& one : number) {
        if (lane::number_at<64>(out, tile, bit / 8, one, length) != gpu::prim::kVarintOk) return gpu::prim::kCannotTell;
        bit += 8 * static_cast<u32>(length);
      }
      lane::run_of_values(out, number[0], h.n + 1, static_cast<u64>(gpu::prim::zigzag(number[1])));
    } else if (done) {
      lane::run_of_values(out, h.n, 2, 7);
      done = lane::sum_list<List>(out, tile, bit, h.n & 255, h.width, h.n + 7, (h.width & 2) != 0);
    }
    return done ? (bit + 7) / 8 : gpu::prim::kCannotTell;
  }
};

// ---- What they mean -----------------------------------------------------------------------------------------------

std::optional<u64> number(const std::vector<u8>& in, std::size_t& at) {
  u64 value = 0;
  for (u32 k = 0; k < 10 && at < in.size(); ++k) {
    const u8 byte = in[at++];
    value |= static_cast<u64>(byte & 127) << 7 * k;
    if (byte < 128) return k == 9 && byte > 1 ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}
std::optional<u64> field(const std::vector<u8>& in, u64& bit, u32 width) {
  if (bit + width > 8 * in.size()) return std::nullopt;
  u64 value = 0;
  for (u32 k = 0; k < width; ++k, ++bit) value = value << 1 | (in[bit / 8] >> (7 - bit % 8) & 1);
  return value;
}
bool token_of(const std::vector<u8>& in, std::size_t& at, std::vector<u64>& values) {
  if (in.size() - at < 2) return false;
  const Header h(in[at], in[at + 1]);
  u64 bit = 8 * at + (h.kind == 0 ? 8 : 16);
  if (h.left() || h.refused()) return false;
  if (h.kind == 0) {
    const auto value = field(in, bit, 8 * h.bytes());
    if (value) values.insert(values.end(), h.run(), static_cast<u64>(gpu::prim::zigzag(*value)));
    at = bit / 8;
    return value.has_value();
  }
  if (h.kind == 2) {
    at += 2;
    const auto first = number(in, at), step = first ? number(in, at) : first;
    if (step && static_cast<u64>(gpu::prim::zigzag(*step)) + (1u << 30) >= u64{1} << 31) return false;  // the checked path's
    for (u64 i = 0; step && i <= h.n; ++i) values.push_back(*first + i * static_cast<u64>(gpu::prim::zigzag(*step)));
    return step.has_value();
  }
  u64 sum = h.n + 7;
  if (h.kind == 3) values.push_back(h.n), values.push_back(sum);
  for (u32 i = 0; i < (h.kind == 1 ? h.n + 1 : h.n & 255); ++i) {
    const auto value = field(in, bit, h.width);
    if (!value) return false;
    sum += (h.width & 2) != 0 ? 0 - *value : *value;
    values.push_back(h.kind == 1 ? static_cast<u64>(gpu::prim::zigzag(*value)) : sum);
  }
  at = (bit + 7) / 8;
  return true;
}

// ---- The engine ---------------------------------------------------------------------------------------------------

struct Plain {
  std::vector<u64> values;
  std::size_t at;
};
Plain plain(const std::vector<u8>& in, std::size_t first, std::size_t room) {
  Plain told{{}, first};
  while (told.at < in.size()) {
    std::vector<u64> made;
    std::size_t at = told.at;
    if (!token_of(in, at, made) || told.values.size() + made.size() > room) break;
    told.values.insert(told.values.end(), made.begin(), made.end());
    told.at = at;
  }
  return told;
}

// The input lies between pages that nobody may touch; behind the room nothing is written.
void expect_values(const std::vector<u8>& in, std::size_t first, std::size_t room, std::size_t skew) {
  const Plain right = plain(in, first, room);
  sluice::test::GuardedBuffer input(in, skew % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  std::vector<u8> memory(kEdge + (room + 16) * kElement + kEdge, kBlank);
  const std::size_t start = (kEdge + 15) / 16 * 16 + skew * kElement;
  Keeping told[2];
  for (const bool write : {true, false}) {
    writing = write;
    const Report report = launch(grid(32, skew), [&] {
      Keeping s;
      s.in = input.bytes().data();
      s.size = s.end = in.size();
      s.pos = first;
      s.out = write ? memory.data() + start : nullptr;
      s.out_end = room;
      if (write) gpu::prim::decode_values<true>(s, Short());
      else gpu::prim::decode_values<false>(s, Short());
      if (gpu::prim::lane() == 0) told[write] = s;
    });
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_EQ(told[write].pos, right.at) << write;
    EXPECT_EQ(told[write].produced, right.values.size()) << write;
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::size_t n = (i - start) / kElement;
    const bool room_of = i >= start && n < room, made = i >= start && n < right.values.size();
    if (room_of && !made) continue;
    const u8 byte = made ? static_cast<u8>(right.values[n] >> 8 * ((i - start) % kElement)) : kBlank;
    ASSERT_EQ(memory[i], byte) << "element " << n << " of " << right.values.size() << ", skew " << skew;
  }
}

// ---- Streams ------------------------------------------------------------------------------------------------------

struct Mix {
  u32 kinds[4];   // so many of ten tokens
  u32 most;       // of n
  u32 width, bits;  // of fields, of numbers: at most
};
void put_number(std::vector<u8>& in, u64 value) {
  for (; value >= 128; value >>= 7) in.push_back(static_cast<u8>(value | 128));
  in.push_back(static_cast<u8>(value));
}
std::vector<u8> stream(const Mix& mix, std::size_t first, std::size_t bytes, std::mt19937_64& random) {
  std::vector<u8> in(first, 0x80);
  while (in.size() < bytes) {
    u32 kind = 0;
    for (u32 one = static_cast<u32>(random() % 10); one >= mix.kinds[kind]; ++kind) one -= mix.kinds[kind];
    const u32 n = static_cast<u32>(random() % mix.most);
    u32 width = static_cast<u32>(random() % mix.width) + 1;
    if (kind == 3) width += width % 2;
    in.push_back(static_cast<u8>(kind << 6 | (width - 1) << 1 | n >> 8));
    const Header h(in.back(), n);
    if (kind != 0) in.push_back(static_cast<u8>(n));
    const u32 fields = kind == 1 ? n + 1 : kind == 3 ? n & 255 : 0;
    if (kind == 2)
      for (u32 i = 0; i < 2; ++i) put_number(in, random() >> (64 - 1 - random() % mix.bits));
    for (u32 i = 0; i < (kind == 0 ? h.bytes() : (fields * width + 7) / 8); ++i) in.push_back(static_cast<u8>(random()));
  }
  return in;
}

constexpr std::size_t kAnyRoom = 100000;
const Mix kMixes[] = {{{5, 5, 0, 0}, 8, 8, 7},  {{5, 4, 1, 0}, 8, 8, 6},    {{10, 0, 0, 0}, 8, 4, 7},
                      {{2, 6, 1, 1}, 5, 20, 7}, {{4, 4, 1, 1}, 12, 12, 20}, {{0, 10, 0, 0}, 3, 5, 7}};

TEST(PRIM_OWN_SUITE, ShortTokensAreMadeByLanesAlone) {
  std::mt19937_64 random(0x0e5);
  std::size_t skew = 0;
  for (const Mix& mix : kMixes)
    for (const std::size_t bytes : {700, 3000, 9000}) {
      const std::size_t first = ++skew % 21;
      const std::vector<u8> in = stream(mix, first, bytes, random);
      const std::size_t all = plain(in, first, kAnyRoom).values.size();
      alone = others = 0;
      for (const std::size_t room : {all, all + 100}) expect_values(in, first, room, skew % 17);
      if (bytes > 4000) {  // nothing is given up where no token is long
        EXPECT_GT(alone, mix.bits > 7 || mix.width > 8 ? 100 : 8 * others) << "mix " << &mix - kMixes;
      }
      for (const std::size_t room : {all - 1, all / 2}) expect_values(in, first, room, skew % 17);
      for (const std::size_t cut : {1, 2, 5}) expect_values({in.begin(), in.end() - static_cast<std::ptrdiff_t>(cut)}, first, kAnyRoom, skew % 17);
    }
}

// Among them are some that are long, of which some end no lane's part; and the last one ends behind the input.
TEST(PRIM_OWN_SUITE, LongOnesAreOthers) {
  std::mt19937_64 random(0x10e);
  for (std::size_t i = 0; i < 12; ++i) {
    std::vector<u8> in;
    while (in.size() < 9000) {
      const std::vector<u8> some = stream(kMixes[i % 6], 0, 1 + random() % 4000, random), longer = stream({{1, 5, 2, 2}, 512, 9, 28}, 0, 1 + random() % 400, random);
      for (const auto& part : {some, longer}) std::ranges::copy(part, std::back_inserter(in));
    }
    if (i % 2 == 0) in.resize(in.size() - 1 - random() % 30);
    expect_values(in, 0, kAnyRoom, i);
  }
}

// A byte somewhere is another one: tokens that are none, numbers that have too many bytes, others than there were.
TEST(PRIM_OWN_SUITE, WhatIsWrongIsLeft) {
  std::mt19937_64 random(0xbad);
  for (std::size_t i = 0; i < 40; ++i) {
    std::vector<u8> in = stream(kMixes[i % 6], i % 5, 6000, random);
    for (std::size_t n = 1 + random() % 3; n > 0; --n) in[i % 5 + random() % (in.size() - i % 5)] = static_cast<u8>(random() % 2 ? 0xc1 : random());
    if (i % 3 == 0) in.insert(in.begin() + static_cast<std::ptrdiff_t>(i % 5 + random() % (in.size() - i % 5)), 12, 0xff);
    expect_values(in, i % 5, kAnyRoom / (1 + random() % 30), i % 17);
  }
}

// What two bytes say of a token is not whether it is one.
TEST(PRIM_OWN_SUITE, WhatATokenRefusesIsLeft) {
  std::mt19937_64 random(0x13f);
  for (std::size_t i = 0; i < 12; ++i) {
    std::vector<u8> in = stream(kMixes[i % 3], 0, 1500 + random() % 3000, random);
    const std::vector<u8> behind = stream(kMixes[i % 3], 0, 3000, random);
    for (const u32 byte : {0x46u, kRefused, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) in.push_back(static_cast<u8>(byte));  // 14 fields of four bits
    std::ranges::copy(behind, std::back_inserter(in));
    expect_values(in, 0, kAnyRoom, i);
  }
}

}  // namespace
}  // namespace sluice::simt::test
