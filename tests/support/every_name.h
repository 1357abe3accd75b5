// Every name that a module has from its spec: what tests of renaming go through.
#pragma once
#include <type_traits>

#include "compiler/analysis/walk.h"
#include "compiler/ir/ir.h"

namespace sluice::test {

// f(std::string&), or of a const module f(const std::string&). Sites have names of the spec where a clause rejects.
template <class Module, class F>
void each_name(Module& m, F&& f) {
  for (auto& x : m.globals) f(x.name);
  for (auto& x : m.arrays) f(x.name);
  for (auto& x : m.tables) f(x.name);
  for (auto& x : m.ranges) f(x.name);
  for (auto& x : m.codes) f(x.name);
  for (auto& x : m.buffers) f(x.name);
  for (auto& x : m.symbols) f(x.name);
  for (auto& x : m.args) f(x.name);
  for (auto& x : m.marks) f(x);
  for (auto& x : m.sites)
    if (x.reason == ir::Reason::Reject) f(x.name);
  for (auto& rule : m.rules) {
    f(rule.name);
    for (auto& slot : rule.slots) f(slot.name);
    const auto statement = [&](auto& s) { f(s.name); };
    if constexpr (std::is_const_v<Module>)
      analysis::for_each_stmt(rule.body, statement);
    else
      analysis::for_each_stmt_mutable(rule.body, statement);
  }
}

}  // namespace sluice::test
