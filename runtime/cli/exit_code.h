#pragma once
// What the program's exit code says; the same four words for every command.

namespace sluice::cli {

enum ExitCode : int {
  kDone = 0,         // what was asked was done
  kRejected = 1,     // the data was refused by the format (or, `fmt --check`: a file is not formatted)
  kSpecOrUsage = 2,  // the description has errors, or the command line is wrong
  kEnvironment = 3,  // no such file, no memory, output that fails, no way to compile for the target
};

}  // namespace sluice::cli
