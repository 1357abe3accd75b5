#pragma once
// Reading NVRTC's files before NVRTC is loaded. Its library has 110 MB, nearly all of which a compile touches; where the system
// has none of that in memory, page faults bring it in piece by piece, which takes as long as the compile itself. Asked for
// at once, while the driver starts, it is there or on its way when it is needed.
#include <thread>

#include "runtime/jit/cache.h"

namespace sluice::runtime {

// Asks for the files, from a thread of its own, which is joined when what this gives goes. Loads and looks up nothing. Only where
// `cache` has no entries: where it has some, the kernel that is wanted is probably one of them, and needs no compiler.
[[nodiscard]] std::jthread read_nvrtc_ahead(const ObjectCache& cache);

}  // namespace sluice::runtime
