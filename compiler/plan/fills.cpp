#include "compiler/plan/fills.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/analysis/walk.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Op;

constexpr std::uint64_t kWindowBits = 32;   // prim::Window
constexpr ir::i128 kMostElements = 1 << 20;  // of a token: 32 of them are added up in 32 bits
static_assert(32 * kMostElements < ir::i128{1} << 32);
constexpr unsigned kMostValueBits = 16;  // prim::kElementBefore is no value

// Computed from the token's own variables, whatever bits those were read from: it looks at no memory, and nothing in it needs what
// a test has found.
bool harmless(const Operand& o) {
  bool all = true;
  for_each_node(*o, [&](const ir::Expr& e) {
    const bool by_constant = e.kids.size() == 2 && e.kids[1]->op == Op::Const;
    switch (e.op) {
      case Op::Const:
      case Op::Local:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::BitAnd:
      case Op::BitOr:
      case Op::BitXor:
      case Op::Eq:
      case Op::Ne:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
      case Op::LogAnd:
      case Op::LogOr:
      case Op::LogNot:
      case Op::Select:
      case Op::Min:
      case Op::Max:
      case Op::Cast:
        break;
      case Op::Shl:
      case Op::Shr:
        all &= by_constant && e.kids[1]->imm < 32;
        break;
      case Op::Div:
      case Op::Rem:
        all &= by_constant && e.kids[1]->imm != 0;
        break;
      default:
        all = false;
    }
    all &= !e.type.is_signed;
  });
  return all;
}

struct Found {
  Fills fills = {};
  std::map<const Step*, Reading> readings = {};  // of all steps but those inside the one that fills
  std::set<const Let*> befores = {};
};

class Finder {
 public:
  Finder(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget) : module_(module), loop_(loop), budget_(budget) {}

  std::optional<Found> run() {
    const bool of_bits = loop_.form == LoopForm::Token && loop_.reader == Reader::Buffer && !loop_.backward && !loop_.nested;
    const bool until = loop_.kind == ir::LoopKind::UntilCond || loop_.kind == ir::LoopKind::Forever;
    if (!of_bits || !until || loop_.progress || loop_.asks_end || loop_.has_records()) return std::nullopt;
    if (loop_.carried.size() != 1 || !loop_.globals.empty() || !loop_.set_globals.empty() || !loop_.hoisted.empty()) return std::nullopt;
    if (!budget_.max_bits || *budget_.max_bits > kWindowBits || budget_.min_bits == 0) return std::nullopt;
    found_.fills.next = {0, loop_.carried[0]};
    found_.fills.most_bits = *budget_.max_bits;
    if (!ends_by_filling() || !body(loop_.body)) return std::nullopt;
    if (found_.fills.repeats && std::ranges::any_of(read_, [&](Local l) { return l == value_; })) return std::nullopt;
    std::erase_if(late_reads_, [&](Local l) {
      return l == found_.fills.next || (l.scope == 0 && std::ranges::find(loop_.captures, l.slot) != loop_.captures.end());
    });
    found_.fills.kept.assign(late_reads_.begin(), late_reads_.end());
    return std::move(found_);
  }

 private:
  bool is_next(const ir::Expr& e) const { return e.op == Op::Local && e.ref == found_.fills.next.slot; }
  bool reads_next(const Operand& o) const {
    bool any = false;
    for_each_node(*o, [&](const ir::Expr& e) { any |= o.scope == 0 && is_next(e); });
    return any;
  }
  void reads(std::set<Local>& list, const Operand& o) const {
    for_each_node(*o, [&](const ir::Expr& e) {
      if (const auto l = read_by(o.scope, e)) list.insert(*l);
    });
  }

  // The last steps on every token's way: the elements from `next` on get a value, and `next` goes behind them.
  bool ends_by_filling() {
    const Body* tail = &loop_.body;
    while (!tail->empty()) {
      const auto* symbol = std::get_if<Symbol>(&tail->back().what);
      if (symbol == nullptr || symbol->arms.size() != 1) break;
      tail = &symbol->arms[0].body;
    }
    if (tail->size() < 2) return false;
    const Step &filling = (*tail)[tail->size() - 2], &moving = tail->back();
    const auto* fill = std::get_if<SideBySide>(&filling.what);
    const auto* move = std::get_if<Let>(&moving.what);
    if (fill == nullptr || move == nullptr || !fill->index || fill->in_order || !fill->widths.empty() || fill->body.size() != 1) return false;
    const auto* set = std::get_if<SetElement>(&fill->body[0].what);
    if (set == nullptr || set->index.scope != 0 || fill->count.scope != 0 || move->value.scope != 0 || move->local != found_.fills.next) return false;
    const ir::Expr& count = *fill->count;
    if (!harmless(fill->count) || reads_next(fill->count) || count.range.lo < 1 || count.range.hi > kMostElements) return false;
    const auto is_index = [&](const ir::Expr& e) { return e.op == Op::Local && Local{0, e.ref} == *fill->index; };
    if (!adds_to_next(*set->index, is_index) || !adds_to_next(*move->value, [&](const ir::Expr& e) { return analysis::same(e, count); })) return false;
    const ir::Type element = module_.arrays[set->array].elem;
    if (element.is_signed || element.bits > kMostValueBits || (*set->value).range.hi >= ir::i128{1} << element.bits) return false;
    if (!harmless(set->value) || reads_next(set->value)) return false;
    bool by_index = false;
    for_each_node(*set->value, [&](const ir::Expr& e) { by_index |= is_index(e); });
    if (by_index) return false;
    if ((*set->value).op == Op::Local) value_ = Local{set->value.scope, (*set->value).ref};
    found_.fills.array = set->array;
    found_.readings[&filling] = found_.readings[&moving] = Reading::Round;
    reads(late_reads_, fill->count);
    reads(late_reads_, set->value);
    return true;
  }
  template <typename IsTerm>
  bool adds_to_next(const ir::Expr& e, IsTerm&& is_term) const {
    return e.op == Op::Add && ((is_next(*e.kids[0]) && is_term(*e.kids[1])) || (is_next(*e.kids[1]) && is_term(*e.kids[0])));
  }

  // A step of the token's own. What it sets no late step has read: that is done behind all of them.
  bool sets(Local l) { return l != found_.fills.next && !tested_.contains(l); }
  bool own(const Operand& o) {
    if (!harmless(o) || reads_next(o)) return false;
    reads(read_, o);
    return true;
  }
  bool late(const Operand& o) {
    reads(read_, o);
    reads(tested_, o);
    reads(late_reads_, o);
    late_ = true;
    return harmless(o);
  }

  bool body(const Body& steps) {
    return std::ranges::all_of(steps, [&](const Step& s) { return found_.readings.contains(&s) || step(s); });
  }
  bool step(const Step& s) {
    Reading& reading = found_.readings[&s] = Reading::Token;
    if (std::holds_alternative<Refill>(s.what) || std::holds_alternative<Need>(s.what) || std::holds_alternative<Leave>(s.what)) return true;
    if (const auto* let = std::get_if<Let>(&s.what)) return sets(let->local) && (own(let->value) || element_before(*let));
    if (const auto* check = std::get_if<Check>(&s.what)) {
      if (own(check->condition)) return true;
      reading = Reading::Late;
      return late(check->condition);
    }
    if (const auto* field = std::get_if<Field>(&s.what)) {
      return field->form == FieldForm::Look && field->into == Field::Into::Local && field->width == kNoValue && field->once == kNoValue &&
             !field->type.is_signed && sets(field->local);
    }
    if (const auto* branch = std::get_if<If>(&s.what)) return branches(*branch, reading);
    if (const auto* symbol = std::get_if<Symbol>(&s.what)) {
      if (symbol->arms.size() != 1 || symbol->copy || symbol->in_row || symbol->pairs || symbol->again != 0) return false;
      const SymbolArm& arm = symbol->arms[0];
      if (arm.take == Take::Output || (arm.take != Take::Drop && !sets(arm.local))) return false;
      reading = Reading::Both;
      return body(arm.body);
    }
    return false;
  }
  bool branches(const If& branch, Reading& reading) {
    if (reads_next(branch.condition)) {
      const bool leaves = !branch.orelse && branch.then.size() == 1 && std::holds_alternative<Leave>(branch.then[0].what);
      reading = Reading::Late;
      if (leaves) found_.readings[&branch.then[0]] = Reading::Late;
      return leaves && late(branch.condition);
    }
    const bool outer = std::exchange(late_, false);
    if (!own(branch.condition) || !body(branch.then) || (branch.orelse && !body(*branch.orelse))) return false;
    if (late_) {
      reading = Reading::Both;
      // Its condition is asked once more; what it reads has not been set inside.
      std::set<Local> asked, set;
      reads(asked, branch.condition);
      const auto collect = [&](const Body& steps) {
        for_each_step(steps, [&](const Step& s) {
          if (const auto l = set_by(s)) set.insert(*l);
          if (const auto* field = std::get_if<Field>(&s.what)) set.insert(field->local);
        });
      };
      collect(branch.then);
      if (branch.orelse) collect(*branch.orelse);
      if (std::ranges::any_of(asked, [&](Local l) { return set.contains(l); })) return false;
      reads(tested_, branch.condition);
      reads(late_reads_, branch.condition);
    }
    late_ |= outer;
    return true;
  }
  // The value is the last one that the tokens before have stored.
  bool element_before(const Let& let) {
    const ir::Expr* e = &*let.value;
    if (e->op == Op::Cast && e->type.bits >= module_.arrays[found_.fills.array].elem.bits && !e->type.is_signed) e = e->kids[0].get();
    if (value_ != let.local || e->op != Op::Elem || e->ref != found_.fills.array || let.value.scope != 0) return false;
    const ir::Expr& at = *e->kids[0];
    if (at.op != Op::Sub || !is_next(*at.kids[0]) || at.kids[1]->op != Op::Const || at.kids[1]->imm != 1) return false;
    found_.fills.repeats = true;
    found_.befores.insert(&let);
    return true;
  }

  const ir::Module& module_;
  const Loop& loop_;
  const analysis::TokenBudget& budget_;
  Found found_;
  std::optional<Local> value_;
  std::set<Local> read_, tested_, late_reads_;
  bool late_ = false;
};

}  // namespace

void set_fills(const ir::Module& module, Loop& loop, const analysis::TokenBudget& budget) {
  std::optional<Found> found = Finder(module, loop, budget).run();
  if (!found) return;
  for_each_step(loop.body, [&](Step& s) {
    if (const auto at = found->readings.find(&s); at != found->readings.end()) s.reading = at->second;
    if (auto* let = std::get_if<Let>(&s.what)) let->before = found->befores.contains(let);
  });
  loop.fills = std::move(found->fills);
}

bool says_its_fills(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget) {
  const std::optional<Found> found = Finder(module, loop, budget).run();
  if (loop.fills != (found ? std::optional(found->fills) : std::nullopt)) return false;
  bool right = true;
  for_each_step(loop.body, [&](const Step& s) {
    const auto* let = std::get_if<Let>(&s.what);
    if (let != nullptr) right &= let->before == (found && found->befores.contains(let));
    if (!found) return;
    const auto at = found->readings.find(&s);
    right &= s.reading == (at != found->readings.end() ? at->second : Reading::Token);
  });
  return right;
}

const SideBySide& fill_of(const Loop& loop) {
  const SideBySide* fill = nullptr;
  for_each_step(loop.body, [&](const Step& s) {
    if (s.reading == Reading::Round && std::holds_alternative<SideBySide>(s.what)) fill = &std::get<SideBySide>(s.what);
  });
  return *fill;
}

namespace {

void drop_rounds(Body& steps) {
  std::erase_if(steps, [](const Step& s) { return s.reading == Reading::Round; });
  for (Step& s : steps)
    if (auto* symbol = std::get_if<Symbol>(&s.what))
      for (SymbolArm& arm : symbol->arms) drop_rounds(arm.body);
}

}  // namespace

Body token_of_fills(const Loop& loop) {
  Body token = loop.body;
  drop_rounds(token);
  return token;
}

}  // namespace sluice::plan
