// sluice_cuda_codag: CODAG's comparison of decoding strategies, and the project's own targets, on this machine's GPU.
//
//   sluice_cuda_codag --data DIR --corpus DIR --markdown cuda-h200.md --json cuda-h200.json
//   sluice_cuda_codag --case deflate --schedule warp/shared --gigabytes 1
//   sluice_cuda_codag --check         no GPU: compress everything, decode it with the interpreter
//   sluice_cuda_codag --suite peers --peer nvcomp=libnvcomp.so.6 --peer prototype=libprototype.so --markdown peers.md
//   sluice_cuda_codag --compile deflate,lz4_block      milliseconds: the first kernel of a process, one more, from the cache
//
// Exit code: 0 all measured outputs are right, 1 some are not, 2 usage, 3 no device or a failure of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/cuda_codag/compile_times.h"
#include "tests/bench/cuda_codag/report.h"

namespace sluice::bench {
namespace {

struct Options {
  std::string data = "../shared/data", corpus = "../shared/corpus", markdown, json, commit = "unknown", suite = "codag", compile;
  std::vector<std::string> words, only, peers;
  double gigabytes = 1.5;
  bool check = false;
  StudyOptions study;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

// "nvcomp=/some/where/libnvcomp.so.6" without the folders of this machine.
std::string shown(const std::string& argument) {
  const auto path = argument.find('/');
  if (path == std::string::npos || (path != 0 && argument[path - 1] != '=')) return argument;
  return argument.substr(0, path) + argument.substr(argument.rfind('/') + 1);
}

// Of a case's schedules those that were asked for, and directives that were, which no case has.
std::vector<std::string> wanted(const std::vector<std::string>& known, const std::vector<std::string>& only) {
  std::vector<std::string> list;
  for (const std::string& one : only)
    if (is_directives(one) || std::ranges::find(known, one) != known.end()) list.push_back(one);
  return list;
}

// The cases that were asked for, with the schedules that were. Where that is nothing, an Error that says what there is.
Result<std::vector<Case>> chosen(const Options& options) {
  std::vector<Case> list = options.suite == "peers" ? peer_cases(options.data, options.corpus) : cases(options.data, options.corpus);
  const auto unwanted = [&](const Case& one) {
    return !options.words.empty() && std::ranges::none_of(options.words, [&](const std::string& word) {
      return one.name.find(word) != std::string::npos || one.group.find(word) != std::string::npos;
    });
  };
  std::erase_if(list, unwanted);
  if (list.empty() && !options.words.empty())
    return Error{Error::Kind::Usage, fmt::format("--case {}: no case's name or table has it", fmt::join(options.words, ", ")), {}};
  if (options.only.empty()) return list;
  std::set<std::string> known;
  bool any = list.empty();
  for (Case& one : list) {
    known.insert(one.schedules.begin(), one.schedules.end());
    one.schedules = wanted(one.schedules, options.only);
    any = any || !one.schedules.empty();
  }
  if (!any)
    return Error{Error::Kind::Usage, fmt::format("--schedule {}: of the cases chosen none has it; they have {}", fmt::join(options.only, ", "), fmt::join(known, ", ")), {}};
  return list;
}

int check(const std::vector<Case>& list, const Options& options) {
  int exit_code = 0;
  for (const Case& one : list) {
    const Material material = one.make(one);
    const std::string wrong = material.problem.empty() ? check_material(one, material, options.study.threads) : "";
    if (!wrong.empty()) exit_code = 1;
    const std::string verdict = !material.problem.empty() ? material.problem : wrong.empty() ? "ok" : wrong;
    fmt::print("{:<34} {:>4} chunks of {:>4} KiB, ratio {:>7.3f}: {}\n", one.name, material.raw.size(), one.chunk >> 10,
               static_cast<double>(material.raw_bytes()) / static_cast<double>(std::max<std::uint64_t>(material.packed_bytes(), 1)), verdict);
    std::fflush(stdout);
  }
  return exit_code;
}

int compile(const Options& options) {
  const auto comma = options.compile.find(',');
  const std::string schedule = options.only.empty() || options.only.front() == "default" ? "" : "strategy " + options.only.front();
  const CompileTimes times = compile_times(options.compile.substr(0, comma), options.compile.substr(comma + 1), schedule);
  const std::string head = fmt::format("| {} | {} |", options.compile, schedule.empty() ? "default" : schedule);
  if (!times.problem.empty()) {
    fmt::print("{} {} | | |\n", head, times.problem.substr(0, times.problem.find('\n')));
    return 3;
  }
  fmt::print("{} {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} |\n", head, times.first, times.first_done, times.further, times.further_done,
             times.cached);
  return 0;
}

int run(const std::string& command, Options options) {
  if (!options.compile.empty()) return compile(options);
  const auto picked = chosen(options);
  if (!picked) {
    fmt::print(stderr, "{}\n", picked.error().text);
    return 2;
  }
  const std::vector<Case>& list = *picked;
  if (options.check) return check(list, options);
  const auto device = gpu::Device::open();
  if (!device) {
    fmt::print(stderr, "{}\n", device.error().text);
    return 3;
  }
  options.study.output_bytes = static_cast<std::uint64_t>(options.gigabytes * 1e9);
  const runtime::CudaDevice& on = device->properties();
  const Setup setup{command, on.name, on.arch, fmt::format("{}.{}", on.driver->version / 1000, on.driver->version % 1000 / 10),
                    options.commit, today(), options.study};
  Peers peers;
  for (const std::string& which : options.peers)
    if (!peers.open(which, *device)) {
      fmt::print(stderr, "--peer {}: nvcomp=LIBRARY or prototype=LIBRARY\n", which);
      return 2;
    }
  for (const std::string& one : peers.absent) fmt::print("left out: {}\n", one);
  const Kernels kernels(list, options.study.threads);
  std::vector<CaseResult> results;
  std::string fatal;
  bool wrong = false;
  for (const Case& one : list) {
    Material material = one.make(one);
    if (material.problem.empty() && options.study.interpret) material.problem = check_material(one, material, options.study.threads);
    results.push_back(measure(*device, kernels, peers, one, material, options.study, fatal));
    for (const Score& score : results.back().scores) wrong = wrong || (score.problem.find("chunk") != std::string::npos);
    fmt::print("{}", line(results.back()));
    std::fflush(stdout);
    // Written anew after each case: what was measured stays when the time is up.
    if (!options.markdown.empty()) std::ofstream(options.markdown) << (options.suite == "peers" ? peer_markdown(setup, peers, results) : markdown(setup, results));
    if (!options.json.empty()) std::ofstream(options.json) << json(setup, results);
    if (!fatal.empty()) {
      fmt::print("FATAL {}: {}\n", one.name, fatal);
      return 3;
    }
  }
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  sluice::bench::Options options;
  options.study.threads = std::max(1u, std::thread::hardware_concurrency());
  CLI::App app("CODAG's comparison of decoding strategies on this machine's GPU");
  app.add_option("--data", options.data, "Directory of the test data")->capture_default_str();
  app.add_option("--corpus", options.corpus, "Directory with cpp_text.bin, x86_binary.bin and x86_code.bin")->capture_default_str();
  app.add_option("--case", options.words, "Only cases whose names or tables contain one of these");
  app.add_option("--schedule", options.only, "Only these schedules; directives too: \"strategy speculate, chunk_warps 4\"");
  app.add_option("--suite", options.suite, "codag: strategies compared; peers: goals, beside other decoders")
      ->check(CLI::IsMember({"codag", "peers"}))->capture_default_str();
  app.add_option("--peer", options.peers, "Measured too: nvcomp=LIBRARY, prototype=LIBRARY (prototype.cu)");
  app.add_option("--compile", options.compile, "FIRST,FURTHER: compile times of two codecs, and nothing else");
  app.add_flag("!--no-interpreter", options.study.interpret, "Leave out the interpreter's check of the material");
  app.add_option("--gigabytes", options.gigabytes, "Output of one launch")->take_last()->capture_default_str();
  app.add_option("--rounds", options.study.rounds, "Launches")->take_last()->capture_default_str();
  app.add_option("--seconds", options.study.most_seconds, "Kernel time of one schedule, about")->take_last()->capture_default_str();
  app.add_option("--threads", options.study.threads, "For compressing and checking")->check(CLI::PositiveNumber);
  app.add_option("--commit", options.commit, "For the report's head");
  app.add_option("--markdown", options.markdown, "Report");
  app.add_option("--json", options.json, "The same as JSON");
  app.add_flag("--check", options.check, "Without a GPU: compress, and decode with the interpreter");
  CLI11_PARSE(app, argc, argv);
  std::string command = "sluice_cuda_codag";
  for (int i = 1; i < argc; ++i) command += " " + sluice::bench::shown(argv[i]);
  return sluice::bench::run(command, std::move(options));
}
