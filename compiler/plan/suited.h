#pragma once
// What a loop's statements say about the forms that it may have, before its token is lowered.
#include <optional>
#include <set>

#include "compiler/plan/plan.h"

namespace sluice::plan {

// Slots of the rule that keep their meaning from step to step: parameters, and what is set outside of the loop.
[[nodiscard]] std::set<std::uint32_t> outer_slots(const ir::Module&, std::uint32_t rule, const ir::Stmt& loop);
// Arrays that a step stores to and reads as well.
[[nodiscard]] std::set<std::uint32_t> stored_and_read(const ir::Module&, const ir::Stmt& loop);
// Is there any?
[[nodiscard]] bool reads_its_arrays(const ir::Module&, const ir::Stmt& loop);

// A loop over a bit stream.
struct BitFields {
  bool fetched = true;  // each field can be fetched from where it stands: no symbol depends on the bits before it
  bool nested = false;  // tokens hold loops that make output, or end at byte boundaries
};
[[nodiscard]] BitFields bit_fields(const ir::Module&, const ir::Stmt& loop);

// May a step come to the end of its region and ask?
[[nodiscard]] bool tests_end(const ir::Module&, const ir::Stmt& loop);

// What keeps a loop from a better form than Checked, whatever its token is. `nested`: its tokens may hold loops.
[[nodiscard]] std::optional<Obstacle> unsuited(const Ground&, const ir::Stmt& loop, bool nested);

}  // namespace sluice::plan
