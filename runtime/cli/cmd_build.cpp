// sluice build SPEC --target LIST -o X.sluicea: compiled ahead of time, for machines without a compiler.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/artifact/c_header.h"
#include "compiler/artifact/hash.h"
#include "compiler/artifact/write.h"
#include "dsl/source/source.h"
#include "runtime/cli/build_artifact.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/output_names.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/units.h"

namespace sluice::cli {
namespace {

struct BuildOptions {
  std::string spec, output, header, object, name, schedule, depfile;
  std::vector<std::string> targets, set;
};

bool is_c_name(const std::string& word) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !word.empty() && letter(word[0]) &&
         std::ranges::all_of(word, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// For make and ninja: the artifact depends on every file that was read.
std::string depfile_text(const std::string& output, const SourceSet& sources) {
  const auto escaped = [](const std::string& path) {
    std::string text;
    for (const char c : path)
      text += c == ' ' || c == '#' ? std::string("\\") + c : c == '$' ? "$$" : std::string(1, c);
    return text;
  };
  std::string text = escaped(output) + ":";
  for (const std::string& file : source_files(sources)) text += " " + escaped(file);
  return text + "\n";
}

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

int check_outputs(const BuildOptions& options, const SourceSet& sources) {
  std::vector<NamedOutput> outputs{{options.object, "--object"},
                                   {options.header, "--header"},
                                   {options.depfile, "--depfile"},
                                   {options.output, "--output"}};
  std::erase_if(outputs, [](const NamedOutput& output) { return output.path.empty(); });
  std::string error = wrong_outputs(source_files(sources), outputs);
  if (!error.empty()) return usage_error(error);
  for (const NamedOutput& output : outputs)
    if (!can_write(output.path, error)) return environment_error(error);
  return kDone;
}

int build(const BuildOptions& options) {
  std::string error;
  const auto targets = parse_build_targets(options.targets, error);
  if (!targets) return usage_error(error);
  if (!options.name.empty() && !is_c_name(options.name))
    return usage_error(fmt::format("--name: `{}` can't be a name in C", options.name));
  if (!options.schedule.empty() && targets->archs.empty())
    return usage_error("--schedule is for the targets cuda and ptx");
  const auto settings = split_settings(options.set, options.spec, error);
  if (!settings) return usage_error(error);
  if (!settings->arguments.empty())
    return usage_error(
        fmt::format("--set {}: a run-time argument is given when decoding", settings->arguments[0].name));

  LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  if (const int exit_code = check_outputs(options, loaded.compiled.sources); exit_code != kDone) return exit_code;
  BuildRequest request;
  request.spec.name = options.spec;
  for (const Setting& parameter : settings->parameters)
    request.spec.params.push_back({parameter.name, parameter.value});
  request.targets = *targets;
  request.schedule = options.schedule;
  request.colour = colour_wanted(stderr);
  request.made = [](const std::string& what, std::size_t bytes, double seconds) {
    print_err("  {:<18} {:>8} bytes in {}\n", what, bytes, duration_text(seconds));
  };
  const auto artifact = build_artifact(request, loaded.compiled);
  if (!artifact) return report(artifact.error());

  const std::string& format = artifact->format.name;
  const std::string name = options.name.empty() ? format : options.name;
  const std::vector<std::uint8_t> bytes = artifact::write(*artifact);
  const std::string hash = artifact::hash_text(bytes);
  const std::string header = artifact::c_header(*artifact, name, hash, !options.object.empty());
  const std::string depfile = depfile_text(options.output, loaded.compiled.sources);
  std::vector<std::uint8_t> object;
  if (!options.object.empty()) {
    auto built = build_object(loaded.compiled, name, *targets);
    if (!built) return report(built.error());
    object = std::move(*built);
  }
  std::vector<OutputFile> files{{options.object, object},
                                {options.header, bytes_of(header)},
                                {options.depfile, bytes_of(depfile)},
                                {options.output, bytes}};
  std::erase_if(files, [](const OutputFile& file) { return file.path.empty(); });
  if (!write_files(files, error)) return environment_error(error);
  print_err("{}: {} bytes, hash {}\n", format, bytes.size(), hash);
  return kDone;
}

}  // namespace

void add_build(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BuildOptions>();
  CLI::App* command = app.add_subcommand("build", "Compile a format ahead of time, into one file for many machines");
  command->add_option("spec", options->spec, "A path, or the name of a codec")->required()->type_name("SPEC");
  command
      ->add_option("--target", options->targets,
                   "What to compile for, with commas between: cpu, cpu:ISA, cuda:sm_NN, ptx, ptx:compute_NN")
      ->required()
      ->allow_extra_args(false)
      ->type_name("LIST");
  command->add_option("-o,--output", options->output, "The artifact; - is standard output")
      ->required()
      ->type_name("FILE");
  command->add_option("--header", options->header, "Also write a C header: sizes, arguments, error codes")
      ->type_name("FILE");
  command
      ->add_option("--object", options->object,
                   "Also write an object file for the linker: entry points NAME_decode and NAME_count")
      ->type_name("FILE");
  command->add_option("--name", options->name, "Prefix of the names in header and object; default: the format's name")
      ->type_name("NAME");
  command->add_option("--schedule", options->schedule, "Directives for CUDA, with commas or blanks between")
      ->type_name("TEXT");
  command->add_option("--depfile", options->depfile, "Also write what the artifact was made from, for make or ninja")
      ->type_name("FILE");
  add_set_option(*command, options->set);
  command->callback([options, &exit_code] { exit_code = build(*options); });
}

}  // namespace sluice::cli
