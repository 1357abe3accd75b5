// Values as pyarrow prints them: Array.to_string().
#pragma once
#include <string>

#include "examples/parquet_column/column.h"

namespace parquet_column {

// Appends one value that is there.
void print_value(std::string& out, const Leaf& leaf, View value);

}  // namespace parquet_column
