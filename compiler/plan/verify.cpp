#include "compiler/plan/state_walk.h"
#include "compiler/plan/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "compiler/analysis/loop_state.h"
#include "compiler/plan/at_once.h"
#include "compiler/plan/codes.h"
#include "compiler/plan/describe.h"
#include "compiler/plan/fills.h"
#include "compiler/plan/first_byte.h"
#include "compiler/plan/joined.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/plain.h"
#include "compiler/plan/text.h"
#include "compiler/plan/told.h"
#include "compiler/plan/unpacked_steps.h"
#include "compiler/plan/records.h"
#include "compiler/plan/streams.h"
#include "compiler/plan/packed.h"
#include "compiler/plan/redo.h"
#include "compiler/plan/suited.h"
#include "compiler/plan/walk.h"
#include "compiler/plan/width.h"

namespace sluice::plan {
namespace {

template <typename T>
bool contains(const std::vector<T>& list, const T& what) {
  return std::ranges::find(list, what) != list.end();
}

class LoopVerifier {
 public:
  LoopVerifier(const ir::Module& module, const Plan& plan, const Loop& loop, std::vector<std::string>& broken)
      : module_(module), plan_(plan), loop_(loop), broken_(broken) {}

  void run() {
    if (loop_.rule >= module_.rules.size()) return fail("no such rule");
    if (!names_its_loop()) return fail("its path names no loop of that kind");
    check(!loop_.but_last || (loop_.kind == ir::LoopKind::Times && plan_.target != Target::Lane), "a last step of its own where none are counted");
    if (loop_.form == LoopForm::Checked) {
      if (!loop_.body.empty()) fail("a checked loop has a body");
      if (loop_.obstacles.empty() || loop_.obstacles.back().form != LoopForm::Token)
        fail("a checked loop without a reason");
      return;
    }
    check(loop_.part.has_value() == (loop_.form == LoopForm::Parts), "parts are of form `parts`");
    if (loop_.part) return part(*loop_.part);
    if (loop_.scopes.empty() || loop_.scopes[0].rule != loop_.rule) return fail("scope 0 is not the loop's rule");
    for (const Scope& s : loop_.scopes)
      if (s.rule >= module_.rules.size()) return fail("a scope of no rule");
    for (const std::uint32_t t : loop_.tables)
      if (t >= plan_.tables.size()) return fail("no such table");
    whole_loop();
    for (const Hoisted& h : loop_.hoisted) std::visit([&](const auto& what) { hoisted(what); }, h);
    body(loop_.body, 0, loop_.form == LoopForm::SideBySide, 0);
    widths();
  }

 private:
  void fail(std::string_view what) {
    broken_.push_back(fmt::format("loop {} of rule {}: {}", loop_.number, loop_.rule, what));
  }
  void check(bool right, std::string_view what) {
    if (!right) fail(what);
  }

  const ir::Stmt* at(const std::vector<std::uint32_t>& path) const {
    return find_statement(module_.rules[loop_.rule], path);
  }
  bool names_its_loop() const {
    const ir::Stmt* s = at(loop_.path);
    return s != nullptr && s->kind == ir::Stmt::Kind::Loop && s->loop == loop_.kind;
  }

  void part(const Part& p) {
    using K = ir::Stmt::Kind;
    check(plan_.target == Target::Warp && loop_.kind == ir::LoopKind::Times, "parts are the steps of a warp's counted loop");
    const bool inside = p.core.size() > loop_.path.size() && std::equal(loop_.path.begin(), loop_.path.end(), p.core.begin());
    const ir::Stmt* core = inside ? at(p.core) : nullptr;
    if (core == nullptr || (core->kind != K::Within && core->kind != K::Producing))
      return fail("its part is no region of a step");
    const std::size_t slots = module_.rules[loop_.rule].slots.size();
    std::set<std::uint32_t> set;
    for (const auto* list : {&p.own, &p.step, &loop_.carried})
      for (const std::uint32_t slot : *list) check(slot < slots && set.insert(slot).second, "a slot is nobody's, or two's");
    for (const std::uint32_t slot : loop_.captures) check(slot < slots && !set.contains(slot), "a captured slot is set");
    for (const std::uint32_t slot : p.reads_slots)
      check(contains(p.step, slot) || contains(loop_.captures, slot) || contains(loop_.carried, slot),
            "a part reads what it is not given");
    check(loop_.counts, "parts do not count");
    check(p.counted || p.distance_bits == 0, "copies wait in parts that are counted");
    check(p.counted || !p.placeless, "a part of stated size has a place");
    check(!p.summed || (p.counted && p.reads && p.core.size() == loop_.path.size() + 2), "sums are of regions that are steps");
  }

  void whole_loop() {
    check(loop_.cost == cost_of(loop_.body), "its cost is not what its statements add up to");
    check(loop_.form == LoopForm::SideBySide || loop_.in_margin >= taken_bytes(loop_.cost, loop_.reader),
          "a token takes more than its margin");
    if (loop_.form != LoopForm::SideBySide)
      check((loop_.reader == Reader::Bytes) ==
                (module_.input == ir::Input::Bytes ||
                 (!loop_.backward && reads_whole_bytes(module_, plan_.target, *at(loop_.path)))),
            "its reader is not that of its input");
    const analysis::Directions directions(module_);
    const ir::Stmt& stmt = *at(loop_.path);
    check(loop_.backward == directions.backward(stmt) && (!loop_.backward || !directions.forward(stmt)),
          "its direction is not that of the regions it stands in");
    check(!loop_.backward || (plan_.target != Target::Lane && !loop_.aligned), "a loop that reads backward is aligned, or a lane's");
    check(!loop_.backward || plan_.target == Target::Cpu || loop_.reader == Reader::Buffer, "a warp reads backward through a buffer");
    for (const std::uint32_t t : loop_.tables) check(plan_.tables[t].backward == loop_.backward, "a table of the other direction");
    check((loop_.form == LoopForm::Row) == loop_.row.has_value(), "rows are of form `row`");
    check(loop_.form != LoopForm::SideBySide || plan_.target == Target::Warp, "only a warp has lanes");
    check(plan_.outputs == Outputs::Memory || !(loop_.packed || hands_over_early(loop_)), "the sink would be handed an output twice");
    check(loop_.form != LoopForm::Burst || plan_.target == Target::Lane, "bursts are a lane's");
    check(loop_.form != LoopForm::Unchecked || !any_step(loop_.body, may_leave), "an unchecked token may leave");
    check(loop_.direct == lanes_load(loop_), "fields of lanes and of all are loaded otherwise");
    check(sound_unpacked(module_, plan_.target, loop_), "steps that are unpacked are no fields that are put out");
    check(!loop_.aligned || loop_.nested, "only nested tokens are aligned");
    check(sound_at_once(plan_.target, loop_), "fields at once are no row of fields that one look shows");
    check(any_step(loop_.body, makes_output) || adds_up(loop_.body), "its tokens make no output");
    check(may_be_redone(plan_.target, loop_, analysis::stored_and_read(module_, *at(loop_.path)).arrays),
          "a token may leave when it has changed an array that it reads");
    for (const std::uint32_t g : loop_.set_globals)
      check(contains(loop_.globals, g), "a global that is set is none of its globals");
    for (const Local l : loop_.locals) local(l);
  }

  // note [widths]
  void widths() {
    if (!broken_.empty()) return;  // names may be wrong
    const bool gpu = on_gpu(plan_.target);
    check(gpu || (loop_.narrow.empty() && loop_.narrow_values.empty()), "a CPU's numbers are 64 bits wide");
    const std::vector<Local> slots = narrow_locals(module_, loop_);
    for (const Local l : loop_.narrow)
      check(contains(slots, l), fmt::format("@{}%{} is more than 32 bits hold", l.scope, l.slot));
    std::vector<Value> values;
    const auto operand = [&](const Operand& o) {
      check(o.wide == (gpu ? wide_nodes(loop_, o) : std::vector<std::uint32_t>()), "32 bits may not hold what an operator computes");
    };
    for (const Hoisted& h : loop_.hoisted)
      if (const auto* width = std::get_if<Width>(&h)) {
        values.push_back(width->value);
        operand(width->bits);
      }
    if (loop_.records && loop_.records->first_byte) {
      FirstByte byte = *loop_.records->first_byte;
      for_each_operand(byte, operand);
    }
    for_each_step(loop_.body, [&](const Step& s) {
      std::ranges::copy(narrow_values(loop_, s), std::back_inserter(values));
      for_each_operand(s, operand);
    });
    for (const Value v : loop_.narrow_values) check(contains(values, v), fmt::format("t{} is more than 32 bits hold", v));
    check(!loop_.packed || (loop_.counts && packed_fields(loop_)), "its steps are no packed fields");
    check(!loop_.few_steps || (gpu && few_steps(module_, loop_)), "its steps are more than 32 bits count");
  }

  // ---- Names

  void define(Value v, unsigned count = 1) {
    for (unsigned i = 0; i < count; ++i)
      check(v != kNoValue && values_.insert(v + i).second, fmt::format("value t{} is none or two", v));
  }
  void use(Value v) { check(values_.contains(v), fmt::format("t{} stands before its value", v)); }

  void local(Local l) {
    if (l.scope >= loop_.scopes.size() || l.slot >= module_.rules[loop_.scopes[l.scope].rule].slots.size())
      return fail("no such slot");
    const bool own = contains(loop_.locals, l);
    const bool outer =
        l.scope == 0 && (contains(loop_.captures, l.slot) || contains(loop_.carried, l.slot) || loop_.index == l.slot);
    check(own || outer, fmt::format("@{}%{} is nobody's", l.scope, l.slot));
  }
  void set(Local l) {
    local(l);
    check(l.scope != 0 || !contains(loop_.captures, l.slot), fmt::format("%{} is captured and set", l.slot));
  }

  void operand(const Operand& o, ScopeId scope) {
    check(o.scope == scope, "an operand of another scope");
    if (o.scope >= loop_.scopes.size()) return fail("no such scope");
    for_each_node(*o, [&](const ir::Expr& e) {
      using ir::Op;
      if (e.op == Op::Local) local({o.scope, e.ref});
      if (e.op == Op::Global) check(contains(loop_.globals, e.ref), "a global that the loop does not have");
      const bool unknown = e.op == Op::Remaining || e.op == Op::Peek || e.op == Op::PeekBits ||
                           e.op == Op::ProducedSince || e.op == Op::ConsumedSince || e.op == Op::Checksum ||
                           (e.op == Op::BufferElem && plan_.target != Target::Lane) || (e.op == Op::OutputCount && plan_.target != Target::Cpu);
      check(!unknown, "an operand needs the input's exact position");
    });
  }

  void hoisted(const Width& w) {
    operand(w.bits, 0);
    define(w.value);
  }
  void hoisted(const View& v) { check(v.buffer < module_.buffers.size(), "no such buffer"); }
  void hoisted(const Row& r) {
    check(r.table < plan_.tables.size(), "no such table");
    define(r.entry);
  }

  // ---- Statements

  void body(const Body& steps, ScopeId scope, bool lanes, unsigned loops) {
    for (const Step& s : steps) {
      if (!std::holds_alternative<Unchecked>(s.what) && !std::holds_alternative<SideBySide>(s.what))
        for_each_operand(s, [&](const Operand& o) { operand(o, scope); });
      std::visit([&](const auto& what) { step(what, scope, lanes, loops); }, s.what);
    }
  }

  // Statements of which nothing else is to be said.
  template <typename Other>
  void step(const Other& s, ScopeId scope, bool lanes, unsigned loops) {
    constexpr bool kOfLanes = std::is_same_v<Other, If> || std::is_same_v<Other, Check> ||
                              std::is_same_v<Other, Leave> || std::is_same_v<Other, Store>;
    check(!lanes || kOfLanes, "a lane can't do this");
    if constexpr (std::is_same_v<Other, If>) {
      check(!s.flat || (s.orelse && s.orelse->size() == 1 && std::holds_alternative<If>(s.orelse->front().what)),
            "a flat branch is followed by a branch");
      body(s.then, scope, lanes, loops);
      if (s.orelse) body(*s.orelse, scope, lanes, loops);
    }
  }
  void step(const Refill&, ScopeId, bool, unsigned) { bit_buffer(); }
  void step(const Need&, ScopeId, bool, unsigned) { bit_buffer(); }
  void step(const Width& s, ScopeId, bool, unsigned) { define(s.value); }
  void step(const Word& s, ScopeId, bool, unsigned) {
    check(loop_.nested, "a word outside a nested token");
    define(s.value);
  }
  void step(const Field& s, ScopeId, bool lanes, unsigned) {
    if (s.into == Field::Into::Local) set(s.local);
    if (s.into != Field::Into::Local) use(s.target);
    if (s.width != kNoValue) use(s.width);
    if (s.opens) define(s.looked ? s.once + 1 : s.once, s.looked ? 1 : 2);
    if (s.once != kNoValue) use(s.once);
    const bool position = loop_.reader == Reader::Position;
    switch (s.form) {
      case FieldForm::Load:
        return check(loop_.reader == Reader::Bytes, "whole bytes of a bit stream");
      case FieldForm::Look:
        return bit_buffer();
      case FieldForm::LookWide:
        bit_buffer();
        return define(s.value);
      case FieldForm::InWord:
        check(position && !lanes, "a word of no position");
        return use(s.value);
      case FieldForm::At:
      case FieldForm::AtWide:
      case FieldForm::AtBytes:
        return check(position, "a position that the loop does not have");
      case FieldForm::Varint:
        check(position ? loop_.nested : loop_.reader == Reader::Bytes, "a varint in a bit buffer");
        return define(s.value, 2);
      case FieldForm::Ranges:
        bit_buffer();
        check(s.ref < module_.ranges.size(), "no such ranges");
        check(s.bits <= look_bits(plan_.target), "more extra bits than the buffer shows");
        return define(s.value, 2);
    }
  }
  void step(const Drop& s, ScopeId scope, bool lanes, unsigned loops) {
    define(s.value);
    body(s.read, scope, lanes, loops);
  }
  void step(const Let& s, ScopeId, bool, unsigned) { set(s.local); }
  void step(const Sum& s, ScopeId, bool lanes, unsigned) {
    check(lanes, "a sum over no lanes");
    set(s.local);
  }
  void step(const SetGlobal& s, ScopeId, bool lanes, unsigned) {
    check(!lanes && contains(loop_.set_globals, s.global), "a global that the loop does not set");
  }
  void step(const SetElement& s, ScopeId, bool, unsigned) {
    check(s.array < module_.arrays.size(), "no such array");
    if (s.undo != kNoValue) define(s.undo, 2);
  }
  void step(const Literals& s, ScopeId scope, bool lanes, unsigned loops) {
    check(!lanes, "a lane can't do this");
    check((s.form == LiteralsForm::Each) != s.read.empty(), "literals one by one are read");
    define(s.value, s.form == LiteralsForm::Each ? 2 : s.form == LiteralsForm::Varints ? 3 : 1);
    body(s.read, scope, lanes, loops);
  }
  void step(const Run& s, ScopeId, bool, unsigned) { define(s.value, 2); }
  void step(const Copy& s, ScopeId, bool, unsigned) {
    check(loop_.element_bits(module_) == 8, "a copy of elements that are not bytes");
    check(!s.ahead || loop_.row, "a look-up ahead of no row");
    check(s.stepwise == (plan_.target == Target::Cpu && loop_.reader == Reader::Bytes), "a CPU's copies among bytes go step by step");
    const bool one_group = (*s.distance).op == ir::Op::Const && (*s.distance).imm == s.group.size() && !s.tests_window;
    check(s.group.empty() || (plan_.target == Target::Cpu && one_group), "a group that is not the copy's");
    if (s.look != kNoValue) define(s.look);
    check(!s.shown || (s.ahead && plan_.target == Target::Cpu), "a CPU's buffer shows what is looked up ahead");
    define(s.value, 2);
  }
  void step(const Slice& s, ScopeId, bool, unsigned) {
    check(s.buffer < module_.buffers.size() && module_.buffers[s.buffer].limit >= kSlack, "no such buffer, or one without slack");
    check(plan_.target != Target::Lane && loop_.element_bits(module_) == 8, "a slice is bytes, and no lane's");
    define(s.value, 2);
  }
  void step(const SymbolBytes& s, ScopeId, bool, unsigned) {
    check(s.table < module_.symbols.size(), "no such symbols");
    define(s.value, 2);
  }
  void step(const PickTable& s, ScopeId, bool, unsigned) {
    check(s.table < plan_.tables.size(), "no such table");
    define(s.value);
  }
  void step(const Symbol& s, ScopeId scope, bool lanes, unsigned loops) {
    if (s.table < plan_.tables.size() && plan_.tables[s.table].entry != EntryForm::Wide)
      check(s.first == s.longest, "a table of short entries doesn't hold its code whole");
    bit_buffer();
    check(s.table < plan_.tables.size(), "no such table");
    check(!s.arms.empty() && s.arms.size() <= 4, "an entry tells one to four arms apart");
    if (s.copy) use(s.picked);
    if (!s.copy) check(contains(loop_.tables, s.table), "a table that the loop does not point to");
    check((s.again == 0) == (s.refill == 0), "symbols that follow each other are refilled for");
    if (s.again != 0)
      check(plan_.target == Target::Lane && !s.in_row && s.arms[0].take == Take::Output && s.arms[0].falls && s.arms[0].body.empty() &&
                loop_.kind != ir::LoopKind::Times && loop_.kind != ir::LoopKind::UntilOutputs && loops == 0,
            "symbols follow each other where nothing stands between them");
    check((s.needs == 0) == (s.needs_long == 0), "a buffer is asked for short codes and long ones");
    if (s.needs != 0)
      check(plan_.target == Target::Cpu && !s.in_row && !s.copy && s.long_code != LongCode::Search && s.needs_long <= look_bits(plan_.target) &&
                s.needs_long - s.needs == s.longest - std::min(s.longest, s.first),
            "a buffer is asked for other bits than the symbol takes");
    check(s.pairs == plan_.tables[s.table].pairs, "a table of pairs is looked up for single symbols, or the other way round");
    if (s.pairs)
      check(plan_.target == Target::Cpu && s.in_row && loop_.backward && s.arms.size() == 1 && s.arms[0].take == Take::Output &&
                s.arms[0].cost.out == 2 && loop_.kind == ir::LoopKind::UntilEnd && loop_.element_bits(module_) == 8,
            "two symbols at once are bytes that a loop outputs as they are, up to its end");
    if (s.in_row)
      check(loop_.row && loop_.row->entry == s.value, "a row that is not the loop's");
    else
      define(s.value);
    for (const SymbolArm& arm : s.arms) {
      if (arm.take == Take::Extra || arm.take == Take::Payload) set(arm.local);
      body(arm.body, scope, lanes, loops);
    }
  }
  void step(const LookAhead&, ScopeId, bool, unsigned) { check(loop_.row.has_value(), "a look-up ahead of no row"); }
  void step(const Inline& s, ScopeId, bool lanes, unsigned) {
    if (s.scope == 0 || s.scope >= loop_.scopes.size()) return fail("no such scope");
    const Scope& scope = loop_.scopes[s.scope];
    check(s.args.size() == module_.rules[scope.rule].params, "a call with too many or too few arguments");
    if (scope.result) set(*scope.result);
    define(scope.value);
    body(s.body, s.scope, lanes, 0);
  }
  void step(const Exit& s, ScopeId scope, bool, unsigned) {
    check(scope != 0 && s.scope == scope, "an exit from another rule");
  }
  void step(const Repeat& s, ScopeId scope, bool lanes, unsigned loops) {
    check(!lanes && !loop_.nested, "a loop that tests each step stands in tokens that are not nested");
    if (s.count) define(s.value, 2);
    if (s.index) set(*s.index);
    body(s.body, scope, lanes, loops + 1);
  }
  template <typename Steps>
  void counted(const Steps& s, ScopeId scope, bool lanes, unsigned loops) {
    const bool values = plan_.target == Target::Cpu && s.step.in == 0 && s.step.bits == 0;
    check((loops == 0 && (loop_.nested || values)) || (s.step == Cost{} && holds<SetElement>(s.body)), "a counted loop in no nested token");
    check(s.step == cost_of(s.body), "its steps cost other than their statements add up to");
    operand(s.count, scope);
    define(s.value);
    if (s.index) set(*s.index);
    for (const Width& w : s.widths) {
      operand(w.bits, scope);
      define(w.value);
    }
    body(s.body, scope, lanes, loops + 1);
  }
  void step(const Unchecked& s, ScopeId scope, bool, unsigned loops) {
    check(!any_step(s.body, may_leave), "a step of an unchecked loop may leave");
    counted(s, scope, false, loops);
  }
  void step(const SideBySide& s, ScopeId scope, bool, unsigned loops) {
    check(plan_.target == Target::Warp, "only a warp has lanes");
    counted(s, scope, true, loops);
  }
  void step(const Break&, ScopeId, bool lanes, unsigned loops) { check(!lanes && loops > 0, "a break out of no loop"); }
  void step(const Align&, ScopeId, bool, unsigned) { check(loop_.nested, "a token that is not nested aligns"); }
  void step(const Skip&, ScopeId, bool, unsigned) { check(loop_.reader == Reader::Bytes, "a skip of bits"); }

  void bit_buffer() {
    check(loop_.reader == Reader::Buffer || loop_.reader == Reader::Lane, "a bit buffer that the loop does not have");
  }

  const ir::Module& module_;
  const Plan& plan_;
  const Loop& loop_;
  std::vector<std::string>& broken_;
  std::set<Value> values_;
};

}  // namespace

std::vector<std::string> verify(const ir::Module& module, const Plan& plan) {
  std::vector<std::string> broken;
  const std::vector<analysis::TokenBudget> budgets = analysis::token_budgets(module);
  for (std::size_t i = 0; i < plan.tables.size(); ++i) {
    const Table& t = plan.tables[i];
    if (t.code >= module.codes.size() || t.info.size() != module.codes[t.code].symbols)
      broken.push_back(fmt::format("table {}: not one entry for each symbol of a code", i));
    else if (t.entry != EntryForm::Wide && (plan.target != Target::Warp || !entries_as(module, t, t.entry)))
      broken.push_back(fmt::format("table {}: entries of {} do not hold what it says", i, entry_bytes(t.entry) == 1 ? "a byte" : "two bytes"));
  }
  std::uint32_t number = 0;
  for (const Loop& loop : plan.loops) {
    const std::size_t before = broken.size();
    LoopVerifier(module, plan, loop, broken).run();
    const auto budget = [&] {
      return *std::ranges::find(budgets, &statement_at(module.rules[loop.rule], loop.path), &analysis::TokenBudget::loop);
    };
    if (loop.records && broken.size() == before && !says_its_records(module, loop, budget()))
      broken.push_back(fmt::format("loop {}: its tokens are not the records it says", loop.number));
    if (plan.target == Target::Warp && loop.records && broken.size() == before && !says_its_fills(module, loop, budget()))
      broken.push_back(fmt::format("loop {}: its tokens do not fill what it says", loop.number));
    if (loop.codes && broken.size() == before && !says_its_codes(module, loop))
      broken.push_back(fmt::format("loop {}: its tokens are not the codes it says", loop.number));
    if (plan.target == Target::Cpu && broken.size() == before && loop.codes.has_value() != strings_of(module, loop).has_value())
      broken.push_back(fmt::format("loop {}: its codes are not said", loop.number));
    if (loop.told && !loop.told->sizes.empty() && loop.in_margin < told_margin(*loop.told))
      broken.push_back(fmt::format("loop {}: its margin is less than a token takes that is told", loop.number));
    if (broken.size() == before && loop.told != (plan.target == Target::Cpu ? told_of(module, loop) : std::nullopt))
      broken.push_back(fmt::format("loop {}: its first bytes do not tell what it says", loop.number));
    if (broken.size() == before && loop.paired != in_pairs(loop)) broken.push_back(fmt::format("loop {}: it does not say whether it does two chunks", loop.number));
    if (loop.plain && (loop.in_margin < plain_in_margin(*loop.plain) || out_margin(loop) < plain_out_margin()))
      broken.push_back(fmt::format("loop {}: its margins are less than a plain token takes", loop.number));
    for_each_step(loop.body, [&](const Step& step) {
      const auto* field = std::get_if<Field>(&step.what);
      if (field != nullptr && field->ahead != (loop.plain && &step == &loop.body.front()))
        broken.push_back(fmt::format("loop {}: of its tokens' fields it has the first byte at hand, if they are plain", loop.number));
    });
    if (broken.size() == before && loop.plain != (plan.target == Target::Cpu ? plain_of(module, loop) : std::nullopt))
      broken.push_back(fmt::format("loop {}: its plain tokens are not those it says", loop.number));
    if (broken.size() == before && (loop.joined != (plan.target == Target::Cpu ? joined_at(module, loop) : std::nullopt) || loop.alone != joined_alone(loop)))
      broken.push_back(fmt::format("loop {}: its tokens do not begin as it says", loop.number));
    if (broken.size() == before && loop.streams != streams_of(module, plan, loop))
      broken.push_back(fmt::format("loop {}: its streams are not begun as it says", loop.number));
    if (loop.form != LoopForm::Checked && loop.number != number++)
      broken.push_back(fmt::format("loop {}: loops are not numbered in order", loop.number));
  }
  if (broken.empty() && !of_one_kind(plan.loops)) broken.push_back("records are of bytes and of bits, or a loop's say so");
  if (broken.empty() && !says_its_extras(module, plan)) broken.push_back("entries do not tell what they are walked with");
  verify_checked(module, plan, broken);
  return broken;
}

}  // namespace sluice::plan
