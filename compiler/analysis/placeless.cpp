#include "compiler/analysis/placeless.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Op;
using K = ir::Stmt::Kind;

// note [places]: a value moves with the place (1) or does not (0); nothing else is a placeless part's. Sums and differences
// are modulo 2^64 and so move as their terms do. Two that move compare as they would anywhere as long as neither wraps:
// outputs are far from 2^64, so that holds of `produced` itself and of what has kept it.
class Placeless {
 public:
  explicit Placeless(const ir::Module& module) : module_(module), entered_(module.rules.size()) {}

  bool block(std::uint32_t rule, const ir::Block& b) {
    // Slots first, until no more of them are places; then everything that looks at them.
    for (bool more = true; more;) {
      more = false;
      for_each_stmt(b, [&](const ir::Stmt& s) {
        if (s.kind == K::SetLocal && moves(rule, *s.a) == true) more |= places_.insert({rule, s.slot}).second;
      });
    }
    bool good = true;
    for_each_stmt(b, [&](const ir::Stmt& s) { good = good && statement(rule, s); });
    return good;
  }

 private:
  bool statement(std::uint32_t rule, const ir::Stmt& s) {
    const bool sets = s.slot != ir::Stmt::kNoSlot, is_place = sets && places_.contains({rule, s.slot});
    if (s.kind == K::SetLocal) return moves(rule, *s.a) == is_place && (!is_place || kept(*s.a));
    bool good = !is_place;
    for_each_expr(s, [&](const ir::Expr& e) { good = good && moves(rule, e) == false; });
    if (!good || s.kind != K::Call || entered_[s.ref]) return good;
    entered_[s.ref] = true;
    return block(s.ref, module_.rules[s.ref].body);
  }

  // Nothing: neither, or nobody knows.
  std::optional<bool> moves(std::uint32_t rule, const ir::Expr& e) const {
    if (e.op == Op::Produced) return true;
    if (e.op == Op::Local) return places_.contains({rule, e.ref});
    std::vector<bool> kids;
    for (const auto& kid : e.kids) {
      const std::optional<bool> one = moves(rule, *kid);
      if (!one) return std::nullopt;
      kids.push_back(*one);
    }
    bool any = false;
    for (const bool kid : kids) any |= kid;
    if (!any) return false;
    switch (e.op) {
      case Op::Add:
        if (kids[0] && kids[1]) return std::nullopt;
        return true;
      case Op::Sub:
        if (!kids[0]) return std::nullopt;
        return !kids[1];
      case Op::Cast:
        if (e.type.bits != 64) return std::nullopt;
        return true;
      case Op::Select:
        if (kids[0] || !kids[1] || !kids[2]) return std::nullopt;
        return true;
      case Op::Eq:
      case Op::Ne:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
      case Op::SubOk:
        if (!kept(*e.kids[0]) || !kept(*e.kids[1]) || !kids[0] || !kids[1]) return std::nullopt;
        return false;
      default:
        return std::nullopt;
    }
  }
  // Does it have the value that `produced` had once?
  static bool kept(const ir::Expr& e) {
    return e.op == Op::Produced || e.op == Op::Local || (e.op == Op::Cast && e.type.bits == 64 && kept(*e.kids[0]));
  }

  const ir::Module& module_;
  std::vector<bool> entered_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> places_;  // slots of rules that are
};

}  // namespace

bool is_placeless(const ir::Module& module, std::uint32_t rule, const ir::Block& block) {
  return Placeless(module).block(rule, block);
}

}  // namespace sluice::analysis
