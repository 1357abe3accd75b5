// libsnappy as control for raw Snappy, and a small reader of the framing format (framing_format.txt) over it.
#include <snappy.h>

#include <array>

#include "tests/support/control.h"

namespace sluice::test {
namespace {

constexpr std::size_t kChunkMax = 65536;  // framing_format.txt 4.2, 4.3
constexpr std::string_view kIdentifier = "sNaPpY";

const char* chars(std::span<const std::uint8_t> in) { return reinterpret_cast<const char*>(in.data()); }

std::array<std::uint32_t, 256> crc32c_table() {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected Castagnoli
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> data) {
  static const auto table = crc32c_table();
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : data) crc = table[(crc ^ byte) & 0xff] ^ (crc >> 8);
  return ~crc;
}

ControlResult snappy_raw_control(const ControlRequest& request) {
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(chars(request.in), request.in.size(), &size)) return {Verdict::Refused, {}, "length"};
  if (size > request.capacity) return {Verdict::TooLarge, {}, {}};
  ControlResult result;
  result.out.resize(size);
  if (!snappy::RawUncompress(chars(request.in), request.in.size(), reinterpret_cast<char*>(result.out.data()))) {
    return {Verdict::Refused, {}, "body"};
  }
  result.verdict = Verdict::Accepted;
  return result;
}

ControlResult snappy_framed_control(const ControlRequest& request) {
  ControlResult result;
  std::span<const std::uint8_t> left = request.in;
  bool first = true;
  while (first || !left.empty()) {
    if (left.empty()) return {Verdict::Refused, {}, "no input"};
    const std::uint8_t kind = left[0];
    if (!first && request.ignore_garbage && kind > 1 && kind < 0x80) break;
    if (left.size() < 4) return {Verdict::Refused, {}, "chunk header"};
    const std::size_t size = left[1] | static_cast<std::size_t>(left[2]) << 8 | static_cast<std::size_t>(left[3]) << 16;
    left = left.subspan(4);
    if (first && kind != 0xff) return {Verdict::Refused, {}, "no stream identifier"};
    first = false;
    if (size > left.size()) return {Verdict::Refused, {}, "chunk cut"};
    const auto body = left.first(size);
    left = left.subspan(size);
    if (kind == 0xff) {
      if (std::string_view(chars(body), body.size()) != kIdentifier) return {Verdict::Refused, {}, "stream identifier"};
      continue;
    }
    if (kind >= 0x80) continue;
    if (kind > 1) return {Verdict::Refused, {}, "unskippable"};
    if (size < 4) return {Verdict::Refused, {}, "no checksum"};
    const std::uint32_t masked = static_cast<std::uint32_t>(body[0]) | static_cast<std::uint32_t>(body[1]) << 8 |
                                 static_cast<std::uint32_t>(body[2]) << 16 | static_cast<std::uint32_t>(body[3]) << 24;
    std::vector<std::uint8_t> data(body.begin() + 4, body.end());
    if (kind == 0) {
      const ControlResult raw = snappy_raw_control({body.subspan(4), kChunkMax, {}, true});
      if (raw.verdict != Verdict::Accepted) return {Verdict::Refused, {}, "compressed chunk"};
      data = raw.out;
    }
    if (data.size() > kChunkMax) return {Verdict::Refused, {}, "chunk too large"};
    const std::uint32_t crc = crc32c(data);
    if (masked != ((crc >> 15) | (crc << 17)) + 0xa282ead8u) return {Verdict::Refused, {}, "crc"};
    result.out.insert(result.out.end(), data.begin(), data.end());
    if (result.out.size() > request.capacity) return {Verdict::TooLarge, {}, {}};
  }
  result.verdict = Verdict::Accepted;
  return result;
}

}  // namespace sluice::test
