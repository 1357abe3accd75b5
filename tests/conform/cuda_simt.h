// Generated CUDA kernels as things to test: batches through the SIMT layer, launched as the launch plan says.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simt/kernels.h"
#include "tests/support/subject.h"
#include "tests/support/vectors.h"

namespace sluice::test {

struct CudaRun {
  std::vector<Outcome> outcomes;  // one a chunk
  std::uint64_t collectives = 0;  // of all threads
  std::string fault;              // what the SIMT layer reports, with the seed; empty: nothing
};

// Decodes all requests in one launch. They share the first one's dictionary. `count`: the counting kernel; `out` of the
// requests is not used then. Temporary memory, for kernels that want some, has room for two blocks, so that blocks take
// several chunks each; contents from launches before are as good as noise.
CudaRun run_kernel(const simt::Kernel& kernel, const Codec& codec, std::span<const Request> requests, bool count,
                   std::uint64_t seed);

// Data races that ThreadSanitizer has reported so far; 0 for ever in programs without it.
unsigned races_reported();

// The built kernels of a codec with these parameters; those that the compiler refused are left out.
std::vector<const simt::Kernel*> kernels_of(std::string_view codec, std::string_view set);

}  // namespace sluice::test
