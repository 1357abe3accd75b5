#include "examples/parquet_column/values.h"

#include <limits>

#include "examples/parquet_column/refused.h"

namespace parquet_column {
namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
// A BYTE_STREAM_SPLIT codec takes the width of values as a byte.
constexpr std::size_t kWidestSplit = 255;
// What parquet_delta_strings and parquet_byte_stream_split have room for unless they are told.
constexpr std::uint64_t kMostStringsPreset = 65536, kLargestPagePreset = 2097152;

// A codec whose parameter is the room it has. The room goes up in powers of two, so that few decoders are compiled.
Codec with_room(const char* name, const char* parameter, std::uint64_t preset, std::uint64_t needed) {
  std::uint64_t room = preset;
  while (room < needed) room *= 2;
  if (room == preset) return {name, {}};
  return {name, {{parameter, std::to_string(room)}}};
}

template <class Element>
View bytes_of(const std::vector<Element>& elements) {
  return {reinterpret_cast<const std::uint8_t*>(elements.data()), elements.size() * sizeof(Element)};
}

template <class Number>
std::vector<std::uint64_t> widened(const std::vector<Number>& numbers) {
  std::vector<std::uint64_t> made;
  made.reserve(numbers.size());
  for (const Number number : numbers) {
    if (number < Number{0}) throw Refused("a length is negative");
    made.push_back(static_cast<std::uint64_t>(number));
  }
  return made;
}

// What decodes a whole page of strings, and their lengths. Each string of a FIXED_LEN_BYTE_ARRAY has to have its width.
struct Strings {
  Bytes text;
  std::vector<std::uint64_t> lengths;
};

void append_strings(const Leaf& leaf, const Strings& strings, Values& out) {
  for (const std::uint64_t length : strings.lengths)
    if (leaf.width != 0 && length != leaf.width) throw Refused("a value is not as long as its column's values are");
  out.append(strings.text, strings.lengths);
}

void plain_strings(Decoders& decoders, View in, std::uint64_t count, Values& out) {
  const auto lengths = decoders.decode<std::uint32_t>({"parquet_plain_lengths", {}}, in, count, {{"values", count}});
  const Bytes text =
      decoders.decode<std::uint8_t>({"parquet_plain_strings", {}}, in, 0, in.size(), {{"values", count}});
  out.append(text, widened(lengths));
}

void plain(Decoders& decoders, const Leaf& leaf, View in, std::uint64_t count, Values& out) {
  if (leaf.physical == Physical::ByteArray) return plain_strings(decoders, in, count, out);
  if (leaf.physical == Physical::Boolean)
    return out.append(decoders.decode<std::uint8_t>({"parquet_plain_booleans", {}}, in, count, {{"values", count}}), 1);
  if (count > in.size() / leaf.width)
    throw Refused("room for " + std::to_string(in.size() / leaf.width) + " values, not " + std::to_string(count));
  out.append(in.first(count * leaf.width), leaf.width);
}

void by_dictionary(Decoders& decoders, View in, std::uint64_t count, const Values* dictionary, Values& out) {
  if (dictionary == nullptr) throw Refused("it needs a dictionary, and there is none before it");
  for (const std::uint32_t index :
       decoders.decode<std::uint32_t>({"parquet_rle", {}}, in, count, {{"values", count}})) {
    if (index >= dictionary->size())
      throw Refused("index " + std::to_string(index) + " into a dictionary of " + std::to_string(dictionary->size()));
    out.push_back((*dictionary)[index]);
  }
}

void delta_strings(Decoders& decoders, const Leaf& leaf, View in, std::uint64_t count, Values& out) {
  const Codec lengths{"parquet_delta", {{"T", "i32"}}};
  std::size_t prefix_bytes = 0;
  const auto prefixes = widened(decoders.decode<std::int32_t>(lengths, in, count, {}, &prefix_bytes));
  const auto rests = widened(decoders.decode<std::int32_t>(lengths, in.subspan(prefix_bytes), count));
  Strings strings;
  std::uint64_t size = 0;  // below 2^64: each number is below 2^31, and there are fewer than 2^32
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    strings.lengths.push_back(prefixes[i] + rests[i]);
    size += strings.lengths.back();
  }
  const Codec codec = with_room("parquet_delta_strings", "most_strings", kMostStringsPreset, count);
  strings.text = decoders.decode<std::uint8_t>(codec, in, size);
  append_strings(leaf, strings, out);
}

void delta_length(Decoders& decoders, const Leaf& leaf, View in, std::uint64_t count, Values& out) {
  Strings strings;
  strings.lengths = widened(decoders.decode<std::int32_t>({"parquet_delta", {{"T", "i32"}}}, in, count));
  strings.text = decoders.decode<std::uint8_t>({"parquet_delta_length", {}}, in, 0, in.size());
  append_strings(leaf, strings, out);
}

[[noreturn]] void refuse_encoding(Encoding encoding) {
  throw Refused("encoding " + std::to_string(static_cast<std::int64_t>(encoding)) +
                " is not one for values of this type");
}

}  // namespace

void Values::push_back(View value) {
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  ends_.push_back(bytes_.size());
}

void Values::append(View bytes, std::size_t width) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  while (ends_.back() < bytes_.size()) ends_.push_back(ends_.back() + width);
}

void Values::append(View bytes, const std::vector<std::uint64_t>& lengths) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  for (const std::uint64_t length : lengths) {
    if (length > bytes_.size() - ends_.back()) throw Refused("its lengths are larger than its strings");
    ends_.push_back(ends_.back() + length);
  }
  if (ends_.back() != bytes_.size()) throw Refused("its strings are larger than their lengths");
}

Values read_dictionary(Decoders& decoders, const Leaf& leaf, const Page& page) {
  if (page.encoding != Encoding::Plain && page.encoding != Encoding::PlainDictionary) refuse_encoding(page.encoding);
  Values entries;
  plain(decoders, leaf, page.body, page.values, entries);
  return entries;
}

void read_values(Decoders& decoders, const Leaf& leaf, Encoding encoding, View in, std::uint64_t count,
                 const Values* dictionary, Values& out) {
  const bool is_integer = leaf.physical == Physical::Int32 || leaf.physical == Physical::Int64;
  const bool is_text = leaf.physical == Physical::ByteArray;
  const bool is_fixed = leaf.physical == Physical::FixedLenByteArray;
  if (count == 0) return;  // of nulls alone writers leave nothing, or what is not meant
  switch (encoding) {
    case Encoding::Plain:
      return plain(decoders, leaf, in, count, out);
    case Encoding::PlainDictionary:
    case Encoding::RleDictionary:
      return by_dictionary(decoders, in, count, dictionary, out);
    case Encoding::Rle:
      if (leaf.physical != Physical::Boolean) break;
      for (const std::uint32_t bit :
           decoders.decode<std::uint32_t>({"parquet_levels", {}}, in, count, {{"values", count}}))
        out.append(Bytes{static_cast<std::uint8_t>(bit)}, 1);
      return;
    case Encoding::DeltaBinaryPacked:
      if (!is_integer) break;
      if (leaf.width == 4)
        return out.append(bytes_of(decoders.decode<std::int32_t>({"parquet_delta", {{"T", "i32"}}}, in, count)), 4);
      return out.append(bytes_of(decoders.decode<std::int64_t>({"parquet_delta", {{"T", "i64"}}}, in, count)), 8);
    case Encoding::DeltaLengthByteArray:
      if (is_text) return delta_length(decoders, leaf, in, count, out);
      break;
    case Encoding::DeltaByteArray:
      if (is_text || is_fixed) return delta_strings(decoders, leaf, in, count, out);
      break;
    case Encoding::ByteStreamSplit: {
      const bool is_real = leaf.physical == Physical::Float || leaf.physical == Physical::Double;
      if (!is_integer && !is_fixed && !is_real) break;
      if (leaf.width > kWidestSplit)
        throw Refused("its values are wider than 255 bytes, which this codec has no room for");
      if (count > kAny / leaf.width) throw Refused("it can't have as many values");
      return out.append(decoders.decode<std::uint8_t>(
                            with_room("parquet_byte_stream_split", "largest_page", kLargestPagePreset, in.size()), in,
                            count * leaf.width, {{"size", leaf.width}}),
                        leaf.width);
    }
    case Encoding::BitPacked:
      break;
  }
  refuse_encoding(encoding);
}

}  // namespace parquet_column
