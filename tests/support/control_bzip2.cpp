// libbz2 as control for bzip2, stream after stream as bzip2(1) does it.
#include <bzlib.h>

#include <algorithm>
#include <array>
#include <memory>

#include "tests/support/control.h"

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// No output of libbz2 is of interest beyond the capacity; it is taken in pieces of this many bytes.
constexpr std::size_t kPiece = 1 << 16;

std::string_view name_of(int status) {
  switch (status) {
    case BZ_OK: return "unexpected end";  // all input is used and the stream goes on
    case BZ_DATA_ERROR: return "data error";
    case BZ_DATA_ERROR_MAGIC: return "magic error";
    default: return "other error";
  }
}

struct Stream {
  int status = BZ_OK;
  std::size_t consumed = 0;
};

struct End {
  void operator()(bz_stream* stream) const {
    BZ2_bzDecompressEnd(stream);
    delete stream;
  }
};

// One stream from the start of `in`, appended to `out`; stops when that has grown above `capacity`.
Stream decompress_one(std::span<const std::uint8_t> in, std::size_t capacity, Bytes& out) {
  const std::unique_ptr<bz_stream, End> stream(new bz_stream{});
  if (BZ2_bzDecompressInit(stream.get(), 0, 0) != BZ_OK) return {BZ_MEM_ERROR, 0};
  stream->next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
  stream->avail_in = static_cast<unsigned>(in.size());
  std::array<char, kPiece> piece;
  Stream result;
  bool moved = true;
  while (result.status == BZ_OK && moved && out.size() <= capacity) {
    const unsigned left = stream->avail_in;
    stream->next_out = piece.data();
    stream->avail_out = static_cast<unsigned>(std::min(kPiece, capacity + 1 - out.size()));
    const unsigned room = stream->avail_out;
    result.status = BZ2_bzDecompress(stream.get());
    out.insert(out.end(), piece.data(), piece.data() + (room - stream->avail_out));
    moved = stream->avail_in != left || stream->avail_out != room;
  }
  result.consumed = in.size() - stream->avail_in;
  return result;
}

}  // namespace

ControlResult bzip2_control(const ControlRequest& request) {
  ControlResult result;
  std::span<const std::uint8_t> left = request.in;
  bool first = true;
  do {
    const Stream one = decompress_one(left, request.capacity, result.out);
    if (result.out.size() > request.capacity) return {Verdict::TooLarge, {}, {}};
    // bzip2(1): whatever has not the header of a stream is garbage, unless nothing stands before it.
    if (one.status == BZ_DATA_ERROR_MAGIC && !first && request.ignore_garbage) break;
    if (one.status != BZ_STREAM_END) return {Verdict::Refused, {}, std::string(name_of(one.status))};
    left = left.subspan(one.consumed);
    first = false;
  } while (!left.empty());
  result.verdict = Verdict::Accepted;
  return result;
}

std::optional<Bytes> bzip2_compress(std::span<const std::uint8_t> raw, int level) {
  // The bound that bzlib.h states for BZ2_bzBuffToBuffCompress: 1 % and 600 bytes more.
  Bytes out(raw.size() + raw.size() / 100 + 601);
  auto size = static_cast<unsigned>(out.size());
  const int status = BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size,
                                              const_cast<char*>(reinterpret_cast<const char*>(raw.data())),
                                              static_cast<unsigned>(raw.size()), std::clamp(level, 1, 9), 0, 0);
  if (status != BZ_OK) return std::nullopt;
  out.resize(size);
  return out;
}

}  // namespace sluice::test
