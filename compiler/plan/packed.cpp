#include "compiler/plan/packed.h"

#include <algorithm>

#include "compiler/plan/walk.h"

namespace sluice::plan {

bool packed_fields(const Loop& loop) {
  if (loop.form != LoopForm::SideBySide) return false;
  unsigned steps = 0, fields = 0, stores = 0;
  bool other = false;
  for_each_step(loop.body, [&](const Step& s) {
    ++steps;
    if (const auto* field = std::get_if<Field>(&s.what)) {
      ++fields;
      other |= field->form != FieldForm::At && field->form != FieldForm::AtWide;
    } else if (std::holds_alternative<Store>(s.what)) {
      ++stores;
    } else {
      other |= !std::holds_alternative<Let>(s.what) && !std::holds_alternative<If>(s.what) && !std::holds_alternative<Inline>(s.what);
    }
  });
  return fields == 1 && stores == 1 && !other && steps <= kPackedSteps;
}

void set_packed(Plan& plan) {
  const auto checked = [](const Loop& loop) { return loop.form == LoopForm::Checked; };
  if (!std::ranges::all_of(plan.loops, [&](const Loop& loop) { return checked(loop) || packed_fields(loop); })) return;
  for (Loop& loop : plan.loops)
    if (!checked(loop)) loop.packed = loop.counts = true;
}

}  // namespace sluice::plan
