#pragma once
// Buffers that hold bytes of the input as they stand there: no copy need be made, the buffer is a view of the input.
//
//   into codes                     codes: `remaining` bytes of the input from here on
//     literals u8[remaining]
//   ...
//   c = codes[n + x * splits]      the input's byte there
//   emit unshuffled codes          from where they stand
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

// By buffer: is every `into` of it literal bytes and nothing else, and is it only counted, indexed and put back from a shuffle?
[[nodiscard]] std::vector<bool> input_views(const ir::Module& module);

}  // namespace sluice::analysis
