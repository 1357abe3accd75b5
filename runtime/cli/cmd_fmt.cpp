// sluice fmt [--check] FILES...: the one way a spec is laid out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "dsl/diag/render.h"
#include "dsl/source/source.h"
#include "dsl/syntax/format.h"
#include "dsl/syntax/parse.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/files.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"

namespace sluice::cli {
namespace {

struct FmtOptions {
  std::vector<std::string> files;
  bool check = false;
};

// A file with errors stays as it is: what can't be parsed can't be laid out.
int format_file(const std::string& path, bool check) {
  std::string error;
  const auto bytes = read_file(path, error);
  if (!bytes) return environment_error(error);
  const std::string before(bytes->begin(), bytes->end());
  SourceSet sources;
  DiagSink sink;
  const std::uint32_t file = sources.add(path, before);
  static_cast<void>(ast::parse(sources, file, sink));
  if (!sink.ok()) {
    print_err("{}", render_all(sources, sink.diagnostics(), colour_wanted(stderr)));
    return kSpecOrUsage;
  }
  const std::string after = ast::format(sources, file);
  if (path == "-" && !check) {
    print_out_text(after);
    return kDone;
  }
  if (after == before) return kDone;
  if (check) {
    print_out("{}\n", path);
    return kRejected;
  }
  const std::vector<std::uint8_t> text(after.begin(), after.end());
  return write_file(path, text, error, Sync::Yes) ? kDone : environment_error(error);
}

}  // namespace

void add_fmt(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FmtOptions>();
  CLI::App* command = app.add_subcommand("fmt", "Format specs in place");
  command->add_option("files", options->files, "Specs; - formats standard input to standard output")
      ->required()
      ->type_name("FILE");
  command->add_flag("--check", options->check, "Change nothing; print the names of files that are not formatted");
  command->callback([options, &exit_code] {
    for (const std::string& file : options->files) exit_code = std::max(exit_code, format_file(file, options->check));
  });
}

}  // namespace sluice::cli
