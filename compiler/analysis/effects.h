#pragma once
// What running a piece of program can touch, calls included: a summary for the analyses that ask "could this ...?".
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct Effects {
  bool consumes = false;  // may move the input position
  bool produces = false;  // may make output; what goes into a buffer or a further output is none
  bool leaves = false;    // holds a Stop of an outer loop or a Return of its own rule
  bool accepts = false;   // may end the chunk by an Accept
  bool rejects = false;   // holds a Reject
  // By index into the module's lists: written in the piece.
  std::vector<const ir::Stmt*> globals, arrays, codes, buffers, outputs, symbols, marks;  // the first statement; null: none does
  std::vector<const ir::Stmt*> locals;  // of the rule that holds the piece
};

// Answers for one module; keeps the summaries of its rules. Not thread-safe.
class EffectsOf {
 public:
  explicit EffectsOf(const ir::Module& module);
  // `rule` is the rule that holds the block; Stops of loops inside the block do not leave it.
  Effects block(const ir::Block& block, std::uint32_t rule);
  const Effects& rule(std::uint32_t rule);

 private:
  void collect(const ir::Block& block, unsigned loops, Effects& into);
  const ir::Module& module_;
  std::vector<std::optional<Effects>> rules_;
};

}  // namespace sluice::analysis
