// A Parquet file in memory: its footer, and the pages of a column chunk with their compression undone.
#pragma once
#include <cstdint>
#include <optional>

#include "examples/parquet_column/schema.h"

namespace parquet_column {

// parquet.thrift, enum PageType and enum Encoding; those that this program reads.
enum class PageKind : std::int64_t { Data = 0, Index = 1, Dictionary = 2, DataV2 = 3 };
enum class Encoding : std::int64_t {
  Plain = 0,
  PlainDictionary = 2,
  Rle = 3,
  BitPacked = 4,
  DeltaBinaryPacked = 5,
  DeltaLengthByteArray = 6,
  DeltaByteArray = 7,
  RleDictionary = 8,
  ByteStreamSplit = 9
};

class File {
 public:
  // Parses the footer. `content` and `decoders` must outlive the file. Throws Refused.
  File(View content, Decoders& decoders);

  [[nodiscard]] View content() const { return content_; }
  [[nodiscard]] Decoders& decoders() const { return decoders_; }
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
  [[nodiscard]] const std::vector<Thrift>& row_groups() const { return footer_.list(4); }
  [[nodiscard]] static std::uint64_t rows_of(const Thrift& row_group) { return row_group.count(3); }

 private:
  View content_;
  Decoders& decoders_;
  Thrift footer_;
  std::vector<Leaf> leaves_;
};

// One page. Of a dictionary page only encoding, values and body mean anything.
struct Page {
  PageKind kind = PageKind::Data;
  Encoding encoding = Encoding::Plain;
  std::uint64_t values = 0;  // how many, nulls included
  // Bytes of the levels before the values of a page v2. A page v1 has their size in front of each kind of levels.
  std::size_t repetition_bytes = 0, definition_bytes = 0;
  // How levels of a page v1 are encoded.
  Encoding repetition_encoding = Encoding::Rle, definition_encoding = Encoding::Rle;
  Bytes body;
};

// The pages of one column chunk, in order.
class Pages {
 public:
  // Column `number` of a row group. Throws Refused.
  Pages(const File& file, const Thrift& row_group, std::size_t number);

  // The next dictionary or data page; nothing when every value has been seen.
  std::optional<Page> next();
  // How many pages next() has begun to read.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Of all pages together, nulls included.
  [[nodiscard]] std::uint64_t values() const { return values_; }

 private:
  [[nodiscard]] Bytes expand(View packed, std::uint64_t size) const;

  const File& file_;
  View rest_;
  std::int64_t compression_ = 0;
  std::uint64_t values_ = 0, seen_ = 0, number_ = 0;
};

}  // namespace parquet_column
