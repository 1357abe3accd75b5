// Codes and look-up tables that a warp builds against those of one thread, entry for entry: complete, incomplete,
// oversubscribed and random lengths under all policies, in both bit orders.
#include "tests/simt/prim_texts.h"

#if !defined(PRIM_CODES_SUITE)
#define PRIM_CODES_SUITE PrimCodes
#endif

namespace sluice::simt::test {
namespace {

enum class Lengths { Random, Few, Complete, OneMissing, OneWrong };

// Up to `symbols` lengths of up to max_bits. Complete ones come from splitting leaves, of which `skew` picks deep ones.
std::vector<u8> make_lengths(Lengths kind, u32 symbols, u32 max_bits) {
  std::vector<u8> lengths(random_below(symbols) + 1);
  const auto any = [&]() -> u8& { return lengths[random_below(lengths.size())]; };
  if (kind == Lengths::Random) {
    for (u8& l : lengths) l = static_cast<u8>(random_below(max_bits + 1));
    return lengths;
  }
  if (kind == Lengths::Few) {
    any() = static_cast<u8>(1 + random_below(2));
    if (random_below(2)) any() = static_cast<u8>(random_below(max_bits + 2));
    return lengths;
  }
  std::vector<u8> leaves{0};
  const u32 skew = random_below(3);
  for (u64 tries = 4 * lengths.size(); leaves.size() < lengths.size() && tries > 0; --tries) {
    const u64 near = std::min<u64>(leaves.size(), 4);
    const u64 at = skew == 0 ? random_below(leaves.size()) : skew == 1 ? leaves.size() - 1 - random_below(near) : random_below(near);
    if (leaves[at] < max_bits) leaves.push_back(++leaves[at]);
  }
  std::copy(leaves.begin(), leaves.end(), lengths.begin());
  std::shuffle(lengths.begin(), lengths.end(), random_source());
  if (kind == Lengths::OneMissing) any() = 0;
  if (kind == Lengths::OneWrong) any() = static_cast<u8>(1 + random_below(max_bits));
  return lengths;
}

// Of a code whose next MaxBits bits, the first one highest, are `bits`.
template <u32 Count, u32 MaxBits>
auto symbol_of(const cpu::prim::Code<Count, MaxBits>& code, u32 bits) {
  u8 input[4];
  for (u32 k = 0; k < 4; ++k) input[k] = static_cast<u8>(static_cast<u64>(bits) << (32 - MaxBits) >> (24 - 8 * k));
  return cpu::prim::find_symbol<true>(code, input, 0, MaxBits);
}

// A table of one level has links to codes of one length where the CPU's has nothing: what such a one leads to.
template <bool Msb, u32 Count, u32 MaxBits, u32 Bits>
void compare_link(const cpu::prim::Code<Count, MaxBits>& expected, const gpu::prim::Code<Count, MaxBits>& code, const u32* info, u32 entry,
                  u32 link) {
  ASSERT_TRUE(gpu::prim::is_link(link));
  for (u32 probe = 0; probe < 4; ++probe) {
    const u32 rest = random_below(1u << (MaxBits - Bits));
    const u32 bits = Msb ? entry << (MaxBits - Bits) | rest : rest << Bits | entry;
    const auto want = symbol_of(expected, Msb ? bits : gpu::prim::reverse_bits(bits, MaxBits));
    ASSERT_GT(want.length, Bits);
    EXPECT_EQ(gpu::prim::linked_entry<Msb>(gpu::prim::any_code(code), Bits, info, bits, link), gpu::prim::make_entry(info[want.symbol], want.length));
  }
}

template <bool Msb, u32 Count, u32 MaxBits, u32 Bits, u32 Most>
void compare_codes(Lengths kind, u32 policy) {
  constexpr u32 kSize = cpu::prim::table_size(Count, Bits, Most);
  static cpu::prim::Code<Count, MaxBits> expected;
  static gpu::prim::Code<Count, MaxBits> code;
  static u32 expected_table[kSize], table[kSize], info[Count];
  const std::vector<u8> lengths = make_lengths(kind, Count, MaxBits);
  for (u32& x : info) x = random_below(65536) << 16 | random_below(6) << 13 | random_below(20);
  std::memset(static_cast<void*>(&expected), 0xcc, sizeof expected);
  std::memset(static_cast<void*>(&code), 0xcc, sizeof code);
  std::memset(expected_table, 0xee, sizeof table);
  std::memset(table, 0xee, sizeof table);

  const u32 result = cpu::prim::build_code(expected, lengths.data(), lengths.size(), policy);
  cpu::prim::build_table<Msb, Bits, Most>(expected_table, expected, info);
  EXPECT_EQ(result_of_all([&] { return gpu::prim::build_code(code, lengths.data(), lengths.size(), policy); }), result);
  EXPECT_EQ(code.complete, expected.complete ? 1u : 0u);
  EXPECT_TRUE(std::equal(std::begin(code.sorted), std::end(code.sorted), expected.sorted));
  with_workers([&] { gpu::prim::build_table<Msb, Bits, Most>(table, code, info); });
  for (u32 i = 0; i < kSize; ++i) {
    if (Most == Bits && Bits < MaxBits && expected_table[i] == gpu::prim::kKindLeave && table[i] != expected_table[i])
      compare_link<Msb, Count, MaxBits, Bits>(expected, code, info, i, table[i]);
    else
      EXPECT_EQ(table[i], expected_table[i]);
  }

  if constexpr (Bits == MaxBits && Most == MaxBits && Count <= 256) {  // note [narrow]
    static gpu::prim::NarrowEntry narrow[kSize];
    for (u32& x : info) x &= 0x00ffe000;
    with_workers([&] { gpu::prim::build_table<Msb, Bits, Most>(table, code, info); });
    with_workers([&] { gpu::prim::build_table<Msb, Bits, Most>(narrow, code, info); });
    for (u32 i = 0; i < kSize; ++i) {
      if (table[i] == 0xeeeeeeee) continue;  // no code of these lengths has it
      EXPECT_EQ(gpu::prim::wide_entry(narrow[i]), table[i]);
    }
  }

  for (u32 probe = 0; probe < 8; ++probe) {
    const u32 bits = random_below(1u << MaxBits);
    const auto want = symbol_of(expected, bits);
    EXPECT_EQ(result_of_all([&] {
                const auto found = gpu::prim::find_symbol(gpu::prim::any_code(code), bits);
                return static_cast<u64>(found.symbol) << 32 | found.length;
              }),
              static_cast<u64>(want.symbol) << 32 | want.length);
  }
}

class PRIM_CODES_SUITE : public testing::TestWithParam<Lengths> {};

TEST_P(PRIM_CODES_SUITE, CodesAndTables) {
  for (u32 i = 0; i < 12; ++i) {
    const u32 policy = i % 3;
    SCOPED_TRACE(testing::Message() << "round " << i);
    compare_codes<false, 288, 15, 11, 15>(GetParam(), policy);
    compare_codes<false, 32, 15, 9, 12>(GetParam(), policy);
    compare_codes<false, 19, 7, 7, 7>(GetParam(), policy);
    compare_codes<false, 700, 12, 6, 12>(GetParam(), policy);
    compare_codes<false, 5, 4, 3, 2>(GetParam(), policy);
    compare_codes<false, 288, 15, 9, 9>(GetParam(), policy);
    compare_codes<true, 258, 20, 10, 14>(GetParam(), policy);
    compare_codes<true, 40, 12, 5, 5>(GetParam(), policy);
    compare_codes<true, 30, 20, 10, 20>(GetParam(), policy);
    compare_codes<true, 256, 8, 8, 8>(GetParam(), policy);
    compare_codes<true, 2, 1, 1, 1>(GetParam(), policy);
    compare_codes<true, 5, 3, 2, 3>(GetParam(), policy);
  }
}

INSTANTIATE_TEST_SUITE_P(AllLengths, PRIM_CODES_SUITE,
                         testing::Values(Lengths::Random, Lengths::Few, Lengths::Complete, Lengths::OneMissing,
                                         Lengths::OneWrong));

}  // namespace
}  // namespace sluice::simt::test
