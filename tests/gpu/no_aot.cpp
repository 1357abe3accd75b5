// No generated CPU decoders are linked into the GPU programs: the interpreter is what they compare with.
#include "tests/support/aot.h"

namespace sluice::test {

std::span<const AotEntry> aot_entries() { return {}; }

}  // namespace sluice::test
