#include "compiler/analysis/dependence.h"

#include <map>
#include <optional>
#include <utility>

#include "compiler/analysis/taint.h"
#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Expr;
using ir::Op;
using ir::Stmt;

enum class Sink : std::uint8_t { Length, Control, Again, Outputs, Check };

class Tracker : Taints {
 public:
  using Taints::clean;

  Tracker(const ir::Module& module, EffectsOf& effects) : module_(module), effects_(effects) {}

  // Everything the step writes may hold an earlier step's value at its start.
  State start_of_step(const Effects& step, std::uint32_t rule) {
    State state = clean(module_, rule);
    const auto carry = [&](std::vector<Taint>& taints, const std::vector<const Stmt*>& writers, auto&& name_of,
                           const char* text) {
      for (std::size_t i = 0; i < writers.size(); ++i)
        if (writers[i] != nullptr) taints[i] = {kCarried, pool_.one("`" + name_of(i) + "` " + text, writers[i]->span)};
    };
    const auto& slots = module_.rules[rule].slots;
    carry(
        state.locals, step.locals, [&](std::size_t i) { return slots[i].name; }, "carries a value from step to step");
    carry(
        state.globals, step.globals, [&](std::size_t i) { return module_.globals[i].name; },
        "carries a value from step to step");
    carry(
        state.arrays, step.arrays, [&](std::size_t i) { return module_.arrays[i].name; },
        "is an array that steps write");
    carry(
        state.codes, step.codes, [&](std::size_t i) { return module_.codes[i].name; },
        "is a prefix code that steps build");
    const auto buffer_name = [&](std::size_t i) { return module_.buffers[i].name; };
    carry(state.contents, step.buffers, buffer_name, "is a buffer that steps fill");
    carry(state.counts, step.buffers, buffer_name, "is a buffer that steps fill");
    carry(
        state.symbols, step.symbols, [&](std::size_t i) { return module_.symbols[i].name; },
        "holds symbols that steps read");
    carry(
        state.marks, step.marks, [&](std::size_t i) { return module_.marks[i]; }, "is a mark that steps set");
    for (Taint& mark : state.marks) mark.sources |= kProduced | kHistory;
    return state;
  }

  // `whole`: the piece starts where the chunk does, so nothing stands before it.
  Dependence run(const ir::Block& block, std::uint32_t rule, State state, bool whole) {
    whole_ = whole;
    Frame frame{rule, {}, {}, {}};
    walk(block, state, frame, {});
    Dependence result;
    result.position_only = true;
    result.outputs_position_only = true;
    result.values_free = true;
    for (const auto& [key, taint] : sinks_) {
      const Sink sink = key.second;
      const bool parse = sink == Sink::Length || sink == Sink::Control || sink == Sink::Again;
      ReasonChain why;
      why.push_back({describe(sink, *key.first), key.first->span});
      append(why, pool_.chain(taint.why));
      if (parse) {
        result.position_only = false;
        append(result.position_only_why, why);
      }
      if (parse || sink == Sink::Outputs) {
        result.outputs_position_only = false;
        append(result.outputs_why, why);
      }
      if (sink != Sink::Check && (taint.sources & kValues) != 0) {
        result.values_free = false;
        append(result.values_why, why);
      }
      if (sink == Sink::Check) append(result.deferred_checks, why);
    }
    return result;
  }

  void header(const Stmt& loop, State& state) {
    if (loop.loop == ir::LoopKind::UntilCond) sink(Sink::Again, taint_of(*loop.a, state), loop);
  }

 private:
  struct Frame {
    std::uint32_t rule = 0;
    Taint result;
    std::optional<State> returned;              // joined over the Returns
    std::vector<std::optional<State>> stopped;  // by open loop: joined over its Stops
  };
  struct Called {
    State after;
    Taint result;
  };

  static std::string describe(Sink sink, const Stmt& stmt) {
    switch (sink) {
      case Sink::Length:
        return "the length of " + spell(stmt) + " is not known from the position alone";
      case Sink::Control:
        return spell(stmt) + " decides what is read next, or whether anything is";
      case Sink::Again:
        return spell(stmt) + " decides after each step whether another follows";
      case Sink::Outputs:
        return "the output size of " + spell(stmt) + " is not known from the position alone";
      case Sink::Check:
        return spell(stmt) + " looks at more than its own step";
    }
    return {};
  }

  void sink(Sink kind, const Taint& taint, const Stmt& stmt) {
    if (taint.sources == 0) return;
    for (auto& [key, known] : sinks_) {
      if (key.first != &stmt || key.second != kind) continue;
      join(known, taint);
      return;
    }
    sinks_.push_back({{&stmt, kind}, taint});
  }

  // What ProducedSince and UntilOutputs see of a count is tainted with it. What goes to a buffer is no output of the
  // step, but the buffer's count.
  void sink_outputs(const Taint& count, const Stmt& stmt, State& state) {
    if (!filling_) sink(Sink::Outputs, count, stmt);
    join(state.produced, count);
  }

  // An output of this value.
  void put(const Taint& value, State& state) {
    if (filling_) join(state.contents[*filling_], value);
  }

  // The elements of a buffer, where they decide something.
  Taint elements_of(std::uint32_t buffer, Span span, const State& state) {
    Taint taint = joined(state.contents[buffer], state.counts[buffer]);
    if (whole_)
      join(taint, leaf(kValues, "the elements of `" + module_.buffers[buffer].name + "` are values of the output", span));
    return taint;
  }

  Taint leaf(std::uint8_t sources, std::string text, Span span) { return {sources, pool_.one(std::move(text), span)}; }

  Taint taint_of(const Expr& expr, const State& state) {
    Taint taint;
    for (const auto& kid : expr.kids) join(taint, taint_of(*kid, state));
    switch (expr.op) {
      case Op::Local:
        join(taint, state.locals[expr.ref]);
        break;
      case Op::Global:
        join(taint, state.globals[expr.ref]);
        break;
      case Op::Elem:
        join(taint, state.arrays[expr.ref]);
        break;
      case Op::BufferCount:
        join(taint, state.counts[expr.ref]);
        break;
      case Op::BufferElem:
        join(taint, elements_of(expr.ref, expr.span, state));
        break;
      case Op::Produced:
        if (!whole_) join(taint, leaf(kProduced, "`produced` counts the output of all steps", expr.span));
        break;
      case Op::OutputCount:
        if (!whole_) join(taint, leaf(kProduced, "`count of " + module_.outputs[expr.ref].name + "` counts the output of all steps", expr.span));
        break;
      case Op::ProducedSince: {
        Taint mark = state.marks[expr.ref];
        mark.sources &= static_cast<std::uint8_t>(~kHistory);
        if (!whole_ && (mark.sources & kProduced) != 0)
          mark = joined(
              mark,
              leaf(kProduced, "the output since `" + module_.marks[expr.ref] + "` is counted over steps", expr.span));
        if (mark.sources != 0 && mark.why == WhyPool::kNone)
          mark.why = pool_.one("the output since `" + module_.marks[expr.ref] + "` is counted over steps", expr.span);
        join(taint, mark);
        join(taint, state.produced);
        break;
      }
      case Op::ConsumedSince: {
        Taint mark = state.marks[expr.ref];
        mark.sources &= kCarried;  // from a mark that no step sets, the distance follows from the position
        join(taint, mark);
        break;
      }
      case Op::Checksum:
        if (expr.stream == ir::Stream::Output) {
          join(taint, leaf(kValues, "a checksum depends on the output's values", expr.span));
        } else if (expr.stream == ir::Stream::Input && (state.marks[expr.ref].sources & kHistory) != 0) {
          join(taint, leaf(kHistory, "a checksum depends on the input before the step", expr.span));
        }
        break;
      default:
        break;
    }
    return taint;
  }

  // Taint of the value read; what its length depends on goes to the sinks.
  Taint read(const ir::ReadSpec& spec, const Stmt& stmt, const State& state) {
    Taint taint;
    if (spec.width) join(taint, taint_of(*spec.width, state));
    if (spec.index) join(taint, taint_of(*spec.index, state));
    if (spec.kind == ir::ReadSpec::Kind::Code) join(taint, state.codes[spec.ref]);
    sink(Sink::Length, taint, stmt);
    return taint;
  }

  void walk(const ir::Block& block, State& state, Frame& frame, const Taint& control) {
    for (const auto& stmt : block) step(*stmt, state, frame, control);
  }

  // `taint` decides whether, or how often, what the statement holds is done: what that is says what it decides.
  void decides(const Taint& taint, const Stmt& stmt, State& state, const Frame& frame) {
    if (taint.sources == 0) return;
    bool steers = false, produces = false, rejects = false;
    for (const ir::Block* side : {&stmt.body, &stmt.orelse}) {
      const Effects effects = effects_.block(*side, frame.rule);
      steers |= effects.consumes || effects.leaves || effects.accepts;
      produces |= effects.produces;
      rejects |= effects.rejects;
    }
    if (steers) sink(Sink::Control, taint, stmt);
    if (produces) sink_outputs(taint, stmt, state);
    if (rejects) sink(Sink::Check, taint, stmt);
  }

  void branch(const Stmt& stmt, State& state, Frame& frame, const Taint& control) {
    const Taint condition = taint_of(*stmt.a, state);
    decides(condition, stmt, state, frame);
    const Taint inner = joined(control, condition);
    State other = state;
    walk(stmt.body, state, frame, inner);
    walk(stmt.orelse, other, frame, inner);
    join(state, other);
  }

  void loop(const Stmt& stmt, State& state, Frame& frame, const Taint& control) {
    Taint inner = control;
    if (stmt.a) {
      const Taint count = taint_of(*stmt.a, state);
      decides(count, stmt, state, frame);
      join(inner, count);
    }
    if (stmt.slot != Stmt::kNoSlot) state.locals[stmt.slot] = inner;
    // Taints only grow and there are few of them: this ends after a handful of rounds.
    while (true) {
      State after = state;
      frame.stopped.emplace_back();
      walk(stmt.body, after, frame, inner);
      if (frame.stopped.back()) join(after, *frame.stopped.back());
      frame.stopped.pop_back();
      if (stmt.loop == ir::LoopKind::UntilOutputs) decides(Taint(after.produced), stmt, after, frame);
      const auto before = key_of(state);
      join(state, after);
      if (key_of(state) == before) break;
    }
    if (stmt.loop == ir::LoopKind::UntilCond) decides(taint_of(*stmt.a, state), stmt, state, frame);
  }

  void call(const Stmt& stmt, State& state, const Taint& control) {
    State inner = clean(module_, stmt.ref);
    for (std::size_t i = 0; i < stmt.args.size(); ++i)
      inner.locals[i] = joined(taint_of(*stmt.args[i], state), control);
    inner.globals = state.globals;
    inner.arrays = state.arrays;
    inner.codes = state.codes;
    inner.contents = state.contents;
    inner.counts = state.counts;
    inner.symbols = state.symbols;
    inner.marks = state.marks;
    inner.produced = state.produced;
    std::vector<std::uint8_t> key = key_of(inner);
    key.push_back(control.sources);
    key.push_back(filling_ ? 1 : 0);
    for (unsigned shift = 0; filling_ && shift < 32; shift += 8) key.push_back(static_cast<std::uint8_t>(*filling_ >> shift));
    const auto id = std::make_pair(stmt.ref, key);
    auto known = calls_.find(id);
    if (known == calls_.end()) {
      Frame callee{stmt.ref, {}, {}, {}};
      walk(module_.rules[stmt.ref].body, inner, callee, control);
      if (callee.returned) join(inner, *callee.returned);
      known = calls_.emplace(id, Called{std::move(inner), callee.result}).first;
    }
    state.globals = known->second.after.globals;
    state.arrays = known->second.after.arrays;
    state.codes = known->second.after.codes;
    state.contents = known->second.after.contents;
    state.counts = known->second.after.counts;
    state.symbols = known->second.after.symbols;
    state.marks = known->second.after.marks;
    state.produced = known->second.after.produced;
    if (stmt.slot != Stmt::kNoSlot) state.locals[stmt.slot] = joined(known->second.result, control);
  }

  void fill(const Stmt& stmt, State& state, Frame& frame, const Taint& control) {
    const auto outer = std::exchange(filling_, stmt.further ? std::nullopt : std::optional(stmt.ref));
    const Taint produced = std::exchange(state.produced, control);
    if (!stmt.further) state.contents[stmt.ref] = control;
    walk(stmt.body, state, frame, control);
    if (!stmt.further) state.counts[stmt.ref] = state.produced;
    state.produced = produced;
    filling_ = outer;
  }

  // Stages keep the number of elements; whether they refuse never steers.
  void stage(const Stmt& stmt, State& state, const Taint& control) {
    Taint made = control;
    for (const auto* part : {&stmt.a, &stmt.b})
      if (*part) join(made, taint_of(**part, state));
    if (stmt.stage == ir::StageKind::InverseMtf && stmt.array != Stmt::kNoSlot) join(made, state.arrays[stmt.array]);
    if (stmt.stage == ir::StageKind::Gather) join(made, state.contents[stmt.array]);
    join(state.contents[stmt.ref], made);
    if (stmt.sites[0] != ir::kNoSite)
      sink(Sink::Check, joined(state.contents[stmt.ref], state.counts[stmt.ref]), stmt);
  }

  void step(const Stmt& stmt, State& state, Frame& frame, const Taint& control) {
    using K = Stmt::Kind;
    switch (stmt.kind) {
      case K::Read: {
        const Taint value = read(stmt.read, stmt, state);
        if (stmt.slot != Stmt::kNoSlot) state.locals[stmt.slot] = joined(value, control);
        break;
      }
      case K::SetLocal:
        state.locals[stmt.slot] = joined(taint_of(*stmt.a, state), control);
        break;
      case K::SetGlobal:
        state.globals[stmt.ref] = joined(taint_of(*stmt.a, state), control);
        break;
      case K::SetElem:
        join(state.arrays[stmt.ref], joined(taint_of(*stmt.a, state), control));
        join(state.arrays[stmt.ref], taint_of(*stmt.b, state));
        break;
      case K::Literals: {
        put(joined(read(stmt.read, stmt, state), control), state);
        const Taint count = taint_of(*stmt.a, state);
        sink(Sink::Length, count, stmt);
        sink_outputs(count, stmt, state);
        break;
      }
      case K::Run:
        put(joined(taint_of(*stmt.a, state), control), state);
        if (stmt.c) put(taint_of(*stmt.c, state), state);
        sink_outputs(taint_of(*stmt.b, state), stmt, state);
        break;
      case K::Copy:
        put(joined(taint_of(*stmt.a, state), control), state);
        sink_outputs(taint_of(*stmt.b, state), stmt, state);
        break;
      case K::BuildCode: {
        Taint code = control;
        for (const auto* part : {&stmt.a, &stmt.b, &stmt.d})
          if (*part) join(code, taint_of(**part, state));
        if (!stmt.from_table) join(code, state.arrays[stmt.array]);
        if (module_.codes[stmt.ref].copies > 1) join(code, state.codes[stmt.ref]);
        state.codes[stmt.ref] = code;
        break;
      }
      case K::BuildStates: {
        Taint code = control;
        for (const auto* part : {&stmt.a, &stmt.b})
          if (*part) join(code, taint_of(**part, state));
        if (!stmt.from_table) join(code, state.arrays[stmt.array]);
        const ir::StateCode& states = module_.states[stmt.ref];
        join(state.arrays[states.entries], code);  // of entries behind the last state nothing is changed
        state.globals[states.log] = code;
        break;
      }
      case K::If:
        branch(stmt, state, frame, control);
        break;
      case K::Loop:
        loop(stmt, state, frame, control);
        break;
      case K::Stop:
        if (!frame.stopped.empty()) join(frame.stopped.back(), state);
        break;
      case K::Return:
        if (stmt.a) join(frame.result, joined(taint_of(*stmt.a, state), control));
        join(frame.returned, state);
        break;
      case K::Check:
        sink(Sink::Check, taint_of(*stmt.a, state), stmt);
        break;
      case K::Call:
        call(stmt, state, control);
        break;
      case K::Skip:
        sink(Sink::Length, taint_of(*stmt.a, state), stmt);
        break;
      case K::Within:
        sink(Sink::Length, taint_of(*stmt.a, state), stmt);
        if (stmt.b) sink(Sink::Length, joined(taint_of(*stmt.b, state), state.marks[stmt.ref]), stmt);
        walk(stmt.body, state, frame, control);
        break;
      case K::Producing:
        sink_outputs(taint_of(*stmt.a, state), stmt, state);
        walk(stmt.body, state, frame, control);
        break;
      case K::Mark:
        state.marks[stmt.ref] = control;
        break;
      case K::Emit:
        put(joined(taint_of(*stmt.a, state), control), state);
        break;
      case K::Into:
        fill(stmt, state, frame, control);
        break;
      case K::Stage:
        stage(stmt, state, control);
        break;
      case K::EmitBuffer:
        put(joined(state.contents[stmt.ref], control), state);
        if (stmt.a) put(taint_of(*stmt.a, state), state);
        if (stmt.b) {  // a slice: as many as it says, wherever they stand
          sink_outputs(taint_of(*stmt.b, state), stmt, state);
          break;
        }
        sink_outputs(stmt.form == ir::BufferForm::Runs ? elements_of(stmt.ref, stmt.span, state) : state.counts[stmt.ref], stmt, state);
        break;
      case K::ReadSymbol:
        sink(Sink::Length, taint_of(*stmt.b, state), stmt);
        join(state.symbols[stmt.ref], joined(taint_of(*stmt.a, state), control));
        join(state.symbols[stmt.ref], taint_of(*stmt.b, state));
        break;
      case K::EmitSymbol: {
        const Taint symbol = joined(taint_of(*stmt.a, state), state.symbols[stmt.ref]);
        put(joined(symbol, control), state);
        sink_outputs(symbol, stmt, state);
        break;
      }
      case K::NewWindow:
        if (stmt.a) sink(Sink::Check, taint_of(*stmt.a, state), stmt);  // how far copies reach
        break;
      case K::Reject:
      case K::Accept:
      case K::Align:
        break;
    }
  }

  const ir::Module& module_;
  EffectsOf& effects_;
  bool whole_ = false;
  std::optional<std::uint32_t> filling_;  // the buffer that outputs go to
  std::vector<std::pair<std::pair<const Stmt*, Sink>, Taint>> sinks_;  // in the order found: source order
  std::map<std::pair<std::uint32_t, std::vector<std::uint8_t>>, Called> calls_;
};

}  // namespace

Dependence dependence_of_step(const ir::Module& module, EffectsOf& effects, const ir::Stmt& loop, std::uint32_t rule) {
  Tracker tracker(module, effects);
  State state = tracker.start_of_step(effects.block(loop.body, rule), rule);
  tracker.header(loop, state);
  return tracker.run(loop.body, rule, std::move(state), false);
}

Dependence dependence_of_chunk(const ir::Module& module, EffectsOf& effects) {
  Tracker tracker(module, effects);
  return tracker.run(module.rules[0].body, 0, Tracker::clean(module, 0), true);
}

}  // namespace sluice::analysis
