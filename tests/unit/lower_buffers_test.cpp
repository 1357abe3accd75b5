// Buffers, stages, symbols and regions of bits, from the spec to the reference interpreter.
#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Decoded run(const std::string& spec, const Bytes& in) {
  const ir::Module m = lowered(spec);
  return m.rules.empty() ? Decoded{} : decode(m, in);
}

std::vector<std::string> sites(const std::string& spec) {
  std::vector<std::string> out;
  for (const ir::Site& s : lowered(spec).sites) out.push_back(s.name);
  return out;
}

const std::string kBuffer =
    kBytes + "  buffer text[8]\n  into text\n    repeat until end of input\n      literals u8[1]\n";

TEST(LowerBuffers, OutputOfIntoComesOutWhereItIsEmitted) {
  const std::string spec = kBytes +
                           "  buffer text[8]\n  n: u8\n  into text\n    literals u8[n]\n    emit produced\n"
                           "  emit produced\n  emit count of text\n  emit text[0]\n  emit text[7]\n  emit all text\n";
  EXPECT_EQ(run(spec, {2, 5, 6}).out, (Bytes{0, 3, 5, 0, 5, 6, 2}));
  EXPECT_EQ(run(spec, {0}).out, (Bytes{0, 1, 0, 0, 0}));
}

TEST(LowerBuffers, IntoStartsEmptyEachTime) {
  const std::string spec = kBytes +
                           "  buffer text[2]\n  repeat until end of input\n    into text\n      literals u8[2]\n"
                           "    emit all text\n";
  EXPECT_EQ(run(spec, {1, 2, 3, 4}).out, (Bytes{1, 2, 3, 4}));
}

TEST(LowerBuffers, TheLimitIsTheActionsOutputFull) {
  const Decoded d =
      run(kBytes + "  buffer text[3]\n  emit 7\n  into text\n    literals u8[4]\n  emit all text\n", {1, 2, 3, 4});
  EXPECT_EQ(d.reason, "output_full");
  EXPECT_EQ(d.bit, 24u);
  EXPECT_EQ(d.out, (Bytes{7}));  // what stands in the buffer does not count
}

TEST(LowerBuffers, CopiesInABufferReachItsStartOnly) {
  const std::string spec =
      kBytes +
      "  buffer text[8]\n  d: u8\n  emit 9\n  into text\n    emit 4\n    copy distance d, length 3\n  emit all text\n";
  EXPECT_EQ(run(spec, {1}).out, (Bytes{9, 4, 4, 4, 4}));
  EXPECT_EQ(run(spec, {2}).reason, "bad_distance");
}

TEST(LowerBuffers, ASliceLiesInWhatTheBufferHolds) {
  const std::string spec = kBytes + "  buffer text[8]\n  from: u8\n  n: u8\n  into text\n    literals u8[remaining]\n  literals text[from, n]\n";
  EXPECT_EQ(run(spec, {1, 2, 7, 8, 9}).out, (Bytes{8, 9}));
  EXPECT_EQ(run(spec, {3, 0, 7, 8, 9}).out, Bytes{});
  EXPECT_EQ(run(spec, {1, 3, 7, 8, 9}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {4, 0, 7, 8, 9}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {255, 255, 7, 8, 9}).reason, "out_of_range");
}

TEST(LowerBuffers, InverseMoveToFront) {
  EXPECT_EQ(run(kBuffer + "  stage inverse_mtf text\n  emit all text\n", {2, 0, 2, 255}).out, (Bytes{2, 2, 1, 255}));
  const std::string listed = kBytes +
                             "  buffer text[8]\n  array front: u8[4]\n  front[0] := 'a'\n  front[1] := 'b'\n  n: u8\n"
                             "  into text\n    literals u8[remaining]\n"
                             "  stage inverse_mtf text, alphabet front[0, n]\n  emit all text\n";
  EXPECT_EQ(run(listed, {2, 1, 1, 0}).out, (Bytes{'b', 'a', 'a'}));
  EXPECT_EQ(run(listed, {2, 2}).reason, "out_of_range");
  EXPECT_EQ(run(listed, {0, 0}).reason, "out_of_range");
  EXPECT_EQ(run(listed, {5, 0}).reason, "out_of_range");  // the array has four elements
}

TEST(LowerBuffers, InverseBurrowsWheeler) {
  // Rows of "banana", sorted: abanan anaban ananab banana nabana nanaba; the original is row 3.
  const std::string spec = kBytes +
                           "  buffer text[8]\n  origin: i8\n  into text\n    literals u8[remaining]\n"
                           "  stage inverse_bwt text, origin origin\n  emit all text\n";
  EXPECT_EQ(run(spec, {3, 'n', 'n', 'b', 'a', 'a', 'a'}).out, (Bytes{'b', 'a', 'n', 'a', 'n', 'a'}));
  EXPECT_EQ(run(spec, {6, 'n', 'n', 'b', 'a', 'a', 'a'}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {255, 'n'}).reason, "out_of_range");  // -1
  EXPECT_EQ(run(spec, {0}).reason, "out_of_range");
}

TEST(LowerBuffers, SumsWrap) {
  EXPECT_EQ(run(kBuffer + "  stage prefix_sum text\n  emit all text\n", {1, 2, 255}).out, (Bytes{1, 3, 2}));
  EXPECT_EQ(run(kBuffer + "  stage prefix_sum text, start -2\n  emit all text\n", {1, 2}).out, (Bytes{255, 1}));
  EXPECT_EQ(run(kBuffer + "  stage add text, 258 - 1\n  emit all text\n", {0, 255}).out, (Bytes{1, 0}));
}

TEST(LowerBuffers, Gather) {
  const std::string spec =
      kBytes +
      "  buffer words[2]\n  buffer text[8]\n  into words\n    literals u8[2]\n"
      "  into text\n    literals u8[remaining]\n  stage gather text, from words\n  emit all text\n";
  EXPECT_EQ(run(spec, {40, 50, 1, 0, 1}).out, (Bytes{50, 40, 50}));
  EXPECT_EQ(run(spec, {40, 50, 2}).reason, "out_of_range");
}

TEST(LowerBuffers, RunsAreExpanded) {
  const std::string spec = kBuffer + "  emit runs text\n";
  EXPECT_EQ(run(spec, {5, 5, 5, 5, 2, 5}).out, (Bytes{5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(run(spec, {5, 5, 5}).out, (Bytes{5, 5, 5}));
  EXPECT_EQ(run(spec, {5, 5, 5, 5}).reason, "output_short");
}

TEST(LowerBuffers, Symbols) {
  const std::string spec = kBytes +
                           "  symbols s[3]\n  i: u8\n  n: u8\n  s[i] := next n bytes\n"
                           "  repeat until end of input\n    c: u8\n    symbol s[c]\n";
  EXPECT_EQ(run(spec, {1, 3, 7, 8, 9, 1, 1}).out, (Bytes{7, 8, 9, 7, 8, 9}));
  EXPECT_EQ(run(spec, {1, 1, 7, 0}).reason, "no_such_code");
  EXPECT_EQ(run(spec, {1, 1, 7, 3}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {3, 1, 7}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {1, 0, 7}).reason, "out_of_range");
  EXPECT_EQ(run(spec, {1, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}).reason, "out_of_range");
  const Decoded cut = run(spec, {1, 3, 7, 8});
  EXPECT_EQ(cut.reason, "end_of_input");
  EXPECT_EQ(cut.bit, 16u);
}

TEST(LowerBuffers, ASymbolStandsAtAByte) {
  const std::string spec =
      kBits + "  symbols s[1]\n  kind: u1\n  if kind == 1\n    _: u7\n  s[0] := next 1 bytes\n  symbol s[0]\n";
  EXPECT_EQ(run(spec, {1, 7}).out, (Bytes{7}));
  const Decoded d = run(spec, {0, 7});
  EXPECT_EQ(d.reason, "unaligned");
  EXPECT_EQ(d.bit, 1u);
}

TEST(LowerBuffers, RegionsOfBits) {
  const std::string spec =
      kBits +
      "  n: u4\n  mark here\n  within n bits\n    repeat until end of input\n      x: u2\n      emit x\n"
      "  emit consumed bits since here\n  emit consumed since here\n  align\n";
  EXPECT_EQ(run(spec, {0x64, 0}).out, (Bytes{2, 1, 4, 0}));
  EXPECT_EQ(run(spec, {0x0a, 0}).out, (Bytes{0, 0, 0, 0, 0, 10, 1}));
  EXPECT_EQ(run(spec, {0x05, 0}).reason, "end_of_input");  // the third field passes the region's end
  EXPECT_EQ(run(spec, {0x0c}).reason, "end_of_input");
  const std::string left = kBits + "  within 5 bits\n    x: u4\n    emit x\n  align\n";
  EXPECT_EQ(run(left, {9}).reason, "bytes_left");
}

TEST(LowerBuffers, SitesInOrder) {
  const std::string head = kBytes + "  buffer b[4]\n  array a: u8[4]\n  symbols s[256]\n";
  EXPECT_EQ(sites(head + "  into b\n    emit 1\n"), (std::vector<std::string>{"output_full", "rest"}));
  EXPECT_EQ(sites(head + "  stage inverse_mtf b, alphabet a[0, 4]\n"),
            (std::vector<std::string>{"out_of_range", "rest"}));
  EXPECT_EQ(sites(head + "  n: u8\n  stage inverse_mtf b, alphabet a[0, n]\n"),
            (std::vector<std::string>{"end_of_input", "out_of_range", "out_of_range", "rest"}));
  EXPECT_EQ(sites(head + "  stage prefix_sum b\n  stage add b, 3\n"), (std::vector<std::string>{"rest"}));
  EXPECT_EQ(sites(head + "  emit all b\n"), (std::vector<std::string>{"output_full", "rest"}));
  EXPECT_EQ(sites(head + "  emit runs b\n"), (std::vector<std::string>{"output_full", "output_short", "rest"}));
  EXPECT_EQ(sites(head + "  i: u8\n  s[i] := next 8 bytes\n  symbol s[i]\n"),
            (std::vector<std::string>{"end_of_input", "end_of_input", "no_such_code", "output_full", "rest"}));
}

}  // namespace
}  // namespace sluice::test
