// Strings by number, as C would have it: one test of what is left before each code and each string.
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "tests/bench/plain.h"

namespace sluice::bench {
namespace {

constexpr unsigned kBytes = 256, kMost = 65536;

}  // namespace

Bytes pack_strings(std::span<const std::uint8_t> text) {
  Bytes out;
  std::map<std::pair<unsigned, unsigned>, unsigned> longer;  // a string and the byte behind it
  unsigned next = kBytes;
  for (std::size_t i = 0; i < text.size();) {
    unsigned code = text[i++];
    while (i < text.size()) {
      const auto found = longer.find({code, text[i]});
      if (found == longer.end()) break;
      code = found->second;
      ++i;
    }
    out.push_back(static_cast<std::uint8_t>(code));
    out.push_back(static_cast<std::uint8_t>(code >> 8));
    if (i < text.size() && next < kMost) longer[{code, text[i]}] = next++;
  }
  return out;
}

bool strings_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place) {
  static thread_local std::array<std::uint32_t, kMost> start, length;
  const std::uint8_t *p = in.data(), *const end = p + in.size();
  std::uint8_t *out = place.data(), *const out_end = out + place.size();
  unsigned next = kBytes;
  std::uint32_t last_start = 0, last_length = 0;
  for (; end - p >= 2; p += 2) {
    const unsigned code = static_cast<unsigned>(p[0] | p[1] << 8);
    if (last_length > 0 && next < kMost) {
      start[next] = last_start;
      length[next++] = last_length + 1;
    }
    const auto here = static_cast<std::uint32_t>(out - place.data());
    if (code < kBytes) {
      if (out == out_end) return false;
      *out++ = static_cast<std::uint8_t>(code);
      last_length = 1;
    } else {
      if (code >= next) return false;
      const std::uint8_t* from = place.data() + start[code];
      last_length = length[code];
      if (static_cast<std::size_t>(out_end - out) < last_length) return false;
      if (from + last_length <= out) {
        std::memcpy(out, from, last_length);
        out += last_length;
      } else {
        for (std::uint32_t n = 0; n < last_length; ++n) *out++ = *from++;
      }
    }
    last_start = here;
  }
  return p == end && out == out_end;
}

}  // namespace sluice::bench
