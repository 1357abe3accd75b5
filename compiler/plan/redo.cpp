#include "compiler/plan/redo.h"

#include <algorithm>
#include <ranges>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

// Goes through the token from its end: what is left on one way behind here counts on all.
class Redo {
 public:
  Redo(const std::set<std::uint32_t>& arrays, bool at_end) : arrays_(arrays), left_(at_end) {}

  void body(const Body& steps) {
    for (const Step& s : std::views::reverse(steps)) {
      inside(s);
      const auto* set = std::get_if<SetElement>(&s.what);
      if (set != nullptr && left_ && arrays_.contains(set->array)) stores_.push_back({&s, loops_ > 0});
      left_ = left_ || may_leave(s);
    }
  }
  std::vector<StoreToRedo> take() { return std::move(stores_); }

 private:
  void inside(const Step& s) {
    const bool again = std::holds_alternative<Repeat>(s.what) || std::holds_alternative<SideBySide>(s.what) ||
                       std::holds_alternative<Unchecked>(s.what);
    const bool behind = left_;
    bool before = left_;
    loops_ += again ? 1 : 0;
    for_each_body(s, [&](const Body& b) {
      // Behind a branch stands what is behind all of them, and behind a loop's step its next one, which may end by leaving.
      left_ = behind || (again && (std::holds_alternative<Repeat>(s.what) || any_step(b, may_leave)));
      body(b);
      before = before || left_;
    });
    loops_ -= again ? 1 : 0;
    left_ = before;
  }

  const std::set<std::uint32_t>& arrays_;
  bool left_;
  unsigned loops_ = 0;
  std::vector<StoreToRedo> stores_;
};

}  // namespace

std::vector<StoreToRedo> stores_to_redo(const Body& token, const std::set<std::uint32_t>& arrays, bool at_end) {
  Redo redo(arrays, at_end);
  redo.body(token);
  return redo.take();
}

bool may_be_redone(Target target, const Loop& loop, const std::set<std::uint32_t>& arrays) {
  const std::vector<StoreToRedo> stores = stores_to_redo(loop.body, arrays, loop.progress);
  const bool cpu = target == Target::Cpu;
  bool right = cpu ? std::ranges::none_of(stores, &StoreToRedo::repeated)
                   : loop.nested || arrays.empty() || (!loop.progress && stores.empty());
  for_each_step(loop.body, [&](const Step& s) {
    const auto* set = std::get_if<SetElement>(&s.what);
    if (set == nullptr) return;
    const bool listed = std::ranges::find(stores, &s, &StoreToRedo::step) != stores.end();
    right = right && (set->undo != kNoValue) == (cpu && listed);
  });
  return right;
}

bool hands_over_early(const Body& side_by_side) { return holds<Check, Leave>(side_by_side) && holds<Store>(side_by_side); }

bool hands_over_early(const Loop& loop) {
  if (loop.form == LoopForm::SideBySide) return hands_over_early(loop.body);
  return any_step(loop.body, [](const Step& s) {
    const auto* lanes = std::get_if<SideBySide>(&s.what);
    return lanes != nullptr && hands_over_early(lanes->body);
  });
}

}  // namespace sluice::plan
