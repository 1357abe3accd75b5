#pragma once
// Chunks of a case: data cut and compressed on the host by the formats' own libraries, or by our encoders.
//
//   pack(file("bible.txt"), 64 << 10, by_library("lz4_block"))   32 chunks of 64 KiB, each an LZ4 block of liblz4
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/files.h"

namespace sluice::bench {

using test::Bytes;

struct Material {
  std::vector<Bytes> raw, packed;  // chunk for chunk
  std::string problem;             // why there is none
  [[nodiscard]] std::uint64_t raw_bytes() const;
  [[nodiscard]] std::uint64_t packed_bytes() const;
  [[nodiscard]] std::uint64_t longest_raw() const;
};

using Maker = std::function<std::optional<Bytes>()>;
using Encode = std::function<Bytes(const Bytes&)>;  // empty: refused

// At most kMaxRaw of the data in chunks of one size; what would be a shorter chunk at the end is left out.
inline constexpr std::size_t kMaxRaw = std::size_t{8} << 20;
Material pack(const Maker& data, std::size_t chunk, const Encode& encode);

// Pieces of the data from 1 byte to `most`: every size between a power of two and the next as likely as every other,
// and every power as likely as every other. The seed is fixed. `total` bytes or a little more.
Material pack_mixed(const Maker& data, std::size_t most, std::size_t total, const Encode& encode);

Maker file(std::filesystem::path path);

// zlib, level 9, memory level 9: bare Deflate, and the same stream as a gzip member or a zlib stream.
Bytes deflate_chunk(const Bytes& raw);
Bytes gzip_chunk(const Bytes& raw);
Bytes zlib_chunk(const Bytes& raw);

// libsnappy's stream as the one chunk of a framed stream; at most 64 KiB.
Bytes snappy_framed_chunk(const Bytes& raw);

Encode by_library(std::string codec);
Encode own(std::string codec, std::vector<std::pair<std::string, std::string>> set);

// Chunks that the walks of guessing lanes never get right: every byte may begin a token of one size, so that whoever
// starts between two stays between two. Made token by token, decoded by the format's library.
//   LZ4: 11 11 11 11 is one literal and a copy of 5 from 0x1111 bytes ago     Snappy: 12 12 12, a copy of 5
Material never_in_step(const std::string& codec, std::size_t chunk, std::size_t chunks);

}  // namespace sluice::bench
