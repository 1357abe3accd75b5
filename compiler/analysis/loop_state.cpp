#include "compiler/analysis/loop_state.h"

#include <vector>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Stmt;
using K = Stmt::Kind;
using Test = std::function<bool(const Stmt&)>;

const Stmt* first_of(const ir::Module& m, const ir::Block& block, const Test& f, std::vector<bool>& entered) {
  for (const auto& s : block) {
    if (f(*s)) return s.get();
    for (const ir::Block* inner : {&s->body, &s->orelse})
      if (const Stmt* found = first_of(m, *inner, f, entered)) return found;
    if (s->kind != K::Call || entered[s->ref]) continue;
    entered[s->ref] = true;
    if (const Stmt* found = first_of(m, m.rules[s->ref].body, f, entered)) return found;
  }
  return nullptr;
}

void collect_outside(const ir::Block& block, const Stmt* loop, std::set<std::uint32_t>& slots) {
  for (const auto& s : block) {
    if (s.get() == loop) continue;
    if (s->slot != Stmt::kNoSlot) slots.insert(s->slot);
    collect_outside(s->body, loop, slots);
    collect_outside(s->orelse, loop, slots);
  }
}

}  // namespace

const Stmt* first_reached(const ir::Module& m, const ir::Block& block, const Test& f) {
  std::vector<bool> entered(m.rules.size());
  return first_of(m, block, f, entered);
}

std::set<std::uint32_t> set_outside(const ir::Module& m, std::uint32_t rule, const Stmt& loop) {
  std::set<std::uint32_t> outside;
  for (std::uint32_t p = 0; p < m.rules[rule].params; ++p) outside.insert(p);
  collect_outside(m.rules[rule].body, &loop, outside);
  return outside;
}

StoredAndRead stored_and_read(const ir::Module& m, const Stmt& loop) {
  std::vector<const Stmt*> stores;
  std::set<std::uint32_t> read;
  bool any_read = false;
  first_reached(m, loop.body, [&](const Stmt& s) {
    if (s.kind == K::SetElem) stores.push_back(&s);
    any_read |= s.kind == K::BuildCode || s.kind == K::BuildStates;
    for_each_expr(s, [&](const ir::Expr& e) {
      for_each_node(e, [&](const ir::Expr& node) {
        if (node.op == ir::Op::Elem) read.insert(node.ref);
      });
    });
    return false;
  });
  StoredAndRead both;
  for (const Stmt* store : stores) {
    if (!any_read && !read.contains(store->ref)) continue;
    if (both.first == nullptr) both.first = store;
    both.arrays.insert(store->ref);
  }
  return both;
}

bool tests_end(const ir::Module& m, const Stmt& loop) {
  return first_reached(m, loop.body, [](const Stmt& s) {
           bool found = false;
           for_each_expr(s, [&](const ir::Expr& e) {
             for_each_node(e, [&](const ir::Expr& node) { found |= node.op == ir::Op::AtEnd; });
           });
           return found;
         }) != nullptr;
}

}  // namespace sluice::analysis
