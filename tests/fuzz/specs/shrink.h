// A finding made small: lines and words are left out, and bytes of the input, as long as the same kind of thing goes
// wrong. Every try runs in a process of its own, so that what crashes or hangs can be shrunk too.
#pragma once
#include <string>

#include "tests/fuzz/specs/check.h"
#include "tests/fuzz/specs/lines.h"

namespace sluice::fuzz {

struct Case {
  Lines lines;
  Bytes input;
  bool simt = false;
};

// What goes wrong, in a child process; nothing when nothing does.
[[nodiscard]] Finding try_in_child(const Case& one);

// Prints what goes wrong; exit code 1 when something does.
int repeat(const Case& one);

// Writes SPEC.small and INPUT.small, and prints the spec.
int shrink(Case one, const std::string& spec, const std::string& input);

}  // namespace sluice::fuzz
