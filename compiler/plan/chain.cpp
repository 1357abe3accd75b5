#include "compiler/plan/chain.h"

#include <algorithm>
#include <set>

#include "compiler/plan/part_order.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

// Note [own]: what the index of a check may be, so long as a table is for it; and where that check alone keeps it inside.
constexpr ir::i128 kMostEntries = 256;
std::optional<std::uint64_t> index_of_ranges(const Loop& loop, const Check& check) {
  const ir::Expr& tested = *check.condition;
  if (tested.op != ir::Op::Lt || tested.kids[1]->op != ir::Op::Const) return std::nullopt;
  const ir::Expr& index = *tested.kids[0];
  if (index.range.lo < 0 || index.range.hi >= kMostEntries) return std::nullopt;
  bool ranges = false, others = false;
  for_each_step(loop.body, [&](const Step& s) {
    const auto* field = std::get_if<Field>(&s.what);
    for_each_operand(s, [&](const Operand& o) {
      if (!o || o.scope != check.condition.scope) return;
      if (field != nullptr && field->form == FieldForm::Ranges && analysis::same(*o, index)) ranges = true;
      else if (!std::holds_alternative<Check>(s.what)) for_each_node(*o, [&](const ir::Expr& e) { others |= analysis::same(e, index); });
    });
  });
  return ranges && !others ? std::optional(static_cast<std::uint64_t>(index.range.hi) + 1) : std::nullopt;
}

class Links : private PartOrder {
 public:
  Links(const ir::Module& module, const Loop& loop)
      : PartOrder("it makes literals once and then one copy, at most", "it makes output that is neither literals out of a buffer nor a copy"),
        module_(module),
        loop_(loop) {}

  Chain run() {
    if (const char* why = against_loop()) found_ = analysis::Reason{why, {}};
    Made made = Made::Nothing;
    body(loop_.body, made);
    find_walked();
    chain_.late = late_of(loop_, chain_.walked);
    find_own();
    chain_.against = found_ ? found_ : chain_.late.against;
    // Of numbers of 32 bits, whose places four bits tell.
    constexpr std::size_t kMostMoved = 7;
    if (chain_.late.turned.size() > kMostMoved || !std::ranges::all_of(chain_.late.turned, [&](Local l) { return is_word(l); })) {
      chain_.late.moves = false;
      chain_.late.moved.clear();
    }
    chain_.longest = longest_copy();
    chain_.one_part = !both_;
    return std::move(chain_);
  }

 private:
  const char* against_loop() const {
    if (!holds<Copy>(loop_.body)) return "its bits are read from the end of a region, and lanes that guess read forward";
    if (loop_.element_bits(module_) != 8) return "its elements are not bytes";
    const bool alone = loop_.reader == Reader::Buffer && (loop_.form == LoopForm::Token || loop_.form == LoopForm::Row);
    if (!alone || !loop_.counts || !loop_.hoisted.empty()) return "its tokens are not read by themselves";
    if (loop_.kind == ir::LoopKind::UntilOutputs) return "it ends at a number of outputs";
    if (loop_.progress) return "a step may do nothing";
    return nullptr;
  }
  bool step_of(const Step& s, Made& made) override {
    if (const auto* slice = std::get_if<Slice>(&s.what)) {
      if (chain_.slices.value_or(slice->buffer) != slice->buffer) refuse(s, "its literals come out of several buffers");
      chain_.slices = slice->buffer;
      make(s, Made::Literals, made);
      return true;
    }
    if (const auto* field = std::get_if<Field>(&s.what)) {
      const bool plain = field->form == FieldForm::Look || field->form == FieldForm::LookWide || field->form == FieldForm::Ranges;
      if (!plain) refuse(s, "a field's end is not where its width says");
      return true;
    }
    return std::holds_alternative<SetGlobal>(s.what) || std::holds_alternative<Refill>(s.what) || std::holds_alternative<Need>(s.what);
  }

  // Where the output stands is not known while tokens are walked.
  void operand(const Step& s, const Operand& o) override {
    for_each_node(*o, [&](const ir::Expr& e) {
      const bool known = e.op == ir::Op::Const || e.op == ir::Op::Local || e.op == ir::Op::Global || e.op == ir::Op::Elem || e.op == ir::Op::TableElem ||
                         e.op == ir::Op::AtEnd || e.op == ir::Op::BufferCount || e.op == ir::Op::OutputCount || (e.op >= ir::Op::Add && e.op <= ir::Op::Fits);
      if (!known) refuse(s, "it asks for more than bits, and what tokens before it left");
    });
  }

  bool is_word(Local l) const {
    const ir::Type type = l.scope == kGlobalScope ? module_.globals[l.slot].type : module_.rules[loop_.rule].slots[l.slot].type;
    return !type.is_signed && type.bits <= 32;
  }

  // ---- What walking takes

  // Of a scope's expression: the locals and globals that it reads.
  void need(const Operand& o) {
    if (!o) return;
    for_each_node(*o, [&](const ir::Expr& e) {
      if (const auto l = read_by(o.scope, e)) grown_ |= needed_.insert(*l).second;
    });
  }
  void need_around() {
    for (const Operand& condition : around_) need(condition);
  }
  void need_here(const Operand& o) {
    need(o);
    need_around();
  }
  // What moves the place in the stream, and what that comes from: branches around it, too.
  void follow(const Body& steps) {
    for (const Step& s : steps) {
      if (const auto* field = std::get_if<Field>(&s.what)) {
        need_here(field->index);
      } else if (const auto* width = std::get_if<Width>(&s.what)) {
        need_here(width->bits);
      } else if (const auto* slice = std::get_if<Slice>(&s.what)) {
        need_here(slice->count);
      } else if (const auto* copy = std::get_if<Copy>(&s.what)) {
        need_here(copy->length);
      } else if (const auto* let = std::get_if<Let>(&s.what)) {
        follow_set(let->local, let->value);
      } else if (const auto* set = std::get_if<SetGlobal>(&s.what)) {
        follow_set({kGlobalScope, set->global}, set->value);
      } else if (const auto* branch = std::get_if<If>(&s.what)) {
        around_.push_back(branch->condition);
        follow(branch->then);
        if (branch->orelse) follow(*branch->orelse);
        around_.pop_back();
      } else if (const auto* call = std::get_if<Inline>(&s.what)) {
        for (std::uint32_t i = 0; i < call->args.size(); ++i) follow_set({call->scope, i}, call->args[i]);
        follow(call->body);
      } else if (std::holds_alternative<Exit>(s.what)) {
        need_around();
      } else {
        for_each_body(s, [&](const Body& inner) { follow(inner); });
      }
    }
  }
  void follow_set(Local local, const Operand& value) {
    if (needed_.contains(local)) need_here(value);
  }
  void find_walked() {
    do {
      grown_ = false;
      follow(loop_.body);
    } while (grown_);
    for (const Local l : carried_of(loop_))
      if (needed_.contains(l)) chain_.walked.push_back(l);
  }

  void find_own() {
    std::size_t at = 0;
    for_each_step(loop_.body, [&](const Step& s) {
      const auto* check = std::get_if<Check>(&s.what);
      Reading& reading = chain_.late.readings[at++];
      if (check != nullptr && reading == Reading::Token && index_of_ranges(loop_, *check)) reading = Reading::Own;
    });
  }

  const ir::Module& module_;
  const Loop& loop_;
  Chain chain_;
  std::set<Local> needed_;
  std::vector<Operand> around_;
  bool grown_ = false;
};

}  // namespace

std::vector<std::uint64_t> range_entries(const ir::Module& module, const Plan& plan) {
  std::vector<std::uint64_t> entries;
  for (const ir::Ranges& ranges : module.ranges) entries.push_back(ranges.base.size());
  for (const Loop& loop : plan.loops) {
    if (!loop.has_records() || !loop.records->chained) continue;
    std::vector<const Check*> own;
    for_each_step(loop.body, [&](const Step& s) {
      if (s.reading == Reading::Own) own.push_back(&std::get<Check>(s.what));
    });
    for_each_step(loop.body, [&](const Step& s) {
      const auto* field = std::get_if<Field>(&s.what);
      if (field == nullptr || field->form != FieldForm::Ranges) return;
      for (const Check* check : own)
        if (field->index.scope == check->condition.scope && analysis::same(*field->index, *(*check->condition).kids[0]))
          entries[field->ref] = std::max(entries[field->ref], *index_of_ranges(loop, *check));
    });
  }
  return entries;
}

Chain chain_of(const ir::Module& module, const Loop& loop) { return Links(module, loop).run(); }

}  // namespace sluice::plan
