// sluice bench NAME [FILE...]...: how fast the targets are on a codec's files, outputs compared byte for byte.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"
#include "runtime/cli/commands.h"
#include "runtime/cli/decode_file.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/terminal.h"
#include "runtime/cli/units.h"

namespace sluice::cli {
namespace {

// A measurement takes the median of this many runs, or of as many as the time allows (at least one).
constexpr std::size_t kMostRuns = 101;
constexpr double kMostSeconds = 0.5;

struct BenchOptions {
  std::vector<std::string> words, set;
  bool json = false;
};

struct Codec {
  std::string spec;
  std::vector<std::string> files;
};

struct Row {
  std::string codec, file;
  std::uint64_t in = 0, out = 0;
  double cpu_seconds = 0, interp_seconds = 0;  // 0: not measured
  double compile_seconds = 0;
  std::string engine;
};

bool is_codec(const std::string& word) {
  if (word.ends_with(".sluice")) return true;
  const auto names = builtin_codecs();
  return std::find(names.begin(), names.end(), word) != names.end();
}

// The codec's own vectors that decode well as they are: NAME.in with a NAME.out beside it, in vectors/ beside the spec,
// and no NAME.set (parameters) or NAME.dict (preset dictionary).
std::vector<std::string> vectors_of(const std::string& spec) {
  namespace fs = std::filesystem;
  const fs::path folder =
      (spec.ends_with(".sluice") ? fs::path(spec).parent_path() : fs::path("codecs") / spec) / "vectors";
  const auto beside = [](fs::path file, const char* extension) {
    std::error_code ignored;
    return fs::exists(file.replace_extension(extension), ignored);
  };
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".in" && beside(file, ".out") && !beside(file, ".set") && !beside(file, ".dict"))
      files.push_back(file.string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Words in order: a codec, then the files that are in it; without files its vectors. Empty: `error` says why.
std::vector<Codec> plan(const std::vector<std::string>& words, std::string& error) {
  std::vector<Codec> codecs;
  for (const std::string& word : words) {
    if (is_codec(word)) {
      codecs.push_back({word, {}});
    } else if (codecs.empty()) {
      error = fmt::format("{} is no codec (see `sluice list`), and the first word has to be one", word);
      return {};
    } else {
      codecs.back().files.push_back(word);
    }
  }
  for (Codec& codec : codecs) {
    if (!codec.files.empty()) continue;
    codec.files = vectors_of(codec.spec);
    if (codec.files.empty()) {
      error = fmt::format("no files for {}: name some after it (or run this in the source tree, which has vectors)",
                          codec.spec);
      return {};
    }
  }
  return codecs;
}

double median_seconds(const Decoder& decoder, const Chunk& chunk, const Batch& batch, double first) {
  std::vector<double> runs{first};
  double total = first;
  while (runs.size() < kMostRuns && total < kMostSeconds) {
    const Stopwatch watch;
    static_cast<void>(decoder.decode(chunk, batch));
    runs.push_back(watch.seconds());
    total += runs.back();
  }
  std::nth_element(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2), runs.end());
  return runs[runs.size() / 2];
}

// A file measured on both targets; an exit code other than kDone when they disagree or the data is rejected.
int measure(const Decoder& cpu, const Decoder& interp, const Batch& batch, Row& row) {
  std::string error;
  const auto input = read_file(row.file, error);
  if (!input) return environment_error(error);
  const std::span<const std::uint8_t> span(*input);
  auto expected = decode_all(interp, {&span, 1}, batch, error);
  if (!expected) return environment_error(error);
  Decoded& reference = expected->front();
  if (reference.status.error != 0) {
    print_error(fmt::format("{}: {}", row.file, interp.describe(reference.status.error, 0)));
    return kRejected;
  }
  const auto bytes = reference.output(interp);
  row.in = input->size();
  row.out = bytes.size();

  auto room = Buffer::make(bytes.size());
  if (!room) return environment_error("not enough memory");
  const Chunk chunk{*input, room->bytes()};
  Stopwatch watch;
  const Status interp_status = interp.decode(chunk, batch);
  row.interp_seconds = watch.seconds();
  if (interp_status != reference.status) {
    print_error(fmt::format("{}: two runs of the interpreter disagree", row.file));
    return kRejected;
  }
  std::fill(room->bytes().begin(), room->bytes().end(), std::uint8_t{0});
  watch = Stopwatch();
  const Status status = cpu.decode(chunk, batch);
  const double first = watch.seconds();
  if (status != reference.status || !std::equal(bytes.begin(), bytes.end(), room->bytes().begin())) {
    print_error(fmt::format("{}: machine code and interpreter disagree", row.file));
    return kRejected;
  }
  row.cpu_seconds = median_seconds(cpu, chunk, batch, first);
  return kDone;
}

int measure_codec(const Codec& codec, const BenchOptions& options, Progress& progress, std::vector<Row>& rows) {
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
  fmt::print("{:<{}}  {:<{}}  {:>12}  {:>12}  {:>7}  {:>12}  {:>12}\n", "codec", codec_width, "file", file_width,
             "input bytes", "output bytes", "ratio", "cpu", "interp");
  for (const Row& row : rows)
    fmt::print("{:<{}}  {:<{}}  {:>12}  {:>12}  {:>7.2f}  {:>12}  {:>12}\n", row.codec, codec_width,
               std::filesystem::path(row.file).filename().string(), file_width, row.in, row.out,
               rate(row.out, static_cast<double>(row.in)), speed_text(row.out, row.cpu_seconds),
               speed_text(row.out, row.interp_seconds));
  fmt::print("speeds are of output, one thread, whole file one chunk; every output equals the interpreter's\n");
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
                    {"cpu_bytes_per_second", rate(row.out, row.cpu_seconds)},
                    {"interp_bytes_per_second", rate(row.out, row.interp_seconds)}});
  fmt::print("{}\n", nlohmann::json{{"measurements", list}}.dump(2));
}

int bench(const BenchOptions& options) {
  std::string error;
  const auto codecs = plan(options.words, error);
  if (codecs.empty()) return usage_error(error);
  std::size_t files = 0;
  for (const Codec& codec : codecs) files += codec.files.size();
  std::vector<Row> rows;
  int exit_code = kDone;
  {
    Progress progress("measuring", files);
    for (const Codec& codec : codecs) exit_code = std::max(exit_code, measure_codec(codec, options, progress, rows));
  }
  if (options.json)
    print_json(rows);
  else if (!rows.empty())
    print_table(rows);
  return exit_code;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Measure decoding speed, machine code against interpreter");
  command
      ->add_option("codecs", options->words,
                   "Codecs, each followed by the files to decode with it; without files: the codec's test vectors")
      ->required()
      ->type_name("NAME [FILE]");
  add_set_option(*command, options->set);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] { exit_code = bench(*options); });
}

}  // namespace sluice::cli
