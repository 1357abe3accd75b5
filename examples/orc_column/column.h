// One column of one stripe, decoded.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "examples/orc_column/file.h"

namespace orc_column {

__extension__ using Int128 = __int128;

// Digits after the point of a decimal of Hive 0.11, which stored no scale for the column; as ORC's C++ reader has it.
constexpr std::uint32_t kHive11Scale = 6;

// Values are kept without the nulls; slot() finds a row's value.
struct Column {
  std::uint32_t id = 0;
  proto::Type::Kind kind = proto::Type::STRUCT;
  std::uint64_t rows = 0;
  std::uint64_t values = 0;            // rows that are not null
  std::vector<std::uint8_t> present;   // one a row, 1: not null; empty when no row is null
  std::vector<std::uint64_t> slots;    // with `present`: values before each row

  // Integers and booleans; days since 1970 of a DATE; wall-clock seconds since 1970 of a TIMESTAMP; low halves of the
  // digits of a DECIMAL; tags of a UNION.
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> more;      // nanoseconds of a TIMESTAMP; high halves of a DECIMAL
  std::vector<double> reals;           // FLOAT and DOUBLE
  std::uint32_t scale = 0;             // of a DECIMAL: the same for all values

  // STRING and its kin, BINARY: value i is size bytes of `text` from `start` on.
  struct Piece {
    std::uint64_t start, size;
  };
  Bytes text;
  std::vector<Piece> pieces;

  // LIST, MAP: value i has the elements starts[i] .. starts[i + 1] - 1 of each child. UNION: row starts[i] of the
  // child that the tag names. STRUCT: value i is row i of each child.
  std::vector<std::uint64_t> starts;
  std::vector<Column> children;

  [[nodiscard]] bool is_null(std::uint64_t row) const { return !present.empty() && present[row] == 0; }
  [[nodiscard]] std::uint64_t slot(std::uint64_t row) const { return slots.empty() ? row : slots[row]; }
  [[nodiscard]] std::string_view piece(std::uint64_t value) const {
    return {reinterpret_cast<const char*>(text.data()) + pieces[value].start, pieces[value].size};
  }
  [[nodiscard]] Int128 digits(std::uint64_t value) const {
    return static_cast<Int128>(more[value]) << 64 | static_cast<std::uint64_t>(numbers[value]);
  }
};

// Column `id` of a stripe with all its children, `rows` rows of it. Throws Refused.
Column read_column(const Stripe& stripe, std::uint32_t id, std::uint64_t rows);

// What the files that decode one kind of column share.
//
// Integers of a stream in the column's version of run-length coding: exactly `count`, else Refused.
std::vector<std::int64_t> read_signed(const Stripe& stripe, std::uint32_t id, proto::Stream::Kind kind, std::uint64_t count);
std::vector<std::uint64_t> read_unsigned(const Stripe& stripe, std::uint32_t id, proto::Stream::Kind kind, std::uint64_t count);
// Refused unless got == wanted.
void expect_count(std::uint64_t got, std::uint64_t wanted, const char* what);

// Each fills in a column whose kind, rows and nulls are known.
void read_strings(const Stripe& stripe, Column& column);
void read_decimals(const Stripe& stripe, Column& column);
void read_timestamps(const Stripe& stripe, Column& column);

}  // namespace orc_column
