// Parts that lanes decode into slots, pushed together and written in steps, against the same tokens done byte by byte. Two
// warps, each with parts of its own. Slots are small, so that many a part does not fit.
#define SLUICE_WARPS 2
#define SLUICE_VALUES 1
#ifndef PRIM_PART_STEPS_SUITE
#define PRIM_PART_STEPS_SUITE PrimPartSteps
#define SLUICE_SHORT_ENTRIES 1
#define SLUICE_PART_ENTRIES 14
#define SLUICE_PART_WORDS 3
#endif

#include <random>
#include <vector>

#include "tests/simt/copy_story.h"
#include "tests/simt/kernel_fixture.h"

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
#include "runtime/prim/cuda/units.h"
#include "runtime/prim/cuda/tile.h"
#include "runtime/prim/cuda/late.h"
#include "runtime/prim/cuda/steps.h"
#include "runtime/prim/cuda/part_steps.h"
namespace warp_prim = prim;
namespace thread {
#include "runtime/prim/cuda/thread_stream.h"
#include "runtime/prim/cuda/thread_bits.h"
#include "runtime/prim/cuda/thread_entries.h"
}  // namespace thread

#pragma GCC diagnostic pop

constexpr u8 kBlank = 0xcc;
constexpr std::size_t kEdge = 512;  // of steps
constexpr u32 kMostEntries = prim::kSlotEntries - 1, kMostBytes = (prim::kSlotWords - 1) * 32;  // of a slot
constexpr u32 kEntryScale = kMostEntries / 13, kByteScale = kMostBytes / 64;                    // beside the smallest slots here

// A story in parts, some of which may be empty.
struct Group {
  Story story;
  std::vector<std::size_t> first_token, first_byte;  // of part k; one more of them
  std::size_t before = 0;                            // bytes that are there before the first part

  std::size_t parts() const { return first_token.size() - 1; }
  std::size_t bytes(std::size_t k) const { return first_byte[k + 1] - first_byte[k]; }
  void begin_part() {
    first_token.push_back(story.tokens.size());
    first_byte.push_back(story.text.size());
  }
};

struct Shape {
  u32 parts, tokens, literals, farthest, longest;  // of each at most so many
};

Group group_of(std::mt19937& random, const Shape& shape) {
  const auto below = [&](std::size_t n) { return static_cast<u32>(random() % n); };
  Group group;
  group.story.add({60 + below(300), 1, 0});
  group.before = group.story.text.size();
  for (u32 part = 0; part < shape.parts; ++part) {
    group.begin_part();
    for (u32 left = below(shape.tokens + 1); left > 0; --left) {
      Token token{below(shape.literals + 1), 0, below(shape.longest + 1)};
      token.distance = 1 + below(std::min<std::size_t>(shape.farthest, group.story.text.size() + token.literals));
      group.story.add(token);
    }
  }
  group.begin_part();
  return group;
}

struct Part : thread::prim::PartStream<prim::Input::Lsb> {};

void run_checked(const Group&, std::size_t token, std::size_t at, Part&);

// As a fast loop leaves it. Now and then a token is left undone, which has put other pieces meanwhile, and the checked path
// does it.
void run_fast(const Group& group, std::size_t k, Part& t) {
  const auto& tokens = group.story.tokens;
  std::size_t at = group.first_byte[k];
  auto out = thread::prim::part_output<true>(t);
  auto copies = thread::prim::pending_copies<true>(t);
  for (std::size_t i = group.first_token[k]; i < group.first_token[k + 1]; ++i) {
    if (i % 5 == 2) {
      const auto token_out = out;
      for (std::size_t n = 0; n < i % 50; ++n) {
        thread::prim::store<1>(out, 77);
        out += 1;
      }
      thread::prim::give_back(t, copies, out, token_out);
      t.produced = thread::prim::made(token_out);
      run_checked(group, i, at, t);
      at += tokens[i].literals + tokens[i].length;
      out = thread::prim::part_output<true>(t);
      copies = thread::prim::pending_copies<true>(t);
      continue;
    }
    u32 n = tokens[i].literals;
    if (n >= 2 && i % 3 == 0) {
      thread::prim::put(out, group.story.text[at] | group.story.text[at + 1] << 8, 2);
      out += 2, n -= 2, at += 2;
    }
    for (; n > 0; --n, ++at) {
      thread::prim::store<1>(out, group.story.text[at]);
      out += 1;
    }
    ASSERT_FALSE(thread::prim::too_far<u32>(tokens[i].distance, out, thread::prim::any_window()));
    thread::prim::copy_match(copies, out, tokens[i].distance, tokens[i].length);
    out += tokens[i].length;
    at += tokens[i].length;
  }
  thread::prim::give_back(t, copies, out, out);
  t.produced = thread::prim::made(out);
}

// As the checked path leaves a token, whose first byte is at `at`, and a part.
void run_checked(const Group& group, std::size_t i, std::size_t at, Part& t) {
  const Token& token = group.story.tokens[i];
  for (u32 n = 0; n < token.literals; ++n, ++at) ASSERT_EQ((thread::prim::emit<true, 1>(t, group.story.text[at])), 0u);
  ASSERT_EQ((thread::prim::copy<true, 1>(t, token.distance, token.length, ~0ull)), 0u);
}
void run_checked(const Group& group, std::size_t k, Part& t) {
  std::size_t at = group.first_byte[k];
  for (std::size_t i = group.first_token[k]; i < group.first_token[k + 1]; ++i) {
    run_checked(group, i, at, t);
    at += group.story.tokens[i].literals + group.story.tokens[i].length;
  }
}

// What the loop over parts does, as the emitter writes it. Says how many it has written.
struct Stream {
  u8* out = nullptr;
  u64 produced = 0, out_end = 0, window = 0, dictionary_bytes = 0, dictionary_size = 0;
  const u8 *in = nullptr, *dictionary = nullptr;
};

std::size_t write_group(const Group& group, u8* out, u64 window, u32& narrowest) {
  Stream s;
  s.out = out;
  s.produced = group.before, s.out_end = group.story.text.size(), s.window = window;
  std::size_t done = 0;
  u32 width = prim::kLanes;
  while (done < group.parts()) {
    const u32 count = static_cast<u32>(std::min<std::size_t>(width, group.parts() - done));
    Part t = Part();
    u64 makes = 0;
    bool sound = false;
    prim::clear_slots();
    if (prim::lane() < count) {
      t.produced = thread::prim::kAnyPlace, t.out_end = t.produced + s.out_end - s.produced;
      thread::prim::open_part<true>(t, width);
      if ((done + prim::lane()) % 3 == 0) run_checked(group, done + prim::lane(), t);
      else run_fast(group, done + prim::lane(), t);
      sound = true;
      makes = t.produced - thread::prim::kAnyPlace;
    }
    prim::sync();
    const u64 above = prim::scan_add64(makes), place = s.produced + (above - makes);
    sound = sound && (t.reach <= 0 || (u64)t.reach <= place - s.window);
    const u32 good = prim::leading(sound), fit = prim::leading(prim::lane() < good && thread::prim::part_fits(t));
    prim::write_parts(s, width, fit, t.entries, (u32)makes);
    if (fit < count) {
      s.produced = prim::shfl64(place, fit);
      done += fit;
      if (fit == good || width == 1) return done;
      width /= 2;
      if (width < narrowest) narrowest = width;
      continue;
    }
    s.produced += prim::shfl64(above, prim::kLanes - 1);
    done += count;
    if (width < prim::kLanes) width *= 2;
  }
  return done;
}

// Both groups are written as far as `parts` says of each. Tells how many lanes at least were at work.
u32 check(const Group (&groups)[2], const std::size_t (&parts)[2], std::uint64_t seed, std::size_t skew, u64 window = 0) {
  std::vector<u8> memory[2];
  for (int g = 0; g < 2; ++g) {
    memory[g].assign(2 * kEdge + groups[g].story.text.size(), kBlank);
    const auto start = memory[g].begin() + static_cast<std::ptrdiff_t>(skew);
    std::copy_n(groups[g].story.text.begin(), groups[g].before, start);
  }
  u32 narrowest = prim::kLanes;
  std::size_t done[64];
  u32 widths[64];
  const Report report = launch(grid(64, seed), [&] {
    const u32 g = threadIdx.x / 32;
    widths[threadIdx.x] = prim::kLanes;
    done[threadIdx.x] = write_group(groups[g], memory[g].data() + skew, window, widths[threadIdx.x]);
  });
  EXPECT_TRUE(report.ok()) << report.text;
  for (u32 thread = 0; thread < 64; ++thread) {
    EXPECT_EQ(done[thread], parts[thread / 32]) << "thread " << thread << ", seed " << seed;
    narrowest = std::min(narrowest, widths[thread]);
  }
  for (int g = 0; g < 2; ++g) {
    const auto& text = groups[g].story.text;
    const std::size_t made = groups[g].first_byte[parts[g]];
    for (std::size_t i = 0; i < memory[g].size(); ++i) {
      const bool inside = i >= skew && i < skew + made;
      EXPECT_EQ(memory[g][i], inside ? text[i - skew] : kBlank) << "byte " << i << " of warp " << g << ", seed " << seed;
      if (memory[g][i] != (inside ? text[i - skew] : kBlank)) return 0;
    }
  }
  return narrowest;
}
u32 check_all(const Group (&groups)[2], std::uint64_t seed) {
  return check(groups, {groups[0].parts(), groups[1].parts()}, seed, seed % 300);
}

u32 check_shape(std::mt19937& random, const Shape& shape) {
  const Group groups[2]{group_of(random, shape), group_of(random, shape)};
  return check_all(groups, random());
}

TEST(PRIM_PART_STEPS_SUITE, PartsThatFit) {
  std::mt19937 random(0x51ce);
  for (const u32 farthest : {1u, 7u, 60u, 2000u})
    for (const u32 longest : {0u, 5u, 9u})
      for (const u32 parts : {1u, 31u, 32u, 33u, 70u}) EXPECT_EQ(check_shape(random, {parts, 4, 2, farthest, longest}), 32u);
}

TEST(PRIM_PART_STEPS_SUITE, PartsOfTooManyEntriesAreTakenFewerAtATime) {
  std::mt19937 random(3);
  EXPECT_LE(check_shape(random, {40, 12 * kEntryScale, 3, 500, 2}), 16u);
  EXPECT_LE(check_shape(random, {40, 20 * kEntryScale, 7, 500, 2}), 8u);
}

TEST(PRIM_PART_STEPS_SUITE, PartsOfTooManyBytesToo) {
  std::mt19937 random(4);
  EXPECT_LE(check_shape(random, {40, 3, 1, 900, 90 * kByteScale}), 16u);
  EXPECT_LE(check_shape(random, {40, 3, 1, 30, 400 * kByteScale}), 8u);
}

// Parts at the edge of what a slot holds, and behind it.
TEST(PRIM_PART_STEPS_SUITE, ASlotIsFullAndNotMore) {
  for (const u32 more : {0u, 1u}) {
    Group groups[2];
    for (Group& group : groups) {
      group.story.add({50, 1, 0});
      group.before = group.story.text.size();
    }
    for (u32 k = 0; k < 32; ++k) {
      groups[0].begin_part();
      groups[0].story.add({kMostEntries - 1, 3, 0});
      groups[0].story.add({k == 20 ? more : 0, 9, 2});
      groups[1].begin_part();
      groups[1].story.add({2, 7 + k, kMostBytes - 2 + (k == 31 ? more : 0)});
    }
    for (Group& group : groups) group.begin_part();
    EXPECT_EQ(check_all(groups, 5), more == 0 ? 32u : 16u);
  }
}

TEST(PRIM_PART_STEPS_SUITE, OnePartAloneMayHaveAllSlotsAndNoMore) {
  for (const u32 more : {0u, 1u}) {
    std::mt19937 random(6);
    Group groups[2]{group_of(random, {3, 3, 2, 50, 5}), group_of(random, {3, 3, 2, 50, 5})};
    groups[0].story.add({prim::kSlotEntries * 32 - 1 + more, 1, 0});
    groups[1].story.add({1, 1, (prim::kSlotWords * 32 - 1) * 32 - 1 + more});
    for (Group& group : groups) {
      group.begin_part();
      group.story.add({3, 2, 5});
      group.begin_part();
    }
    const std::size_t all = groups[0].parts();
    EXPECT_EQ(check(groups, {more == 0 ? all : all - 2, more == 0 ? all : all - 2}, 8, 77), 1u);
  }
}

TEST(PRIM_PART_STEPS_SUITE, NothingAtAll) {
  std::mt19937 random(7);
  EXPECT_EQ(check_shape(random, {0, 1, 1, 1, 1}), 32u);
  EXPECT_EQ(check_shape(random, {32, 0, 1, 1, 1}), 32u);
  EXPECT_EQ(check_shape(random, {45, 1, 0, 9, 3}), 32u);
}

TEST(PRIM_PART_STEPS_SUITE, EveryPlaceInAStep) {
  std::mt19937 random(8);
  const Shape shape{9, 3, 3, 100, 20};
  const Group groups[2]{group_of(random, shape), group_of(random, shape)};
  for (std::size_t skew = 0; skew < 260; ++skew) check(groups, {groups[0].parts(), groups[1].parts()}, skew, skew);
}

// The window begins at a byte that one copy of a part reads: at that one it is sound, behind it that part is not. Part 17 is
// a fast loop's, and 18 is the checked path's.
TEST(PRIM_PART_STEPS_SUITE, CopiesStayInsideTheWindow) {
  std::mt19937 random(9);
  for (const u32 more : {0u, 1u})
    for (const u32 reaches : {17u, 18u}) {
      Group groups[2];
      for (Group& group : groups) {
        group.story.add({80, 1, 0});
        group.before = group.story.text.size();
        for (u32 k = 0; k < 32; ++k) {
          group.begin_part();
          group.story.add({2, 2, 3});
          if (k == reaches) group.story.add({1, static_cast<u32>(group.story.text.size()) + 1 - 50, 4});
        }
        group.begin_part();
      }
      const std::size_t good = more == 0 ? 32 : reaches;
      check(groups, {good, good}, 3, 11, 50 + more);
    }
}

// The farthest copy that an entry of 16 bits holds, and the nearest ones.
TEST(PRIM_PART_STEPS_SUITE, CopiesOfEveryDistance) {
  constexpr u32 kFarthest = 1u << 15;
  Group groups[2];
  for (u32 g = 0; g < 2; ++g) {
    groups[g].story.add({kFarthest + 100, 1, 0});
    groups[g].before = groups[g].story.text.size();
    for (u32 k = 0; k < 40; ++k) {
      groups[g].begin_part();
      groups[g].story.add({1 + k % 3, k % 2 == g ? kFarthest - k / 2 : 1 + k, 1 + 7 * k % 30});
    }
    groups[g].begin_part();
  }
  check_all(groups, 31);
}

// Bits of a part in pieces of every size, as they stand in the input; a refill before each.
template <bool Msb> void check_bits(u64 seed) {
  typedef thread::prim::PartBits<Msb> Bits;
  std::mt19937 random(static_cast<u32>(seed));
  alignas(16) u8 input[256];
  for (u8& byte : input) byte = static_cast<u8>(random());
  thread::prim::Stream<Msb ? prim::Input::Msb : prim::Input::Lsb> s = {};
  const u32 skew = static_cast<u32>(random() % 9);
  s.in = input + skew, s.size = sizeof(input) - skew, s.pos = random() % 40, s.end = 8 * s.size;
  auto src = thread::prim::source(s);
  prim::Cursor in = thread::prim::cursor(src, s.pos >> 3);
  Bits b = Bits::at(src, s.pos, in);
  const auto bit = [&](u64 at) { return s.in[at / 8] >> (Msb ? 7 - at % 8 : at % 8) & 1u; };
  for (u64 at = s.pos; at + 150 < s.end;) {
    Bits::refill(b, src, in);
    ASSERT_EQ(Bits::position(src, in, b.count), at);
    const u32 n = 1 + static_cast<u32>(random() % 32), code = 1 + static_cast<u32>(random() % 15), extra = static_cast<u32>(random() % 14);
    u32 all = 0, behind = 0;
    for (u32 i = 0; i < n; ++i) all |= bit(at + i) << (Msb ? n - 1 - i : i);
    for (u32 i = 0; i < extra; ++i) behind |= bit(at + code + i) << (Msb ? extra - 1 - i : i);
    ASSERT_EQ(Bits::look(b, n), all);
    Bits behind_one = b;  // 33 bits are there
    Bits::drop(behind_one, src, in, 1);
    u32 rest = 0;
    for (u32 i = 0; i < 32; ++i) rest |= bit(at + 1 + i) << (Msb ? 31 - i : i);
    ASSERT_EQ(Bits::look(behind_one, 32), rest);
    ASSERT_EQ(thread::prim::take_entry(b, src, in, code << 8 | (code + extra)), behind);
    at += code + extra;
  }
}
TEST(PRIM_PART_STEPS_SUITE, BitsOfAPart) {
  const Report report = launch(grid(32), [&] {
    check_bits<false>(prim::lane());
    check_bits<true>(prim::lane());
  });
  EXPECT_TRUE(report.ok()) << report.text;
}

TEST(PRIM_PART_STEPS_SUITE, DistancesTooFarForAnEntry) {
  u32 results[3] = {};
  const Report report = launch(grid(32), [&] {
    if (prim::lane() != 0) return;
    Part t = Part();
    t.produced = thread::prim::kAnyPlace, t.out_end = t.produced + 100;
    thread::prim::open_part<true>(t, 32);
    auto out = thread::prim::part_output<true>(t);
    results[0] = thread::prim::too_far<u32>(prim::kMaxDistance, out, thread::prim::any_window());
    results[1] = thread::prim::too_far<u32>(prim::kMaxDistance + 1, out, thread::prim::any_window());
    results[2] = thread::prim::too_far<u32>(0, out, thread::prim::any_window());
    EXPECT_EQ((thread::prim::copy<false, 1>(t, prim::kMaxDistance, 1, ~0ull)), 0u);
    EXPECT_EQ((thread::prim::copy<false, 1>(t, prim::kMaxDistance + 1, 1, ~0ull)), 1u);
    EXPECT_EQ((thread::prim::copy<false, 1>(t, 0, 1, ~0ull)), 1u);
    EXPECT_EQ((thread::prim::copy<false, 1>(t, 7, 1, 6)), 1u);
    EXPECT_EQ((thread::prim::copy<false, 1>(t, 7, 100, 7)), 2u);
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(results[0], 0u);
  EXPECT_EQ(results[1], 1u);
  EXPECT_EQ(results[2], 1u);
}

// Runs: of equal bytes, of others, by the loop and by the checked path.
TEST(PRIM_PART_STEPS_SUITE, Runs) {
  constexpr u32 kLengths[] = {0, 1, 2, 9};
  std::vector<u8> expected, made(4096, kBlank);
  for (u32 k = 0; k < 4; ++k) {
    expected.insert(expected.end(), kLengths[k], static_cast<u8>(k + 1));
    for (u32 i = 0; i < kLengths[k]; ++i) expected.push_back(static_cast<u8>(250 + 3 * i));
  }
  const Report report = launch(grid(64), [&] {
    if (threadIdx.x >= 32) return;
    const u32 lane = prim::lane();
    Stream s;
    s.out = made.data(), s.produced = 100, s.out_end = 4096;
    Part t = Part();
    prim::clear_slots();
    t.produced = thread::prim::kAnyPlace, t.out_end = t.produced + 1000;
    thread::prim::open_part<true>(t, 8);
    if (lane < 8) {
      const u32 n = kLengths[lane / 2];
      auto out = thread::prim::part_output<true>(t);
      if (lane % 2 == 0) thread::prim::fill_wide(out, lane / 2 + 1, n);
      else if (lane == 3) thread::prim::fill<1>(out, 250, 3, n);
      if (lane % 2 == 0 || lane == 3) {
        out += n;
        thread::prim::give_back(t, thread::prim::pending_copies<true>(t), out, out);
        t.produced = thread::prim::made(out);
      } else {
        EXPECT_EQ((thread::prim::run<true, 1>(t, 250, n, 3)), 0u);
      }
    }
    EXPECT_EQ((thread::prim::run<true, 1>(t, 0, 1001, 0)), 1u);
    prim::write_parts(s, 8, 8, t.entries, (u32)(t.produced - thread::prim::kAnyPlace));
  });
  ASSERT_TRUE(report.ok()) << report.text;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const bool inside = i >= 100 && i < 100 + expected.size();
    ASSERT_EQ(made[i], inside ? expected[i - 100] : kBlank) << "byte " << i;
  }
}

}  // namespace
}  // namespace sluice::simt::test
