// sluice_gpu_conform: every codec under every schedule on this machine's GPU, against the interpreter.
//
//   sluice_gpu_conform                          all codecs
//   sluice_gpu_conform deflate --schedule leader --mutants 100000 --seed 7
//   sluice_gpu_conform deflate --exact --mutants 200     an allocation for each buffer: for compute-sanitizer
//   sluice_gpu_conform --compile-only           fills the cache of compiled kernels
//
// Runs in the root of the source tree, where it finds the codecs' vectors; $SLUICE_DATA names the directory of real
// files. Exit code: 0 all agree, 1 something differs, 2 usage, 3 a CUDA error (what is left of the codec was not run).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "compiler/strategy/strategies.h"
#include "tests/gpu/codec_check.h"
#include "tests/support/subject.h"
#include "tests/support/vectors.h"

namespace sluice::gpu {
namespace {

void print(const Row& row) {
  const std::string name = row.set.empty() ? row.codec : row.codec + " " + row.set;
  if (!row.refused.empty()) {
    fmt::print("{:<28} {:<15} {}\n", name, row.schedule, row.refused.substr(0, 150));
    return;
  }
  fmt::print("{:<28} {:<15} {:>7} {:>8} {:>6} {:>8} {:>6} {:>6} {:>5} {:>7} {:>6} {:>5.2f} {:>8.0f}{}\n", name, row.schedule,
             row.vectors, row.mutants, row.files, row.counted, row.through_host, row.wrong, row.kernel.registers,
             row.kernel.shared_bytes, row.kernel.local_bytes, row.kernel.occupancy, row.compile_ms,
             row.cached ? " cached" : "");
  for (const std::string& complaint : row.complaints) fmt::print("    WRONG {}\n", complaint);
}

void print_head() {
  fmt::print("{:<28} {:<15} {:>7} {:>8} {:>6} {:>8} {:>6} {:>6} {:>5} {:>7} {:>6} {:>5} {:>8}\n", "codec", "schedule",
             "vectors", "mutants", "files", "counted", "host", "WRONG", "regs", "shared", "local", "occ", "jit ms");
}

int run(const std::vector<std::string>& codecs, const CheckOptions& options) {
  const auto device = Device::open();
  if (!device) {
    fmt::print(stderr, "{}\n", device.error().text);
    return 3;
  }
  fmt::print("{}, {}, driver {}, seed {}\n", device->properties().name, device->properties().arch,
             device->properties().driver->version, options.seed);
  print_head();
  std::uint64_t mutants = 0, runs = 0, wrong = 0;
  int exit_code = 0;
  for (const std::string& codec : codecs) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = check_codec(*device, codec, options);
    std::map<std::string, std::uint64_t> most;  // by parameter set: schedules decode the same ones
    for (const Row& row : outcome.rows) {
      print(row);
      runs += row.vectors + row.mutants + row.files + row.counted + row.through_host;
      wrong += row.wrong;
      most[row.set] = std::max(most[row.set], row.mutants);
    }
    for (const auto& [set, count] : most) mutants += count;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("  {} took {:.1f} s\n", codec, seconds.count());
    std::fflush(stdout);
    if (!outcome.fatal.empty()) {
      fmt::print("FATAL {}\n", outcome.fatal);
      std::fflush(stdout);
      exit_code = 3;
      break;  // after an error of the device nothing else can be trusted in this process
    }
  }
  fmt::print("TOTAL codecs {}, agreeing runs {}, mutants of one schedule {}, wrong {}\n", codecs.size(), runs, mutants,
             wrong);
  return exit_code != 0 ? exit_code : wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sluice::gpu

int main(int argc, char** argv) {
  using namespace sluice;
  gpu::CheckOptions options;
  std::vector<std::string> codecs;
  std::int64_t only_batch = -1;
  bool exact = false, no_data = false, no_count = false, no_host = false, compile_only = false, list = false;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  CLI::App app("Every codec under every schedule on this machine's GPU, against the interpreter");
  app.add_option("codecs", codecs, "Codecs; all when none is named");
  app.add_option("--schedule", options.schedules, "Only these: warp/shared, warp/registers, leader, block, ...");
  app.add_option("--mutants", options.mutants, "Damaged inputs of a codec")->capture_default_str();
  app.add_option("--seed", options.seed, "Of the damage and of alignments")->capture_default_str();
  app.add_option("--batch", options.batch_chunks, "Chunks of one launch")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "For compiling and for the interpreter")->check(CLI::PositiveNumber);
  app.add_option("--only-batch", only_batch, "This batch alone, by its number in a FATAL line")->needs("--schedule");
  app.add_option("--progress", options.progress, "File that names the launch in progress");
  app.add_flag("--exact", exact, "An allocation for each chunk's input and room, for compute-sanitizer");
  app.add_flag("--no-data", no_data, "Without the files of $SLUICE_DATA");
  app.add_flag("--no-count", no_count, "Without the kernels for decoded sizes");
  app.add_flag("--no-host", no_host, "Without the calls for chunks in host memory");
  app.add_flag("--one-set", options.one_set, "Only the format's own compile-time parameters, none of its vectors'");
  app.add_flag("--compile-only", compile_only, "Compile the kernels, decode nothing");
  app.add_flag("--list", list, "Print the codecs' names");
  CLI11_PARSE(app, argc, argv);
  for (const std::string& name : options.schedules) {
    const auto known = strategy::variants();
    if (std::ranges::find(known, name, &strategy::Variant::name) != known.end()) continue;
    fmt::print(stderr, "no schedule is called {}\n", name);
    return 2;
  }
  const auto known = test::codec_names();
  if (codecs.empty()) codecs = known;
  for (const std::string& codec : codecs) {
    if (std::ranges::find(known, codec) != known.end()) continue;
    fmt::print(stderr, "no codec {} in codecs/: is this the root of the source tree?\n", codec);
    return 2;
  }
  if (codecs.empty()) {
    fmt::print(stderr, "no codecs here: run this in the root of the source tree\n");
    return 2;
  }
  if (list) {
    for (const std::string& codec : codecs) fmt::print("{}\n", codec);
    return 0;
  }
  if (only_batch >= 0) options.only_batch = static_cast<std::uint64_t>(only_batch);
  options.layout = exact ? gpu::Layout::Exact : gpu::Layout::Packed;
  options.data = !no_data;
  options.count = !no_count;
  options.host = !no_host;
  options.compile_only = compile_only;
  return gpu::run(codecs, options);
}
