#pragma once
// `--target interp|cpu|auto`.
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "runtime/api/sluice.hpp"

namespace sluice::cli {

inline void add_target_option(CLI::App& command, Target& target) {
  static const std::map<std::string, Target> kNames{
      {"auto", Target::Auto}, {"cpu", Target::Cpu}, {"interp", Target::Interp}};
  command
      .add_option("--target", target,
                  "How to run it: cpu (machine code), interp (reference interpreter), auto (cpu where possible)")
      ->transform(CLI::CheckedTransformer(kNames, CLI::ignore_case).description(""))
      ->type_name("interp|cpu|auto");
}

}  // namespace sluice::cli
