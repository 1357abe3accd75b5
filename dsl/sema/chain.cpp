// `when` chains and `if`.
//
//   kind: u2                 what is left:  0..3
//   when kind == 0: ...                     1..3
//   when kind <= 2: ...                     3        -> "value 3 of `kind` is not handled"
//
// Without `else`, all conditions must be about one expression, and together cover every value it may have. With or
// without, an arm for values that earlier arms took is an error.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/model/comparison.h"
#include "dsl/sema/body.h"
#include "dsl/sema/interval_set.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using model::Op;

namespace {

const model::Expr& strip(const model::Expr& e) {
  return e.op == Op::Cast && model::within(e.kids[0]->range, model::range_of(e.type)) ? strip(*e.kids[0]) : e;
}

// The first expression that the condition compares with a constant; null when it does no such thing.
const model::Expr* tested(const model::Expr& condition) {
  switch (condition.op) {
    case Op::LogAnd:
    case Op::LogOr:
    case Op::LogNot:
      for (const auto& kid : condition.kids)
        if (const model::Expr* found = tested(*kid)) return found;
      return nullptr;
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
      if (condition.kids[1]->op == Op::Const && condition.kids[0]->op != Op::Const) return &strip(*condition.kids[0]);
      if (condition.kids[0]->op == Op::Const && condition.kids[1]->op != Op::Const) return &strip(*condition.kids[1]);
      return nullptr;
    case Op::Local:
    case Op::Global:
    case Op::Arg:
      return &condition;
    default:
      return nullptr;
  }
}

// The values of the expression `key`, among `domain`, for which the condition holds; nothing when the condition
// is about something else.
std::optional<IntervalSet> covered(const model::Expr& c, const std::string& key, const IntervalSet& domain) {
  switch (c.op) {
    case Op::Const:
      return c.imm != 0 ? domain : IntervalSet();
    case Op::LogNot: {
      const auto inner = covered(*c.kids[0], key, domain);
      if (!inner) return std::nullopt;
      return domain.minus(*inner);
    }
    case Op::LogAnd:
    case Op::LogOr: {
      const auto a = covered(*c.kids[0], key, domain), b = covered(*c.kids[1], key, domain);
      if (!a || !b) return std::nullopt;
      return c.op == Op::LogAnd ? a->intersect(*b) : a->unite(*b);
    }
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: {
      const bool constant_right = c.kids[1]->op == Op::Const;
      const model::Expr& side = strip(*c.kids[constant_right ? 0 : 1]);
      if (c.kids[constant_right ? 1 : 0]->op != Op::Const || key_of(side) != key) return std::nullopt;
      const i128 v = model::const_value(*c.kids[constant_right ? 1 : 0]);
      const Op op = constant_right ? c.op : model::mirrored(c.op);
      Range r{v, v};
      if (op == Op::Lt || op == Op::Le) r = {-kFar, op == Op::Lt ? v - 1 : v};
      if (op == Op::Gt || op == Op::Ge) r = {op == Op::Gt ? v + 1 : v, kFar};
      const IntervalSet set = domain.intersect(IntervalSet(r));
      return op == Op::Ne ? domain.minus(set) : set;
    }
    default:
      if (key_of(c) == key && c.type == model::kBool) return domain.intersect(IntervalSet({1, 1}));
      return std::nullopt;
  }
}

// "value 3 of `kind` is", "values 3 to 9 of `kind` are"; of a bool "`last` being true is"
std::string unhandled(Range r, bool truth, const std::string& key) {
  if (truth) return fmt::format("`{}` being {} is", key, r.lo != 0 ? "true" : "false");
  if (r.lo == r.hi) return fmt::format("value {} of `{}` is", number_text(r.lo), key);
  return fmt::format("values {} to {} of `{}` are", number_text(r.lo), number_text(r.hi), key);
}

// The condition that holds for these values.
std::string handling(Range r, bool truth, const std::string& key) {
  if (truth) return r.lo != 0 ? key : "not " + key;
  if (r.lo == r.hi) return fmt::format("{} == {}", key, number_text(r.lo));
  return fmt::format("{} in {}..{}", key, number_text(r.lo), number_text(r.hi));
}

}  // namespace

bool Body::mentions_param(const ast::Expr& e) {
  for (const ast::Name* name : {&e.name, &e.type_name}) {
    const Symbol* s = name->text.empty() ? nullptr : find(name->text);
    if (s != nullptr && s->is_param) return true;
  }
  return std::any_of(e.kids.begin(), e.kids.end(), [&](const auto& k) { return k && mentions_param(*k); });
}

// A condition over run-time values that can only come out one way. What a parameter decides is meant to.
void Body::warn_constant(const ast::Expr& written, const Expr& c) {
  if (c.op == Op::Const || c.range.lo != c.range.hi || !instance_.is_top || mentions_param(written)) return;
  context_.sink.warning(Code::ConstantCondition, c.span,
                        fmt::format("this condition is always {}", c.range.lo != 0 ? "true" : "false"));
}

void Body::chain(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Stmt::Kind::Choose, s);
  Facts after;
  after.reachable = false;
  std::string key, key_text;
  bool truth = false;               // the key is a bool
  std::optional<IntervalSet> left;  // values of the key no arm has taken yet; nothing: the arms are not about one key
  bool has_else = false, complete = true;
  std::vector<std::pair<IntervalSet, Span>> taken;

  for (std::size_t i = 0; i < s.arms.size(); ++i) {
    const ast::Arm& arm = s.arms[i];
    model::Arm made;
    made.span = arm.span;
    if (arm.condition) {
      made.condition = condition(arm.condition.get());
      if (!made.condition) complete = false;
    } else {
      has_else = true;
    }
    if (made.condition) {
      if (i == 0) {
        if (const Expr* subject = tested(*made.condition)) {
          key = key_of(*subject);
          key_text = context_.text(subject->span);
          truth = subject->type == model::kBool;
          if (!key.empty()) left = IntervalSet(facts_.range_of(*subject));
        }
      }
      const auto values = left ? covered(*made.condition, key, *left) : std::nullopt;
      if (values && made.condition->op != Op::Const && values->empty()) {
        auto report = context_.sink.error(Code::ArmNeverMatches, arm.condition->span, "no value is left for this arm");
        const auto all = covered(*made.condition, key, IntervalSet({-kFar, kFar}));
        for (const auto& [set, span] : taken) {
          if (all && !all->intersect(set).empty()) {
            report.note(span, "this arm takes it first");
            break;
          }
        }
      }
      if (values) {
        taken.emplace_back(*values, arm.span);
        left = left->minus(*values);
      } else {
        left.reset();
      }
    } else if (!arm.condition && left && left->empty() && complete && i > 0) {
      context_.sink.error(Code::ArmNeverMatches, arm.span,
                          fmt::format("the arms before already take every value of `{}`", key_text));
    }
    const Facts before = facts_;
    if (made.condition) facts_.assume(*made.condition, true);
    scoped_block(arm.body, made.body);
    after = Facts::join(after, facts_);
    facts_ = before;
    if (made.condition) facts_.assume(*made.condition, false);
    stmt->arms.push_back(std::move(made));
  }

  if (!has_else && complete) {
    const Span first = s.arms.empty() ? s.span : s.arms.front().span;
    if (!left) {
      context_.sink
          .error(Code::NotProvenExhaustive, first, "these conditions are not about one value, so they may all be false")
          .help("end the chain with `else`: `reject NAME` if nothing is left, `pass` if that is fine");
    } else if (!left->empty()) {
      const Range missing = left->parts().front();
      context_.sink
          .error(Code::NotExhaustive, first, fmt::format("{} not handled", unhandled(missing, truth, key_text)))
          .help(fmt::format("add `when {}`, or end the chain with `else` (`reject NAME`, or `pass`)",
                            handling(missing, truth, key_text)));
    }
  }
  // Values that no arm takes go on below: what is wrong here is not wrong there once more.
  facts_ = has_else || (left && left->empty()) ? after : Facts::join(after, facts_);
  if (!complete) return;
  // With every value taken the last arm needs no test: this is what makes the chain total for later phases.
  if (!has_else && left && left->empty() && !stmt->arms.empty()) stmt->arms.back().condition = nullptr;
  out.push_back(std::move(stmt));
}

void Body::optional_part(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Stmt::Kind::Choose, s);
  model::Arm arm;
  arm.span = s.span;
  arm.condition = condition(s.a.get());
  if (arm.condition) warn_constant(*s.a, *arm.condition);
  Facts skipped = facts_;
  if (arm.condition) {
    skipped.assume(*arm.condition, false);
    facts_.assume(*arm.condition, true);
  }
  scoped_block(s.body, arm.body);
  facts_ = Facts::join(facts_, skipped);
  if (!arm.condition) return;
  stmt->arms.push_back(std::move(arm));
  out.push_back(std::move(stmt));
}

}  // namespace sluice::sema
