// Stages of a warp against those of one thread.
#include "tests/simt/prim_texts.h"

#if !defined(PRIM_STAGES_SUITE)
#define PRIM_STAGES_SUITE PrimStages
#endif

namespace sluice::simt::test {
namespace {

enum class Text { Random, OneByte, FewBytes, Periodic, Runs, RareRuns };

u8 text_byte(Text kind, u64 i) {
  switch (kind) {
    case Text::Random:
      return static_cast<u8>(random_source()());
    case Text::OneByte:
      return 7;
    case Text::FewBytes:
      return static_cast<u8>(random_below(3));
    case Text::Periodic:
      return static_cast<u8>("abracadabra "[i % 12]);
    case Text::RareRuns: {  // of up to 7, anywhere among bytes that differ
      static u64 left = 0;
      if (left == 0 && random_below(60) == 0) left = random_below(7);
      return left > 0 ? (--left, u8{'r'}) : static_cast<u8>(i * 37);
    }
    case Text::Runs:
      return static_cast<u8>(random_below(8) ? 'a' : random_source()());
  }
  return 0;
}

// `limit`: positions are below it.
void compare_mtf(u64 n, u32 limit, u32 near, bool identity) {
  SCOPED_TRACE(testing::Message() << n << " positions below " << limit << ", mostly below " << near);
  Bytes expected(n), bytes(n), positions(n);
  for (u64 i = 0; i < n; ++i) expected.data()[i] = static_cast<u8>(random_below(random_below(4) ? std::min(near, limit) : limit));
  if (n > 0 && limit < 256 && random_below(6) == 0) expected.data()[random_below(n)] = static_cast<u8>(limit);
  bytes.fill_from(expected);
  positions.fill_from(expected);
  u8 alphabet[256], list[256], start[256];
  std::iota(std::begin(alphabet), std::end(alphabet), u8{0});
  if (!identity) std::shuffle(std::begin(alphabet), std::end(alphabet), random_source());
  std::copy(std::begin(alphabet), std::end(alphabet), list);
  const u32 result = cpu::prim::inverse_mtf(expected.data(), n, list, limit);
  EXPECT_EQ(result_of_all([&] {
              if (identity)
                gpu::prim::first_list(start);
              else
                gpu::prim::first_list(start, alphabet, limit);
              return gpu::prim::inverse_mtf(bytes.data(), n, start, limit);
            }),
            result);
  EXPECT_TRUE(bytes == (result == 0 ? expected : positions));  // what is refused stays as it is
}

TEST(PRIM_STAGES_SUITE, InverseMoveToFront) {
  for (u64 n = 0; n <= 300; n += n < 70 ? 1 : 13) {
    compare_mtf(n, 256, n % 3 ? 3 : 256, true);
    compare_mtf(n, 1 + random_below(256), 9, false);
  }
  for (const u64 n : {4096, 30011}) {
    compare_mtf(n, 256, 256, true);
    compare_mtf(n, 256, 4, true);
    compare_mtf(n, 200, 12, false);
  }
}

// Any permutation will do, also one of several cycles.
void compare_bwt(u64 n, u64 origin, Text kind) {
  SCOPED_TRACE(testing::Message() << n << " rows, origin " << origin << ", text " << static_cast<int>(kind));
  Bytes expected(n), bytes(n), spare(gpu::prim::bwt_spare_bytes(static_cast<u32>(n)));
  for (u64 i = 0; i < n; ++i) expected.data()[i] = text_byte(kind, i);
  if (kind == Text::Periodic) {  // a true transform, its rotations equal after 12
    std::vector<u32> rows(n);
    std::iota(rows.begin(), rows.end(), 0u);
    const auto at = [&](u64 i) { return text_byte(kind, i % n); };
    std::sort(rows.begin(), rows.end(), [&](u32 a, u32 b) {
      for (u64 k = 0; k < n; ++k)
        if (at(a + k) != at(b + k)) return at(a + k) < at(b + k);
      return a < b;
    });
    for (u64 i = 0; i < n; ++i) expected.data()[i] = at(rows[i] + n - 1);
  }
  bytes.fill_from(expected);
  std::vector<u32> links(n + 1);
  Bytes cpu_spare(n + 1);
  const u32 result = cpu::prim::inverse_bwt(expected.data(), n, origin, links.data(), cpu_spare.data());
  std::fill(links.begin(), links.end(), 0xa5a5a5a5u);
  EXPECT_EQ(result_of_all([&] { return gpu::prim::inverse_bwt(bytes.data(), n, origin, links.data(), spare.data()); }),
            result);
  if (result == 0) {
    EXPECT_TRUE(bytes == expected);
  }
}

TEST(PRIM_STAGES_SUITE, InverseBurrowsWheeler) {
  for (const Text kind : {Text::Random, Text::OneByte, Text::FewBytes, Text::Periodic, Text::Runs}) {
    for (const u64 n : {0, 1, 2, 3, 31, 32, 33, 100, 127, 128, 129, 191, 192, 300, 1000}) {
      compare_bwt(n, n ? random_below(n) : 0, kind);
      compare_bwt(n, n, kind);
    }
    compare_bwt(5003, 64 * 7, kind);
    if (kind == Text::Random || kind == Text::Runs) compare_bwt(20011, random_below(20011), kind);
  }
}

template <u32 Elem>
void compare_sums(u64 n) {
  SCOPED_TRACE(testing::Message() << n << " elements of " << Elem);
  Bytes expected(n * Elem), bytes(n * Elem);
  for (u64 i = 0; i < n * Elem; ++i) expected.data()[i] = static_cast<u8>(random_source()());
  bytes.fill_from(expected);
  const u64 start = random_source()() * 0x123456789abcull;
  cpu::prim::prefix_sum<Elem>(expected.data(), n, start);
  with_workers([&] { gpu::prim::prefix_sum<Elem>(bytes.data(), n, start); });
  EXPECT_TRUE(bytes == expected);
  cpu::prim::add_each<Elem>(expected.data(), n, start);
  with_workers([&] { gpu::prim::add_each<Elem>(bytes.data(), n, start); });
  EXPECT_TRUE(bytes == expected);

  const u64 size = 1 + random_below(200);
  Bytes from(size * Elem);
  for (u64 i = 0; i < size * Elem; ++i) from.data()[i] = static_cast<u8>(random_source()());
  for (u64 i = 0; i < n; ++i) {
    const u64 index = random_below(4 * n) == 0 ? size : random_below(size);
    std::memcpy(expected.data() + i * Elem, &index, Elem);
  }
  bytes.fill_from(expected);
  const u32 result = cpu::prim::gather<Elem>(expected.data(), n, from.data(), size);
  EXPECT_EQ(result_of_all([&] { return gpu::prim::gather<Elem>(bytes.data(), n, from.data(), size); }), result);
  if (result == 0) {
    EXPECT_TRUE(bytes == expected);
  }
}

TEST(PRIM_STAGES_SUITE, SumsAndGather) {
  for (u64 n = 0; n <= 300; n += n < 70 ? 1 : 7) {
    compare_sums<1>(n);
    compare_sums<2>(n);
    compare_sums<4>(n);
    compare_sums<8>(n);
  }
}

// The fields of a stream that output into it needs.
struct Output {
  u8* out;
  u64 produced, out_end, promised, window, dictionary_bytes, real_produced;
  bool diverted;
};

// From a buffer to the output: with room to spare, with just enough, and with one element too few.
template <u32 Elem, bool Write>
void compare_emit(u64 n, Text kind, u64 skew, bool runs) {
  SCOPED_TRACE(testing::Message() << n << " elements of " << Elem << ", text " << static_cast<int>(kind));
  constexpr u64 kMade = 3;
  Bytes buffer(n * Elem);
  for (u64 i = 0; i < n; ++i) {
    const u64 v = text_byte(kind, i);
    std::memcpy(buffer.data() + i * Elem, &v, Elem);
  }
  u64 limit = kMade + n * 256;
  for (int round = 0; round < 3 && limit >= kMade; ++round) {
    Bytes expected(limit * Elem, skew), bytes(limit * Elem, skew);
    Output stream{expected.data(), kMade, limit, limit, 0, 0, 0, false};
    const u32 result = runs ? cpu::prim::emit_runs<Write, Elem>(stream, buffer.data(), n)
                            : cpu::prim::emit_all<Write, Elem>(stream, buffer.data(), n);
    EXPECT_EQ(result_of_all([&] {
                Output s{bytes.data(), kMade, limit, limit, 0, 0, 0, false};
                const u32 r = runs ? gpu::prim::emit_runs<Write, Elem>(s, buffer.data(), n)
                                   : gpu::prim::emit_all<Write, Elem>(s, buffer.data(), n);
                return s.produced << 8 | r;
              }),
              stream.produced << 8 | result);
    // After a failure what lies behind `produced` means nothing: one core may have begun, a warp asks for room first.
    EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), stream.produced * Elem), 0);
    limit = round == 0 ? stream.produced : limit - 1;
  }
}

TEST(PRIM_STAGES_SUITE, BuffersToTheOutput) {
  for (const Text kind : {Text::Random, Text::OneByte, Text::FewBytes, Text::Runs}) {
    for (u64 n = 0; n <= 100; n += n < 40 ? 1 : 9) {
      compare_emit<1, true>(n, kind, n % 8, true);
      compare_emit<1, false>(n, kind, 0, true);
      if (n % 4 == 0) continue;
      compare_emit<1, true>(n, kind, n % 8, false);
      compare_emit<2, true>(n, kind, n % 8, n % 2);
      compare_emit<4, true>(n, kind, n % 8, n % 2);
      compare_emit<8, true>(n, kind, n % 8, n % 2);
    }
  }
  // Rows that hold no count are taken 128 at a time.
  for (u64 n = 0; n < 12; ++n) {
    compare_emit<1, true>(3001 + n, Text::Runs, n % 8, true);
    compare_emit<1, true>(2900 + 31 * n, Text::FewBytes, n % 8, true);
    compare_emit<1, true>(1000 + n, Text::Random, n % 8, true);
    compare_emit<1, true>(700 + 13 * n, Text::RareRuns, n % 8, true);
    compare_emit<1, false>(700 + 17 * n, Text::RareRuns, n % 8, true);
  }
}

TEST(PRIM_STAGES_SUITE, SymbolsAreWrittenWhereTheyFit) {
  static gpu::prim::Symbols<4> symbols;
  std::memset(static_cast<void*>(&symbols), 0, sizeof symbols);
  with_workers([&] {
    gpu::prim::set(symbols.length, 1, u8{8});
    gpu::prim::set(symbols.text, 1, u64{0x6867666564636261});
    gpu::prim::set(symbols.length, 3, u8{2});
    gpu::prim::set(symbols.text, 3, u64{0x7978});
  });
  Bytes out(10, 1);
  EXPECT_EQ(result_of_all([&] {
              Output s{out.data(), 0, 10, 10, 0, 0, 0, false};
              u64 results = 0;
              for (const u64 i : {1, 0, 1, 3, 3}) results = results << 4 | gpu::prim::emit_symbol<true>(s, symbols, i);
              return results << 8 | s.produced;
            }),
            0x0120'20aull);
  EXPECT_EQ(std::string(out.data(), out.data() + 10), "abcdefghxy");
}

// What goes to a buffer in between does not count as output.
TEST(PRIM_STAGES_SUITE, DivertedOutputComesBack) {
  u8 outer[4], inner[4];
  EXPECT_EQ(result_of_all([&] {
              Output s{outer, 2, 4, 9, 1, 1, 0, false};
              const gpu::prim::Sink sink = gpu::prim::divert(s, inner, 3);
              const bool at_start = s.out == inner && s.produced == 0 && s.out_end == 3 && s.promised == 3 && s.diverted && s.real_produced == 2;
              s.produced = 3;
              gpu::prim::restore(s, sink);
              return at_start && s.out == outer && s.produced == 2 && s.out_end == 4 && s.promised == 9 && s.window == 1 && s.dictionary_bytes == 1 && !s.diverted;
            }),
            1u);
}

}  // namespace
}  // namespace sluice::simt::test
