#include "compiler/analysis/input_views.h"

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using K = ir::Stmt::Kind;

bool literal_bytes(const ir::Stmt& s) {
  return s.kind == K::Literals && s.read.kind == ir::ReadSpec::Kind::Fixed && s.read.type == ir::Type{8, false};
}

}  // namespace

std::vector<bool> input_views(const ir::Module& module) {
  const bool bytes = module.input == ir::Input::Bytes && module.output == ir::Type{8, false};
  std::vector<bool> views(module.buffers.size(), bytes), filled(module.buffers.size());
  for (const ir::Rule& rule : module.rules)
    for_each_stmt(rule.body, [&](const ir::Stmt& s) {
      const bool fills = s.kind == K::Into && !s.further;
      if (fills) filled[s.ref] = true;
      if (fills && !(s.body.size() == 1 && literal_bytes(*s.body.front()))) views[s.ref] = false;
      const bool shuffled = s.form == ir::BufferForm::Unshuffled || s.form == ir::BufferForm::BitUnshuffled;
      if (s.kind == K::EmitBuffer && !shuffled) views[s.ref] = false;
      if (s.kind == K::Stage) {  // stages work in place
        views[s.ref] = false;
        if (s.stage == ir::StageKind::Gather) views[s.array] = false;
      }
    });
  for (std::size_t b = 0; b < views.size(); ++b) views[b] = views[b] && filled[b];
  return views;
}

}  // namespace sluice::analysis
