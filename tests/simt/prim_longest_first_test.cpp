// Codes whose longest codes come first, of a warp and of one thread, against what they are by definition. Tables in both bit orders, and
// those of pairs.
#include "tests/simt/longest_first_code.h"
#include "tests/simt/prim_texts.h"

namespace sluice::simt::test {
namespace {

// The warp's table of a code: the entries that one thread's leads to, wherever second levels lie.
template <bool Msb, u32 Bits, u32 Count, u32 MaxBits>
void compare_tables(const gpu::prim::Code<Count, MaxBits>& code, const u32* info, const u32* expected) {
  static u32 table[gpu::prim::table_size(Count, Bits, MaxBits)];
  with_workers([&] { gpu::prim::build_table<Msb, Bits, MaxBits>(table, code, info); });
  for (u32 i = 0; i < 1u << Bits; ++i) {
    const u32 e = table[i], right = expected[i];
    if (!gpu::prim::is_link(right)) {
      ASSERT_EQ(e, right) << i;
      continue;
    }
    ASSERT_TRUE(gpu::prim::is_link(e));
    ASSERT_EQ(gpu::prim::entry_code_bits(e), gpu::prim::entry_code_bits(right));
    for (u32 k = 0; k < 1u << gpu::prim::entry_code_bits(e); ++k)
      ASSERT_EQ(table[gpu::prim::entry_payload(e) + k], expected[gpu::prim::entry_payload(right) + k]) << i << ", " << k;
  }
}

template <u32 Count, u32 MaxBits, u32 Bits>
void compare_longest_first() {
  constexpr u32 kSize = cpu::prim::table_size(Count, Bits, MaxBits), kMain = 1u << Bits;
  static cpu::prim::Code<Count, MaxBits> code;
  static gpu::prim::Code<Count, MaxBits> of_warp;
  static u32 forward[kSize], backward[kSize], info[Count];
  std::vector<u8> lengths = complete_lengths(random_source(), Count, MaxBits);
  lengths.resize(Count);  // the others have no code
  std::shuffle(lengths.begin(), lengths.end(), random_source());
  const std::vector<u32> codes = longest_first(lengths, MaxBits);
  for (u32 s = 0; s < Count; ++s) info[s] = s << 16;
  ASSERT_EQ(cpu::prim::build_code(code, lengths.data(), lengths.size(), cpu::prim::kLongestFirst), cpu::prim::kCodeOk);
  ASSERT_EQ(result_of_all([&] { return gpu::prim::build_code(of_warp, lengths.data(), lengths.size(), gpu::prim::kLongestFirst); }), 0u);
  EXPECT_EQ(of_warp.complete, gpu::prim::kLongestComplete);
  EXPECT_TRUE(std::equal(std::begin(of_warp.sorted), std::end(of_warp.sorted), code.sorted));
  cpu::prim::build_table<false, Bits, MaxBits>(forward, code, info);
  cpu::prim::build_table<true, Bits, MaxBits>(backward, code, info);
  compare_tables<true, Bits, Count, MaxBits>(of_warp, info, backward);
  compare_tables<false, Bits, Count, MaxBits>(of_warp, info, forward);

  const auto reversed = [](u32 bits, u32 n) { return gpu::prim::reverse_bits(bits, n); };
  const auto entry_of = [&](const u32* table, u32 length, u32 main, auto&& rest) {
    if (length <= Bits) return table[main];
    const u32 link = table[main];
    return table[cpu::prim::entry_payload(link) + rest(cpu::prim::entry_code_bits(link))];
  };
  for (u32 length = MaxBits; length > 0; --length)
    for (u32 s = 0; s < Count; ++s) {
      if (lengths[s] != length) continue;
      const u32 bits = codes[s] << (MaxBits - length) | random_below(1u << (MaxBits - length));  // the first one highest
      u8 input[4];
      for (u32 k = 0; k < 4; ++k) input[k] = static_cast<u8>(static_cast<u64>(bits) << (32 - MaxBits) >> (24 - 8 * k));
      const auto found = cpu::prim::find_symbol<true>(code, input, 0, MaxBits);
      EXPECT_EQ(found.symbol, s);
      EXPECT_EQ(found.length, length);
      const u32 entry = cpu::prim::make_entry(info[s], length <= Bits ? length : length - Bits), low = reversed(bits, MaxBits);
      EXPECT_EQ(entry_of(backward, length, bits >> (MaxBits - Bits),
                         [&](u32 n) { return (bits << Bits & ((1u << MaxBits) - 1)) >> (MaxBits - n); }),
                entry);
      EXPECT_EQ(entry_of(forward, length, low & (kMain - 1), [&](u32 n) { return low >> Bits & ((1u << n) - 1); }), entry);
    }

  if (Count > 256) return;
  std::vector<u32> single(backward, backward + kMain);
  cpu::prim::pair_entries<Bits>(backward);
  for (u32 i = 0; i < kMain; ++i) {
    const u32 e = single[i], n = cpu::prim::entry_code_bits(e), next = single[i << n & (kMain - 1)], more = cpu::prim::entry_code_bits(next);
    const bool links = ((e | next) & cpu::prim::kKindMask) != 0;
    if (links || n + more > Bits) {
      EXPECT_EQ(backward[i], e);
      continue;
    }
    EXPECT_EQ(cpu::prim::entry_symbols(backward[i]), 2u);
    EXPECT_EQ(cpu::prim::entry_bits(backward[i]) & 0xff, n + more);
    EXPECT_EQ(cpu::prim::entry_payload(backward[i]), cpu::prim::entry_payload(e) | cpu::prim::entry_payload(next) << 8);
  }
}

TEST(PrimLongestFirst, CodesTablesAndPairs) {
  for (u32 i = 0; i < 20; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    compare_longest_first<256, 11, 11>();
    compare_longest_first<256, 13, 9>();
    compare_longest_first<40, 9, 7>();
    compare_longest_first<300, 12, 10>();
    compare_longest_first<2, 1, 1>();
  }
}

}  // namespace
}  // namespace sluice::simt::test
