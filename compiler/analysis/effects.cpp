#include "compiler/analysis/effects.h"

namespace sluice::analysis {

using K = ir::Stmt::Kind;

EffectsOf::EffectsOf(const ir::Module& module) : module_(module), rules_(module.rules.size()) {}

Effects EffectsOf::block(const ir::Block& block, std::uint32_t rule) {
  Effects effects;
  effects.globals.resize(module_.globals.size());
  effects.arrays.resize(module_.arrays.size());
  effects.codes.resize(module_.codes.size());
  effects.buffers.resize(module_.buffers.size());
  effects.outputs.resize(module_.outputs.size());
  effects.symbols.resize(module_.symbols.size());
  effects.marks.resize(module_.marks.size());
  effects.locals.resize(module_.rules[rule].slots.size());
  collect(block, 0, effects);
  return effects;
}

const Effects& EffectsOf::rule(std::uint32_t rule) {
  if (!rules_[rule]) rules_[rule] = block(module_.rules[rule].body, rule);
  return *rules_[rule];
}

void EffectsOf::collect(const ir::Block& block, unsigned loops, Effects& into) {
  const auto first = [](const ir::Stmt*& known, const ir::Stmt* stmt) {
    if (known == nullptr) known = stmt;
  };
  const auto all = [&](std::vector<const ir::Stmt*>& known, const std::vector<const ir::Stmt*>& more) {
    for (std::size_t i = 0; i < known.size(); ++i) first(known[i], more[i]);
  };
  for (const auto& owned : block) {
    const ir::Stmt& stmt = *owned;
    if (stmt.slot != ir::Stmt::kNoSlot) first(into.locals[stmt.slot], &stmt);
    switch (stmt.kind) {
      case K::Read:
      case K::Align:
      case K::Skip:
      case K::Within:
        into.consumes = true;
        break;
      case K::Literals:
        into.consumes = into.produces = true;
        break;
      case K::Emit:
      case K::Run:
      case K::Copy:
      case K::EmitBuffer:
      case K::EmitSymbol:
        into.produces = true;
        break;
      case K::ReadSymbol:
        into.consumes = true;
        first(into.symbols[stmt.ref], &stmt);
        break;
      case K::Stage:
        first(into.buffers[stmt.ref], &stmt);
        break;
      case K::Into: {
        first(stmt.further ? into.outputs[stmt.ref] : into.buffers[stmt.ref], &stmt);
        const bool produces = into.produces;
        collect(stmt.body, loops, into);
        into.produces = produces;
        continue;
      }
      case K::SetGlobal:
        first(into.globals[stmt.ref], &stmt);
        break;
      case K::SetElem:
        first(into.arrays[stmt.ref], &stmt);
        break;
      case K::BuildCode:
        first(into.codes[stmt.ref], &stmt);
        break;
      case K::BuildStates:
        first(into.arrays[module_.states[stmt.ref].entries], &stmt);
        first(into.globals[module_.states[stmt.ref].log], &stmt);
        break;
      case K::Mark:
        first(into.marks[stmt.ref], &stmt);
        break;
      case K::Stop:
        into.leaves |= loops == 0;
        break;
      case K::Return:
        into.leaves = true;
        break;
      case K::Accept:
        into.accepts = true;
        break;
      case K::Reject:
        into.rejects = true;
        break;
      case K::Call: {
        const Effects& callee = rule(stmt.ref);
        into.consumes |= callee.consumes;
        into.produces |= callee.produces;
        into.rejects |= callee.rejects;
        into.accepts |= callee.accepts;  // a Return of the callee ends there, an Accept goes on through the caller
        all(into.globals, callee.globals);
        all(into.arrays, callee.arrays);
        all(into.codes, callee.codes);
        all(into.buffers, callee.buffers);
        all(into.outputs, callee.outputs);
        all(into.symbols, callee.symbols);
        all(into.marks, callee.marks);
        break;
      }
      default:
        break;
    }
    collect(stmt.body, loops + (stmt.kind == K::Loop ? 1 : 0), into);
    collect(stmt.orelse, loops, into);
  }
}

}  // namespace sluice::analysis
