#pragma once
// Where values come from, as sets: what dependence.cpp follows through a step.
//
//   n := table[k]  ->  n is tainted by what `table` and `k` are; a branch joins what its arms leave
#include <optional>
#include <vector>

#include "compiler/analysis/amount.h"
#include "compiler/ir/ir.h"

namespace sluice::analysis {

// What a value may come from, besides the input from the step's start on and constants.
enum Source : std::uint8_t {
  kCarried = 1,   // something an earlier step left
  kProduced = 2,  // how much output stands before the step
  kValues = 4,    // output values
  kHistory = 8,   // input before the step
};

struct Taint {
  std::uint8_t sources = 0;
  WhyPool::Id why = WhyPool::kNone;
};

// Of everything that a step can see.
struct State {
  std::vector<Taint> locals, globals, arrays, codes, marks;
  std::vector<Taint> contents, counts;  // of the buffers
  std::vector<Taint> symbols;
  Taint produced;  // how much output this step has made so far
};

// What two ways leave, joined. Keeps the reasons.
class Taints {
 protected:
  static State clean(const ir::Module& module, std::uint32_t rule);
  void join(Taint& into, const Taint& more);
  Taint joined(Taint a, const Taint& b) {
    join(a, b);
    return a;
  }
  void join(State& into, const State& more);
  void join(std::optional<State>& into, const State& more);
  // Equal for states whose sources are.
  static std::vector<std::uint8_t> key_of(const State& state);

  WhyPool pool_;

 private:
  void join(std::vector<Taint>& into, const std::vector<Taint>& more);
};

}  // namespace sluice::analysis
