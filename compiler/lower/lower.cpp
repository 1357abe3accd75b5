#include "compiler/lower/lower.h"

#include "compiler/lower/expr.h"
#include "compiler/lower/rule.h"

namespace sluice::lower {
namespace {

void declarations(const model::Format& f, ir::Module& m) {
  m.name = f.name;
  m.input = f.input;
  m.output = f.output;
  m.window = f.window;
  m.has_dictionary = f.has_dictionary;
  m.args = f.args;
  for (const auto& g : f.globals) m.globals.push_back({g.name, g.type, g.range(), true});
  m.arrays = f.arrays;
  for (const auto& t : f.tables) m.tables.push_back({t.name, t.elem, t.values});
  for (const auto& r : f.ranges) m.ranges.push_back({r.name, r.base, r.extra});
  m.codes = f.codes;
  m.states = f.states;
  m.buffers = f.buffers;
  m.outputs = f.outputs;
  m.symbols = f.symbols;
  m.assertions = f.assertions;
  m.marks = f.marks;
}

// Globals start at zero; another start is rule 0's first work.
void initial_globals(const model::Format& f, ir::Block& out) {
  for (std::uint32_t g = 0; g < f.globals.size(); ++g) {
    if (f.globals[g].initial == 0) continue;
    auto s = std::make_unique<ir::Stmt>();
    s->kind = ir::Stmt::Kind::SetGlobal;
    s->span = f.globals[g].span;
    s->name = f.globals[g].name;
    s->ref = g;
    s->a = constant(f.globals[g].initial, f.globals[g].span);
    if (f.globals[g].type.is_signed) {
      const auto value = static_cast<std::int64_t>(f.globals[g].initial);
      s->a->type = ir::kI64;
      s->a->range = {value, value};
    }
    out.push_back(std::move(s));
  }
}

}  // namespace

ir::Module lower(const model::Format& format) {
  ir::Module m;
  declarations(format, m);
  for (const model::Rule& r : format.rules) {
    ir::Rule rule;
    rule.name = r.name;
    rule.params = r.params;
    if (r.result) rule.result = *r.result;
    for (const model::Slot& s : r.slots) rule.slots.push_back({s.name, s.type, s.range, s.is_mutable});
    rule.span = r.span;
    m.rules.push_back(std::move(rule));
  }
  for (std::uint32_t r = 0; r < format.rules.size(); ++r) {
    RuleLowering lowering(format, m, r);
    ir::Block body;
    if (r == 0) initial_globals(format, body);
    lowering.body(format.rules[r].body, body);
    if (r == 0) lowering.trailing(body);
    m.rules[r].body = std::move(body);
  }
  return m;
}

}  // namespace sluice::lower
