// Random specs. What comes out follows the grammar, and mostly the rules of types and names as well; the caller
// compiles it, and mends or drops what is refused (mend.h).
#pragma once
#include <cstdint>
#include <string>

#include "tests/fuzz/specs/lines.h"
#include "tests/fuzz/specs/random.h"

namespace sluice::fuzz {

// What a spec may hold that today's build is known to get wrong: left out while it is (known.h).
struct Leave {
  bool unbuilt = false;  // prefix codes that are read before they are built
};

// A format called `name`.
[[nodiscard]] Lines generate(Random random, const std::string& name, const Leave& leave = {});

}  // namespace sluice::fuzz
