// Tokens as records: what is one, what is none, and why (compiler/plan/records.h).
#include <gtest/gtest.h>

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "compiler/analysis/eval.h"
#include "tests/unit/records_of.h"

namespace sluice::test {
namespace {

TEST(PlanRecords, LiteralsAndThenACopy) {
  const plan::Records r =
      records_of("    n: u8\n    literals u8[n >> 4]\n    far: u16le\n    copy distance far, length (n & 15) + 4\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.min_token, 3u);
}

TEST(PlanRecords, EitherOfThem) {
  const plan::Records r = records_of(
      "    n: u8\n    when n < 128\n      literals u8[n + 1]\n    else\n      far: u8\n      copy distance far + 1, "
      "length n - 124\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.min_token, 2u);
}

const plan::Local kFirst{plan::kGlobalScope, 0}, kSecond{plan::kGlobalScope, 1};
typedef std::vector<plan::Local> Locals;

TEST(PlanRecords, WhatTheLastTokenLeftThatSetIt) {
  const plan::Records r = records_of(
      "    n: u8\n    literals u8[n & 7]\n    if n > 8\n      last := n\n    copy distance last, length 4\n",
      "  var last: u8 = 1\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.latched, Locals{kFirst});
  EXPECT_EQ(r.counters, Locals{});
  EXPECT_EQ(r.kept, (Locals{{0, 0}}));
}

TEST(PlanRecords, WhatEveryTokenChangesInTheSameWay) {
  const plan::Records r = records_of(
      "    if left == 0\n      left := 8\n      group := produced\n    left := left - 1\n    n: u8\n    far: u8\n"
      "    require produced -% group < 99 else reject long_group\n    copy distance far + 1, length n + 1\n",
      "  var left: u8 = 8\n  var group: u64 = 0\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.counters, Locals{kFirst});
  EXPECT_EQ(r.latched, Locals{kSecond});
  EXPECT_EQ(r.kept, Locals{});
}

// Those that are computed from others on the way, which no token knows by itself, are counters; so are what they are computed from.
TEST(PlanRecords, CountersThroughOtherVariables) {
  const plan::Records r = records_of(
      "    n: u8\n    count = 1\n    was = second\n    second := first & 7\n    first := was + count & 31\n    require first < 30 else reject many\n"
      "    copy distance n + 1, length 4\n",
      "  var first: u8 = 1\n  var second: u8 = 2\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.counters, (Locals{kFirst, kSecond}));
  EXPECT_EQ(r.counted, (Locals{{0, 1}, {0, 2}}));
}

TEST(PlanRecords, WhatATokenAddsByItself) {
  const plan::Records r = records_of(
      "    n: u8\n    if n > 9\n      if n > 20\n        sum := sum + (n & 7)\n      sum := sum + 1\n    most := sum\n    require sum < 200 else reject too_many\n"
      "    copy distance n + 1, length 4\n",
      "  var sum: u16 = 0\n  var most: u16 = 0\n");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.added, Locals{kFirst});
  EXPECT_EQ(r.latched, Locals{kSecond});
  EXPECT_EQ(r.kept, (Locals{{0, 0}}));
}

// What the tokens before decide: `head`, then tokens.
std::string against(std::string_view head, std::string_view steps) { return records_of(steps, head).against; }

TEST(PlanRecords, WhatMayNotWait) {
  const std::string_view last = "  var last: u8 = 1\n";
  EXPECT_EQ(against(last, "    n: u8\n    last := (last & 3) + (n & 7)\n    copy distance last + 1, length 4\n"),
            "a token's value is computed from that of the one before it");
  // What is added waits itself; or there may be too much of it for 32 tokens' sum.
  const std::string_view computed = "a token's value is computed from that of the one before it";
  EXPECT_EQ(against("  var a: u16 = 1\n  var b: u16 = 1\n",
                    "    n: u8\n    if n > 9\n      a := n\n    b := (b +% a) & 1023\n    copy distance n + 1, length 4\n"),
            computed);
  EXPECT_EQ(against("  var a: u64 = 1\n", "    n: u32le\n    require a < 99 else reject large\n    a := a + n\n    copy distance (n & 7) + 1, length 4\n"),
            computed);
  EXPECT_EQ(against(last, "    n: u8\n    last := n & 7\n    copy distance n + 1, length last + 4\n"),
            "its length waits for the tokens before it");
  EXPECT_EQ(against(last, "    n: u8\n    literals u8[last & 7]\n    last := n & 7\n    copy distance n + 1, length 4\n"),
            "what it takes or makes waits for the tokens before it");
  EXPECT_EQ(against(last, "    n: u8\n    if last > 3\n      more: u8\n      literals u8[more & 3]\n    last := n & 7\n"
                          "    copy distance n + 1, length 4\n"),
            "what tokens before it left decides whether it is done");
  EXPECT_EQ(against(last, "    n: u8\n    var far: u8 = n & 15\n    far := far + 1\n    if n > 9\n      last := far\n"
                          "    copy distance last + 1, length 4\n"),
            "a value that waits for earlier tokens is set more than once");
}

// Sizes that a walk is told by the token's first byte: note [first byte].
struct ToldSizes {
  bool any = false;
  std::uint64_t most = 0;
  std::vector<std::uint64_t> of;  // each first byte; 0: not told
};
ToldSizes told_sizes(std::string_view steps, std::string_view head = "") {
  ToldSizes sizes;
  const ir::Module nothing;
  const plan::Records r = records_of(steps, head);
  EXPECT_EQ(r.against, "");
  if (!r.first_byte) return sizes;
  sizes.any = true;
  sizes.most = r.first_byte->most;
  for (std::uint64_t v = 0; v < 256; ++v) {
    const analysis::Leaves leaves = [&](const ir::Expr& e) -> std::optional<std::uint64_t> {
      EXPECT_EQ(e.ref, r.first_byte->local.slot);
      return v;
    };
    const auto told = analysis::evaluate(nothing, *r.first_byte->told, leaves);
    const auto size = analysis::evaluate(nothing, *r.first_byte->size, leaves);
    EXPECT_TRUE(told && size);
    sizes.of.push_back(told.value_or(0) != 0 ? size.value_or(0) : 0);
  }
  return sizes;
}

TEST(PlanRecords, TheFirstByteTellsWhatTheBodyWouldFind) {
  const ToldSizes snappy = told_sizes(
      "    tag: u8\n    when tag & 3 == 0\n      var n: u32 = tag >> 2\n      if n >= 60\n        more: uint_le(8 * (n - 59))\n"
      "        n := more\n      literals u8[n + 1]\n    when tag & 3 == 1\n      low: u8\n      copy distance low + 1, length 4\n"
      "    when tag & 3 == 2\n      far: u16le\n      copy distance far, length (tag >> 2) + 1\n    else\n      far: u32le\n"
      "      copy distance far & 255, length (tag >> 2) + 1\n");
  ASSERT_TRUE(snappy.any);
  EXPECT_EQ(snappy.most, 61u);
  for (std::uint64_t tag = 0; tag < 256; ++tag) {
    const std::uint64_t kinds[] = {tag < 240 ? 2 + tag / 4 : 0, 2, 3, 5};
    EXPECT_EQ(snappy.of[tag], kinds[tag % 4]) << tag;
  }
}

// The parts of a token that begins with these bytes, as the plan computes them.
struct Told {
  std::uint64_t literals, from, distance, length;
  bool operator==(const Told&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Told& t) {
  return to << t.literals << " from " << t.from << ", " << t.length << " back " << t.distance;
}
Told told_parts(const plan::FirstByte& first, std::span<const std::uint8_t> token) {
  const ir::Module nothing;
  const analysis::Leaves leaves = [&](const ir::Expr& e) -> std::optional<std::uint64_t> {
    if (e.ref == first.local.slot) return token[0];
    for (const plan::FieldAt& f : first.parts->fields) {
      if (f.local.slot != e.ref) continue;
      std::uint64_t v = 0;
      for (unsigned i = 0; i < f.bits / 8; ++i) v |= static_cast<std::uint64_t>(token[f.offset + i]) << 8 * (f.big ? f.bits / 8 - 1 - i : i);
      return v;
    }
    return std::nullopt;
  };
  const auto of = [&](const plan::Operand& o) { return o ? analysis::evaluate(nothing, *o, leaves).value_or(~0ull) : 0; };
  const plan::FirstByteParts& p = *first.parts;
  return {of(p.literals), of(p.from), of(p.distance), of(p.length)};
}

TEST(PlanRecords, TheFirstByteTellsParts) {
  const plan::Records r = records_of(
      "    tag: u8\n    when tag < 100\n      literals u8[tag & 15]\n      far: u16be\n      copy distance far, length (tag >> 4) + 4\n"
      "    when tag < 200\n      far: u8\n      copy distance (tag >> 5 << 8) + far, length 9\n"
      "    when tag < 250\n      extra: u16le\n      literals u8[tag - 199]\n    else\n      n: u8\n      far: u16be\n"
      "      copy distance far, length n + 1\n");
  ASSERT_EQ(r.against, "");
  ASSERT_TRUE(r.first_byte);
  EXPECT_FALSE(r.first_byte->parts);  // the distance stands behind literals

  const plan::Records fixed = records_of(
      "    tag: u8\n    when tag < 200\n      far: u8\n      copy distance (tag >> 5 << 8) + far + 1, length 9\n"
      "    when tag < 250\n      extra: u16le\n      literals u8[tag - 199]\n    else\n      n: u8\n      far: u16be\n"
      "      copy distance far, length n + 1\n");
  ASSERT_TRUE(fixed.first_byte && fixed.first_byte->parts);
  for (unsigned tag = 0; tag < 256; ++tag) {
    const std::uint8_t token[] = {static_cast<std::uint8_t>(tag), 77, 3, 2, 1};
    const Told told = told_parts(*fixed.first_byte, token);
    if (tag < 200) EXPECT_EQ(told, (Told{0, 3, (tag >> 5 << 8) + 78, 9})) << tag;
    else if (tag < 250) EXPECT_EQ((Told{told.literals, told.from, 0, told.length}), (Told{tag - 199, 3, 0, 0})) << tag;
    else EXPECT_EQ(told, (Told{0, 3, 3 << 8 | 2, 78})) << tag;
  }
}

TEST(PlanRecords, WhatWaitsIsNotToldByTheFirstByte) {
  const plan::Records r = records_of(
      "    n: u8\n    if n < 128\n      more: u8\n    far: u8\n    last := n\n    copy distance last + 1, length 4\n", "  var last: u8 = 1\n");
  ASSERT_TRUE(r.first_byte && r.has_late());
  EXPECT_FALSE(r.first_byte->parts);
}

TEST(PlanRecords, TheFirstByteTellsOfRulesAndChecks) {
  const ToldSizes sizes = told_sizes(
      "    n: u8\n    size: long(n)\n    require n != 77 else reject odd\n    if n < 128\n      more: u16le\n    literals u8[size]\n"
      "    far: u8\n    copy distance far + 1, length 4\n",
      "  rule long(n: u8) -> u8\n    if n > 100\n      return 7\n    return 3\n");
  ASSERT_TRUE(sizes.any);  // of a rule that returns early
  for (std::uint64_t n = 0; n < 256; ++n)
    EXPECT_EQ(sizes.of[n], n == 77 ? 0 : (n > 100 ? 7 : 3) + (n < 128 ? 4u : 2u)) << n;
  const ToldSizes checked = told_sizes(
      "    n: u8\n    size: half(n)\n    require n != 77 else reject odd\n    if n < 128\n      more: u16le\n    literals u8[size]\n"
      "    far: u8\n    copy distance far + 1, length 4\n",
      "  rule half(n: u8) -> u8\n    var m: u8 = n & 15\n    if n > 100\n      m := m >> 1\n    return m\n");
  ASSERT_TRUE(checked.any);
  for (std::uint64_t n = 0; n < 256; ++n) {
    const std::uint64_t literals = n > 100 ? n % 16 / 2 : n % 16;
    EXPECT_EQ(checked.of[n], n == 77 ? 0 : literals + (n < 128 ? 4 : 2)) << n;
  }
}

TEST(PlanRecords, WhereTheFirstByteDoesNotTell) {
  // One in eight is longer; a branch on what is read; nothing to choose; longer than what lies behind a tile.
  EXPECT_FALSE(told_sizes("    n: u8\n    when n & 7 == 0\n      k: u8\n      literals u8[k & 3]\n    else\n      literals u8[n & 1]\n"
                          "    far: u8\n    copy distance far + 1, length 4\n").any);
  EXPECT_FALSE(told_sizes("    n: u8\n    far: u8\n    if far > 9\n      more: u8\n    copy distance far + 1, length n + 4\n").any);
  EXPECT_FALSE(told_sizes("    n: u8\n    literals u8[n & 15]\n    far: u8\n    copy distance far + 1, length 4\n").any);
  EXPECT_FALSE(told_sizes("    n: u8\n    literals u8[n]\n    if n > 9\n      more: u8\n    far: u8\n    copy distance far + 1, length 4\n").any);
  // A distance that is refused is refused in a walk.
  const std::string far = "    n: u8\n    if n > 9\n      more: u8\n    far: u32le\n    copy distance far, length 4\n";
  EXPECT_FALSE(told_sizes(far).any);
}

// What a tile's bytes add up to: note [tile sums].
TEST(PlanRecords, SumsOfATile) {
  const std::string rule =
      "  rule extended(nibble: u4) -> u40\n    var n: u40 = nibble\n    if nibble == 15\n      repeat\n        more: u8\n"
      "        n := n + more\n        if more != 255: stop\n    return n\n";
  const std::string token = "    t: u8\n    count: extended(t >> 4)\n    literals u8[count]\n    far: u16le\n    more: extended(t & 15)\n";
  const auto sums = [&](const std::string& steps, const std::string& head) {
    const plan::Records r = records_of(steps, head);
    EXPECT_EQ(r.against, "");
    return r.sums.size();
  };
  EXPECT_EQ(sums(token + "    copy distance far, length more + 4\n", rule), 4u);
  // Computed with otherwise; and what that was computed from.
  EXPECT_EQ(sums(token + "    copy distance far, length more * 2 + 4\n", rule), 2u);
  // A loop that need not take a byte; a number that is larger when it begins; one that is read whole.
  const auto but = [&](std::string_view from, std::string_view to) {
    std::string other = rule;
    other.replace(other.find(from), from.size(), to);
    return sums(token + "    copy distance far, length more + 4\n", other);
  };
  EXPECT_EQ(but("        more: u8\n        n := n + more\n", "        more: u8\n        n := n + more\n        n := n + n\n"), 0u);
  EXPECT_EQ(but("var n: u40 = nibble", "var n: u40 = nibble * 70000"), 0u);
  EXPECT_EQ(but("n := n + more", "n := n + more * 70000"), 0u);
}

// Tokens that begin at bits, of symbols of a code that the chunk has built.
plan::Records records_of_bits(std::string_view steps) {
  return records_of(steps,
                    "  trailing accept rest\n  table flat: u4 = [9 x 512]\n  prefix_code letter(512, 9)\n  array seen: u8[4]\n"
                    "  ranges far = base [1, 2, 4, 8] extra [0, 1, 2, 3]\n  build letter from flat\n",
                    "bits lsb");
}

TEST(PlanRecords, ValuesAndCopiesOfBits) {
  for (const char* steps : {"    s: letter\n    when s < 256\n      emit s\n    else\n      d: far[s & 3]\n      copy distance d, length 3\n",
                            "    s: letter\n    when s < 256\n      emit s\n    when s == 300\n      stop\n    else\n      n: u6\n"
                            "      require n != 0 else reject no_copy\n      emit s & 255\n      copy distance n, length n + 1\n",
                            "    s: letter\n    emit s & 127\n"}) {
    const plan::Records r = records_of_bits(steps);
    EXPECT_EQ(r.against, "") << steps;
    EXPECT_TRUE(r.bits);
    EXPECT_EQ(r.min_token, 1u);
  }
}

// How far copies reach and how long they are: what an entry of 16 bits holds, and whether long parts are looked for.
TEST(PlanRecords, ReachOfCopiesOfBits) {
  const plan::Records ranges = records_of_bits(
      "    s: letter\n    when s < 256\n      emit s\n    else\n      d: far[s & 3]\n      copy distance d, length (s & 7) + 3\n");
  EXPECT_EQ(ranges.reach, 15u);
  EXPECT_EQ(ranges.longest, 10u);
  const plan::Records none = records_of_bits("    s: letter\n    emit s & 127\n");
  EXPECT_EQ(none.reach, 0u);
  EXPECT_EQ(none.longest, 0u);
  EXPECT_EQ(records_of_bits("    s: letter\n    when s < 256\n      emit s\n    else\n      n: u16\n      copy distance n, length n + 2\n").reach, 65535u);
  EXPECT_EQ(records_of_bits("    s: letter\n    when s < 256\n      emit s\n    else\n      n: u16\n      copy distance n, length n + 2\n").longest, 65537u);
}

// What one kind of symbol adds up, what another reads and what was known before: which it is, is kept.
TEST(PlanRecords, WhatWaitsOfBits) {
  const plan::Records r = records_of(
      "    s: letter\n    when s < 256\n      emit s\n    when s < 300\n      sum := sum + 1\n      require produced < most else reject long\n"
      "      copy distance last, length 4\n    else\n      n: u6\n      last := n + 1\n",
      "  trailing accept rest\n  table flat: u4 = [9 x 512]\n  prefix_code letter(512, 9)\n  var sum: u8 = 0\n  var last: u8 = 1\n"
      "  most = 99\n  build letter from flat\n",
      "bits lsb");
  EXPECT_EQ(r.against, "");
  EXPECT_EQ(r.added, Locals{kFirst});
  EXPECT_EQ(r.latched, Locals{kSecond});
  EXPECT_EQ(r.kept_symbols.size(), 1u);
}

TEST(PlanRecords, WhatIsNoneOfBits) {
  EXPECT_EQ(records_of_bits("    s: letter\n    emit s & 127\n    emit s & 7\n").against,
            "it makes one value and then one copy, at most");
  EXPECT_EQ(records_of_bits("    s: letter\n    copy distance 1, length 4\n    emit s & 7\n").against,
            "it makes one value and then one copy, at most");
  EXPECT_EQ(records_of_bits("    s: letter\n    run s & 7, count 4\n").against,
            "it makes output that is neither one value nor a copy");
  EXPECT_EQ(records_of_bits("    s: letter\n    emit seen[s & 3]\n").against, "it asks for more than its own bits");
  EXPECT_EQ(records_of_bits("    s: letter\n    emit s & 7\n    for i < s & 3\n      more: u2\n").against,
            "there is a loop inside a token");
}

plan::Records runs_of(std::string_view output, std::string_view steps) { return records_of(steps, "", "bytes", output); }

// Where there are copies, too, or a token looks at those before it.
TEST(PlanRecords, ARunIsAnElementOfTheInputAndACopyOfIt) {
  for (const auto& [output, steps] : {std::pair{"bytes", "    n: u8\n    v: u8\n    run v, count n\n"},
                                      {"i8[]", "    v: i8\n    n: u8\n    run v, count n + 1, step 0\n"},
                                      {"u16[]", "    v: u16le\n    run v, count 3\n"},
                                      {"u32[]", "    n: u8\n    v: u32le\n    if n > 9\n      run v, count n\n"},
                                      {"i64[]", "    n: u8\n    when n > 9\n      literals i64le[n]\n    else\n      v: i64le\n"
                                                "      run v, count n\n"}}) {
    const plan::Records r = runs_of(output, std::string("    require produced < 9999 else reject far\n") + steps);
    EXPECT_EQ(r.against, "") << steps;
    EXPECT_TRUE(r.runs && !r.values) << steps;
    EXPECT_FALSE(r.one_part) << steps;
    EXPECT_TRUE(runs_of(output, steps).values) << steps;
  }
  const plan::Records r =
      records_of("    n: u8\n    v: u8\n    when n > 99\n      run v, count n\n    else\n      copy distance v + 1, length 4\n");
  EXPECT_EQ(r.against, "");
  EXPECT_TRUE(r.runs && !r.values);
  EXPECT_FALSE(records_of("    n: u8\n    copy distance n + 1, length 4\n").runs);
}

// ---- Values (compiler/plan/value_records.h)

TEST(PlanRecords, RunsWithoutCopiesAreValues) {
  for (const auto& [output, steps] :
       {std::pair{"bytes", "    n: u8\n    v: u8\n    run v, count n\n"},
        {"bytes", "    n: u8\n    run 0, count n\n"},
        {"bytes", "    n: u8\n    v: u8\n    run v ^ 1, count n\n"},
        {"u16[]", "    n: u8\n    v: u16be\n    run v, count n\n"},
        {"u32[]", "    n: u8\n    v: u16le\n    run v, count n\n"},
        {"bytes", "    n: u8\n    var v: u8 = 0\n    if n > 9\n      w: u8\n      v := w\n    run v, count n\n"},
        {"i64[]", "    n: u8\n    v: i8\n    run n, count 3, step v\n"},
        {"u16[]", "    n: u8\n    when n > 9\n      emit n\n    when n > 5\n      v: u16le\n      emit v + n\n    else\n      w: u16be\n"}}) {
    const plan::Records r = runs_of(output, steps);
    EXPECT_EQ(r.against, "") << steps;
    ASSERT_TRUE(r.values) << steps;
    EXPECT_FALSE(r.values->numbers || r.values->list) << steps;
    EXPECT_EQ(r.runs, std::string_view(steps).find("run ") != std::string_view::npos) << steps;
  }
}

TEST(PlanRecords, ListsOfValuesEndATokenAndAreReadAlike) {
  plan::Records r = runs_of("i64[]", "    n: u8\n    when n > 9\n      literals varint(i64)[n]\n    else\n      run n, count 3\n");
  EXPECT_EQ(r.against, "");
  ASSERT_TRUE(r.values && r.values->numbers);
  EXPECT_EQ(r.values->list, (plan::ValueList{true, 64, true, false}));
  EXPECT_TRUE(r.runs);
  r = runs_of("u32[]", "    n: u8\n    literals u24be[n]\n");
  EXPECT_EQ(r.against, "");
  EXPECT_FALSE(r.values->numbers || r.runs);
  EXPECT_EQ(r.values->list, (plan::ValueList{false, 24, false, true}));
  r = runs_of("bytes", "    n: varint(u16)\n    literals u8[n + 1]\n");
  EXPECT_EQ(r.against, "");
  EXPECT_TRUE(r.values->numbers);
  EXPECT_EQ(r.values->list, (plan::ValueList{false, 8, false, false}));
  EXPECT_EQ(runs_of("u32[]", "    n: u8\n    literals u32be[n]\n    v: u32le\n    run v, count n\n").against,
            "a token goes on behind its list of values");
  EXPECT_EQ(runs_of("u32[]", "    n: u8\n    when n > 9\n      literals u16be[n]\n    else\n      literals u16le[n]\n").against,
            "its lists are not all read alike");
}

// Of tokens that begin at bytes, in a stream of bits.
TEST(PlanRecords, ListsOfFieldsOfBits) {
  const auto of = [](const std::string& steps) {
    return records_of("    n: u8\n    w: u4\n" + steps + "    align\n", "", "bits msb", "u16[]");
  };
  const std::string fields = "    repeat n times\n      v: uint(w + 1)\n      emit v as u16\n";
  plan::Records r = of(fields);
  EXPECT_EQ(r.against, "");
  ASSERT_TRUE(r.values && !r.values->left && !r.bits);
  EXPECT_EQ(r.values->list, (plan::ValueList{false, 0, false, true, true}));
  r = of("    repeat n times\n      v: uint(w + 1)\n      emit zigzag(v) as u16\n");
  ASSERT_TRUE(r.values);
  EXPECT_EQ(r.values->list, (plan::ValueList{false, 0, true, true, true}));
  // What is no list of fields as they are is left to the checked path.
  for (const char* other : {"emit (v + 1) as u16", "emit (v as u8) as u16", "emit v as u16 ^ n"}) {
    const std::string steps = std::string("    repeat n times\n      v: uint(w + 1)\n      ") + other + "\n";
    EXPECT_EQ(of(steps).against, "no token of it is a value, a run or a list of them") << other;
    r = of("    emit w\n" + steps);
    EXPECT_EQ(r.against, "") << other;
    ASSERT_TRUE(r.values) << other;
    EXPECT_TRUE(r.values->left && !r.values->list) << other;
  }
  r = of("    emit w\n" + fields);
  ASSERT_TRUE(r.values);
  EXPECT_TRUE(r.values->left && !r.values->list);
  EXPECT_EQ(of("    repeat n times\n      v: uint(w)\n      emit v as u16\n").against, "no token of it is a value, a run or a list of them");
  EXPECT_EQ(of(fields + "    x: u3\n").against, "a token goes on behind its list of values");
  EXPECT_EQ(records_of("    n: u7\n    w: u4\n" + fields, "", "bits msb", "u16[]").against, "its tokens are not read by themselves");
}

// What a token does behind a branch counts on each way to there, those on which the checked path takes it and the others.
TEST(PlanRecords, WhatWaysThatAreLeftDoNotHide) {
  const auto of = [](const std::string& first, const std::string& behind) {
    const std::string left = "    when n > 5\n      repeat n times\n        v: uint(w + 1)\n        emit (v + 1) as u16\n";
    return records_of("    n: u8\n    w: u4\n" + first + left + "    else\n      pass\n" + behind + "    align\n", "", "bits msb", "u16[]");
  };
  const std::string run = "    when n > 9\n      run w, count n\n";
  const std::string list = "    when n > 9\n      repeat n times\n        o: uint(w + 1)\n        emit o as u16\n";
  plan::Records r = of("", "    emit n\n");
  EXPECT_EQ(r.against, "");
  ASSERT_TRUE(r.values);
  EXPECT_TRUE(r.values->left);
  r = of(run, "");
  EXPECT_EQ(r.against, "");
  EXPECT_TRUE(r.values && r.values->left && r.runs);
  r = of(list, "");
  EXPECT_EQ(r.against, "");
  EXPECT_TRUE(r.values && r.values->left && r.values->list);
  EXPECT_EQ(of(run, "    emit n\n").against, "a token makes values more than once");
  EXPECT_EQ(of("", "    emit n\n    emit n\n").against, "a token makes values more than once");
  EXPECT_EQ(of(list, "    x: u8\n").against, "a token goes on behind its list of values");
}

// A token that asks whether the input ends is told that it does not, so the last one is the checked path's.
TEST(PlanRecords, WhoAsksForTheEndDoesNotEndThere) {
  EXPECT_TRUE(runs_of("bytes", "    n: u8\n    emit n\n").to_end);
  const plan::Records r = runs_of("bytes", "    n: u8\n    when end of input\n      emit 7\n    else\n      emit n\n");
  EXPECT_EQ(r.against, "");
  EXPECT_TRUE(r.values && !r.to_end);
}

TEST(PlanRecords, WhatIsNoneOfValues) {
  EXPECT_EQ(runs_of("bytes", "    n: u8\n    emit n\n    run n, count 3, step 1\n").against, "a token makes values more than once");
  EXPECT_EQ(runs_of("bytes", "    n: u8\n    emit n ^ (produced & 1)\n").against, "it asks for more than its own bytes");
  EXPECT_EQ(records_of("    n: u8\n    emit n ^ last\n    last := n\n", "  var last: u8 = 0\n").against,
            "a token leaves something to the next one");
  std::string fields;
  for (int i = 0; i < 12; ++i) fields += "    f" + std::to_string(i) + ": u64le\n";
  EXPECT_EQ(runs_of("u64[]", fields + "    emit f0\n").against, "a token and its loads may take 104 bytes, and a lane sees 96");
}

TEST(PlanRecords, WhatIsNone) {
  EXPECT_EQ(records_of("    n: u8\n    far: u8\n    copy distance far + 1, length 4\n    literals u8[n]\n").against,
            "it makes literals once and then one copy, at most");
  std::string fields;
  for (int i = 0; i < 40; ++i) fields += "    f" + std::to_string(i) + ": u64le\n";
  EXPECT_EQ(records_of(fields + "    copy distance (f0 & 7) + 1, length 4\n").against,
            "a token and its loads may take 328 bytes, and a lane sees 320");
}

}  // namespace
}  // namespace sluice::test
