#pragma once
// Other decoders of the same formats, for chunks in device memory: opened when asked for, none of them linked.
//
//   Peers peers;
//   peers.open("nvcomp=libnvcomp.so.6");       what can't be opened is told, and left out of the tables
//   for (const PeerDecoder* one : peers.of("lz4_block")) ...
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/device.h"

namespace sluice::bench {

// Peers' names in tables.
inline constexpr std::string_view kNvcomp = "nvCOMP", kPrototype = "prototype";

// A batch as a peer takes it: addresses of arrays in device memory with one 64-bit word a chunk.
struct PeerBatch {
  const gpu::Device* device = nullptr;
  gpu::Address in = 0, in_bytes = 0, out = 0, capacity = 0;
  gpu::Address produced = 0;  // written
  gpu::Address statuses = 0;  // written: 32 bits a chunk, 0: decoded
  std::uint64_t chunks = 0, longest = 0, output_bytes = 0;
  std::span<const std::uint64_t> input_sizes, output_sizes;  // what the arrays hold
};

// One batch, ready to be launched as often as wanted. Calls queue on the device's stream and return the failed call's
// words, or nothing.
struct PeerSession {
  std::uint64_t scratch_bytes = 0;
  std::string how;  // which of its kernels was chosen, when it has several
  std::function<std::string()> decode;
  std::function<std::string()> count;  // decoded sizes; empty: it has none
  bool tells_produced = true;
};

struct PeerDecoder {
  std::string peer;   // "nvCOMP"
  std::string codec;  // ours
  std::uint64_t input_alignment = 1, output_alignment = 1;
  std::uint64_t most_bytes = UINT64_MAX;                             // of a decoded chunk
  std::function<std::string(const PeerBatch&, PeerSession&)> begin;  // what is wrong, or nothing
};

class Peers {
 public:
  // `which`: "nvcomp=PATH" or "prototype=PATH". False for other words. A library that can't be used goes to `absent`.
  bool open(const std::string& which, const gpu::Device& device);
  [[nodiscard]] std::vector<const PeerDecoder*> of(const std::string& codec) const;

  std::vector<PeerDecoder> decoders;
  std::vector<std::string> present;  // "nvCOMP 6.0.0 (PATH)"
  std::vector<std::string> absent;   // with the reason
};

// nvCOMP 6 through its C API: LZ4, Snappy, Deflate, gzip. `version`: "6.0.0".
std::string open_nvcomp(const std::string& path, const gpu::Device& device, std::vector<PeerDecoder>& decoders,
                        std::string& version);

// The library that prototype.cu makes from the hand-written kernels of another folder: LZ4 and Snappy in chunks of at
// most 64 KiB, Deflate of 128 KiB.
std::string open_prototype(const std::string& path, std::vector<PeerDecoder>& decoders);

}  // namespace sluice::bench
