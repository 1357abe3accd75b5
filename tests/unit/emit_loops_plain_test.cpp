// Plain tokens (compiler/plan/plain.h) against the interpreter: tokens that are good, with everything that they may hold, and such
// as have been changed or end early.
#include <fmt/format.h>

#include "tests/unit/emit_loops_fixture.h"
#include "tests/unit/planned.h"

namespace sluice::loops_test {
namespace {

// How a format of such tokens writes them.
struct Format {
  std::string steps;  // behind `head: u8`
  unsigned literals_at = 4, length_at = 0, shortest = 4;  // where both stand in the head, of 4 bits each
  unsigned field = 2, added = 0;                          // bytes; of the distance
  bool big = false, before = false;                       // the field's first byte; it stands in front of the literals
  unsigned between = 0;                                   // bytes in front of the field
  bool extended = false;                                  // 15 is followed by bytes that are added
};

class Encoder {
 public:
  Encoder(const Format& format, std::uint32_t seed) : format_(format), random_(seed) {}

  Bytes tokens(unsigned n) {
    for (unsigned i = 0; i < n; ++i) token();
    return std::move(made_);
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  void extend(unsigned number) {
    if (!format_.extended || number < 15) return;
    for (number -= 15; number >= 255; number -= 255) made_.push_back(255);
    made_.push_back(static_cast<std::uint8_t>(number));
  }
  void token() {
    const unsigned most = format_.extended && below(8) == 0 ? 600 : 15;
    unsigned literals = below(4) == 0 ? below(most) : below(8);
    const unsigned more = below(4) == 0 ? below(most) : below(13);
    if (produced_ + literals == 0) literals = 1;  // or nothing is there to be copied
    // As far as there is something: in the same token, in those before it, far back.
    unsigned far = below(3) == 0 ? 1 + below(20) : below(2) == 0 ? 1 + below(200) : 1 + below(60000);
    far = std::max(std::min({far, produced_ + literals, (1u << 8 * format_.field) - 1}), 1 + format_.added);
    if (far > produced_ + literals) literals += 2;
    made_.push_back(static_cast<std::uint8_t>(std::min(literals, 15u) << format_.literals_at | std::min(more, 15u) << format_.length_at));
    extend(literals);
    if (format_.before) field(far);
    for (unsigned i = 0; i < literals; ++i) made_.push_back(static_cast<std::uint8_t>(random_()));
    if (!format_.before) field(far);
    extend(more);
    produced_ += literals + more + format_.shortest;
  }
  void field(unsigned far) {
    for (unsigned i = 0; i < format_.between; ++i) made_.push_back(static_cast<std::uint8_t>(random_()));
    for (unsigned i = 0; i < format_.field; ++i)
      made_.push_back(static_cast<std::uint8_t>((far - format_.added) >> 8 * (format_.big ? format_.field - 1 - i : i)));
  }

  const Format& format_;
  std::mt19937 random_;
  Bytes made_;
  unsigned produced_ = 0;
};

constexpr const char* kExtended =
    "  rule extended(nibble: u4) -> u40\n    var n: u40 = nibble\n    if nibble == 15\n      repeat\n        more: u8\n        n := n + more\n"
    "        if more != 255: stop\n    return n\n\n";

constexpr std::size_t kAmple = 400000;  // bytes of output

void expect_agreement_on(const Format& tokens) {
  const std::string spec = format("bytes", "bytes", fmt::format("\n{}{}", tokens.extended ? kExtended : "", tokens.steps));
  SCOPED_TRACE(spec);
  ASSERT_NE(test::Planned("spec.sluice", spec).said(&plan::Loop::plain), nullptr);
  const std::optional<Both> decoders = both(spec);
  if (!decoders) return;
  std::mt19937 random(1);
  for (unsigned round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Bytes in = Encoder(tokens, round).tokens(round < 20 ? round : 20 + static_cast<unsigned>(random() % 400));
    const Outcome all = decode(decoders->interp, in, kAmple);
    ASSERT_EQ(all.status.error, 0u) << decoders->interp.describe(all.status.error, 0);
    expect_same(*decoders, in, kAmple);
    for (unsigned change = 0; change < 6 && !in.empty(); ++change) {
      Bytes bad = in;
      if (change % 2 == 0) bad.resize(random() % bad.size());
      else bad[random() % bad.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
      expect_same(*decoders, bad, kAmple);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PlainTokens, OfLz4AndWithTheNibblesTheOtherWayRound) {
  expect_agreement_on({.steps = "  repeat until end of input\n    head: u8\n    count: extended(head >> 4)\n    literals u8[count]\n"
                                "    far: u16le\n    more: extended(head & 15)\n    copy distance far, length more + 4\n",
                       .extended = true});
  expect_agreement_on({.steps = "  repeat until end of input\n    head: u8\n    count: extended(head & 15)\n    literals u8[count]\n"
                                "    far: u16be\n    more: extended(head >> 4)\n    copy distance far, length more + 3\n",
                       .literals_at = 0, .length_at = 4, .shortest = 3, .big = true, .extended = true});
}

TEST(PlainTokens, WithFieldsInOtherPlaces) {
  expect_agreement_on({.steps = "  repeat until end of input\n    head: u8\n    far: u8\n    literals u8[head >> 4]\n"
                                "    copy distance far + 1, length (head & 15) + 1\n",
                       .shortest = 1, .field = 1, .added = 1, .before = true});
  expect_agreement_on({.steps = "  repeat until end of input\n    head: u8\n    literals u8[head >> 4]\n    unused: u16le\n    far: u16be\n"
                                "    copy distance far + 2, length (head & 15) + 2\n",
                       .shortest = 2, .added = 2, .big = true, .between = 2});
}

TEST(PlainTokens, OfARuleThatIsCalledAndWithKindsThatAreNone) {
  // Of heads with their highest bit, a kind of its own that the body does; of others, all in a rule.
  expect_agreement_on({.steps = "  rule match(far: u16, more: u8)\n    copy distance far + 1, length more + 3\n\n"
                                "  repeat until end of input\n    head: u8\n    when head >= 0xf8\n      emit head\n    else\n"
                                "      literals u8[head >> 4]\n      far: u16le\n      match(far, head & 15)\n",
                       .shortest = 3, .added = 1});
}

}  // namespace
}  // namespace sluice::loops_test
