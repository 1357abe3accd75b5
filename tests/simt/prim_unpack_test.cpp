// Fields of one width unpacked by lanes (runtime/prim/cuda/unpack.h), as they are and summed up, against bits counted one by one: all
// widths, sizes of elements and orders of bits, outputs at any address, numbers around a warp's lanes. The input has what a token's
// margin promises, and ends at a page that can't be touched; what is beside the output stays as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"
#include "tests/support/guard.h"

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
#include "runtime/prim/cuda/direct.h"
#include "runtime/prim/place.h"
#include "runtime/prim/cuda/unpack.h"

#pragma GCC diagnostic pop
#include "tests/simt/prim_fields.h"

using prim::Input;

constexpr std::size_t kBeside = 16;
constexpr u8 kUntouched = 0xa5;

struct Case {
  u64 n = 0, width = 0, skip = 0, out_skew = 0, sum = 0, term = 0;
};

class Unpacked {
 public:
  explicit Unpacked(const Case& c)
      : c_(c), in_((c.skip + c.n * c.width + 7) / 8 + prim::kLaneAfter), input_(in_.size(), sluice::test::Flush::End) {
    for (u8& b : in_) b = static_cast<u8>(random()());
    std::ranges::copy(in_, input_.bytes().data());
  }

  // What each lane makes of it by `unpack(out, source, bit)` is kept of the last.
  template <Input K, u32 Elem, typename Unpack>
  u64 expect(std::vector<u64> values, const Unpack& unpack) {
    std::vector<u8> out(2 * kBeside + 8 + c_.n * Elem, kUntouched);
    u8* const to = out.data() + kBeside + c_.out_skew;
    u64 made = 0;
    const Report report = launch(grid(prim::kWorkers, 7), [&] {
      prim::Stream<K, prim::Buffer::Shared> s{};
      s.in = input_.bytes().data();
      s.size = in_.size();
      s.pos = c_.skip;
      s.out = to;
      prim::open(s);
      auto src = prim::direct_source(s);
      const u32 bit = prim::bit_at(src, s.pos);
      EXPECT_EQ(prim::position(src, bit), c_.skip);
      const u64 last = unpack(prim::global(s.out), src, bit);
      if (prim::worker() == 0) made = last;
    });
    EXPECT_TRUE(report.ok()) << report.text;
    std::vector<u8> expected(out.size(), kUntouched);
    for (std::size_t k = 0; k < values.size(); ++k)
      for (u32 b = 0; b < Elem; ++b) expected[kBeside + c_.out_skew + k * Elem + b] = static_cast<u8>(values[k] >> 8 * b);
    EXPECT_EQ(out, expected) << c_.n << " of " << c_.width << " bits behind " << c_.skip << ", elements of " << Elem << ", skew " << c_.out_skew;
    return made;
  }

  std::vector<u64> fields(bool msb) const {
    std::vector<u64> values(c_.n);
    for (u64 k = 0; k < c_.n; ++k) values[k] = field_of(in_, c_.skip + k * c_.width, c_.width, msb);
    return values;
  }

 private:
  static std::mt19937& random() {
    static std::mt19937 made(5);
    return made;
  }
  Case c_;
  std::vector<u8> in_;
  sluice::test::GuardedBuffer input_;
};

template <Input K, u32 Elem>
void stored(const Case& c) {
  constexpr bool kMsb = K == Input::Msb;
  Unpacked test(c);
  test.expect<K, Elem>(test.fields(kMsb), [&](u8* out, auto& src, u32 bit) {
    prim::unpack_out<kMsb, Elem>(out, src, bit, static_cast<u32>(c.width), c.n);
    return u64{0};
  });
}

template <Input K, u32 Elem, bool Short>
void summed(const Case& c) {
  constexpr bool kMsb = K == Input::Msb;
  Unpacked test(c);
  std::vector<u64> values = test.fields(kMsb);
  u64 sum = c.sum;
  for (u64& v : values) v = sum += c.term + v;
  const u64 last = test.expect<K, Elem>(values, [&](u8* out, auto& src, u32 bit) {
    return prim::unpack_sums<kMsb, Elem, Short>(out, src, bit, static_cast<u32>(c.width), static_cast<u32>(c.n), c.sum, c.term);
  });
  EXPECT_EQ(last, Short ? static_cast<u32>(sum) : sum) << c.n << " of " << c.width << " bits";
}

template <Input K, u32 Elem>
void all_widths() {
  std::mt19937 random(Elem);
  constexpr u64 kSizes[] = {0, 1, 5, 31, 32, 33, 64, 100};
  for (u64 width = 0; width <= 64; ++width) {
    Case c{kSizes[random() % std::size(kSizes)], width, 24 + random() % 70, random() % 3 == 0 ? random() % 8 : 0};
    stored<K, Elem>(c);
    if (Elem < 4 || width > 8 * Elem) continue;
    c.sum = random() * u64{0x100000001}, c.term = random() % 2 == 0 ? random() : ~u64{0} - random() % 100;
    summed<K, Elem, false>(c);
    if (Elem == 4) summed<K, Elem, true>(c);
  }
}

TEST(PrimUnpack, BytesLowestFirst) { all_widths<Input::Lsb, 1>(); }
TEST(PrimUnpack, HalfWordsHighestFirst) { all_widths<Input::Msb, 2>(); }
TEST(PrimUnpack, WordsLowestFirst) { all_widths<Input::Lsb, 4>(); }
TEST(PrimUnpack, WordsHighestFirst) { all_widths<Input::Msb, 4>(); }
TEST(PrimUnpack, DoubleWordsLowestFirst) { all_widths<Input::Lsb, 8>(); }
TEST(PrimUnpack, DoubleWordsHighestFirst) { all_widths<Input::Msb, 8>(); }

}  // namespace
}  // namespace sluice::simt::test
