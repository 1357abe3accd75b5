// A spec that the compiler refuses, made one that it takes: what a diagnostic points at is replaced or left out, until
// none is left. A generator that knew every rule of the language would be a second `sema`.
//
//   n = x << 70          error: shift by 70            ->   n = 1
//   when x > 300         error: can never be taken     ->   (left out with its block)
#pragma once
#include <optional>

#include "compiler/driver/compile.h"
#include "tests/fuzz/specs/lines.h"

namespace sluice::fuzz {

struct Mended {
  Lines lines;
  driver::Compiled compiled;  // without passes: the module as lowering made it
  unsigned rounds = 0;
};

// What to compile: the spec's text, and where modules that it uses lie.
[[nodiscard]] driver::Request request_of(const Lines& lines, bool passes);

// Nothing when it can't be mended in so many rounds. A failure that is not the spec's comes back as it is.
[[nodiscard]] std::optional<Mended> mend(Lines lines, unsigned most_rounds = 30);

}  // namespace sluice::fuzz
