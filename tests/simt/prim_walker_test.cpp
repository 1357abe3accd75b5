// The tests of walks, where a third warp walks the input ahead (note [walker] of walker.h).
#define SLUICE_WRITER 1
#define SLUICE_WALKER 1
#if !defined(PRIM_SPECULATE_SUITE)
#define PRIM_SPECULATE_SUITE PrimWalker
#endif

#include "tests/simt/prim_speculate_test.cpp"

namespace sluice::simt::test {
namespace {

// Loops of one chunk, one behind the other, of which most end where the room does: the walker is told to stop, in a tile like all
// others, in the last one of a job, or in one behind.
TEST(PRIM_SPECULATE_SUITE, LoopsThatEndBeforeTheirInput) {
  alignas(16) static u8 memory[12288], text[8192];
  for (const u32 rooms : {1u, 90u, 300u, 400u, 1000u, 3000u}) {
    std::mt19937 random(rooms);
    std::vector<u8> input(sizeof memory);
    for (u8& b : input) b = static_cast<u8>(random());
    std::ranges::copy(input, memory);
    u64 expected = 0, at = 0, made = 0;
    run_chunk(rooms, [&] {
      Chunk s;
      s.in = memory;
      s.size = s.end = sizeof memory;
      s.out = text;
      for (u32 loop = 0; loop < 40 && s.pos + 8 < s.end; ++loop) {
        s.out_end = s.produced + rooms;
        Tokens<ThreeToSeven> tokens;
        const bool left = gpu::prim::speculate<true, Walks>(s, tokens);
        if (left) break;
      }
      if (gpu::prim::lane() == 0) at = s.pos, made = s.produced;
    }, WalksOf<Tokens<ThreeToSeven>>());
    u64 place = 0;
    for (; expected < made; ++expected) {
      ASSERT_EQ(text[expected], memory[place + 1]) << rooms << ": byte " << expected << " of " << made;
      place += ThreeToSeven::of(Whole{input}, static_cast<u32>(place));
    }
    EXPECT_EQ(place, at) << rooms;
    EXPECT_GE(made, std::min<u64>(u64{40} * rooms, 2400)) << rooms;
  }
}

}  // namespace
}  // namespace sluice::simt::test
