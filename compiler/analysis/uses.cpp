#include "compiler/analysis/uses.h"

#include "compiler/analysis/loop_state.h"
#include "compiler/analysis/walk.h"
#include "compiler/ir/error_text.h"

namespace sluice::analysis {

namespace {

bool has_sums(const ir::Stmt& stmt) {
  bool found = false;
  for_each_expr(stmt, [&](const ir::Expr& expr) { found |= has_output_checksum(expr); });
  return found;
}

}  // namespace

Uses uses_of(const ir::Module& module) {
  using K = ir::Stmt::Kind;
  Uses uses;
  uses.reads_dictionary = ir::reads_dictionary(module);
  uses.stages = !module.buffers.empty() || !module.symbols.empty() || !module.outputs.empty();
  for (const ir::Rule& rule : module.rules)
    for_each_stmt(rule.body, [&](const ir::Stmt& stmt) {
      uses.bwt |= stmt.kind == K::Stage && stmt.stage == ir::StageKind::InverseBwt;
      uses.mtf |= stmt.kind == K::Stage && stmt.stage == ir::StageKind::InverseMtf;
      if (stmt.kind == K::Within && stmt.b) uses.moves.push_back(&stmt);
      uses.sums_in_buffers |= stmt.kind == K::Into && !stmt.further && first_reached(module, stmt.body, has_sums) != nullptr;
      for_each_expr(stmt, [&](const ir::Expr& expr) {
        for_each_node(expr, [&](const ir::Expr& node) { uses.checksums |= node.op == ir::Op::Checksum; });
      });
    });
  return uses;
}

}  // namespace sluice::analysis
