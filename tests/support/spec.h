// A spec under codecs/ as a module, for the test programs.
#pragma once
#include <optional>
#include <string>

#include "compiler/ir/ir.h"

namespace sluice::test {

// Compiles the codec `name` with parameters `set` ("T=u16", or empty). `passes` false: as lowering made it, so that
// the interpreter's verdict does not depend on the passes. Nothing on failure, with the rendered reasons in `problem`.
std::optional<ir::Module> compile_codec(const std::string& name, const std::string& set, bool passes, std::string& problem);

}  // namespace sluice::test
