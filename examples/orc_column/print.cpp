#include "examples/orc_column/print.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace orc_column {
namespace {

using proto::Type;

constexpr std::int64_t kSecondsADay = 86400;

template <class Number>
void print_number(std::string& out, Number value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end.ptr);
}

// Seven or fourteen digits: what a float and a double hold of any decimal number, minus one for a double.
void print_real(std::string& out, double value, bool is_float) {
  char digits[40];
  const int size = std::snprintf(digits, sizeof(digits), is_float ? "%.7g" : "%.14g", value);
  out.append(digits, static_cast<std::size_t>(size));
}

void print_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\\\"; break;
      case '"': out += "\\\""; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out += c;
    }
  }
  out += '"';
}

void print_bytes(std::string& out, std::string_view bytes) {
  out += '[';
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0) out += ", ";
    print_number(out, unsigned{static_cast<unsigned char>(bytes[i])});
  }
  out += ']';
}

// Seconds since 1970 as a calendar says them. Years that gmtime can't hold are printed as the number.
void print_clock(std::string& out, std::int64_t seconds, const char* format) {
  const std::time_t time = seconds;
  std::tm parts{};
  char text[64];
  if (gmtime_r(&time, &parts) == nullptr) return print_number(out, seconds);
  out.append(text, std::strftime(text, sizeof(text), format, &parts));
}

void print_timestamp(std::string& out, std::int64_t seconds, std::int64_t nanoseconds) {
  out += '"';
  print_clock(out, seconds, "%Y-%m-%d %H:%M:%S");
  char fraction[16];
  std::snprintf(fraction, sizeof(fraction), ".%09u", static_cast<unsigned>(nanoseconds));
  std::string_view shown(fraction);
  while (shown.ends_with('0') && shown.size() > 2) shown.remove_suffix(1);
  out += shown;
  out += '"';
}

// Without zeros at the end of the fraction, as a string: JSON's numbers promise less than 38 digits.
void print_decimal(std::string& out, Int128 digits, std::uint32_t scale) {
  const bool negative = digits < 0;
  std::string text;
  // The remainder of a negative number is negative or zero: no negation, which the lowest number does not have.
  for (; scale != 0 && digits % 10 == 0; --scale) digits /= 10;
  do {
    const int digit = static_cast<int>(digits % 10);
    text += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    digits /= 10;
    if (text.size() == scale) text += '.';
  } while (digits != 0 || (scale != 0 && text.size() < scale + 2));
  out += '"';
  if (negative) out += '-';
  out.append(text.rbegin(), text.rend());
  out += '"';
}

void print_value(std::string& out, const proto::Footer& footer, const Column& column, std::uint64_t value);

void print_elements(std::string& out, const proto::Footer& footer, const Column& column, std::uint64_t value) {
  out += '[';
  for (std::uint64_t i = column.starts[value]; i < column.starts[value + 1]; ++i) {
    if (i != column.starts[value]) out += ", ";
    if (column.kind == Type::MAP) out += "{\"key\": ";
    print_row(out, footer, column.children[0], i);
    if (column.kind != Type::MAP) continue;
    out += ", \"value\": ";
    print_row(out, footer, column.children[1], i);
    out += '}';
  }
  out += ']';
}

void print_struct(std::string& out, const proto::Footer& footer, const Column& column, std::uint64_t value) {
  const Type& type = footer.types(static_cast<int>(column.id));
  out += '{';
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    if (i != 0) out += ", ";
    print_text(out, type.field_names(static_cast<int>(i)));
    out += ": ";
    print_row(out, footer, column.children[i], value);
  }
  out += '}';
}

void print_union(std::string& out, const proto::Footer& footer, const Column& column, std::uint64_t value) {
  const std::int64_t tag = column.numbers[value];
  out += "{\"tag\": ";
  print_number(out, tag);
  out += ", \"value\": ";
  print_row(out, footer, column.children[static_cast<std::size_t>(tag)], column.starts[value]);
  out += '}';
}

void print_value(std::string& out, const proto::Footer& footer, const Column& column, std::uint64_t value) {
  switch (column.kind) {
    case Type::BOOLEAN: out += column.numbers[value] != 0 ? "true" : "false"; return;
    case Type::FLOAT: return print_real(out, column.reals[value], true);
    case Type::DOUBLE: return print_real(out, column.reals[value], false);
    case Type::STRING:
    case Type::VARCHAR:
    case Type::CHAR: return print_text(out, column.piece(value));
    case Type::BINARY: return print_bytes(out, column.piece(value));
    case Type::TIMESTAMP:
    case Type::TIMESTAMP_INSTANT: return print_timestamp(out, column.numbers[value], column.more[value]);
    case Type::DATE:
      out += '"';
      print_clock(out, std::clamp(column.numbers[value], INT64_MIN / kSecondsADay, INT64_MAX / kSecondsADay) * kSecondsADay,
                  "%Y-%m-%d");
      out += '"';
      return;
    case Type::DECIMAL: return print_decimal(out, column.digits(value), column.scale);
    case Type::LIST:
    case Type::MAP: return print_elements(out, footer, column, value);
    case Type::STRUCT: return print_struct(out, footer, column, value);
    case Type::UNION: return print_union(out, footer, column, value);
    default: return print_number(out, column.numbers[value]);
  }
}

}  // namespace

void print_row(std::string& out, const proto::Footer& footer, const Column& column, std::uint64_t row) {
  if (column.is_null(row)) {
    out += "null";
  } else {
    print_value(out, footer, column, column.slot(row));
  }
}

}  // namespace orc_column
