// Steps that are done side by side, one a lane.
//
//   repeat count times          ->   for (k = lane; k < unchecked; k += lanes)
//     value: uint(width)               value = lane_bits_at(first_bit + k * width, width);
//     emit zigzag(value)               store_lane(first_out + 8 * k, zigzag(value));
//
// Legal when every step takes the same number of bits and makes the same number of outputs, and uses nothing of another
// step but running sums `x := x +% term`, which become a prefix sum over the lanes. A step may store the element of an
// array that the loop's variable names. A step that a check refuses undoes the round: the checked path finds it.
// Inside a token, steps of as many bits each that need more of each other are in order: a token that has such is left, but a lane
// that only asks where tokens end knows where the steps do (strategy speculate).
#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "compiler/analysis/loop_state.h"
#include "compiler/analysis/walk.h"
#include "compiler/plan/lower_token.h"

namespace sluice::plan {
namespace {

using ir::Op;
using ir::ReadSpec;
using ir::Stmt;
using K = Stmt::Kind;

bool mentions(const ir::Expr& e, std::uint32_t slot) {
  bool found = false;
  for_each_node(e, [&](const ir::Expr& x) { found |= x.op == Op::Local && x.ref == slot; });
  return found;
}

bool all_differ(std::span<const std::uint64_t> values) {
  const std::set<std::uint64_t> all(values.begin(), values.end());
  return all.size() == values.size();
}

}  // namespace

bool TokenLowering::lane_does(const Stmt& s) {
  const bool every = depth_.conditional == lanes_->conditional, own_rule = stack_.size() == lanes_->calls;
  switch (s.kind) {
    case K::Read: {
      if (!every || s.slot == Stmt::kNoSlot || s.read.order != ReadSpec::Order::Stream) return false;
      if (s.read.kind == ReadSpec::Kind::Fixed) return true;
      return s.read.kind == ReadSpec::Kind::Computed &&
             (inner_ ? same_in_every_step(*s.read.width) : same_in_every_token(*s.read.width));
    }
    case K::Emit:
    case K::Check:
      return every;
    case K::SetElem:
      return lanes_->in_order || (every && own_rule && own_element(s) && !mode_.guarded.contains(s.ref));
    case K::SetLocal:
      return lanes_->in_order || every || !own_rule || !lanes_->outer.contains(s.slot);  // and running_sum takes it, or refuses there
    case K::If:
    case K::Call:
    case K::Reject:
      return true;
    case K::Return:
      return stack_.size() > lanes_->calls && every;
    default:
      return false;
  }
}

// i or x + i, where i counts the steps and x is the same in all of them, or what a table says of that, all of whose entries differ:
// every step has its own.
bool TokenLowering::own_index(const ir::Expr& e) const {
  if (e.op == Op::Local) return e.ref == lanes_->index;
  if (e.op == Op::TableElem) return own_index(*e.kids[0]) && all_differ(module().tables[e.ref].values);
  if (e.op != Op::Add) return false;
  const auto same = [&](const ir::Expr& x) {
    bool all = true;
    for_each_node(x, [&](const ir::Expr& y) {
      all &= (y.op == Op::Local && y.ref != lanes_->index && lanes_->outer.contains(y.ref) &&
              !lanes_->set_inside.contains(y.ref)) ||
             y.op == Op::Const || y.op == Op::Add || y.op == Op::Sub || y.op == Op::Mul;
    });
    return all;
  };
  return (own_index(*e.kids[0]) && same(*e.kids[1])) || (own_index(*e.kids[1]) && same(*e.kids[0]));
}

// Of an array that steps store to at two places, one step's second element may be the first one of a later step, which all lanes would
// have stored by then.
bool TokenLowering::own_element(const Stmt& s) {
  return own_index(*s.a) && analysis::same(*lanes_->stored.emplace(s.ref, s.a.get()).first->second, *s.a);
}

// x := x +% term, in 64 bits or as a number of x's own type: every lane gets the sum up to its own term.
bool TokenLowering::running_sum(const Stmt& s) {
  if (stack_.size() > lanes_->calls || !lanes_->outer.contains(s.slot)) return false;
  const ir::Type type = rule().slots[s.slot].type;
  const bool cut = s.a->op == Op::Cast && s.a->type == type;
  const ir::Expr& e = cut ? *s.a->kids[0] : *s.a;
  const bool sum = (cut || type.bits == 64) && e.op == Op::Add && e.kids[0]->op == Op::Local &&
                   e.kids[0]->ref == s.slot && !mentions(*e.kids[1], s.slot) && !lanes_->sums.contains(s.slot);
  auto term = sum ? operand(*e.kids[1]) : std::nullopt;
  if (!term) {
    leave("a step needs what the one before it computed");
    return true;
  }
  const Local local = define(s.slot);
  lanes_->sums.insert(s.slot);
  add(Sum{local, *std::move(term)});
  return true;
}

// What differs from a loop whose steps are tokens is that the token around it holds the position, and tests that all
// steps fit.
bool TokenLowering::side_by_side(const Stmt& s) {
  constexpr const char* kNotShared = "it holds a loop that its lanes can't share";
  auto count = operand(*s.a);
  if (!count) return leave("a count needs the input's exact position");
  const Stream before = stream_;
  std::optional<SideBySide> made = shared_steps(s, false);
  if (!made && depth_.conditional != 0 && obstacle_ == std::nullopt) {
    stream_ = before;
    last_need_.reset();
    gone_ = false;
    made = shared_steps(s, true);
  }
  if (!made) return leave(kNotShared);
  made->count = *std::move(count);
  made->value = number();
  if (s.slot != Stmt::kNoSlot) made->index = define(s.slot);
  add(*std::move(made));
  return true;
}

std::optional<SideBySide> TokenLowering::shared_steps(const Stmt& s, bool in_order) {
  SideBySide made;
  made.in_order = in_order;
  Lanes lanes;
  lanes.outer = analysis::set_outside(module(), loop_.scopes[stack_.back()].rule, s);
  collect_set(s.body, lanes.set_inside);
  lanes.index = s.slot;
  lanes.calls = stack_.size();
  lanes.in_order = in_order;
  Inner inner;
  bool falls = false;
  lanes_ = &lanes;
  made.body = steps_of(s, inner, falls);
  lanes_ = nullptr;
  const bool tests = holds<Check, Leave>(made.body);
  if (!falls || lanes.stuck || holds<Exit>(made.body)) return std::nullopt;
  if (!in_order && ((tests && !lanes.sums.empty()) ||
                    (holds<SetElement>(made.body) && analysis::stored_and_read(module(), s).first != nullptr)))
    return std::nullopt;
  made.widths = std::move(inner.widths);
  made.step = cost_of(made.body);
  made.only_field = only_field(made.body, values_of(made.widths));
  return made;
}

}  // namespace sluice::plan
