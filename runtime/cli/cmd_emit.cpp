// sluice emit SPEC --target cpu|ir: what the compiler makes of a spec, as text.
#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/emit/cpu.h"
#include "compiler/ir/printer.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/files.h"
#include "runtime/cli/load_spec.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"

namespace sluice::cli {
namespace {

struct EmitOptions {
  std::string spec, target, output = "-";
  std::vector<std::string> set;
};

int emit_text(const EmitOptions& options) {
  const LoadedSpec loaded = load_spec(options.spec, options.set, Passes::Yes);
  if (loaded.exit_code != kDone) return loaded.exit_code;
  const ir::Module& module = *loaded.compiled.module;
  const std::string text = options.target == "ir" ? ir::print(module) : emit::emit_cpu(module);
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  std::string error;
  return write_file(options.output, bytes, error) ? kDone : environment_error(error);
}

}  // namespace

void add_emit(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<EmitOptions>();
  CLI::App* command = app.add_subcommand("emit", "Print generated code, or the intermediate representation");
  command->add_option("spec", options->spec, "A path, or the name of a codec")->required()->type_name("SPEC");
  command
      ->add_option("--target", options->target,
                   "cpu: C++ for this machine's compilers; ir: intermediate representation")
      ->required()
      ->check(CLI::IsMember({"cpu", "ir"}))
      ->type_name("cpu|ir");
  command->add_option("-o,--output", options->output, "Where to; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  add_set_option(*command, options->set);
  command->callback([options, &exit_code] { exit_code = emit_text(*options); });
}

}  // namespace sluice::cli
