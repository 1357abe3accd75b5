// A whole file, printed.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "examples/parquet_column/decoders.h"

namespace parquet_column {

// Columns of the Parquet file `content`: those named by their paths, or all when none is. Each begins with a line of
// its path; a value is a line. `write` gets the text in pieces. Throws Refused, which names the column, the row group
// and the page; what stands before has been written.
void print_columns(View content, std::span<const std::string> names, Decoders& decoders,
                   const std::function<void(std::string_view)>& write);

}  // namespace parquet_column
