#include "tests/support/parquet.h"

#include <algorithm>
#include <bit>

namespace sluice::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put_varint(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

std::int64_t sign_extend(std::uint64_t value, unsigned bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

void put_zigzag(Bytes& out, std::int64_t value) {
  put_varint(out, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

// `width` bits of each value, lowest bit first, and zeros up to `count` values; a whole number of bytes.
void put_packed(Bytes& out, std::span<const std::uint64_t> values, unsigned width, unsigned count) {
  const std::size_t start = out.size();
  out.resize(start + std::size_t{count} * width / 8);
  std::size_t at = 0;
  for (const std::uint64_t value : values) {
    for (unsigned bit = 0; bit < width; ++bit, ++at) {
      if ((value >> bit & 1) != 0) out[start + at / 8] |= static_cast<std::uint8_t>(1u << (at % 8));
    }
  }
}

}  // namespace

Bytes encode_delta(std::span<const std::uint64_t> values, const DeltaLayout& layout) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - layout.bits);
  const unsigned room = layout.block_size / layout.miniblocks;
  Bytes out;
  put_varint(out, layout.block_size);
  put_varint(out, layout.miniblocks);
  put_varint(out, values.size());
  put_zigzag(out, values.empty() ? 0 : sign_extend(values[0], layout.bits));
  std::vector<std::uint64_t> steps;
  for (std::size_t i = 1; i < values.size(); ++i) steps.push_back((values[i] - values[i - 1]) & mask);
  for (std::span<const std::uint64_t> left = steps; !left.empty();) {
    const auto block = left.first(std::min<std::size_t>(left.size(), std::size_t{room} * layout.miniblocks));
    left = left.subspan(block.size());
    std::int64_t least = INT64_MAX;
    for (const std::uint64_t step : block) least = std::min(least, sign_extend(step, layout.bits));
    std::vector<std::vector<std::uint64_t>> parts(layout.miniblocks);
    for (std::size_t i = 0; i < block.size(); ++i) parts[i / room].push_back((block[i] - static_cast<std::uint64_t>(least)) & mask);
    std::vector<unsigned> widths;
    put_zigzag(out, least);
    for (const auto& part : parts) {
      std::uint64_t all = 0;
      for (const std::uint64_t more : part) all |= more;
      widths.push_back(std::min(static_cast<unsigned>(std::bit_width(all)) + layout.spare_width, layout.bits));
      out.push_back(static_cast<std::uint8_t>(widths.back()));
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!parts[k].empty()) put_packed(out, parts[k], widths[k], room);
    }
  }
  return out;
}

Bytes encode_hybrid(std::span<const std::uint64_t> values, unsigned width, unsigned most_groups) {
  constexpr std::size_t kGroup = 8;
  const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
  const auto equal_from = [&](std::size_t at) {
    std::size_t end = at;
    while (end < values.size() && (values[end] & mask) == (values[at] & mask)) ++end;
    return end - at;
  };
  Bytes out;
  for (std::size_t at = 0; at < values.size();) {
    if (const std::size_t run = equal_from(at); run >= kGroup) {
      put_varint(out, run << 1);
      for (unsigned byte = 0; byte < (width + 7) / 8; ++byte) out.push_back(static_cast<std::uint8_t>((values[at] & mask) >> (8 * byte)));
      at += run;
      continue;
    }
    std::size_t groups = 0;
    do ++groups;
    while (groups < most_groups && at + kGroup * groups < values.size() && equal_from(at + kGroup * groups) < kGroup);
    const auto part = values.subspan(at, std::min(kGroup * groups, values.size() - at));
    put_varint(out, groups << 1 | 1);
    put_packed(out, part, width, static_cast<unsigned>(kGroup * groups));
    at += part.size();
  }
  return out;
}

Bytes split_bytes(std::span<const std::uint8_t> elements, unsigned size) {
  Bytes out;
  for (unsigned byte = 0; byte < size; ++byte)
    for (std::size_t at = byte; at < elements.size(); at += size) out.push_back(elements[at]);
  return out;
}

}  // namespace sluice::test
