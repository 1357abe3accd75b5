#pragma once
// What the loops over parts have in common (strategy *split*, split_loop.h): the function that a lane decodes a part
// with, and the places of the next parts.
#include <set>
#include <string>

#include "compiler/analysis/split_loops.h"
#include "compiler/emit/careful.h"

namespace sluice::emit {

struct Part {
  std::string name, head;             // of the core's function
  std::set<std::uint32_t> own_reads;  // of what it needs, that differs from step to step
  std::string args;                   // for its call: what it reads, this lane's
};
[[nodiscard]] Part part_of(const Context&, const analysis::SplitLoop&, std::size_t ordinal);

// The loop's function while it is being written. What opens it is the same for all: for the next steps, as many as lanes,
// text that leaves in `count` how many of them have a place and in each lane the place of its own: part_pos and part_end,
// with part_made and part_limit where outputs have one; start_pos and start_made are where the step around it begins.
// next_pos and next_made are behind all of them, `whole` says that none is stuck.
struct PartLoop {
  FastLoop fast;
  Writer w;
};
[[nodiscard]] PartLoop open_part_loop(const Context&, const analysis::SplitLoop&, const Part&, Careful&,
                                      std::size_t ordinal);
// Behind what has moved s and step_ref over the steps. The finished function.
[[nodiscard]] FastLoop close_part_loop(PartLoop);

// `t`, this lane's view of the chunk, but for its place.
void write_view(Writer&, const Context&);

// Steps whose output has a place, and steps that are counted first. Of both: the definition.
[[nodiscard]] FastLoop write_sized_loop(const Context&, const analysis::SplitLoop&, const Part&, Careful&,
                                        std::size_t ordinal);
[[nodiscard]] FastLoop write_counted_loop(const Context&, const analysis::SplitLoop&, const Part&, Careful&,
                                          std::size_t ordinal);

}  // namespace sluice::emit
