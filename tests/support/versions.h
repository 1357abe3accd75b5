// Versions of libraries, major and minor alone, and ranges of them: "all", "to 1.15", "from 1.16".
#pragma once
#include <compare>
#include <optional>
#include <string_view>

namespace sluice::test {

struct Version {
  unsigned major = 0, minor = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

// "1.23", "1.0.8, 13-Jul-2019": what stands behind the second number is left out. Nothing when there are no two
// numbers.
std::optional<Version> parse_version(std::string_view text);

struct VersionRange {
  std::optional<Version> first, last;  // both inclusive
  [[nodiscard]] bool contains(Version version) const {
    return (!first || *first <= version) && (!last || version <= *last);
  }
};

std::optional<VersionRange> parse_version_range(std::string_view text);

}  // namespace sluice::test
