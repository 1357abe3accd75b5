// Definite assignment.
//
//   if (lt %0 5)
//     set %1 7
//   emit %1          <- "%1 `n` may be used before it is set"
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/verify.h"

namespace sluice::ir {
namespace {

// Slots that are set on every path to a place; nothing when no path leads there.
using Defined = std::optional<std::vector<bool>>;

Defined meet(const Defined& a, const Defined& b) {
  if (!a) return b;
  if (!b) return a;
  std::vector<bool> both = *a;
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = both[i] && (*b)[i];
  return both;
}

class Walk {
 public:
  explicit Walk(const Rule& rule) : rule_(rule), reported_(rule.slots.size()) {}

  std::vector<std::string> run() {
    std::vector<bool> start(rule_.slots.size(), false);
    for (std::uint32_t i = 0; i < rule_.params; ++i) start[i] = true;
    state_ = std::move(start);
    block(rule_.body);
    if (state_ && rule_.result) problems_.push_back("the rule may end without returning its result");
    return std::move(problems_);
  }

 private:
  void use(const ExprPtr& e) {
    if (!e) return;
    if (e->op == Op::Local && state_ && !(*state_)[e->ref] && !reported_[e->ref]) {
      reported_[e->ref] = true;
      problems_.push_back(fmt::format("%{} `{}` may be used before it is set", e->ref, rule_.slots[e->ref].name));
    }
    for (const ExprPtr& kid : e->kids) use(kid);
  }

  void define(std::uint32_t slot) {
    if (slot != Stmt::kNoSlot && state_) (*state_)[slot] = true;
  }

  void block(const Block& statements) {
    for (const auto& s : statements) statement(*s);
  }

  void statement(const Stmt& s) {
    use(s.read.width);
    use(s.read.index);
    for (const ExprPtr* e : {&s.a, &s.b, &s.c, &s.d}) use(*e);
    for (const ExprPtr& arg : s.args) use(arg);
    switch (s.kind) {
      case Stmt::Kind::If: {
        const Defined before = state_;
        block(s.body);
        const Defined after_body = std::exchange(state_, before);
        block(s.orelse);
        state_ = meet(after_body, state_);
        break;
      }
      case Stmt::Kind::Loop: loop(s); break;
      case Stmt::Kind::Within:
      case Stmt::Kind::Producing:
      case Stmt::Kind::Into: block(s.body); break;
      case Stmt::Kind::Stop:
        at_stops_ = meet(at_stops_, state_);
        state_.reset();
        break;
      case Stmt::Kind::Return:
      case Stmt::Kind::Reject:
      case Stmt::Kind::Accept: state_.reset(); break;
      case Stmt::Kind::Check:
        // One that is always refused, as passes leave it when a condition turns out to be impossible.
        if (s.a && s.a->op == Op::Const && s.a->imm == 0) state_.reset();
        break;
      default: define(s.slot); break;
    }
  }

  // Definitions only grow along a path, so one walk of the body with the state at its first step covers all steps.
  void loop(const Stmt& s) {
    const Defined before = state_;
    const Defined outer_stops = std::exchange(at_stops_, std::nullopt);
    if (s.loop == LoopKind::Times) define(s.slot);
    block(s.body);
    state_ = s.loop == LoopKind::Forever ? at_stops_ : meet(before, at_stops_);
    at_stops_ = outer_stops;
  }

  const Rule& rule_;
  std::vector<bool> reported_;
  Defined state_;
  Defined at_stops_;  // of the innermost loop
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify_definitions(const Rule& rule) { return Walk(rule).run(); }

}  // namespace sluice::ir
