#pragma once
// One codec under every schedule on a GPU, against the interpreter.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/gpu/batch.h"

namespace sluice::gpu {

struct CheckOptions {
  std::vector<std::string> schedules;  // names of kSchedules; empty: all
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

// A schedule by the name it has in tables.
struct NamedSchedule {
  std::string_view name, directives;
};
const std::vector<NamedSchedule>& named_schedules();

// What became of one codec with one parameter set under one schedule.
struct Row {
  std::string codec, set, schedule;
  std::string refused;  // why the schedule is not legal for it; then nothing was run
  double compile_ms = 0;
  bool cached = false;
  cuda::Kernel kernel;
  std::uint64_t vectors = 0, mutants = 0, files = 0, counted = 0, through_host = 0;  // chunks that agreed
  std::uint64_t wrong = 0;
  std::vector<std::string> complaints;  // the first few
};

struct Outcome {
  std::vector<Row> rows;
  std::string fatal;  // a CUDA error or a refused call: nothing runs after it in this process
};

Outcome check_codec(const Device& device, const std::string& codec, const CheckOptions& options);

}  // namespace sluice::gpu
