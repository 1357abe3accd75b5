// Rows as JSON, one object a line, in the notation of ORC's own orc-contents.
#pragma once
#include <string>

#include "examples/orc_column/column.h"

namespace orc_column {

// Appends row `row` of the column to `out`.
void print_row(std::string& out, const proto::Footer& footer, const Column& column, std::uint64_t row);

}  // namespace orc_column
