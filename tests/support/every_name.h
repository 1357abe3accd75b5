// Every name that a module has from its spec, and names to put in their place: what tests of renaming go through.
#pragma once
#include <array>
#include <string_view>
#include <type_traits>

#include "compiler/analysis/walk.h"
#include "compiler/ir/ir.h"

namespace sluice::test {

// Names that would mean something if they stood alone: words of C++, types, primitives, macros, and what the emitters
// call their own.
inline constexpr std::array kHostileNames = std::to_array<std::string_view>({
    "int", "class", "template", "typename", "u8", "i8", "u64", "i64", "s", "m", "State", "Scratch", "prim", "Bits",
    "fail", "kOk", "in_limit", "out_limit", "window", "pending", "token_out", "step_ref", "goto_leave", "leave",
    "SLUICE_INLINE", "__x86", "__GNUC__", "NULL", "linux", "threadIdx", "kTable_x", "rule0", "kSite1_x",
    "token_v1_x", "c0_v1_x", "at_3", "n_1", "width_2", "done", "bad", "code_limit", "_", "__", "in", "src", "bit",
    "k", "main", "asm", "dropped_1", "c", "stuck", "index", "produced", "out_end", "count", "dictionary_bytes",
    "word", "bits", "b", "n", "t", "info", "entry", "pos", "out", "size", "token", "lane", "write", "Write",
    "kSite0", "table", "code", "state", "args", "start", "tail", "left", "value", "goto", "this", "return", "unused"
});

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
