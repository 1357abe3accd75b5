#include "runtime/cli/target_option.h"

#include <CLI/CLI.hpp>
#include <map>

#include "runtime/jit/nvrtc.h"

namespace sluice::cli {

bool parse_cuda_target(const std::string& text, std::string& arch) {
  if (text == "cuda") {
    arch.clear();
    return true;
  }
  if (!text.starts_with("cuda:")) return false;
  arch = text.substr(5);
  return runtime::is_cuda_arch(arch);
}

void add_target_option(CLI::App& command, TargetChoice& choice) {
  static const std::map<std::string, Target> kNames{
      {"auto", Target::Auto}, {"cpu", Target::Cpu}, {"interp", Target::Interp}};
  command
      .add_option_function<std::string>(
          "--target",
          [&choice](const std::string& text) {
            const auto named = kNames.find(CLI::detail::to_lower(text));
            choice.cuda = named == kNames.end() && parse_cuda_target(text, choice.arch);
            if (named != kNames.end())
              choice.target = named->second;
            else if (!choice.cuda)
              throw CLI::ValidationError("--target", text +
                                                         " is not one of interp, cpu, auto, cuda, cuda:sm_90 (or another "
                                                         "architecture)");
          },
          "How to run it: cpu (machine code), interp (reference interpreter), auto (what takes least time), cuda (a "
          "GPU's kernel)")
      ->type_name("interp|cpu|auto|cuda[:sm_90]");
}

void add_schedule_option(CLI::App& command, std::string& text) {
  command.add_option("--schedule", text, "Directives for the GPU's kernel: \"strategy warp, input registers\"; or X.schedule, a file of them")
      ->type_name("DIRECTIVES|FILE");
}

}  // namespace sluice::cli
