#include <algorithm>
#include <cstddef>

#include "tests/bench/cuda_codag/orc_encoder.h"
#include "tests/bench/cuda_codag/orc_words.h"

namespace sluice::bench {
namespace {

constexpr std::size_t kShortestRun = 3, kLongestRun = 130, kMaxLiterals = 128;

std::size_t run_length(std::span<const std::uint8_t> bytes) {
  std::size_t length = 1;
  while (length < std::min(bytes.size(), kLongestRun) && bytes[length] == bytes.front()) ++length;
  return length;
}

}  // namespace

std::vector<std::uint8_t> encode_orc_byte_rle(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> out;
  for (std::size_t at = 0; at < bytes.size();) {
    if (const std::size_t length = run_length(bytes.subspan(at)); length >= kShortestRun) {
      out.push_back(static_cast<std::uint8_t>(length - kShortestRun));
      out.push_back(bytes[at]);
      at += length;
      continue;
    }
    std::size_t literals = 1;
    while (literals < kMaxLiterals && at + literals < bytes.size() && run_length(bytes.subspan(at + literals)) < kShortestRun) ++literals;
    out.push_back(static_cast<std::uint8_t>(-static_cast<int>(literals)));
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(literals));
    at += literals;
  }
  return out;
}

std::vector<std::uint8_t> encode_orc_decimal(std::span<const std::int64_t> values) {
  std::vector<std::uint8_t> out;
  for (const std::int64_t value : values) put_varint(out, zigzag(value));
  return out;
}

}  // namespace sluice::bench
