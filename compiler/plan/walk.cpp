#include "compiler/plan/walk.h"

#include <algorithm>
#include <utility>

namespace sluice::plan {
namespace {

template <typename... F>
struct Cases : F... {
  using F::operator()...;
};
template <typename... F>
Cases(F...) -> Cases<F...>;

void add(Cost& sum, const Cost& more) {
  sum.in += more.in;
  sum.out += more.out;
  sum.bits += more.bits;
}

Cost dearest(const Cost& a, const Cost& b) {
  return {std::max(a.in, b.in), std::max(a.out, b.out), std::max(a.bits, b.bits)};
}

Cost cost_of(const Step& step) {
  Cost cost = step.cost;
  std::visit(Cases{[&](const If& s) { add(cost, dearest(cost_of(s.then), s.orelse ? cost_of(*s.orelse) : Cost{})); },
                   [&](const Symbol& s) {
                     Cost most;
                     for (const SymbolArm& arm : s.arms) {
                       Cost one = cost_of(arm.body);
                       add(one, arm.cost);
                       most = dearest(most, one);
                     }
                     add(cost, most);
                   },
                   [&](const Unchecked&) {}, [&](const SideBySide&) {},  // they test their own size
                   [&](const auto&) { for_each_body(step, [&](const Body& b) { add(cost, cost_of(b)); }); }},
             step.what);
  return cost;
}

}  // namespace

void for_each_body(const Step& step, const std::function<void(const Body&)>& visit) {
  std::visit(Cases{[&](const Drop& s) { visit(s.read); }, [&](const Literals& s) { visit(s.read); },
                   [&](const Symbol& s) {
                     for (const SymbolArm& arm : s.arms) visit(arm.body);
                   },
                   [&](const If& s) {
                     visit(s.then);
                     if (s.orelse) visit(*s.orelse);
                   },
                   [&](const Inline& s) { visit(s.body); }, [&](const Repeat& s) { visit(s.body); },
                   [&](const Unchecked& s) { visit(s.body); }, [&](const SideBySide& s) { visit(s.body); },
                   [](const auto&) {}},
             step.what);
}

void for_each_step(const Body& body, const std::function<void(const Step&)>& visit) {
  for (const Step& step : body) {
    visit(step);
    for_each_body(step, [&](const Body& inner) { for_each_step(inner, visit); });
  }
}

void for_each_operand(const Step& step, const std::function<void(const Operand&)>& visit) {
  const auto all = [&](const auto&... operands) {
    const auto one = [&](const Operand& o) {
      if (o) visit(o);
    };
    (one(operands), ...);
  };
  const auto widths = [&](const std::vector<Width>& list) {
    for (const Width& w : list) visit(w.bits);
  };
  std::visit(Cases{[&](const Width& s) { all(s.bits); },
                   [&](const Field& s) { all(s.index); },
                   [&](const Let& s) { all(s.value); },
                   [&](const Sum& s) { all(s.term); },
                   [&](const SetGlobal& s) { all(s.value); },
                   [&](const SetElement& s) { all(s.index, s.value); },
                   [&](const Store& s) { all(s.value); },
                   [&](const Literals& s) { all(s.count); },
                   [&](const Run& s) { all(s.first, s.count, s.step); },
                   [&](const Copy& s) {
                     all(s.distance, s.length);
                     for (const Operand& one : s.group) visit(one);
                   },
                   [&](const Slice& s) { all(s.from, s.count); },
                   [&](const SymbolBytes& s) { all(s.index); },
                   [&](const PickTable& s) { all(s.copy); },
                   [&](const Symbol& s) { all(s.copy); },
                   [&](const If& s) { all(s.condition); },
                   [&](const Inline& s) {
                     for (const Operand& arg : s.args) visit(arg);
                   },
                   [&](const Repeat& s) { all(s.count, s.until); },
                   [&](const Unchecked& s) {
                     all(s.count);
                     widths(s.widths);
                   },
                   [&](const SideBySide& s) {
                     all(s.count);
                     widths(s.widths);
                   },
                   [&](const Check& s) { all(s.condition); },
                   [&](const Skip& s) { all(s.bytes); },
                   [](const auto&) {}},
             step.what);
}

// What stands in a step that is no constant is none either.
void for_each_step(Body& body, const std::function<void(Step&)>& visit) {
  for_each_step(std::as_const(body), [&](const Step& s) { visit(const_cast<Step&>(s)); });
}

void for_each_operand(Step& step, const std::function<void(Operand&)>& visit) {
  for_each_operand(std::as_const(step), [&](const Operand& o) { visit(const_cast<Operand&>(o)); });
}

bool any_step(const Body& body, const std::function<bool(const Step&)>& f) {
  bool found = false;
  for_each_step(body, [&](const Step& s) { found = found || f(s); });
  return found;
}

Cost cost_of(const Body& body) {
  Cost cost;
  for (const Step& step : body) add(cost, cost_of(step));
  return cost;
}

std::uint64_t taken_bytes(const Cost& cost, Reader reader) {
  return reader == Reader::Position ? cost.bits / 8 + 1 : cost.in;  // a token may begin inside a byte
}

std::optional<Local> read_by(ScopeId scope, const ir::Expr& e) {
  if (e.op == ir::Op::Local) return Local{scope, e.ref};
  if (e.op == ir::Op::Global) return Local{kGlobalScope, e.ref};
  return std::nullopt;
}

std::set<std::uint32_t> counts_asked(const Body& body) {
  std::set<std::uint32_t> asked;
  for_each_step(body, [&](const Step& s) {
    for_each_operand(s, [&](const Operand& o) {
      for_each_node(*o, [&](const ir::Expr& e) {
        if (e.op == ir::Op::BufferCount) asked.insert(e.ref);
      });
    });
  });
  return asked;
}

std::optional<Local> set_by(const Step& step) {
  if (const auto* let = std::get_if<Let>(&step.what)) return let->local;
  if (const auto* set = std::get_if<SetGlobal>(&step.what)) return Local{kGlobalScope, set->global};
  return std::nullopt;
}

bool of_equal_values(const Run& run) { return !run.step || ((*run.step).op == ir::Op::Const && (*run.step).imm == 0); }

bool may_leave(const Step& step) {
  return std::visit(
      Cases{[](const Field& s) { return s.form == FieldForm::Varint; },
            [](const Literals& s) { return s.form != LiteralsForm::Fixed; }, [](const Run& s) { return s.tested; },
            [](const Unchecked& s) { return s.exact || s.step.bits > 0 || s.step.out > 0; },
            [](const Copy& s) { return s.group.empty() || s.tested; }, [](const Slice&) { return true; }, [](const SymbolBytes&) { return true; },
            [](const Symbol&) { return true; }, [](const Repeat&) { return true; },
            [](const SideBySide& s) { return s.step.bits > 0 || s.step.out > 0 || holds<Check, Leave>(s.body); }, [](const Check&) { return true; },
            [](const Leave&) { return true; }, [](const Skip&) { return true; }, [](const auto&) { return false; }},
      step.what);
}

bool lanes_load(const Loop& loop) {
  return loop.reader == Reader::Position && loop.form != LoopForm::SideBySide && any_step(loop.body, [](const Step& s) {
           const auto* const each = std::get_if<SideBySide>(&s.what);
           return each != nullptr && !each->in_order && !fields_of(each->body).empty();
         });
}

bool tests_limits(const Step& step) {
  return std::visit(
      Cases{[](const Literals& s) { return s.form != LiteralsForm::Fixed && s.form != LiteralsForm::None; },
            [](const Run& s) { return s.tested; }, [](const Copy& s) { return s.tested; },
            [](const Slice&) { return true; }, [](const Unchecked& s) { return s.step.out > 0; }, [](const SideBySide& s) { return s.step.out > 0; },
            [](const Repeat&) { return true; }, [](const Skip&) { return true; }, [](const auto&) { return false; }},
      step.what);
}

bool makes_output(const Step& step) {
  return std::visit(
      Cases{[](const Symbol& s) {
              return s.in_row || std::ranges::any_of(s.arms, [](const SymbolArm& a) { return a.take == Take::Output; });
            },
            [](const Store&) { return true; }, [](const Literals&) { return true; }, [](const Run&) { return true; },
            [](const Copy&) { return true; }, [](const Slice&) { return true; }, [](const SymbolBytes&) { return true; },
            [](const SetElement&) { return true; }, [](const auto&) { return false; }},
      step.what);
}

bool adds_up(const Body& body) {
  const auto computes = [](const Step& s) {
    return std::holds_alternative<Field>(s.what) || std::holds_alternative<Width>(s.what) || set_by(s).has_value();
  };
  return !fields_of(body).empty() && std::ranges::all_of(body, computes) && !any_step(body, may_leave);
}

bool goes_in_turn(const Body& body) {
  return any_step(body, [](const Step& s) {
    const auto* let = std::get_if<Let>(&s.what);
    bool again = false;
    if (let != nullptr) for_each_node(*let->value, [&](const ir::Expr& e) { again |= read_by(let->value.scope, e) == let->local; });
    return again;
  });
}

bool asks_output(const Step& step) {
  bool asks = false;
  for_each_operand(step, [&](const Operand& o) {
    if (o) for_each_node(*o, [&](const ir::Expr& e) { asks = asks || e.op == ir::Op::Produced; });
  });
  return asks;
}

bool reads_memory(const Step& step, const std::vector<bool>& views) {
  bool reads = std::holds_alternative<SetElement>(step.what) || std::holds_alternative<SymbolBytes>(step.what) ||
               std::holds_alternative<Slice>(step.what) || std::holds_alternative<Symbol>(step.what);
  for_each_operand(step, [&](const Operand& o) {
    for_each_node(*o, [&](const ir::Expr& e) {
      reads = reads || e.op == ir::Op::Elem || (e.op == ir::Op::BufferElem && !views[e.ref]);
    });
  });
  return reads;
}

std::vector<Value> hoisted_widths(const Loop& loop) {
  std::vector<Value> values;
  for (const Hoisted& h : loop.hoisted)
    if (const auto* width = std::get_if<Width>(&h)) values.push_back(width->value);
  return values;
}

std::vector<const Field*> fields_of(const Body& body) {
  std::vector<const Field*> fields;
  for_each_step(body, [&](const Step& s) {
    if (const auto* field = std::get_if<Field>(&s.what)) fields.push_back(field);
  });
  return fields;
}

std::vector<Value> values_of(const std::vector<Width>& widths) {
  std::vector<Value> values;
  for (const Width& w : widths) values.push_back(w.value);
  return values;
}

Value only_field(const Body& body, const std::vector<Value>& same) {
  const std::vector<const Field*> fields = fields_of(body);
  if (same.size() != 1 || fields.size() != 1 || fields[0]->width != same[0]) return kNoValue;
  return fields[0]->form == FieldForm::At || fields[0]->form == FieldForm::AtWide ? same[0] : kNoValue;
}

ir::ExprPtr copy_of(const ir::Expr& e) {
  auto c = std::make_unique<ir::Expr>();
  c->op = e.op;
  c->type = e.type;
  c->range = e.range;
  c->imm = e.imm;
  c->ref = e.ref;
  c->algo = e.algo;
  c->stream = e.stream;
  c->flag = e.flag;
  c->cast_type = e.cast_type;
  c->span = e.span;
  for (const auto& k : e.kids) c->kids.push_back(copy_of(*k));
  return c;
}
std::shared_ptr<const ir::Expr> clone(const ir::Expr& e) { return copy_of(e); }

}  // namespace sluice::plan
