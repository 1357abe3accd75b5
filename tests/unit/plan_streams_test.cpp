// Streams that calls in a row decode: which a CPU begins together, which not, and why (compiler/plan/streams.h).
#include "compiler/plan/streams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/plan/text.h"
#include "tests/unit/planned.h"

namespace sluice::test {
namespace {

using plan::Streams;
using plan::Target;

struct Made : Planned {
  using Planned::Planned;
  std::vector<Streams> streams() const {
    std::vector<Streams> all;
    for (const plan::Loop& loop : plan.loops) all.insert(all.end(), loop.streams.begin(), loop.streams.end());
    return all;
  }
};

// A rule `stream` and what calls it. `token` stands in its loop.
struct Spec {
  std::string head = "rule stream(size: u24, count: u18)\n    producing count\n      within size bytes, backward\n        repeat until end of input\n";
  std::string token = "          s: code\n          emit s\n";
  std::string code = "prefix_code code(16, 11), longest first";
  std::string output = "bytes";
  std::string lengths = "2, 2, 3, 3, 4, 4, 5, 5, 5, 6, 7, 8, 9, 10, 11, 11";
  std::string calls = "  into text\n    stream(a, n)\n    stream(b, n)\n    stream(remaining, n)\n";

  std::string text() const {
    return fmt::format(
        "format streams\n  input bits lsb\n  output {}\n  trailing accept rest\n\n"
        "  table lengths: u4 = [{}]\n  {}\n  buffer text[5000]\n  var sum: u8 = 0\n\n  {}{}\n"
        "  build code from lengths\n  a: u8\n  b: u8\n  n: u16le\n{}  literals text[0, count of text]\n",
        output, lengths, code, head, token, calls);
  }
};

std::string against(const Spec& spec) {
  const Made made("streams", spec.text());
  const std::vector<Streams> streams = made.streams();
  if (streams.size() != 1) return fmt::format("{} groups", streams.size());
  EXPECT_EQ(streams[0].count == 0, !streams[0].against.empty());
  return streams[0].against;
}

TEST(PlanStreams, FourOfZstdAreBegunTogether) {
  for (const char* codec : {"zstd", "orc_zstd"}) {
    const Made made(codec);
    const std::vector<Streams> streams = made.streams();
    ASSERT_EQ(streams.size(), 1u) << codec;
    EXPECT_EQ(streams[0].against, "");
    EXPECT_EQ(streams[0].count, 4u);
    EXPECT_EQ(streams[0].look_ups, 5u);
    EXPECT_EQ(Made(codec, {}, Target::Warp).streams(), streams);
    EXPECT_TRUE(Made(codec, {}, Target::Lane).streams().empty());
  }
}

TEST(PlanStreams, CallsInARowAreOneGroupEach) {
  EXPECT_EQ(against({}), "");
  const auto counts = [](const std::string& calls) {
    std::vector<std::uint32_t> found;
    for (const Streams& streams : Made("streams", Spec{.calls = calls}.text()).streams()) found.push_back(streams.count);
    return found;
  };
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(counts("  into text\n    stream(a, n)\n    stream(b, n)\n"), Counts({2}));
  EXPECT_EQ(counts("  into text\n    stream(a, n)\n"), Counts());
  // No more than a processor has registers for.
  EXPECT_EQ(counts("  into text\n    stream(a, n)\n    stream(b, n)\n    stream(a, n)\n    stream(b, n)\n    stream(a, n)\n"), Counts({4}));
  EXPECT_EQ(counts("  into text\n    stream(a, n)\n    stream(b, n)\n    stream(a, n)\n    stream(b, n)\n    stream(a, n)\n    stream(b, 3)\n"),
            Counts({4, 2}));
  // Something between: their places are not known before the first.
  EXPECT_EQ(counts("  into text\n    stream(a, n)\n    emit 1\n    stream(b, n)\n"), Counts());
  EXPECT_EQ(counts("  into text\n    stream(a, n)\n    c: u8\n    stream(c, n)\n"), Counts());
}

TEST(PlanStreams, NoneReadsWhatAnotherWrites) {
  EXPECT_EQ(against({.token = "          s: code\n          emit s + sum & 255\n          sum := s\n"}), "a token changes what others may read");
  EXPECT_EQ(against({.token = "          s: code\n          when s < 9\n            emit s\n          else\n            copy distance s, length 2\n"}),
            "a token reads what others may make");
  // What a value is read from may be another buffer, and never the one that is being filled (SL0529).
  const std::string other = "  buffer other[9]\n  into other\n    literals u8[9]\n";
  EXPECT_EQ(against({.calls = other + "  into text\n    stream(a, n)\n    require other[1] < 9 else reject large\n    stream(other[0], n)\n"}), "");
  EXPECT_EQ(against({.calls = "  mark start\n  into text\n    stream(a, n)\n    stream(b, consumed since start)\n"}),
            "a size or count asks for more than what is left");
}

TEST(PlanStreams, SizesAndCountsAreKnown) {
  EXPECT_EQ(against({.head = "rule stream(size: u24, count: u18)\n      within size bytes, backward\n        repeat until end of input\n"}),
            "how much it makes is not known before it is read");
  EXPECT_EQ(against({.head = "rule stream(size: u24, count: u18)\n    producing count + 1\n      within size bytes, backward\n        repeat until end of input\n"}),
            "how much it makes is no parameter");
  EXPECT_EQ(against({.head = "rule stream(size: u24, count: u18)\n    producing count\n      within size + 1 bytes, backward\n        repeat until end of input\n"}),
            "its size is no parameter of whole bytes");
  // Either may stand around the other.
  EXPECT_EQ(against({.head = "rule stream(size: u24, count: u18)\n    within size bytes, backward\n      producing count\n        repeat until end of input\n"}), "");
}

TEST(PlanStreams, NoTwoWriteTheSame) {
  EXPECT_EQ(against({.head = "rule stream(size: u24, count: u18)\n    into text\n     producing count\n      within size bytes, backward\n        repeat until end of input\n",
                     .calls = "  stream(a, n)\n  stream(b, n)\n"}),
            "each begins the same buffer anew");
  // Of the output itself a chunk that is refused shows what was made, and nothing else may stand there.
  EXPECT_EQ(against({.calls = "  stream(a, n)\n  stream(b, n)\n"}), "they write to the output itself, where nothing may stand behind what is refused");
}

TEST(PlanStreams, NoLookUpLeaves) {
  EXPECT_EQ(against({.code = "prefix_code code(16, 15), longest first"}), "its longest codes are longer than its table's index");
  EXPECT_EQ(against({.code = "prefix_code code(16, 11)"}), "its longest codes are longer than its table's index");
  Spec shorter{.code = "prefix_code code(10, 6)", .lengths = "2, 2, 3, 3, 4, 4, 4, 5, 6, 6"};
  EXPECT_EQ(against(shorter), "");
  shorter.code += ", incomplete accept";
  EXPECT_EQ(against(shorter), "some bits may be no code");
  EXPECT_EQ(against({.token = "          s: code\n          require s < 15 else reject bad\n          emit s\n"}), "some bits may be no code");
  EXPECT_EQ(against({.token = "          s: code\n          emit s, s\n"}), "a token is more than a byte by a code");
  EXPECT_EQ(against({.output = "u16[]"}), "a token is more than a byte by a code");
}

TEST(PlanStreams, AnotherStartIsRefused) {
  Made made("zstd");
  const ir::Module& module = *made.compiled.module;
  const auto loop = std::ranges::find_if(made.plan.loops, [](const plan::Loop& l) { return !l.streams.empty(); });
  ASSERT_NE(loop, made.plan.loops.end());
  const std::string text = plan::print(module, made.plan);
  EXPECT_NE(text.find(" of 4 look_ups 5\n"), std::string::npos);
  EXPECT_NE(text.find("loop 2 of 4 table 0 index 3\n"), std::string::npos);
  const plan::Plan right = made.plan;
  loop->streams[0].count = 3;
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  loop->streams.clear();
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  const auto change = [&](auto how) {
    made.plan = right;
    for (plan::CheckedRule& rule : made.plan.checked)
      for (plan::CheckedStep& step : rule.steps)
        if (auto* call = std::get_if<plan::StreamCall>(&step.what)) how(*call, step);
    return plan::verify(module, made.plan);
  };
  EXPECT_TRUE(change([](plan::StreamCall&, plan::CheckedStep&) {}).empty());
  EXPECT_FALSE(change([](plan::StreamCall& call, plan::CheckedStep&) { call.index ^= 1; }).empty());
  EXPECT_FALSE(change([](plan::StreamCall& call, plan::CheckedStep&) { call.count = 5; }).empty());
  EXPECT_FALSE(change([](plan::StreamCall& call, plan::CheckedStep&) { call.loop = 0; }).empty());
  // A call that nothing begins, and a loop that does not go on.
  made.plan = right;
  for (plan::CheckedRule& rule : made.plan.checked)
    std::erase_if(rule.steps, [](const plan::CheckedStep& s) {
      const auto* call = std::get_if<plan::StreamCall>(&s.what);
      return call != nullptr && call->index == 3;
    });
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
  made.plan = right;
  for (plan::CheckedRule& rule : made.plan.checked)
    for (plan::CheckedStep& step : rule.steps)
      if (auto* checked = std::get_if<plan::CheckedLoop>(&step.what)) checked->started = false;
  EXPECT_FALSE(plan::verify(module, made.plan).empty());
}

}  // namespace
}  // namespace sluice::test
