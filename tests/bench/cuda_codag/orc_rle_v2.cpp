#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "tests/bench/cuda_codag/orc_encoder.h"
#include "tests/bench/cuda_codag/orc_words.h"

namespace sluice::bench {
namespace {

constexpr std::size_t kShortestRun = 3, kLongestShortRepeat = 10, kMaxValues = 512;
constexpr unsigned kMaxPatches = 31, kMaxGap = 255;

// Widths that have a code: 1 to 24, then these.
constexpr std::array<unsigned, 8> kWide{26, 28, 30, 32, 40, 48, 56, 64};
constexpr unsigned kDense = 24;

unsigned closest_width(unsigned bits) {
  if (bits <= kDense) return std::max(bits, 1u);
  return *std::ranges::lower_bound(kWide, bits);
}

// The width a reader takes eight values of at a time.
unsigned aligned_width(unsigned bits) {
  for (const unsigned width : {1u, 2u, 4u, 8u})
    if (bits <= width) return width;
  return (bits + 7) / 8 * 8;
}

unsigned width_code(unsigned width) {
  if (width <= kDense) return width - 1;
  return kDense + static_cast<unsigned>(std::ranges::find(kWide, width) - kWide.begin());
}

unsigned bits_of(std::uint64_t value) { return closest_width(static_cast<unsigned>(std::bit_width(value))); }

class Writer {
 public:
  explicit Writer(bool is_signed) : signed_(is_signed) {}
  std::vector<std::uint8_t> out;

  // Equal values, 3 to 512 of them.
  void equal(std::int64_t value, std::size_t count) {
    if (count > kLongestShortRepeat) {
      header(3, 0, count);
      put_varint(out, word(value, signed_));
      put_varint(out, 0);
      return;
    }
    const std::uint64_t stored = word(value, signed_);
    const unsigned bytes = std::max(1u, (static_cast<unsigned>(std::bit_width(stored)) + 7) / 8);
    out.push_back(static_cast<std::uint8_t>((bytes - 1) << 3 | (count - kShortestRun)));
    put_bytes(stored, bytes);
  }

  // 1 to 512 values, without three equal ones in a row.
  void mixed(std::span<const std::int64_t> values) {
    if (values.size() <= kShortestRun) return direct(values);
    const auto [least, most] = std::ranges::minmax(values);
    std::int64_t range = 0;
    if (__builtin_sub_overflow(most, least, &range)) return direct(values);
    if (arithmetic(values)) return delta(values, true);
    if (values[1] != values[0] && (std::ranges::is_sorted(values) || std::ranges::is_sorted(values, std::greater<>())))
      return delta(values, false);
    if (!patched(values, least)) direct(values);
  }

 private:
  static bool arithmetic(std::span<const std::int64_t> values) {
    const std::int64_t step = values[1] - values[0];
    for (std::size_t i = 2; i < values.size(); ++i)
      if (values[i] - values[i - 1] != step) return false;
    return true;
  }

  void header(unsigned kind, unsigned code, std::size_t count) {
    const auto less_one = static_cast<unsigned>(count - 1);
    out.push_back(static_cast<std::uint8_t>(kind << 6 | code << 1 | less_one >> 8));
    out.push_back(static_cast<std::uint8_t>(less_one));
  }

  void put_bytes(std::uint64_t value, unsigned bytes) {
    while (bytes-- > 0) out.push_back(static_cast<std::uint8_t>(value >> 8 * bytes));
  }

  // Most significant bits first.
  void put_bits(std::uint64_t value, unsigned width) {
    for (unsigned left = width; left > 0;) {
      const unsigned take = std::min(left, 8 - filled_);
      left -= take;
      partial_ = static_cast<std::uint8_t>(partial_ << take | (value >> left & ((1u << take) - 1)));
      filled_ += take;
      if (filled_ == 8) flush_bits();
    }
  }
  void flush_bits() {
    if (filled_ != 0) out.push_back(static_cast<std::uint8_t>(partial_ << (8 - filled_)));
    partial_ = 0;
    filled_ = 0;
  }

  void direct(std::span<const std::int64_t> values) {
    std::uint64_t all = 0;
    for (const std::int64_t value : values) all |= word(value, signed_);
    const unsigned width = aligned_width(static_cast<unsigned>(std::bit_width(all)));
    header(1, width_code(width), values.size());
    for (const std::int64_t value : values) put_bits(word(value, signed_), width);
    flush_bits();
  }

  // Sorted values: the first, the first step, then sizes of the other steps.
  void delta(std::span<const std::int64_t> values, bool fixed) {
    const std::int64_t first_step = values[1] - values[0];
    std::uint64_t all = 0;
    const auto step = [&](std::size_t i) {
      const std::int64_t by = values[i] - values[i - 1];
      return static_cast<std::uint64_t>(by < 0 ? -by : by);
    };
    for (std::size_t i = 2; i < values.size(); ++i) all |= step(i);
    // Code 0 says that the step is fixed, so one bit is written as two.
    const unsigned width = std::max(2u, aligned_width(static_cast<unsigned>(std::bit_width(all))));
    header(3, fixed ? 0 : width_code(width), values.size());
    put_varint(out, word(values[0], signed_));
    put_varint(out, zigzag(first_step));
    for (std::size_t i = 2; !fixed && i < values.size(); ++i) put_bits(step(i), width);
    flush_bits();
  }

  // The width that so many hundredths of the words fit in.
  static unsigned percentile(std::span<const std::uint64_t> words, unsigned hundredths) {
    std::array<std::size_t, 65> count{};
    for (const std::uint64_t one : words) ++count[bits_of(one)];
    std::size_t may_be_wider = words.size() * (100 - hundredths) / 100;
    for (unsigned width = 64; width > 0; --width) {
      if (count[width] > may_be_wider) return width;
      may_be_wider -= count[width];
    }
    return 1;
  }

  // A few values that are much wider than the rest go to a list of patches. False, with nothing written, when that is
  // not how such values are written.
  bool patched(std::span<const std::int64_t> values, std::int64_t least) {
    std::vector<std::uint64_t> words;
    for (const std::int64_t value : values) words.push_back(word(value, signed_));
    if (percentile(words, 100) <= percentile(words, 90) + 1) return false;
    for (std::size_t i = 0; i < values.size(); ++i) words[i] = static_cast<std::uint64_t>(values[i] - least);
    const unsigned width = percentile(words, 95), whole = percentile(words, 100);
    if (whole == width) return false;
    const unsigned patch_width = closest_width(whole - width);

    struct Patch {
      unsigned gap;
      std::uint64_t bits;
    };
    std::vector<Patch> patches;
    std::size_t last = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] >> width == 0) continue;
      std::size_t gap = i - last;
      for (; gap > kMaxGap; gap -= kMaxGap) patches.push_back({kMaxGap, 0});
      patches.push_back({static_cast<unsigned>(gap), words[i] >> width});
      last = i;
    }
    unsigned gap_width = 1;
    for (const Patch& patch : patches) gap_width = std::max(gap_width, static_cast<unsigned>(std::bit_width(patch.gap)));
    if (patches.empty() || patches.size() > kMaxPatches || width + patch_width > 64 || patch_width + gap_width > 64)
      return false;

    // The base: magnitude with the sign as its highest bit.
    const std::uint64_t magnitude = least < 0 ? 0 - static_cast<std::uint64_t>(least) : static_cast<std::uint64_t>(least);
    const unsigned base_bytes = static_cast<unsigned>(std::bit_width(magnitude)) / 8 + 1;
    if (base_bytes > 8) return false;
    header(2, width_code(width), values.size());
    out.push_back(static_cast<std::uint8_t>((base_bytes - 1) << 5 | width_code(patch_width)));
    out.push_back(static_cast<std::uint8_t>((gap_width - 1) << 5 | patches.size()));
    put_bytes(magnitude | (least < 0 ? std::uint64_t{1} << (8 * base_bytes - 1) : 0), base_bytes);
    for (const std::uint64_t one : words) put_bits(one, width);
    flush_bits();
    for (const Patch& patch : patches)
      put_bits(std::uint64_t{patch.gap} << patch_width | patch.bits, closest_width(patch_width + gap_width));
    flush_bits();
    return true;
  }

  bool signed_;
  std::uint8_t partial_ = 0;
  unsigned filled_ = 0;
};

}  // namespace

std::vector<std::uint8_t> encode_orc_rle_v2(std::span<const std::int64_t> values, bool is_signed) {
  Writer writer(is_signed);
  std::size_t from = 0;  // first value that is not written
  std::size_t at = 0;
  const auto flush = [&] {
    while (from < at) {
      const std::size_t count = std::min(at - from, kMaxValues);
      writer.mixed(values.subspan(from, count));
      from += count;
    }
  };
  while (at < values.size()) {
    std::size_t length = 1;
    while (length < kMaxValues && at + length < values.size() && values[at + length] == values[at]) ++length;
    if (length >= kShortestRun) {
      flush();
      writer.equal(values[at], length);
      at += length;
      from = at;
    } else {
      at += length;
    }
  }
  flush();
  return std::move(writer.out);
}

}  // namespace sluice::bench
