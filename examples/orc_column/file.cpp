#include "examples/orc_column/file.h"

#include <limits>

#include "examples/orc_column/refused.h"

namespace orc_column {
namespace {

// What a file without a block size has (ORC specification, "Compression").
constexpr std::uint64_t kDefaultBlockSize = 262144;

std::string codec_of(proto::Compression compression) {
  switch (compression) {
    case proto::NONE: return "";
    case proto::ZLIB: return "orc_zlib";
    case proto::SNAPPY: return "orc_snappy";
    case proto::LZ4: return "orc_lz4";
    case proto::ZSTD: return "orc_zstd";
    case proto::LZO: throw Refused("compressed with LZO: there is no codec for it");
    case proto::BROTLI: throw Refused("compressed with Brotli: there is no codec for it");
    default: throw Refused("compressed with method " + std::to_string(compression) + ", which is not known");
  }
}

template <class Message>
void parse(Message& message, View bytes, const char* what) {
  const bool fits = bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (!fits || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw Refused(std::string("its ") + what + " is not a protobuf message of that kind");
}

unsigned children_of(const proto::Type& type, int columns) {
  switch (type.kind()) {
    case proto::Type::LIST: return 1;
    case proto::Type::MAP: return 2;
    case proto::Type::STRUCT: return static_cast<unsigned>(type.field_names_size());
    case proto::Type::UNION: return static_cast<unsigned>(std::min(type.subtypes_size(), columns));
    default: return 0;
  }
}

}  // namespace

File::File(View content, Decoders& decoders) : content_(content), decoders_(decoders) {
  if (content.empty()) throw Refused("an empty file");
  const std::uint64_t tail = std::uint64_t{content.back()} + 1;
  if (tail > content.size()) throw Refused("it is too short for its postscript");
  parse(postscript_, part(content.size() - tail, tail - 1), "postscript");
  if (postscript_.magic() != "ORC") throw Refused("its postscript does not say ORC");
  codec_ = codec_of(postscript_.compression());
  const std::uint64_t room = content.size() - tail;
  if (postscript_.footer_length() > room) throw Refused("its footer is larger than the file");
  parse(footer_, expand(room - postscript_.footer_length(), postscript_.footer_length()), "footer");
  if (!footer_.encryption().empty()) throw Refused("it has encrypted columns");
  check_types();
}

bool File::decimals_as_integers() const {
  return postscript_.version_size() == 2 && postscript_.version(0) == 1 && postscript_.version(1) == 9999;
}

View File::part(std::uint64_t offset, std::uint64_t size) const {
  if (offset > content_.size() || size > content_.size() - offset) throw Refused("a part lies outside the file");
  return content_.subspan(offset, size);
}

Bytes File::expand(std::uint64_t offset, std::uint64_t size) const {
  const View raw = part(offset, size);
  if (codec_.empty()) return {raw.begin(), raw.end()};
  const std::uint64_t named = postscript_.compression_block_size();
  const std::uint64_t block = named != 0 ? named : kDefaultBlockSize;
  return decoders_.decode<std::uint8_t>(codec_, "", raw, std::numeric_limits<std::uint64_t>::max(),
                                        {{"block_size", block}});
}

// Subtypes stand after their parent, each has one parent, so types are a tree and walking it ends.
void File::check_types() const {
  const int count = footer_.types_size();
  if (count == 0 && footer_.number_of_rows() > 0) throw Refused("it has rows but no types");
  std::vector<unsigned> depth(static_cast<std::size_t>(count), 0);
  for (int id = 0; id < count; ++id) {
    const proto::Type& type = footer_.types(id);
    if (static_cast<unsigned>(type.subtypes_size()) != children_of(type, count))
      throw Refused("type " + std::to_string(id) + " has a wrong number of subtypes");
    for (const std::uint32_t child : type.subtypes()) {
      if (child >= static_cast<std::uint32_t>(count) || child <= static_cast<std::uint32_t>(id) || depth[child] != 0)
        throw Refused("its types are not a tree");
      depth[child] = depth[static_cast<std::size_t>(id)] + 1;
      if (depth[child] > kDeepestType) throw Refused("its types are nested too deeply");
    }
  }
}

Stripe::Stripe(const File& file, const proto::StripeInformation& place) : file_(file), rows_(place.number_of_rows()) {
  std::uint64_t end = place.offset();
  for (const std::uint64_t size : {place.index_length(), place.data_length()}) {
    if (size > std::numeric_limits<std::uint64_t>::max() - end) throw Refused("a stripe lies outside the file");
    end += size;
  }
  parse(footer_, file.expand(end, place.footer_length()), "stripe footer");

  // One for each type, those included that have no values of their own, such as the struct of all columns.
  const int encodings = footer_.columns_size(), types = file.footer().types_size();
  if (encodings == 0 && types != 0) throw Refused("the stripe footer names no encodings");
  if (encodings != types) {
    throw Refused("the stripe footer names " + std::to_string(encodings) + " encodings for " + std::to_string(types) + " types");
  }

  std::uint64_t offset = place.offset();
  for (const proto::Stream& stream : footer_.streams()) {
    if (stream.length() > end - offset) throw Refused("a stream lies outside its stripe");
    streams_[{stream.column(), stream.kind()}] = {offset, stream.length()};
    offset += stream.length();
  }
}

const proto::ColumnEncoding& Stripe::encoding(std::uint32_t column) const {
  return footer_.columns(static_cast<int>(column));  // there is one for each type
}

bool Stripe::has(std::uint32_t column, proto::Stream::Kind kind) const { return streams_.contains({column, kind}); }

Bytes Stripe::stream(std::uint32_t column, proto::Stream::Kind kind) const {
  const auto found = streams_.find({column, kind});
  if (found == streams_.end()) return {};
  return file_.expand(found->second.offset, found->second.size);
}

}  // namespace orc_column
