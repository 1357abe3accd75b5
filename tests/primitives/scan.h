#pragma once
// What Clang sees in the primitives' headers. They are compiled in several ways, since conditions of the preprocessor
// leave out a part in each: as for a CPU with and without its newer instructions, as for GPUs old and new, and as the
// layer that runs kernels on a host does.
#include <map>
#include <string>

#include "tests/primitives/header.h"

namespace sluice::primitives {

using Headers = std::map<std::string, Header>;  // by path

// Of the tree at `root`. False, with `errors` set, when something does not compile.
[[nodiscard]] bool scan(const std::string& root, Headers&, std::string& errors);

}  // namespace sluice::primitives
