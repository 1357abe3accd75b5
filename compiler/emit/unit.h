#pragma once
// What generated translation units of every target have in common: their fast loops and the constants of the module.
#include <string>
#include <string_view>
#include <vector>

#include "compiler/analysis/uses.h"
#include "compiler/emit/loop_text.h"
#include "compiler/emit/writer.h"

namespace sluice::emit {

// A plan's loops as text, all but those over parts (split_loop.h). In a kernel that says so, those with records by lanes that
// guess, and those with codes by lanes that look them up; all others as without a kernel.
[[nodiscard]] std::vector<std::string> write_loops(const Context&, const plan::Plan&, const plan::Kernel* kernel = nullptr);
// The same put together, behind what they rely on.
void write_fast_loops(Writer&, const std::vector<std::string>& loops);

// Error words, tables and ranges of the module, what entries of the plan's look-up tables say of each symbol.
void write_constants(Writer&, const Context&, const plan::Plan&);

// `struct State`, in which the checked path keeps a chunk, and `fail`, which makes its error words.
void write_state(Writer&, const Context&, const analysis::Uses&);

}  // namespace sluice::emit
