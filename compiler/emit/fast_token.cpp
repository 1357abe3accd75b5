#include "compiler/emit/fast_token.h"

#include <algorithm>
#include <utility>

namespace sluice::emit {
namespace {

using ir::Op;
using ir::Stmt;

std::vector<const Stmt*> pointers(const ir::Block& b) {
  std::vector<const Stmt*> r;
  for (const auto& s : b) r.push_back(s.get());
  return r;
}

bool is_constant(const ir::Expr& e, std::uint64_t v) { return e.op == Op::Const && e.imm == v; }

// AtEnd is false inside a fast loop: a margin of input is left (note [fast-loop margin]).
bool never(const ir::Expr& e) { return e.op == Op::AtEnd || is_constant(e, 0); }

}  // namespace

// ---- Names and costs ---------------------------------------------------------------------------------------

std::string FastToken::local(std::uint32_t slot) const {
  const Scope& s = scopes_.back();
  if (scopes_.size() == 1) reads_.insert(slot);
  return s.prefix + context_.local(s.rule, slot);
}

std::string FastToken::global(std::uint32_t g) const {
  globals_.insert(g);
  return context_.global(g);
}

std::string FastToken::define(std::uint32_t slot) {
  const Scope& s = scopes_.back();
  const std::string name = s.prefix + context_.local(s.rule, slot);
  if (scopes_.size() == 1) {
    (outer_.count(slot) ? carried_ : writes_).insert(slot);
    if (outer_.count(slot)) return name;
  }
  const ir::Type t = context_.module.rules[s.rule].slots[slot].type;
  if (declared_.insert(name).second) declarations_ += fmt::format("    {} {} = 0;\n", held(t), name);
  return name;
}

std::set<std::uint32_t> FastToken::captured() const {
  std::set<std::uint32_t> r;
  for (std::uint32_t slot : reads_)
    if (!writes_.count(slot) && !carried_.count(slot)) r.insert(slot);
  return r;
}

std::string FastToken::temporary(const char* stem) { return temporary_name(stem, counter_++); }

std::optional<std::string> FastToken::stream(const ir::Expr& e) const {
  switch (e.op) {
    case Op::AtEnd:
      return "0";
    case Op::Produced:
      return fmt::format("((u64)(out - s.out) / {})", context_.elem_bytes());
    case Op::Aligned:
      return context_.bytes() ? std::optional<std::string>("1") : std::nullopt;
    case Op::DictionarySize:
      return "s.dictionary_size";
    case Op::BufferCount:
      return fmt::format("s.buffer_count[{}]", e.ref);
    case Op::BufferElem: {
      const auto i = context_.thread && !e.type.is_signed ? printer_.print_u64(*e.kids[0]) : std::nullopt;
      if (!i) return std::nullopt;
      if (!context_.views[e.ref]) return context_.buffer_element(e.ref, scratch(), *i);
      // One look-ahead for each place that reads: a place mostly goes on by equal steps.
      const std::string view = fmt::format("view_{}_{}", e.ref, views_++);
      prologue_ += fmt::format("  auto {} = prim::view(s, {});\n", view, e.ref);
      return fmt::format("prim::element({}, {})", view, *i);
    }
    default:
      return std::nullopt;
  }
}

void FastToken::refill() {
  writer_.line("Bits::refill(b, src, in);");
  cost_.in += 8;
  sure_bits_ = context_.thread ? kLaneBits : 56;
}

void FastToken::need_bits(unsigned n) {
  if (sure_bits_ >= n) return;
  if (context_.thread) return refill();
  // A kernel's window shows a line of 1024 bits beyond each refill: after ten times 56 bits it is asked to move on.
  constexpr unsigned kNeedsPerLine = 10;
  static_assert((kNeedsPerLine + 2) * 56 <= 1024);
  if (sure_bits_ == 0 || (context_.cuda && ++needs_ > kNeedsPerLine)) return refill();
  // Most often the bits are there: a refill in the way of the next look-up costs more than the test.
  writer_.line("Bits::need(b, src, in, {});", n);
  cost_.in += 8;
  sure_bits_ = n;
}

void FastToken::mark_token() {
  writer_.line("token_in = in; token_out = out;{}", context_.bytes() ? "" : " token_count = b.count;");  // only in rows
}

void FastToken::preload() {
  if (preload_.empty() || preloaded_) return;
  refill();
  writer_.line("{}", preload_);
}

bool FastToken::leave(const std::string& why) {
  gone_ = true;
  if (conditional_ == 0 && !failed_) {
    failed_ = true;
    reason_ = why;
    culprit_ = current_;
  }
  writer_.line("{}", go_leave());
  return false;
}

bool FastToken::over_budget() {
  failed_ = gone_ = true;
  reason_ = fmt::format("its steps hold more than {} statements, those of the rules they call included", kMaxTokenStatements);
  writer_.line("goto leave;");
  return false;
}

// ---- Statements -----------------------------------------------------------------------------------------------

bool FastToken::emit(const ir::Block& body) {
  writer_.set_depth(2);
  list(pointers(body));
  if (!failed_ && !outputs_) {
    failed_ = true;
    reason_ = "its steps make no output";
  }
  return !failed_;
}

bool FastToken::list(const List& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const List rest(statements.begin() + static_cast<std::ptrdiff_t>(i) + 1, statements.end());
    bool rest_done = false;
    if (deep_ && statements[i]->kind == Stmt::Kind::If && rest.size() == 1 && rest[0]->kind == Stmt::Kind::Align)
      return branch(*statements[i], rest);  // each arm knows better where it ends
    const bool ends_token = token_ends_ && rest.empty() && !preload_.empty() && conditional_ == preload_depth_ &&
                            inner_loops_ == 0;
    if (ends_token && statements[i]->kind == Stmt::Kind::Copy) last_copy_ = true;
    if (!statement(*statements[i], rest, rest_done)) return false;
    at_start_ = false;
    if (rest_done) return true;
  }
  return true;
}

bool FastToken::statement(const Stmt& s, const List& rest, bool& rest_done) {
  using K = Stmt::Kind;
  current_ = &s;
  if (++statements_ > kMaxTokenStatements) return over_budget();
  if (lanes_ && !lanes_statement(s)) return leave("its lanes can't go side by side");
  if (lanes_ && s.kind == K::SetLocal && running_sum(s)) return true;
  switch (s.kind) {
    case K::Read:
      if (s.slot == Stmt::kNoSlot) {
        if (s.read.kind == ir::ReadSpec::Kind::Code) return leave("it reads a symbol and drops it");
        const std::string dropped = temporary("dropped");
        writer_.line("{} {} = 0;", held(s.read.type), dropped);
        const bool ok = read(s.read, dropped);
        writer_.line("(void){};", dropped);
        return ok;
      }
      if (s.read.kind == ir::ReadSpec::Kind::Code) return symbol(s, rest, rest_done);
      return read(s.read, define(s.slot));
    case K::SetLocal: {
      auto v = value(*s.a);
      if (!v) return leave("an expression needs the input's exact position");
      writer_.line("{} = {};", define(s.slot), *v);
      return true;
    }
    case K::Emit: {
      auto v = value_u64(*s.a);
      if (!v) return leave("an expression needs the input's exact position");
      writer_.line("{0}<{1}>(out, {2});", lanes_ ? "if (on) prim::store_lane" : "prim::store", context_.elem_bytes(), *v);
      writer_.line("out += {};", context_.elem_bytes());
      cost_.out += context_.elem_bytes();
      outputs_ = true;
      return true;
    }
    case K::SetGlobal: {
      auto v = value(*s.a);
      if (!v) return leave("an expression needs the input's exact position");
      writer_.line("{} = {};", global(s.ref), *v);
      set_globals_.insert(s.ref);
      return true;
    }
    case K::SetElem: {
      auto i = value_u64(*s.a);
      auto v = value(*s.b);
      if (!i || !v) return leave("an expression needs the input's exact position");
      if (guarded_.count(s.ref)) return leave("a step changes an array that it reads");
      const std::string element = stored(context_.module.arrays[s.ref].elem);
      const std::string array = fmt::format("{}->{}", scratch(), context_.array(s.ref));
      if (lanes_)
        writer_.line("if (on) {}[{}] = ({})({});", array, *i, element, *v);
      else
        writer_.line("prim::set({}, {}, ({})({}));", array, *i, element, *v);
      outputs_ = true;
      return true;
    }
    case K::Literals:
      return literals(s);
    case K::Run:
      return run(s);
    case K::Copy:
      return copy(s);
    case K::EmitSymbol:
      return emit_symbol(s);
    case K::If:
      return branch(s, {});
    case K::Call:
      return call(s, rest.empty());
    case K::Loop:
      return inner_loop(s);
    case K::Check: {
      auto v = value(*s.a);
      if (!v) return leave("a check needs the input's exact position");
      writer_.line("if (SLUICE_UNLIKELY(!({}))) {}", *v, lanes_ ? go_bad() : go_leave());
      return true;
    }
    case K::Stop:
      if (inner_loops_ > 0) {
        ++uses_.breaks;
        writer_.line("break;");
        return false;
      }
      writer_.line("{}", go_leave());
      return false;
    case K::Return: {
      if (scopes_.size() == 1) {
        writer_.line("{}", go_leave());
        return false;
      }
      Scope& scope = scopes_.back();
      if (s.a && !scope.result.empty()) {
        auto v = value(*s.a);
        if (!v) return leave("an expression needs the input's exact position");
        writer_.line("{} = {};", scope.result, *v);
      }
      if (rest.empty() && conditional_ == 0 && inner_loops_ == 0) return false;
      writer_.line("goto {};", scope.done);
      scope.returns = true;
      ++uses_.gotos;
      return false;
    }
    case K::Reject:
    case K::Accept:
      gone_ = lanes_ == nullptr;
      writer_.line("{}", lanes_ ? go_bad() : go_leave());
      return false;
    case K::Align:
      return align(s);
    case K::Skip: {
      auto n = value_u64(*s.a);
      if (!n || !context_.bytes()) return leave("it skips input");
      writer_.line("if (SLUICE_UNLIKELY({0} || ({1}) > (u64)(in_limit - in))) {2}", input_past(), *n, go_leave());
      writer_.line("in += {};", *n);
      return true;
    }
    default:
      return leave("it does more than read tokens and make output");
  }
}

// `chained`: it is the other arm of a branch that is open. A chain of branches is written flat, for compilers limit how
// deep brackets may nest.
bool FastToken::branch(const Stmt& s, const List& tail, bool chained) {
  if (never(*s.a) && !chained) {
    List all = pointers(s.orelse);
    all.insert(all.end(), tail.begin(), tail.end());
    return list(all);
  }
  current_ = &s;
  auto c = value(*s.a);
  if (!c) {
    if (chained) writer_.next("} else {");
    return leave("a condition needs the input's exact position");
  }
  const Cost before = cost_;
  const unsigned sure = sure_bits_, phase = phase_, word_used = word_used_;
  const std::string word = word_;
  if (chained)
    writer_.next(fmt::format("}} else if ({}) {{", *c));
  else
    writer_.open("if ({}) {{", *c);
  ++conditional_;
  const bool first = arm(s.body, tail);
  const bool first_gone = gone_;
  const Cost after_first = cost_;
  const unsigned sure_first = first ? sure_bits_ : 64, phase_first = phase_;
  cost_ = before;
  sure_bits_ = sure;
  phase_ = phase;
  word_ = word;
  word_used_ = word_used;
  bool second = true;
  if (!s.orelse.empty() || !tail.empty())
    second = other_arm(s.orelse, tail);
  else
    gone_ = false;
  gone_ = gone_ && first_gone;
  --conditional_;
  if (!chained) writer_.close();
  cost_.in = std::max(cost_.in, after_first.in);
  cost_.bits = std::max(cost_.bits, after_first.bits);
  cost_.out = std::max(cost_.out, after_first.out);
  sure_bits_ = std::min(second ? sure_bits_ : 64, sure_first);
  if (sure_bits_ > 56) sure_bits_ = 0;
  if (!second || (first && phase_first != phase_)) phase_ = first && !second ? phase_first : kUnknownPhase;
  word_.clear();
  return first || second;
}

bool FastToken::other_arm(const ir::Block& block, const List& tail) {
  const Stmt* next = block.size() == 1 && block[0]->kind == Stmt::Kind::If ? block[0].get() : nullptr;
  const Mark start = mark();
  if (next != nullptr && !never(*next->a)) {
    if (branch(*next, tail, true)) {
      gone_ = false;
      return true;
    }
    if (!deep_ || !gone_) return false;
    back_to(start);
    writer_.next("} else {");
    writer_.line("{}", go_leave());
    return false;
  }
  writer_.next("} else {");
  return arm(block, tail);
}

// One side of a branch, and what follows it. A side that is sure to leave does so at once.
bool FastToken::arm(const ir::Block& block, const List& tail) {
  List all = pointers(block);
  all.insert(all.end(), tail.begin(), tail.end());
  gone_ = false;
  const Mark start = mark();
  const bool falls = list(all);
  if (falls) gone_ = false;
  if (!deep_ || !gone_) return falls;
  back_to(start);
  writer_.line("{}", go_leave());
  return false;
}

bool FastToken::call(const Stmt& s, bool last) {
  const ir::Rule& rule = context_.module.rules[s.ref];
  std::vector<std::string> args;
  for (const auto& a : s.args) {
    auto v = value(*a);
    if (!v) return leave("an argument needs the input's exact position");
    args.push_back(*v);
  }
  const std::string result = s.slot != Stmt::kNoSlot ? define(s.slot) : "";
  const std::string prefix = belonging(fmt::format("c{}", counter_++), "");
  writer_.open("{{  // {}", rule.name);
  scopes_.push_back({s.ref, prefix, result, prefix + "done"});
  for (std::uint32_t i = 0; i < rule.params; ++i) writer_.line("{} = {};", define(i), args[i]);
  // A callee that leaves its own way must not end the caller's token: what follows is reached through `done`.
  const unsigned loops = std::exchange(inner_loops_, 0), conditional = conditional_;
  const bool token_ends = std::exchange(token_ends_, token_ends_ && last);
  gone_ = false;
  const bool gone = !list(pointers(rule.body)) && gone_;
  const bool returns = scopes_.back().returns;
  current_ = &s;
  token_ends_ = token_ends;
  inner_loops_ = loops;
  conditional_ = conditional;
  scopes_.pop_back();
  writer_.close();
  if (returns) writer_.label(prefix + "done");
  if (returns) phase_ = kUnknownPhase;
  word_.clear();
  gone_ = gone && !returns;
  return !deep_ || !gone_;
}

bool FastToken::inner_loop(const Stmt& s) {
  if (deep_) return sure_loop(s);
  const bool steady = s.loop == ir::LoopKind::Times || s.sites[0] == ir::kNoSite;
  const bool known =
      s.loop == ir::LoopKind::Forever || s.loop == ir::LoopKind::Times || s.loop == ir::LoopKind::UntilCond;
  if (!steady || !known) return leave("it holds a loop whose progress is checked at run time");
  if (s.loop == ir::LoopKind::Times) {
    auto n = value_u64(*s.a);
    if (!n) return leave("a count needs the input's exact position");
    const std::string i = temporary("i"), count = temporary("n");
    writer_.line("const u64 {} = {};", count, *n);
    writer_.open("for (u64 {0} = 0; {0} < {1}; ++{0}) {{", i, count);
    if (s.slot != Stmt::kNoSlot) writer_.line("{} = {};", define(s.slot), i);
  } else {
    writer_.open("for (;;) {");
  }
  // note [fast-loop margin]: each step tests again, so the margins need hold one step's cost only.
  writer_.line("if (SLUICE_UNLIKELY({} || out > out_limit)) {}", input_past(), go_leave());
  if (s.loop == ir::LoopKind::UntilCond) {
    auto c = value(*s.a);
    if (!c) {
      leave("a condition needs the input's exact position");
      writer_.close();
      return false;
    }
    writer_.line("if ({}) break;", *c);
  }
  sure_bits_ = 0;
  ++inner_loops_;
  ++conditional_;
  list(pointers(s.body));
  --conditional_;
  --inner_loops_;
  writer_.close();
  sure_bits_ = 0;
  return true;
}

}  // namespace sluice::emit
