// What formats of our own are raced on: images and numbers of several kinds, made from fixed seeds, so that no data is needed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "tests/bench/plain.h"

namespace sluice::bench {
namespace {

constexpr unsigned kWidth = 1024, kHeight = 768;
constexpr std::size_t kNumbers = 400000;

using Colour = std::uint32_t;  // red lowest, alpha highest
constexpr Colour kOpaque = 0xff000000;

Colour grey(double level) {
  const auto v = static_cast<Colour>(std::clamp(level, 0.0, 255.0));
  return v | v << 8 | v << 16 | kOpaque;
}

Bytes image(const std::function<Colour(unsigned x, unsigned y)>& pixel) {
  Bytes made(std::size_t{4} * kWidth * kHeight);
  for (unsigned y = 0; y < kHeight; ++y)
    for (unsigned x = 0; x < kWidth; ++x) {
      const Colour c = pixel(x, y);
      std::memcpy(made.data() + 4 * (std::size_t{y} * kWidth + x), &c, 4);
    }
  return made;
}

Material of_pixels(const char* name, const std::function<Colour(unsigned x, unsigned y)>& pixel) {
  Bytes raw = image(pixel);
  Bytes packed = pack_pixels(raw, kWidth);
  const std::size_t size = raw.size();
  return {name, std::move(raw), {std::move(packed)}, {size}};
}

std::vector<Material> images() {
  std::mt19937 random(11);
  std::vector<Material> made;
  // Light that changes slowly, and the grain of a sensor: small differences and lumas.
  made.push_back(of_pixels("photograph", [&](unsigned x, unsigned y) {
    const double light = 128 + 90 * std::sin(x / 170.0) * std::cos(y / 130.0);
    const auto grain = [&] { return static_cast<double>(random() % 7) - 3; };
    const double g = light + grain();
    const auto channel = [&](double v) { return static_cast<Colour>(std::clamp(v, 0.0, 255.0)); };
    return channel(g + 10 + grain()) | channel(g) << 8 | channel(g - 20 + grain()) << 16 | kOpaque;
  }));
  // A plain ground, letters of a few colours: runs and pixels seen lately.
  made.push_back(of_pixels("screen", [&](unsigned x, unsigned y) {
    static constexpr Colour kInks[] = {0xff202020, 0xff808080, 0xffc04010, 0xff1040c0};
    if (y % 24 < 14 && x % 12 < 9 && random() % 3 == 0) return kInks[random() % 4];
    return x < 200 ? 0xffe8e8e8 : 0xffffffff;
  }));
  // Shapes with soft edges over nothing: runs, alpha.
  made.push_back(of_pixels("sprites", [](unsigned x, unsigned y) {
    const double d = std::hypot(static_cast<double>(x % 128) - 64, static_cast<double>(y % 128) - 64);
    if (d > 52) return Colour{0};
    const auto alpha = static_cast<Colour>(d < 48 ? 255 : (52 - d) * 63);
    const Colour tone = x / 128 * 30 + (static_cast<Colour>(d) & 3);
    return tone | (255 - tone) << 8 | (tone / 2) << 16 | alpha << 24;
  }));
  // Steps between neighbours of one level or none: the shortest tokens, one after the other.
  made.push_back(of_pixels("gradient", [](unsigned x, unsigned y) { return grey(x / 8.0 + y / 7.0); }));
  // Every pixel as it is.
  made.push_back(of_pixels("noise", [&](unsigned, unsigned) { return static_cast<Colour>(random()) | kOpaque; }));
  return made;
}

Material of_numbers(const char* name, const std::function<double(std::size_t)>& number) {
  Bytes raw(8 * kNumbers);
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const double v = number(i);
    std::memcpy(raw.data() + 8 * i, &v, 8);
  }
  Bytes packed = pack_windows(raw);
  const std::size_t size = raw.size();
  return {name, std::move(raw), {std::move(packed)}, {size}};
}

std::vector<Material> columns() {
  std::mt19937 random(12);
  std::normal_distribution<double> noise;
  std::vector<Material> made;
  double level = 20;
  made.push_back(of_numbers("thermometer", [&](std::size_t) {  // a tenth of a degree; most often the same again
    if (random() % 3 == 0) level += 0.1 * std::round(noise(random));
    return std::round(level * 10) / 10;
  }));
  double price = 100;
  made.push_back(of_numbers("prices", [&](std::size_t) { return std::round((price *= 1 + noise(random) / 2000) * 100) / 100; }));
  made.push_back(of_numbers("counter", [&, n = 0.0](std::size_t) mutable { return n += static_cast<double>(random() % 8); }));
  made.push_back(of_numbers("sine", [](std::size_t i) { return std::sin(static_cast<double>(i) / 1000); }));
  made.push_back(of_numbers("constant", [](std::size_t i) { return i % 5000 == 0 ? static_cast<double>(i) : 1.5; }));
  return made;
}

Material of_text(const char* name, Bytes raw) {
  Bytes packed = pack_strings(raw);
  const std::size_t size = raw.size();
  return {name, std::move(raw), {std::move(packed)}, {size}};
}

std::vector<Material> texts() {
  std::mt19937 random(13);
  // Words of a vocabulary, common ones more often: strings of a few bytes that grow to those of several words.
  std::vector<std::string> words(3000);
  for (std::string& word : words)
    for (auto n = random() % 8 + 1; n != 0; --n) word += static_cast<char>('a' + random() % 26);
  Bytes prose;
  while (prose.size() < 2'000'000) {
    const std::string& word = words[random() % (random() % words.size() + 1)];
    prose.insert(prose.end(), word.begin(), word.end());
    prose.push_back(' ');
  }
  // Lines that differ in a few digits.
  Bytes log;
  for (unsigned line = 0; log.size() < 2'000'000; ++line) {
    const std::string text = fmt::format("2026-11-25 {:02}:{:02}:{:02} host{} GET /item/{} 200\n", line / 3600 % 24, line / 60 % 60, line % 60,
                                         random() % 9, random() % 5000);
    log.insert(log.end(), text.begin(), text.end());
  }
  Bytes noise(1'000'000);
  for (std::uint8_t& b : noise) b = static_cast<std::uint8_t>(random());
  std::vector<Material> made;
  made.push_back(of_text("prose", std::move(prose)));
  made.push_back(of_text("log", std::move(log)));
  made.push_back(of_text("noise", std::move(noise)));
  return made;
}

}  // namespace

bool is_own_format(const std::string& codec) { return codec == "recent_pixels" || codec == "xor_windows" || codec == "seen_strings"; }

std::string own_spec(const std::string& codec) { return fmt::format("{}/tests/support/specs/{}.sluice", SLUICE_SOURCE_DIR, codec); }

std::vector<Material> own_materials(const std::string& codec) {
  return codec == "recent_pixels" ? images() : codec == "xor_windows" ? columns() : texts();
}

}  // namespace sluice::bench
