#include "compiler/plan/redo.h"

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

class Redo {
 public:
  explicit Redo(const std::set<std::uint32_t>& arrays) : arrays_(arrays) {}

  // Steps in order; what has been stored on one way here counts on all.
  void body(const Body& steps) {
    for (const Step& s : steps) {
      const bool again = std::holds_alternative<Repeat>(s.what) || std::holds_alternative<SideBySide>(s.what) ||
                         std::holds_alternative<Unchecked>(s.what);
      if (stored_ && !found_ && may_leave(s)) found_ = s.span;
      if (const auto* set = std::get_if<SetElement>(&s.what)) stored_ = stored_ || arrays_.contains(set->array);
      inside(s);
      if (again && stored_) {  // its next step stands behind its stores
        if (!found_ && std::holds_alternative<Repeat>(s.what)) found_ = s.span;
        inside(s);
      }
    }
  }
  [[nodiscard]] std::optional<Span> found() const { return found_; }

 private:
  // Branches begin where the step does: neither sees what another one stores.
  void inside(const Step& s) {
    const bool before = stored_;
    bool after = before;
    for_each_body(s, [&](const Body& b) {
      stored_ = before;
      body(b);
      after = after || stored_;
    });
    stored_ = after;
  }

  const std::set<std::uint32_t>& arrays_;
  bool stored_ = false;
  std::optional<Span> found_;
};

}  // namespace

std::optional<Span> leaves_after_store(const Body& token, const std::set<std::uint32_t>& arrays) {
  Redo redo(arrays);
  redo.body(token);
  return redo.found();
}

}  // namespace sluice::plan
