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

// The loop's function as far as it is the same for all: its name, what it is given, and its head with the first lines.
struct PartLoop {
  FastLoop fast;
  std::string head;
};
[[nodiscard]] PartLoop open_part_loop(const Context&, const analysis::SplitLoop&, std::size_t ordinal);

// Text that leaves in `count` how many steps have a place, at most a lane's each, and in each lane the place of its own:
// part_pos and part_end, with part_made and part_limit where outputs have one; start_pos and start_made are where the
// step around it begins. next_pos and next_made are behind all of them, `whole` says that none is stuck.
void write_places(Writer&, const Context&, const analysis::SplitLoop&, const Part&, Careful&);

// `t`, this lane's view of the chunk, but for its place.
void write_view(Writer&, const Context&);

// Steps whose output has a place, and steps that are counted first. Of both: the definition.
[[nodiscard]] FastLoop write_sized_loop(const Context&, const analysis::SplitLoop&, const Part&, Careful&,
                                        std::size_t ordinal);
[[nodiscard]] FastLoop write_counted_loop(const Context&, const analysis::SplitLoop&, const Part&, Careful&,
                                          std::size_t ordinal);

}  // namespace sluice::emit
