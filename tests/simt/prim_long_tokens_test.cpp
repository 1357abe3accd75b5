// Lists that are longer than most of a tile, and what stands between them: note [long tokens] of walks.h. That few tokens are looked at
// where each is long, and that all are found where long and short ones take turns.
#define SLUICE_ELEMENT 4
#define SLUICE_MIN_TOKEN 3
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/simt/value_prims.h"

namespace sluice::simt::test {
namespace {

using gpu::prim::Cursor;
using gpu::prim::kLanes;
using gpu::prim::kTileBytes;

// A byte below 40 is a run of so many: its first value and step are bytes that follow. Others are a list of so many fields of two bytes,
// less 39, times two.
struct RunsAndLongLists {
  static constexpr u64 kInMargin = 16;
  static constexpr u32 kToldMost = 0;
  static constexpr bool kToEnd = true;
  static constexpr u32 kLoop = 1;
  static constexpr bool kApart = false, kOwn = false;
  static inline std::atomic<u32> looks = 0;  // of who walks
  typedef gpu::prim::ValueRecord Own;
  typedef gpu::prim::FieldList<2, true, false> List;
  template <typename T, typename Out> Cursor token(const T& tile, Cursor in, Cursor in_end, Out& out) const {
    if (std::is_base_of_v<gpu::prim::NoOutput, Out>) ++looks;
    if (in > in_end - kInMargin) return gpu::prim::kCannotTell;
    const u32 control = tile.byte(in);
    if (control >= 40) return gpu::thread::prim::list_of<List>(out, tile, in + 1, fields(control));
    gpu::thread::prim::run_of_values(out, tile.byte(in + 1), control, tile.byte(in + 2));
    return in + 3;
  }
  static u32 fields(u32 control) { return 2 * (control - 39); }
};

struct Input {
  std::vector<u8> in;
  std::vector<u32> values;
  u32 tokens = 0;
};
void add_list(Input& s, std::mt19937& random, u32 control) {
  s.in.push_back(static_cast<u8>(control));
  for (u32 i = 0; i < RunsAndLongLists::fields(control); ++i) {
    const u32 v = random() & 0xffff;
    s.in.insert(s.in.end(), {static_cast<u8>(v >> 8), static_cast<u8>(v)});
    s.values.push_back(v);
  }
  ++s.tokens;
}
void add_run(Input& s, std::mt19937& random) {
  const u8 count = static_cast<u8>(random() % 6), first = static_cast<u8>(random()), step = static_cast<u8>(random() % 3);
  s.in.insert(s.in.end(), {count, first, step});
  for (u32 i = 0; i < count; ++i) s.values.push_back(first + i * step);
  ++s.tokens;
}

void expect_all(const Input& all, u64 seed) {
  std::vector<u32> made(all.values.size() + 64);
  sluice::test::GuardedBuffer guarded(all.in, sluice::test::Flush::End);
  const Outcome told = engine<true, RunsAndLongLists>(guarded.bytes(), 0, reinterpret_cast<u8*>(made.data()), all.values.size(), seed);
  EXPECT_FALSE(told.left);
  EXPECT_EQ(told.stream.pos, all.in.size());
  ASSERT_EQ(told.stream.produced, all.values.size());
  for (std::size_t i = 0; i < all.values.size(); ++i) ASSERT_EQ(made[i], all.values[i]) << "element " << i;
}

TEST(PrimLongTokens, AreFollowedFromOneToTheNext) {
  std::mt19937 random(0x104);
  for (u64 seed = 0; seed < 10; ++seed) {
    Input s;
    while (s.in.size() < 30 * kTileBytes) add_list(s, random, 110 + static_cast<u32>(random() % 140));  // 3 of a tile at most
    RunsAndLongLists::looks = 0;
    expect_all(s, seed);
    // Each when walks meet it; in the first tile, which lies behind none, all lanes look, and guess again.
    EXPECT_LE(RunsAndLongLists::looks, s.tokens + 2 * (gpu::prim::kOtherGuesses + 1) * kLanes) << s.tokens << " tokens";
  }
}

// Lists of one size each, of which a tile has 3 to 12: who is followed, and who is not any more.
TEST(PrimLongTokens, SynchroniseWhateverTheirSize) {
  std::mt19937 random(0x107);
  for (u32 control = 60; control < 125; ++control) {
    Input s;
    for (u32 i = 0; i < 150; ++i) add_list(s, random, control);
    expect_all(s, control);
  }
}

TEST(PrimLongTokens, TakeTurnsWithShortOnes) {
  std::mt19937 random(0x105);
  for (u64 seed = 0; seed < 60; ++seed) {
    Input s;
    const u32 lists = 1 + static_cast<u32>(random() % 9), runs = static_cast<u32>(random() % 900);
    for (u32 turn = 0; turn < 6; ++turn) {
      for (u32 i = 0; i < lists; ++i) add_list(s, random, 40 + static_cast<u32>(random() % 216));
      for (u32 i = static_cast<u32>(random() % (runs + 1)); i > 0; --i) add_run(s, random);
    }
    expect_all(s, seed);
  }
}

// A tile that is followed but has short tokens: lanes guess after all, and walks meet in fewer rounds than it has segments.
TEST(PrimLongTokens, AreNotWaitedForInATileOfShortOnes) {
  std::mt19937 random(0x106);
  Input s;
  while (s.in.size() < gpu::prim::kValueRoom) {
    if (random() % 2 == 0) add_run(s, random);
    else add_list(s, random, 40 + static_cast<u32>(random() % 4));
  }
  u32 repairs = 0, wrong = 0;
  const Report report = launch(grid(kLanes, 1), [&] {
    gpu::prim::ValueTile tile = gpu::prim::no_value_tile(gpu::prim::value_tile_room(0));
    for (u32 i = gpu::prim::lane(); i < gpu::prim::kValueRoom; i += kLanes) reinterpret_cast<u8*>(tile.room->units)[i] = s.in[i];
    tile.end = 2 * kTileBytes;
    gpu::prim::sync();
    Cursor in = (gpu::prim::lane() + 1) * gpu::prim::kSegment, out = in;
    if (gpu::prim::lane() == 0) in = 0;
    gpu::prim::Marks found = 0;
    bool right = false;
    const RunsAndLongLists tokens;
    if (!gpu::prim::kOneWalk) out = gpu::prim::walk<false>(tokens, tile, in, found);
    const u32 n = gpu::prim::repair<false, gpu::prim::kOneWalk, false>(tokens, tile, in, out, found, right, false, true);
    const u32 left = gpu::prim::ballot(!right);
    if (gpu::prim::lane() == 0) repairs = n, wrong = left;
  });
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(repairs, gpu::prim::kLongTokens);
  EXPECT_LT(repairs, gpu::prim::kRepairs - gpu::prim::kLongTokens);
}

}  // namespace
}  // namespace sluice::simt::test
