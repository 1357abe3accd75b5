#include <algorithm>
#include <cstddef>

#include "tests/bench/cuda_codag/orc_encoder.h"
#include "tests/bench/cuda_codag/orc_words.h"

namespace sluice::bench {
namespace {

constexpr std::size_t kShortestRun = 3, kLongestRun = 130, kMaxLiterals = 128;

// Length of the arithmetic run that starts the values; 0 when the step does not fit a signed byte.
std::size_t run_length(std::span<const std::int64_t> values) {
  if (values.size() < kShortestRun) return 0;
  const std::uint64_t step = static_cast<std::uint64_t>(values[1]) - static_cast<std::uint64_t>(values[0]);
  if (static_cast<std::int64_t>(step) < -128 || static_cast<std::int64_t>(step) > 127) return 0;
  std::size_t length = 2;
  while (length < std::min(values.size(), kLongestRun) &&
         static_cast<std::uint64_t>(values[length]) - static_cast<std::uint64_t>(values[length - 1]) == step)
    ++length;
  return length;
}

}  // namespace

std::vector<std::uint8_t> encode_orc_rle_v1(std::span<const std::int64_t> values, bool is_signed) {
  std::vector<std::uint8_t> out;
  std::size_t literals = 0;  // how many before `at` are not written yet
  std::size_t at = 0;
  const auto flush = [&] {
    if (literals == 0) return;
    out.push_back(static_cast<std::uint8_t>(-static_cast<int>(literals)));
    for (std::size_t i = at - literals; i < at; ++i) put_varint(out, word(values[i], is_signed));
    literals = 0;
  };
  while (at < values.size()) {
    const std::size_t length = run_length(values.subspan(at));
    if (length >= kShortestRun) {
      flush();
      out.push_back(static_cast<std::uint8_t>(length - kShortestRun));
      out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(values[at + 1]) - static_cast<std::uint64_t>(values[at])));
      put_varint(out, word(values[at], is_signed));
      at += length;
      continue;
    }
    ++at;
    if (++literals == kMaxLiterals) flush();
  }
  flush();
  return out;
}

}  // namespace sluice::bench
