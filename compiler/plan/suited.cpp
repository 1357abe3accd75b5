#include "compiler/plan/suited.h"

#include <algorithm>

#include "compiler/analysis/walk.h"

namespace sluice::plan {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

// A counted loop that only fills an array gets a form of its own from this many steps on.
constexpr int kLongFill = 256;

bool outputs(const Stmt& s) {
  return s.kind == K::Emit || s.kind == K::Literals || s.kind == K::Run || s.kind == K::Copy || s.kind == K::EmitSymbol;
}

// Statements that change more than the token: these loops are outer loops. What a step does then; null: nothing such.
const char* structural(const Stmt& s) {
  switch (s.kind) {
    case K::BuildCode:
      return "a step builds a prefix code";
    case K::Within:
      return "a step has a region of its own: `within`";
    case K::Producing:
      return "a step promises its outputs: `producing`";
    case K::Mark:
      return "a step sets a mark";
    case K::NewWindow:
      return "a step starts a new window";
    case K::Into:
      return "a step fills a buffer";
    case K::Stage:
      return "a step transforms a buffer";
    case K::EmitBuffer:
      return "a step outputs a buffer";
    case K::ReadSymbol:
      return "a step reads the bytes of a symbol";
    default:
      return nullptr;
  }
}

template <typename F>
const Stmt* first(const ir::Module& m, const ir::Block& b, std::vector<bool>& entered, const F& f) {
  for (const auto& s : b) {
    if (f(*s)) return s.get();
    for (const ir::Block* inner : {&s->body, &s->orelse})
      if (const Stmt* found = first(m, *inner, entered, f)) return found;
    if (s->kind != K::Call || entered[s->ref]) continue;
    entered[s->ref] = true;
    if (const Stmt* found = first(m, m.rules[s->ref].body, entered, f)) return found;
  }
  return nullptr;
}

// The first statement in the block, or in a rule it calls, that satisfies f; null: none. Each rule is looked at once.
template <typename F>
const Stmt* first(const ir::Module& m, const ir::Block& b, const F& f) {
  std::vector<bool> entered(m.rules.size());
  return first(m, b, entered, f);
}
template <typename F>
bool any(const ir::Module& m, const ir::Block& b, const F& f) {
  return first(m, b, f) != nullptr;
}

bool reads_array(const Stmt& s, std::uint32_t array) {
  bool found = s.kind == K::BuildCode;
  analysis::for_each_expr(s, [&](const ir::Expr& e) {
    analysis::for_each_node(e, [&](const ir::Expr& x) { found |= x.op == ir::Op::Elem && x.ref == array; });
  });
  return found;
}

const Stmt* stores_what_it_reads(const ir::Module& m, const Stmt& loop) {
  return first(m, loop.body, [&](const Stmt& s) {
    return s.kind == K::SetElem && any(m, loop.body, [&](const Stmt& t) { return reads_array(t, s.ref); });
  });
}

void written_outside(const ir::Block& b, const Stmt* loop, std::set<std::uint32_t>& slots) {
  for (const auto& s : b) {
    if (s.get() == loop) continue;
    if (s->slot != Stmt::kNoSlot) slots.insert(s->slot);
    written_outside(s->body, loop, slots);
    written_outside(s->orelse, loop, slots);
  }
}

bool aligns(const Stmt& s) { return s.kind == K::Align; }

// Filling an array from the input: worth a form of its own when it may be long. A kernel with stages spends its time
// there, and would only take longer to compile.
bool fills(const Ground& ground, const Stmt& loop) {
  const ir::Module& m = ground.module;
  if (on_gpu(ground.target) && ground.has_buffers()) return false;
  return any(m, loop.body, [](const Stmt& s) { return s.kind == K::SetElem; }) &&
         any(m, loop.body, [](const Stmt& s) { return s.kind == K::Read; }) && loop.a && loop.a->range.hi >= kLongFill;
}

}  // namespace

std::set<std::uint32_t> outer_slots(const ir::Module& m, std::uint32_t rule, const Stmt& loop) {
  std::set<std::uint32_t> outer;
  for (std::uint32_t p = 0; p < m.rules[rule].params; ++p) outer.insert(p);
  written_outside(m.rules[rule].body, &loop, outer);
  return outer;
}

std::set<std::uint32_t> stored_and_read(const ir::Module& m, const Stmt& loop) {
  std::set<std::uint32_t> arrays;
  for (std::uint32_t a = 0; a < m.arrays.size(); ++a)
    if (any(m, loop.body, [&](const Stmt& s) { return s.kind == K::SetElem && s.ref == a; }) &&
        any(m, loop.body, [&](const Stmt& s) { return reads_array(s, a); }))
      arrays.insert(a);
  return arrays;
}

bool reads_its_arrays(const ir::Module& m, const Stmt& loop) { return stores_what_it_reads(m, loop) != nullptr; }

BitFields bit_fields(const ir::Module& m, const Stmt& loop) {
  BitFields fields;
  fields.fetched = !any(m, loop.body, [](const Stmt& s) {
    using R = ir::ReadSpec::Kind;
    const bool reads = s.kind == K::Read || s.kind == K::Literals;
    return reads && s.read.kind != R::Fixed && s.read.kind != R::Computed && s.read.kind != R::Varint;
  });
  fields.nested = any(m, loop.body, aligns) ||
                  any(m, loop.body, [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs); });
  return fields;
}

bool tests_end(const ir::Module& m, const Stmt& loop) {
  return any(m, loop.body, [](const Stmt& s) {
    bool found = false;
    analysis::for_each_expr(s, [&](const ir::Expr& e) {
      analysis::for_each_node(e, [&](const ir::Expr& node) { found |= node.op == ir::Op::AtEnd; });
    });
    return found;
  });
}

std::optional<Obstacle> unsuited(const Ground& ground, const Stmt& loop, bool nested) {
  const ir::Module& m = ground.module;
  if (loop.loop == ir::LoopKind::UntilCond)
    return Obstacle{"it tests a condition before each step", loop.a->span,
                    "a `repeat` that begins with `if CONDITION: stop` has a fast form"};
  if (!any(m, loop.body, outputs) && !fills(ground, loop)) return Obstacle{"its steps make no output", {}, ""};
  if (const Stmt* s = first(m, loop.body, [](const Stmt& x) { return structural(x) != nullptr; }))
    return Obstacle{structural(*s), s->span, ""};
  if (nested) return std::nullopt;
  if (const Stmt* s = first(m, loop.body, aligns)) return Obstacle{"a step skips to a byte boundary", s->span, ""};
  const auto loops = [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs); };
  if (const Stmt* s = first(m, loop.body, loops)) return Obstacle{"a step holds a loop that makes output", s->span, ""};
  // A token that is left is done again from its start: it may store elements, but not read what it stores.
  if (const Stmt* s = stores_what_it_reads(m, loop))
    return Obstacle{"a step changes an array that it reads", s->span, ""};
  return std::nullopt;
}

}  // namespace sluice::plan
