#pragma once
// A case's material in device memory, repeated until one launch makes as much output as asked for.
//
//   inputs   back to back, or at the multiples that a contestant wants: one copy for each alignment asked for
//   outputs  back to back, but at multiples of the largest alignment that one of the contestants wants
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/api/sluice_cuda.hpp"
#include "tests/bench/cuda_codag/material.h"
#include "tests/bench/cuda_codag/peers.h"
#include "tests/gpu/device.h"

namespace sluice::bench {

// How a launch says what it made of each chunk.
struct Told {
  const cuda::Decoder* ours = nullptr;  // null: a peer's, with 32 bits of status a chunk
  bool produced = true, errors = true;  // whether it says that
};

// Calls return what is wrong, or nothing.
class Tiled {
 public:
  // `launch`: chunks; 0: enough of them for `output_bytes`.
  Tiled(const gpu::Device& device, const Material& material, std::uint64_t output_bytes, std::uint64_t launch);

  std::uint64_t chunks() const { return chunks_; }
  std::uint64_t output_bytes() const { return output_bytes_; }
  std::uint64_t input_bytes() const { return input_bytes_; }

  // Rooms for the outputs; once, before the inputs.
  std::string put_outputs(unsigned element_bytes, std::uint64_t alignment);
  // Inputs at that alignment, if they are not there yet.
  std::string put_inputs(std::uint64_t alignment);

  // Ours, of inputs that are there.
  cuda::DeviceBatch batch(std::uint64_t input_alignment, const gpu::Memory& temp) const;
  PeerBatch peer_batch(std::uint64_t input_alignment) const;

  // Rubbish in rooms and results, so that nothing of a launch before passes for the next one's.
  std::string spoil() const;
  // What is wrong with sizes and statuses, then with the bytes. `fatal`: the device failed.
  std::string check_told(const Told& told, std::string& fatal) const;
  std::string check_bytes(unsigned threads, std::string& fatal);

 private:
  enum Array : unsigned { kInBytes, kOut, kElements, kCapacityBytes, kProduced, kErrors, kArrays };
  struct Inputs {
    std::uint64_t alignment = 0;
    gpu::Memory bytes, places;
  };
  gpu::Address array(unsigned which) const { return arrays_.at() + which * chunks_ * 8; }
  const Inputs& inputs(std::uint64_t alignment) const;

  static constexpr std::uint64_t kPinned = std::uint64_t{128} << 20;
  const gpu::Device& device_;
  const Material& material_;
  std::uint64_t chunks_ = 0, output_bytes_ = 0, input_bytes_ = 0;
  std::vector<std::uint64_t> room_at_;  // of the distinct chunks, in one repetition; the last one: a repetition's bytes
  std::vector<std::uint64_t> input_sizes_, output_sizes_;  // of every chunk
  unsigned element_bytes_ = 1;
  std::vector<Inputs> inputs_;
  gpu::Memory out_, arrays_;
  runtime::PinnedMemory pinned_;
};

}  // namespace sluice::bench
