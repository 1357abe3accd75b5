// A spec on its way through the compiler, with what has to hold on the way.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "tests/fuzz/specs/check.h"
#include "tests/fuzz/specs/lines.h"

namespace sluice::fuzz {

struct Subject {
  Lines lines;
  driver::Compiled compiled;  // without passes: lowered() says what is right
  driver::Compiled passed;    // through passes, as decoders are made from it
  [[nodiscard]] const ir::Module& lowered() const { return *compiled.module; }
  [[nodiscard]] const ir::Module& module() const { return *passed.module; }
};

// Passes, verifier, and the IR's text read back. `compiled` is of the lines, without passes, and holds a module.
[[nodiscard]] std::optional<Subject> make_subject(Lines lines, driver::Compiled compiled, Finding& finding);

// The kernel under a schedule that is legal for it; drawn from `random`, the default one at last. `schedule` receives
// it.
[[nodiscard]] std::optional<Kernel> make_kernel(Subject& subject, Random random, std::string& schedule,
                                                Finding& finding);

// Everything there is to check of a spec and inputs, one after the other.
[[nodiscard]] Finding check_all(const Lines& lines, const std::vector<Bytes>& inputs, Random random, bool simt,
                                Effort effort);

}  // namespace sluice::fuzz
