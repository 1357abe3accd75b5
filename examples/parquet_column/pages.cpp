#include "examples/parquet_column/pages.h"

#include <algorithm>
#include <cstring>

#include "examples/parquet_column/refused.h"

namespace parquet_column {
namespace {

constexpr std::size_t kMagic = 4;          // "PAR1", at both ends
constexpr std::size_t kTail = 4 + kMagic;  // the footer's size, then the magic
constexpr std::size_t kSmallest = kMagic + kTail;

// parquet.thrift, enum CompressionCodec.
enum : std::int64_t {
  kUncompressed = 0,
  kSnappy = 1,
  kGzip = 2,
  kLzo = 3,
  kBrotli = 4,
  kLz4 = 5,
  kZstd = 6,
  kLz4Raw = 7
};

bool ends_in(View content, const char* magic) {
  return std::memcmp(content.data() + content.size() - kMagic, magic, kMagic) == 0;
}

View footer_bytes(View content) {
  if (content.size() < kSmallest) throw Refused("it is too short for a Parquet file");
  if (ends_in(content, "PARE")) throw Refused("its footer is encrypted");
  if (!ends_in(content, "PAR1") || std::memcmp(content.data(), "PAR1", kMagic) != 0)
    throw Refused("it does not begin and end with PAR1");
  std::uint32_t size = 0;
  std::memcpy(&size, content.data() + content.size() - kTail, sizeof(size));
  if (size > content.size() - kSmallest) throw Refused("its footer is larger than the file");
  return content.subspan(content.size() - kTail - size, size);
}

}  // namespace

File::File(View content, Decoders& decoders) : content_(content), decoders_(decoders) {
  try {
    std::size_t size = 0;
    footer_ = Thrift::read_struct(footer_bytes(content), size);
    leaves_ = leaves_of(footer_.list(2));
    static_cast<void>(row_groups());  // refused here if they are missing
  } catch (const Refused& refused) {
    throw Refused(std::string("footer: ") + refused.what());
  }
}

Pages::Pages(const File& file, const Thrift& row_group, std::size_t number) : file_(file) {
  const std::vector<Thrift>& chunks = row_group.list(1);
  if (chunks.size() != file.leaves().size()) throw Refused("the row group has not one chunk for each column");
  const Thrift& chunk = chunks[number];
  if (chunk.has(8)) throw Refused("it is encrypted");
  if (chunk.has(1)) throw Refused("it is in another file");
  const Thrift& meta = chunk.record(3);
  if (meta.integer(1) != static_cast<std::int64_t>(file.leaves()[number].physical))
    throw Refused("its chunk is of another type than its schema says");
  compression_ = meta.integer(4);
  values_ = meta.count(5);
  if (values_ == 0) return;  // then writers leave no pages, and no place either
  // Some writers say 0 where there is no dictionary.
  std::uint64_t start = meta.count(9);
  if (meta.has(11) && meta.count(11) > 0) start = std::min(start, meta.count(11));
  const std::uint64_t size = meta.count(7), room = file.content().size() - kTail;
  if (start < kMagic || start > room || size > room - start) throw Refused("its chunk lies outside the file");
  rest_ = file.content().subspan(start, size);
}

Bytes Pages::expand(View packed, std::uint64_t size) const {
  Decoders& decoders = file_.decoders();
  const auto by = [&](const char* codec) { return decoders.decode<std::uint8_t>({codec, {}}, packed, size); };
  switch (compression_) {
    case kUncompressed:
      if (packed.size() != size) throw Refused("it is not compressed, yet has two sizes");
      return {packed.begin(), packed.end()};
    case kSnappy:
      return by("snappy_raw");
    case kGzip:
      return by("gzip");
    case kZstd:
      return by("zstd");
    case kLz4Raw:
      return by("lz4_block");
    case kLz4:
      // Writers did not agree on what this is: Hadoop's frames, or bare blocks. As Arrow, take what fits.
      try {
        return by("hadoop_lz4");
      } catch (const Refused& framed) {
        try {
          return by("lz4_block");
        } catch (const Refused& bare) {
          throw Refused(std::string(framed.what()) + "; nor is it a bare block: " + bare.what());
        }
      }
    case kLzo:
      throw Refused("compressed with LZO: there is no codec for it");
    case kBrotli:
      throw Refused("compressed with Brotli: there is no codec for it");
    default:
      throw Refused("compressed with method " + std::to_string(compression_) + ", which is not known");
  }
}

std::optional<Page> Pages::next() {
  while (seen_ < values_) {
    ++number_;
    std::size_t head_bytes = 0;
    const Thrift head = Thrift::read_struct(rest_, head_bytes);
    const std::uint64_t packed_size = head.count(3), size = head.count(2);
    rest_ = rest_.subspan(head_bytes);
    if (packed_size > rest_.size()) throw Refused("it reaches out of its chunk");
    const View packed = rest_.first(packed_size);
    rest_ = rest_.subspan(packed_size);

    Page page;
    page.kind = static_cast<PageKind>(head.integer(1));
    if (page.kind == PageKind::Index) continue;
    if (page.kind == PageKind::Dictionary) {
      const Thrift& own = head.record(7);
      page.values = own.count(1);
      page.encoding = static_cast<Encoding>(own.integer(2));
      page.body = expand(packed, size);
      return page;
    }
    bool is_packed = true;
    if (page.kind == PageKind::Data) {
      const Thrift& own = head.record(5);
      page.values = own.count(1);
      page.encoding = static_cast<Encoding>(own.integer(2));
      page.definition_encoding = static_cast<Encoding>(own.integer(3));
      page.repetition_encoding = static_cast<Encoding>(own.integer(4));
    } else if (page.kind == PageKind::DataV2) {
      const Thrift& own = head.record(8);
      page.values = own.count(1);
      page.encoding = static_cast<Encoding>(own.integer(4));
      page.definition_bytes = own.count(5);
      page.repetition_bytes = own.count(6);
      is_packed = own.truth_or(7, true);
    } else {
      throw Refused("pages of type " + std::to_string(head.integer(1)) + " are not known");
    }
    if (page.values > values_ - seen_) throw Refused("its chunk has more values than it says");
    seen_ += page.values;

    // The levels of a page v2 are not compressed, nor are values that are not there.
    const std::uint64_t levels = std::uint64_t{page.definition_bytes} + page.repetition_bytes;
    if (levels > packed_size || levels > size) throw Refused("its levels are larger than the page");
    page.body.assign(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(levels));
    const View values = packed.subspan(levels);
    if (values.empty() && size == levels) return page;
    const Bytes expanded = is_packed ? expand(values, size - levels) : Bytes(values.begin(), values.end());
    page.body.insert(page.body.end(), expanded.begin(), expanded.end());
    return page;
  }
  return std::nullopt;
}

}  // namespace parquet_column
