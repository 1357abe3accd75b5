// sluice_bench_peers: our CPU code, made at run time, against zlib, libdeflate, liblz4, libsnappy and libbz2 on the shared data; and
// formats of our own against what C would have for them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "runtime/api/sluice.hpp"
#include "tests/bench/costs.h"
#include "tests/bench/plain.h"
#include "tests/support/data.h"

namespace sluice::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::vector<std::string> codecs{"deflate", "zlib", "lz4_block", "snappy_raw", "bzip2", "zstd", "fsst"};
  std::vector<std::string> files;
  std::size_t chunk = 0;
  std::size_t least_bytes = 100000;
  int level = 6;
  unsigned rounds = 7;
  double seconds = 0.02;
  bool json = false;
  bool no_costs = false;
  bool list = false;
  std::string out;
};

// Files given, or the texts, logs, tables, genomes and columns of the shared data that are not too small to time.
std::vector<fs::path> corpus(const Settings& settings) {
  std::vector<fs::path> paths(settings.files.begin(), settings.files.end());
  const auto root = test::data_directory();
  if (!paths.empty() || !root) return paths;
  for (const char* folder : {"text", "logs", "csv", "tpch", "genome", "columns"}) {
    for (const fs::path& path : test::list_files(*root / "raw" / folder)) {
      if (path.extension() != ".md" && fs::file_size(path) >= settings.least_bytes) paths.push_back(path);
    }
  }
  return paths;
}

std::string first_line(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char line[256] = "";
  if (!pipe || std::fgets(line, sizeof line, pipe.get()) == nullptr) return "unknown";
  std::string text(line);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "unknown" : text;
}

Circumstances circumstances(const Settings& settings, int count, char** words) {
  Circumstances c;
  c.command = "sluice_bench_peers";
  for (int i = 1; i < count; ++i) c.command += std::string(" ") + words[i];
  c.cpu = first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1");
  c.commit = first_line("git -C '" SLUICE_SOURCE_DIR "' describe --always --dirty 2>/dev/null");
  c.build = SLUICE_BUILD;
  c.peers = peer_versions();
  c.chunk = settings.chunk;
  c.level = settings.level;
  c.rounds = settings.rounds;
  return c;
}

Contestant ours(const Decoder& decoder) {
  return {"ours", [&decoder](const Material& material, std::span<std::uint8_t> out) {
            std::vector<Chunk> chunks;
            std::size_t at = 0;
            for (std::size_t i = 0; i < material.packed.size(); ++i) {
              chunks.push_back({material.packed[i], out.subspan(at, material.raw_sizes[i])});
              at += material.raw_sizes[i];
            }
            std::vector<Status> statuses(chunks.size());
            if (!decoder.decode_batch(chunks, statuses).empty()) return false;
            for (const Status& status : statuses) {
              if (status.error != 0) return false;
            }
            return true;
          }};
}

// Each chunk by a call of its own: what a batch, in which a thread may do two at once, is compared with.
Contestant one_by_one(const Decoder& decoder) {
  return {"one by one", [&decoder](const Material& material, std::span<std::uint8_t> out) {
            std::size_t at = 0;
            for (std::size_t i = 0; i < material.packed.size(); ++i) {
              if (decoder.decode({material.packed[i], out.subspan(at, material.raw_sizes[i])}).error != 0) return false;
              at += material.raw_sizes[i];
            }
            return true;
          }};
}

// Files to race on, compressed. False: one of them can't be had.
bool materials(const std::string& codec, const Settings& settings, const std::vector<fs::path>& paths, std::vector<Material>& all) {
  if (is_own_format(codec)) {
    all = own_materials(codec);
    return true;
  }
  for (const fs::path& path : paths) {
    auto raw = test::read_file(path);
    if (!raw || raw->empty()) {
      std::fprintf(stderr, "sluice_bench_peers: cannot read %s\n", path.c_str());
      return false;
    }
    all.push_back(prepare(codec, path.filename().string(), std::move(*raw), settings.chunk, settings.level));
  }
  return true;
}

bool bench_codec(const std::string& codec, const Settings& settings, const std::vector<fs::path>& paths, CodecTable& table) {
  Options options;
  options.target = Target::Cpu;
  const auto decoder = is_own_format(codec) ? Decoder::from_file(own_spec(codec), options) : Decoder::from_name(codec, options);
  if (!decoder) {
    std::fprintf(stderr, "%s\n", decoder.error().text.c_str());
    return false;
  }
  std::vector<Contestant> contestants = peers(codec);
  if (contestants.empty()) {
    std::fprintf(stderr, "sluice_bench_peers: no peer for %s\n", codec.c_str());
    return false;
  }
  if (settings.chunk != 0) contestants.insert(contestants.begin(), one_by_one(*decoder));
  contestants.insert(contestants.begin(), ours(*decoder));
  table.codec = codec;
  table.engine = decoder->engine();
  std::vector<Material> all;
  if (!materials(codec, settings, paths, all)) return false;
  for (const Material& material : all) {
    std::string problem;
    std::vector<Score> scores = race(material, contestants, settings.rounds, settings.seconds, problem);
    if (scores.empty()) {
      std::fprintf(stderr, "sluice_bench_peers: %s: %s\n", codec.c_str(), problem.c_str());
      return false;
    }
    table.rows.push_back({material.name, material.raw.size(), material.packed_bytes(), std::move(scores)});
    std::fprintf(stderr, "%s %s: %.0f MB/s\n", codec.c_str(), material.name.c_str(), table.rows.back().scores[0].megabytes_per_second);
  }
  return true;
}

// For others who measure on the same files: tests/python/bench.py.
int list(const Settings& settings) {
  const std::vector<fs::path> paths = corpus(settings);
  for (const fs::path& path : paths) fmt::print("{}\n", path.string());
  if (!paths.empty()) return 0;
  std::fprintf(stderr, "sluice_bench_peers: %s\n", test::data_missing_reason().c_str());
  return 3;
}

int run(const Settings& settings, const Circumstances& context) {
  const bool on_files = !std::ranges::all_of(settings.codecs, is_own_format);
  const std::vector<fs::path> paths = on_files ? corpus(settings) : std::vector<fs::path>();
  if (on_files && paths.empty()) {
    std::fprintf(stderr, "sluice_bench_peers: %s; or name files\n", test::data_missing_reason().c_str());
    return 3;
  }
  std::vector<CodecTable> tables;
  std::vector<CompileCost> costs;
  for (const std::string& codec : settings.codecs) {
    CodecTable table;
    if (!bench_codec(codec, settings, paths, table)) return 1;
    tables.push_back(std::move(table));
  }
  for (const std::string& codec : builtin_codecs()) {
    if (settings.no_costs) break;
    std::string problem;
    costs.push_back(compile_cost(codec, 5, SLUICE_CLI, SLUICE_SOURCE_DIR "/codecs/" + codec + "/" + codec + ".sluice", problem));
    if (!problem.empty()) {
      std::fprintf(stderr, "sluice_bench_peers: %s\n", problem.c_str());
      return 1;
    }
  }
  const std::string text = settings.json ? json(context, tables, costs) : markdown(context, tables, costs);
  std::fputs(text.c_str(), stdout);
  if (settings.out.empty()) return 0;
  std::ofstream file(settings.out);
  file << text;
  return file.flush() ? 0 : 3;
}

}  // namespace
}  // namespace sluice::bench

int main(int count, char** words) {
  sluice::bench::Settings settings;
  CLI::App app("Compares decoders made by Sluice with the libraries people use, on the same bytes.");
  app.add_option("--codec", settings.codecs, "Codecs to race; or formats of our own, recent_pixels, xor_windows and seen_strings, on data made for them")->delimiter(',')->capture_default_str();
  app.add_option("--chunk", settings.chunk, "Cut files into chunks of this many bytes; 0: each file is one")->capture_default_str();
  app.add_option("--level", settings.level, "Compression level of zlib, libbz2 and libzstd")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "Rounds; the median counts")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--seconds", settings.seconds, "Least time of one measurement")->capture_default_str();
  app.add_option("--least-bytes", settings.least_bytes, "Leave out smaller files of the shared data")->capture_default_str();
  app.add_flag("--json", settings.json, "JSON instead of Markdown");
  app.add_flag("--no-costs", settings.no_costs, "Leave out the compile times");
  app.add_flag("--list", settings.list, "Print the paths of the files instead");
  app.add_option("-o,--out", settings.out, "Write the result to this file too");
  app.add_option("files", settings.files, "Files to compress and race on, instead of the shared data");
  CLI11_PARSE(app, count, words);
  if (settings.list) return sluice::bench::list(settings);
  return sluice::bench::run(settings, sluice::bench::circumstances(settings, count, words));
}
