#include "examples/parquet_column/column.h"

#include <algorithm>
#include <bit>

#include "examples/parquet_column/refused.h"

namespace parquet_column {
namespace {

// Reads one kind of levels off the front of a page v1, which has their size there, or v2, whose header has it.
class Levels {
 public:
  Levels(Decoders& decoders, const Page& page) : decoders_(decoders), page_(page), rest_(page.body) {}

  void read(unsigned top, std::size_t v2_bytes, Encoding v1_encoding, std::vector<std::uint32_t>& out) {
    const bool in_header = page_.kind == PageKind::DataV2;
    const View own = in_header ? rest_.first(v2_bytes) : rest_;
    std::size_t used = v2_bytes;
    if (top != 0) {
      if (!in_header && v1_encoding != Encoding::Rle)
        throw Refused("its levels are not run-length coded, but in the older encoding BIT_PACKED");
      const std::uint64_t width = static_cast<std::uint64_t>(std::bit_width(top));
      const auto levels =
          decoders_.decode<std::uint32_t>({in_header ? "parquet_rle" : "parquet_levels", {}}, own, page_.values,
                                          {{"width", width}, {"values", page_.values}}, in_header ? nullptr : &used);
      if (std::ranges::any_of(levels, [&](std::uint32_t level) { return level > top; }))
        throw Refused("a level is above " + std::to_string(top) + ", the column's highest");
      out.insert(out.end(), levels.begin(), levels.end());
    } else if (!in_header) {
      used = 0;
    }
    rest_ = rest_.subspan(used);
  }

  [[nodiscard]] View rest() const { return rest_; }

 private:
  Decoders& decoders_;
  const Page& page_;
  View rest_;
};

void read_page(const File& file, const Leaf& leaf, const Page& page, const Values* dictionary, Chunk& chunk) {
  Levels levels(file.decoders(), page);
  levels.read(leaf.top_repetition, page.repetition_bytes, page.repetition_encoding, chunk.repetition);
  levels.read(leaf.top_definition, page.definition_bytes, page.definition_encoding, chunk.definition);
  std::uint64_t present = page.values;
  if (leaf.top_definition != 0) {
    const auto last = chunk.definition.end();
    present = static_cast<std::uint64_t>(
        std::count(last - static_cast<std::ptrdiff_t>(page.values), last, leaf.top_definition));
  }
  read_values(file.decoders(), leaf, page.encoding, levels.rest(), present, dictionary, chunk.values);
  chunk.entries += page.values;
}

}  // namespace

Chunk read_chunk(const File& file, const Thrift& row_group, std::size_t number) {
  const Leaf& leaf = file.leaves()[number];
  Chunk chunk;
  Pages pages(file, row_group, number);
  if (leaf.top_repetition == 0 && pages.values() != File::rows_of(row_group))
    throw Refused("it has " + std::to_string(pages.values()) + " values in " +
                  std::to_string(File::rows_of(row_group)) + " rows");
  std::optional<Values> dictionary;
  try {
    while (const std::optional<Page> page = pages.next()) {
      if (page->kind == PageKind::Dictionary) {
        if (dictionary) throw Refused("it is a second dictionary");
        dictionary = read_dictionary(file.decoders(), leaf, *page);
      } else {
        read_page(file, leaf, *page, dictionary ? &*dictionary : nullptr, chunk);
      }
    }
  } catch (const Refused& refused) {
    throw Refused("page " + std::to_string(pages.number()) + ": " + refused.what());
  }
  if (leaf.top_repetition != 0) {
    const auto rows = static_cast<std::uint64_t>(std::ranges::count(chunk.repetition, 0U));
    if (rows != File::rows_of(row_group))
      throw Refused("it has " + std::to_string(rows) + " rows, its row group " +
                    std::to_string(File::rows_of(row_group)));
  }
  return chunk;
}

}  // namespace parquet_column
