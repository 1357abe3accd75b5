// Columns of bytes: STRING, VARCHAR, CHAR and BINARY, direct or with a dictionary.
#include "examples/orc_column/column.h"
#include "examples/orc_column/refused.h"

namespace orc_column {
namespace {

using proto::ColumnEncoding;
using proto::Stream;

// Consecutive pieces of these sizes; together no longer than `room`.
std::vector<Column::Piece> cut(const std::vector<std::uint64_t>& sizes, std::uint64_t room) {
  std::vector<Column::Piece> pieces;
  pieces.reserve(sizes.size());
  std::uint64_t start = 0;
  for (const std::uint64_t size : sizes) {
    if (size > room - start) throw Refused("its strings are longer than their text");
    pieces.push_back({start, size});
    start += size;
  }
  return pieces;
}

}  // namespace

void read_strings(const Stripe& stripe, Column& column) {
  const ColumnEncoding& encoding = stripe.encoding(column.id);
  if (encoding.kind() == ColumnEncoding::DIRECT || encoding.kind() == ColumnEncoding::DIRECT_V2) {
    column.text = stripe.stream(column.id, Stream::DATA);
    column.pieces = cut(read_unsigned(stripe, column.id, Stream::LENGTH, column.values), column.text.size());
    return;
  }
  column.text = stripe.stream(column.id, Stream::DICTIONARY_DATA);
  const auto dictionary =
      cut(read_unsigned(stripe, column.id, Stream::LENGTH, encoding.dictionary_size()), column.text.size());
  column.pieces.reserve(column.values);
  for (const std::uint64_t index : read_unsigned(stripe, column.id, Stream::DATA, column.values)) {
    if (index >= dictionary.size()) throw Refused("an index is past the end of its dictionary");
    column.pieces.push_back(dictionary[index]);
  }
}

}  // namespace orc_column
