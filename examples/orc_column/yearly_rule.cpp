#include "examples/orc_column/yearly_rule.h"

#include <charconv>
#include <chrono>
#include <string>

#include "examples/orc_column/refused.h"

namespace orc_column {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 86400;
// The calendar repeats after 400 years, weekdays included.
constexpr std::int64_t k400Years = 146097 * kDay;

}  // namespace

class YearlyRule::Parser {
 public:
  explicit Parser(std::string_view text) : whole_(text), rest_(text) {}

  void parse(YearlyRule& rule) {
    name();
    rule.standard_ = -clock();
    if (rest_.empty()) return;
    rule.has_daylight_ = true;
    name();
    rule.daylight_ = at(',') ? rule.standard_ + kHour : -clock();
    rule.start_ = change();
    rule.end_ = change();
    if (!rest_.empty()) wrong();
  }

 private:
  [[noreturn]] void wrong() const { throw Refused("a time zone has a rule that is not understood: " + std::string(whole_)); }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!take(c)) wrong();
  }

  // Letters, or anything in <>.
  void name() {
    const std::size_t size = at('<') ? rest_.find('>') : rest_.find_first_of("+-0123456789,");
    if (size == 0 || (size == std::string_view::npos)) wrong();
    rest_.remove_prefix(at('<') ? size + 1 : size);
  }

  unsigned number(unsigned lowest, unsigned highest) {
    unsigned value = 0;
    const auto end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (end.ec != std::errc() || value < lowest || value > highest) wrong();
    rest_.remove_prefix(static_cast<std::size_t>(end.ptr - rest_.data()));
    return value;
  }

  // [+-]hours[:minutes[:seconds]]. RFC 8536 allows up to 167 hours, for changes on another day.
  std::int64_t clock() {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t seconds = kHour * number(0, 167);
    if (take(':')) seconds += 60 * number(0, 59);
    if (take(':')) seconds += number(0, 59);
    return negative ? -seconds : seconds;
  }

  Change change() {
    Change result;
    need(',');
    if (take('M')) {
      result.kind = Change::Kind::Weekday;
      result.month = number(1, 12);
      need('.');
      result.week = number(1, 5);
      need('.');
      result.weekday = number(0, 6);
    } else if (take('J')) {
      result.kind = Change::Kind::DayWithoutLeapDay;
      result.day = number(1, 365);
    } else {
      result.day = number(0, 365);
    }
    if (take('/')) result.seconds = clock();
    return result;
  }

  std::string_view whole_;
  std::string_view rest_;
};

YearlyRule::YearlyRule(std::string_view text) { Parser(text).parse(*this); }

// Seconds since 1970 of the wall clock that shows the change.
std::int64_t YearlyRule::local_time(const Change& change, int year) {
  using namespace std::chrono;
  const std::chrono::year in{year};
  const sys_days first = in / January / 1;
  sys_days day;
  switch (change.kind) {
    case Change::Kind::Weekday: {
      const weekday wanted(change.weekday);
      day = change.week == 5 ? sys_days(in / month(change.month) / wanted[last])
                             : sys_days(in / month(change.month) / wanted[change.week]);
      break;
    }
    case Change::Kind::DayWithoutLeapDay: {
      constexpr unsigned kLastOfFebruary = 59;
      day = first + days(change.day - 1 + (in.is_leap() && change.day > kLastOfFebruary ? 1 : 0));
      break;
    }
    case Change::Kind::Day: day = first + days(change.day); break;
  }
  return day.time_since_epoch().count() * kDay + change.seconds;
}

std::int64_t YearlyRule::offset_at(std::int64_t utc) const {
  using namespace std::chrono;
  if (!has_daylight_) return standard_;
  const std::int64_t time = (utc % k400Years + k400Years) % k400Years;  // 1970 to 2369
  const year_month_day date(floor<days>(sys_seconds(seconds(time + standard_))));
  const int year = static_cast<int>(date.year());
  const std::int64_t start = local_time(start_, year) - standard_;
  const std::int64_t end = local_time(end_, year) - daylight_;
  const bool summer = start < end ? time >= start && time < end : time >= start || time < end;
  return summer ? daylight_ : standard_;
}

}  // namespace orc_column
