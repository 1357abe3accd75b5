// Buffers that are views of the input, and what makes a buffer none.
#include <gtest/gtest.h>

#include "compiler/analysis/input_views.h"
#include "sema_fixture.h"

namespace sluice::test {
namespace {

// Is the buffer `text` of a format with this body a view?
bool is_view(const std::string& body, const std::string& output = "bytes") {
  const Checked c = check("format f\n  input bytes\n  output " + output + "\n  trailing accept end\n  buffer text[300]\n" + body);
  EXPECT_TRUE(c.format.has_value()) << c.text();
  if (!c.format) return false;
  return analysis::input_views(lower::lower(*c.format)).at(0);
}

const std::string kBytes = "  into text\n    literals u8[9]\n";

TEST(InputViews, LiteralBytesAreOne) {
  EXPECT_TRUE(is_view(kBytes + "  emit text[3]\n"));
  EXPECT_TRUE(is_view(kBytes + "  n = count of text\n  emit n & 0xff\n" + kBytes));  // and again, elsewhere
}

TEST(InputViews, ShufflesArePutBackFromWhereTheyStand) {
  EXPECT_TRUE(is_view(kBytes + "  emit unshuffled text, size 4\n"));
  EXPECT_TRUE(is_view(kBytes + "  emit bit_unshuffled text, size 4\n"));
}

TEST(InputViews, AnythingElseThatGoesIntoItNeedsMemory) {
  EXPECT_FALSE(is_view(kBytes + "  into text\n    emit 1\n  emit text[0]\n"));
  EXPECT_FALSE(is_view("  into text\n    literals u8[9]\n    literals u8[2]\n  emit text[0]\n"));
  EXPECT_FALSE(is_view("  into text\n    literals u16le[4]\n  emit text[0]\n", "u16[]"));
}

TEST(InputViews, WhatWorksInPlaceNeedsMemory) {
  EXPECT_FALSE(is_view(kBytes + "  stage prefix_sum text\n  emit text[0]\n"));
  EXPECT_FALSE(is_view(kBytes + "  emit all text\n"));
}

}  // namespace
}  // namespace sluice::test
