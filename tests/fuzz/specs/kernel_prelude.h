// What stands in front of a kernel's text for Clang without any header: the SIMT layer's words for CUDA, and the little
// of the standard library that they need.
#pragma once
#include <string>

namespace sluice::fuzz {

[[nodiscard]] const std::string& kernel_prelude();

}  // namespace sluice::fuzz
