#include "compiler/passes/pipeline.h"

#include "compiler/passes/dead_locals.h"
#include "compiler/passes/decide.h"
#include "compiler/passes/fold.h"
#include "compiler/passes/prune.h"

namespace sluice::passes {
namespace {

// Every round that changes something removes a node, so this is far above what any spec needs; it only keeps a
// mistake in a pass from looping for ever.
constexpr int kMaxRounds = 32;

}  // namespace

void run(ir::Module& module) {
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = decide(module);
    changed |= fold(module);
    changed |= prune(module);
    changed |= dead_locals(module);
    if (!changed) return;
  }
}

}  // namespace sluice::passes
