#pragma once
// Formats whose tokens are of all sizes, and streams of them: for tests of the engines that find tokens of which nobody knows
// where they begin, by one warp (prim_speculate_test.cpp) and by a team (prim_team_test.cpp).
#include <vector>

#include "tests/simt/record_engine.h"

namespace sluice::simt::test {
namespace {

#if defined(PRIM_EACH_PART)
constexpr bool kOneLiteral = true;  // of these tokens it is said that each is one part
#else
constexpr bool kOneLiteral = false;
#endif

// Tokens whose second byte goes to the output, as literals. Size says how many bytes the one at `at` has.
template <typename Size> struct Tokens {
  static constexpr u64 kInMargin = 8;
  static constexpr bool kLate = false, kOnePart = kOneLiteral, kEachPart = kOneLiteral, kToEnd = false;
  static constexpr u32 kToldMost = 0;
  static constexpr bool kToldParts = false;
  typedef Record Own;
  template <typename T>
  static gpu::prim::Cursor token(const T& tile, gpu::prim::Cursor in, gpu::prim::Cursor in_end, gpu::prim::NoOutput&) {
    return in > in_end - kInMargin ? gpu::prim::kCannotTell : in + Size::of(tile, in);
  }
  template <typename T>
  static gpu::prim::Cursor token(const T& tile, gpu::prim::Cursor in, gpu::prim::Cursor in_end, Record& out) {
    out.literals = 1;
    out.from = in + 1;
    gpu::prim::NoOutput none;
    return token(tile, in, in_end, none);
  }
};
// Whatever is in them: walks that begin in step with each other stay in step, and others never meet.
template <u32 Bytes> struct Always {
  template <typename T> static u32 of(const T&, u32) { return Bytes; }
};
// Walks meet after a few tokens.
struct ThreeToSeven {
  template <typename T> static u32 of(const T& tile, u32 at) { return 3 + tile.byte(at) % 5; }
};

// Likewise, but for tokens over whole segments now and then.
struct LongNowAndThen {
  template <typename T> static u32 of(const T& tile, u32 at) {
    const u32 b = tile.byte(at);
    return b < 240 ? 3 + b % 5 : b - 200;
  }
};

// Tokens that do not ask whether the input ends: the last one may end where it does.
struct ToTheEnd : Tokens<ThreeToSeven> {
  static constexpr bool kToEnd = true;
};

// Tokens over whole segments now and then, of which the first byte tells the shorter ones. Who asks their bodies is told nothing.
struct ToldByTheFirstByte : Tokens<LongNowAndThen> {
  static constexpr u32 kToldMost = 7;
  static constexpr bool kToldParts = true;
  template <typename T> static bool told(const T& tile, gpu::prim::Cursor in, gpu::prim::Cursor, u32& size) {
    const u32 b = tile.byte(in);
    size = 3 + b % 5;
    return b < 240;
  }
  template <typename T, typename Out>
  static gpu::prim::Cursor token(const T& tile, gpu::prim::Cursor in, gpu::prim::Cursor in_end, Out& out) {
    return tile.byte(in) < 240 ? gpu::prim::kCannotTell : Tokens<LongNowAndThen>::token(tile, in, in_end, out);
  }
  template <typename T> static bool parts(const T& tile, gpu::prim::Cursor in, gpu::prim::Cursor, Record& out) {
    out = {1, in + 1, 3, 9};  // anything, where it is not told
    if (tile.byte(in) >= 240) return false;
    out = {1, in + 1, 0, 0};
    return true;
  }
};

// So many literals, of which there are thousands now and then, and a copy.
struct LongTokens {
  static constexpr u64 kInMargin = 8;
  static constexpr bool kLate = false, kOnePart = false, kEachPart = false, kToEnd = false;
  static constexpr u32 kToldMost = 0;
  static constexpr bool kToldParts = false;
  typedef Record Own;
  static void take(gpu::prim::NoOutput&, const Record&) {}
  static void take(Record& out, const Record& r) { out = r; }
  template <typename T, typename Out>
  static gpu::prim::Cursor token(const T& tile, gpu::prim::Cursor in, gpu::prim::Cursor in_end, Out& out) {
    const gpu::prim::Cursor limit = in_end - static_cast<gpu::prim::Cursor>(kInMargin);
    if (in > limit) return gpu::prim::kCannotTell;
    const u32 literals = tile.byte(in) | tile.byte(in + 1) << 8, from = in + 2;
    if (literals > limit - from) return gpu::prim::kCannotTell;
    in = from + literals;
    take(out, {literals, from, tile.byte(in), tile.byte(in + 1) + 1});
    return in + 2;
  }
};

struct Chunk : Stream {
  static constexpr gpu::prim::Input kInput = gpu::prim::Input::Bytes;
  const u8* in = nullptr;
  u64 size = 0, pos = 0, end = 0;
  u64 byte() const { return pos; }
};

struct Outcome {
  bool left = false;  // to the loop of strategy `warp`
  Chunk stream;
};

// Sees the input as a tile does.
struct Whole {
  const std::vector<u8>& input;
  u32 byte(std::size_t at) const { return input[at]; }
};

}  // namespace
}  // namespace sluice::simt::test
