// Tables of states that a warp builds against those of one thread, entry for entry: of every size, with symbols that are rarer than
// one state and without, and what is refused.
#include "tests/simt/prim_texts.h"

#if !defined(PRIM_STATES_SUITE)
#define PRIM_STATES_SUITE PrimStates
#endif

namespace sluice::simt::test {
namespace {

// `n` counts that add up to `size` states, -1 among them where `rare` says so. n <= size.
std::vector<std::int16_t> make_counts(u32 n, u32 size, bool rare) {
  std::vector<std::int16_t> counts(n);
  u32 left = size;
  while (left > 0) {
    std::int16_t& count = counts[random_below(n)];
    const u32 more = random_below(3) == 0 ? 1 + random_below(left) : 1;
    if (count < 0 || (rare && count == 0 && random_below(3) == 0)) {
      if (count == 0) left -= 1;
      if (count == 0) count = -1;
      if (left > 0 && std::ranges::all_of(counts, [](std::int16_t c) { return c < 0; })) return make_counts(n, size, false);
      continue;
    }
    count = static_cast<std::int16_t>(count + static_cast<int>(more));
    left -= more;
  }
  return counts;
}

template <typename Count>
void compare_states(const std::vector<Count>& counts, u32 max_log) {
  std::vector<u32> expected(1u << max_log, 0xeeeeeeee), entries = expected;
  const u32 result = cpu::prim::build_states(expected.data(), counts.data(), counts.size(), max_log);
  ASSERT_EQ(result_of_all([&] { return gpu::prim::build_states(entries.data(), counts.data(), counts.size(), max_log); }), result);
  if (result <= max_log) {
    ASSERT_EQ(entries, expected);
  }
}

TEST(PRIM_STATES_SUITE, EverySize) {
  for (u32 log = 0; log <= 12; ++log) {
    for (u32 round = 0; round < 12; ++round) {
      SCOPED_TRACE(testing::Message() << "log " << log << ", round " << round);
      const u32 n = 1 + random_below(std::min(256u, 1u << log));
      const std::vector<std::int16_t> counts = make_counts(n, 1u << log, round % 2 == 0);
      compare_states(counts, std::max(log, 1 + random_below(12)));
      if (round % 2 != 0) compare_states(std::vector<u16>(counts.begin(), counts.end()), std::max(log, 1u));
    }
  }
}

// What is known of a symbol stands in each of its states, and nothing else changes; of three states together it adds up.
TEST(PRIM_STATES_SUITE, EntriesTellOfTheirSymbols) {
  const std::vector<std::int16_t> counts = make_counts(53, 512, true);
  std::vector<u8> extras(counts.size());
  for (u8& e : extras) e = static_cast<u8>(random_below(22));
  std::vector<u32> plain(512), told(512);
  const auto build = [&](std::vector<u32>& entries, const u8* of) {
    return result_of_all([&] { return gpu::prim::build_walked_states(entries.data(), counts.data(), counts.size(), 9, of); });
  };
  ASSERT_EQ(build(plain, nullptr), 9u);
  ASSERT_EQ(build(told, extras.data()), 9u);
  for (u32 i = 0; i < 512; ++i) {
    const u32 extra = extras[plain[i] >> 12 & 255];
    ASSERT_EQ(told[i], plain[i] | extra << 6);
    const u32 j = random_below(512), k = random_below(512), sum = told[i] + told[j] + told[k];
    ASSERT_EQ(gpu::prim::told_extras(sum), extra + extras[plain[j] >> 12 & 255] + extras[plain[k] >> 12 & 255]);
    ASSERT_EQ(gpu::prim::told_bits(sum), (plain[i] & 63) + (plain[j] & 63) + (plain[k] & 63));
    u32 bits = 0x9e3779b9u * (i + 1), left = bits;
    const u32 n = plain[i] & 63;
    ASSERT_EQ(gpu::prim::next_state(told[i], left), (plain[i] >> 20) + (n == 0 ? 0 : bits >> (32 - n)));
    ASSERT_EQ(left, bits << n);
  }
}

TEST(PRIM_STATES_SUITE, EveryStateIsOnceTheNextOne) {
  for (u32 log = 0; log <= 12; ++log) {
    const u32 size = 1u << log;
    const std::vector<std::int16_t> counts = make_counts(std::min(53u, size), size, true);
    std::vector<u32> entries(1u << std::max(log, 1u));
    ASSERT_EQ(cpu::prim::build_states(entries.data(), counts.data(), counts.size(), std::max(log, 1u)), log);
    std::vector<std::vector<u32>> reached(counts.size(), std::vector<u32>(size));
    std::vector<int> states(counts.size());
    for (u32 i = 0; i < size; ++i) {
      const u32 symbol = entries[i] >> 12 & 255, bits = entries[i] & 63, base = entries[i] >> 20;
      ASSERT_LE(base + (1u << bits), size);
      for (u32 k = 0; k < 1u << bits; ++k) ++reached[symbol][base + k];
      ++states[symbol];
    }
    for (u32 s = 0; s < counts.size(); ++s) {
      ASSERT_EQ(states[s], std::abs(counts[s])) << s;
      ASSERT_TRUE(states[s] == 0 || std::ranges::all_of(reached[s], [](u32 n) { return n == 1; })) << s;
    }
  }
}

TEST(PRIM_STATES_SUITE, Refusals) {
  const auto result = [](const std::vector<std::int64_t>& counts, u32 max_log) {
    compare_states(counts, max_log);
    std::vector<u32> entries(1u << max_log);
    return cpu::prim::build_states(entries.data(), counts.data(), counts.size(), max_log);
  };
  EXPECT_EQ(result({}, 5), cpu::prim::kStatesIncomplete);
  EXPECT_EQ(result({0, 0, 0}, 5), cpu::prim::kStatesIncomplete);
  EXPECT_EQ(result({16, 1}, 5), cpu::prim::kStatesIncomplete);
  EXPECT_EQ(result({-1, 30}, 5), cpu::prim::kStatesIncomplete);
  EXPECT_EQ(result({32, -1}, 5), cpu::prim::kStatesOversubscribed);
  EXPECT_EQ(result({64}, 5), cpu::prim::kStatesOversubscribed);
  EXPECT_EQ(result({std::int64_t{1} << 32}, 5), cpu::prim::kStatesOversubscribed);
  EXPECT_EQ(result({INT64_MAX, INT64_MAX, 2}, 12), cpu::prim::kStatesOversubscribed);
  EXPECT_EQ(result({INT64_MIN}, 5), 0u);
  EXPECT_EQ(result({-1, -1}, 5), 1u);
  EXPECT_EQ(result({0, 0, 1}, 5), 0u);
}

}  // namespace
}  // namespace sluice::simt::test
