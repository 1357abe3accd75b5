// sluice_fuzz_specs: random specs, and mutants of real ones, on all targets against the interpreter (README.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tests/fuzz/specs/generate.h"
#include "tests/fuzz/specs/known.h"
#include "tests/fuzz/specs/mend.h"
#include "tests/fuzz/specs/run.h"
#include "tests/fuzz/specs/shrink.h"
#include "tests/fuzz/specs/subject.h"
#include "tests/fuzz/specs/texts.h"
#include "tests/fuzz/specs/write_codecs.h"
#include "tests/support/files.h"

int main(int count, char** words) {
  using namespace sluice::fuzz;
  CLI::App app{"Random specs on all targets against the interpreter"};
  app.require_subcommand(1);
  Options options;
  options.root = SLUICE_SOURCE_DIR;
  CLI::App* shard = app.add_subcommand("run", "a shard");
  shard->add_flag("--mutants", options.mutants, "mutants of the tree's specs, not random ones");
  shard->add_option("--seed", options.seed);
  shard->add_option("--first", options.first, "number of the first spec");
  shard->add_option("--count", options.count, "specs");
  shard->add_option("--inputs", options.inputs, "inputs a spec");
  shard->add_option("--simt", options.simt_percent, "percent of specs that run on the SIMT layer too");
  shard->add_option("--facts", options.facts_percent, "percent of specs whose facts are checked against execution");
  shard->add_option("--full", options.full_percent, "percent of batches that are compiled with all optimisations");
  shard->add_option("--seconds", options.seconds, "stop after so many seconds");
  shard->add_option("--most-findings", options.most_findings, "stop behind so many");
  shard->add_option("--out", options.out, "directory of findings");
  shard->add_option("--totals", options.totals, "file to append a line to");

  std::uint64_t index = 0;
  CLI::App* show = app.add_subcommand("show", "print a random spec");
  show->add_option("--seed", options.seed);
  show->add_option("index", index)->required();

  std::uint64_t specs = 100;
  CLI::App* names = app.add_subcommand("names", "codecs and random specs under other names");
  CLI::App* nvrtc = app.add_subcommand("nvrtc", "NVRTC compiles kernels of random specs, and as objects those that can be");
  for (CLI::App* command : {names, nvrtc}) {
    command->add_option("--seed", options.seed);
    command->add_option("--specs", specs);
  }

  std::string directory;
  CLI::App* codecs = app.add_subcommand("codecs", "random specs as a tree of codecs, with vectors");
  codecs->add_option("--seed", options.seed);
  codecs->add_option("--first", options.first, "number of the first spec");
  codecs->add_option("--count", options.count, "specs");
  codecs->add_option("--inputs", options.inputs, "inputs a spec");
  codecs->add_option("directory", directory)->required();

  std::string spec, input;
  bool simt = false;
  CLI::App* again = app.add_subcommand("repeat", "all checks on one spec and one input");
  CLI::App* less = app.add_subcommand("shrink", "the same, then make both smaller; writes SPEC.small and INPUT.small");
  for (CLI::App* command : {again, less}) {
    command->add_option("spec", spec)->required();
    command->add_option("input", input);
    command->add_flag("--simt", simt, "on the SIMT layer too");
  }
  CLI11_PARSE(app, count, words);
  if (shard->parsed()) return run(options);
  if (codecs->parsed()) return write_codecs(options, directory);
  if (names->parsed()) return check_all_names(options.seed, specs);
  if (nvrtc->parsed()) return compile_with_nvrtc(options.seed, specs);
  if (show->parsed()) {
    Random random = random_of(options.seed, index);
    const auto mended = mend(generate(random_of(random.next(), index), "spec", leave()));
    if (mended) fmt::print("{}", print_lines(mended->lines));
    return mended ? 0 : 1;
  }
  const auto text = sluice::test::read_text(spec);
  const auto bytes = input.empty() ? std::optional(Bytes{}) : sluice::test::read_file(input);
  if (!text || !bytes) {
    fmt::print(stderr, "{}: can't be read\n", !text ? spec : input);
    return 2;
  }
  if (bytes->size() > kMostInput) {
    fmt::print(stderr, "{} has {} bytes: inputs of at most {} are checked\n", input, bytes->size(), kMostInput);
    return 2;
  }
  const Case one{parse_lines(*text), *bytes, simt};
  return again->parsed() ? repeat(one) : shrink(one, spec, input);
}
