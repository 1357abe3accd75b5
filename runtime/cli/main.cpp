// The `sluice` program. Exit codes: see exit_code.h and README.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <string>

#include "runtime/api/sluice.hpp"
#include "runtime/cli/commands.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/print.h"
#include "runtime/cli/terminal.h"
#include "runtime/cli/wrong_word.h"

namespace {

using namespace sluice::cli;

int run(int argc, char** argv) {
  CLI::App app("Sluice: a compiler for decoders. Describe a compressed format once, run it as machine code.", "sluice");
  app.set_version_flag("--version", "sluice " + std::string(sluice::version()));
  app.set_help_flag("-h,--help", "Print this text");
  app.require_subcommand(1);
  app.footer("Exit codes: 0 done, 1 data rejected, 2 error in the spec or the command line, 3 no file, memory or JIT.");
  int exit_code = kDone;
  add_check(app, exit_code);
  add_fmt(app, exit_code);
  add_explain(app, exit_code);
  add_trace(app, exit_code);
  add_emit(app, exit_code);
  add_build(app, exit_code);
  add_decode(app, exit_code);
  add_encode(app, exit_code);
  add_bench(app, exit_code);
  add_tune(app, exit_code);
  add_list(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      app.exit(error, text, text);
      print_out_text(text.str());
      return kDone;
    }
    // A wrong word explains what is missing; a wrong value is what the parser says it is.
    const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
    const bool words = code == CLI::ExitCodes::RequiredError || code == CLI::ExitCodes::ExtrasError;
    print_error((words ? wrong_word_text(app, argc, argv) : std::nullopt).value_or(error.what()));
    const auto chosen = app.get_subcommands();
    print_err("see `sluice {}--help`\n", chosen.empty() ? "" : chosen.front()->get_name() + " ");
    return kSpecOrUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  prepare_streams();
  try {
    return close_streams(run(argc, argv));
  } catch (const std::bad_alloc&) {
    print_error("not enough memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kEnvironment;
}
