#include "compiler/analysis/stages.h"

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using Form = StageFact::Form;
using ir::Stmt;

Form form_of(const Stmt& stmt) {
  if (stmt.kind == Stmt::Kind::EmitBuffer) return stmt.form == ir::BufferForm::Runs ? Form::Scan : Form::Elementwise;
  switch (stmt.stage) {
    case ir::StageKind::InverseMtf:
    case ir::StageKind::PrefixSum:
      return Form::Scan;
    case ir::StageKind::InverseBwt:
      return Form::Walk;
    case ir::StageKind::Add:
    case ir::StageKind::Gather:
      return Form::Elementwise;
  }
  return Form::Elementwise;
}

}  // namespace

std::string_view form_text(const StageFact& stage) {
  if (stage.stmt->kind == Stmt::Kind::EmitBuffer)
    return stage.stmt->form == ir::BufferForm::Runs ? "run boundaries from an automaton of few states (scan)"
                                                    : "each element's place is known (elementwise)";
  switch (stage.stmt->stage) {
    case ir::StageKind::InverseMtf:
      return "associative composition of partial lists (scan)";
    case ir::StageKind::InverseBwt:
      return "permutation walk (list ranking)";
    case ir::StageKind::PrefixSum:
      return "prefix sum (scan)";
    case ir::StageKind::Add:
    case ir::StageKind::Gather:
      return "elementwise";
  }
  return {};
}

std::vector<StageFact> stages_of(const ir::Module& module) {
  std::vector<StageFact> stages;
  const std::vector<bool> reached = reachable_rules(module);
  for (std::uint32_t rule = 0; rule < module.rules.size(); ++rule) {
    if (!reached[rule]) continue;
    for_each_stmt(module.rules[rule].body, [&](const Stmt& stmt) {
      const bool changes = stmt.kind == Stmt::Kind::EmitBuffer && stmt.form != ir::BufferForm::All && stmt.form != ir::BufferForm::Slice;
      if (stmt.kind == Stmt::Kind::Stage || changes) stages.push_back({&stmt, rule, form_of(stmt)});
    });
  }
  return stages;
}

}  // namespace sluice::analysis
