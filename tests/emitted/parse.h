#pragma once
// A text to Clang's tree, in this process. Kernels are parsed as the plugin parses them for PTX: as the device's half
// of CUDA C++, behind runtime/prim/cuda/clang.h.
#include <memory>
#include <string>

#include "clang/Frontend/ASTUnit.h"
#include "tests/emitted/text.h"

namespace sluice::emitted {

// Nothing, with `errors` set, when the text does not compile.
[[nodiscard]] std::unique_ptr<clang::ASTUnit> parse(const Text& text, std::string& errors);

}  // namespace sluice::emitted
