// libzstd's streaming decoder as control for zstd: frames and skippable frames one after the other, as zstd(1) takes them; and for
// huff0, whose literals it is given as a frame of one block without sequences.
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "tests/support/control.h"

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Bytes of input a call: less than a frame's header. Where libzstd has the whole frame and room for its content, it decodes it in
// one call, which judges in another order and looks at no window.
constexpr std::size_t kInPiece = 4;
constexpr std::size_t kOutPiece = 1 << 12;

struct Free {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// Bytes that literals say they have (RFC 8878, 3.1.1.3.1.1); 0: their header is cut.
std::size_t size_of_literals(std::span<const std::uint8_t> in) {
  const auto bits = [&](unsigned from, unsigned count) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 5 && i < in.size(); ++i) value |= std::uint64_t{in[i]} << 8 * i;
    return static_cast<std::size_t>(value >> from & ((std::uint64_t{1} << count) - 1));
  };
  if (in.empty()) return 0;
  const std::size_t kind = bits(0, 2), form = bits(2, 2);
  if (kind < 2) {
    const std::size_t header = form == 3 ? 3 : form == 1 ? 2 : 1;
    const std::size_t count = form == 3 ? bits(4, 20) : form == 1 ? bits(4, 12) : bits(3, 5);
    return in.size() < header ? 0 : header + (kind == 1 ? 1 : count);
  }
  const unsigned width = form < 2 ? 10 : form == 2 ? 14 : 18;
  const std::size_t header = form < 2 ? 3 : form == 2 ? 4 : 5;
  return in.size() < header ? 0 : header + bits(4 + width, width);
}

}  // namespace

ControlResult huff0_control(const ControlRequest& request) {
  if (size_of_literals(request.in) != request.in.size() || request.in.empty()) return {Verdict::Refused, {}, "literals of another size"};
  // The magic number, and a window of 128 KiB; a last block that is compressed; the literals; no sequences.
  const std::size_t size = request.in.size() + 1;
  Bytes frame{0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3, static_cast<std::uint8_t>(size << 3 | 2 << 1 | 1), static_cast<std::uint8_t>(size >> 5),
              static_cast<std::uint8_t>(size >> 13)};
  frame.insert(frame.end(), request.in.begin(), request.in.end());
  frame.push_back(0);
  return zstd_control({frame, request.capacity});
}

ControlResult zstd_control(const ControlRequest& request) {
  const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  if (!context) return {Verdict::Refused, {}, "no memory"};
  if (!request.dictionary.empty() && !request.in.empty()) {  // without a frame nobody asks for it
    const std::size_t loaded = ZSTD_DCtx_loadDictionary(context.get(), request.dictionary.data(), request.dictionary.size());
    if (ZSTD_isError(loaded) != 0U) return {Verdict::Refused, {}, ZSTD_getErrorName(loaded)};
  }
  ControlResult result;
  ZSTD_inBuffer in{request.in.data(), std::min(kInPiece, request.in.size()), 0};
  std::array<std::uint8_t, kOutPiece> piece;
  std::size_t status = 0;  // 0: a frame has ended, and all of it was output
  bool more = !request.in.empty();
  while (more) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t before = in.pos;
    status = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(status) != 0U) return {Verdict::Refused, {}, ZSTD_getErrorName(status)};
    result.out.insert(result.out.end(), piece.data(), piece.data() + out.pos);
    if (result.out.size() > request.capacity) return {Verdict::TooLarge, {}, {}};
    if (in.pos == in.size) in.size = std::min(in.size + kInPiece, request.in.size());
    more = in.pos < in.size || (status != 0 && (out.pos > 0 || in.pos != before));
  }
  if (status != 0) return {Verdict::Refused, {}, "unexpected end"};
  result.verdict = Verdict::Accepted;
  return result;
}

std::optional<Bytes> zstd_compress(std::span<const std::uint8_t> raw, int level, std::span<const std::uint8_t> dictionary) {
  Bytes out(ZSTD_compressBound(raw.size()));
  const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
  if (!context) return std::nullopt;
  const std::size_t size = ZSTD_compress_usingDict(context.get(), out.data(), out.size(), raw.data(), raw.size(), dictionary.data(), dictionary.size(), level);
  if (ZSTD_isError(size) != 0U) return std::nullopt;
  out.resize(size);
  return out;
}

}  // namespace sluice::test
