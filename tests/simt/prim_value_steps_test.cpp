// Tokens that are runs of values and lists of them, found and written by all lanes, against tokens read one after the other:
// whatever values have, wherever a list goes on, and whatever is wrong. Elements of 2, 4 and 8 bytes: prim_value_steps_N_test.cpp.
#if !defined(SLUICE_ELEMENT)
#define SLUICE_ELEMENT 1
#define PRIM_VALUE_SUITE PrimValueSteps
#endif
#define SLUICE_MIN_TOKEN 2
#define SLUICE_NUMBERS 1
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "tests/simt/value_prims.h"

namespace sluice::simt::test {
namespace {

using gpu::prim::Cursor;
using gpu::prim::kElement;
using gpu::prim::kTileBytes;
using gpu::prim::kValueRoom;
using gpu::prim::ValueTile;

constexpr u32 kBits = 8 * kElement, kGroups = (kBits + 6) / 7;
constexpr u64 kMost = kBits == 64 ? ~u64{0} : (u64{1} << kBits % 64) - 1;  // value of an element

// ---- Two formats, and what they mean ------------------------------------------------------------------------------

// A byte below 128 is a run of so many and two: a step and the first value follow. Others are a list: of 256 less that.
struct RunsAndNumbers {
  static constexpr u64 kInMargin = 40;
  static constexpr u32 kToldMost = 0;
  static constexpr bool kToEnd = false;
  static constexpr u32 kLoop = 1;
  static constexpr bool kApart = true, kOwn = false;
  typedef gpu::prim::ValueRecord Own;
  typedef gpu::prim::VarintList<kBits, true> List;
  template <typename T, typename Out> Cursor token(const T& tile, Cursor in, Cursor in_end, Out& out) const {
    if (in > in_end - kInMargin) return gpu::prim::kCannotTell;
    const u32 control = tile.byte(in++);
    if (control >= 128) return gpu::thread::prim::list_of<List>(out, tile, in, 256 - control);
    const u32 step = tile.byte(in++);
    u64 value = 0, length = 0;
    if (gpu::thread::prim::number_at<kBits>(out, tile, in, value, length) != gpu::prim::kVarintOk) return gpu::prim::kCannotTell;
    gpu::thread::prim::run_of_values(out, static_cast<u64>(gpu::prim::zigzag(value)), control + 2,
                                     static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int8_t>(step))));
    return in + static_cast<Cursor>(length);
  }
};

// A byte says how many fields follow, highest byte first, of two bytes with a sign: some hundreds, from 200 on. Or, below 40, a
// run whose first value and step are bytes.
struct RunsAndFields {
  static constexpr u64 kInMargin = 16;
  static constexpr u32 kToldMost = 0;
  static constexpr bool kToEnd = true;
  static constexpr u32 kLoop = 1;
  static constexpr bool kApart = false, kOwn = false;
  typedef gpu::prim::ValueRecord Own;
  typedef gpu::prim::FieldList<2, true, true> List;
  template <typename T, typename Out> Cursor token(const T& tile, Cursor in, Cursor in_end, Out& out) const {
    if (in > in_end - kInMargin) return gpu::prim::kCannotTell;
    const u32 control = tile.byte(in);
    if (control >= 40) return gpu::thread::prim::list_of<List>(out, tile, in + 1, count(control));
    gpu::thread::prim::run_of_values(out, tile.byte(in + 1), control, tile.byte(in + 2));
    return in + 3;
  }
  static u32 count(u32 control) { return control < 200 ? control - 40 : (control - 200) * 40; }
};

// Likewise with fields of as many bits as the second byte says, from the fourth bit of the third one on: some hundreds again. The
// next token begins at a byte.
template <bool Msb> struct RunsAndPacked {
  static constexpr u64 kInMargin = 16;
  static constexpr u32 kToldMost = 0;
  static constexpr bool kToEnd = true;
  static constexpr u32 kLoop = 1;
  static constexpr bool kApart = false, kOwn = false;
  typedef gpu::prim::ValueRecord Own;
  typedef gpu::prim::PackedList<Msb, Msb> List;  // first bit highest: zigzag-coded
  template <typename T, typename Out> Cursor token(const T& tile, Cursor in, Cursor in_end, Out& out) const {
    if (in > in_end - kInMargin) return gpu::prim::kCannotTell;
    const u32 control = tile.byte(in);
    if (control < 40) {
      gpu::thread::prim::run_of_values(out, tile.byte(in + 1), control, tile.byte(in + 2));
      return in + 3;
    }
    u32 bit = 8 * in + 19;
    if (!gpu::thread::prim::packed_list<List>(out, tile, bit, RunsAndFields::count(control), width(tile.byte(in + 1)))) return gpu::prim::kCannotTell;
    return (bit + 7) / 8;
  }
  static u32 width(u32 byte) { return byte % 64 + 1; }
};

// What tokens make, one after the other, up to one that is wrong, does not end before the input, or has no room.
struct Plain {
  std::vector<u64> values;
  std::size_t at = 0;         // behind the last token
  std::vector<u64> part = {};  // what the next one makes before it is wrong
};

// None: it does not end there, or is none.
std::optional<u64> number(const std::vector<u8>& in, std::size_t& at) {
  u64 value = 0;
  for (u32 k = 0; k < kGroups && at < in.size(); ++k) {
    const u8 byte = in[at++];
    value |= static_cast<u64>(byte & 127) << 7 * k;
    if (byte < 128) return k + 1 == kGroups && byte >> (kBits - 7 * (kGroups - 1)) != 0 ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}
bool token_of(const RunsAndNumbers&, const std::vector<u8>& in, std::size_t& at, std::vector<u64>& values) {
  const u32 control = in[at++];
  if (control < 128) {
    if (at == in.size()) return false;
    const u64 step = static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int8_t>(in[at++])));
    const auto first = number(in, at);
    for (u64 i = 0; first && i < control + 2; ++i) values.push_back(static_cast<u64>(gpu::prim::zigzag(*first)) + i * step);
    return first.has_value();
  }
  for (u32 i = control; i < 256; ++i) {
    const auto value = number(in, at);
    if (!value) return false;
    values.push_back(static_cast<u64>(gpu::prim::zigzag(*value)));
  }
  return true;
}
bool token_of(const RunsAndFields&, const std::vector<u8>& in, std::size_t& at, std::vector<u64>& values) {
  const u32 control = in[at++];
  if (control < 40) {
    if (in.size() - at < 2) return false;
    for (u64 i = 0; i < control; ++i) values.push_back(in[at] + i * in[at + 1]);
    at += 2;
    return true;
  }
  for (u32 i = 0; i < RunsAndFields::count(control); ++i, at += 2) {
    if (in.size() - at < 2) return false;
    values.push_back(static_cast<u64>(static_cast<std::int64_t>(static_cast<std::int16_t>(in[at] << 8 | in[at + 1]))));
  }
  return true;
}
template <bool Msb> bool token_of(const RunsAndPacked<Msb>&, const std::vector<u8>& in, std::size_t& at, std::vector<u64>& values) {
  if (in[at] < 40) return token_of(RunsAndFields(), in, at, values);
  const u32 count = RunsAndFields::count(in[at++]);
  if (at == in.size()) return false;
  const u32 width = RunsAndPacked<Msb>::width(in[at++]);
  u64 bit = 8 * at + 3;
  for (u32 i = 0; i < count; ++i) {
    if (bit + width > 8 * in.size()) return false;
    u64 value = 0;
    for (u32 k = 0; k < width; ++k, ++bit) {
      const u64 one = in[bit / 8] >> (Msb ? 7 - bit % 8 : bit % 8) & 1;
      value |= one << (Msb ? width - 1 - k : k);
    }
    values.push_back(Msb ? static_cast<u64>(gpu::prim::zigzag(value)) : value);
  }
  at = (bit + 7) / 8;
  return at <= in.size();
}
template <typename T> Plain plain(const std::vector<u8>& in, std::size_t first, std::size_t room) {
  Plain told{{}, first};
  while (told.at < in.size()) {
    std::vector<u64> made;
    std::size_t at = told.at;
    if (!token_of(T(), in, at, made) || told.values.size() + made.size() > room) {
      if (told.values.size() + made.size() <= room) told.part = made;
      break;
    }
    told.values.insert(told.values.end(), made.begin(), made.end());
    told.at = at;
  }
  return told;
}

// ---- The engine ---------------------------------------------------------------------------------------------------

// The input lies between pages that nobody may touch. `whole`: all of it are tokens, and the engine leaves the last one at
// most, and what comes behind the first that is wrong.
template <typename T> void expect_values(const std::vector<u8>& in, std::size_t first, std::size_t room, std::size_t skew) {
  const Plain right = plain<T>(in, first, room);
  sluice::test::GuardedBuffer input(in, skew % 2 == 0 ? sluice::test::Flush::Start : sluice::test::Flush::End);
  std::vector<u8> memory(kEdge + (room + 16) * kElement + kEdge, kBlank);
  const std::size_t start = (kEdge + 15) / 16 * 16 + skew * kElement;
  const Outcome told = engine<true, T>(input.bytes(), first, memory.data() + start, room, skew);
  const Outcome counted = engine<false, T>(input.bytes(), first, nullptr, room, skew + 1);
  EXPECT_FALSE(told.left);
  EXPECT_EQ(counted.stream.pos, told.stream.pos);
  EXPECT_EQ(counted.stream.produced, told.stream.produced);
  ASSERT_LE(told.stream.produced, right.values.size());
  ASSERT_LE(told.stream.pos, right.at);
  // One token may be left, which then ends with the input, where none may.
  const Plain rest = plain<T>(in, told.stream.pos, room - told.stream.produced);
  EXPECT_EQ(told.stream.produced + rest.values.size(), right.values.size());
  EXPECT_EQ(rest.at, right.at);
  if (told.stream.pos != right.at) {
    EXPECT_FALSE(T::kToEnd);
    EXPECT_EQ(right.at, in.size());
    std::size_t at = told.stream.pos;
    std::vector<u64> last;
    EXPECT_TRUE(token_of(T(), in, at, last));
    EXPECT_EQ(at, in.size()) << "more than a token is left";
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::size_t n = (i - start) / kElement, all = right.values.size();
    const bool inside = i >= start && n < all + right.part.size();
    const u64 value = !inside ? kBlank : n < all ? right.values[n] : right.part[n - all];
    const u8 byte = inside ? static_cast<u8>(value >> 8 * ((i - start) % kElement)) : kBlank;
    // A list that is left may have been begun: what is wrong was not written.
    const bool left = i >= start && n >= told.stream.produced && memory[i] == kBlank;
    if (left) continue;
    ASSERT_EQ(memory[i], byte) << "element " << n << " of " << all << ", room " << room << ", skew " << skew;
  }
}

// ---- Streams ------------------------------------------------------------------------------------------------------

void put_number(std::vector<u8>& in, u64 value) {
  for (; value >= 128; value >>= 7) in.push_back(static_cast<u8>(value | 128));
  in.push_back(static_cast<u8>(value));
}
// Of up to so many bits.
u64 any_value(std::mt19937_64& random, u32 most) { return (random() & kMost) >> (kBits - std::min(kBits, 1 + static_cast<u32>(random() % most))); }

struct Mix {
  u32 runs, longest_run, longest_list, bits;  // so many of ten tokens are runs; values of that many bits at most
};
std::vector<u8> stream(const Mix& mix, std::size_t first, std::size_t tokens, std::mt19937_64& random) {
  std::vector<u8> in(first, 0x80);
  for (std::size_t i = 0; i < tokens; ++i) {
    if (random() % 10 < mix.runs) {
      in.push_back(static_cast<u8>(random() % mix.longest_run));
      in.push_back(static_cast<u8>(random()));
      put_number(in, any_value(random, mix.bits));
    } else {
      const auto n = 1 + static_cast<u32>(random() % mix.longest_list);
      in.push_back(static_cast<u8>(256 - n));
      for (u32 k = 0; k < n; ++k) put_number(in, any_value(random, mix.bits));
    }
  }
  return in;
}

constexpr std::size_t kAnyRoom = 100000;

TEST(PRIM_VALUE_SUITE, RunsAndListsOfNumbers) {
  std::mt19937_64 random(0x7a1);
  std::size_t skew = 0;
  for (const Mix& mix : {Mix{10, 4, 1, 6}, Mix{9, 128, 1, 64}, Mix{5, 6, 5, 7}, Mix{5, 40, 128, 64}, Mix{0, 1, 128, 6}, Mix{0, 1, 128, 64},
                         Mix{1, 3, 3, 14}, Mix{8, 4, 100, 64}})
    for (const std::size_t tokens : {1, 2, 33, 400}) {
      ++skew;
      const std::vector<u8> in = stream(mix, skew % 21, tokens, random);
      const std::size_t all = plain<RunsAndNumbers>(in, skew % 21, kAnyRoom).values.size();
      for (const std::size_t room : {all, all - 1, all / 2, all + 5}) expect_values<RunsAndNumbers>(in, skew % 21, room, skew % 17);
    }
}

// A byte somewhere is another one: numbers that are none, lists that are longer than the input, tokens that are others.
TEST(PRIM_VALUE_SUITE, WhatIsWrongIsLeft) {
  std::mt19937_64 random(0xbad);
  for (std::size_t i = 0; i < 150; ++i) {
    const Mix mix{static_cast<u32>(random() % 11), 1 + static_cast<u32>(random() % 100), 1 + static_cast<u32>(random() % 128), 64};
    std::vector<u8> in = stream(mix, i % 5, 60, random);
    for (std::size_t n = random() % 4; n > 0; --n) in[i % 5 + random() % (in.size() - i % 5)] = static_cast<u8>(random() % 2 ? 0xff : random());
    if (i % 3 == 0) in.resize(i % 5 + 1 + random() % (in.size() - i % 5));
    if (i % 7 == 0) in.insert(in.begin() + static_cast<std::ptrdiff_t>(i % 5 + random() % (in.size() - i % 5)), random() % 3000, 0x80);
    expect_values<RunsAndNumbers>(in, i % 5, kAnyRoom / (1 + random() % 300), i % 17);
  }
}

// Lists over many tiles, of which a value is wrong: in front of all tiles' ends, and behind them.
TEST(PRIM_VALUE_SUITE, ListsThatNoTileHolds) {
  std::mt19937_64 random(0x115);
  for (u32 at = 0; at < 30; ++at) {
    std::vector<u8> in = stream({3, 9, 9, 20}, at, 5, random);
    const std::size_t list = in.size();
    in.push_back(128);
    for (u32 k = 0; k < 128; ++k) put_number(in, kMost >> k % 2);
    for (u32 k = 0; k < 3; ++k) {
      in.push_back(129);
      for (u32 n = 0; n < 127; ++n) put_number(in, kMost >> n % 3);
    }
    in.insert(in.end(), {0, 0, 0, 0, 0, 0});
    if (at % 3 != 0) in[list + 1 + random() % (in.size() - list - 1)] |= 0x80;
    expect_values<RunsAndNumbers>(in, at, kAnyRoom, at % 9);
  }
}

// A run of 79 is none of the engine's: who comes back behind it finds the tile as it was, with a list at its end that no tile holds.
struct LeavesSome : RunsAndNumbers {
  static constexpr u32 kLeft = 77;
  template <typename T, typename Out> Cursor token(const T& tile, Cursor in, Cursor in_end, Out& out) const {
    if (std::is_base_of_v<gpu::prim::ValueRecord, Out> && tile.byte(in) == kLeft) return gpu::prim::kCannotTell;
    return RunsAndNumbers::token(tile, in, in_end, out);
  }
};
TEST(PRIM_VALUE_SUITE, TilesAreKeptWithTheEndsOfTheirNumbers) {
  std::mt19937_64 random(0x4e9);
  for (u32 i = 0; i < 24; ++i) {
    std::vector<u8> in = stream({3, 9, 20, i % 3 == 0 ? 7u : 64u}, 0, 10 + i, random);
    for (u32 k = 0; k < 9; ++k) {
      in.insert(in.end(), {LeavesSome::kLeft, 3, 8});
      for (u32 n = 0; n < 3; ++n) {
        in.push_back(static_cast<u8>(256 - 70 - n));
        for (u32 m = 0; m < 70 + n; ++m) put_number(in, any_value(random, i % 3 == 0 ? 7 : 64));
      }
    }
    in.insert(in.end(), {0, 0, 0, 0, 0, 0});
    const Plain right = plain<RunsAndNumbers>(in, 0, kAnyRoom);
    std::vector<u8> memory((right.values.size() + 16) * kElement, kBlank);
    Keeping end;
    const Report report = launch(grid(32, i), [&] {
      Keeping s;
      s.in = in.data();
      s.size = s.end = in.size();
      s.out = memory.data();
      s.out_end = right.values.size();
      for (bool more = true; more;) {
        gpu::prim::as_values<true>(s, LeavesSome());
        more = s.pos < in.size() && in[s.pos] == LeavesSome::kLeft;
        std::size_t at = s.pos;
        std::vector<u64> run;
        if (more) token_of(RunsAndNumbers(), in, at, run);
        for (const u64 value : run) {
          if (gpu::prim::lane() == 0) std::memcpy(s.out + s.produced * kElement, &value, kElement);
          ++s.produced;
        }
        s.pos = at;
      }
      if (gpu::prim::lane() == 0) end = s;
    });
    EXPECT_TRUE(report.ok()) << report.text;
    EXPECT_LE(in.size(), end.pos + 3) << "the last token may be left";
    for (std::size_t n = 0; n < end.produced; ++n)
      ASSERT_EQ(std::memcmp(memory.data() + n * kElement, &right.values[n], kElement), 0) << "element " << n << " of " << right.values.size();
  }
}

TEST(PRIM_VALUE_SUITE, RunsAndListsOfFields) {
  std::mt19937_64 random(0xf1e);
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<u8> in(i % 18);
    const u32 kinds = 1 + static_cast<u32>(random() % 256);
    for (u32 n = 0; n < 40; ++n) {
      const u32 control = static_cast<u32>(random() % kinds);
      in.push_back(static_cast<u8>(control));
      for (u32 k = 0; k < (control < 40 ? 2 : 2 * RunsAndFields::count(control)); ++k) in.push_back(static_cast<u8>(random()));
    }
    if (i % 4 == 0) in.resize(i % 18 + 1 + random() % (in.size() - i % 18));
    expect_values<RunsAndFields>(in, i % 18, i % 5 == 1 ? 77 : kAnyRoom, i % 17);
  }
}

template <bool Msb> void expect_packed(u64 seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<u8> in(i % 18);
    const u32 kinds = 1 + static_cast<u32>(random() % 256), widths = i % 3 == 0 ? 64 : 1 + static_cast<u32>(random() % 64);
    for (u32 n = 0; n < 30; ++n) {
      const u32 control = static_cast<u32>(random() % kinds), width = n % 3 == 0 ? widths - 1 : static_cast<u32>(random() % widths);
      in.push_back(static_cast<u8>(control));
      if (control >= 40) in.push_back(static_cast<u8>(width));
      for (u32 k = 0; k < (control < 40 ? 2 : ((width + 1) * RunsAndFields::count(control) + 10) / 8); ++k) in.push_back(static_cast<u8>(random()));
    }
    if (i % 4 == 0) in.resize(i % 18 + 1 + random() % (in.size() - i % 18));
    expect_values<RunsAndPacked<Msb>>(in, i % 18, i % 5 == 1 ? 77 : kAnyRoom, i % 17);
  }
}
TEST(PRIM_VALUE_SUITE, RunsAndListsOfBits) {
  expect_packed<true>(0xb17);
  expect_packed<false>(0xb18);
}

// Tokens of one size whose walks never meet, and of which there are few.
TEST(PRIM_VALUE_SUITE, WalksThatNeverMeetAreLeft) {
  std::vector<u8> in;
  for (u32 i = 0; i < 400; ++i) {  // lists of 15 fields: whoever reads one of their bytes for a token goes on in its step
    in.push_back(40 + 15);
    in.insert(in.end(), 30, 40 + 15);
  }
  alignas(16) static u8 text[400 * 15 * kElement];
  const Outcome told = engine<true, RunsAndFields>(in, 0, text, 400 * 15, 1);
  EXPECT_TRUE(told.left);
  EXPECT_EQ(told.stream.pos % 31, 0u);
  EXPECT_EQ(told.stream.produced, told.stream.pos / 31 * 15);
  for (u64 i = 0; i < told.stream.produced * kElement; i += kElement) ASSERT_EQ(text[i], 55u) << i;
}

TEST(PRIM_VALUE_SUITE, ElementsThatLieAskewAreLeft) {
  if (kElement == 1) return;
  std::vector<u8> in(300, 0);
  alignas(16) static u8 text[1000 * kElement];
  const Outcome told = engine<true, RunsAndNumbers>(in, 0, text + 1, 900, 1);
  EXPECT_TRUE(told.left);
  EXPECT_EQ(told.stream.pos, 0u);
  EXPECT_EQ(told.stream.produced, 0u);
}

// ---- Ends of numbers ----------------------------------------------------------------------------------------------

template <u32 Bits> void expect_ends(std::span<const u8> bytes, u32 region) {
  typedef gpu::prim::VarintList<Bits, false> List;
  constexpr u32 kMostGroups = (Bits + 6) / 7, kLast = Bits - 7 * (kMostGroups - 1);
  std::vector<u32> ends, lengths;
  for (u32 at = 0, from = 0; at < std::min(region, kValueRoom); ++at)
    if (bytes[at] < 0x80) {
      ends.push_back(at);
      lengths.push_back(at + 1 - from);
      from = at + 1;
    }
  u32 found = ~0u;
  std::string wrong;
  const Report report = launch(grid(32, Bits + region), [&] {
    ValueTile tile = gpu::prim::no_value_tile(gpu::prim::value_tile_room(0));
    for (u32 i = gpu::prim::lane(); i < kValueRoom; i += 32) reinterpret_cast<u8*>(tile.room->units)[i] = bytes[i];
    tile.base = 0;
    tile.end = region;
    gpu::prim::sync();
    gpu::prim::find_ends<List>(tile);
    gpu::prim::need_counts<List>(tile);
    if (gpu::prim::lane() != 0) return;
    found = tile.ends;
    for (u32 k = 0, n = 0; k < kValueRoom && wrong.empty(); ++k) {
      while (n < ends.size() && ends[n] < k) ++n;
      if (List::ends_before(tile, k) != n) wrong = "ends before byte " + std::to_string(k);
      u32 plain = 0;  // bytes that each end one
      while (n + plain < ends.size() && ends[n + plain] == k + plain) ++plain;
      if (List::kMayBePlain && (!List::plain(tile, k, plain) || List::plain(tile, k, plain + 1))) wrong = "numbers of a byte each at byte " + std::to_string(k);
      for (u32 m = 1; m <= 40; ++m)
        if (gpu::prim::nth_end(tile, k, m) != (n + m <= ends.size() ? ends[n + m - 1] + 1 : kValueRoom + 1)) wrong = "end " + std::to_string(m) + " from byte " + std::to_string(k);
      const u32 next = n < ends.size() ? ends[n] : kValueRoom, to = gpu::prim::end_of_number(tile, k);
      if (to != (next - k < 32 && next < kValueRoom ? next + 1 : 0)) wrong = "end of the number at byte " + std::to_string(k);
    }
    u32 count = 0;
    for (u32 n = 0; n < ends.size() && wrong.empty(); ++n) {
      if (tile.room->behind[n + 1] != ends[n] + 1) wrong = "end " + std::to_string(n);
      const bool bad = lengths[n] > kMostGroups || (lengths[n] == kMostGroups && bytes[ends[n]] >> kLast != 0);
      count += bad ? 1 : 0;
      if (List::wrong_up_to(tile, ends[n]) != count) wrong = "wrong ones up to end " + std::to_string(n);
      const u32 from = ends[n] + 1 - lengths[n];
      if (gpu::prim::sound_groups<Bits>(tile, from, ends[n] + 1) == bad) wrong = "whether number " + std::to_string(n) + " is one";
      u64 value = 0;
      for (u32 k = 0; k < lengths[n] && k < kMostGroups; ++k) value |= static_cast<u64>(bytes[from + k] & 127) << 7 * k;
      if (!bad && gpu::prim::groups_at<Bits>(tile, from, ends[n] + 1) != value) wrong = "value " + std::to_string(n);
    }
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(found, ends.size()) << Bits << " bits, region of " << region;
  EXPECT_EQ(wrong, "") << Bits << " bits, region of " << region;
}

TEST(PRIM_VALUE_SUITE, EndsOfNumbers) {
  std::mt19937 random(0xe2d);
  for (const u32 region : {kValueRoom, kValueRoom + 7, kValueRoom - 1, 1030u, 1024u, 1000u, 33u, 31u, 1u, 0u})
    for (const u32 more : {0u, 3u, 8u, 10u}) {  // so many bytes of eleven go on
      std::vector<u8> bytes(kValueRoom);
      for (u8& b : bytes) b = static_cast<u8>((random() & 0x7f) >> random() % 8 | (random() % 11 < more ? 0x80 : 0));
      expect_ends<7>(bytes, region);
      expect_ends<8>(bytes, region);
      expect_ends<16>(bytes, region);
      expect_ends<28>(bytes, region);
      expect_ends<32>(bytes, region);
      expect_ends<63>(bytes, region);
      expect_ends<64>(bytes, region);
    }
}

}  // namespace
}  // namespace sluice::simt::test
