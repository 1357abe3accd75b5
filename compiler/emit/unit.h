#pragma once
// What generated translation units of every target have in common: their fast loops, the primitives they need, and the
// constants of the module.
#include <map>
#include <string_view>
#include <vector>

#include "compiler/analysis/uses.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/fast_loop.h"
#include "compiler/emit/writer.h"

namespace sluice::emit {

struct FastLoops {
  std::map<const ir::Stmt*, FastLoop> loops;
  std::vector<const ir::Stmt*> order;  // of their texts: callees of nothing, but numbered as they were found
  std::vector<CodeTable> tables;       // that they look symbols up in
};

// `tables`: those that exist already.
[[nodiscard]] FastLoops find_fast_loops(const Context&, std::vector<LoopReport>* report = nullptr,
                                        std::vector<CodeTable> tables = {});

// The text of an embedded primitive, without what only makes sense in the source tree.
void write_primitive(Writer&, std::string_view path);

// Error words, tables and ranges of the module, what entries of the code tables say of each symbol.
void write_constants(Writer&, const Context&, const std::vector<CodeTable>& tables);

// `struct State`, in which the careful half keeps a chunk, and `fail`, which makes its error words.
void write_state(Writer&, const Context&, const analysis::Uses&);

}  // namespace sluice::emit
