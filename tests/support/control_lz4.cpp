// liblz4 as control for LZ4 blocks and frames. Legacy frames, which liblz4 leaves to the lz4 program, are walked here.
#include <lz4.h>
// LZ4F_decompress_usingDict is declared under this name only; the shared library exports it.
#define LZ4F_STATIC_LINKING_ONLY
#include <lz4frame.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/support/control.h"

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kMagic = 0x184d2204;
constexpr std::uint32_t kLegacyMagic = 0x184c2102;
constexpr std::uint32_t kSkippable = 0x184d2a50;  // ..5f
constexpr std::size_t kLegacyBlock = 8u << 20;    // lz4_Frame_format.md, "Legacy frame"

struct Free {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};

std::uint32_t u32le(std::span<const std::uint8_t> in) {
  return static_cast<std::uint32_t>(in[0]) | static_cast<std::uint32_t>(in[1]) << 8 |
         static_cast<std::uint32_t>(in[2]) << 16 | static_cast<std::uint32_t>(in[3]) << 24;
}

bool starts_frame(std::uint32_t word) {
  return word == kMagic || word == kLegacyMagic || (word & 0xfffffff0) == kSkippable;
}

// Size of the block's output, or -1.
int decompress(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, std::span<const std::uint8_t> dictionary) {
  return LZ4_decompress_safe_usingDict(reinterpret_cast<const char*>(in.data()), reinterpret_cast<char*>(out.data()),
                                       static_cast<int>(in.size()), static_cast<int>(out.size()),
                                       reinterpret_cast<const char*>(dictionary.data()), static_cast<int>(dictionary.size()));
}

// A frame or a skippable frame at the start of `in`; the bytes used, or nothing.
std::optional<std::size_t> one_frame(std::span<const std::uint8_t> in, const ControlRequest& request, Bytes& out,
                                     std::string& message) {
  LZ4F_dctx* raw_context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw_context, LZ4F_VERSION)) != 0U) return std::nullopt;
  const std::unique_ptr<LZ4F_dctx, Free> context(raw_context);
  std::size_t used = 0;
  while (true) {
    const std::size_t before = out.size();
    out.resize(request.capacity + 1);
    std::size_t made = out.size() - before;
    std::size_t taken = in.size() - used;
    const std::size_t hint = LZ4F_decompress_usingDict(context.get(), out.data() + before, &made, in.data() + used, &taken,
                                                       request.dictionary.data(), request.dictionary.size(), nullptr);
    if (LZ4F_isError(hint) != 0U) {
      out.resize(before);
      message = LZ4F_getErrorName(hint);
      return std::nullopt;
    }
    out.resize(before + made);
    used += taken;
    if (hint == 0) return used;
    if (out.size() > request.capacity || (taken == 0 && made == 0) || used == in.size()) {
      message = "unfinished";
      return std::nullopt;
    }
  }
}

std::optional<std::size_t> legacy_frame(std::span<const std::uint8_t> in, const ControlRequest& request, Bytes& out,
                                        std::string& message) {
  std::size_t at = 4;
  while (at < in.size()) {
    if (in.size() - at < 4) return std::nullopt;
    const std::uint32_t size = u32le(in.subspan(at));
    if (starts_frame(size)) break;
    if (request.ignore_garbage && size > LZ4_COMPRESSBOUND(kLegacyBlock)) break;  // as the lz4 program has it
    at += 4;
    if (size > in.size() - at) return std::nullopt;
    const std::size_t before = out.size();
    out.resize(std::min(before + kLegacyBlock, request.capacity + 1));
    const int made = decompress(in.subspan(at, size), std::span(out).subspan(before), {});
    if (made < 0) {
      out.resize(before);
      message = "ERROR_decompressionFailed";  // as LZ4F_decompress calls it
      return std::nullopt;
    }
    out.resize(before + static_cast<std::size_t>(made));
    at += size;
  }
  return at;
}

}  // namespace

ControlResult lz4_block_control(const ControlRequest& request) {
  ControlResult result;
  result.out.resize(request.capacity);
  const int made = decompress(request.in, result.out, request.dictionary);
  if (made < 0) return {Verdict::Refused, {}, {}};
  result.out.resize(static_cast<std::size_t>(made));
  result.verdict = Verdict::Accepted;
  return result;
}

ControlResult lz4_frame_control(const ControlRequest& request) {
  ControlResult result;
  std::span<const std::uint8_t> left = request.in;
  while (!left.empty()) {
    if (left.size() < 4) return {Verdict::Refused, {}, "truncated magic"};
    if (left.size() != request.in.size() && request.ignore_garbage && !starts_frame(u32le(left))) break;
    const auto used = u32le(left) == kLegacyMagic ? legacy_frame(left, request, result.out, result.message)
                                                  : one_frame(left, request, result.out, result.message);
    if (result.out.size() > request.capacity) return {Verdict::TooLarge, {}, {}};
    if (!used) return {Verdict::Refused, {}, result.message};
    left = left.subspan(*used);
  }
  result.verdict = Verdict::Accepted;
  return result;
}

bool lz4_keeps_end_rules(std::span<const std::uint8_t> block) {
  std::size_t at = 0;
  std::uint64_t made = 0;
  std::uint64_t last_copy = 0;
  bool copied = false;
  const auto extended = [&](std::uint64_t length) {
    if (length != 15) return length;
    while (at < block.size()) {
      const std::uint8_t more = block[at++];
      length += more;
      if (more != 255) break;
    }
    return length;
  };
  while (at < block.size()) {
    const std::uint8_t token = block[at++];
    const std::uint64_t literals = extended(token >> 4);
    if (literals > block.size() - at) return false;
    at += literals;
    made += literals;
    if (at == block.size()) return !copied || (literals >= 5 && made - last_copy >= 12);
    if (block.size() - at < 2) return false;
    at += 2;
    last_copy = made;
    copied = true;
    made += extended(token & 15u) + 4;
  }
  return false;
}

}  // namespace sluice::test
