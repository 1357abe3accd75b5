#include "runtime/cli/target_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "compiler/driver/compile.h"
#include "runtime/cli/units.h"

namespace sluice::cli {
namespace {

// Bytes of input a second, by what the format is made of: prefix codes and other fields of bits, or whole bytes. A core
// by tests/bench/results/cpu-peers.md; a warp that is alone by a gzip file of 15 MB, 50 MB decoded, which takes an H200
// 7.7 s; all of an H200's warps by tests/bench/results/cuda-h200.md, each then slower than alone but not by much.
struct Rates {
  double core, warp;
};
constexpr Rates kBits{200e6, 2e6}, kBytes{600e6, 8e6};
constexpr double kWarps = 2000;

// Driver, context, kernel from the cache and memory; then every byte of input and some four of output through
// pageable memory.
constexpr double kStartSeconds = 0.6, kCopiedPerByte = 5, kCopyRate = 6e9;

// What the GPU has to win by where the user left the choice to us.
constexpr double kMargin = 1.5;

bool wins(const Estimate& seconds) { return seconds.cuda * kMargin < seconds.cpu; }

}  // namespace

Estimate estimate(const Work& work) {
  const Rates& rates = work.kind == ir::Input::Bytes ? kBytes : kBits;
  const auto bytes = static_cast<double>(work.bytes), largest = static_cast<double>(work.largest);
  const double at_once = static_cast<double>(std::clamp<std::uint64_t>(work.cores, 1, std::max<std::uint64_t>(work.chunks, 1)));
  // However the chunks are spread, the largest is one core's, or one warp's.
  return {.cpu = std::max(bytes / at_once, largest) / rates.core,
          .cuda = kStartSeconds + bytes * kCopiedPerByte / kCopyRate + std::max(bytes / kWarps, largest) / rates.warp};
}

bool cuda_may_pay(Work work) {
  for (const ir::Input kind : {ir::Input::Bytes, ir::Input::BitsLsb}) {
    work.kind = kind;
    if (wins(estimate(work))) return true;
  }
  return false;
}

bool auto_takes_cuda(const Work& work, std::uint64_t device_memory) {
  return wins(estimate(work)) &&
         static_cast<double>(work.bytes) * (1 + kCopiedPerByte) < static_cast<double>(device_memory);
}

std::string slower_on_cuda(const Work& work) {
  const Estimate seconds = estimate(work);
  if (seconds.cuda <= seconds.cpu) return {};
  return fmt::format(
      "--target cpu is faster here, by about {} against {}: a GPU decodes a chunk with one warp, and {} {} of it busy",
      duration_text(seconds.cpu), duration_text(seconds.cuda),
      work.chunks == 1 ? std::string("1 chunk keeps") : fmt::format("{} chunks keep", work.chunks),
      static_cast<double>(work.chunks) < kWarps ? fmt::format("{:.1f} %", 100 * static_cast<double>(work.chunks) / kWarps)
                                                : std::string("all"));
}

Work work_of(std::span<const std::string> files, unsigned threads) {
  Work work{.chunks = files.size(), .cores = threads != 0 ? threads : std::max(std::thread::hardware_concurrency(), 1u)};
  for (const std::string& file : files) {
    std::error_code none;
    const std::uint64_t size = std::filesystem::is_regular_file(file, none) ? std::filesystem::file_size(file, none) : 0;
    work.bytes += size;
    work.largest = std::max(work.largest, size);
  }
  return work;
}

ir::Input kind_of(const std::string& spec) {
  driver::Request request;
  request.name = spec;
  request.passes = false;
  const driver::Compiled compiled = driver::compile_spec(request);
  return compiled.ok() ? compiled.module->input : ir::Input::Bytes;
}

}  // namespace sluice::cli
