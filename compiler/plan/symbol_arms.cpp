#include "compiler/plan/symbol_arms.h"

#include <algorithm>

#include "compiler/analysis/eval.h"

namespace sluice::plan {
namespace {

using ir::Expr;
using ir::Op;
using ir::Stmt;

// Value of an expression of one slot and constants; empty when it needs anything else.
std::optional<std::uint64_t> evaluate(const ir::Module& m, const Expr& e, std::uint32_t slot, std::uint64_t value) {
  return analysis::evaluate(m, e, [&](const Expr& leaf) {
    return leaf.op == Op::Local && leaf.ref == slot ? std::optional(value) : std::nullopt;
  });
}

bool mentions(const Expr& e, std::uint32_t slot) {
  if (e.op == Op::Local && e.ref == slot) return true;
  return std::any_of(e.kids.begin(), e.kids.end(), [&](const auto& k) { return mentions(*k, slot); });
}

bool mentions(const Stmt& s, std::uint32_t slot) {
  for (const auto* e : {&s.a, &s.b, &s.c, &s.d, &s.read.width, &s.read.index})
    if (*e && mentions(**e, slot)) return true;
  for (const auto& e : s.args)
    if (mentions(*e, slot)) return true;
  const auto in = [&](const ir::Block& b) {
    return std::any_of(b.begin(), b.end(), [&](const auto& x) { return mentions(*x, slot); });
  };
  return in(s.body) || in(s.orelse);
}

struct Walk {
  std::vector<const Stmt*> rest;
  const Stmt* fused = nullptr;
  std::uint64_t base = 0;
  unsigned extra = 0;
  bool leave = false;
};

// Follows the statements after the read for one symbol until one of them needs more than the symbol.
Walk walk(const ir::Module& m, std::uint32_t slot, std::uint64_t symbol, std::vector<const Stmt*> todo, bool fuse) {
  Walk w;
  std::size_t at = 0;
  while (at < todo.size()) {
    const Stmt& s = *todo[at];
    if (s.kind == Stmt::Kind::Check) {
      const auto v = evaluate(m, *s.a, slot, symbol);
      if (!v) break;
      if (!*v) {
        w.leave = true;
        break;
      }
      ++at;
    } else if (s.kind == Stmt::Kind::If) {
      const auto v = evaluate(m, *s.a, slot, symbol);
      if (!v) break;
      std::vector<const Stmt*> next;
      for (const auto& x : *v ? s.body : s.orelse) next.push_back(x.get());
      next.insert(next.end(), todo.begin() + static_cast<std::ptrdiff_t>(at) + 1, todo.end());
      todo = std::move(next);
      at = 0;
    } else if (fuse && !w.fused && s.kind == Stmt::Kind::Read && s.read.kind == ir::ReadSpec::Kind::Ranges) {
      const auto i = evaluate(m, *s.read.index, slot, symbol);
      const ir::Ranges& r = m.ranges[s.read.ref];
      if (!i || *i >= r.base.size() || r.base[*i] > 0xffff) break;
      w.fused = &s;
      w.base = r.base[*i];
      w.extra = r.extra[*i];
      ++at;
    } else {
      const auto k = s.kind;
      w.leave = k == Stmt::Kind::Stop || k == Stmt::Kind::Reject || k == Stmt::Kind::Accept || k == Stmt::Kind::Return;
      break;
    }
  }
  w.rest.assign(todo.begin() + static_cast<std::ptrdiff_t>(at), todo.end());
  return w;
}

bool build(const ir::Module& m, const std::vector<const Stmt*>& rest, bool fuse, SymbolArms& after) {
  after.info.clear();
  after.arms.clear();
  for (std::uint32_t v = 0; v < m.codes[after.code].symbols; ++v) {
    Walk w = walk(m, after.slot, v, rest, fuse);
    if (w.leave) {
      after.info.push_back(kKindLeave);
      continue;
    }
    if (w.fused)
      for (const Stmt* s : w.rest)
        if (mentions(*s, after.slot)) return false;  // the payload can't be both base and symbol
    std::size_t k = 0;
    while (k < after.arms.size() && !(after.arms[k].rest == w.rest && after.arms[k].fused == w.fused)) ++k;
    if (k == after.arms.size()) {
      if (k == kMaxArms) return false;
      after.arms.emplace_back();
      after.arms[k].rest = w.rest;
      after.arms[k].fused = w.fused;
      after.arms[k].emits_symbol = !w.fused && w.rest.size() == 1 && w.rest[0]->kind == Stmt::Kind::Emit &&
                                   w.rest[0]->a->op == Op::Local && w.rest[0]->a->ref == after.slot;
    }
    ArmOfSymbols& arm = after.arms[k];
    arm.symbols++;
    arm.max_extra = std::max(arm.max_extra, w.extra);
    after.info.push_back(static_cast<std::uint32_t>((w.fused ? w.base : v) << 16) |
                         static_cast<std::uint32_t>(k) << kKindShift | w.extra);
  }
  return !after.arms.empty();
}

// Makes the arm that emits its symbol the first: a kind of 0 is the cheapest to test for.
void emitting_arm_first(SymbolArms& after) {
  for (std::uint32_t k = 1; k < after.arms.size(); ++k) {
    if (!after.arms[k].emits_symbol || after.arms[0].emits_symbol) continue;
    std::swap(after.arms[0], after.arms[k]);
    for (auto& e : after.info) {
      if (e & kKindSpecial) continue;
      const std::uint32_t kind = e >> kKindShift & 3;
      if (kind == 0 || kind == k) e ^= k << kKindShift;
    }
  }
}

}  // namespace

std::optional<SymbolArms> arms_of_symbol(const ir::Module& m, const Stmt& read, const std::vector<const Stmt*>& rest) {
  SymbolArms after;
  after.code = read.read.ref;
  after.slot = read.slot;
  const ir::Code& code = m.codes[after.code];
  if (code.symbols > ir::kMaxTableSymbols) return std::nullopt;
  after.consumed = true;
  if (build(m, rest, true, after) || build(m, rest, false, after)) {
    emitting_arm_first(after);
    return after;
  }
  after.consumed = false;
  after.info.clear();
  after.arms.assign(1, {});
  after.arms[0].symbols = code.symbols;
  for (std::uint32_t v = 0; v < code.symbols; ++v) after.info.push_back(v << 16);
  return after;
}

}  // namespace sluice::plan
