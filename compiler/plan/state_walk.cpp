#include "compiler/plan/state_walk.h"

#include <algorithm>
#include <map>

#include "compiler/analysis/eval.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Expr;
using ir::Op;

constexpr const char* kOtherExtras = "another loop's tokens have other fields of the same code's symbols";
constexpr std::uint64_t kMostExtra = model::kStateExtraMask;
static_assert(kMostExtraBits == model::kStateExtraMask, "their sum is held where one is");

// A state that a token begins with: its code, and the local that has it.
struct State {
  std::uint32_t code = 0;
  Local local;
  friend bool operator==(const State&, const State&) = default;
};

// A field's width, as it is computed: from what, and the state whose bits it has, if it does.
struct FieldWidth {
  Operand bits;
  std::optional<State> follows;
};

class StateReader {
 public:
  StateReader(const ir::Module& module, const Loop& loop, const std::vector<Local>& walked) : module_(module), loop_(loop), walked_(walked) {}

  StateWalk run() {
    if (walked_.empty()) refuse("walking takes no state");
    for (const Step& s : loop_.body) step(s);
    if (found_.walked.size() != walked_.size()) refuse("walking takes what is no state");
    add_up();
    for (const State& state : order_) {
      const std::vector<std::uint32_t>& bits = extras_of(state);
      const auto at = std::ranges::find(found_.extras, state.code, &StateExtras::code);
      if (at == found_.extras.end()) found_.extras.push_back({state.code, bits});
      else if (at->bits != bits) refuse("two states of one code have other fields");
    }
    if (!found_.against.empty()) return {found_.against, {}, {}, {}};
    return std::move(found_);
  }

 private:
  // Do the fields of a word hold what entries tell?
  void add_up() {
    std::uint64_t extra = 0, bits = 0;
    for (const State& state : order_) {
      extra += std::ranges::max(extras_of(state));
      bits += module_.states[state.code].max_log;
    }
    if (extra > kMostExtraBits) refuse("a token has more than 63 bits of fields");
    if (bits > kMostStateBits) refuse("more than 32 bits follow its states");
  }
  void refuse(const char* why) {
    if (found_.against.empty()) found_.against = why;
  }

  void step(const Step& s) {
    if (const auto* width = std::get_if<Width>(&s.what)) {
      const Operand& bits = width->bits;
      const bool follow = is(*bits, Op::BitAnd, model::kStateBitsMask);
      widths_[width->value] = {behind(bits), follow ? entry_at(bits.scope, *(*bits).kids[0]) : std::nullopt};
    } else if (const auto* field = std::get_if<Field>(&s.what)) {
      take(*field);
    } else if (const auto* let = std::get_if<Let>(&s.what)) {
      set(let->local, let->value);
    } else if (const auto* branch = std::get_if<If>(&s.what)) {
      inside(branch->then);
      if (branch->orelse) inside(*branch->orelse);
    } else if (!takes_nothing(s)) {
      refuse("a token is more than fields, and what is computed with them");
    }
  }
  static bool takes_nothing(const Step& s) {
    return std::holds_alternative<Refill>(s.what) || std::holds_alternative<Need>(s.what) || std::holds_alternative<Check>(s.what) ||
           std::holds_alternative<Slice>(s.what) || std::holds_alternative<Copy>(s.what) || std::holds_alternative<SetGlobal>(s.what);
  }
  // A branch takes nothing of the stream and sets no state, and what it sets is not known behind it.
  void inside(const Body& body) {
    for_each_step(body, [&](const Step& s) {
      const auto* let = std::get_if<Let>(&s.what);
      if (let != nullptr && std::ranges::find(walked_, let->local) != walked_.end()) refuse("a branch sets a state");
      if (let != nullptr) forget(let->local);
      else if (!takes_nothing(s) && !std::holds_alternative<If>(s.what) && !std::holds_alternative<Leave>(s.what)) refuse("a branch takes bits of a token");
    });
  }

  // ---- What is known of locals

  void forget(Local l) {
    known_.erase(l);
    fields_.erase(l);
    moved_.push_back(l);
    std::erase_if(known_, [&](const auto& entry) {
      bool reads = false;
      for_each_node(*entry.second, [&](const Expr& e) { reads |= read_by(entry.second.scope, e) == l; });
      return reads;
    });
  }
  void set(Local l, const Operand& value) {
    if (std::ranges::find(walked_, l) != walked_.end()) return next_state(l, value);
    forget(l);
    known_[l] = value;
  }
  // The expression that is behind a local, if it is one.
  const Operand& behind(const Operand& o) const {
    if ((*o).op != Op::Local) return o;
    const auto at = known_.find({o.scope, (*o).ref});
    return at != known_.end() ? at->second : o;
  }

  // (elem ENTRIES %state), of a state that the token begins with.
  std::optional<State> entry(ScopeId scope, const Expr& e) const {
    if (e.op != Op::Elem || e.kids[0]->op != Op::Local) return std::nullopt;
    const Local l{scope, e.kids[0]->ref};
    if (std::ranges::find(walked_, l) == walked_.end() || std::ranges::find(moved_, l) != moved_.end()) return std::nullopt;
    const auto code = std::ranges::find(module_.states, e.ref, &ir::StateCode::entries);
    if (code == module_.states.end()) return std::nullopt;
    return State{static_cast<std::uint32_t>(code - module_.states.begin()), l};
  }
  std::optional<State> entry_at(ScopeId scope, const Expr& e) const {
    if (e.op != Op::Local) return entry(scope, e);
    const auto at = known_.find({scope, e.ref});
    return at != known_.end() ? entry(at->second.scope, *at->second) : std::nullopt;
  }
  static bool is(const Expr& e, Op op, std::uint64_t right) { return e.op == op && e.kids[1]->op == Op::Const && e.kids[1]->imm == right; }

  // ---- Fields

  void take(const Field& field) {
    if (field.into == Field::Into::Local) forget(field.local);
    if (field.form == FieldForm::Ranges) {
      const std::vector<std::uint8_t>& extra = module_.ranges[field.ref].extra;
      return tell(behind(field.index), [&](std::uint64_t index) { return index < extra.size() ? extra[index] : 0; });
    }
    if (field.width == kNoValue) return refuse("a field's bits are of no state");
    const auto at = widths_.find(field.width);
    if (at == widths_.end()) return refuse("a field's width is known before the loop");
    if (const auto& state = at->second.follows) {
      if (field.into != Field::Into::Local) return refuse("the bits of a state are not those of the next one");
      fields_[field.local] = *state;
      order_.push_back(*state);
      return;
    }
    tell(at->second.bits, [](std::uint64_t bits) { return bits; });
  }

  // Bits of a field, as a state's symbol tells them.
  template <typename Bits>
  void tell(const Operand& told, const Bits& bits_of) {
    if (!order_.empty()) return refuse("fields stand behind the bits of states");
    std::optional<State> state;
    std::size_t entries = 0, symbols = 0;
    bool others = false;
    for_each_node(*told, [&](const Expr& e) {
      if (e.op == Op::BitAnd && e.kids[1]->op == Op::Const && e.kids[1]->imm < model::kMaxStateSymbols && is(*e.kids[0], Op::Shr, model::kStateSymbolShift) &&
          e.kids[0]->kids[0]->op == Op::Elem)
        ++symbols;
      if (e.op != Op::Elem) return;
      ++entries;
      const auto of = entry(told.scope, e);
      others |= !of || (state && *state != *of);
      state = of;
    });
    if (!state || others || symbols != entries) return refuse("a field's width is told by more than one state's symbol");
    std::vector<std::uint32_t>& extras = extras_of(*state);
    for (std::uint64_t symbol = 0; symbol < extras.size(); ++symbol) {
      bool known = true;
      const auto value = analysis::evaluate(module_, *told, [&](const Expr& e) -> std::optional<std::uint64_t> {
        if (e.op == Op::Elem) return symbol << model::kStateSymbolShift;
        known = false;
        return std::nullopt;
      });
      if (!known) return refuse("a field's width is told by more than one state's symbol");
      // None: the token is refused, or left, by the lane whose it is.
      const std::uint64_t sum = extras[symbol] + (value ? bits_of(*value) : 0);
      if (sum > kMostExtra) return refuse("a state's symbol has more bits of fields than its entry tells");
      extras[symbol] = static_cast<std::uint32_t>(sum);
    }
  }

  std::vector<std::uint32_t>& extras_of(const State& state) {
    std::vector<std::uint32_t>& extras = extras_[state.local];
    extras.resize(module_.states[state.code].symbols);
    return extras;
  }

  // (add (shr ENTRY kStateBaseShift) BITS)
  void next_state(Local l, const Operand& value) {
    const Expr& e = *value;
    const bool shape = e.op == Op::Add && is(*e.kids[0], Op::Shr, model::kStateBaseShift) && e.kids[1]->op == Op::Local;
    const auto state = shape ? entry_at(value.scope, *e.kids[0]->kids[0]) : std::nullopt;
    const auto bits = shape ? fields_.find({value.scope, e.kids[1]->ref}) : fields_.end();
    if (!state || state->local != l || bits == fields_.end() || bits->second != *state) return refuse("what walking takes is not the next state of a code");
    found_.walked.push_back(l);
    found_.codes.push_back(state->code);
    if (order_.size() != found_.walked.size() || order_.back() != *state) refuse("states are not read one after the other");
    forget(l);
  }

  const ir::Module& module_;
  const Loop& loop_;
  const std::vector<Local>& walked_;
  StateWalk found_;
  std::map<Value, FieldWidth> widths_;
  std::map<Local, Operand> known_;
  std::map<Local, State> fields_;  // that have the bits of a state
  std::vector<Local> moved_;       // that are not any more what the token began with
  std::vector<State> order_;
  std::map<Local, std::vector<std::uint32_t>> extras_;  // of each state's symbols
};

bool has_state_walk(const Loop& loop) { return loop.has_records() && !loop.records->state_walk.empty(); }

}  // namespace

StateWalk state_walk_of(const ir::Module& module, const Loop& loop, const std::vector<Local>& walked) { return StateReader(module, loop, walked).run(); }

std::vector<StateExtras> settle_state_walks(const ir::Module& module, std::vector<Loop>& loops) {
  std::vector<StateExtras> all;
  for (Loop& loop : loops) {
    if (!has_state_walk(loop)) continue;
    const std::vector<StateExtras> its = state_walk_of(module, loop, loop.records->walked).extras;
    const auto differs = [&](const StateExtras& e) {
      const auto at = std::ranges::find(all, e.code, &StateExtras::code);
      return at != all.end() && *at != e;
    };
    if (std::ranges::any_of(its, differs)) {
      loop.records->state_walk.clear();
      loop.records->no_state_walk = kOtherExtras;
      continue;
    }
    for (const StateExtras& e : its)
      if (std::ranges::find(all, e.code, &StateExtras::code) == all.end()) all.push_back(e);
  }
  return all;
}

bool says_its_extras(const ir::Module& module, const Plan& plan) {
  std::vector<Loop> loops = plan.loops;
  for (Loop& loop : loops) {
    if (!loop.has_records() || loop.records->no_state_walk != kOtherExtras) continue;
    loop.records->state_walk = state_walk_of(module, loop, loop.records->walked).codes;
  }
  const std::vector<StateExtras> extras = settle_state_walks(module, loops);
  const auto same = [](const Loop& a, const Loop& b) { return !a.has_records() || (a.records->state_walk == b.records->state_walk && a.records->no_state_walk == b.records->no_state_walk); };
  return extras == plan.extras && std::ranges::equal(loops, plan.loops, same);
}

}  // namespace sluice::plan
