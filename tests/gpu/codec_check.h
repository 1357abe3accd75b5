#pragma once
// One codec under every schedule on a GPU, against the interpreter.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/gpu/batch.h"
#include "tests/gpu/variants.h"

namespace sluice::gpu {

struct CheckOptions {
  std::vector<std::string> schedules;  // of strategy::variants(); empty: all
  std::uint64_t mutants = 32000;       // of the codec, over its parameter sets
  std::uint64_t seed = 1;
  std::size_t batch_chunks = 16384;
  Layout layout = Layout::Packed;
  bool data = true;   // also the files of $SLUICE_DATA
  bool count = true;  // also the kernels for decoded sizes, of the first schedule
  bool host = true;   // also the calls for chunks in host memory
  bool one_set = false;  // the format's own parameters alone
  bool compile_only = false;
  std::optional<std::uint64_t> only_batch;  // this one alone, to look at a failure again
  std::string progress;                     // file that names the launch in progress; empty: none
  unsigned threads = 1;
};

struct Outcome {
  std::vector<Row> rows;
  std::string fatal;  // a CUDA error or a refused call: nothing runs after it in this process
};

Outcome check_codec(const Device& device, const std::string& codec, const CheckOptions& options);

}  // namespace sluice::gpu
