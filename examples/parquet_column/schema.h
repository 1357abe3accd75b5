// The columns of a Parquet file: the leaves of its schema's tree.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "examples/parquet_column/thrift.h"

namespace parquet_column {

// parquet.thrift, enum Type.
enum class Physical : std::uint8_t { Boolean, Int32, Int64, Int96, Float, Double, ByteArray, FixedLenByteArray };

// What values mean. Plain: nothing but what their physical type says.
enum class Logical : std::uint8_t { Plain, Text, Integer, Decimal, Date, Time, Timestamp, Half, Null };

struct Leaf {
  std::string path;  // names from the root on, with points between them
  Physical physical = Physical::Int32;
  std::size_t width = 0;  // bytes of a plain value: of a boolean one, of a BYTE_ARRAY 0, for they differ
  Logical logical = Logical::Plain;
  unsigned bits = 0;            // of an Integer
  bool is_signed = true;        // of an Integer
  unsigned scale = 0;           // digits after the point: of a Decimal, and of the seconds of a Time or Timestamp
  bool is_utc = false;          // of a Timestamp
  bool is_nested = false;       // a column of its own when false: neither repeated nor in a group
  unsigned top_definition = 0;  // what a value that is there has
  unsigned top_repetition = 0;
};

// From the list of SchemaElements, a tree in depth-first order. Throws Refused.
std::vector<Leaf> leaves_of(const std::vector<Thrift>& elements);

}  // namespace parquet_column
