#include "compiler/analysis/taint.h"

namespace sluice::analysis {

State Taints::clean(const ir::Module& module, std::uint32_t rule) {
  State state;
  state.locals.resize(module.rules[rule].slots.size());
  state.globals.resize(module.globals.size());
  state.arrays.resize(module.arrays.size());
  state.codes.resize(module.codes.size());
  state.contents.resize(module.buffers.size());
  state.counts.resize(module.buffers.size());
  state.symbols.resize(module.symbols.size());
  state.marks.resize(module.marks.size());
  return state;
}

void Taints::join(Taint& into, const Taint& more) {
  if ((more.sources & ~into.sources) == 0) return;
  into.sources |= more.sources;
  into.why = pool_.both(into.why, more.why);
}

void Taints::join(std::vector<Taint>& into, const std::vector<Taint>& more) {
  for (std::size_t i = 0; i < into.size(); ++i) join(into[i], more[i]);
}

void Taints::join(State& into, const State& more) {
  join(into.locals, more.locals);
  join(into.globals, more.globals);
  join(into.arrays, more.arrays);
  join(into.codes, more.codes);
  join(into.contents, more.contents);
  join(into.counts, more.counts);
  join(into.symbols, more.symbols);
  join(into.marks, more.marks);
  join(into.produced, more.produced);
}

void Taints::join(std::optional<State>& into, const State& more) {
  if (into)
    join(*into, more);
  else
    into = more;
}

std::vector<std::uint8_t> Taints::key_of(const State& state) {
  std::vector<std::uint8_t> key;
  for (const auto* part : {&state.locals, &state.globals, &state.arrays, &state.codes, &state.contents, &state.counts,
                           &state.symbols, &state.marks})
    for (const Taint& taint : *part) key.push_back(taint.sources);
  key.push_back(state.produced.sources);
  return key;
}

}  // namespace sluice::analysis
