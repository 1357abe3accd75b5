// libzstd's streaming decoder as control for zstd: frames and skippable frames one after the other, as zstd(1) takes them.
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

}  // namespace

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
