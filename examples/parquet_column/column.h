// The column chunks of a column: levels and values.
#pragma once
#include "examples/parquet_column/values.h"

namespace parquet_column {

struct Chunk {
  // One a value, nulls included. Empty where the column's highest level is 0.
  std::vector<std::uint32_t> repetition, definition;
  std::uint64_t entries = 0;  // values, nulls included
  Values values;              // those that are there
};

// Column `number` of a row group. Throws Refused, which names the page.
Chunk read_chunk(const File& file, const Thrift& row_group, std::size_t number);

}  // namespace parquet_column
