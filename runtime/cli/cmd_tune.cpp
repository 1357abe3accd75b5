// sluice tune NAME|SPEC --sample FILE --target cuda: the fastest schedule for data like a sample, found by measuring, as a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/plan/lower.h"
#include "compiler/strategy/search.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/cuda_reference.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/output_names.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/target_option.h"
#include "runtime/cli/tune.h"
#include "runtime/cli/units.h"

namespace sluice::cli {
namespace {

constexpr double kMiB = 1 << 20;

// A schedule that was measured, or what went wrong.
struct Measured {
  std::string error;
  double seconds = 0;
  cuda::Kernel kernel;
  CudaRun run;
};

// Compiles and measures schedules of one format on one sample. Schedules that make the same kernel are measured once.
class Bench {
 public:
  Bench(const TuneOptions& options, cuda::Options how, std::shared_ptr<const runtime::CudaDevice> device, const Reference& reference,
        std::vector<std::uint64_t> arguments)
      : options_(options), how_(std::move(how)), device_(std::move(device)), reference_(reference), arguments_(std::move(arguments)) {
    size_.gigabytes = options.mebibytes * kMiB / 1e9;
    size_.warm_ups = 1;
    size_.repeats = options.repeats;
  }

  // `directives`: empty for what is in force without a search; `in_force` is then told what that is.
  Measured measure(const std::string& directives, std::string* in_force = nullptr) {
    const Progress progress(fmt::format("{}: {}", ++count_, directives.empty() ? "what is in force" : directives), 0);
    how_.schedule = directives;
    Measured result;
    const auto decoder = cuda::Decoder::open(options_.spec, how_);
    if (!decoder) return Measured{decoder.error().text, 0, {}, {}};
    // Carve-out and shared memory are asked for at launch, and are not in a kernel's text.
    const std::string key = decoder->text() + fmt::format("\n{}", launch_of(decoder->schedule()));
    if (const auto known = known_.find(key); known != known_.end() && in_force == nullptr) return known->second;
    auto run = run_on_device(*decoder, device_, reference_.chunks, arguments_, size_, result.error);
    if (!run) return result;
    result.seconds = run->seconds.front();
    result.kernel = decoder->kernel(run->batch());
    if (in_force != nullptr) *in_force = decoder->schedule(run->batch());
    result.run = std::move(*run);
    if (in_force == nullptr) known_.emplace(key, result);
    return result;
  }

 private:
  static std::string launch_of(const std::string& schedule) {
    std::string text;
    for (const std::string_view name : {"warps_per_block", "chunk_warps", "writer_warps", "walker_warps", "block_threads", "prefetch",
                                        "shared_memory", "carve_out"})
      if (const std::size_t at = schedule.find(name); at != std::string::npos)
        text += schedule.substr(at, schedule.find(',', at) - at) + " ";
    return text;
  }

  const TuneOptions& options_;
  cuda::Options how_;
  std::shared_ptr<const runtime::CudaDevice> device_;
  const Reference& reference_;
  std::vector<std::uint64_t> arguments_;
  BenchSize size_;
  std::map<std::string, Measured> known_;
  unsigned count_ = 0;
};

struct Line {
  std::string schedule;
  Measured measured;
};

double rate(const Measured& m) { return m.seconds > 0 ? static_cast<double>(m.run.out_bytes) / m.seconds / 1e9 : 0; }

// The default first, then the fastest first; what failed last, with the first line of why.
void print_table(const std::vector<Line>& lines) {
  const double usual = rate(lines.front().measured);
  print_out("{:>9}  {:>8}  {:>5}  {:>7}  {:>9}  {:>5}  {}\n", "GB/s", "relative", "regs", "shared", "blocks/SM", "warps", "schedule");
  for (const Line& line : lines) {
    const Measured& m = line.measured;
    if (!m.error.empty()) {
      print_out("{:>9}  {:>8}  {:>5}  {:>7}  {:>9}  {:>5}  {}: {}\n", "-", "-", "-", "-", "-", "-", line.schedule,
                m.error.substr(0, m.error.find('\n')));
      continue;
    }
    print_out("{:>9.2f}  {:>8}  {:>5}  {:>7}  {:>9}  {:>5}  {}\n", rate(m), usual > 0 ? fmt::format("{:.3f}", rate(m) / usual) : "-",
              m.kernel.registers, m.kernel.shared_bytes, m.kernel.blocks_per_sm,
              m.kernel.blocks_per_sm * m.kernel.threads_per_block / schedule::kLanes, line.schedule);
  }
}

int tune(TuneOptions& options) {
  std::string arch;
  if (options.target == "cpu")
    return usage_error("--target cpu has no schedules: what a machine's code does follows from the format and the machine alone");
  static_cast<void>(parse_cuda_target(options.target, arch));
  if (options.predict) return predict(options, arch.empty() ? std::string(schedule::kDefaultArch) : arch);
  if (options.sample.empty()) return usage_error("--sample FILE: what is a schedule to be measured with? (--predict measures nothing)");
  LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  std::string error;
  const auto settings = split_settings(options.set, options.spec, error);
  if (!settings) return usage_error(error);
  const auto device = runtime::CudaDevice::open(options.device);
  if (!device) return report_no_gpu(device.error());
  if (arch.empty()) arch = (*device)->arch;
  const ir::Module& module = *loaded.compiled.module;
  if (options.output.empty()) options.output = fmt::format("{}.{}.schedule", module.name, arch);
  std::vector<std::string> inputs = source_files(loaded.compiled.sources);
  inputs.push_back(options.sample);
  const NamedOutput output{options.output, "--output"};
  if (error = wrong_outputs(inputs, {&output, 1}); !error.empty()) return usage_error(error);
  if (!can_write(options.output, error)) return environment_error(error);

  Options on_cpu;
  on_cpu.set = settings->parameters;
  const auto cpu = Decoder::open(options.spec, on_cpu);
  if (!cpu) return report(cpu.error());
  const auto arguments = cpu->bind(settings->arguments);
  if (!arguments) return report(arguments.error());
  Batch batch;
  batch.arguments = *arguments;
  int exit_code = kDone;
  const auto reference = read_reference(options.sample, *cpu, batch, exit_code);
  if (!reference) return exit_code;

  const analysis::Facts facts = analysis::analyse(module);
  const plan::TokenPlans tokens = plan::token_plans(module, facts.splits.loops);
  const strategy::Subject subject{module, facts, tokens};
  const schedule::Device& sizes = schedule::device_for(arch);
  cuda::Options how;
  how.device = options.device;
  how.arch = arch;
  how.set = settings->parameters;
  how.sizes = how.quick_start = false;
  Bench bench(options, std::move(how), *device, *reference, *arguments);
  const Stopwatch watch;

  std::string in_force;
  std::vector<Line> lines{{"", bench.measure("", &in_force)}};
  if (!lines[0].measured.error.empty()) {
    print_error(fmt::format("{}: {}", options.sample, lines[0].measured.error));
    return kRejected;
  }
  in_force = shortened(in_force);
  lines[0].schedule = "(in force without a search) " + in_force;
  strategy::Problem problem;
  problem.seeds = strategy::seeds(subject, sizes);
  problem.only = options.only;
  problem.exhaustive = options.exhaustive;
  problem.enough = [&] { return options.seconds > 0 && watch.seconds() >= options.seconds; };
  problem.legal = [&](const schedule::Schedule& asked) { return legal_schedule(subject, sizes, asked); };
  problem.measure = [&](const schedule::Schedule& asked) -> std::optional<double> {
    lines.push_back({strategy::short_text(asked), bench.measure(strategy::short_text(asked))});
    return lines.back().measured.error.empty() ? std::optional(lines.back().measured.seconds) : std::nullopt;
  };
  const strategy::Search found = strategy::search(problem);
  const double seconds = watch.seconds();

  std::stable_sort(lines.begin() + 1, lines.end(), [](const Line& a, const Line& b) { return rate(a.measured) > rate(b.measured); });
  print_table(lines);
  // What is in force stays unless something is faster; measured again it may differ by its noise.
  const bool better = found.best && *found.trials[*found.best].seconds < lines[0].measured.seconds;
  const std::string best = better ? strategy::short_text(found.trials[*found.best].schedule) : in_force;
  const double factor = better ? lines[0].measured.seconds / *found.trials[*found.best].seconds : 1;
  const CudaRun& run = lines[0].measured.run;
  const std::string what = fmt::format("{} chunks of {:.1f} KiB, {:.0f} MiB of output, ratio {:.2f}", run.chunks,
                                       static_cast<double>(run.out_bytes) / static_cast<double>(run.chunks) / 1024,
                                       static_cast<double>(run.out_bytes) / kMiB,
                                       static_cast<double>(run.out_bytes) / static_cast<double>(std::max<std::uint64_t>(run.in_bytes, 1)));
  print_out("{}: {}; fastest of {} runs each, every byte equals the CPU's\n", (*device)->name, what, options.repeats);
  const std::string text =
      fmt::format("# {} on {}: {};\n# {:.3f} times what is in force without a search; {} schedules tried{}.\n{}{}:\n{}", module.name,
                  (*device)->name, what, factor, found.trials.size(), options.exhaustive ? ", the whole product" : "", "cuda:", arch,
                  section_of(best));
  if (!write_file(options.output, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, error)) return environment_error(error);
  print_err("sluice: {}: {} schedules tried in {:.1f} s{}: {}, {:.3f} times what is in force without a search\n", options.output,
            found.trials.size(), seconds, found.stopped ? ", stopped by --seconds" : "", best, factor);
  return kDone;
}

}  // namespace

void add_tune(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand("tune", "Find the fastest schedule: for data like a sample by measuring on a GPU, or by a cost model without one");
  const auto positive = [](const std::string& text) {
    double number = 0;
    return CLI::detail::lexical_cast(text, number) && number > 0 ? std::string() : text + " is not a number above 0";
  };
  command->add_option("spec", options->spec, "A path, or the name of a codec")->required()->type_name("NAME|SPEC");
  command->add_option("--sample", options->sample, "Chunks to measure with: one, or as many as FILE.sizes beside it lists")->type_name("FILE");
  command->add_option("--target", options->target, "The GPU, or an architecture to make code for")
      ->check([](const std::string& text) {
        std::string arch;
        return text == "cpu" || parse_cuda_target(text, arch) ? std::string() : text + " is not one of cuda[:sm_90]";
      })
      ->type_name("cuda[:sm_90]")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "The schedule file; default: NAME.sm_90.schedule")->type_name("FILE");
  command->add_option("--mebibytes", options->mebibytes, "Repeat the chunks until their output has so many MiB")
      ->type_name("N")
      ->check(positive)
      ->capture_default_str();
  command->add_option("--repeats", options->repeats, "Timed runs of each schedule; the fastest counts")
      ->type_name("N")
      ->check(positive)
      ->capture_default_str();
  command->add_option("--only", options->only, "Directives that may be changed, strategies apart: \"input,table_bits\"")
      ->type_name("NAMES")
      ->delimiter(',')
      ->check([](const std::string& text) {
        const auto names = [&](const strategy::Axis& axis) { return axis.directive == text; };
        return std::ranges::any_of(strategy::axes(), names) ? std::string() : text + " is no directive that is tried";
      });
  command->add_option("--seconds", options->seconds, "Begin no measurement after so many")->type_name("N")->check(positive);
  command->add_option("--device", options->device, "The GPU's ordinal; default: the current one, else 0")->type_name("N");
  command->add_flag("--exhaustive", options->exhaustive, "Try the whole product of directives of every strategy");
  CLI::Option* const predict = command->add_flag("--predict", options->predict, "Without a GPU and a sample: what a cost model expects of kernels compiled for --target");
  for (const char* measures : {"--sample", "--mebibytes", "--repeats", "--device"}) predict->excludes(measures);
  add_set_option(*command, options->set);
  command->callback([options, &exit_code] { exit_code = tune(*options); });
}

}  // namespace sluice::cli
