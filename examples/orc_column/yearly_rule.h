// The rule for clock changes after the last one that a time zone file lists: a POSIX TZ string such as
// CST6CDT,M3.2.0,M11.1.0 (RFC 8536, 3.3).
#pragma once
#include <cstdint>
#include <string_view>

namespace orc_column {

// Immutable.
class YearlyRule {
 public:
  YearlyRule() = default;  // always UTC
  // Throws Refused on text that is no such rule.
  explicit YearlyRule(std::string_view text);

  // Seconds to add to UTC at that time, seconds since 1970.
  [[nodiscard]] std::int64_t offset_at(std::int64_t utc) const;

 private:
  struct Change {
    enum class Kind : std::uint8_t { Weekday, DayWithoutLeapDay, Day } kind = Kind::Day;
    unsigned month = 1, week = 1, weekday = 0;  // Weekday: the week-th such day of the month, 5: the last
    unsigned day = 0;                           // DayWithoutLeapDay: from 1; Day: from 0
    std::int64_t seconds = 7200;                // of the wall clock, after midnight
  };
  class Parser;
  [[nodiscard]] static std::int64_t local_time(const Change& change, int year);

  std::int64_t standard_ = 0;
  std::int64_t daylight_ = 0;
  bool has_daylight_ = false;
  Change start_, end_;
};

}  // namespace orc_column
