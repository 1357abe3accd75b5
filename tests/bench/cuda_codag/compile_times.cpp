#include "tests/bench/cuda_codag/compile_times.h"

#include <chrono>

#include "runtime/api/sluice_cuda.hpp"
#include "tests/gpu/device.h"

namespace sluice::bench {

CompileTimes compile_times(const std::string& first, const std::string& further, const std::string& schedule) {
  CompileTimes times;
  const auto device = gpu::Device::open();
  if (!device) {
    times.problem = device.error().text;
    return times;
  }
  cuda::Options how;
  how.device = 0;
  how.sizes = false;
  how.schedule = schedule;
  double done = 0;
  const auto timed = [&](const std::string& codec, bool from_cache) {
    const auto start = std::chrono::steady_clock::now();
    const auto passed_now = [&] { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(); };
    const auto made = cuda::Decoder::from_name(codec, how);
    const double passed = passed_now();
    if (made) made->finish_compiling();
    done = passed_now();
    if (!made) times.problem = made.error().text;
    if (made && made->timings().cached != from_cache)
      times.problem =
          codec + (from_cache ? " was not taken from the cache" : " was taken from the cache: it must be empty");
    return passed;
  };
  times.first = timed(first, false);
  times.first_done = done;
  if (times.problem.empty()) times.further = timed(further, false);
  times.further_done = done;
  if (times.problem.empty()) times.cached = timed(further, true);
  return times;
}

}  // namespace sluice::bench
