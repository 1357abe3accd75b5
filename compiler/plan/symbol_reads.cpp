#include "compiler/plan/symbol_reads.h"

#include "compiler/analysis/eval.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Op;
using ir::Stmt;
using K = Stmt::Kind;

bool is_local(const ir::Expr& e, std::uint32_t slot) { return e.op == Op::Local && e.ref == slot; }
bool is_one_more(const ir::Expr& e, std::uint32_t slot) {
  return e.op == Op::Add && is_local(*e.kids[0], slot) && e.kids[1]->op == Op::Const && e.kids[1]->imm == 1;
}

// Is its value the same in every step of a loop that changes those two?
bool same_in_every_step(const ir::Expr& e, std::uint32_t counter, std::uint32_t index) {
  bool same = true;
  for_each_node(e, [&](const ir::Expr& x) {
    same &= x.op == Op::Const || x.op == Op::Arg || (x.op == Op::Local && x.ref != counter && x.ref != index) ||
            (x.op >= Op::Add && x.op <= Op::Fits);
  });
  return same;
}

// All of one size: what counts them is the loop, or a variable that it adds one to.
std::optional<ReadSymbols> of_one_size(const ir::Module& module, const Stmt& loop) {
  ReadSymbols made;
  std::size_t at = 0;
  const Stmt* check = loop.body[at]->kind == K::Check ? loop.body[at++].get() : nullptr;
  if (at == loop.body.size() || loop.body[at]->kind != K::ReadSymbol) return std::nullopt;
  const Stmt& read = *loop.body[at++];
  if (read.a->op != Op::Local) return std::nullopt;
  const std::uint32_t counter = read.a->ref;
  if (counter != loop.slot) {
    if (at == loop.body.size() || loop.body[at]->kind != K::SetLocal || loop.body[at]->slot != counter || !is_one_more(*loop.body[at]->a, counter))
      return std::nullopt;
    made.counter = counter;
    ++at;
  }
  made.table = read.ref;
  made.most = module.symbols[read.ref].count;
  if (check != nullptr) {
    const ir::Expr& test = *check->a;
    const bool below = test.op == Op::Lt && is_local(*test.kids[0], counter) && test.kids[1]->op == Op::Const;
    if (!below) return std::nullopt;
    made.most = std::min(made.most, test.kids[1]->imm);
  }
  if (at != loop.body.size() || !same_in_every_step(*read.b, counter, loop.slot)) return std::nullopt;
  return made;
}

// Each behind a byte that is its size.
std::optional<ReadSymbols> of_told_sizes(const ir::Module& module, const Stmt& loop) {
  if (loop.body.size() < 2 || loop.body.size() > 3 || loop.slot == Stmt::kNoSlot) return std::nullopt;
  const Stmt &size = *loop.body.front(), &read = *loop.body.back();
  const bool byte = size.kind == K::Read && size.slot != Stmt::kNoSlot && size.read.kind == ir::ReadSpec::Kind::Fixed &&
                    size.read.type == ir::Type{8, false};
  if (!byte || read.kind != K::ReadSymbol || !is_local(*read.a, loop.slot) || !is_local(*read.b, size.slot)) return std::nullopt;
  const Stmt* check = loop.body.size() == 3 ? loop.body[1].get() : nullptr;
  if (check != nullptr && check->kind != K::Check) return std::nullopt;
  ReadSymbols made;
  made.table = read.ref;
  made.most = module.symbols[read.ref].count;
  for (std::uint64_t n = 1; n <= ir::kMaxSymbolBytes; ++n) {
    const auto of_size = [&](const ir::Expr& leaf) { return is_local(leaf, size.slot) ? std::optional(n) : std::nullopt; };
    const auto passes = check == nullptr ? std::optional<std::uint64_t>(1) : analysis::evaluate(module, *check->a, of_size);
    if (!passes) return std::nullopt;
    if (*passes != 0) made.sizes |= 1u << n;
  }
  return made;
}

}  // namespace

std::optional<ReadSymbols> symbol_reads(const ir::Module& module, const Stmt& loop) {
  if (module.input != ir::Input::Bytes || loop.kind != K::Loop || loop.loop != ir::LoopKind::Times || loop.body.empty()) return std::nullopt;
  const auto made = of_one_size(module, loop);
  return made ? made : of_told_sizes(module, loop);
}

}  // namespace sluice::plan
