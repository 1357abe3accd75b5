#include "runtime/cli/load_spec.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "dsl/diag/render.h"
#include "runtime/api/arguments.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/terminal.h"

namespace sluice::cli {
namespace {

int exit_code_of(driver::Failure failure) {
  switch (failure) {
    case driver::Failure::None:
      return kDone;
    case driver::Failure::NoFile:
      return kEnvironment;
    case driver::Failure::Diagnosed:
    case driver::Failure::NoCodec:
    case driver::Failure::Internal:
      break;
  }
  return kSpecOrUsage;
}

}  // namespace

LoadedSpec load_spec(const std::string& path_or_name, const std::vector<std::string>& set, Passes passes, bool quiet) {
  LoadedSpec loaded;
  std::string error;
  const auto settings = split_settings(set, path_or_name, error);
  if (!settings) {
    loaded.exit_code = usage_error(error);
    return loaded;
  }
  driver::Request request;
  request.name = path_or_name;
  request.passes = passes == Passes::Yes;
  for (const Setting& parameter : settings->parameters) request.params.push_back({parameter.name, parameter.value});
  loaded.compiled = driver::compile_spec(request);
  const driver::Compiled& compiled = loaded.compiled;
  loaded.exit_code = exit_code_of(compiled.failure);
  if (!compiled.ok() && compiled.failure != driver::Failure::Diagnosed) {
    print_error(compiled.failure_text);
  } else if (!quiet) {
    print_err("{}", render_all(compiled.sources, compiled.diags.diagnostics(), colour_wanted(stderr)));
  }
  if (!compiled.ok()) return loaded;
  const auto declared = declared_arguments(*compiled.module);
  if (auto bound = bind_arguments(compiled.module->name, declared, settings->arguments))
    loaded.arguments = std::move(*bound);
  else
    loaded.exit_code = usage_error(bound.error().text);
  return loaded;
}

std::vector<std::string> source_files(const SourceSet& sources) {
  std::vector<std::string> files;
  for (std::uint32_t file = 0; file < sources.size(); ++file) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(sources.name(file), ignored)) files.push_back(sources.name(file));
  }
  return files;
}

}  // namespace sluice::cli
