// Policies are for versions of a control: elsewhere they neither explain a difference nor have to.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conform/judge.h"

namespace sluice::test {
namespace {

TEST(Policies, RangesOfVersions) {
  const auto to = parse_version_range("to 1.15"), from = parse_version_range("from 1.16"),
             all = parse_version_range("all");
  ASSERT_TRUE(to && from && all);
  EXPECT_TRUE(to->contains({1, 15}) && to->contains({1, 9}) && to->contains({0, 99}));
  EXPECT_FALSE(to->contains({1, 16}) || to->contains({2, 0}));
  EXPECT_TRUE(from->contains({1, 16}) && from->contains({2, 0}));
  EXPECT_FALSE(from->contains({1, 15}));
  EXPECT_TRUE(all->contains({0, 0}) && all->contains({99, 99}));
  for (const char* text : {"", "1.15", "to", "to 1", "to one", "from 1.", "until 1.2"})
    EXPECT_FALSE(parse_version_range(text)) << text;
}

TEST(Policies, VersionsAsLibrariesWriteThem) {
  EXPECT_EQ(parse_version("1.2.13"), (Version{1, 2}));
  EXPECT_EQ(parse_version("1.0.8, 13-Jul-2019"), (Version{1, 0}));
  EXPECT_EQ(parse_version("1.23"), (Version{1, 23}));
  EXPECT_EQ(parse_version("none"), std::nullopt);
}

TEST(Policies, OnlyThoseOfTheVersionHere) {
  const std::vector<Policy> all = {{"old", "libdeflate", *parse_version_range("to 1.15"), "we_refuse", "a", ""},
                                   {"new", "libdeflate", *parse_version_range("from 1.16"), "we_refuse", "b", ""},
                                   {"ever", "liblz4", {}, "we_refuse", "c", ""}};
  const auto names = [&](std::optional<Version> (*version_of)(std::string_view)) {
    std::vector<std::string> left;
    for (const Policy& policy : policies_here(all, version_of)) left.push_back(policy.name);
    return left;
  };
  EXPECT_EQ(names([](std::string_view) {
              return std::optional<Version>({1, 14});
            }),
            (std::vector<std::string>{"old", "ever"}));
  EXPECT_EQ(names([](std::string_view) {
              return std::optional<Version>({1, 23});
            }),
            (std::vector<std::string>{"new", "ever"}));
}

// What a codec's modules differ in, it may: through blosc's zlib that is Deflate's, which zlib has no list for itself.
TEST(Policies, OfModules) {
  const auto has = [](const std::string& codec, std::string_view policy) {
    return std::ranges::count(policies_of_modules(codec), policy, &Policy::name) > 0;
  };
  EXPECT_TRUE(has("gzip", "distance_codes_31_32"));
  EXPECT_TRUE(has("blosc", "distance_codes_31_32"));
  EXPECT_TRUE(has("orc_zstd", "no_offset_of_zero"));
  EXPECT_TRUE(has("zstd", "literals_are_all_there"));  // whose line sets a parameter
  EXPECT_TRUE(policies_of_modules("deflate").empty());
}

// Every policy names a control that is here, and can be read.
TEST(Policies, OfTheCodecs) {
  std::size_t count = 0;
  for (const std::string& codec : codec_names()) {
    for (const Policy& policy : policies(codec)) {
      EXPECT_TRUE(control_version(policy.control)) << codec << ": " << policy.name;
      EXPECT_TRUE(policy.who == "we_refuse" || policy.who == "we_accept") << codec << ": " << policy.name;
      ++count;
    }
  }
  EXPECT_GT(count, 5u);
}

}  // namespace
}  // namespace sluice::test
