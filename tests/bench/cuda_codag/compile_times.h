#pragma once
// What a process pays for its kernels: the first with NVRTC's own loading, one more, and that one from the disk cache.
#include <string>

namespace sluice::bench {

struct CompileTimes {
  std::string problem;
  double first = 0, further = 0, cached = 0;  // milliseconds of a call of cuda::Decoder::from_name
  double first_done = 0, further_done = 0;    // until what decodes is the kernel itself: cuda::Options::quick_start
};

// Of a process that has compiled nothing yet, with an empty cache. The device is open before the clock starts.
CompileTimes compile_times(const std::string& first, const std::string& further, const std::string& schedule);

}  // namespace sluice::bench
