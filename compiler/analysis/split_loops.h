#pragma once
// Counted loops whose steps strategy *split* does side by side: the place of each step's region, in the input and in
// the output, is known before what is in it has been decoded.
//
//   for n < splits
//     within split_size[n] bytes            place: bytes of input ...
//       producing min(each, left)           ... and elements of output
//         codes(known)                      core: a lane decodes it by itself
//
// Where the output has no recorded size (`counted`), each lane finds out first how much its part makes: Gompresso/Bit's
// sub-blocks. Copies of a part may reach into the parts before it; they are done once all literals are written.
//
// Around the core a step may compute, test and read; inside, nothing may touch what another step sees but variables:
// what one step leaves in those, the next one's lane guesses.
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

// Copies of a part wait in a word each, which holds their distance and length.
inline constexpr unsigned kCopyBits = 32;
struct CopyBits {
  unsigned distance = 0, length = 0;  // bits that the largest ones need; 0: there are no copies
  std::uint64_t reach = 0;            // the largest distance
};

struct SplitLoop {
  const ir::Stmt* loop = nullptr;  // owned by the module; LoopKind::Times
  std::uint32_t rule = 0;
  // From the outermost region around the core to the one whose body is the core: a Producing unless `counted`, and a
  // Within unless the core reads no input.
  std::vector<const ir::Stmt*> regions;
  const ir::Block* core = nullptr;
  std::set<std::uint32_t> core_sets;   // slots of the rule that the core writes, all its own
  std::set<std::uint32_t> carried;     // slots that the core writes and the next step's core reads
  std::set<std::uint32_t> core_reads;  // slots that it reads and does not write
  std::set<std::uint32_t> step_sets;   // slots that the step around it writes, the loop's counter among them
  bool counted = false;                // no Producing says how much a step makes
  CopyBits copies;                     // of its core
  bool placeless = false;              // where its output begins changes nothing of what a core does, but for limits
  bool summed = false;                 // a step is its region, whose size nothing that it leaves decides: places are sums
};

struct SplitLoops {
  std::vector<SplitLoop> loops;
  ReasonChain why_not;  // of counted loops with regions that are none
};

// Of parts that are counted before they are written: how many bits of a waiting copy's word hold its distance. 0: no
// part is counted.
[[nodiscard]] unsigned copy_distance_bits(std::span<const SplitLoop> loops);

// Those of reachable rules, in order.
[[nodiscard]] SplitLoops find_split_loops(const ir::Module& module);

}  // namespace sluice::analysis
