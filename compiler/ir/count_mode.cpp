#include "compiler/ir/count_mode.h"

#include <vector>

namespace sluice::ir {
namespace {

class Planner {
 public:
  explicit Planner(const Module& m)
      : m_(m), globals_(m.globals.size()), arrays_(m.arrays.size()), results_(m.rules.size()) {
    for (const Rule& rule : m.rules) locals_.emplace_back(rule.slots.size());
  }

  CountPlan run() {
    do {  // each round marks at least one more place, or is the last
      changed_ = false;
      plan_.skipped.clear();
      for (rule_ = 0; rule_ < m_.rules.size(); ++rule_) block(m_.rules[rule_].body);
    } while (changed_);
    return std::move(plan_);
  }

 private:
  void mark(std::vector<bool>& places, std::uint32_t at, bool depends) {
    if (!depends || places[at]) return;
    places[at] = true;
    changed_ = true;
  }

  void steers(const ExprPtr& e) {
    if (e && depends(*e)) plan_.countable = false;
  }

  bool depends(const Expr& e) {
    bool any = false;
    for (const ExprPtr& kid : e.kids) any = depends(*kid) || any;
    switch (e.op) {
      case Op::Checksum: return e.stream == Stream::Output;
      case Op::Local: return locals_[rule_][e.ref];
      case Op::Global: return globals_[e.ref];
      case Op::Elem: steers(e.kids[0]); return arrays_[e.ref];
      case Op::TableElem: steers(e.kids[0]); return any;
      case Op::Div: case Op::Rem: case Op::Shl: case Op::Shr: case Op::SignExtend: steers(e.kids[1]); return any;
      default: return any;
    }
  }
  bool depends(const ExprPtr& e) { return e && depends(*e); }

  void block(const Block& statements) {
    for (const auto& s : statements) statement(*s);
  }

  void statement(const Stmt& s) {
    steers(s.read.width);
    steers(s.read.index);
    switch (s.kind) {
      case Stmt::Kind::SetLocal: mark(locals_[rule_], s.slot, depends(s.a)); break;
      case Stmt::Kind::SetGlobal: mark(globals_, s.ref, depends(s.a)); break;
      case Stmt::Kind::SetElem: steers(s.a); mark(arrays_, s.ref, depends(s.b)); break;
      case Stmt::Kind::Emit: depends(s.a); break;  // the value is not stored; its indices still count
      case Stmt::Kind::Run: depends(s.a); steers(s.b); depends(s.c); break;
      case Stmt::Kind::BuildCode:
        steers(s.a); steers(s.b); steers(s.d);
        if (!s.from_table && arrays_[s.array]) plan_.countable = false;
        break;
      case Stmt::Kind::Check:
        if (depends(s.a)) plan_.skipped.insert(&s);
        break;
      case Stmt::Kind::Call: {
        for (std::uint32_t i = 0; i < s.args.size(); ++i) mark(locals_[s.ref], i, depends(s.args[i]));
        if (s.slot != Stmt::kNoSlot) mark(locals_[rule_], s.slot, results_[s.ref]);
        break;
      }
      case Stmt::Kind::Return: mark(results_, rule_, depends(s.a)); break;
      default: steers(s.a); steers(s.b); steers(s.c); break;
    }
    block(s.body);
    block(s.orelse);
  }

  const Module& m_;
  CountPlan plan_;
  std::vector<std::vector<bool>> locals_;
  std::vector<bool> globals_, arrays_, results_;
  std::uint32_t rule_ = 0;
  bool changed_ = false;
};

}  // namespace

CountPlan count_plan(const Module& module) { return Planner(module).run(); }

}  // namespace sluice::ir
