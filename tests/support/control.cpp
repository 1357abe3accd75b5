#include "tests/support/control.h"

#include <bzlib.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lz4frame.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::optional<Bytes> zlib_compress(std::span<const std::uint8_t> raw, int level, int window_bits) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) return std::nullopt;
  Bytes out(deflateBound(&stream, raw.size()));
  stream.next_in = const_cast<Bytef*>(raw.data());
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return std::nullopt;
  return out;
}

}  // namespace

std::string_view control_name(std::string_view codec) {
  if (codec == "deflate" || codec == "zlib" || codec == "gzip" || codec == "orc_zlib") return "zlib";
  if (codec == "lz4_block" || codec == "lz4_frame" || codec == "orc_lz4") return "liblz4";
  if (codec == "snappy_raw" || codec == "snappy_framed" || codec == "orc_snappy") return "libsnappy";
  if (codec == "bzip2") return "libbz2";
  if (codec == "zstd" || codec == "huff0" || codec == "orc_zstd") return "libzstd";
  return {};
}

std::optional<Version> control_version(std::string_view control) {
  if (control == "zlib") return parse_version(zlibVersion());
  if (control == "libdeflate") return parse_version(LIBDEFLATE_VERSION_STRING);
  if (control == "liblz4") return parse_version(LZ4_versionString());
  if (control == "libsnappy") return Version{SNAPPY_MAJOR, SNAPPY_MINOR};
  if (control == "libbz2") return parse_version(BZ2_bzlibVersion());
  if (control == "libzstd") return parse_version(ZSTD_versionString());
  return std::nullopt;
}

bool ignores_garbage(std::string_view codec, std::string_view set) {
  if (set.starts_with("ignore_garbage=")) return set == "ignore_garbage=true";
  return codec != "snappy_framed";
}

std::optional<ControlResult> control(std::string_view codec, const ControlRequest& request) {
  if (codec == "deflate" || codec == "zlib" || codec == "gzip") return zlib_control(codec, request);
  if (codec == "lz4_block") return lz4_block_control(request);
  if (codec == "lz4_frame") return lz4_frame_control(request);
  if (codec == "snappy_raw") return snappy_raw_control(request);
  if (codec == "snappy_framed") return snappy_framed_control(request);
  if (codec == "orc_zlib" || codec == "orc_snappy" || codec == "orc_lz4" || codec == "orc_zstd") return orc_chunks_control(codec, request);
  if (codec == "bzip2") return bzip2_control(request);
  if (codec == "zstd") return zstd_control(request);
  if (codec == "huff0") return huff0_control(request);
  return std::nullopt;
}

std::optional<ControlResult> second_control(std::string_view codec, const ControlRequest& request) {
  if (!request.dictionary.empty()) return std::nullopt;
  return libdeflate_control(codec, request);
}

std::optional<Bytes> control_compress(std::string_view codec, std::span<const std::uint8_t> raw, int level) {
  if (codec == "deflate") return zlib_compress(raw, level, -MAX_WBITS);
  if (codec == "zlib") return zlib_compress(raw, level, MAX_WBITS);
  if (codec == "gzip") return zlib_compress(raw, level, MAX_WBITS + 16);
  if (codec == "bzip2") return bzip2_compress(raw, level);
  if (codec == "zstd") return zstd_compress(raw, level);
  if (codec == "lz4_block") {
    Bytes out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
    const int size = LZ4_compress_default(reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(out.data()),
                                          static_cast<int>(raw.size()), static_cast<int>(out.size()));
    if (size <= 0) return std::nullopt;
    out.resize(static_cast<std::size_t>(size));
    return out;
  }
  if (codec == "lz4_frame") {
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    Bytes out(LZ4F_compressFrameBound(raw.size(), &preferences));
    const std::size_t size = LZ4F_compressFrame(out.data(), out.size(), raw.data(), raw.size(), &preferences);
    if (LZ4F_isError(size) != 0U) return std::nullopt;
    out.resize(size);
    return out;
  }
  if (codec == "snappy_raw") {
    Bytes out(snappy::MaxCompressedLength(raw.size()));
    std::size_t size = 0;
    snappy::RawCompress(reinterpret_cast<const char*>(raw.data()), raw.size(), reinterpret_cast<char*>(out.data()), &size);
    out.resize(size);
    return out;
  }
  return std::nullopt;
}

}  // namespace sluice::test
