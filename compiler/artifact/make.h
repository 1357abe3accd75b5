#pragma once
// The part of an artifact that comes from the format alone, whatever it is compiled for.
//
//   module deflate, its sources  ->  Format{"deflate", bytes out, 38 sites with their lines, ...}
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/artifact/artifact.h"
#include "compiler/ir/ir.h"
#include "dsl/source/source.h"

namespace sluice::artifact {

[[nodiscard]] Format make_format(const ir::Module& module, const SourceSet& sources,
                                 std::vector<std::pair<std::string, std::string>> parameters);

// Adds the words that say what is wrong with a call to the sites: no_room, and where kernels of the artifact demand
// aligned buffers, what those are refused with that are not.
void add_call_errors(Artifact& artifact);

}  // namespace sluice::artifact
