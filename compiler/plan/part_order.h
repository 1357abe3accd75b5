#pragma once
// What a token makes that is taken as a record: literals once and then one copy, at most, on every way through it.
//
//   if (lt %0 3)  literals ...           Nothing -> Literals
//   copy ...                             Literals or Nothing -> Copy
//   literals ...                         refused: literals behind a copy
#include <algorithm>
#include <optional>

#include "compiler/analysis/amount.h"
#include "compiler/analysis/reason.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {

// Each part at most once, in this order. Where tokens begin at bits and lanes guess, Literals is one value.
enum class Made : std::uint8_t { Nothing, Literals, Copy };

class PartOrder {
 public:
  virtual ~PartOrder() = default;

 protected:
  // `order` and `output`: why a token is none whose parts come otherwise, or that makes something else.
  PartOrder(const char* order, const char* output) : order_(order), output_(output) {}

  // Statements of its own, the literals among them. False: it is one of those that all have.
  virtual bool step_of(const Step& s, Made& made) = 0;
  virtual void operand(const Step& s, const Operand& o) = 0;

  void refuse(const Step& s, const char* why) {
    if (!found_) found_ = analysis::Reason{why, s.span};
  }
  void make(const Step& s, Made part, Made& made) {
    if (made >= part) refuse(s, order_);
    both_ |= made == Made::Literals;
    made = part;
  }
  // `made`: at most, on every way through.
  void body(const Body& steps, Made& made) {
    for (const Step& s : steps) {
      for_each_operand(s, [&](const Operand& o) { operand(s, o); });
      step(s, made);
    }
  }

  static constexpr std::uint64_t kAny = ~std::uint64_t{0};
  std::uint64_t farthest() const { return analysis::limit_of(reach_).value_or(kAny); }
  std::uint64_t longest_copy() const { return analysis::limit_of(longest_).value_or(kAny); }

  std::optional<analysis::Reason> found_;
  bool both_ = false;  // some way through makes literals and a copy

 private:
  void step(const Step& s, Made& made) {
    if (step_of(s, made)) return;
    if (const auto* copy = std::get_if<Copy>(&s.what)) {
      reach_ = std::max(reach_, (*copy->distance).range.hi);
      longest_ = std::max(longest_, (*copy->length).range.hi);
      return make(s, Made::Copy, made);
    }
    if (const auto* branch = std::get_if<If>(&s.what)) {
      Made otherwise = made;
      body(branch->then, made);
      if (branch->orelse) body(*branch->orelse, otherwise);
      made = std::max(made, otherwise);
      return;
    }
    if (const auto* drop = std::get_if<Drop>(&s.what)) return body(drop->read, made);
    if (const auto* call = std::get_if<Inline>(&s.what)) return body(call->body, made);
    if (makes_output(s)) return refuse(s, output_);
    const bool plain = std::holds_alternative<Width>(s.what) || std::holds_alternative<Let>(s.what) || std::holds_alternative<Check>(s.what) ||
                       std::holds_alternative<Leave>(s.what) || std::holds_alternative<Exit>(s.what);
    if (!plain) refuse(s, "it does more than read and compute");
  }

  const char* const order_;
  const char* const output_;
  ir::i128 reach_ = 0, longest_ = 0;  // of copies
};

}  // namespace sluice::plan
