#include "examples/parquet_column/table.h"

#include <algorithm>

#include "examples/parquet_column/print.h"
#include "examples/parquet_column/refused.h"

namespace parquet_column {
namespace {

using Write = std::function<void(std::string_view)>;

constexpr std::size_t kWriteAtOnce = 1 << 16;

// A nested column has its levels in front of each value.
void print_chunk(const Leaf& leaf, const Chunk& chunk, const Write& write) {
  std::string text;
  std::size_t value = 0;
  for (std::size_t i = 0; i < chunk.entries; ++i) {
    const std::uint32_t definition = leaf.top_definition == 0 ? 0 : chunk.definition[i];
    const std::uint32_t repetition = leaf.top_repetition == 0 ? 0 : chunk.repetition[i];
    if (leaf.is_nested) text += std::to_string(repetition) + " " + std::to_string(definition) + " ";
    if (definition == leaf.top_definition) {
      print_value(text, leaf, chunk.values[value++]);
    } else {
      text += "null";
    }
    text += '\n';
    if (text.size() < kWriteAtOnce) continue;
    write(text);
    text.clear();
  }
  write(text);
}

void print_column(const File& file, std::size_t number, const Write& write) {
  const Leaf& leaf = file.leaves()[number];
  write("# " + leaf.path + (leaf.is_nested ? ": repetition level, definition level, value\n" : "\n"));
  for (std::size_t group = 0; group < file.row_groups().size(); ++group) {
    try {
      print_chunk(leaf, read_chunk(file, file.row_groups()[group], number), write);
    } catch (const Refused& refused) {
      throw Refused("column " + leaf.path + ", row group " + std::to_string(group) + ": " + refused.what());
    }
  }
}

}  // namespace

void print_columns(View content, std::span<const std::string> names, Decoders& decoders, const Write& write) {
  const File file(content, decoders);
  std::vector<std::size_t> wanted;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(file.leaves(), name, &Leaf::path);
    if (found == file.leaves().end()) throw Refused("it has no column " + name);
    wanted.push_back(static_cast<std::size_t>(found - file.leaves().begin()));
  }
  if (names.empty())
    for (std::size_t i = 0; i < file.leaves().size(); ++i) wanted.push_back(i);
  for (const std::size_t number : wanted) print_column(file, number, write);
}

}  // namespace parquet_column
