#include "compiler/plan/lower_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::plan {
namespace {

using ir::Op;
using ir::Stmt;

// AtEnd is false inside a fast loop: a margin of input is left (note [fast-loop margin]).
bool never(const ir::Expr& e) { return e.op == Op::AtEnd || is_constant(e, 0); }

bool asks_end(const ir::Expr& e) { return e.op == Op::AtEnd || std::ranges::any_of(e.kids, [](const auto& k) { return asks_end(*k); }); }

}  // namespace

std::vector<const Stmt*> pointers(const ir::Block& block) {
  std::vector<const Stmt*> all;
  for (const auto& s : block) all.push_back(s.get());
  return all;
}

void collect_set(const ir::Block& block, std::set<std::uint32_t>& slots) {
  for (const auto& s : block) {
    if (s->slot != Stmt::kNoSlot) slots.insert(s->slot);
    collect_set(s->body, slots);
    collect_set(s->orelse, slots);
  }
}

TokenLowering::TokenLowering(const Ground& ground, std::uint32_t rule, const TokenMode& mode,
                             std::vector<Table>& tables)
    : ground_(ground), mode_(mode), tables_(tables) {
  loop_.rule = rule;
  loop_.scopes.push_back({rule, kNoValue, std::nullopt});
  if (mode.aligned) stream_.phase = 0;
  if (mode.form != LoopForm::SideBySide) return;
  own_lanes_.outer = mode.outer;
  own_lanes_.set_inside = mode.set_inside;
  own_lanes_.index = mode.index;
  lanes_ = &own_lanes_;
}

LoweredToken TokenLowering::lower(const Stmt& loop) {
  if (ground_.element.bits != ground_.module.output.bits) loop_.element_bytes = ground_.elem_bytes();
  if (until(loop)) list(pointers(loop.body));
  if (!obstacle_ && !any_step(loop_.body, makes_output) && !adds_up(loop_.body)) obstacle_ = Obstacle{"its steps make no output", {}, ""};
  collect_captures();
  loop_.cost = cost_of(loop_.body);
  return {std::move(loop_), own_lanes_.sums, own_lanes_.stuck, obstacle_, numbers_};
}

// A step of a loop that tests a condition is a token that may leave where it begins: the checked path tests it again.
bool TokenLowering::until(const Stmt& loop) {
  if (loop.loop != ir::LoopKind::UntilCond) return true;
  current_ = &loop;
  auto ends = operand(*loop.a);
  if (!ends) return leave("a condition needs the input's exact position");
  add(If{*std::move(ends), collect([&] { add(Leave{}); }), std::nullopt, false});
  depth_.at_start = false;
  current_ = nullptr;
  return true;
}

void TokenLowering::collect_captures() {
  for (const std::uint32_t slot : reads_)
    if (!writes_.contains(slot) && !carried_.contains(slot) && slot != mode_.index) loop_.captures.push_back(slot);
  loop_.carried.assign(carried_.begin(), carried_.end());
  loop_.globals.assign(globals_.begin(), globals_.end());
  loop_.set_globals.assign(set_globals_.begin(), set_globals_.end());
}

// ---- Names and operands --------------------------------------------------------------------------------------------

Body TokenLowering::collect(const std::function<void()>& f) {
  Body body;
  Body* const outer = std::exchange(body_, &body);
  last_need_.reset();
  f();
  last_need_.reset();
  body_ = outer;
  return body;
}

void TokenLowering::add(Statement what, Cost cost) {
  body_->push_back({std::move(what), cost, current_ ? current_->span : Span{}});
}

Value TokenLowering::number(unsigned count) { return std::exchange(numbers_, numbers_ + count); }

Local TokenLowering::define(std::uint32_t slot) {
  const Local local{stack_.back(), slot};
  if (stack_.size() == 1) {
    const bool outer = mode_.outer.contains(slot);
    (outer ? carried_ : writes_).insert(slot);
    if (outer) return local;
  }
  if (declared_.insert(local).second) loop_.locals.push_back(local);
  return local;
}

std::optional<Operand> TokenLowering::operand(const ir::Expr& e) {
  if (!known(e)) return std::nullopt;
  loop_.asks_end |= asks_end(e);
  return Operand{clone(e), stack_.back(), {}};
}

// Can the loop tell its value? Notes what it reads for that.
bool TokenLowering::known(const ir::Expr& e) {
  switch (e.op) {
    case Op::Local:
      if (stack_.size() == 1) reads_.insert(e.ref);
      return true;
    case Op::Global:
      globals_.insert(e.ref);
      return true;
    case Op::Remaining:
    case Op::Peek:
    case Op::PeekBits:
    case Op::ProducedSince:
    case Op::ConsumedSince:
    case Op::Checksum:
      return false;
    case Op::Aligned:
      return bytes();
    case Op::OutputCount:  // of the chunk's state, which a lane does not have
      return ground_.target == Target::Cpu;
    case Op::BufferElem:
      if (ground_.target != Target::Lane || e.type.is_signed || !known(*e.kids[0])) return false;
      if (ground_.views[e.ref]) loop_.hoisted.emplace_back(View{e.ref});
      return true;
    default:
      return std::ranges::all_of(e.kids, [&](const auto& k) { return known(*k); });
  }
}

bool TokenLowering::leave(const char* why) {
  gone_ = true;
  if (depth_.conditional == 0 && !obstacle_) obstacle_ = Obstacle{why, current_ ? current_->span : Span{}, ""};
  if (lanes_) lanes_->stuck = true;
  add(Leave{});
  return false;
}

bool TokenLowering::over_budget() {
  gone_ = true;
  obstacle_ = Obstacle{
      fmt::format("its steps hold more than {} statements, those of the rules they call included", kMaxTokenStatements),
      {},
      ""};
  return false;
}

// ---- Statements ----------------------------------------------------------------------------------------------------

bool TokenLowering::list(const List& statements) {
  const Stmt* const around = current_;
  const bool goes_on = each_of(statements);
  current_ = around;
  return goes_on;
}

bool TokenLowering::each_of(const List& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const Stmt& s = *statements[i];
    const List rest(statements.begin() + static_cast<std::ptrdiff_t>(i) + 1, statements.end());
    bool rest_done = false;
    if (mode_.nested && s.kind == Stmt::Kind::If && rest.size() == 1 && rest[0]->kind == Stmt::Kind::Align)
      return branch(s, rest, false);  // each arm knows better where it ends
    const bool ends_token =
        depth_.ends_token && rest.empty() && loop_.row && depth_.conditional == ahead_.conditional && depth_.loops == 0;
    if (ends_token && s.kind == Stmt::Kind::Copy) ahead_.copy_ends_arm = true;
    if (!statement(s, rest, rest_done)) return false;
    depth_.at_start = false;
    if (rest_done) return true;
  }
  return true;
}

bool TokenLowering::statement(const Stmt& s, const List& rest, bool& rest_done) {
  using K = Stmt::Kind;
  constexpr const char* kPosition = "an expression needs the input's exact position";
  current_ = &s;
  if (++statements_ > kMaxTokenStatements) return over_budget();
  if (lanes_ && !lane_does(s)) return leave("a lane by itself can't do this");
  if (lanes_ && !lanes_->in_order && s.kind == K::SetLocal && running_sum(s)) return true;
  switch (s.kind) {
    case K::Read: {
      if (s.slot == Stmt::kNoSlot) {
        if (s.read.kind == ir::ReadSpec::Kind::Code) return leave("it reads a symbol and drops it");
        Drop drop{number(), s.read.type, {}};
        Field field;
        field.into = Field::Into::Dropped;
        field.target = drop.value;
        bool ok = false;
        drop.read = collect([&] { ok = read(s.read, field); });
        add(std::move(drop));
        return ok;
      }
      if (s.read.kind == ir::ReadSpec::Kind::Code) return symbol(s, rest, rest_done);
      Field field;
      field.local = define(s.slot);
      return read(s.read, field);
    }
    case K::SetLocal: {
      auto v = operand(*s.a);
      if (!v) return leave(kPosition);
      add(Let{define(s.slot), *std::move(v)});
      return true;
    }
    case K::Emit: {
      auto v = operand(*s.a);
      if (!v) return leave(kPosition);
      add(Store{*std::move(v)}, {0, ground_.elem_bytes()});
      return true;
    }
    case K::SetGlobal: {
      auto v = operand(*s.a);
      if (!v) return leave(kPosition);
      globals_.insert(s.ref);
      set_globals_.insert(s.ref);
      add(SetGlobal{s.ref, *std::move(v)});
      return true;
    }
    case K::SetElem:
      return set_element(s);
    case K::Literals:
      return literals(s);
    case K::Run:
      return run(s);
    case K::Copy:
      return copy(s);
    case K::EmitBuffer:
      return slice(s);
    case K::EmitSymbol:
      return symbol_bytes(s);
    case K::If:
      return branch(s, {}, false);
    case K::Call:
      return call(s, rest.empty());
    case K::Loop:
      return inner_loop(s);
    case K::Check: {
      auto v = operand(*s.a);
      if (!v) return leave("a check needs the input's exact position");
      add(Check{*std::move(v)});
      return true;
    }
    case K::Stop:
      if (depth_.loops > 0)
        add(Break{});
      else
        add(Leave{});
      return false;
    case K::Return:
      return returns(s, rest);
    case K::Reject:
    case K::Accept:
      gone_ = lanes_ == nullptr;
      add(Leave{});
      return false;
    case K::Align:
      return align(s);
    case K::Skip:
      return skip(s);
    default:
      return leave("it does more than read tokens and make output");
  }
}

bool TokenLowering::set_element(const Stmt& s) {
  auto i = operand(*s.a);
  auto v = operand(*s.b);
  if (!i || !v) return leave("an expression needs the input's exact position");
  // How many stores a loop has made before a token is left, no text knows: a CPU puts back those that stand by themselves.
  const bool known_stores = ground_.target == Target::Cpu && inner_ == nullptr;
  if (mode_.guarded.contains(s.ref) && !known_stores && !(lanes_ && lanes_->in_order)) return leave("a step changes an array that it reads");
  add(SetElement{s.ref, *std::move(i), *std::move(v), kNoValue});
  return true;
}

// `chained`: it is the other arm of a branch. A chain of branches is one flat statement, for compilers limit how deep
// brackets may nest.
bool TokenLowering::branch(const Stmt& s, const List& tail, bool chained) {
  if (never(*s.a) && !chained) {
    loop_.asks_end |= asks_end(*s.a);
    List all = pointers(s.orelse);
    all.insert(all.end(), tail.begin(), tail.end());
    return list(all);
  }
  if (!chained && holds_but_last(*s.a)) {
    loop_.but_last = true;
    List all = pointers(s.body);
    all.insert(all.end(), tail.begin(), tail.end());
    return list(all);
  }
  current_ = &s;
  auto condition = operand(*s.a);
  if (!condition) return leave("a condition needs the input's exact position");
  const Stream before = stream_;
  ++depth_.conditional;
  If made{*std::move(condition), {}, std::nullopt, false};
  bool first = false, second = true;
  made.then = arm(s.body, tail, first);
  const bool first_gone = gone_;
  const unsigned buffered_first = first ? stream_.buffered : 64, phase_first = stream_.phase;
  const unsigned likely_first = first ? stream_.likely : 64;
  stream_ = before;
  if (!s.orelse.empty() || !tail.empty())
    second = other_arm(s.orelse, tail, made);
  else
    gone_ = false;
  gone_ = gone_ && first_gone;
  --depth_.conditional;
  current_ = &s;
  add(std::move(made));
  stream_.buffered = std::min(second ? stream_.buffered : 64, buffered_first);
  stream_.likely = std::min(second ? stream_.likely : 64, likely_first);
  if (stream_.buffered > 56) stream_.buffered = 0;
  if (stream_.likely > 56) stream_.likely = 0;
  stream_.beyond = std::min(stream_.beyond, kShownBeyond);
  if (!second || (first && phase_first != stream_.phase))
    stream_.phase = first && !second ? phase_first : Stream::kUnknownPhase;
  stream_.forget_word();
  return first || second;
}

// `i + 1 < count` in `for i < count`: what a token prepares for the next one.
bool TokenLowering::holds_but_last(const ir::Expr& e) const {
  if (mode_.count == nullptr || stack_.size() != 1 || inner_ != nullptr || lanes_ != nullptr) return false;
  if (e.op != Op::Lt || e.kids[0]->op != Op::Add || !analysis::same(*e.kids[1], *mode_.count)) return false;
  const ir::Expr& i = *e.kids[0]->kids[0];
  return i.op == Op::Local && i.ref == mode_.index && is_constant(*e.kids[0]->kids[1], 1);
}

bool TokenLowering::other_arm(const ir::Block& block, const List& tail, If& made) {
  const Stmt* next = block.size() == 1 && block[0]->kind == Stmt::Kind::If ? block[0].get() : nullptr;
  bool falls = false;
  if (next == nullptr || never(*next->a)) {
    made.orelse = arm(block, tail, falls);
    return falls;
  }
  Body chain = collect([&] { falls = branch(*next, tail, true); });
  made.flat = std::holds_alternative<If>(chain.back().what);
  if (falls) {
    gone_ = false;
  } else if (mode_.nested && gone_) {
    chain = collect([&] { add(Leave{}); });
    made.flat = false;
  }
  made.orelse = std::move(chain);
  return falls;
}

// One side of a branch, and what follows it. A side that is sure to leave does so at once.
Body TokenLowering::arm(const ir::Block& block, const List& tail, bool& falls) {
  List all = pointers(block);
  all.insert(all.end(), tail.begin(), tail.end());
  gone_ = false;
  Body body = collect([&] { falls = list(all); });
  if (falls) gone_ = false;
  if (!mode_.nested || !gone_) return body;
  falls = false;
  return collect([&] { add(Leave{}); });
}

bool TokenLowering::call(const Stmt& s, bool last) {
  const ir::Rule& callee = module().rules[s.ref];
  Inline made;
  for (const auto& a : s.args) {
    auto v = operand(*a);
    if (!v) return leave("an argument needs the input's exact position");
    made.args.push_back(*std::move(v));
  }
  const std::optional<Local> result = s.slot != Stmt::kNoSlot ? std::optional(define(s.slot)) : std::nullopt;
  made.scope = static_cast<ScopeId>(loop_.scopes.size());
  loop_.scopes.push_back({s.ref, number(), result});
  stack_.push_back(made.scope);
  for (std::uint32_t i = 0; i < callee.params; ++i) define(i);
  // A callee that leaves its own way must not end the caller's token: what follows is reached through `done`.
  const Depth around = depth_;
  depth_.loops = 0;
  depth_.ends_token = around.ends_token && last;
  gone_ = false;
  bool falls = false;
  made.body = collect([&] { falls = list(pointers(callee.body)); });
  const bool gone = !falls && gone_;
  made.exits = any_step(made.body, [&](const Step& step) {
    const auto* exit = std::get_if<Exit>(&step.what);
    return exit != nullptr && exit->scope == made.scope;
  });
  const bool exits = made.exits;
  depth_.loops = around.loops;
  depth_.conditional = around.conditional;
  depth_.ends_token = around.ends_token;
  stack_.pop_back();
  add(std::move(made));
  if (exits) stream_.forget_phase();
  stream_.forget_word();
  gone_ = gone && !exits;
  return !mode_.nested || !gone_;
}

bool TokenLowering::returns(const Stmt& s, const List& rest) {
  if (stack_.size() == 1) {
    add(Leave{});
    return false;
  }
  const Scope scope = loop_.scopes[stack_.back()];
  if (s.a && scope.result) {
    auto v = operand(*s.a);
    if (!v) return leave("an expression needs the input's exact position");
    add(Let{*scope.result, *std::move(v)});
  }
  if (rest.empty() && depth_.conditional == 0 && depth_.loops == 0) return false;
  add(Exit{stack_.back()});
  return false;
}

}  // namespace sluice::plan
