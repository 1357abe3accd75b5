#pragma once
// What may be said of comparisons, whoever asks.
//
//   3 < x   is   x > 3   (mirrored)        not (x < 3)   is   x >= 3   (negated)
//   x in 0..5, y in 6..9: x < y   is   1, x >= y   is   0   (truth_of)
#include "dsl/model/op.h"
#include "dsl/model/value.h"

namespace sluice::model {

constexpr bool is_comparison(Op op) { return op >= Op::Eq && op <= Op::Ge; }

// `b mirrored(op) a` says what `a op b` says. Of what is no order: op itself.
constexpr Op mirrored(Op op) {
  switch (op) {
    case Op::Lt:
      return Op::Gt;
    case Op::Le:
      return Op::Ge;
    case Op::Gt:
      return Op::Lt;
    case Op::Ge:
      return Op::Le;
    default:
      return op;
  }
}

// Of a comparison: the one that holds where it does not.
constexpr Op negated(Op op) {
  switch (op) {
    case Op::Eq:
      return Op::Ne;
    case Op::Ne:
      return Op::Eq;
    case Op::Lt:
      return Op::Ge;
    case Op::Ge:
      return Op::Lt;
    case Op::Le:
      return Op::Gt;
    case Op::Gt:
      return Op::Le;
    default:
      return op;
  }
}

// Of `not x`, where x has one of the truth values given: {1, 1}, {0, 0} or {0, 1}.
constexpr value::Range negated(value::Range truth) { return {1 - truth.hi, 1 - truth.lo}; }

// The truth values that comparison `op` may have of what lies in `a` and in `b`.
constexpr value::Range truth_of(Op op, value::Range a, value::Range b) {
  constexpr value::Range yes{1, 1}, no{0, 0}, either{0, 1};
  switch (op) {
    case Op::Eq:
      return value::disjoint(a, b) ? no : a == b && a.lo == a.hi ? yes : either;
    case Op::Lt:
      return a.hi < b.lo ? yes : a.lo >= b.hi ? no : either;
    case Op::Gt:
      return truth_of(Op::Lt, b, a);
    default:
      return negated(truth_of(negated(op), a, b));
  }
}

}  // namespace sluice::model
