// One race: our decoder and its peers on the same compressed bytes, in turn, outputs checked.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace sluice::bench {

using test::Bytes;

// What everyone decodes: one file, cut into chunks and compressed.
struct Material {
  std::string name;
  Bytes raw;
  std::vector<Bytes> packed;           // one a chunk
  std::vector<std::size_t> raw_sizes;  // of each chunk
  [[nodiscard]] std::size_t packed_bytes() const;
};

// `raw` in chunks of at most `chunk` bytes (0: one chunk) by the control library of `codec`, or by our encoder where
// there is none; no chunks when they can't.
Material prepare(const std::string& codec, std::string name, Bytes raw, std::size_t chunk, int level);

// Decodes every chunk of the material into `out`, one after another. False: refused.
using Decode = std::function<bool(const Material&, std::span<std::uint8_t> out)>;

struct Contestant {
  std::string name;
  Decode decode;
};

// One chunk of FSST blocks as its paper decodes them; false when it is malformed or does not fill `place`.
bool fsst_decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> place);

// The peers of a codec: zlib and libdeflate, liblz4, libsnappy, libbz2, fsst_decode or those of plain.h.
std::vector<Contestant> peers(const std::string& codec);

// Library names with versions, for the table's head.
std::string peer_versions();

struct Score {
  std::string name;
  double megabytes_per_second = 0;  // 10^6 bytes of output
};

// Runs everyone `rounds` times in turn, each time for at least `least_seconds`; the median counts. Empty, with the
// reason in `problem`, when someone's output is wrong.
std::vector<Score> race(const Material& material, std::span<const Contestant> contestants, unsigned rounds,
                        double least_seconds, std::string& problem);

double median(std::vector<double> values);

}  // namespace sluice::bench
