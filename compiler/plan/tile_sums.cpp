#include "compiler/plan/tile_sums.h"

#include <algorithm>
#include <set>

#include "compiler/plan/walk.h"
#include "compiler/plan/width.h"

namespace sluice::plan {
namespace {

using ir::Expr;
using ir::Op;

class Sums {
 public:
  Sums(const ir::Module& module, const Loop& loop) : module_(module), loop_(loop) {
    const std::vector<Local> narrow = narrow_locals(module, loop);
    for (const Local l : loop.locals) {
      const bool late = std::ranges::find(loop.records->late, l) != loop.records->late.end();
      if (!late && std::ranges::find(narrow, l) == narrow.end() && !slot(l).type.is_signed) sums_.insert(l);
    }
  }

  std::vector<Local> run() {
    std::size_t before = 0;
    do {  // one that is none may be part of another
      before = sums_.size();
      adds_ = 0;
      body(loop_.body, true);
    } while (sums_.size() != before);
    std::vector<Local> all;
    if (adds_ > kMostAdds) return all;
    for (const Local l : loop_.locals)
      if (sums_.contains(l)) all.push_back(l);
    return all;
  }

 private:
  const ir::Slot& slot(Local l) const { return module_.rules[loop_.scopes[l.scope].rule].slots[l.slot]; }
  bool is_sum(const Expr& e, ScopeId scope) const { return e.op == Op::Local && sums_.contains({scope, e.ref}); }
  bool has_sum(const Expr& e, ScopeId scope) const {
    bool found = false;
    for_each_node(e, [&](const Expr& n) { found |= is_sum(n, scope); });
    return found;
  }
  // A number of two bytes, or of less.
  bool is_small(const Expr& e, ScopeId scope) const {
    return !has_sum(e, scope) && !e.type.is_signed && e.range.lo >= 0 && e.range.hi <= static_cast<ir::i128>(kMostAdded);
  }
  // A sum, or one and a small number.
  bool is_sum_and_more(const Expr& e, ScopeId scope) const {
    if (e.op != Op::Add) return is_sum(e, scope);
    const Expr &a = *e.kids[0], &b = *e.kids[1];
    return (is_sum(a, scope) && is_small(b, scope)) || (is_sum(b, scope) && is_small(a, scope));
  }

  // Its sums are none.
  void give_up(const Expr& e, ScopeId scope) {
    for_each_node(e, [&](const Expr& n) {
      if (n.op == Op::Local) sums_.erase({scope, n.ref});
    });
  }
  // A condition.
  void compared(const Expr& e, ScopeId scope) {
    if (!has_sum(e, scope)) return;
    switch (e.op) {
      case Op::LogAnd:
      case Op::LogOr:
      case Op::LogNot:
        for (const auto& kid : e.kids) compared(*kid, scope);
        return;
      case Op::Eq:
      case Op::Ne:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
        if (is_sum_and_more(*e.kids[0], scope) && e.kids[1]->op == Op::Const) return;
        break;
      case Op::Fits:
        if (is_sum_and_more(*e.kids[0], scope)) return;
        break;
      default:
        break;
    }
    give_up(e, scope);
  }
  void counted(const Operand& o) {
    if (o && has_sum(*o, o.scope) && !is_sum_and_more(*o, o.scope)) give_up(*o, o.scope);
  }

  // `takes`: the loops inside the token that it is in, if any, take a byte in each step.
  void set(Local to, const Operand& value, bool takes) {
    const Expr& e = *value;
    if (!sums_.contains(to)) return give_up(e, value.scope);
    if (is_small(e, value.scope) || is_sum(e, value.scope)) return;
    ++adds_;
    if (takes && is_sum_and_more(e, value.scope)) return;
    sums_.erase(to);
    give_up(e, value.scope);
  }

  void body(const Body& steps, bool takes) {
    for (const Step& s : steps) {
      if (s.reading == Reading::Late) continue;
      if (const auto* let = std::get_if<Let>(&s.what)) {
        set(let->local, let->value, takes);
      } else if (const auto* call = std::get_if<Inline>(&s.what)) {
        for (std::uint32_t i = 0; i < call->args.size(); ++i) set({call->scope, i}, call->args[i], takes);
        body(call->body, takes);
      } else if (const auto* branch = std::get_if<If>(&s.what)) {
        compared(*branch->condition, branch->condition.scope);
        body(branch->then, takes);
        if (branch->orelse) body(*branch->orelse, takes);
      } else if (const auto* check = std::get_if<Check>(&s.what)) {
        compared(*check->condition, check->condition.scope);
      } else if (const auto* literals = std::get_if<Literals>(&s.what)) {
        counted(literals->count);
      } else if (const auto* skip = std::get_if<Skip>(&s.what)) {
        counted(skip->bytes);
      } else if (const auto* copy = std::get_if<Copy>(&s.what)) {
        counted(copy->length);
        if (copy->distance) give_up(*copy->distance, copy->distance.scope);
      } else if (const auto* repeat = std::get_if<Repeat>(&s.what)) {
        if (repeat->index) sums_.erase(*repeat->index);
        if (repeat->count) give_up(*repeat->count, repeat->count.scope);
        if (repeat->until) compared(*repeat->until, repeat->until.scope);
        body(repeat->body, takes && std::ranges::any_of(repeat->body, takes_a_byte));
      } else {
        if (const auto* field = std::get_if<Field>(&s.what); field != nullptr && field->into == Field::Into::Local)
          sums_.erase(field->local);
        for_each_operand(s, [&](const Operand& o) { give_up(*o, o.scope); });
        for_each_body(s, [&](const Body& inner) { body(inner, takes); });
      }
    }
  }
  static bool takes_a_byte(const Step& s) {
    const auto* field = std::get_if<Field>(&s.what);
    return field != nullptr && field->form == FieldForm::Load && field->width == kNoValue;
  }

  const ir::Module& module_;
  const Loop& loop_;
  std::set<Local> sums_;
  std::uint64_t adds_ = 0;
};

}  // namespace

std::vector<Local> tile_sums(const ir::Module& module, const Loop& loop) { return Sums(module, loop).run(); }

}  // namespace sluice::plan
