#include "runtime/cli/cuda_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "runtime/cli/cuda_reference.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/output_names.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/terminal.h"

namespace sluice::cli {
namespace {

// All schedules of a codec, compiled.
std::optional<std::vector<cuda::Decoder>> open_decoders(const BenchCodec& codec, const CudaBenchOptions& options,
                                                        const std::vector<Setting>& parameters, int& exit_code) {
  cuda::Options how;
  how.device = options.device;
  how.arch = options.arch;
  how.set = parameters;
  how.sizes = how.quick_start = false;
  how.colour = colour_wanted(stderr);
  std::vector<cuda::Decoder> decoders;
  const std::vector<std::string> own{""};
  for (const std::string& schedule : options.schedules.empty() ? own : options.schedules) {
    how.schedule = schedule;
    auto decoder = cuda::Decoder::open(codec.spec, how);
    if (!decoder) {
      exit_code = report(decoder.error());
      return std::nullopt;
    }
    decoders.push_back(std::move(*decoder));
  }
  return decoders;
}

int bench_codec(const BenchCodec& codec, const CudaBenchOptions& options,
                const std::shared_ptr<const runtime::CudaDevice>& device, Progress& progress,
                std::vector<CudaBenchRow>& rows) {
  // An artifact has its parameters in it, and perhaps no code for CPUs: the codec of its name, with the parameters of
  // the command line, tells what is right.
  const bool artifact = is_artifact(codec.spec);
  int exit_code = kDone;
  std::string error, reference_spec = codec.spec;
  std::optional<Settings> settings;
  std::optional<std::vector<cuda::Decoder>> decoders;
  if (artifact) {
    decoders = open_decoders(codec, options, {}, exit_code);
    if (!decoders) return exit_code;
    reference_spec = decoders->front().name();
  }
  settings = split_settings(options.set, reference_spec, error);
  if (!settings) return usage_error(error);
  Options how;
  how.set = settings->parameters;
  how.colour = colour_wanted(stderr);
  const auto cpu = Decoder::open(reference_spec, how);
  if (!cpu) return report(cpu.error());
  const auto arguments = cpu->bind(settings->arguments);
  if (!arguments) return report(arguments.error());
  Batch batch;
  batch.arguments = *arguments;

  if (!artifact) decoders = open_decoders(codec, options, settings->parameters, exit_code);
  if (!decoders) return exit_code;
  for (const std::string& file : codec.files) {
    const auto reference = read_reference(file, *cpu, batch, exit_code);
    for (const cuda::Decoder& decoder : *decoders) {
      progress.advance();
      if (!reference) continue;
      auto run = run_on_device(decoder, device, reference->chunks, *arguments, options.size, error);
      if (!run) {
        print_error(fmt::format("{} ({}): {}", file, decoder.schedule(), error));
        exit_code = std::max<int>(exit_code, kRejected);
        continue;
      }
      const cuda::DeviceBatch told = run->batch();
      rows.push_back({decoder.name(), std::filesystem::path(file).filename().string(), decoder.schedule(told),
                      decoder.arch(), decoder.kernel(told), decoder.timings(), reference->chunks.in.size(),
                      std::move(*run)});
    }
  }
  return exit_code;
}

}  // namespace

int bench_cuda(const std::vector<BenchCodec>& codecs, const CudaBenchOptions& options) {
  if (!options.plot.empty()) {
    std::vector<std::string> inputs;
    for (const BenchCodec& codec : codecs) inputs.insert(inputs.end(), codec.files.begin(), codec.files.end());
    const NamedOutput plot{options.plot, "--plot"};
    std::string error = wrong_outputs(inputs, {&plot, 1});
    if (!error.empty()) return usage_error(error);
    if (!can_write(options.plot, error)) return environment_error(error);
  }
  const auto device = runtime::CudaDevice::open(options.device);
  if (!device) return report_no_gpu(device.error());
  std::size_t steps = 0;
  for (const BenchCodec& codec : codecs)
    steps += codec.files.size() * std::max<std::size_t>(options.schedules.size(), 1);
  std::vector<CudaBenchRow> rows;
  int exit_code = kDone;
  {
    Progress progress("measuring", steps);
    for (const BenchCodec& codec : codecs)
      exit_code = std::max(exit_code, bench_codec(codec, options, *device, progress, rows));
  }
  if (options.json)
    print_json(rows, **device);
  else if (!rows.empty())
    print_table(rows, **device);
  if (options.plot.empty() || rows.empty()) return exit_code;
  const std::string svg = plot_svg(rows, **device);
  std::string error;
  if (!write_file(options.plot, {reinterpret_cast<const std::uint8_t*>(svg.data()), svg.size()}, error))
    return environment_error(error);
  return exit_code;
}

}  // namespace sluice::cli
