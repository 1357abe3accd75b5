#pragma once
// The engine that makes output from records (runtime/prim/cuda), and what it asks of a stream and of a format: for tests on
// the SIMT layer. Whoever includes it has said what the engine is compiled with (SLUICE_MIN_TOKEN, SLUICE_VALUES).
#include <span>
#include <vector>

#include "tests/simt/copy_story.h"
#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

#define SLUICE_GUESSES 1

namespace gpu {
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
#include "runtime/prim/cuda/step_part.h"
#include "runtime/prim/cuda/periods.h"
#include "runtime/prim/cuda/records.h"
#include "runtime/prim/cuda/wide_steps.h"
#include "runtime/prim/cuda/long_parts.h"
#include "runtime/prim/cuda/writer.h"
#include "runtime/prim/cuda/walks.h"
#include "runtime/prim/cuda/speculate.h"
#include "runtime/prim/cuda/walker.h"
}  // namespace gpu

#pragma GCC diagnostic pop

using gpu::u32;
using gpu::u64;
using gpu::u8;
using gpu::prim::Record;

constexpr u8 kBlank = 0xcc;
constexpr std::size_t kEdge = 64;

// What the engine asks of a stream.
struct Stream {
  u8* out = nullptr;
  u64 produced = 0, out_end = 0, window = 0;
  u64 dictionary_bytes = 0;
  const u8* dictionary = nullptr;
  u64 dictionary_size = 0;
};

// What is known of a format whose tokens are told otherwise.
struct Untold {
  static constexpr bool kLate = false, kOnePart = false, kEachPart = false, kToEnd = false;
  static constexpr u32 kToldMost = 0;
  static constexpr bool kToldParts = false;
  typedef Record Own;
};

// The records of a story, and its literals one behind the other.
struct Records {
  std::vector<Record> list;
  std::vector<u8> literals;

  explicit Records(const Story& story) {
    std::size_t made = 0;
    for (const Token& token : story.tokens) {
      list.push_back({token.literals, static_cast<u32>(literals.size()), token.length, token.distance});
      literals.insert(literals.end(), story.text.begin() + static_cast<std::ptrdiff_t>(made),
                      story.text.begin() + static_cast<std::ptrdiff_t>(made + token.literals));
      made += token.literals + token.length;
    }
  }
};

struct Told {
  std::size_t taken = 0;  // records
  std::size_t made = 0;   // bytes
  bool refused = false;
};

// Where tiles come from, in a loop that is number 1.
typedef gpu::prim::Walked<gpu::prim::kWalker, 1> Walks;

struct NobodyWalks {
  void operator()() const {}
};
// Walks tokens of this kind, in every loop.
template <typename Tokens> struct WalksOf {
  void operator()() const {
    for (gpu::prim::Walker walker = {0, 0, 0}; gpu::prim::next_walk(walker) != 0;) walker = gpu::prim::walk_ahead<Tokens>(walker);
  }
};

// Runs `body` as the warp that finds tokens, and beside it the one that writes where there is one, and `walk` where one walks.
template <typename Body, typename Walk = NobodyWalks> void run_chunk(std::uint64_t seed, const Body& body, const Walk& walk = {}) {
  using namespace gpu::prim;
  const Report report = launch(grid(kWalker ? 96 : kWriter ? 64 : 32, seed), [&] {
    if (kWalker) open_walks();
    if (kWriter) open_packets();
    if (threadIdx.x >= 2 * kLanes) return walk();
    if (threadIdx.x >= kLanes) return write_packets();
    body();
    if (kWalker) end_walks();
    if (kWriter) end_packets();
  });
  EXPECT_TRUE(report.ok()) << report.text;
}

// What all lanes of speculate() do with records. `input`: their literals, wherever they lie.
inline Told tell_loop(std::span<const Record> records, std::span<const u8> input, const Stream& s) {
  const auto before = static_cast<u32>(reinterpret_cast<std::uintptr_t>(input.data()) % gpu::prim::kUnitBytes);
  gpu::prim::Steps g;
  g.open<true>(s, input.data() - before, before + static_cast<u32>(input.size()));
  gpu::prim::join_writer<true>(g);
  Untold tokens;
  u32 next = 0;
  bool refused = false;
  for (;;) {
    while (!refused && next < records.size() && gpu::prim::wants_records<true>(g)) {
      constexpr u32 kTogether = gpu::prim::kTokensALane;
      const auto left = static_cast<u32>(records.size() - next);
      Record r[kTogether];
      for (u32 i = 0; i < kTogether; ++i) {
        const u32 at = kTogether * gpu::prim::lane() + i;
        r[i] = at < left ? records[next + at] : Record{0, 0, 0, 0};
        if (!gpu::prim::kValues) r[i].from += before;
      }
      next += gpu::prim::add_records<true>(g, tokens, left, r, refused);
    }
    if (!gpu::prim::put_out<true>(g, refused || next == records.size())) break;
  }
  return {next, g.done - g.first, refused};
}

[[maybe_unused]] Told tell(std::span<const Record> records, std::span<const u8> input, const Stream& s, std::uint64_t seed) {
  Told told;
  run_chunk(seed, [&] {
    const Told mine = tell_loop(records, input, s);
    if (gpu::prim::lane() == 0) told = mine;
  });
  return told;
}

}  // namespace
}  // namespace sluice::simt::test
