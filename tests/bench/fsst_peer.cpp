// FSST has no library in Debian to race against, so the peer is what its paper describes ("FSST: Fast Random Access String
// Compression", VLDB 2020, section 5): four codes at a time when none of them is an escape, 8 bytes stored for each.
#include <array>
#include <cstring>

#include "tests/bench/contest.h"

namespace sluice::bench {
namespace {

constexpr std::size_t kHead = 3 + 8 + 1 + 8;  // size of the block, version, mode, counts of symbols
constexpr std::size_t kWord = 8;              // a symbol's store, whatever its length

struct Strings {
  std::array<std::uint64_t, 256> text{};
  std::array<std::uint8_t, 256> length{};
};

bool escape_among(std::uint32_t four) {
  const std::uint32_t inverse = ~four;  // an escape, 255, is a zero byte here
  return ((inverse - 0x01010101U) & four & 0x80808080U) != 0;
}

// The symbols that stand behind the head of a block, and how many bytes they take; 0 when they run past it.
std::size_t read_strings(std::span<const std::uint8_t> block, Strings& strings) {
  std::size_t at = kHead;
  unsigned code = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned size = (i + 1) % 8 + 1;
    for (unsigned k = block[12 + size - 1]; k > 0; --k, ++code) {
      if (code == 255 || at + size > block.size()) return 0;
      std::memcpy(&strings.text[code], block.data() + at, size);
      strings.length[code] = static_cast<std::uint8_t>(size);
      at += size;
    }
  }
  return at;
}

// The codes of one block from `in` to `end`. Near the end of the output symbols are copied byte by byte.
bool decode_codes(const std::uint8_t* in, const std::uint8_t* end, const Strings& strings, std::uint8_t*& out,
                  const std::uint8_t* out_end) {
  const auto store = [&](unsigned code) {
    std::memcpy(out, &strings.text[code], kWord);
    out += strings.length[code];
  };
  while (end - in >= 4 && out_end - out >= static_cast<std::ptrdiff_t>(4 * kWord)) {
    std::uint32_t four = 0;
    std::memcpy(&four, in, 4);
    if (!escape_among(four)) {
      for (unsigned k = 0; k < 4; ++k) store(in[k]);
      in += 4;
    } else if (*in == 255) {
      *out++ = in[1];
      in += 2;
    } else {
      store(*in++);
    }
  }
  while (in < end) {
    const unsigned code = *in++;
    if (code == 255) {
      if (in == end || out == out_end) return false;
      *out++ = *in++;
      continue;
    }
    const unsigned size = strings.length[code];
    if (static_cast<std::ptrdiff_t>(size) > out_end - out) return false;
    std::memcpy(out, &strings.text[code], size);
    out += size;
  }
  return true;
}

}  // namespace

bool fsst_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place) {
  std::uint8_t* out = place.data();
  const std::uint8_t* const out_end = out + place.size();
  while (!in.empty()) {
    if (in.size() < kHead) return false;
    const std::size_t size = static_cast<std::size_t>(in[0]) << 16 | static_cast<std::size_t>(in[1]) << 8 | in[2];
    if (size < kHead || size > in.size()) return false;
    Strings strings;
    const std::size_t codes = read_strings(in.first(size), strings);
    if (codes == 0 || !decode_codes(in.data() + codes, in.data() + size, strings, out, out_end)) return false;
    in = in.subspan(size);
  }
  return out == out_end;
}

}  // namespace sluice::bench
