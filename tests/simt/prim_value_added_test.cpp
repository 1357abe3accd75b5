// Lists that are added to something, and tokens that are no records, found and written by all lanes, against tokens read one after the
// other: sums from a run on, lists of which a few values are others, chains that the checked path does; and numbers by themselves.
// Elements of a byte, and walks that are the repair's alone: prim_value_added_1_test.cpp.
#if !defined(SLUICE_ELEMENT)
#define SLUICE_ELEMENT 4
#define PRIM_ADDED_SUITE PrimValueAdded
#define SLUICE_MIN_TOKEN 3
#endif
#define SLUICE_ADDED 1
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <vector>

#include "tests/simt/value_prims.h"

namespace sluice::simt::test {
namespace {

using gpu::prim::Cursor;
typedef std::conditional_t<SLUICE_ELEMENT == 1, u8, u32> Element;
constexpr Element kNobody = static_cast<Element>(0xcdcdcdcd);
namespace lane = gpu::thread::prim;

std::atomic<std::size_t> walked = 0;  // tokens, by all lanes
template <typename Out> constexpr bool kWalks = std::is_base_of_v<gpu::prim::NoOutput, Out>;

// kind:2, more:6; n:8; width less one:5. Kind 0: a run. 1: n sums of fields, from a run of `more & 3` on. 2: n fields, of which `more & 7`
// are others: a byte says how far on, one what is added. 3: a chain, of n fields. All first bits highest; what follows a list begins at a byte.
struct Added {
  static constexpr u64 kInMargin = 16;
  static constexpr u32 kToldMost = 0, kLoop = 1;
  static constexpr bool kApart = false, kOwn = false;
  static constexpr bool kToEnd = false;
  typedef gpu::prim::ValueRecord Own;
  typedef gpu::prim::PackedList<true, true, true, true> List;
  template <typename Out> Cursor token(const gpu::prim::ValueTile& tile, Cursor in, Cursor in_end, Out& out) const {
    if (kWalks<Out>) ++walked;
    const u32 limit = 8 * (in_end - static_cast<Cursor>(kInMargin));
    if (8 * in > limit) return gpu::prim::kCannotTell;
    const u32 kind = tile.byte(in) >> 6, more = tile.byte(in) & 63, n = tile.byte(in + 1), width = tile.byte(in + 2) % 32 + 1;
    u32 bit = 8 * in + 24;
    bool done = true;
    if (kind == 0) {
      lane::run_of_values(out, n * 77, more, width);
    } else if (kind == 1) {
      lane::run_of_values(out, n, more & 3, 5);
      done = lane::sum_list<List>(out, tile, bit, n, width, n + 5 * (more & 3), more >= 32);
    } else if (kind == 2) {
      lane::ListedArray<List, Out> array = {};
      done = lane::fill_array(out, tile, bit, limit, n, width, array);
      bit = (bit + 7) & ~7u;
      if (!done) return gpu::prim::kCannotTell;
      if (kWalks<Out>) {
        done = lane::other_steps(out, bit, limit, more & 7, 16);
      } else {
        u32 at = 0;
        for (u32 i = 0; i < (more & 7); ++i, bit += 16) {
          at += tile.byte(bit / 8);
          if (at >= n) return gpu::prim::kCannotTell;
          lane::set(array, at, array[at] + tile.byte(bit / 8 + 1));
          if (array.wrong) return gpu::prim::kCannotTell;
        }
      }
      done = done && lane::put_array(out, array, n, more * 3);
    } else {
      done = lane::other_steps(out, bit, limit, n, width);
    }
    return done ? (bit + 7) / 8 : gpu::prim::kCannotTell;
  }
};

u64 field(const std::vector<u8>& in, u64& bit, u32 width) {
  u64 v = 0;
  for (u32 i = 0; i < width; ++i, ++bit) v = v << 1 | (in[bit / 8] >> (7 - bit % 8) & 1);
  return v;
}
// What a token makes; false: it goes past the input, or changes what there is not.
bool plain(const std::vector<u8>& in, std::size_t& at, std::vector<u32>& values) {
  if (in.size() - at < 3) return false;
  const u32 kind = in[at] >> 6, more = in[at] & 63, n = in[at + 1], width = in[at + 2] % 32 + 1;
  u64 bit = 8 * at + 24;
  std::vector<u32> made;
  if (kind != 0 && bit + u64{n} * width > 8 * in.size()) return false;
  if (kind == 0)
    for (u32 i = 0; i < more; ++i) made.push_back(n * 77 + i * width);
  if (kind == 1) {
    for (u32 i = 0; i < (more & 3); ++i) made.push_back(n + 5 * i);
    u32 sum = n + 5 * (more & 3);
    for (u32 i = 0; i < n; ++i) {
      const auto v = static_cast<u32>(field(in, bit, width));
      made.push_back(sum += more >= 32 ? 0 - v : v);
    }
  }
  if (kind == 2) {
    for (u32 i = 0; i < n; ++i) made.push_back(static_cast<u32>(field(in, bit, width)) + more * 3);
    bit = (bit + 7) / 8 * 8;
    if (bit + 16 * (more & 7) > 8 * in.size()) return false;
    for (u32 i = 0, k = 0; i < (more & 7); ++i, bit += 16) {
      k += in[bit / 8];
      if (k >= n) return false;
      made[k] += in[bit / 8 + 1];
    }
  }
  for (u32 i = 0, v = n; kind == 3 && i < n; ++i) made.push_back(v ^= static_cast<u32>(field(in, bit, width)));
  at = (bit + 7) / 8;
  values.insert(values.end(), made.begin(), made.end());
  return true;
}


// `chains`: in a hundred tokens.
std::vector<u8> stream(u32 tokens, u32 chains, u32 longest, std::mt19937_64& random) {
  std::vector<u8> in;
  for (u32 i = 0; i < tokens; ++i) {
    const u32 kind = random() % 100 < chains ? 3 : static_cast<u32>(random() % 3), more = static_cast<u32>(random() % 64);
    const u32 n = static_cast<u32>(random() % longest), width = 1 + static_cast<u32>(random() % (random() % 2 == 0 ? 4 : 32));
    const u32 others = kind == 2 && n != 0 ? more & 7 : 0, told = kind == 2 && n == 0 ? more & ~7u : more;
    in.insert(in.end(), {static_cast<u8>(kind << 6 | told), static_cast<u8>(n), static_cast<u8>(width - 1)});
    for (u32 k = 0; kind != 0 && k < (n * width + 7) / 8; ++k) in.push_back(static_cast<u8>(random()));
    for (u32 k = 0, at = 0; k < others; ++k) {
      const u32 gap = std::min<u32>(static_cast<u32>(random() % 9), n - 1 - at);
      at += gap;
      in.insert(in.end(), {static_cast<u8>(gap), static_cast<u8>(random())});
    }
  }
  return in;
}

// What the engine leaves is done here, one token at a time. How often it was left.
u32 expect_values(const std::vector<u8>& in, std::size_t skew, u64 seed) {
  std::vector<u32> right;
  std::size_t end = 0;
  while (end < in.size() && plain(in, end, right)) {
  }
  sluice::test::GuardedBuffer input(in, seed % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  const std::size_t room = right.size();
  std::vector<Element> memory(room + 64, kNobody);
  Element* const text = memory.data() + 16 + skew;
  Keeping last;
  u32 left = 0;
  const Report report = launch(grid(32, seed), [&] {
    Keeping s;
    s.in = input.bytes().data();
    s.size = s.end = in.size();
    s.out = reinterpret_cast<u8*>(text);
    s.out_end = room;
    for (;;) {
      gpu::prim::as_values<true>(s, Added());
      std::vector<u32> made;
      std::size_t at = s.pos;
      if (at >= in.size() || !plain(in, at, made)) break;
      gpu::prim::sync();
      if (gpu::prim::lane() == 0) std::ranges::transform(made, text + s.produced, [](u32 v) { return static_cast<Element>(v); });
      if (gpu::prim::lane() == 0) ++left;
      gpu::prim::sync();
      s.pos = at;
      s.produced += made.size();
    }
    if (gpu::prim::lane() == 0) last = s;
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(last.pos, end);
  EXPECT_EQ(last.produced, room);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const bool inside = i >= 16 + skew && i < 16 + skew + room;
    EXPECT_EQ(memory[i], inside ? static_cast<Element>(right[i - 16 - skew]) : kNobody) << "element " << i << " of " << room << ", seed " << seed;
    if (testing::Test::HasFailure()) break;
  }
  return left;
}

TEST(PRIM_ADDED_SUITE, SumsAndAmends) {
  std::mt19937_64 random(0xadd);
  for (u32 i = 0; i < 40; ++i) {
    const u32 left = expect_values(stream(i % 4 == 0 ? 1 : 20 * (i % 7), 0, i % 3 == 0 ? 12 : 256, random), i % 5, i);
    EXPECT_LE(left, i % 3 == 0 ? 1u : 40u) << "of lists that a tile holds only the last one is left";
  }
}

// Chains are left, and what stands behind them in the tile is not walked again.
TEST(PRIM_ADDED_SUITE, OtherTokensKeepTheTile) {
  std::mt19937_64 random(0x0dd);
  for (u32 i = 0; i < 12; ++i) {
    const std::vector<u8> all = stream(400, 0, 12, random), some = stream(400, 20, 12, random);
    walked = 0;
    expect_values(all, i % 5, i);
    const double each = static_cast<double>(walked) / static_cast<double>(all.size());
    walked = 0;
    EXPECT_GE(expect_values(some, i % 5, i), 40u);
    EXPECT_LE(static_cast<double>(walked) / static_cast<double>(some.size()), 2 * each) << "walked again behind each token that is left";
  }
}

// Bytes of a stream are others: whatever that makes of its tokens.
TEST(PRIM_ADDED_SUITE, WhatIsWrongIsLeft) {
  std::mt19937_64 random(0xbad);
  for (u32 i = 0; i < 60; ++i) {
    std::vector<u8> in = stream(60, 10, i % 2 == 0 ? 12 : 256, random);
    for (u32 k = 0; k < 1 + i % 4; ++k) in[random() % in.size()] = static_cast<u8>(random());
    if (i % 3 == 0) in.resize(1 + random() % in.size());
    expect_values(in, i % 5, i);
  }
}

template <u32 Groups> void expect_numbers() {
  for (u32 size = 1; size <= 11; ++size)
    for (u32 from = 0; from < 9; ++from)
      for (const u32 room : {0u, 1u}) {
        std::vector<u8> bytes(64, 0xff);
        u64 value = 0;
        for (u32 k = 0; k < size; ++k) {
          const u8 group = static_cast<u8>(k == 9 ? 1 : (0x35 + 13 * k) & 0x7f);
          bytes[from + k] = static_cast<u8>(group | (k + 1 < size ? 0x80 : 0));
          if (k < 10) value |= static_cast<u64>(group) << 7 * k;
        }
        u32 told = ~0u;
        u64 read = 0;
        const Report report = launch(grid(32, size), [&] {
          gpu::prim::ValueTile tile = gpu::prim::no_value_tile(gpu::prim::value_tile_room(0));
          for (u32 i = gpu::prim::lane(); i < bytes.size(); i += 32) reinterpret_cast<u8*>(tile.room->units)[i] = bytes[i];
          tile.base = 0;
          tile.end = from + size - 1 + room;
          gpu::prim::sync();
          u64 v = 0;
          const u32 n = gpu::prim::lone_number<Groups>(tile, from, v);
          if (gpu::prim::lane() == 0) told = n, read = v;
        });
        EXPECT_TRUE(report.ok()) << report.text;
        EXPECT_EQ(told, size <= Groups && room == 1 ? size : 0u) << size << " bytes at " << from;
        EXPECT_EQ(told == 0 ? value : read, value) << size << " bytes at " << from;
      }
}
TEST(PRIM_ADDED_SUITE, NumbersByThemselves) {
  expect_numbers<2>();
  expect_numbers<3>();
  expect_numbers<5>();
  expect_numbers<10>();
}

}  // namespace
}  // namespace sluice::simt::test
