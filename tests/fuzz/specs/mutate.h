// Real specs, a little different: lines left out, doubled, swapped, moved between specs; numbers, names and operators
// replaced by others. What still compiles is a format that its vectors reach far into.
#pragma once
#include <string>
#include <vector>

#include "tests/fuzz/specs/lines.h"
#include "tests/fuzz/specs/random.h"
#include "tests/fuzz/specs/steer.h"

namespace sluice::fuzz {

struct Original {
  std::string name;
  Lines lines;
  std::vector<Bytes> inputs;  // its vectors' inputs
};

struct Pool {
  std::vector<Original> originals;
};

// The specs of codecs/, examples/ and tests/ under `root`, in name order.
[[nodiscard]] Pool load_pool(const std::string& root);

[[nodiscard]] Lines mutate(const Original& original, const Pool& pool, Random& random);

}  // namespace sluice::fuzz
