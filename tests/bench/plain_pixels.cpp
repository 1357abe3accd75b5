// Images with a table of recent pixels, as C would have it: one test of what is left before each read and each store.
#include <array>
#include <cstring>

#include "tests/bench/plain.h"

namespace sluice::bench {
namespace {

struct Pixel {
  std::uint8_t red = 0, green = 0, blue = 0, alpha = 0;
  friend bool operator==(const Pixel&, const Pixel&) = default;
};
constexpr Pixel kFirst{0, 0, 0, 255};
constexpr unsigned kLongestRun = 60, kOpaque = 60, kWhole = 61, kSeen = 64, kLuma = 128, kSmall = 192;

unsigned place_of(const Pixel& p) { return (p.red * 5 + p.green * 9 + p.blue * 15 + p.alpha * 3) & 63; }

// a - b as a signed number of 8 bits.
int difference(std::uint8_t a, std::uint8_t b) { return static_cast<std::int8_t>(a - b); }
bool within(int value, int low, int high) { return value >= low && value <= high; }

// One pixel that is none of those seen lately.
void pack_new(Bytes& out, const Pixel& before, const Pixel& now) {
  const int red = difference(now.red, before.red), green = difference(now.green, before.green),
            blue = difference(now.blue, before.blue);
  const auto put = [&](auto... bytes) { (out.push_back(static_cast<std::uint8_t>(bytes)), ...); };
  if (now.alpha != before.alpha)
    put(kWhole, now.red, now.green, now.blue, now.alpha);
  else if (within(red, -2, 1) && within(green, -2, 1) && within(blue, -2, 1))
    put(kSmall | (red + 2) | (green + 2) << 2 | (blue + 2) << 4);
  else if (within(green, -32, 31) && within(red - green, -8, 7) && within(blue - green, -8, 7))
    put(green + 160, (red - green + 8) | (blue - green + 8) << 4);
  else
    put(kOpaque, now.red, now.green, now.blue);
}

}  // namespace

Bytes pack_pixels(std::span<const std::uint8_t> image, std::uint16_t width) {
  const std::size_t pixels = image.size() / sizeof(Pixel), height = pixels / width;
  Bytes out;
  for (const std::size_t side : {std::size_t{width}, height}) {
    out.push_back(static_cast<std::uint8_t>(side));
    out.push_back(static_cast<std::uint8_t>(side >> 8));
  }
  std::array<Pixel, 64> lately{};
  Pixel before = kFirst;
  const auto at = [&](std::size_t i) {
    Pixel p;
    std::memcpy(&p, image.data() + i * sizeof p, sizeof p);
    return p;
  };
  for (std::size_t i = 0; i < pixels;) {
    const Pixel now = at(i);
    if (now == before) {
      unsigned n = 0;
      while (n < kLongestRun && i < pixels && at(i) == before) ++n, ++i;
      out.push_back(static_cast<std::uint8_t>(n - 1));
      continue;
    }
    Pixel& seen = lately[place_of(now)];
    if (seen == now)
      out.push_back(static_cast<std::uint8_t>(kSeen + place_of(now)));
    else
      pack_new(out, before, now);
    seen = before = now;
    ++i;
  }
  return out;
}

bool pixels_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place) {
  if (in.size() < 4) return false;
  const std::uint8_t *p = in.data() + 4, *const end = in.data() + in.size();
  const std::size_t pixels = static_cast<std::size_t>(in[0] | in[1] << 8) * static_cast<std::size_t>(in[2] | in[3] << 8);
  if (place.size() != pixels * sizeof(Pixel)) return false;
  std::uint8_t *out = place.data(), *const out_end = out + place.size();
  Pixel lately[64] = {};
  Pixel now = kFirst;
  while (out != out_end) {
    if (p == end) return false;
    const unsigned tag = *p++;
    if (tag < kLongestRun) {
      if (static_cast<std::size_t>(out_end - out) < (tag + 1) * sizeof now) return false;
      for (unsigned n = 0; n <= tag; ++n, out += sizeof now) std::memcpy(out, &now, sizeof now);
      continue;
    }
    if (tag < kSeen) {
      if (tag > kWhole || end - p < (tag == kWhole ? 4 : 3)) return false;
      now.red = *p++;
      now.green = *p++;
      now.blue = *p++;
      if (tag == kWhole) now.alpha = *p++;
    } else if (tag < kLuma) {
      now = lately[tag - kSeen];
    } else if (tag < kSmall) {
      if (p == end) return false;
      const unsigned others = *p++, by = tag - 160 - 8;
      now.red = static_cast<std::uint8_t>(now.red + by + (others & 15));
      now.green = static_cast<std::uint8_t>(now.green + by + 8);
      now.blue = static_cast<std::uint8_t>(now.blue + by + (others >> 4));
    } else {
      now.red = static_cast<std::uint8_t>(now.red + (tag & 3) - 2);
      now.green = static_cast<std::uint8_t>(now.green + (tag >> 2 & 3) - 2);
      now.blue = static_cast<std::uint8_t>(now.blue + (tag >> 4 & 3) - 2);
    }
    lately[place_of(now)] = now;
    std::memcpy(out, &now, sizeof now);
    out += sizeof now;
  }
  return p == end;
}

}  // namespace sluice::bench
