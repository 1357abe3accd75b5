// A warp's bit buffer of regions that are read from their end: fields of 0 to 32 bits, against the bits counted one by one; and codes
// whose longest codes come first, looked up there. The input ends where its allocation ends, begins at any address, and around it
// nothing may be read.
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
#include "runtime/prim/cuda/back.h"

#pragma GCC diagnostic pop

typedef prim::Stream<prim::Input::Turning, prim::Buffer::Shared> Stream;
typedef prim::BackBits Bits;
constexpr std::size_t kBytes = 300, kMargin = 16;  // as a fast loop keeps it

// The bits below bit `at`, the one nearest to it highest.
u64 below(const std::vector<u8>& in, u64 at, u32 n) {
  u64 v = 0;
  for (u32 i = 1; i <= n; ++i) v = v << 1 | (in[(at - i) >> 3] >> ((at - i) & 7) & 1);
  return v;
}

struct Case {
  std::vector<u8> bytes;
  std::unique_ptr<u8[]> memory;
  std::size_t skew;

  Case(std::mt19937& random, std::size_t behind) : bytes(kBytes), memory(new u8[kBytes + behind]), skew(behind) {
    for (u8& byte : bytes) byte = static_cast<u8>(random());
    std::copy(bytes.begin(), bytes.end(), memory.get() + skew);
  }
  // Of a region that begins with the input, down to whose bit `at` it has been read.
  Stream stream(u64 at) const {
    Stream s{};
    s.in = memory.get() + skew;
    s.size = kBytes;
    s.pos = prim::kTurn - at;
    s.end = prim::kTurn;
    prim::open(s);
    return s;
  }
};

void read_fields(std::size_t skew, unsigned seed) {
  std::mt19937 random(seed);
  const Case one(random, skew);
  const u64 first = 8 * kBytes - random() % 70;  // from the input's last words, too
  std::vector<u32> widths;
  u64 last = first;
  for (;;) {
    const u32 n = random() % 5 == 0 ? 32 : static_cast<u32>(random() % 32);
    if (last < n + 8 * kMargin) break;
    widths.push_back(n);
    last -= n;
  }
  std::vector<std::vector<u64>> got(32);
  std::vector<u64> stops(32), limits(32);
  const Report report = launch(grid(32, seed), [&] {
    Stream s = one.stream(first);
    auto src = prim::back_source(s);
    prim::BackCursor in = prim::cursor(src, s.pos >> 3);
    limits[threadIdx.x] = prim::cursor(src, s.end >> 3) - in;
    Bits b = Bits::at(src, s.pos, in);
    for (const u32 n : widths) {
      const u32 front = n == 0 ? 0 : n / 3, v = Bits::look_after(b, 0, n);
      if (n != 0 && Bits::look(b, n) != v) got[threadIdx.x].push_back(~0ull);
      if (n != 0 && n < 32 && Bits::look_after(b, front, n - front) != (v & ((1u << (n - front)) - 1))) got[threadIdx.x].push_back(~1ull);
      got[threadIdx.x].push_back(v);
      Bits::drop(b, src, in, n);
    }
    stops[threadIdx.x] = Bits::position(src, in, b.count);
    prim::give_back(s, src);
  });
  ASSERT_TRUE(report.ok()) << report.text;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(got[lane].size(), widths.size());
    u64 at = first;
    for (std::size_t i = 0; i < widths.size(); at -= widths[i++])
      ASSERT_EQ(got[lane][i], below(one.bytes, at, widths[i])) << "down from bit " << at << ", skew " << skew;
    EXPECT_EQ(stops[lane], prim::kTurn - last);
    EXPECT_EQ(limits[lane], (first + 7) / 8);  // bytes of the region, the one that the position is in among them
  }
}

TEST(PrimBack, FieldsOfAllWidths) {
  for (std::size_t skew = 0; skew < 8; ++skew)
    for (unsigned seed = 0; seed < 12; ++seed) read_fields(skew, seed);
}

// note [at once]: fields are cut from a look as long as it shows them.
void cut_fields(std::size_t skew, unsigned seed) {
  std::mt19937 random(seed);
  const Case one(random, skew);
  // The first look drops no word, and that may be one that reaches past the input's end.
  const u64 first = 8 * kBytes - random() % (seed % 2 == 0 ? 8 : 70);
  std::vector<std::vector<u32>> looks = {{seed % 4}};
  u64 last = first - seed % 4;
  for (;;) {
    std::vector<u32> widths;
    u32 all = 0;
    while (all < Bits::kShown) {
      const u32 n = std::min(random() % 4 == 0 ? 32 : static_cast<u32>(random() % 33), Bits::kShown - all);
      widths.push_back(n);
      all += n;
      if (random() % 4 == 0) break;
    }
    if (last < all + 8 * kMargin) break;
    looks.push_back(widths);
    last -= all;
  }
  std::vector<std::vector<u32>> got(32);
  std::vector<u64> stops(32);
  const Report report = launch(grid(32, seed), [&] {
    Stream s = one.stream(first);
    auto src = prim::back_source(s);
    prim::BackCursor in = prim::cursor(src, s.pos >> 3);
    Bits b = Bits::at(src, s.pos, in);
    for (const auto& widths : looks) {
      const u64 shown = Bits::shown(b);
      u32 before = 0;
      for (const u32 n : widths) {
        got[threadIdx.x].push_back(Bits::cut(shown, before, n));
        before += n;
      }
      Bits::drop_shown(b, src, in, before);
    }
    stops[threadIdx.x] = Bits::position(src, in, b.count);
    prim::give_back(s, src);
  });
  ASSERT_TRUE(report.ok()) << report.text;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    u64 at = first;
    std::size_t i = 0;
    for (const auto& widths : looks)
      for (const u32 n : widths) {
        ASSERT_EQ(got[lane].at(i++), below(one.bytes, at, n)) << "down from bit " << at << ", skew " << skew;
        at -= n;
      }
    EXPECT_EQ(stops[lane], prim::kTurn - last);
  }
}

TEST(PrimBack, FieldsCutFromOneLook) {
  for (std::size_t skew = 0; skew < 8; ++skew)
    for (unsigned seed = 0; seed < 12; ++seed) cut_fields(skew, seed);
}

// Symbols of a complete code of which a table shows the first `First` bits, the longer ones by what the code says itself.
template <u32 First>
void read_symbols(unsigned seed) {
  constexpr u32 kSymbols = 60, kMax = 11;
  std::mt19937 random(seed);
  const std::vector<u8> lengths = complete_lengths(random, kSymbols, kMax);
  const std::vector<u32> codes = longest_first(lengths, kMax);
  static prim::Code<kSymbols, kMax> code;
  static u32 table[1u << First], info[kSymbols];
  for (u32 s = 0; s < kSymbols; ++s) info[s] = s << 16;
  Case one(random, seed % 4);
  std::vector<u32> symbols;
  u64 at = 8 * kBytes - random() % 8;
  const u64 first = at;
  std::fill(one.bytes.begin(), one.bytes.end(), u8{0});
  for (;;) {
    const u32 s = static_cast<u32>(random() % lengths.size());
    if (at < lengths[s] + 8 * kMargin) break;
    for (u32 k = lengths[s]; k > 0; --k) {
      --at;
      one.bytes[at >> 3] = static_cast<u8>(one.bytes[at >> 3] | (codes[s] >> (k - 1) & 1) << (at & 7));
    }
    symbols.push_back(s);
  }
  std::copy(one.bytes.begin(), one.bytes.end(), one.memory.get() + one.skew);
  std::vector<std::vector<u32>> got(32);
  const Report report = launch(grid(32, seed), [&] {
    prim::build_code(code, lengths.data(), lengths.size(), prim::kLongestFirst);
    prim::build_table<true, First, First>(table, code, info);
    Stream s = one.stream(first);
    auto src = prim::back_source(s);
    prim::BackCursor in = 0;
    Bits b = Bits::at(src, s.pos, in);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      u32 e = table[Bits::look(b, First)];
      if (e & 4u << prim::kKindShift) e = prim::long_entry<true, First>(code, info, Bits::look(b, kMax), e);
      got[threadIdx.x].push_back(prim::entry_payload(e));
      Bits::drop(b, src, in, prim::entry_bits(e));
    }
  });
  ASSERT_TRUE(report.ok()) << report.text;
  for (const std::vector<u32>& lane : got) EXPECT_EQ(lane, symbols);
}

TEST(PrimBack, SymbolsOfLongestFirstCodes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    read_symbols<11>(seed);
    read_symbols<7>(seed);
    read_symbols<4>(seed);
  }
}

}  // namespace
}  // namespace sluice::simt::test
