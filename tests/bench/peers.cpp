// The libraries we are measured against, each as its users would call it: one decoder object kept between chunks.
#include <bzlib.h>
#include <libdeflate.h>
#include <lz4.h>
#include <snappy-stubs-public.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>

#include "tests/bench/contest.h"
#include "tests/bench/plain.h"

namespace sluice::bench {
namespace {

// Calls `one(chunk, place)` for each chunk in turn.
template <class One>
bool each_chunk(const Material& material, std::span<std::uint8_t> out, const One& one) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < material.packed.size(); ++i) {
    if (!one(material.packed[i], out.subspan(at, material.raw_sizes[i]))) return false;
    at += material.raw_sizes[i];
  }
  return true;
}

Decode zlib_decode(int window_bits) {
  struct End {
    void operator()(z_stream* stream) const {
      inflateEnd(stream);
      delete stream;
    }
  };
  const std::shared_ptr<z_stream> stream(new z_stream{}, End());
  if (inflateInit2(stream.get(), window_bits) != Z_OK) return {};
  return [stream](const Material& material, std::span<std::uint8_t> out) {
    return each_chunk(material, out, [&](const Bytes& in, std::span<std::uint8_t> place) {
      inflateReset(stream.get());
      stream->next_in = const_cast<Bytef*>(in.data());
      stream->avail_in = static_cast<uInt>(in.size());
      stream->next_out = place.data();
      stream->avail_out = static_cast<uInt>(place.size());
      return inflate(stream.get(), Z_FINISH) == Z_STREAM_END;
    });
  };
}

template <class Function>
Decode libdeflate_decode(Function decompress) {
  const std::shared_ptr<libdeflate_decompressor> decompressor(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  return [decompressor, decompress](const Material& material, std::span<std::uint8_t> out) {
    return each_chunk(material, out, [&](const Bytes& in, std::span<std::uint8_t> place) {
      return decompress(decompressor.get(), in.data(), in.size(), place.data(), place.size(), nullptr) == LIBDEFLATE_SUCCESS;
    });
  };
}

bool lz4_decode(const Material& material, std::span<std::uint8_t> out) {
  return each_chunk(material, out, [](const Bytes& in, std::span<std::uint8_t> place) {
    return LZ4_decompress_safe(reinterpret_cast<const char*>(in.data()), reinterpret_cast<char*>(place.data()),
                               static_cast<int>(in.size()), static_cast<int>(place.size())) == static_cast<int>(place.size());
  });
}

bool snappy_decode(const Material& material, std::span<std::uint8_t> out) {
  return each_chunk(material, out, [](const Bytes& in, std::span<std::uint8_t> place) {
    return snappy::RawUncompress(reinterpret_cast<const char*>(in.data()), in.size(), reinterpret_cast<char*>(place.data()));
  });
}

bool bzip2_decode(const Material& material, std::span<std::uint8_t> out) {
  return each_chunk(material, out, [](const Bytes& in, std::span<std::uint8_t> place) {
    auto size = static_cast<unsigned>(place.size());
    return BZ2_bzBuffToBuffDecompress(reinterpret_cast<char*>(place.data()), &size,
                                      const_cast<char*>(reinterpret_cast<const char*>(in.data())),
                                      static_cast<unsigned>(in.size()), 0, 0) == BZ_OK && size == place.size();
  });
}

bool zstd_decode(const Material& material, std::span<std::uint8_t> out) {
  static thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  return each_chunk(material, out, [](const Bytes& in, std::span<std::uint8_t> place) {
    return ZSTD_decompressDCtx(context.get(), place.data(), place.size(), in.data(), in.size()) == place.size();
  });
}

// A loop as one would write it by hand.
Decode plain(bool (*decode)(std::span<const std::uint8_t>, std::span<std::uint8_t>)) {
  return [decode](const Material& material, std::span<std::uint8_t> out) { return each_chunk(material, out, decode); };
}

}  // namespace

std::vector<Contestant> peers(const std::string& codec) {
  if (codec == "deflate") {
    return {{"zlib", zlib_decode(-MAX_WBITS)}, {"libdeflate", libdeflate_decode(libdeflate_deflate_decompress)}};
  }
  if (codec == "zlib") return {{"zlib", zlib_decode(MAX_WBITS)}, {"libdeflate", libdeflate_decode(libdeflate_zlib_decompress)}};
  if (codec == "gzip") {
    return {{"zlib", zlib_decode(MAX_WBITS + 16)}, {"libdeflate", libdeflate_decode(libdeflate_gzip_decompress)}};
  }
  if (codec == "lz4_block") return {{"liblz4", lz4_decode}};
  if (codec == "snappy_raw") return {{"libsnappy", snappy_decode}};
  if (codec == "fsst") return {{"plain C++", plain(fsst_decode)}};
  if (codec == "bzip2") return {{"libbz2", bzip2_decode}};
  if (codec == "zstd") return {{"libzstd", zstd_decode}};
  if (codec == "recent_pixels") return {{"plain C++", plain(pixels_decode)}};
  if (codec == "seen_strings") return {{"plain C++", plain(strings_decode)}};
  if (codec == "xor_windows") return {{"plain C++", plain(windows_decode)}};
  return {};
}

std::string peer_versions() {
  return std::string("zlib ") + zlibVersion() + ", libdeflate " LIBDEFLATE_VERSION_STRING ", liblz4 " + LZ4_versionString() +
         ", libsnappy " + std::to_string(SNAPPY_MAJOR) + "." + std::to_string(SNAPPY_MINOR) + "." + std::to_string(SNAPPY_PATCHLEVEL) + ", libbz2 " + BZ2_bzlibVersion() +
         ", libzstd " + ZSTD_versionString();
}

}  // namespace sluice::bench
