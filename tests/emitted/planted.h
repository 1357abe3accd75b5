#pragma once
// Small texts with faults in them, in planted/: each line that must be found says so.
//
//   u8 x = s.in[0];  // finds memory
//
// A text without such a line must pass. Names that end in _cuda.cpp are kernels.
#include <string>

namespace sluice::emitted {

// Prints what is found elsewhere, or not found; how many.
[[nodiscard]] int check_planted(const std::string& directory);

}  // namespace sluice::emitted
