#pragma once
// What a launcher must know of a kernel. Sizes never depend on data.
#include <cstdint>
#include <string>

#include "compiler/schedule/schedule.h"

namespace sluice::plan {

struct LaunchPlan {
  std::string decode = "sluice_decode_kernel", count = "sluice_count_kernel";
  std::uint32_t threads_per_block = 32;
  std::uint32_t chunks_per_block = 1;
  // Global memory for one chunk in flight, a multiple of 256; 0 for formats without stages, which need no temporary
  // memory at all. Otherwise the launcher gives kTempHeader bytes, zeroed, and then `slots` times this.
  std::uint64_t temp_bytes_per_slot = 0;
  // Shared memory of a block that is asked for at launch, beside what its kernels declare; 0: none.
  std::uint32_t dynamic_shared_bytes = 0;
  // Per cent of a multiprocessor's fast memory to keep for shared memory; -1: the driver chooses.
  std::int32_t carve_out = schedule::kAnyCarveOut;
  // Every chunk's input and output must start at a multiple of so many bytes; of others the kernel gives the words
  // ir::kMisalignedInput and ir::kMisalignedOutput. 1: they may start anywhere.
  std::uint32_t input_alignment = 1, output_alignment = 1;
  // May a block be launched with fewer of its chunks, and their share of its threads? Not one that waits for slots of
  // temporary memory.
  [[nodiscard]] bool narrows() const { return chunks_per_block > 1 && temp_bytes_per_slot == 0; }
  friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};
inline constexpr std::uint64_t kTempHeader = 256;

}  // namespace sluice::plan
