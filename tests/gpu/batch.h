#pragma once
// A batch of chunks in device memory, laid out so that a kernel's stray steps are seen.
//
//   Packed:  in   ..noise. [chunk 0] [chunk 1]..noise. [chunk 2]     any alignment, often nothing in between
//            out  guard [chunk 0's room] guard [chunk 1's room] guard     any alignment; guards are checked after each run
//   Exact:   every chunk's input and room is an allocation of its own and ends where that ends, which is what
//            compute-sanitizer watches
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice_cuda.hpp"
#include "tests/gpu/device.h"
#include "tests/support/files.h"

namespace sluice::gpu {

using test::Bytes;

struct Item {
  std::span<const std::uint8_t> in;
  std::uint64_t capacity = 0;  // elements
};

enum class Layout : std::uint8_t { Packed, Exact };

// Bytes of which inputs and rooms start at multiples. One chunk in sixteen lies elsewhere all the same: a kernel to
// which that was promised must refuse it.
struct Alignment {
  std::uint64_t in = 1, out = 1;
  friend bool operator==(const Alignment&, const Alignment&) = default;
};

class DeviceChunks {
 public:
  explicit DeviceChunks(const Device& device) : device_(device) {}

  // Lays the chunks out and copies them to the device. Inputs must live until the next call.
  std::string put(std::span<const Item> items, unsigned element_bytes, std::span<const std::uint8_t> dictionary,
                  Layout layout, std::uint64_t seed, const Alignment& alignment = {});

  // Runs the decoder over all chunks and brings everything back. Empty, or the sentence of a refused call or a failed
  // kernel.
  std::string decode(const cuda::Decoder& decoder);
  // The same for decoded sizes: statuses alone.
  std::string count(const cuda::Decoder& decoder);

  // Of the last run.
  const std::vector<Status>& statuses() const { return statuses_; }
  // The word of a kernel to which put()'s alignment was promised, for a chunk that lies elsewhere; 0 for others.
  // Kernels that count have no room to look at.
  std::uint64_t refusal(std::size_t chunk, bool counting = false) const;
  // Whether nothing was written into the chunk's room.
  bool untouched(std::size_t chunk) const;
  // The chunk's whole room.
  std::span<const std::uint8_t> room(std::size_t chunk) const;
  // Bytes written outside the rooms: a sentence that names the neighbouring chunk, or empty.
  std::string stray_write() const;

 private:
  std::string reserve_arrays();
  std::string fetch_statuses();
  std::string fetch_rooms();
  cuda::DeviceBatch batch(const cuda::Decoder& decoder) const;
  std::string run(const cuda::Decoder& decoder, bool counting);

  const Device& device_;
  std::span<const Item> items_;
  unsigned element_bytes_ = 1;
  Layout layout_ = Layout::Packed;
  std::uint64_t dictionary_bytes_ = 0;
  std::vector<std::uint64_t> in_at_, out_at_;  // in the arenas
  Alignment alignment_;
  std::vector<std::uint64_t> starts_;  // device addresses: inputs, rooms
  std::uint64_t in_bytes_ = 0, out_bytes_ = 0;
  Memory in_, out_, arrays_, temp_, dictionary_;
  std::vector<runtime::DeviceMemory> pieces_;  // Exact: inputs, then rooms
  Bytes host_;                                 // the out arena after a run
  std::vector<Status> statuses_;
};

}  // namespace sluice::gpu
