#pragma once
// Which target takes less time, from what is known before anything is decoded. A GPU decodes a chunk with one warp, two
// orders of magnitude slower than a core does, and two thousand chunks at once; using it at all takes a while. So it
// is for many chunks, and the more cores there are, the more chunks it takes.
//
//   one gzip file of 15 MB            a core: 0.08 s     a GPU: 8.1 s
//   10,000 files of 1 MB, 2 cores     25 s               11 s
//   the same, 16 cores                3.1 s              11 s
//
// The numbers are estimates, good to a factor of two or three, and `auto` wants the GPU to win by more than that margin.
#include <cstdint>
#include <span>
#include <string>

#include "compiler/ir/ir.h"

namespace sluice::cli {

struct Work {
  std::uint64_t chunks = 0, bytes = 0, largest = 0;  // input: in all, and of the largest chunk
  ir::Input kind = ir::Input::Bytes;
  unsigned cores = 1;
};

struct Estimate {
  double cpu = 0, cuda = 0;  // seconds from start to end, copies to and from the device included
};
[[nodiscard]] Estimate estimate(const Work& work);

// False when no GPU would be taken whatever the kind: then neither the driver nor the format need be looked at.
[[nodiscard]] bool cuda_may_pay(Work work);

// Whether `--target auto` takes a GPU with so much memory.
[[nodiscard]] bool auto_takes_cuda(const Work& work, std::uint64_t device_memory);

// For somebody who insists on a GPU: one line when it is the slower choice, else empty.
[[nodiscard]] std::string slower_on_cuda(const Work& work);

// Each file one chunk; what has no size (standard input, a pipe) counts for nothing. `threads` as in --threads. The kind
// is left to kind_of.
[[nodiscard]] Work work_of(std::span<const std::string> files, unsigned threads);

// Of a spec, by name or path; bytes where it can't be told, as for an artifact.
[[nodiscard]] ir::Input kind_of(const std::string& spec);

}  // namespace sluice::cli
