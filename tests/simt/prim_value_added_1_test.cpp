// The tests of lists that are added to something, of elements of a byte, which steps write packed (note [packed steps]); where walks are the
// repair's alone, and begin at what a look at every place told, where guesses fail (note [every place]).
#define SLUICE_ELEMENT 1
#define PRIM_ADDED_SUITE PrimValueAdded1
#define SLUICE_MIN_TOKEN 2
#define SLUICE_ONE_WALK 1

#include "tests/simt/prim_value_added_test.cpp"

namespace sluice::simt::test {
namespace {

using gpu::prim::kSegment;
using gpu::prim::kTileBytes;

// Lists of which each byte looks like the beginning of one that goes on for hundreds of bytes, `long_ones` of a hundred do; now and then a run.
std::vector<u8> misleading(u32 tokens, u32 long_ones, std::mt19937_64& random) {
  std::vector<u8> in;
  for (u32 i = 0; i < tokens; ++i) {
    if (random() % 8 == 0) {
      in.insert(in.end(), {static_cast<u8>(1 + random() % 9), 7, static_cast<u8>(random() % 32)});
      continue;
    }
    const auto n = static_cast<u8>(random() % 100 < long_ones ? 200 : 4 + random() % 12);
    in.insert(in.end(), {0x40, n, 7});
    for (u32 k = 0; k < n; ++k) in.push_back(static_cast<u8>(0x5f + random() % 2 * 0x20));
  }
  return in;
}

TEST(PrimValueAdded1, WhereGuessesFailEveryPlaceIsLookedAt) {
  std::mt19937_64 random(0xe7e);
  for (u32 i = 0; i < 6; ++i) {
    const std::vector<u8> in = misleading(1500, i < 3 ? 0 : 2, random);
    walked = 0;
    expect_values(in, i % 5, i);
    // By guesses alone a tenth of that: tokens, and what is walked in vain.
    EXPECT_GE(static_cast<double>(walked), 0.7 * static_cast<double>(in.size()));
  }
}

// Where guesses hold, nobody looks.
TEST(PrimValueAdded1, WhereGuessesHoldTheyAreKept) {
  std::mt19937_64 random(0xe7f);
  const std::vector<u8> in = stream(2000, 0, 3, random);
  walked = 0;
  expect_values(in, 0, 1);
  EXPECT_LE(static_cast<double>(walked), 0.7 * static_cast<double>(in.size()));
}

// Where lanes come in of a tile of `in`, the first one at `from`: where tokens begin, and behind one that goes far, or past the input, at their
// guess.
std::vector<u32> entries(const std::vector<u8>& in, u32 from) {
  std::vector<u32> told(32, from);
  const std::size_t last = std::min<std::size_t>(kTileBytes, in.size());
  for (std::size_t at = from; at < last;) {
    const u32 next = static_cast<u32>(at) / kSegment + 1;
    std::vector<u32> values;
    const bool near = plain(in, at, values) && at < next * kSegment + gpu::prim::kFarExit;
    for (u32 k = next; k < 32; ++k) told[k] = near ? static_cast<u32>(at) : k * kSegment;
    if (!near) break;
  }
  return told;
}

TEST(PrimValueAdded1, LooksTellWhereLanesComeIn) {
  static_assert(gpu::prim::kEvery);
  std::mt19937_64 random(0xe80);
  for (u32 i = 0; i < 40; ++i) {
    const std::vector<u8> in = misleading(i % 4 == 0 ? 40 : 400, i % 3 * 3, random);
    const u32 from = static_cast<u32>(random() % (in.size() < 100 ? 1 : 15)), last = std::min<u32>(kTileBytes, static_cast<u32>(in.size()));
    std::vector<u32> told(32);
    const std::vector<u32> right = entries(in, from);
    const Keeping s;
    const Report report = launch(grid(32, i), [&] {
      gpu::prim::ValueTile tile = gpu::prim::no_value_tile(gpu::prim::value_tile_room(0));
      for (u32 k = gpu::prim::lane(); k < gpu::prim::kValueRoom; k += 32) reinterpret_cast<u8*>(tile.room->units)[k] = k < in.size() ? in[k] : u8{0};
      tile.base = 0;
      tile.end = static_cast<u32>(in.size());
      gpu::prim::sync();
      const u32 lane = gpu::prim::lane(), guess = lane == 0 ? from : lane * kSegment;
      told[lane] = gpu::prim::look_everywhere(Added(), tile, reinterpret_cast<u8*>(gpu::prim::value_starts(s)), guess);
    });
    EXPECT_TRUE(report.ok()) << report.text;
    // A list that goes on behind the tile's room ends there, to who walks: behind all lanes it is the same.
    for (u32 k = 0; k < 32; ++k) EXPECT_EQ(std::min(told[k], last), std::min(right[k], last)) << "lane " << k << ", stream " << i;
  }
}

}  // namespace
}  // namespace sluice::simt::test
