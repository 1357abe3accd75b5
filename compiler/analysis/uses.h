#pragma once
// Which families of primitives a module's rules ask for.
//
//   check crc32 == sum   ->  checksums          buffer block; inverse_bwt block origin   ->  stages, bwt
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct Uses {
  bool checksums = false, stages = false, bwt = false, mtf = false;
  bool reads_dictionary = false;  // in a `within dictionary`
  bool sums_in_buffers = false;  // a checksum over the output may be one over a buffer, which is filled in count mode, too
  std::vector<const ir::Stmt*> moves;  // each `within` that reads elsewhere, rules in order; owned by the module
};
[[nodiscard]] Uses uses_of(const ir::Module& module);

}  // namespace sluice::analysis
