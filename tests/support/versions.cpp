#include "tests/support/versions.h"

#include <charconv>

namespace sluice::test {

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc()) return std::nullopt;
  return version;
}

std::optional<VersionRange> parse_version_range(std::string_view text) {
  constexpr std::string_view kTo = "to ", kFrom = "from ";
  if (text == "all") return VersionRange{};
  VersionRange range;
  if (text.starts_with(kTo)) {
    range.last = parse_version(text.substr(kTo.size()));
  } else if (text.starts_with(kFrom)) {
    range.first = parse_version(text.substr(kFrom.size()));
  }
  if (!range.first && !range.last) return std::nullopt;
  return range;
}

}  // namespace sluice::test
