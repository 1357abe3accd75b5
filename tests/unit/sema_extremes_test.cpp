// Values at the ends of 64-bit types and conditions that nothing fulfils: a module that verifies, or a diagnostic.
#include <gtest/gtest.h>

#include <string>

#include "compiler/driver/compile.h"
#include "runtime/api/sluice.hpp"

namespace sluice::test {
namespace {

driver::Compiled compiled(const std::string& body) {
  driver::Request request;
  request.name = "t.sluice";
  request.text = "format t\n  input bytes\n  output bytes\n  trailing accept rest\n\n" + body;
  return driver::compile_spec(request);
}

void expect_no_internal_error(const std::string& body) {
  const driver::Compiled made = compiled(body);
  EXPECT_NE(made.failure, driver::Failure::Internal) << body << made.failure_text;
}

TEST(SemaExtremes, RulesThatNothingPasses) {
  for (const char* type : {"u8", "i8", "u64le", "i64le"})
    for (const char* never : {"a == 256", "a > 18446744073709551614 + 1", "a < -9223372036854775808", "a != a", "1 == 2"})
      for (const char* shape :
           {"  rule r -> u8\n    a: %T\n    require %C else reject never\n    return 1\n\n  x: r\n  emit x\n",
            "  rule r -> u8\n    a: %T\n    if %C\n      return 1\n    reject never\n\n  x: r\n  emit x\n",
            "  a: %T\n  repeat until end of input\n    require %C else reject never\n    emit 1\n",
            "  rule r -> u8\n    a: %T\n    when a == 3\n      require %C else reject never\n      return 2\n    else\n      return "
            "1\n\n  x: r\n  emit x\n"}) {
        std::string body = shape;
        for (const auto& [what, by] : {std::pair{"%T", type}, std::pair{"%C", never}})
          for (std::size_t at; (at = body.find(what)) != std::string::npos;) body.replace(at, 2, by);
        expect_no_internal_error(body);
      }
}

TEST(SemaExtremes, EveryOperatorAtTheEndsOfTheTypes) {
  for (const char* type : {"u64le", "i64le"})
    for (const char* guard : {"a >= 0", "a < 0", "a == 9223372036854775807", "a <= -9223372036854775807",
                              "a >= 9223372036854775808", "a == 0"}) {
      const std::string head = std::string("  a: ") + type + "\n  b: " + type + "\n  if " + guard + "\n    emit ((";
      for (const char* op : {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "+%", "-%", "*%"})
        for (const char* other : {"b", "a", "1", "(-1)", "63", "9223372036854775807", "(-9223372036854775808)", "18446744073709551615"}) {
          expect_no_internal_error(head + "a " + op + " " + other + ") & 255) as u8\n");
          expect_no_internal_error(head + "-(a " + op + " " + other + ")) & 255) as u8\n");
        }
      for (const char* one : {"-a", "~a", "-(-a)", "-(a as i64)", "min(a, -a)", "-(a >> 1)"})
        expect_no_internal_error(head + one + ") & 255) as u8\n");
      expect_no_internal_error(std::string("  a: ") + type + "\n  if " + guard + "\n    literals u8[-a]\n");
    }
}

// 2^63 has no i64, but the count of literals is unsigned.
TEST(SemaExtremes, TheNegativeOfTheLeastNumberIsACount) {
  const std::string spec =
      "format t\n  input bytes\n  output bytes\n  trailing accept rest\n\n"
      "  control: i64le\n  when control >= 0\n    emit 1\n  else\n    literals u8[-control]\n";
  for (const Target target : {Target::Interp, Target::Cpu}) {
    Options options;
    options.target = target;
    const auto decoder = Decoder::from_text(spec, "t.sluice", options);
    if (!decoder && target == Target::Cpu) GTEST_SKIP() << decoder.error().text;
    ASSERT_TRUE(decoder) << decoder.error().text;
    std::vector<std::uint8_t> in{0xfd, 255, 255, 255, 255, 255, 255, 255, 7, 8, 9}, out(8);
    EXPECT_EQ(decoder->decode({in, out}).produced, 3u);
    in = {0, 0, 0, 0, 0, 0, 0, 0x80, 7, 8, 9};
    const Status least = decoder->decode({in, out});
    EXPECT_EQ(least.produced, 3u);
    EXPECT_NE(decoder->describe(least.error, 0).find("the input ends"), std::string::npos) << decoder->describe(least.error, 0);
  }
}

}  // namespace
}  // namespace sluice::test
