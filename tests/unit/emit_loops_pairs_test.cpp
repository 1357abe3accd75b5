// Two chunks at once by one thread (runtime/prim/pair.h), against each by itself: chunks of all sizes and kinds side by side, good ones,
// such as have been changed or end early, and rooms that are too small.
#include "tests/unit/emit_loops_fixture.h"
#include "tests/unit/planned.h"

namespace sluice::loops_test {
namespace {

// Literals, or a copy, as the first byte tells; of some first bytes a token that no table takes.
constexpr const char* kTokens =
    "\n  repeat until end of input\n    tag: u8\n    when tag < 128\n      when tag == 127\n        n: u8\n        literals u8[n + 64]\n"
    "      else\n        literals u8[(tag & 63) + 1]\n    else\n      far: u16le\n      copy distance far + 1, length (tag & 31) + 4\n";

std::string spec() { return format("bytes", "bytes", kTokens); }

Bytes tokens(std::mt19937& random, unsigned n) {
  Bytes made;
  unsigned produced = 0;
  const auto literals = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) made.push_back(static_cast<std::uint8_t>(random()));
    produced += count;
  };
  for (unsigned i = 0; i < n; ++i) {
    const unsigned kind = static_cast<unsigned>(random() % 16);
    if (produced == 0 || kind < 5) {
      const unsigned count = static_cast<unsigned>(random() % (kind == 0 ? 63 : 8));
      made.push_back(static_cast<std::uint8_t>(count));
      literals(count + 1);
    } else if (kind == 5) {
      made.push_back(127);
      made.push_back(static_cast<std::uint8_t>(random()));
      literals(made.back() + 64u);
    } else {
      const unsigned far = static_cast<unsigned>(random() % std::min(produced, kind < 9 ? 20u : 60000u)), length = static_cast<unsigned>(random() % 32);
      made.insert(made.end(), {static_cast<std::uint8_t>(0x80 | length), static_cast<std::uint8_t>(far), static_cast<std::uint8_t>(far >> 8)});
      produced += length + 4;
    }
  }
  return made;
}

// A batch by one thread, in memory of exactly the size needed, with canaries around each chunk's.
void expect_same_as_alone(const Both& both, const std::vector<Bytes>& inputs, const std::vector<std::size_t>& capacities) {
  std::vector<Bytes> memory;
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < inputs.size(); ++i) memory.emplace_back(capacities[i] + 2 * kCanaries, kCanary);
  for (std::size_t i = 0; i < inputs.size(); ++i) chunks.push_back({inputs[i], std::span(memory[i]).subspan(kCanaries, capacities[i])});
  std::vector<Status> statuses(inputs.size());
  std::atomic<std::uint64_t> finished{0};
  Batch batch;
  batch.threads = 1;
  batch.finished = &finished;
  ASSERT_TRUE(both.cpu.decode_batch(chunks, statuses, batch).empty());
  EXPECT_EQ(finished.load(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Outcome alone = decode(both.interp, inputs[i], capacities[i]);
    EXPECT_EQ(statuses[i], alone.status) << "chunk " << i << " of " << inputs.size();
    EXPECT_TRUE(std::equal(alone.bytes.begin(), alone.bytes.end(), memory[i].begin() + kCanaries)) << "chunk " << i << " of " << inputs.size();
    const auto untouched = [](std::span<const std::uint8_t> bytes) { return std::ranges::all_of(bytes, [](std::uint8_t b) { return b == kCanary; }); };
    EXPECT_TRUE(untouched(std::span(memory[i]).first(kCanaries)) && untouched(std::span(memory[i]).last(kCanaries))) << "chunk " << i;
  }
}

TEST(Pairs, EachChunkIsWhatItIsAlone) {
  const test::Planned planned("spec.sluice", spec());
  ASSERT_TRUE(std::ranges::any_of(planned.plan.loops, [](const plan::Loop& loop) { return loop.paired; }));
  const std::optional<Both> decoders = both(spec());
  if (!decoders) return;
  std::mt19937 random(7);
  for (unsigned round = 0; round < 150; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<Bytes> inputs;
    std::vector<std::size_t> capacities;
    for (unsigned k = 0; k < 2 + round % 4; ++k) {
      Bytes in = tokens(random, random() % 4 == 0 ? static_cast<unsigned>(random() % 6) : static_cast<unsigned>(random() % 300));
      const std::size_t whole = decode(decoders->interp, in, 400000).status.produced;
      if (random() % 3 == 0 && !in.empty()) in[random() % in.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
      if (random() % 4 == 0) in.resize(in.empty() ? 0 : random() % in.size());
      inputs.push_back(std::move(in));
      capacities.push_back(random() % 4 == 0 ? random() % (whole + 1) : whole + (random() % 2 == 0 ? 0 : random() % 200));
    }
    expect_same_as_alone(*decoders, inputs, capacities);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Pairs, OfLoopsThatReadNothingElse) {
  const auto paired = [](const std::string& text) {
    const test::Planned planned("spec.sluice", text);
    return std::ranges::any_of(planned.plan.loops, [](const plan::Loop& loop) { return loop.paired; });
  };
  EXPECT_TRUE(paired(spec()));
  // A slot of the rule around the loop: each chunk has one of its own, and the loop's function takes it.
  EXPECT_FALSE(paired(format("bytes", "bytes", "\n  more: u8\n  repeat until end of input\n    tag: u8\n    when tag < 128\n      literals u8[(tag & 63) + 1]\n"
                                               "    else\n      far: u16le\n      copy distance far + 1, length (tag & 31) + 4\n    if more > 200: emit more\n")));
  const test::Planned lz4("lz4_block");
  EXPECT_TRUE(std::ranges::none_of(lz4.plan.loops, [](const plan::Loop& loop) { return loop.paired; }));
  test::Planned snappy("snappy_raw");
  const auto loop = std::ranges::find_if(snappy.plan.loops, [](const plan::Loop& l) { return l.paired; });
  ASSERT_NE(loop, snappy.plan.loops.end());
  loop->paired = false;
  EXPECT_FALSE(plan::verify(*snappy.compiled.module, snappy.plan).empty());
}

}  // namespace
}  // namespace sluice::loops_test
