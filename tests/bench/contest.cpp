#include "tests/bench/contest.h"

#include <algorithm>
#include <chrono>

#include "runtime/encode/encoder.h"
#include "tests/support/control.h"

namespace sluice::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// By the control library, or else by our own encoder with its defaults.
std::optional<Bytes> compress(const std::string& codec, std::span<const std::uint8_t> raw, int level) {
  if (auto packed = test::control_compress(codec, raw, level)) return packed;
  const encode::Encoder* own = encode::find_encoder(codec);
  if (own == nullptr) return std::nullopt;
  auto packed = own->encode(raw, encode::Settings(own->options), [](std::size_t) {});
  if (!packed) return std::nullopt;
  return std::move(*packed);
}

}  // namespace

std::size_t Material::packed_bytes() const {
  std::size_t sum = 0;
  for (const Bytes& chunk : packed) sum += chunk.size();
  return sum;
}

Material prepare(const std::string& codec, std::string name, Bytes raw, std::size_t chunk, int level) {
  Material material;
  material.name = std::move(name);
  material.raw = std::move(raw);
  if (chunk == 0) chunk = material.raw.size();
  for (std::size_t at = 0; at < material.raw.size(); at += chunk) {
    const std::size_t size = std::min(chunk, material.raw.size() - at);
    auto packed = compress(codec, std::span(material.raw).subspan(at, size), level);
    if (!packed) {
      material.packed.clear();
      return material;
    }
    material.packed.push_back(std::move(*packed));
    material.raw_sizes.push_back(size);
  }
  return material;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<Score> race(const Material& material, std::span<const Contestant> contestants, unsigned rounds,
                        double least_seconds, std::string& problem) {
  Bytes out(material.raw.size());
  std::vector<std::vector<double>> seconds(contestants.size());
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      // Checked afresh each round, which also warms the caches for this contestant.
      std::fill(out.begin(), out.end(), static_cast<std::uint8_t>(0));
      if (!contestants[i].decode(material, out) || out != material.raw) {
        problem = contestants[i].name + ": wrong output for " + material.name;
        return {};
      }
      unsigned passes = 0;
      const auto start = Clock::now();
      do {
        if (!contestants[i].decode(material, out)) return {};
        ++passes;
      } while (seconds_since(start) < least_seconds);
      seconds[i].push_back(seconds_since(start) / passes);
    }
  }
  std::vector<Score> scores;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    scores.push_back({contestants[i].name, static_cast<double>(material.raw.size()) / 1e6 / median(seconds[i])});
  }
  return scores;
}

}  // namespace sluice::bench
