#pragma once
// Tokens as records (records.h) of which each begins where, and as, the one before it leaves off: their widths, or what they
// mean, depend on what earlier tokens left. A warp walks them one after the other, and does the rest of them together
// (runtime/prim/cuda/chain.h).
//
//   width t0 (bit_and (elem 0 %12) 31)              ->   records chained slices 0 walked [%12] turned [@2] added [%8]
//   field far look t0                                    its width comes from %12: those that walk the tokens know that
//   ...
//   slice 0 from %8 count %21                            its literals come out of buffer 0; from where, is known late
//   let %8 (add %8 %21)
//   let @2 (select (eq %22 0) @2 %22)                    handed on in turn
//   copy distance @2 length %20
//   field more look t1
//   let %12 %23
#include <optional>

#include "compiler/analysis/reason.h"
#include "compiler/plan/late.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

struct Chain {
  std::optional<analysis::Reason> against;  // why its tokens can't be done so
  std::optional<std::uint32_t> slices;      // the buffer that literals come out of
  std::uint64_t longest = 0;                // elements that a copy has at most
  bool one_part = false;                    // no token is literals and a copy
  std::vector<Local> walked;                // what walking takes of what tokens carry
  Late late;                                // what of them is done when those before are known
};

// note [own]: a check that only keeps an index of `ranges` inside its table is no matter to those that walk, if the table has more
// entries, which say nothing: the token is walked on, and found to be none by the lane that decodes it whole.
// How many entries each of the module's `ranges` has for that: its own, at least.
[[nodiscard]] std::vector<std::uint64_t> range_entries(const ir::Module& module, const Plan& plan);

// Of a warp's loop with a form, whose bits are read from a region's end.
[[nodiscard]] Chain chain_of(const ir::Module& module, const Loop& loop);

}  // namespace sluice::plan
