#include "examples/parquet_column/print.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "examples/parquet_column/refused.h"

namespace parquet_column {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

constexpr std::int64_t kSecondsADay = 86400;
constexpr std::int64_t kNanosASecond = 1'000'000'000;
constexpr std::uint32_t kJulianDayOf1970 = 2440588;
// Years that Arrow's calendar has.
constexpr std::int64_t kLastYear = 32767;
// Powers of ten that Arrow writes without an exponent.
constexpr int kLeastFixed = -6, kMostFixed = 9;

template <class Number>
Number as(View value) {
  Number made;
  if (value.size() != sizeof(made)) throw Refused("a value is of another size than its type");
  std::memcpy(&made, value.data(), sizeof(made));
  return made;
}

void print_number(std::string& out, auto value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

// The fewest digits that say which number it is.
template <class Real>
void print_real(std::string& out, Real value) {
  if (std::isnan(value)) return void(out += "nan");
  if (std::isinf(value)) return void(out += value < 0 ? "-inf" : "inf");
  char text[40];
  const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  const std::string_view shown(text, static_cast<std::size_t>(end - text));
  const std::size_t e = shown.find('e');
  int exponent = 0;
  const char* const digits_of_exponent = text + e + (shown[e + 1] == '+' ? 2 : 1);
  std::from_chars(digits_of_exponent, end, exponent);
  std::string digits;
  for (const char c : shown.substr(0, e))
    if (c >= '0' && c <= '9') digits += c;
  if (std::signbit(value)) out += '-';
  const int last = static_cast<int>(digits.size()) - 1;
  if (exponent < kLeastFixed || exponent > kMostFixed) {
    out += digits[0];
    if (last > 0) out.append(".").append(digits, 1);
    out.append(exponent < 0 ? "e" : "e+");
    return print_number(out, exponent);
  }
  if (exponent < 0) return void(out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits));
  if (exponent > last) digits.append(static_cast<std::size_t>(exponent - last), '0');
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  out.append(digits, 0, whole);
  if (whole < digits.size()) out.append(".").append(digits, whole);
}

float half_as_float(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const float fraction = static_cast<float>(half & 1023) / 1024;
  float size = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  if (exponent == 31)
    size = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return (half & 0x8000) != 0 ? -size : size;
}

void print_hex(std::string& out, View bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

// Digits with the point where `scale` puts it; with an exponent where five zeros or more would stand behind the point.
void print_decimal(std::string& out, Int128 value, unsigned scale) {
  const bool negative = value < 0;
  Uint128 rest = negative ? 0 - static_cast<Uint128>(value) : static_cast<Uint128>(value);
  std::string digits;  // the lowest first
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (negative) out += '-';
  const int exponent = static_cast<int>(digits.size()) - 1 - static_cast<int>(scale);
  if (scale != 0 && exponent < kLeastFixed) {
    out += digits.back();
    if (digits.size() > 1) out.append(".").append(digits.rbegin() + 1, digits.rend());
    out += exponent < 0 ? "E" : "E+";
    return print_number(out, exponent);
  }
  while (digits.size() <= scale) digits += '0';
  out.append(digits.rbegin(), digits.rend());
  if (scale != 0) out.insert(out.size() - scale, ".");
}

// Bytes of a decimal, the highest first, two's complement.
Int128 digits_of(View bytes) {
  if (bytes.size() > sizeof(Int128)) throw Refused("a decimal does not fit 128 bits");
  Uint128 made = !bytes.empty() && bytes[0] >= 0x80 ? ~Uint128{0} : 0;
  for (const std::uint8_t byte : bytes) made = made << 8 | byte;
  return static_cast<Int128>(made);
}

void print_out_of_range(std::string& out, std::int64_t value) {
  out += "<value out of range: ";
  print_number(out, value);
  out += '>';
}

// False, and nothing printed, for a year that Arrow's calendar does not have.
bool print_date(std::string& out, std::int64_t days) {
  constexpr std::int64_t kMostDays = (kLastYear + 1) * 366;
  if (days < -kMostDays || days > kMostDays) return false;
  // Within kMostDays std::chrono's calendar holds every year, but for its own range of years, which is Arrow's.
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  const std::int64_t first = std::chrono::sys_days{std::chrono::year{-32767} / 1 / 1}.time_since_epoch().count();
  const std::int64_t last = std::chrono::sys_days{std::chrono::year{32767} / 12 / 31}.time_since_epoch().count();
  if (days < first || days > last) return false;
  char text[32];
  const int year = static_cast<int>(date.year());
  std::snprintf(text, sizeof(text), "%s%04d-%02u-%02u", year < 0 ? "-" : "", year < 0 ? -year : year,
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  out += text;
  return true;
}

// `part` is what of a day has passed, in seconds with `scale` digits after the point.
void print_clock(std::string& out, std::int64_t part, unsigned scale, std::int64_t a_second) {
  char text[48];
  const std::int64_t seconds = part / a_second;
  std::snprintf(text, sizeof(text), "%02d:%02d:%02d.%0*lld", static_cast<int>(seconds / 3600),
                static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60), static_cast<int>(scale),
                static_cast<long long>(part % a_second));
  out += text;
}

std::int64_t units_a_second(unsigned scale) {
  std::int64_t made = 1;
  for (unsigned i = 0; i < scale; ++i) made *= 10;
  return made;
}

void print_time(std::string& out, std::int64_t value, unsigned scale) {
  const std::int64_t a_second = units_a_second(scale);
  if (value < 0 || value >= kSecondsADay * a_second) return print_out_of_range(out, value);
  print_clock(out, value, scale, a_second);
}

void print_timestamp(std::string& out, std::int64_t value, unsigned scale, bool is_utc) {
  const std::int64_t a_second = units_a_second(scale), a_day = kSecondsADay * a_second;
  const std::int64_t days = value / a_day - (value % a_day < 0 ? 1 : 0);
  if (!print_date(out, days)) return print_out_of_range(out, value);
  out += ' ';
  const std::int64_t part = value % a_day;
  print_clock(out, part < 0 ? part + a_day : part, scale, a_second);
  if (is_utc) out += 'Z';
}

// INT96: nanoseconds of a day, then the day of Julius Scaliger's count. As Arrow, in 64 bits that wrap.
std::int64_t nanoseconds(View value) {
  const std::uint64_t days = std::uint64_t{as<std::uint32_t>(value.subspan(8, 4))} - kJulianDayOf1970;
  return static_cast<std::int64_t>(days * static_cast<std::uint64_t>(kSecondsADay * kNanosASecond) +
                                   as<std::uint64_t>(value.first(8)));
}

std::int64_t integer(const Leaf& leaf, View value) {
  return leaf.width == 4 ? as<std::int32_t>(value) : as<std::int64_t>(value);
}

void print_integer(std::string& out, std::int64_t value, unsigned bits, bool is_signed) {
  const unsigned unused = 64 - bits;  // Arrow keeps the low ones
  const std::uint64_t top = static_cast<std::uint64_t>(value) << unused;
  if (is_signed) return print_number(out, static_cast<std::int64_t>(top) >> unused);
  print_number(out, top >> unused);
}

void print_plain(std::string& out, const Leaf& leaf, View value) {
  switch (leaf.physical) {
    case Physical::Boolean:
      out += value[0] != 0 ? "true" : "false";
      return;
    case Physical::Int32:
    case Physical::Int64:
      return print_number(out, integer(leaf, value));
    case Physical::Int96:
      return print_timestamp(out, nanoseconds(value), 9, false);
    case Physical::Float:
      return print_real(out, as<float>(value));
    case Physical::Double:
      return print_real(out, as<double>(value));
    case Physical::ByteArray:
    case Physical::FixedLenByteArray:
      return print_hex(out, value);
  }
}

}  // namespace

void print_value(std::string& out, const Leaf& leaf, View value) {
  switch (leaf.logical) {
    case Logical::Plain:
    case Logical::Null:
      return print_plain(out, leaf, value);
    case Logical::Text:
      out += '"';
      out.append(reinterpret_cast<const char*>(value.data()), value.size());
      out += '"';
      return;
    case Logical::Integer:
      return print_integer(out, integer(leaf, value), leaf.bits, leaf.is_signed);
    case Logical::Decimal: {
      const bool bytes = leaf.physical == Physical::ByteArray || leaf.physical == Physical::FixedLenByteArray;
      return print_decimal(out, bytes ? digits_of(value) : integer(leaf, value), leaf.scale);
    }
    case Logical::Date:
      if (!print_date(out, integer(leaf, value))) print_out_of_range(out, integer(leaf, value));
      return;
    case Logical::Time:
      return print_time(out, integer(leaf, value), leaf.scale);
    case Logical::Timestamp:
      return print_timestamp(out, integer(leaf, value), leaf.scale, leaf.is_utc);
    // Every half is a float; its fewest digits are the double's, as Arrow has them.
    case Logical::Half:
      return print_real(out, static_cast<double>(half_as_float(as<std::uint16_t>(value))));
  }
}

}  // namespace parquet_column
