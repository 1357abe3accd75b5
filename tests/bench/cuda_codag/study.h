#pragma once
// One case under its schedules: throughput of the kernel alone, every byte of the output checked.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/sluice_cuda.hpp"
#include "tests/bench/cuda_codag/cases.h"
#include "tests/bench/cuda_codag/peers.h"
#include "tests/gpu/device.h"

namespace sluice::bench {

struct StudyOptions {
  std::uint64_t output_bytes = 1'500'000'000;  // at least so much in one launch
  unsigned rounds = 9;
  double most_seconds = 0.6;  // of kernel time for one schedule or peer; three rounds are always made
  unsigned threads = 1;
  bool interpret = true;  // every distinct chunk by the interpreter first
};

struct Score {
  std::string schedule;  // or the peer's name; "NAME sizes": decoded sizes
  bool peer = false;
  std::string in_force;             // directives; the kernel that a peer chose
  std::string problem;              // why there is no number
  double gigabytes_per_second = 0;  // 10^9 bytes of output: the median round
  double least = 0, most = 0;       // over the rounds
  double jit_ms = 0;
  std::uint64_t scratch_bytes = 0;
  cuda::Kernel kernel;
};

struct CaseResult {
  std::string group, name, codec, data;
  double ratio = 0;
  std::uint64_t chunks = 0, chunk_bytes = 0, distinct = 0, output_bytes = 0, input_bytes = 0;
  double wanted = 0;
  Goal goal;
  std::string problem;
  std::vector<Score> scores;
};

// The interpreter's verdict on the material: empty when every chunk decodes to what was packed.
std::string check_material(const Case& one, const Material& material, unsigned threads);

// Every kernel that the cases need, compiled once. A schedule is one of strategy::variants(), or "default".
class Kernels {
 public:
  Kernels(const std::vector<Case>& cases, unsigned threads);
  // Null when there is none: `why` says so.
  const cuda::Decoder* find(const Case& one, const std::string& schedule, std::string& why) const;

 private:
  struct Entry {
    std::string codec, set, schedule, problem;
    bool sizes = false;
    std::optional<cuda::Decoder> decoder;
  };
  std::vector<Entry> entries_;
};

// `fatal` is set when the device failed: nothing can be measured after that.
CaseResult measure(const gpu::Device& device, const Kernels& kernels, const Peers& peers, const Case& one,
                   const Material& material, const StudyOptions& options, std::string& fatal);

}  // namespace sluice::bench
