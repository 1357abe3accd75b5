// zlib and libdeflate as controls for deflate, zlib and gzip.
#include <libdeflate.h>
#include <zlib.h>

#include <memory>

#include "tests/support/control.h"

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Inflated {
  int status = Z_DATA_ERROR;
  std::size_t consumed = 0;
  std::string message;
};

// One stream of zlib from the start of `in`, appended to `out` up to `capacity` bytes in all.
Inflated inflate_one(std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary, int window_bits,
                     std::size_t capacity, Bytes& out) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) return {};
  const std::size_t before = out.size();
  // One byte more than allowed, so that an output that is too large shows itself; zlib wants a buffer in any case.
  out.resize(capacity + 1);
  stream.next_in = const_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data() + before;
  stream.avail_out = static_cast<uInt>(out.size() - before);
  int status = inflate(&stream, Z_FINISH);
  if (status == Z_NEED_DICT && !dictionary.empty()) {
    status = inflateSetDictionary(&stream, dictionary.data(), static_cast<uInt>(dictionary.size()));
    if (status == Z_OK) status = inflate(&stream, Z_FINISH);
  }
  // total_in leaves out the header when zlib stops for a dictionary, so the rest is what counts.
  Inflated result{status, in.size() - stream.avail_in, stream.msg != nullptr ? stream.msg : ""};
  out.resize(before + stream.total_out);
  inflateEnd(&stream);
  return result;
}

bool starts_member(std::span<const std::uint8_t> in) { return in.size() >= 2 && in[0] == 0x1f && in[1] == 0x8b; }

struct Free {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

}  // namespace

ControlResult zlib_control(std::string_view codec, const ControlRequest& request) {
  const bool gzip = codec == "gzip";
  const int window_bits = gzip ? MAX_WBITS + 16 : codec == "zlib" ? MAX_WBITS : -MAX_WBITS;
  ControlResult result;
  std::span<const std::uint8_t> left = request.in;
  while (true) {
    const Inflated one = inflate_one(left, request.dictionary, window_bits, request.capacity, result.out);
    // zlib stops at the end of the buffer with Z_BUF_ERROR whichever side ran out.
    if (result.out.size() > request.capacity) return {Verdict::TooLarge, {}, {}};
    if (one.status != Z_STREAM_END) return {Verdict::Refused, {}, one.message};
    left = left.subspan(one.consumed);
    if (left.empty()) break;
    if (!gzip) return {Verdict::Refused, {}, "trailing bytes"};
    if (!starts_member(left) && request.ignore_garbage) break;
  }
  result.verdict = Verdict::Accepted;
  return result;
}

std::optional<ControlResult> libdeflate_control(std::string_view codec, const ControlRequest& request) {
  const bool gzip = codec == "gzip";
  if (!gzip && codec != "zlib" && codec != "deflate") return std::nullopt;
  const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  ControlResult result;
  std::span<const std::uint8_t> left = request.in;
  while (true) {
    const std::size_t before = result.out.size();
    result.out.resize(request.capacity);
    std::size_t used = 0;
    std::size_t made = 0;
    const auto decompress = gzip              ? libdeflate_gzip_decompress_ex
                            : codec == "zlib" ? libdeflate_zlib_decompress_ex
                                              : libdeflate_deflate_decompress_ex;
    const libdeflate_result status = decompress(decompressor.get(), left.data(), left.size(), result.out.data() + before,
                                                result.out.size() - before, &used, &made);
    if (status == LIBDEFLATE_INSUFFICIENT_SPACE) return ControlResult{Verdict::TooLarge, {}, {}};
    if (status != LIBDEFLATE_SUCCESS) return ControlResult{Verdict::Refused, {}, {}};
    result.out.resize(before + made);
    left = left.subspan(used);
    if (left.empty()) break;
    if (!gzip) return ControlResult{Verdict::Refused, {}, "trailing bytes"};
    if (!starts_member(left) && request.ignore_garbage) break;
  }
  result.verdict = Verdict::Accepted;
  return result;
}

}  // namespace sluice::test
