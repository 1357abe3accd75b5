// Inputs of some kilobytes: long enough for a kernel to move its window over the input many times, which vectors of a
// hundred bytes don't make it do.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/vectors.h"

namespace sluice::test {

// Named inputs of the codec with default parameters: from the control libraries' and the project's own encoders, and
// the good vectors one behind the other, which many formats take for one stream.
std::vector<std::pair<std::string, Bytes>> long_inputs(const std::string& codec, std::span<const Vector> vectors);

}  // namespace sluice::test
