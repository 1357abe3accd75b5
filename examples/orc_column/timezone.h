// Time zones from the machine's zoneinfo files (TZif, RFC 8536).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examples/orc_column/yearly_rule.h"

namespace orc_column {

// Immutable. Before the first change that its file lists the oldest standard time holds, not the local mean time that
// the file may name: that is how the Java library that wrote these files reckons.
class Timezone {
 public:
  Timezone() = default;  // UTC
  // From $TZDIR, else /usr/share/zoneinfo. "" and the names of UTC need no file. Throws Refused.
  static Timezone named(const std::string& name);

  // Seconds to add to UTC at that time, seconds since 1970.
  [[nodiscard]] std::int64_t offset_at(std::int64_t utc) const;
  // The same for a wall clock: seconds since 1970 as if the clock were in UTC.
  [[nodiscard]] std::int64_t offset_at_wall_clock(std::int64_t local) const;

 private:
  std::int64_t first_ = 0;             // before the first change
  std::vector<std::int64_t> changes_;  // ascending
  std::vector<std::int64_t> offsets_;  // from each change on
  std::optional<YearlyRule> later_;    // after the last change
};

}  // namespace orc_column
