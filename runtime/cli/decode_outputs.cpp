#include "runtime/cli/decode_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "compiler/driver/library.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/output_names.h"
#include "runtime/cli/report.h"

namespace sluice::cli {
namespace {

// Without -o and with --in-place, a file is its own output.
std::string output_path(const DecodeNames& names, const std::string& file) {
  if (names.output.empty()) return file;
  if (names.files.size() == 1) return names.output;
  const std::string name = file == "-" ? "stdin" : std::filesystem::path(file).filename().string();
  return (std::filesystem::path(names.output) / (name + ".out")).string();
}

// What is wrong with the options, in a sentence; empty when nothing is.
std::string wrong_options(const DecodeNames& names) {
  if (names.output.empty() && !names.in_place) return "no output: -o OUT is needed, or --in-place";
  if (std::ranges::count(names.files, "-") > 1) return "standard input can be read only once: - is given twice";
  std::error_code ignored;
  if (!names.output.empty() && names.files.size() > 1 && !std::filesystem::is_directory(names.output, ignored))
    return fmt::format("several files need a directory to go to: {} is none", names.output);
  if (!names.in_place) return {};
  if (std::ranges::find(names.files, "-") != names.files.end()) return "--in-place: standard input can't be replaced";
  if (!names.output.empty() && (names.files.size() > 1 || !same_file(names.files[0], names.output)))
    return fmt::format("--in-place replaces the input, and -o {} is another file", names.output);
  return {};
}

std::string wrong_names(const DecodeNames& names, const std::vector<std::string>& paths) {
  std::vector<NamedOutput> outputs;
  for (std::size_t i = 0; i < paths.size(); ++i) outputs.push_back({paths[i], names.files[i]});
  std::vector<std::string> inputs;
  if (!names.dictionary.empty()) inputs.push_back(names.dictionary);
  if (!driver::is_format_name(names.spec)) inputs.push_back(names.spec);
  std::string wrong = wrong_outputs(inputs, outputs);
  if (!wrong.empty() || names.in_place) return wrong;
  wrong = wrong_outputs(names.files, outputs);
  return wrong.empty() ? wrong : wrong + " (--in-place replaces a file by what it decodes to)";
}

}  // namespace

std::vector<std::vector<std::string>> further_paths(const DecodeNames& names, const std::vector<std::string>& paths,
                                                    const std::vector<FurtherOutput>& outputs, int& exit_code) {
  std::vector<std::vector<std::string>> further(paths.size());
  exit_code = kDone;
  if (outputs.empty()) return further;
  std::string wrong;
  std::vector<NamedOutput> all;
  for (std::size_t i = 0; i < paths.size() && wrong.empty(); ++i) {
    if (names.in_place || is_stream(paths[i]))
      wrong = fmt::format("{} is one place, and the format has the output `{}` beside its own: -o FILE puts that into FILE.{}",
                          names.in_place ? "a file that is replaced" : paths[i], outputs[0].name, outputs[0].name);
    all.push_back({paths[i], names.files[i]});
    for (const FurtherOutput& output : outputs) {
      further[i].push_back(paths[i] + "." + output.name);
      all.push_back({further[i].back(), fmt::format("`{}` of {}", output.name, names.files[i])});
    }
  }
  std::vector<std::string> inputs = names.files;
  if (!names.dictionary.empty()) inputs.push_back(names.dictionary);
  if (!driver::is_format_name(names.spec)) inputs.push_back(names.spec);
  if (wrong.empty()) wrong = wrong_outputs(inputs, all);
  if (!wrong.empty()) exit_code = usage_error(wrong);
  for (const auto& of_file : further)
    for (const std::string& path : of_file)
      if (exit_code == kDone && !can_write(path, wrong)) exit_code = environment_error(wrong);
  return further;
}

std::vector<std::string> decode_outputs(const DecodeNames& names, int& exit_code) {
  std::vector<std::string> paths;
  for (const std::string& file : names.files) paths.push_back(output_path(names, file));
  std::string wrong = wrong_options(names);
  if (wrong.empty()) wrong = wrong_names(names, paths);
  exit_code = wrong.empty() ? kDone : usage_error(wrong);
  for (const std::string& path : paths) {
    if (exit_code != kDone) break;
    if (!can_write(path, wrong)) exit_code = environment_error(wrong);
  }
  return paths;
}

}  // namespace sluice::cli
