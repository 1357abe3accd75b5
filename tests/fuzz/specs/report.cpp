#include "tests/fuzz/specs/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace sluice::fuzz {

void write_finding(const Options& options, std::uint64_t index, const std::string& spec, const Bytes* input,
                   const Finding& finding) {
  const std::string base =
      fmt::format("{}/{}-{}-{}", options.out, options.mutants ? "mutants" : "random", options.seed, index);
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  std::ofstream(base + ".sluice") << spec;
  if (input)
    std::ofstream(base + ".in", std::ios::binary)
        .write(reinterpret_cast<const char*>(input->data()), static_cast<std::streamsize>(input->size()));
  const std::string command =
      fmt::format("sluice_fuzz_specs repeat {0}.sluice{1}", base, input ? " " + base + ".in" : "");
  std::ofstream(base + ".txt") << finding.kind << "\n" << finding.detail << "\n" << command << "\n";
  fmt::print(stderr, "{} {}: {}: {}\n", options.mutants ? "mutant" : "spec", index, finding.kind,
             finding.detail.substr(0, 400));
}

void write_totals(const Options& options, std::uint64_t next, const Totals& t) {
  const std::string line = fmt::format(
      "{}\tseed {}\tspecs {}..{}\t{} checked\t{} inputs\t{} on the SIMT layer\t{} with facts\t{} slow\t{} refused\t{} "
      "given up\t{} known\t{} findings\t{:.0f} s\n",
      options.mutants ? "mutants" : "random", options.seed, options.first, next, t.specs, t.inputs, t.simt, t.facts,
      t.slow, t.refused, t.given_up, t.known, t.findings, t.seconds);
  fmt::print("{}", line);
  if (!options.totals.empty()) std::ofstream(options.totals, std::ios::app) << line;
}

}  // namespace sluice::fuzz
