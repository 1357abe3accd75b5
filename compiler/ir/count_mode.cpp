#include "compiler/ir/count_mode.h"

#include <vector>

namespace sluice::ir {
namespace {

class Planner {
 public:
  explicit Planner(const Module& m)
      : m_(m), globals_(m.globals.size()), arrays_(m.arrays.size()), buffers_(m.buffers.size()), results_(m.rules.size()),
        fills_(m.rules.size(), std::vector<bool>(m.buffers.size())) {
    for (const Rule& rule : m.rules) locals_.emplace_back(rule.slots.size());
  }

  CountPlan run() {
    do {  // each round marks at least one more place, or is the last
      changed_ = false;
      plan_.skipped.clear();
      for (rule_ = 0; rule_ < m_.rules.size(); ++rule_) block(m_.rules[rule_].body, nullptr);
    } while (changed_);
    return std::move(plan_);
  }

 private:
  void mark(std::vector<bool>& places, std::uint32_t at, bool depends) {
    if (!depends || places[at]) return;
    places[at] = true;
    changed_ = true;
  }

  // An element of this value is output: to a buffer when one may be filled here.
  void output(bool depends, const std::vector<bool>* into) {
    for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
      if ((into != nullptr ? *into : fills_[rule_])[b]) mark(buffers_, b, depends);
    }
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
      case Op::BufferElem: return buffers_[e.ref] || any;
      case Op::TableElem: steers(e.kids[0]); return any;
      case Op::Div: case Op::Rem: case Op::Shl: case Op::Shr: case Op::SignExtend: steers(e.kids[1]); return any;
      default: return any;
    }
  }
  bool depends(const ExprPtr& e) { return e && depends(*e); }

  // `into`: the one buffer that the statements around fill; null: those that the callers of the rule fill, if any.
  void block(const Block& statements, const std::vector<bool>* into) {
    for (const auto& s : statements) statement(*s, into);
  }

  void fill(const Stmt& s) {
    std::vector<bool> only(buffers_.size());
    if (!s.further) only[s.ref] = true;  // a further output is stored no more than the chunk's own
    block(s.body, &only);
  }

  void stage(const Stmt& s) {
    if (s.stage == StageKind::InverseBwt) return steers(s.a);
    if (s.stage == StageKind::Add || s.stage == StageKind::PrefixSum) return mark(buffers_, s.ref, depends(s.a));
    // Whether a position or an index is there is decided by the elements.
    if (buffers_[s.ref]) plan_.countable = false;
    if (s.stage == StageKind::Gather) return mark(buffers_, s.ref, buffers_[s.array]);
    steers(s.b);
    if (s.array != Stmt::kNoSlot) mark(buffers_, s.ref, arrays_[s.array]);
  }

  void statement(const Stmt& s, const std::vector<bool>* into) {
    steers(s.read.width);
    steers(s.read.index);
    switch (s.kind) {
      case Stmt::Kind::SetLocal: mark(locals_[rule_], s.slot, depends(s.a)); break;
      case Stmt::Kind::SetGlobal: mark(globals_, s.ref, depends(s.a)); break;
      case Stmt::Kind::SetElem: steers(s.a); mark(arrays_, s.ref, depends(s.b)); break;
      // The value is not stored unless it goes to a buffer; its indices always count.
      case Stmt::Kind::Emit: output(depends(s.a), into); break;
      case Stmt::Kind::Run: {
        const bool value = depends(s.a), step = depends(s.c);
        steers(s.b);
        output(value || step, into);
        break;
      }
      case Stmt::Kind::Into: return fill(s);
      case Stmt::Kind::Stage: stage(s); break;
      case Stmt::Kind::EmitBuffer:
        steers(s.a);
        steers(s.b);
        if (s.form == BufferForm::Runs && buffers_[s.ref]) plan_.countable = false;  // the elements decide how much comes out
        output(buffers_[s.ref], into);
        break;
      case Stmt::Kind::BuildCode:
        steers(s.a); steers(s.b); steers(s.d);
        if (!s.from_table && arrays_[s.array]) plan_.countable = false;
        break;
      case Stmt::Kind::BuildStates:
        steers(s.a); steers(s.b);
        if (!s.from_table && arrays_[s.array]) plan_.countable = false;
        break;
      case Stmt::Kind::Check:
        if (depends(s.a)) plan_.skipped.insert(&s);
        break;
      case Stmt::Kind::Call: {
        for (std::uint32_t i = 0; i < s.args.size(); ++i) mark(locals_[s.ref], i, depends(s.args[i]));
        if (s.slot != Stmt::kNoSlot) mark(locals_[rule_], s.slot, results_[s.ref]);
        for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
          mark(fills_[s.ref], b, (into != nullptr ? *into : fills_[rule_])[b]);
        }
        break;
      }
      case Stmt::Kind::Return: mark(results_, rule_, depends(s.a)); break;
      default: steers(s.a); steers(s.b); steers(s.c); break;
    }
    block(s.body, into);
    block(s.orelse, into);
  }

  const Module& m_;
  CountPlan plan_;
  std::vector<std::vector<bool>> locals_;
  std::vector<bool> globals_, arrays_, buffers_, results_;
  std::vector<std::vector<bool>> fills_;  // by rule: the buffers that some caller fills with its output
  std::uint32_t rule_ = 0;
  bool changed_ = false;
};

}  // namespace

CountPlan count_plan(const Module& module) { return Planner(module).run(); }

}  // namespace sluice::ir
