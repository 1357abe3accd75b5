// sluice trace SPEC FILE: every step of a decode, one line each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/interp/interp.h"
#include "compiler/ir/error_text.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/decode_file.h"
#include "runtime/cli/files.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/trace_line.h"

namespace sluice::cli {
namespace {

struct TraceOptions {
  std::string spec, file, dictionary;
  std::vector<std::string> set;
  std::uint64_t limit = 0;
};

// Prints events one step late: the interpreter tells of a statement before its outputs stand in the buffer.
class Printer {
 public:
  Printer(const ir::Module& module, std::span<const std::uint8_t> output, std::uint64_t limit)
      : module_(module), output_(output), limit_(limit) {
    print_out("{}\n", trace_heading());
  }

  void add(const interp::TraceEvent& event) {
    print_waiting();
    waiting_ = event;
  }
  void finish() {
    print_waiting();
    if (full_) print_out("... and more: --limit ends it here\n");
  }
  // True as soon as there is a line more than the limit.
  const bool* full() const { return &full_; }

 private:
  void print_waiting() {
    if (!waiting_) return;
    const std::string line = trace_line(module_, *waiting_, output_);
    waiting_.reset();
    if (line.empty()) return;
    full_ = full_ || (limit_ != 0 && printed_ == limit_);
    if (full_) return;
    ++printed_;
    print_out("{}\n", line);
  }

  const ir::Module& module_;
  const std::span<const std::uint8_t> output_;
  const std::uint64_t limit_;
  std::uint64_t printed_ = 0;
  bool full_ = false;
  std::optional<interp::TraceEvent> waiting_;
};

int trace(const TraceOptions& options) {
  // Without passes: every statement of the spec shows, also those that compilation can do without.
  const LoadedSpec loaded = load_spec(options.spec, options.set, Passes::No);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  const ir::Module& module = *loaded.compiled.module;
  std::string error;
  // With a limit, most of a large file is never looked at.
  std::vector<std::uint8_t> read;
  auto mapped = Buffer::map_file(options.file);
  if (!mapped) {
    auto bytes = read_file(options.file, error);
    if (!bytes) return environment_error(error);
    read = std::move(*bytes);
  }
  const std::span<const std::uint8_t> input = mapped ? mapped->bytes() : std::span<std::uint8_t>(read);

  std::vector<std::uint8_t> dictionary;
  if (!options.dictionary.empty()) {
    if (!module.has_dictionary) return usage_error(module.name + " takes no preset dictionary");
    auto bytes = read_file(options.dictionary, error);
    if (!bytes) return environment_error(error);
    dictionary = std::move(*bytes);
  }

  const Room room = room_for_output({});
  auto output = reserve(room.bytes, 1);
  const auto further = FurtherRooms::make(module, room.bytes);
  if (!output || !further) return environment_error("not enough memory for the output");

  interp::Job job;
  job.in = input;
  job.out = output->bytes();
  job.capacity_elements = output->bytes().size() / (module.output.bits / 8u);
  job.args = loaded.arguments;
  job.dictionary = dictionary;
  job.further = further->rooms();
  Printer printer(module, output->bytes(), options.limit);
  job.stop = printer.full();
  const interp::Result result =
      interp::interpret(module, job, [&](const interp::TraceEvent& event) { printer.add(event); });
  printer.finish();
  if (result.error == 0) return kDone;
  flush_out();
  const bool no_room = result.error == ir::kNoRoom;
  print_error(fmt::format("{}: {}", options.file,
                          no_room ? no_room_text(room) : ir::describe(module, loaded.compiled.sources, result.error, 0)));
  return kRejected;
}

}  // namespace

void add_trace(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* command = app.add_subcommand("trace", "Show every field of a file, bit by bit");
  command->add_option("spec", options->spec, "A path, or the name of a codec")->required()->type_name("SPEC");
  command->add_option("file", options->file, "The data; - is standard input")->required()->type_name("FILE");
  command->add_option("--limit", options->limit, "Print at most so many lines; 0: all")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--dictionary", options->dictionary, "Preset dictionary, for formats that declare one")->type_name("FILE");
  add_set_option(*command, options->set);
  command->callback([options, &exit_code] { exit_code = trace(*options); });
}

}  // namespace sluice::cli
