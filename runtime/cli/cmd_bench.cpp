// sluice bench NAME [FILE...]...: how fast the targets are on a codec's files, outputs compared byte for byte.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"
#include "runtime/cli/bench_plan.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/cuda_bench.h"
#include "runtime/cli/decode_file.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/target_option.h"
#include "runtime/cli/terminal.h"
#include "runtime/cli/units.h"

namespace sluice::cli {
namespace {

// A measurement takes the median of this many runs, or of as many as the time allows (at least one).
constexpr std::size_t kMaxRuns = 101;
constexpr double kMaxSeconds = 0.5;

struct BenchOptions {
  std::vector<std::string> words, set;
  bool json = false;
  std::string target = "cpu";
  CudaBenchOptions cuda;
};

// Seconds of repeated runs.
struct Timed {
  double median = 0, least = 0, most = 0;
  std::size_t runs = 0;
};

struct Row {
  std::string codec, file;
  std::uint64_t in = 0, out = 0;
  Timed cpu;
  double interp_seconds = 0;  // one run
  double compile_seconds = 0;
  std::string engine;
};

Timed time_runs(const Decoder& decoder, const Chunk& chunk, const Batch& batch, double first) {
  std::vector<double> runs{first};
  double total = first;
  while (runs.size() < kMaxRuns && total < kMaxSeconds) {
    const Stopwatch watch;
    static_cast<void>(decoder.decode(chunk, batch));
    runs.push_back(watch.seconds());
    total += runs.back();
  }
  std::sort(runs.begin(), runs.end());
  return {runs[runs.size() / 2], runs.front(), runs.back(), runs.size()};
}

// A file measured on both targets; an exit code other than kDone when they disagree or the data is rejected.
int measure(const Decoder& cpu, const Decoder& interp, const Batch& batch, Row& row) {
  std::string error;
  const auto input = read_file(row.file, error);
  if (!input) return environment_error(error);
  const std::span<const std::uint8_t> span(*input);
  auto expected = decode_all(interp, {&span, 1}, batch, room_for_output({}), error);
  if (!expected) return environment_error(error);
  Decoded& reference = expected->front();
  if (reference.status.error != 0) {
    print_error(fmt::format("{}: {}", row.file, interp.describe(reference.status.error, 0)));
    return kRejected;
  }
  std::vector<std::span<const std::uint8_t>> right{reference.output(interp)};
  for (std::size_t k = 0; k < reference.further.size(); ++k) right.push_back(reference.further_output(interp, k));
  std::vector<std::uint64_t> sizes;
  for (const auto bytes : right) sizes.push_back(bytes.size());
  row.in = input->size();
  row.out = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});

  const auto room = Rooms::make(sizes, [](std::uint64_t size) { return Buffer::make(size); });
  if (!room) return environment_error("not enough memory");
  const Chunk chunk = room->chunk(*input);
  const auto outputs = [&](std::size_t k) { return k == 0 ? chunk.out : chunk.further[k - 1]; };
  Stopwatch watch;
  const Status interp_status = interp.decode(chunk, batch);
  row.interp_seconds = watch.seconds();
  if (interp_status != reference.status) {
    print_error(fmt::format("{}: two runs of the interpreter disagree", row.file));
    return kRejected;
  }
  for (std::size_t k = 0; k < right.size(); ++k) std::ranges::fill(outputs(k), std::uint8_t{0});
  watch = Stopwatch();
  const Status status = cpu.decode(chunk, batch);
  const double first = watch.seconds();
  bool same = status == reference.status;
  for (std::size_t k = 0; k < right.size() && same; ++k) same = std::equal(right[k].begin(), right[k].end(), outputs(k).begin());
  if (!same) {
    print_error(fmt::format("{}: machine code and interpreter disagree", row.file));
    return kRejected;
  }
  row.cpu = time_runs(cpu, chunk, batch, first);
  return kDone;
}

int measure_codec(const BenchCodec& codec, const BenchOptions& options, Progress& progress, std::vector<Row>& rows) {
  std::string error;
  const auto settings = split_settings(options.set, codec.spec, error);
  if (!settings) return usage_error(error);
  Options how;
  how.set = settings->parameters;
  how.colour = colour_wanted(stderr);
  how.target = Target::Interp;
  const auto interp = Decoder::open(codec.spec, how);
  if (!interp) return report(interp.error());
  how.target = Target::Cpu;
  const auto cpu = Decoder::open(codec.spec, how);
  if (!cpu) return report(cpu.error());
  const auto arguments = cpu->bind(settings->arguments);
  if (!arguments) return report(arguments.error());
  Batch batch;
  batch.arguments = *arguments;

  int exit_code = kDone;
  for (const std::string& file : codec.files) {
    Row row;
    row.codec = cpu->name();
    row.file = file;
    row.engine = cpu->engine();
    row.compile_seconds = (cpu->timings().front + cpu->timings().emit + cpu->timings().jit) / 1e3;
    const int code = measure(*cpu, *interp, batch, row);
    progress.advance();
    if (code == kDone)
      rows.push_back(std::move(row));
    else
      exit_code = std::max(exit_code, code);
  }
  return exit_code;
}

double rate(std::uint64_t bytes, double seconds) { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }

void print_table(const std::vector<Row>& rows) {
  std::size_t codec_width = 5, file_width = 4;
  for (const Row& row : rows) {
    codec_width = std::max(codec_width, row.codec.size());
    file_width = std::max(file_width, std::filesystem::path(row.file).filename().string().size());
  }
  print_out("{:<{}}  {:<{}}  {:>12}  {:>12}  {:>7}  {:>12}  {:>25}  {:>5}  {:>12}\n", "codec", codec_width, "file",
             file_width, "input bytes", "output bytes", "ratio", "cpu", "slowest .. fastest", "runs", "interp");
  for (const Row& row : rows)
    print_out("{:<{}}  {:<{}}  {:>12}  {:>12}  {:>7.2f}  {:>12}  {:>25}  {:>5}  {:>12}\n", row.codec, codec_width,
               std::filesystem::path(row.file).filename().string(), file_width, row.in, row.out,
               rate(row.out, static_cast<double>(row.in)), speed_text(row.out, row.cpu.median),
               speed_text(row.out, row.cpu.most) + " .. " + speed_text(row.out, row.cpu.least), row.cpu.runs,
               speed_text(row.out, row.interp_seconds));
  print_out(
      "speeds are of output, one thread, whole file one chunk; every output equals the interpreter's\n"
      "cpu is the median of the runs, beside it their range; interp is one run\n");
}

void print_json(const std::vector<Row>& rows) {
  auto list = nlohmann::json::array();
  for (const Row& row : rows)
    list.push_back({{"codec", row.codec},
                    {"file", row.file},
                    {"input_bytes", row.in},
                    {"output_bytes", row.out},
                    {"engine", row.engine},
                    {"compile_seconds", row.compile_seconds},
                    {"cpu_bytes_per_second", rate(row.out, row.cpu.median)},
                    {"cpu_bytes_per_second_min", rate(row.out, row.cpu.most)},
                    {"cpu_bytes_per_second_max", rate(row.out, row.cpu.least)},
                    {"cpu_runs", row.cpu.runs},
                    {"interp_bytes_per_second", rate(row.out, row.interp_seconds)}});
  print_out("{}\n", nlohmann::json{{"measurements", list}}.dump(2));
}

int bench(const BenchOptions& options) {
  const auto plan = plan_bench(options.words);
  if (!plan) return report(plan.error());
  const std::vector<BenchCodec>& codecs = *plan;
  if (options.target != "cpu") {
    CudaBenchOptions cuda = options.cuda;
    static_cast<void>(parse_cuda_target(options.target, cuda.arch));
    cuda.set = options.set;
    cuda.json = options.json;
    return bench_cuda(codecs, cuda);
  }
  std::size_t files = 0;
  for (const BenchCodec& codec : codecs) files += codec.files.size();
  std::vector<Row> rows;
  int exit_code = kDone;
  {
    Progress progress("measuring", files);
    for (const BenchCodec& codec : codecs)
      exit_code = std::max(exit_code, measure_codec(codec, options, progress, rows));
  }
  if (options.json)
    print_json(rows);
  else if (!rows.empty())
    print_table(rows);
  return exit_code;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  static const std::string kCudaGroup = "With --target cuda";
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure decoding speed: machine code against interpreter, or a GPU's kernels");
  command
      ->add_option("codecs", options->words,
                   "Codecs, each followed by the files to decode with it (without files: its test vectors). A file is "
                   "one chunk; with --target cuda, FILE.sizes beside it may list the sizes of several")
      ->required()
      ->type_name("NAME|SPEC [FILE]");
  add_set_option(*command, options->set);
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option("--target", options->target, "cpu: machine code against interpreter; cuda: a GPU's kernels")
      ->check([](const std::string& text) {
        std::string arch;
        return text == "cpu" || parse_cuda_target(text, arch) ? std::string()
                                                              : text + " is not one of cpu, cuda[:sm_90]";
      })
      ->type_name("cpu|cuda[:sm_90]")
      ->capture_default_str();
  CudaBenchOptions& cuda = options->cuda;
  const auto positive = [](const std::string& text) {
    double number = 0;
    return CLI::detail::lexical_cast(text, number) && number > 0 ? std::string() : text + " is not a number above 0";
  };
  command->add_option("--gigabytes", cuda.size.gigabytes, "Repeat the chunks until their output has so many GB")
      ->type_name("N")
      ->check(positive)
      ->capture_default_str()
      ->group(kCudaGroup);
  command->add_option("--repeats", cuda.size.repeats, "Timed runs; their median counts")
      ->type_name("N")
      ->check(positive)
      ->capture_default_str()
      ->group(kCudaGroup);
  command
      ->add_option("--schedule", cuda.schedules,
                   "Directives: \"strategy warp, input registers\", or a file X.schedule. Give it again to measure another schedule too")
      ->type_name("DIRECTIVES|FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(kCudaGroup);
  command->add_option("--plot", cuda.plot, "Also write the speeds as a bar chart (SVG)")
      ->type_name("FILE")
      ->group(kCudaGroup);
  command->add_option("--device", cuda.device, "The GPU's ordinal; default: the current one, else 0")
      ->type_name("N")
      ->group(kCudaGroup);
  command->callback([options, command, &exit_code] {
    const auto unsuited = command->get_options(
        [](const CLI::Option* option) { return option->get_group() == kCudaGroup && option->count() != 0; });
    exit_code = options->target == "cpu" && !unsuited.empty()
                    ? usage_error(unsuited.front()->get_name() + " is for --target cuda")
                    : bench(*options);
  });
}

}  // namespace sluice::cli
