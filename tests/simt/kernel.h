// A generated CUDA kernel as the program that holds it knows it. Includes next to nothing: hundreds of generated files
// include this.
#pragma once
#include <cstdint>

#include "tests/simt/lane.h"

namespace sluice::simt {

struct Kernel {
  const char* codec;
  const char* set;       // compile-time parameters, "" for the defaults
  const char* schedule;  // "default", or a variant's name: "block/prefetch"
  const char* refused;   // why the compiler refused this schedule for the codec; then there are no kernels. Or null
  bool elsewhere;        // not refused, and built in the other share alone (kernels.cmake): there are no kernels, either
  std::uint32_t threads_per_block, chunks_per_block;
  std::uint64_t temp_bytes_per_slot;
  std::uint32_t input_alignment, output_alignment;  // of chunks that it does not refuse
  // One thread's run; the argument is a sluice_cuda_batch.
  void (*decode)(void* batch);
  void (*count)(void* batch);
  Region (*shared)();  // what a launch has to poison
};

}  // namespace sluice::simt
