#include "compiler/plan/suited.h"

#include <algorithm>

#include "compiler/analysis/loop_state.h"

namespace sluice::plan {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

// A counted loop that only fills an array gets a form of its own from this many steps on.
constexpr int kLongFill = 16;

bool is_slice(const Stmt& s) { return s.kind == K::EmitBuffer && s.form == ir::BufferForm::Slice; }

bool outputs(const Stmt& s) {
  return is_slice(s) || s.kind == K::Emit || s.kind == K::Literals || s.kind == K::Run || s.kind == K::Copy || s.kind == K::EmitSymbol;
}

// Statements that change more than the token: these loops are outer loops. What a step does then; null: nothing such.
const char* structural(const Stmt& s) {
  switch (s.kind) {
    case K::BuildCode:
      return "a step builds a prefix code";
    case K::BuildStates:
      return "a step builds a state code";
    case K::Within:
      return "a step has a region of its own: `within`";
    case K::Producing:
      return "a step promises its outputs: `producing`";
    case K::Mark:
      return "a step sets a mark";
    case K::NewWindow:
      return "a step starts a new window";
    case K::Into:
      return s.further ? "a step adds to an output of its own: `into`" : "a step fills a buffer";
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
bool any(const ir::Module& m, const ir::Block& b, const F& f) {
  return analysis::first_reached(m, b, f) != nullptr;
}

bool aligns(const Stmt& s) { return s.kind == K::Align; }

// Filling arrays from the input: worth a form of its own when it may be long. A kernel with stages spends its time
// there, and would only take longer to compile. Lanes by themselves have none: parts are what they decode.
bool fills(const Ground& ground, const Stmt& loop) {
  const ir::Module& m = ground.module;
  if (ground.target == Target::Lane || (on_gpu(ground.target) && ground.has_buffers())) return false;
  return any(m, loop.body, [](const Stmt& s) { return s.kind == K::SetElem; }) &&
         any(m, loop.body, [](const Stmt& s) { return s.kind == K::Read; }) &&
         (loop.loop != ir::LoopKind::Times || loop.a->range.hi >= kLongFill);
}

// Adding up fields, or whatever is computed of them: likewise, where nothing else is done.
bool adds_up(const Ground& ground, const Stmt& loop) {
  const auto computes = [](const Stmt& s) {
    const bool field = s.read.kind == ir::ReadSpec::Kind::Fixed || s.read.kind == ir::ReadSpec::Kind::Computed;
    return s.kind == K::SetLocal || s.kind == K::SetGlobal || (s.kind == K::Read && field);
  };
  if (ground.target == Target::Lane || (on_gpu(ground.target) && ground.has_buffers())) return false;
  return loop.loop == ir::LoopKind::Times && loop.a->range.hi >= kLongFill &&
         std::ranges::all_of(loop.body, [&](const auto& s) { return computes(*s); }) &&
         std::ranges::any_of(loop.body, [](const auto& s) { return s->kind == K::Read; });
}

// Steps of such a run: where they are more, the loop is worth a form of its own.
constexpr int kLongRun = 1 << 16;

}  // namespace

bool repeats_values(const Ground& ground, const Stmt& loop) {
  return ground.target == Target::Cpu && loop.kind == K::Loop && loop.loop == ir::LoopKind::Times && loop.a->range.hi <= kLongRun &&
         !loop.body.empty() && std::ranges::all_of(loop.body, [](const auto& s) { return s->kind == K::Emit; });
}

BitFields bit_fields(const Ground& ground, const Stmt& loop) {
  const ir::Module& m = ground.module;
  BitFields fields;
  fields.fetched = !any(m, loop.body, [](const Stmt& s) {
    using R = ir::ReadSpec::Kind;
    const bool reads = s.kind == K::Read || s.kind == K::Literals;
    return reads && s.read.kind != R::Fixed && s.read.kind != R::Computed && s.read.kind != R::Varint;
  });
  fields.nested = any(m, loop.body, aligns) ||
                  any(m, loop.body, [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs); });
  fields.buffered = ground.target == Target::Warp && !any(m, loop.body, outputs) && !any(m, loop.body, [&](const Stmt& s) {
    using R = ir::ReadSpec;
    const bool fits = s.read.kind == R::Kind::Fixed && s.read.order == R::Order::Stream && s.read.type.bits <= look_bits(ground.target);
    return s.kind == K::Align || s.kind == K::Skip || (s.kind == K::Read && s.read.kind != R::Kind::Code && !fits);
  });
  return fields;
}

bool reads_whole_bytes(const ir::Module& m, Target target, const Stmt& loop) {
  if (m.input == ir::Input::Bytes || target == Target::Lane) return false;
  using R = ir::ReadSpec;
  const auto whole = [](const R& r) {
    if (r.kind == R::Kind::Fixed && r.type.bits == 8) return true;
    return r.kind == R::Kind::Varint || ((r.kind == R::Kind::Fixed || r.kind == R::Kind::Computed) && r.order != R::Order::Stream);
  };
  const auto reads = [](const Stmt& s) { return s.kind == K::Read || s.kind == K::Literals; };
  // Symbols, bits, and what skips to a boundary, which is none where tokens are bytes.
  const auto of_bits = [&](const Stmt& s) {
    return (reads(s) && !whole(s.read)) || s.kind == K::Align || s.kind == K::EmitSymbol || s.kind == K::ReadSymbol;
  };
  // Nothing but single bytes, which do as well at places of bits, and without a test of each where they are counted.
  const auto better = [&](const Stmt& s) {
    return s.kind == K::Copy || s.kind == K::Literals || s.kind == K::Skip || (s.kind == K::Read && (s.read.kind != R::Kind::Fixed || s.read.type.bits != 8));
  };
  return any(m, loop.body, better) && !any(m, loop.body, of_bits);
}

std::optional<Obstacle> unsuited(const Ground& ground, const Stmt& loop, bool nested) {
  const ir::Module& m = ground.module;
  if (!any(m, loop.body, outputs) && !fills(ground, loop) && !adds_up(ground, loop)) return Obstacle{"its steps make no output", {}, ""};
  const auto first = [&](const auto& f) { return analysis::first_reached(m, loop.body, f); };
  // Literals of a buffer are a wide move, of a CPU's one that loads more than that.
  const auto moved = [&](const Stmt& x) {
    return is_slice(x) && ground.target != Target::Lane && ground.elem_bytes() == 1 && m.buffers[x.ref].limit >= kSlack;
  };
  if (const Stmt* s = first([&](const Stmt& x) { return structural(x) != nullptr && !moved(x); }))
    return Obstacle{structural(*s), s->span, ""};
  if (nested) return std::nullopt;
  if (const Stmt* s = first(aligns)) return Obstacle{"a step skips to a byte boundary", s->span, ""};
  const auto loops = [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs) && !repeats_values(ground, s); };
  if (const Stmt* s = first(loops)) return Obstacle{"a step holds a loop that makes output", s->span, ""};
  return std::nullopt;
}

}  // namespace sluice::plan
