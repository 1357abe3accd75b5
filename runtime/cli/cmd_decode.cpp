// sluice decode NAME|SPEC FILE... -o OUT: a format's data in, decoded data out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"
#include "runtime/api/sluice_cuda.hpp"
#include "runtime/cli/commands.h"
#include "runtime/cli/cuda_files.h"
#include "runtime/cli/decode_file.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/files.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/target_option.h"
#include "runtime/cli/terminal.h"
#include "runtime/cli/units.h"
#include "runtime/launch/cuda_device.h"

namespace sluice::cli {
namespace {

struct DecodeOptions {
  std::string spec, output, dictionary;
  std::vector<std::string> files, set;
  TargetChoice target;
  std::string schedule;
  unsigned threads = 0;
};

// Where one file's output goes: OUT itself, or FILE.out in the directory OUT when there are several files.
std::string output_path(const DecodeOptions& options, const std::string& file) {
  if (options.files.size() == 1) return options.output;
  return (std::filesystem::path(options.output) / (std::filesystem::path(file).filename().string() + ".out")).string();
}

bool output_is_possible(const DecodeOptions& options) {
  if (options.files.size() == 1) return true;
  std::error_code ignored;
  if (std::filesystem::is_directory(options.output, ignored)) return true;
  print_error("several files need a directory to go to: " + options.output + " is none");
  return false;
}

// How the format was turned into a decoder, for the line that reports the speed.
std::string engine_text(const Decoder& decoder, const TargetChoice& asked) {
  const Timings& timings = decoder.timings();
  const double seconds = (timings.front + timings.emit + timings.jit) / 1e3;
  if (decoder.target() == Target::Interp)
    return asked.target == Target::Interp ? "interpreter" : "interpreter: " + decoder.why();
  const bool built = decoder.engine() == "aot";
  return fmt::format("{}, {} in {}", decoder.engine(),
                     built ? "from the artifact" : timings.cached ? "from the cache" : "compiled", duration_text(seconds));
}

std::string engine_text(const cuda::Decoder& decoder, const TargetChoice&) {
  const cuda::Timings& timings = decoder.timings();
  return fmt::format("{}, {} {} in {}, copies to and from the device included", decoder.device(), decoder.arch(),
                     timings.cached ? "from the cache" : "compiled",
                     duration_text((timings.front + timings.emit + timings.jit + timings.load) / 1e3));
}

// `AnyDecoder`: Decoder or cuda::Decoder.
template <class AnyDecoder>
int decode_with(const AnyDecoder& decoder, const DecodeOptions& options, const Settings& settings) {
  std::string error;
  if (!decoder.warnings().empty()) fmt::print(stderr, "{}", decoder.warnings());
  const auto arguments = decoder.bind(settings.arguments);
  if (!arguments) return report(arguments.error());

  std::vector<std::uint8_t> dictionary;
  if (!options.dictionary.empty()) {
    if (!decoder.takes_dictionary()) return usage_error(decoder.name() + " takes no preset dictionary");
    auto bytes = read_file(options.dictionary, error);
    if (!bytes) return environment_error(error);
    dictionary = std::move(*bytes);
  }
  std::vector<std::vector<std::uint8_t>> inputs;
  for (const std::string& file : options.files) {
    auto bytes = read_file(file, error);
    if (!bytes) return environment_error(error);
    inputs.push_back(std::move(*bytes));
  }

  Batch batch;
  batch.dictionary = dictionary;
  batch.arguments = *arguments;
  batch.threads = options.threads;
  const std::vector<std::span<const std::uint8_t>> spans(inputs.begin(), inputs.end());
  const Stopwatch watch;
  auto decoded = [&] {
    const Progress progress("decoding " + (options.files.size() == 1 ? options.files[0] : "files"), 0);
    return decode_all(decoder, spans, batch, error);
  }();
  const double seconds = watch.seconds();
  if (!decoded) return environment_error(error);

  int exit_code = kDone;
  std::uint64_t consumed = 0, produced = 0;
  for (std::size_t i = 0; i < decoded->size(); ++i) {
    Decoded& one = (*decoded)[i];
    if (one.status.error != 0) {
      print_error(fmt::format("{}: {}", options.files[i], decoder.describe(one.status.error, i)));
      exit_code = kRejected;
      continue;
    }
    const auto bytes = one.output(decoder);
    if (!write_file(output_path(options, options.files[i]), bytes, error)) return environment_error(error);
    consumed += inputs[i].size();
    produced += bytes.size();
  }
  if (exit_code == kDone)
    fmt::print(stderr, "{}: {} -> {} bytes in {}, {} ({})\n", decoder.name(), consumed, produced,
               duration_text(seconds), speed_text(produced, seconds), engine_text(decoder, options.target));
  return exit_code;
}

// Of all that a decoder may lack, only a GPU is no matter to --target cpu.
int report_cuda(const Error& error, int ordinal) {
  const auto device = runtime::CudaDevice::open(ordinal);
  const bool no_gpu = !device && device.error().text == error.text;
  return no_gpu ? report_no_gpu(error) : report(error);
}

int decode(const DecodeOptions& options) {
  if (!output_is_possible(options)) return kSpecOrUsage;
  std::string error;
  const auto settings = split_settings(options.set, options.spec, error);
  if (!settings) return usage_error(error);
  if (options.target.cuda) {
    cuda::Options how;
    how.arch = options.target.arch;
    how.schedule = options.schedule;
    how.set = settings->parameters;
    how.colour = colour_wanted(stderr);
    const auto decoder = cuda::Decoder::open(options.spec, how);
    return decoder ? decode_with(*decoder, options, *settings) : report_cuda(decoder.error(), how.device);
  }
  if (!options.schedule.empty()) return usage_error("--schedule is for --target cuda");
  Options how;
  how.target = options.target.target;
  how.set = settings->parameters;
  how.colour = colour_wanted(stderr);
  const auto decoder = Decoder::open(options.spec, how);
  return decoder ? decode_with(*decoder, options, *settings) : report(decoder.error());
}

}  // namespace

void add_decode(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DecodeOptions>();
  CLI::App* command = app.add_subcommand("decode", "Decode files of a format");
  command->add_option("spec", options->spec, "A format: a built-in name (see `sluice list`) or a path")
      ->required()
      ->type_name("NAME|SPEC");
  command->add_option("files", options->files, "Files to decode, each one chunk; - is standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", options->output,
                   "Where the output goes: a file, - for standard output, a directory for several files")
      ->required()
      ->type_name("OUT");
  add_target_option(*command, options->target);
  add_schedule_option(*command, options->schedule);
  add_set_option(*command, options->set);
  command->add_option("--dictionary", options->dictionary, "Preset dictionary, for formats that declare one")
      ->type_name("FILE");
  command->add_option("--threads", options->threads, "Threads for several files; 0: one a core")
      ->type_name("N")
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = decode(*options); });
}

}  // namespace sluice::cli
