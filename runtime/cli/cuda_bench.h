#pragma once
// `sluice bench --target cuda`: kernels measured on a GPU, outputs compared with the CPU's byte for byte.
#include <string>
#include <vector>

#include "runtime/cli/bench_plan.h"
#include "runtime/cli/cuda_bench_run.h"

namespace sluice::cli {

struct CudaBenchOptions {
  std::vector<std::string> set;
  std::string arch;  // empty: the device's
  int device = -1;
  std::vector<std::string> schedules;  // measured one after another; empty: the format's own
  BenchSize size;
  bool json = false;
  std::string plot;  // SVG file; empty: none
};

struct CudaBenchRow {
  std::string codec, file, schedule, arch;
  cuda::Kernel kernel;
  cuda::Timings timings;
  std::uint64_t distinct = 0;  // chunks before tiling
  CudaRun run;

  double rate() const { return static_cast<double>(run.out_bytes) / run.median(); }  // output bytes a second
  double ratio() const { return static_cast<double>(run.out_bytes) / static_cast<double>(run.in_bytes); }
};

// Measures everything and prints it; the exit code.
int bench_cuda(const std::vector<BenchCodec>& codecs, const CudaBenchOptions& options);

// cuda_bench_print.cpp
void print_table(const std::vector<CudaBenchRow>& rows, const runtime::CudaDevice& device);
void print_json(const std::vector<CudaBenchRow>& rows, const runtime::CudaDevice& device);
std::string plot_svg(const std::vector<CudaBenchRow>& rows, const runtime::CudaDevice& device);

}  // namespace sluice::cli
