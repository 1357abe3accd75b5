#include "examples/orc_column/column.h"

#include <cstring>
#include <limits>

#include "examples/orc_column/refused.h"

namespace orc_column {
namespace {

using proto::ColumnEncoding;
using proto::Stream;
using proto::Type;

template <class Element>
std::vector<Element> read_integers(const Stripe& stripe, std::uint32_t id, Stream::Kind kind, std::uint64_t count,
                                   const char* type) {
  const ColumnEncoding::Kind encoding = stripe.encoding(id).kind();
  const bool second = encoding == ColumnEncoding::DIRECT_V2 || encoding == ColumnEncoding::DICTIONARY_V2;
  auto values = stripe.file().decoders().decode<Element>(second ? "orc_rle_v2" : "orc_rle_v1", type,
                                                         stripe.stream(id, kind), count);
  expect_count(values.size(), count, Stream::Kind_Name(kind).c_str());
  return values;
}

// Boolean run-length coding, one byte a value. Bits that fill up the last byte are dropped.
Bytes read_bits(const Stripe& stripe, std::uint32_t id, Stream::Kind kind, std::uint64_t count) {
  Bytes bits = stripe.file().decoders().decode<std::uint8_t>("orc_bool_rle", "", stripe.stream(id, kind), count,
                                                             {{"values", count}});
  expect_count(bits.size(), count, Stream::Kind_Name(kind).c_str());
  return bits;
}

Bytes read_bytes(const Stripe& stripe, std::uint32_t id, std::uint64_t count) {
  Bytes bytes = stripe.file().decoders().decode<std::uint8_t>("orc_byte_rle", "", stripe.stream(id, Stream::DATA), count);
  expect_count(bytes.size(), count, "DATA");
  return bytes;
}

void read_nulls(const Stripe& stripe, Column& column) {
  column.values = column.rows;
  if (!stripe.has(column.id, Stream::PRESENT)) return;
  column.present = read_bits(stripe, column.id, Stream::PRESENT, column.rows);
  column.slots.reserve(column.present.size());
  std::uint64_t before = 0;
  for (const std::uint8_t one : column.present) {
    column.slots.push_back(before);
    before += one;
  }
  column.values = before;
}

template <class Real>
void read_reals(const Stripe& stripe, Column& column) {
  const Bytes raw = stripe.stream(column.id, Stream::DATA);
  expect_count(raw.size() / sizeof(Real), column.values, "DATA");
  column.reals.reserve(column.values);
  for (std::uint64_t i = 0; i < column.values; ++i) {
    Real value;
    std::memcpy(&value, raw.data() + i * sizeof(Real), sizeof(Real));
    column.reals.push_back(value);
  }
}

void read_elements(const Stripe& stripe, Column& column, const Type& type) {
  const auto lengths = read_unsigned(stripe, column.id, Stream::LENGTH, column.values);
  column.starts.reserve(lengths.size() + 1);
  std::uint64_t end = 0;
  column.starts.push_back(end);
  for (const std::uint64_t length : lengths) {
    if (length > std::numeric_limits<std::uint64_t>::max() - end) throw Refused("its lengths are too large");
    column.starts.push_back(end += length);
  }
  for (const std::uint32_t child : type.subtypes()) column.children.push_back(read_column(stripe, child, end));
}

void read_union(const Stripe& stripe, Column& column, const Type& type) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(type.subtypes_size()), 0);
  for (const std::uint8_t tag : read_bytes(stripe, column.id, column.values)) {
    if (tag >= counts.size()) throw Refused("a tag names none of its types");
    column.numbers.push_back(tag);
    column.starts.push_back(counts[tag]++);
  }
  for (int i = 0; i < type.subtypes_size(); ++i)
    column.children.push_back(read_column(stripe, type.subtypes(i), counts[static_cast<std::size_t>(i)]));
}

void read_values(const Stripe& stripe, Column& column, const Type& type) {
  switch (column.kind) {
    case Type::BOOLEAN:
      for (const std::uint8_t bit : read_bits(stripe, column.id, Stream::DATA, column.values)) column.numbers.push_back(bit);
      return;
    case Type::BYTE:
      for (const std::uint8_t byte : read_bytes(stripe, column.id, column.values))
        column.numbers.push_back(static_cast<std::int8_t>(byte));
      return;
    case Type::SHORT:
    case Type::INT:
    case Type::LONG:
    case Type::DATE: column.numbers = read_signed(stripe, column.id, Stream::DATA, column.values); return;
    case Type::FLOAT: return read_reals<float>(stripe, column);
    case Type::DOUBLE: return read_reals<double>(stripe, column);
    case Type::STRING:
    case Type::VARCHAR:
    case Type::CHAR:
    case Type::BINARY: return read_strings(stripe, column);
    case Type::TIMESTAMP:
    case Type::TIMESTAMP_INSTANT: return read_timestamps(stripe, column);
    case Type::DECIMAL: return read_decimals(stripe, column);
    case Type::LIST:
    case Type::MAP: return read_elements(stripe, column, type);
    case Type::UNION: return read_union(stripe, column, type);
    case Type::STRUCT:
      for (const std::uint32_t child : type.subtypes())
        column.children.push_back(read_column(stripe, child, column.values));
      return;
    default: throw Refused("its type is not known");
  }
}

}  // namespace

void expect_count(std::uint64_t got, std::uint64_t wanted, const char* what) {
  if (got == wanted) return;
  throw Refused(std::string(what) + " has " + std::to_string(got) + " values, not " + std::to_string(wanted));
}

std::vector<std::int64_t> read_signed(const Stripe& stripe, std::uint32_t id, Stream::Kind kind, std::uint64_t count) {
  return read_integers<std::int64_t>(stripe, id, kind, count, "i64");
}

std::vector<std::uint64_t> read_unsigned(const Stripe& stripe, std::uint32_t id, Stream::Kind kind, std::uint64_t count) {
  return read_integers<std::uint64_t>(stripe, id, kind, count, "u64");
}

Column read_column(const Stripe& stripe, std::uint32_t id, std::uint64_t rows) {
  const Type& type = stripe.file().footer().types(static_cast<int>(id));
  Column column;
  column.id = id;
  column.kind = type.kind();
  column.rows = rows;
  try {
    read_nulls(stripe, column);
    read_values(stripe, column, type);
  } catch (const Refused& refused) {
    // The innermost column names itself; those around it pass the message on.
    const std::string message = refused.what();
    if (message.starts_with("column ")) throw;
    throw Refused("column " + std::to_string(id) + " (" + Type::Kind_Name(type.kind()) + "): " + message);
  }
  return column;
}

}  // namespace orc_column
