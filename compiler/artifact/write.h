#pragma once
// An artifact to the bytes of its file: note [artifact container].
#include "compiler/artifact/artifact.h"

namespace sluice::artifact {

// Equal artifacts give equal bytes. `artifact` must be one that read() would take.
[[nodiscard]] Bytes write(const Artifact& artifact);

}  // namespace sluice::artifact
