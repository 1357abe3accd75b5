#include "tests/bench/cuda_codag/material.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <thread>

#include "runtime/encode/encoder.h"
#include "tests/gpu/parallel.h"
#include "tests/support/control.h"
#include "tests/support/random.h"

namespace sluice::bench {
namespace {

// `packed` from `raw`, on every core.
void encode_all(Material& material, const Encode& encode) {
  material.packed.resize(material.raw.size());
  gpu::parallel_for(material.raw.size(), std::max(1u, std::thread::hardware_concurrency()),
                    [&](std::size_t i) { material.packed[i] = encode(material.raw[i]); });
  for (const Bytes& packed : material.packed)
    if (packed.empty()) material.problem = "the encoder refused it";
}

Bytes piece(const Bytes& data, std::size_t from, std::size_t size) {
  const auto at = data.begin() + static_cast<std::ptrdiff_t>(from);
  return {at, at + static_cast<std::ptrdiff_t>(size)};
}

void append(Bytes& bytes, std::uint32_t word, bool little) {
  for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * (little ? i : 3 - i)));
}

std::uint64_t sum(const std::vector<Bytes>& chunks) {
  std::uint64_t bytes = 0;
  for (const Bytes& one : chunks) bytes += one.size();
  return bytes;
}

Bytes literals(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 >> 2);
  return bytes;
}

// `more` shifts the tokens against the segments of a tile.
Bytes lz4_out_of_step(std::size_t raw, std::size_t more) {
  constexpr std::size_t kToken = 0x11, kFar = kToken << 8 | kToken, kExtended = 15, kFull = 255, kMade = 6, kLast = 12;
  const std::size_t first = kFar + more;
  Bytes block{0xf1};
  std::size_t rest = first - kExtended;
  for (; rest >= kFull; rest -= kFull) block.push_back(kFull);
  block.push_back(static_cast<std::uint8_t>(rest));
  const Bytes head = literals(first);
  block.insert(block.end(), head.begin(), head.end());
  const std::size_t sequences = (raw - first - kLast - 5) / kMade;                  // 5: the first copy
  block.insert(block.end(), 2 + 4 * sequences, static_cast<std::uint8_t>(kToken));  // 2: the first one's distance
  block.push_back(kLast << 4);
  block.resize(block.size() + kLast, 7);
  return block;
}

Bytes snappy_out_of_step(std::size_t raw, std::size_t more) {
  constexpr std::size_t kToken = 0x12, kFar = kToken << 8 | kToken, kMade = (kToken >> 2) + 1;
  const std::size_t first = kFar + more, copies = (raw - first) / kMade;
  Bytes block;
  for (std::size_t size = first + copies * kMade;; size >>= 7) {
    block.push_back(static_cast<std::uint8_t>((size & 127) | (size > 127 ? 128 : 0)));
    if (size <= 127) break;
  }
  block.insert(block.end(),
               {61 << 2, static_cast<std::uint8_t>((first - 1) & 255), static_cast<std::uint8_t>((first - 1) >> 8)});
  const Bytes head = literals(first);
  block.insert(block.end(), head.begin(), head.end());
  block.insert(block.end(), 3 * copies, static_cast<std::uint8_t>(kToken));
  return block;
}

}  // namespace

std::uint64_t Material::raw_bytes() const { return sum(raw); }
std::uint64_t Material::packed_bytes() const { return sum(packed); }
std::uint64_t Material::longest_raw() const {
  std::uint64_t most = 0;
  for (const Bytes& one : raw) most = std::max<std::uint64_t>(most, one.size());
  return most;
}

Material pack(const Maker& data, std::size_t chunk, const Encode& encode) {
  Material material;
  const auto raw = data();
  if (!raw || raw->size() < chunk) {
    material.problem = raw ? "less than one chunk of data" : "no such data here";
    return material;
  }
  const std::size_t whole = std::min(raw->size(), kMaxRaw) / chunk;
  for (std::size_t i = 0; i < whole; ++i) material.raw.push_back(piece(*raw, i * chunk, chunk));
  encode_all(material, encode);
  return material;
}

Material pack_mixed(const Maker& data, std::size_t most, std::size_t total, const Encode& encode) {
  Material material;
  const auto raw = data();
  if (!raw || raw->size() < most) {
    material.problem = raw ? "less than one chunk of data" : "no such data here";
    return material;
  }
  test::Random random(4);
  const auto powers = static_cast<unsigned>(std::bit_width(most) - 1);
  for (std::size_t sum = 0; sum < total; sum += material.raw.back().size()) {
    const std::size_t low = std::size_t{1} << random.below(powers);
    const std::size_t size = low + random.below(low + 1);  // both powers can come
    material.raw.push_back(piece(*raw, random.below(raw->size() - size + 1), size));
  }
  encode_all(material, encode);
  return material;
}

Maker file(std::filesystem::path path) {
  return [path = std::move(path)] { return test::read_file(path); };
}

Bytes deflate_chunk(const Bytes& raw) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  Bytes packed(deflateBound(&stream, raw.size()));
  stream.next_in = const_cast<Bytef*>(raw.data());
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool done = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(done ? stream.total_out : 0);
  deflateEnd(&stream);
  return packed;
}

Bytes gzip_chunk(const Bytes& raw) {
  Bytes packed{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255};  // Deflate, no fields, no time, slowest level, unknown system
  const Bytes body = deflate_chunk(raw);
  if (body.empty()) return {};
  packed.insert(packed.end(), body.begin(), body.end());
  append(packed, static_cast<std::uint32_t>(crc32(0, raw.data(), static_cast<uInt>(raw.size()))), true);
  append(packed, static_cast<std::uint32_t>(raw.size()), true);
  return packed;
}

Bytes zlib_chunk(const Bytes& raw) {
  Bytes packed{0x78, 0xda};  // a window of 32 KiB, best compression
  const Bytes body = deflate_chunk(raw);
  if (body.empty()) return {};
  packed.insert(packed.end(), body.begin(), body.end());
  append(packed, static_cast<std::uint32_t>(adler32(1, raw.data(), static_cast<uInt>(raw.size()))), false);
  return packed;
}

Bytes snappy_framed_chunk(const Bytes& raw) {
  Bytes packed{0xff, 6, 0, 0, 's', 'N', 'a', 'P', 'p', 'Y'};
  const auto body = test::control_compress("snappy_raw", raw, 0);
  if (!body) return {};
  const auto size = static_cast<std::uint32_t>(body->size() + 4);
  append(packed, size << 8, true);  // kind 0, three bytes of size
  const std::uint32_t sum = test::crc32c(raw);
  append(packed, (sum >> 15 | sum << 17) + 0xa282ead8u, true);  // framing_format.txt, "masked"
  packed.insert(packed.end(), body->begin(), body->end());
  return packed;
}

Encode by_library(std::string codec) {
  return [codec = std::move(codec)](const Bytes& raw) -> Bytes {
    return test::control_compress(codec, raw, 0).value_or(Bytes());
  };
}

Encode own(std::string codec, std::vector<std::pair<std::string, std::string>> set) {
  return [codec = std::move(codec), set = std::move(set)](const Bytes& raw) -> Bytes {
    const encode::Encoder* encoder = encode::find_encoder(codec);
    if (encoder == nullptr) return {};
    encode::Settings settings(encoder->options);
    std::string error;
    for (const auto& [name, value] : set)
      if (!settings.set(name, value, error)) return {};
    auto packed = encoder->encode(raw, settings, [](std::size_t) {});
    return packed ? std::move(*packed) : Bytes();
  };
}

Material never_in_step(const std::string& codec, std::size_t chunk, std::size_t chunks) {
  Material material;
  for (std::size_t i = 0; i < chunks && material.problem.empty(); ++i) {
    Bytes packed = codec == "lz4_block" ? lz4_out_of_step(chunk, i) : snappy_out_of_step(chunk, i);
    auto made = test::control(codec, {.in = packed, .capacity = chunk});
    if (!made || made->verdict != test::Verdict::Accepted) {
      material.problem = fmt::format("the control library refuses what was made for {}", codec);
      break;
    }
    material.packed.push_back(std::move(packed));
    material.raw.push_back(std::move(made->out));
  }
  return material;
}

}  // namespace sluice::bench
