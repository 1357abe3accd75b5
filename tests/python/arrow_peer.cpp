// Arrow C++'s own encoders and decoders of Parquet's encodings behind C functions: bench_parquet.py compiles this against the
// headers and libraries that come with pyarrow's wheel, and calls it through ctypes.
//
// All functions return -1 where Arrow throws. Strings are given, and come back, one behind the other, with their lengths beside them.
#include <parquet/column_reader.h>
#include <parquet/column_writer.h>
#include <parquet/encoding.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <vector>

namespace {

using parquet::ByteArray;
using parquet::Encoding;

// Levels go to 1 in a column that is optional.
constexpr int kMostLevel = 1;

enum Kind : int { kDelta32, kDelta64, kIndices, kLevels, kSplit32, kSplit64, kDeltaLength, kDeltaStrings };

constexpr Encoding::type kStrings[] = {Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY};
Encoding::type of_strings(int kind) { return kStrings[kind - kDeltaLength]; }

std::vector<ByteArray> strings_of(const std::uint8_t* bytes, const std::int32_t* lengths, int count) {
  std::vector<ByteArray> strings;
  strings.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; bytes += lengths[i++]) strings.emplace_back(static_cast<std::uint32_t>(lengths[i]), bytes);
  return strings;
}

std::int64_t given(const std::shared_ptr<arrow::Buffer>& buffer, std::uint8_t* out, std::int64_t room) {
  if (buffer->size() > room) return -1;
  std::memcpy(out, buffer->data(), static_cast<std::size_t>(buffer->size()));
  return buffer->size();
}

template <class Type>
std::int64_t put(Encoding::type encoding, const void* values, int count, std::uint8_t* out, std::int64_t room) {
  const auto encoder = parquet::MakeTypedEncoder<Type>(encoding);
  encoder->Put(static_cast<const typename Type::c_type*>(values), count);
  return given(encoder->FlushValues(), out, room);
}

// Indices of a dictionary of as many values as there are indices, whose width stands in front.
std::int64_t put_indices(const void* values, int count, std::uint8_t* out, std::int64_t room) {
  const auto encoder = parquet::MakeEncoder(parquet::Type::INT32, Encoding::PLAIN, true);
  auto& dictionary = dynamic_cast<parquet::DictEncoder<parquet::Int32Type>&>(*encoder);
  dictionary.Put(static_cast<const std::int32_t*>(values), count);
  const int most = static_cast<int>(std::min<std::int64_t>(room, dictionary.EstimatedDataEncodedSize()));
  return dictionary.WriteIndices(out, most);
}

std::int64_t put_levels(const void* values, int count, std::uint8_t* out, std::int64_t room) {
  constexpr std::int64_t kSizeBytes = 4;
  parquet::LevelEncoder encoder;
  encoder.Init(Encoding::RLE, kMostLevel, count, out + kSizeBytes, static_cast<int>(room - kSizeBytes));
  encoder.Encode(count, static_cast<const std::int16_t*>(values));
  const std::int32_t size = encoder.len();
  std::memcpy(out, &size, sizeof size);
  return kSizeBytes + size;
}

template <class Type>
std::int64_t take(Encoding::type encoding, const std::uint8_t* data, int size, int count, void* out) {
  const auto decoder = parquet::MakeTypedDecoder<Type>(encoding);
  decoder->SetData(count, data, size);
  return decoder->Decode(static_cast<typename Type::c_type*>(out), count);
}

std::int64_t take_indices(const std::uint8_t* data, int size, int count, void* out) {
  const auto decoder = parquet::MakeDictDecoder<parquet::Int32Type>();
  decoder->SetData(count, data, size);
  return decoder->DecodeIndices(count, static_cast<std::int32_t*>(out));
}

std::int64_t take_levels(const std::uint8_t* data, int size, int count, void* out) {
  parquet::LevelDecoder decoder;
  decoder.SetData(Encoding::RLE, kMostLevel, count, data, size);
  return decoder.Decode(count, static_cast<std::int16_t*>(out));
}

// The strings themselves, one behind the other: Arrow's decoder says where each lies.
std::int64_t take_strings(int kind, const std::uint8_t* data, int size, int count, std::uint8_t* out) {
  const auto decoder = parquet::MakeTypedDecoder<parquet::ByteArrayType>(of_strings(kind));
  decoder->SetData(count, data, size);
  std::vector<ByteArray> strings(static_cast<std::size_t>(count));
  const int got = decoder->Decode(strings.data(), count);
  for (const ByteArray& one : std::span(strings).first(static_cast<std::size_t>(got))) {
    std::memcpy(out, one.ptr, one.len);
    out += one.len;
  }
  return got;
}

}  // namespace

// `values`: `count` elements of the kind's type, or the bytes of strings. Returns the bytes written to `out`.
extern "C" std::int64_t arrow_encode(int kind, const void* values, const std::int32_t* lengths, int count, std::uint8_t* out,
                                     std::int64_t room) try {
  switch (kind) {
    case kDelta32: return put<parquet::Int32Type>(Encoding::DELTA_BINARY_PACKED, values, count, out, room);
    case kDelta64: return put<parquet::Int64Type>(Encoding::DELTA_BINARY_PACKED, values, count, out, room);
    case kIndices: return put_indices(values, count, out, room);
    case kLevels: return put_levels(values, count, out, room);
    case kSplit32: return put<parquet::FloatType>(Encoding::BYTE_STREAM_SPLIT, values, count, out, room);
    case kSplit64: return put<parquet::DoubleType>(Encoding::BYTE_STREAM_SPLIT, values, count, out, room);
    default: break;
  }
  const auto strings = strings_of(static_cast<const std::uint8_t*>(values), lengths, count);
  return put<parquet::ByteArrayType>(of_strings(kind), strings.data(), count, out, room);
} catch (const std::exception&) {
  return -1;
}

// Returns the number of values that were decoded into `out`.
extern "C" std::int64_t arrow_decode(int kind, const std::uint8_t* data, int size, int count, void* out) try {
  switch (kind) {
    case kDelta32: return take<parquet::Int32Type>(Encoding::DELTA_BINARY_PACKED, data, size, count, out);
    case kDelta64: return take<parquet::Int64Type>(Encoding::DELTA_BINARY_PACKED, data, size, count, out);
    case kIndices: return take_indices(data, size, count, out);
    case kLevels: return take_levels(data, size, count, out);
    case kSplit32: return take<parquet::FloatType>(Encoding::BYTE_STREAM_SPLIT, data, size, count, out);
    case kSplit64: return take<parquet::DoubleType>(Encoding::BYTE_STREAM_SPLIT, data, size, count, out);
    default: return take_strings(kind, data, size, count, static_cast<std::uint8_t*>(out));
  }
} catch (const std::exception&) {
  return -1;
}
