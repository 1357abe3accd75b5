// sluice decode NAME|SPEC FILE... -o OUT: a format's data in, decoded data out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"
#include "runtime/api/sluice_cuda.hpp"
#include "runtime/cli/commands.h"
#include "runtime/cli/cuda_files.h"
#include "runtime/cli/decode_file.h"
#include "runtime/cli/decode_outputs.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/files.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/target_choice.h"
#include "runtime/cli/target_option.h"
#include "runtime/cli/terminal.h"
#include "runtime/cli/units.h"
#include "runtime/launch/cuda_device.h"

namespace sluice::cli {
namespace {

struct DecodeOptions {
  DecodeNames names;
  std::vector<std::string> set;
  TargetChoice target;
  std::string schedule;
  unsigned threads = 0;
  std::optional<std::uint64_t> max_output;
  bool keep_partial = false;
};

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
int decode_with(const AnyDecoder& decoder, const DecodeOptions& options, const Settings& settings,
                const std::vector<std::string>& outputs) {
  const DecodeNames& names = options.names;
  std::string error;
  if (!decoder.warnings().empty()) print_err("{}", decoder.warnings());
  int exit_code = kDone;
  const auto further = further_paths(names, outputs, decoder.further_outputs(), exit_code);
  if (exit_code != kDone) return exit_code;
  const auto arguments = decoder.bind(settings.arguments);
  if (!arguments) return report(arguments.error());

  std::vector<std::uint8_t> dictionary;
  if (!names.dictionary.empty()) {
    if (!decoder.takes_dictionary()) return usage_error(decoder.name() + " takes no preset dictionary");
    auto bytes = read_file(names.dictionary, error);
    if (!bytes) return environment_error(error);
    dictionary = std::move(*bytes);
  }
  std::vector<Buffer> inputs;
  for (const std::string& file : names.files) {
    auto bytes = Buffer::read(file, error);
    if (!bytes) return environment_error(error);
    inputs.push_back(std::move(*bytes));
  }

  Batch batch;
  batch.dictionary = dictionary;
  batch.arguments = *arguments;
  batch.threads = options.threads;
  std::vector<std::span<const std::uint8_t>> spans;
  for (const Buffer& input : inputs) spans.push_back(input.bytes());
  const Room room = room_for_output(options.max_output);
  const Stopwatch watch;
  auto decoded = [&] {
    const Progress progress("decoding " + (names.files.size() == 1 ? names.files[0] : "files"), 0);
    return decode_all(decoder, spans, batch, room, error);
  }();
  const double seconds = watch.seconds();
  if (!decoded) return environment_error(error);

  std::uint64_t consumed = 0, produced = 0;
  for (std::size_t i = 0; i < decoded->size(); ++i) {
    Decoded& one = (*decoded)[i];
    const bool refused = one.status.error != 0;
    if (refused) {
      print_error(fmt::format("{}: {}", names.files[i], refusal_text(decoder, one.status.error, i, room)));
      const bool memory = one.status.error == kNoRoom && !room.asked;
      exit_code = std::max<int>(exit_code, memory ? kEnvironment : kRejected);
      // Who reads a stream gets what comes before the error; a file is whole, or not there.
      if (!options.keep_partial && !is_stream(outputs[i])) continue;
    }
    std::vector<OutputFile> files{{outputs[i], one.output(decoder)}};
    for (std::size_t k = 0; k < further[i].size(); ++k) files.push_back({further[i][k], one.further_output(decoder, k)});
    // A file that was decoded in place can't be decoded again.
    if (!(files.size() > 1 ? write_files(files, error) : write_file(outputs[i], files[0].bytes, error, names.in_place ? Sync::Yes : Sync::No)))
      return environment_error(error);
    if (refused) continue;
    consumed += spans[i].size();
    for (const OutputFile& file : files) produced += file.bytes.size();
  }
  if (exit_code == kDone)
    print_err("{}: {} -> {} bytes in {}, {} ({})\n", decoder.name(), consumed, produced,
               duration_text(seconds), speed_text(produced, seconds), engine_text(decoder, options.target));
  return exit_code;
}

// Of all that a decoder may lack, only a GPU is no matter to --target cpu.
int report_cuda(const Error& error, int ordinal) {
  const auto device = runtime::CudaDevice::open(ordinal);
  const bool no_gpu = !device && device.error().text == error.text;
  return no_gpu ? report_no_gpu(error) : report(error);
}

// What --target auto does where a GPU decodes the files in less time. Nothing where none does, or there is none.
std::optional<int> decode_on_gpu_if_faster(const DecodeOptions& options, const Settings& settings,
                                           const std::vector<std::string>& outputs) {
  Work work = work_of(options.names.files, options.threads);
  if (!cuda_may_pay(work)) return std::nullopt;
  cuda::Options how;
  const auto device = runtime::CudaDevice::open(how.device);
  if (!device) return std::nullopt;
  work.kind = kind_of(options.names.spec);
  if (!auto_takes_cuda(work, (*device)->memory_bytes)) return std::nullopt;
  how.few_chunks = how.compressible = how.wide_values = how.quick_start = false;  // one batch is done before another kernel is compiled
  how.set = settings.parameters;
  how.colour = colour_wanted(stderr);
  const auto decoder = cuda::Decoder::open(options.names.spec, how);
  if (decoder) return decode_with(*decoder, options, settings, outputs);
  print_err("sluice: note: not on the GPU, where it would be faster: {}\n", decoder.error().text);
  return std::nullopt;
}

int decode(const DecodeOptions& options) {
  const DecodeNames& names = options.names;
  if (names.in_place && options.keep_partial)
    return usage_error("--in-place leaves a refused file as it is, so --keep-partial can't go with it");
  int exit_code = kDone;
  const std::vector<std::string> outputs = decode_outputs(names, exit_code);
  if (exit_code != kDone) return exit_code;
  std::string error;
  const auto settings = split_settings(options.set, names.spec, error);
  if (!settings) return usage_error(error);
  if (options.target.cuda) {
    cuda::Options how;
    how.arch = options.target.arch;
    how.schedule = options.schedule;
    how.few_chunks = how.compressible = how.wide_values = how.quick_start = false;  // likewise
    how.set = settings->parameters;
    how.colour = colour_wanted(stderr);
    const auto decoder = cuda::Decoder::open(names.spec, how);
    if (!decoder) return report_cuda(decoder.error(), how.device);
    Work work = work_of(names.files, options.threads);
    work.kind = kind_of(names.spec);
    if (const std::string slower = slower_on_cuda(work); !slower.empty()) print_err("sluice: note: {}\n", slower);
    return decode_with(*decoder, options, *settings, outputs);
  }
  if (!options.schedule.empty()) return usage_error("--schedule is for --target cuda");
  if (options.target.target == Target::Auto) {
    if (const auto done = decode_on_gpu_if_faster(options, *settings, outputs)) return *done;
  }
  Options how;
  how.target = options.target.target;
  how.set = settings->parameters;
  how.colour = colour_wanted(stderr);
  const auto decoder = Decoder::open(names.spec, how);
  return decoder ? decode_with(*decoder, options, *settings, outputs) : report(decoder.error());
}

}  // namespace

void add_decode(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DecodeOptions>();
  CLI::App* command = app.add_subcommand("decode", "Decode files of a format");
  command->add_option("spec", options->names.spec, "A format: a built-in name (see `sluice list`) or a path")
      ->required()
      ->type_name("NAME|SPEC");
  command->add_option("files", options->names.files, "Files to decode, each one chunk; - is standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-o,--output", options->names.output,
                   "Where the output goes: a file, - for standard output, a directory for several files")
      ->type_name("OUT");
  command->add_flag("--in-place", options->names.in_place, "Replace each file by what it decodes to");
  command->add_flag("--keep-partial", options->keep_partial,
                    "Of a file that is refused, write what was decoded before the error");
  add_target_option(*command, options->target);
  add_schedule_option(*command, options->schedule);
  add_set_option(*command, options->set);
  command->add_option("--dictionary", options->names.dictionary, "Preset dictionary, for formats that declare one")
      ->type_name("FILE");
  command->add_option("--threads", options->threads, "Threads for several files; 0: one a core")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--max-output", options->max_output,
                   "Refuse files that decode to more bytes; not given: to more than memory holds")
      ->type_name("BYTES");
  command->callback([options, &exit_code] { exit_code = decode(*options); });
}

}  // namespace sluice::cli
