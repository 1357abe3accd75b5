#include "compiler/plan/late.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

// Where a value comes from. What is captured before the loop, and a constant, comes from nowhere.
using From = std::uint8_t;
constexpr From kToken = 1, kCounter = 2, kOutput = 4, kLatched = 8, kSum = 16, kLate = kCounter | kOutput | kLatched | kSum;

// What 32 tokens add to a sum is added up in 32 bits (prim::added).
constexpr unsigned kMostTerms = 32;  // of a sum, in a token
constexpr ir::i128 kMostTerm = 1 << 20;
static_assert(32 * kMostTerms * kMostTerm < ir::i128{1} << 32);

class Finder {
 public:
  Finder(const Loop& loop, const std::optional<std::vector<Local>>& walked)
      : loop_(loop),
        walked_(walked),
        carried_(not_walked(carried_of(loop), walked)),
        captured_(captured_of(loop)),
        counters_(carried_.begin(), carried_.end()),
        sums_(counters_) {}

  Late run() {
    // What is known of a value only grows, and so does what is latched: this ends.
    follow_all();
    // Once more, of what is a counter or a sum in the end.
    from_.clear();
    latched_from_.clear();
    follow_all();
    const bool turns = std::ranges::any_of(latched_from_, [](const auto& one) { return (one.second & kLatched) != 0; });
    for (const auto& [step, from] : latched_from_) {
      if ((from & kLatched) != 0 && !walked_) refuse(*step, "a token's value is computed from that of the one before it");
      if (turns && (from & kLate & ~kLatched) != 0) refuse(*step, "what is handed on in turn is computed from sums or counts");
    }
    mark(loop_.body, 0);
    for (const Local l : kept_) {
      if (sets_[l] > 1) refuse(*set_at_[l], "a value that waits for earlier tokens is set more than once");
      if (walked_ && std::ranges::find(*walked_, l) != walked_->end()) refuse(*kept_by_[l], "what waits for earlier tokens depends on what those that walk them know");
    }
    Late late;
    late.against = std::move(against_);
    for (const Local l : carried_)
      (counters_.contains(l) ? late.counters : sums_.contains(l) ? late.added : turns ? late.turned : late.latched).push_back(l);
    for (const auto& [local, from] : from_)
      if ((from & kLate) != 0) late.late.push_back(local);
    late.moves = turns && moves(loop_.body, 0);
    for (const auto& [local, from] : from_)
      if (late.moves && (from & kLatched) != 0) late.moved.push_back(local);
    for (const auto& [local, from] : from_)
      if (!late.counters.empty() && (from & ~kCounter) == 0 && !carried(local)) late.counted.push_back(local);
    late.kept.assign(kept_.begin(), kept_.end());
    late.kept_symbols.assign(kept_symbols_.begin(), kept_symbols_.end());
    for_each_step(loop_.body, [&](const Step& s) {
      if (late_distances_.contains(&s)) late.late_distances.insert(late.readings.size());
      late.readings.push_back(readings_[&s]);
    });
    return late;
  }

 private:
  static std::vector<Local> not_walked(std::vector<Local> carried, const std::optional<std::vector<Local>>& walked) {
    if (walked) std::erase_if(carried, [&](Local l) { return std::ranges::find(*walked, l) != walked->end(); });
    return carried;
  }
  void refuse(const Step& s, const char* why) {
    if (!against_) against_ = analysis::Reason{why, s.span};
  }

  bool carried(Local l) const { return std::ranges::find(carried_, l) != carried_.end(); }
  bool captured(Local l) const { return std::ranges::find(captured_, l) != captured_.end(); }
  bool late(Local l) const {
    const auto known = from_.find(l);
    return carried(l) || (known != from_.end() && (known->second & kLate) != 0);
  }

  // ---- Where values come from

  void follow_all() {
    do {
      grown_ = false;
      follow(loop_.body, 0, false);
    } while (grown_);
  }

  From of(Local l) const {
    if (carried(l)) return counters_.contains(l) ? kCounter : sums_.contains(l) ? kSum : kLatched;
    if (captured(l)) return 0;
    const auto known = from_.find(l);
    return known == from_.end() ? kToken : known->second;
  }
  From of(const Operand& o) const { return o ? of(o.scope, *o) : From{0}; }
  From of(ScopeId scope, const ir::Expr& whole) const {
    From from = 0;
    for_each_node(whole, [&](const ir::Expr& e) {
      if (const auto l = read_by(scope, e)) from |= of(*l);
      if (e.op == ir::Op::Produced) from |= kOutput;
    });
    return from;
  }
  void set(Local l, From from) {
    From& known = from_[l];
    grown_ |= (known | from) != known;
    known |= from;
  }

  // `called`: in a rule that the token calls.
  void follow(const Body& steps, From control, bool called) {
    for (const Step& s : steps) {
      if (const auto* let = std::get_if<Let>(&s.what)) {
        const From from = of(let->value) | control;
        if (carried(let->local))
          follow_carried(s, let->local, called ? from | kToken : from, !called && adds(let->local, let->value, control));
        else
          set(let->local, from);
      } else if (const auto* set_global = std::get_if<SetGlobal>(&s.what)) {
        const From from = of(set_global->value) | control;
        const Local l{kGlobalScope, set_global->global};
        if (!carried(l)) set(l, from);
        else follow_carried(s, l, called ? from | kToken : from, !called && adds(l, set_global->value, control));
      } else if (const auto* field = std::get_if<Field>(&s.what)) {
        if (field->into == Field::Into::Local && !captured(field->local)) set(field->local, kToken | control);
      } else if (const auto* branch = std::get_if<If>(&s.what)) {
        const From inner = control | of(branch->condition);
        follow(branch->then, inner, called);
        if (branch->orelse) follow(*branch->orelse, inner, called);
      } else if (const auto* call = std::get_if<Inline>(&s.what)) {
        for (std::uint32_t i = 0; i < call->args.size(); ++i) set(Local{call->scope, i}, of(call->args[i]) | control);
        follow(call->body, control, true);
      } else if (const auto* repeat = std::get_if<Repeat>(&s.what)) {
        if (repeat->index) set(*repeat->index, kToken);
        follow(repeat->body, control | of(repeat->count) | of(repeat->until), called);
      } else if (const auto* symbol = std::get_if<Symbol>(&s.what)) {
        for (const Local l : set_otherwise(s)) set(l, kToken | control);
        for (const SymbolArm& arm : symbol->arms) follow(arm.body, symbol->arms.size() > 1 ? control | kToken : control, called);
      } else {
        for (const Local l : set_otherwise(s)) set(l, kToken | control);
        for_each_body(s, [&](const Body& inner) { follow(inner, control, called); });
      }
    }
  }
  // By a statement that is neither a Let nor a field.
  static std::vector<Local> set_otherwise(const Step& s) {
    std::vector<Local> all;
    if (const auto* symbol = std::get_if<Symbol>(&s.what))
      for (const SymbolArm& arm : symbol->arms)
        if (arm.take == Take::Extra || arm.take == Take::Payload) all.push_back(arm.local);
    if (const auto* sum = std::get_if<Sum>(&s.what)) all.push_back(sum->local);
    if (const auto* steps = std::get_if<Unchecked>(&s.what); steps != nullptr && steps->index)
      all.push_back(*steps->index);
    if (const auto* steps = std::get_if<SideBySide>(&s.what); steps != nullptr && steps->index)
      all.push_back(*steps->index);
    return all;
  }
  // l := l + what the token knows by itself.
  bool adds(Local l, const Operand& value, From control) const {
    const ir::Expr& e = *value;
    if (e.op != ir::Op::Add || (control & kLate) != 0) return false;
    const auto is_own = [&](const ir::Expr& side) { return read_by(value.scope, side) == l; };
    const ir::Expr& term = *e.kids[is_own(*e.kids[0]) ? 1 : 0];
    if (!is_own(*e.kids[0]) && !is_own(*e.kids[1])) return false;
    return (of(value.scope, term) & kLate) == 0 && term.range.lo >= 0 && term.range.hi <= kMostTerm;
  }
  void follow_carried(const Step& s, Local l, From from, bool adds) {
    if ((from & ~kCounter) != 0) grown_ |= counters_.erase(l) != 0;
    added_[l].insert(&s);
    if (!adds || added_[l].size() > kMostTerms) grown_ |= sums_.erase(l) != 0;
    if (!counters_.contains(l) && !sums_.contains(l)) latched_from_[&s] |= from;
  }

  // Note [moves].
  bool moves(const Body& steps, From control) const {
    return std::ranges::all_of(steps, [&](const Step& s) {
      if (const auto* let = std::get_if<Let>(&s.what)) return moves(let->value, control);
      if (const auto* set = std::get_if<SetGlobal>(&s.what)) return moves(set->value, control);
      if (const auto* branch = std::get_if<If>(&s.what)) {
        const From inner = control | of(branch->condition);
        return moves(branch->then, inner) && (!branch->orelse || moves(*branch->orelse, inner));
      }
      if (const auto* call = std::get_if<Inline>(&s.what))
        return moves(call->body, control) && std::ranges::none_of(call->args, [&](const Operand& arg) { return (of(arg) & kLatched) != 0; });
      bool inside = true;
      for_each_body(s, [&](const Body& inner) { inside &= moves(inner, control | kLatched); });
      return inside;
    });
  }
  bool moves(const Operand& value, From control) const {
    return ((of(value) | control) & kLatched) == 0 || ((control & kLatched) == 0 && moves(value.scope, *value));
  }
  bool moves(ScopeId scope, const ir::Expr& e) const {
    const auto own = [&](const ir::Expr& part) { return (of(scope, part) & kLate) == 0; };
    if (own(e) || e.op == ir::Op::Local || e.op == ir::Op::Global) return true;
    if (e.op == ir::Op::Cast && e.type.bits == 64) return moves(scope, *e.kids[0]);
    if (e.op == ir::Op::Select) return own(*e.kids[0]) && moves(scope, *e.kids[1]) && moves(scope, *e.kids[2]);
    if (e.op == ir::Op::Add && own(*e.kids[0])) return moves(scope, *e.kids[1]);
    return (e.op == ir::Op::Add || e.op == ir::Op::Sub) && own(*e.kids[1]) && moves(scope, *e.kids[0]);
  }

  // ---- Which steps are late

  // Keeps what a late step reads of the token's own.
  void keep(const Step& s, const Operand& o) {
    if (!o) return;
    for_each_node(*o, [&](const ir::Expr& e) {
      const auto l = read_by(o.scope, e);
      if (!l || late(*l) || captured(*l)) return;
      kept_.insert(*l);
      kept_by_.emplace(*l, &s);
    });
  }
  void count_set(Local l, const Step& s, unsigned times) {
    sets_[l] += times;
    set_at_[l] = &s;
  }

  // Whether something of the body is late, or has to be done both times. `control`: where its branches come from.
  bool mark(const Body& steps, From control, bool repeated = false) {
    bool any = false;
    for (const Step& s : steps) {
      const Reading reading = reading_of(s, control, repeated);
      readings_[&s] = reading;
      any |= reading != Reading::Token;
    }
    return any;
  }

  Reading reading_of(const Step& s, From control, bool repeated) {
    const bool waits = (control & kLate) != 0;
    const unsigned times = repeated ? 2 : 1;
    if (const auto* let = std::get_if<Let>(&s.what)) {
      count_set(let->local, s, times);
      if (!late(let->local)) return Reading::Token;
      keep(s, let->value);
      return Reading::Late;
    }
    if (const auto* set_global = std::get_if<SetGlobal>(&s.what)) {
      const Local l{kGlobalScope, set_global->global};
      count_set(l, s, times);
      if (!late(l)) return Reading::Token;
      keep(s, set_global->value);
      return Reading::Late;
    }
    if (const auto* check = std::get_if<Check>(&s.what)) {
      if (!waits && (of(check->condition) & kLate) == 0) return Reading::Token;
      keep(s, check->condition);
      return Reading::Late;
    }
    if (const auto* slice = std::get_if<Slice>(&s.what); slice != nullptr && walked_) {
      if (waits || (of(slice->count) & kLate) != 0) refuse(s, "what it takes or makes waits for the tokens before it");
      if ((of(slice->from) & kLate) == 0) return Reading::Token;
      keep(s, slice->from);
      late_distances_.insert(&s);
      return Reading::Both;
    }
    if (std::holds_alternative<Leave>(s.what)) return waits ? Reading::Late : Reading::Token;
    if (const auto* branch = std::get_if<If>(&s.what)) {
      const From inner = control | of(branch->condition);
      const bool then = mark(branch->then, inner, repeated);
      const bool otherwise = branch->orelse && mark(*branch->orelse, inner, repeated);
      if ((inner & kLate) == 0 && !then && !otherwise) return Reading::Token;
      keep(s, branch->condition);
      const auto at_once = [&](const Body& steps) {
        return std::ranges::any_of(steps, [&](const Step& one) { return readings_[&one] != Reading::Late; });
      };
      return at_once(branch->then) || (branch->orelse && at_once(*branch->orelse)) ? Reading::Both : Reading::Late;
    }
    if (waits) refuse(s, "what tokens before it left decides whether it is done");
    if (const auto* call = std::get_if<Inline>(&s.what)) return of_call(s, *call, control, repeated);
    if (const auto* copy = std::get_if<Copy>(&s.what)) {
      if ((of(copy->length) & kLate) != 0) refuse(s, "its length waits for the tokens before it");
      const bool distance = (of(copy->distance) & kLate) != 0;
      if (distance) {
        keep(s, copy->distance);
        late_distances_.insert(&s);
      }
      return distance || counts_output() ? Reading::Both : Reading::Token;
    }
    for_each_operand(s, [&](const Operand& o) {
      if ((of(o) & kLate) != 0) refuse(s, "what it takes or makes waits for the tokens before it");
    });
    if (const auto* symbol = std::get_if<Symbol>(&s.what)) return of_symbol(s, *symbol, control, repeated);
    if (std::holds_alternative<Literals>(s.what) || std::holds_alternative<Run>(s.what) || std::holds_alternative<Store>(s.what))
      return counts_output() ? Reading::Both : Reading::Token;
    if (const auto* field = std::get_if<Field>(&s.what)) {
      if (field->into == Field::Into::Local) count_set(field->local, s, times);
      if (field->into == Field::Into::Local && late(field->local))
        refuse(s, "a value is read here, and late elsewhere");
    }
    for (const Local l : set_otherwise(s)) {
      count_set(l, s, times);
      if (late(l)) refuse(s, "a value is read here, and late elsewhere");
    }
    for_each_body(s, [&](const Body& inner) {
      if (mark(inner, control, true)) refuse(s, "a loop inside a token waits for the tokens before it");
    });
    return Reading::Token;
  }

  Reading of_call(const Step& s, const Inline& call, From control, bool repeated) {
    for (std::uint32_t i = 0; i < call.args.size(); ++i) {
      count_set(Local{call.scope, i}, s, repeated ? 2 : 1);
      if (late(Local{call.scope, i})) keep(s, call.args[i]);
    }
    if (!mark(call.body, control, repeated)) return Reading::Token;
    if (call.exits) refuse(s, "a rule that waits for the tokens before it returns early");
    return Reading::Both;
  }

  Reading of_symbol(const Step& s, const Symbol& symbol, From control, bool repeated) {
    for (const Local l : set_otherwise(s)) {
      count_set(l, s, repeated ? 2 : 1);
      if (late(l)) refuse(s, "a value is read here, and late elsewhere");
    }
    bool any = counts_output() && makes_output(s);
    for (const SymbolArm& arm : symbol.arms) any |= mark(arm.body, control, repeated);
    if (!any) return Reading::Token;
    if (symbol.arms.size() > 1) kept_symbols_.insert(symbol.value);
    return Reading::Both;
  }

  // Does some step ask how much output there is? Then each part's place counts.
  bool counts_output() {
    if (!output_) output_ = any_step(loop_.body, asks_output);
    return *output_;
  }

  const Loop& loop_;
  const std::optional<std::vector<Local>> walked_;
  const std::vector<Local> carried_, captured_;
  std::set<Local> counters_, sums_;
  std::map<Local, std::set<const Step*>> added_;  // statements that set what is carried
  std::map<Local, From> from_;
  std::map<const Step*, From> latched_from_;  // statements that set what is latched
  bool grown_ = false;
  std::optional<bool> output_;
  std::set<Local> kept_;
  std::map<Local, const Step*> kept_by_;
  std::set<Value> kept_symbols_;
  std::map<Local, unsigned> sets_;
  std::map<Local, const Step*> set_at_;
  std::map<const Step*, Reading> readings_;
  std::set<const Step*> late_distances_;
  std::optional<analysis::Reason> against_;
};

}  // namespace

std::vector<Local> carried_of(const Loop& loop) {
  std::vector<Local> all;
  for (const std::uint32_t slot : loop.carried) all.push_back({0, slot});
  for (const std::uint32_t g : loop.set_globals) all.push_back({kGlobalScope, g});
  return all;
}

std::vector<Local> captured_of(const Loop& loop) {
  std::vector<Local> all;
  for (const std::uint32_t slot : loop.captures) all.push_back({0, slot});
  for (const std::uint32_t g : loop.globals)
    if (std::ranges::find(loop.set_globals, g) == loop.set_globals.end()) all.push_back({kGlobalScope, g});
  return all;
}

Late late_of(const Loop& loop, const std::optional<std::vector<Local>>& walked) { return Finder(loop, walked).run(); }

}  // namespace sluice::plan
