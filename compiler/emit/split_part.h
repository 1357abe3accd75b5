#pragma once
// What the loops over parts have in common (strategy *split*, split_loop.h): the function that a lane decodes a part
// with, and the places of the next parts.
#include <string>

#include "compiler/emit/checked.h"
#include "compiler/plan/lower.h"

namespace sluice::emit {

// A loop of form Parts, and what its core is called.
struct Part {
  const Context& context;
  const plan::Loop& loop;
  std::string name, head;               // of the core's function
  std::vector<std::uint32_t> own_reads;  // of what it needs, that differs from step to step
  std::string args;                     // for its call: what it reads, this lane's

  const plan::Part& plan() const { return *loop.part; }
  const ir::Rule& rule() const { return context.module.rules[loop.rule]; }
  const ir::Stmt& statement() const { return plan::statement_at(rule(), loop.path); }
  const ir::Stmt& core() const { return plan::statement_at(rule(), plan().core); }
  std::string local(std::uint32_t slot) const { return context.local(loop.rule, slot); }
  const char* type(std::uint32_t slot) const { return held(rule().slots[slot].type); }
};
[[nodiscard]] Part part_of(const Context&, const plan::Loop&);

// The loop's function while it is being written. What opens it is the same for all: for the next steps, as many as lanes,
// text that leaves in `count` how many of them have a place and in each lane the place of its own: part_pos and part_end,
// with part_made and part_limit where outputs have one; start_pos and start_made are where the step around it begins.
// next_pos and next_made are behind all of them, `whole` says that none is stuck.
// Where parts leave entries, only `width` lanes may have one.
[[nodiscard]] Writer open_part_loop(const Part&, CheckedPath&);
// Behind what has moved s and step_ref over the steps. The finished function.
[[nodiscard]] std::string close_part_loop(Writer);

// `t`, this lane's view of the chunk, but for its place.
void write_view(Writer&, const Context&);

// Steps whose output has a place, steps that are counted first, and steps that leave entries. Of all: the definition.
[[nodiscard]] std::string write_sized_loop(const Part&, CheckedPath&);
[[nodiscard]] std::string write_counted_loop(const Part&, CheckedPath&);
[[nodiscard]] std::string write_entries_loop(const Part&, CheckedPath&);

}  // namespace sluice::emit
