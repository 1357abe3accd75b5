#include "compiler/emit/lanes_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "compiler/emit/fast_token.h"
#include "compiler/emit/sure_steps.h"

namespace sluice::emit {
namespace {

using ir::Op;
using ir::ReadSpec;
using ir::Stmt;
using K = Stmt::Kind;

bool mentions(const ir::Expr& e, std::uint32_t slot) {
  bool found = false;
  for_each(e, [&](const ir::Expr& x) { found |= x.op == Op::Local && x.ref == slot; });
  return found;
}

void collect_set(const Stmt& s, std::set<std::uint32_t>& slots) {
  if (s.slot != Stmt::kNoSlot) slots.insert(s.slot);
  for (const auto& t : s.body) collect_set(*t, slots);
  for (const auto& t : s.orelse) collect_set(*t, slots);
}

}  // namespace

bool FastToken::lanes_statement(const Stmt& s) {
  const bool every = conditional_ == lanes_->conditional, own_rule = scopes_.size() == lanes_->scope;
  switch (s.kind) {
    case K::Read: {
      if (!every || s.slot == Stmt::kNoSlot || s.read.order != ReadSpec::Order::Stream) return false;
      if (s.read.kind == ReadSpec::Kind::Fixed) return true;
      return s.read.kind == ReadSpec::Kind::Computed &&
             (inner_ ? same_in_every_step(*s.read.width) : same_in_every_token(*s.read.width));
    }
    case K::Emit:
      return every;
    case K::SetElem:
      lanes_->stores_elements = true;
      return every && own_rule && own_index(*s.a) && !guarded_.contains(s.ref);
    case K::SetLocal:
      return every || !own_rule || !lanes_->outer.contains(s.slot);  // and running_sum takes it, or refuses there
    case K::Check:
      lanes_->tests = true;
      return every;
    case K::If:
    case K::Call:
    case K::Reject:
      return true;
    case K::Return:
      return scopes_.size() > lanes_->scope && every;
    default:
      return false;
  }
}

// i or x + i, where i counts the steps and x is the same in all of them: every step has its own.
bool FastToken::own_index(const ir::Expr& e) const {
  if (e.op == Op::Local) return e.ref == lanes_->loop_slot;
  if (e.op != Op::Add) return false;
  const auto steady = [&](const ir::Expr& x) {
    bool same = true;
    for_each(x, [&](const ir::Expr& y) {
      same &= (y.op == Op::Local && y.ref != lanes_->loop_slot && lanes_->outer.contains(y.ref) &&
               !lanes_->set_in_loop.contains(y.ref)) ||
              y.op == Op::Const || y.op == Op::Add || y.op == Op::Sub || y.op == Op::Mul;
    });
    return same;
  };
  return (own_index(*e.kids[0]) && steady(*e.kids[1])) || (own_index(*e.kids[1]) && steady(*e.kids[0]));
}

// x := x +% term, in 64 bits: every lane gets the sum up to its own term.
bool FastToken::running_sum(const Stmt& s) {
  if (scopes_.size() > lanes_->scope || !lanes_->outer.contains(s.slot)) return false;
  const ir::Type type = context_.module.rules[scopes_.back().rule].slots[s.slot].type;
  const ir::Expr& e = *s.a;
  const bool sum = type.bits == 64 && e.op == Op::Add && e.kids[0]->op == Op::Local && e.kids[0]->ref == s.slot &&
                   !mentions(*e.kids[1], s.slot) && !lanes_->sums.contains(s.slot);
  const auto term = sum ? value_u64(*e.kids[1]) : std::nullopt;
  if (!term) {
    leave("a step needs what the one before it computed");
    return true;
  }
  const std::string name = define(s.slot);
  lanes_->sums.insert(s.slot);
  writer_.line("{0} = ({1})prim::carry_add((u64){0}, {2}, in_time);", name, held(type), *term);
  return true;
}

// The loop's variable, the element's index and the store are those of make_lanes_loop; what differs is that the token
// around it holds the position, and tests that all steps fit.
bool FastToken::lanes_inner(const Stmt& s) {
  const auto count = value_u64(*s.a);
  if (!count) return leave("a count needs the input's exact position");
  const std::uint32_t rule = scopes_.back().rule;
  Lanes lanes;
  lanes.outer = outer_slots(context_.module, rule, s);
  for (const auto& t : s.body) collect_set(*t, lanes.set_in_loop);
  lanes.loop_slot = s.slot;
  lanes.scope = scopes_.size();
  Inner inner;
  inner.scope = lanes.scope;
  inner.written = lanes.set_in_loop;
  if (s.slot != Stmt::kNoSlot) inner.written.insert(s.slot);

  Writer around = std::exchange(writer_, Writer());
  const Cost before = std::exchange(cost_, Cost{});
  const TokenNeeds uses = uses_;
  inner_ = &inner;
  lanes_ = &lanes;
  ++inner_loops_;
  inner.conditional = lanes.conditional = ++conditional_;
  List body;
  for (const auto& t : s.body) body.push_back(t.get());
  const bool falls = list(body);
  --conditional_;
  --inner_loops_;
  lanes_ = nullptr;
  inner_ = nullptr;
  word_.clear();
  phase_ = kUnknownPhase;
  const std::string text = std::exchange(writer_, std::move(around)).take();
  const Cost one = std::exchange(cost_, before);
  const bool together = !lanes.sums.empty();
  current_ = &s;
  if (!falls || uses_.gotos != uses.gotos || (lanes.tests && together) ||
      (lanes.stores_elements && reads_its_arrays(context_.module, s))) {
    uses_ = uses;
    return leave("it holds a loop that its lanes can't share");
  }

  const std::string n = temporary("n");
  writer_.open("{");
  writer_.line("const u64 {} = {};", n, *count);
  std::string lacks = "bit < 8 * prim::kLaneBefore";
  if (one.bits > 0) lacks += fmt::format(" || bit > bit_limit || {} > (bit_limit - bit) / {}", n, one.bits);
  if (one.out > 0) lacks += fmt::format(" || {} / {}", lacks_output(n), one.out);
  writer_.line("if (SLUICE_UNLIKELY({})) {}", lacks, go_leave());
  writer_.raw(indented(inner.prologue, static_cast<int>(writer_.depth())));
  std::string stride;
  for (const std::string& t : lanes.strides) stride += (stride.empty() ? "" : " + ") + t;
  writer_.line("const u64 stride = {}, first_bit = bit;", stride.empty() ? "0" : stride);
  writer_.line("u8* const first_out = out;");
  if (lanes.stores_elements) writer_.line("prim::sync();  // what the lanes store, nobody reads any more");
  if (lanes.tests) writer_.line("bool bad = false;");
  writer_.line("SLUICE_ROLLED");
  if (together) {
    writer_.open("for (u64 base = 0; base < {}; base += prim::kLanes) {{", n);
    writer_.line("const bool in_time = base + prim::lane() < {}, on = in_time && prim::worker() < prim::kLanes;", n);
    writer_.line("const u64 k = in_time ? base + prim::lane() : {} - 1;", n);
    writer_.line("const u32 last = (u32)({0} - base > prim::kLanes ? prim::kLanes : {0} - base) - 1;", n);
  } else {
    writer_.open("for (u64 k = prim::worker(); k < {}; k += prim::kWorkers) {{", n);
    writer_.line("const bool on = true;");
    writer_.open("do {");
  }
  writer_.line("u64 bit = first_bit + k * stride;");
  writer_.line("u8* out = first_out + k * {};", one.out);
  writer_.line("(void)bit, (void)out, (void)on;");
  if (s.slot != Stmt::kNoSlot) writer_.line("{} = k;", define(s.slot));
  writer_.raw(indented(text, static_cast<int>(writer_.depth())));
  if (!together) writer_.close("} while (false);");
  for (std::uint32_t slot : lanes.sums)
    writer_.line("{0} = ({1})prim::shfl64((u64){0}, last);", define(slot),
                 held(context_.module.rules[rule].slots[slot].type));
  writer_.close();
  if (lanes.tests) writer_.line("if (prim::any_worker(bad)) {}", go_leave());
  if (one.bits > 0) writer_.line("bit = first_bit + {} * stride;", n);
  if (one.out > 0) writer_.line("out = first_out + {} * {};", n, one.out);
  if (lanes.stores_elements) writer_.line("prim::sync();");
  writer_.close();
  return true;
}

std::optional<FastLoop> make_lanes_loop(const Context& context, std::uint32_t rule, const Stmt& loop,
                                        std::size_t ordinal, std::vector<CodeTable>& tables) {
  const ir::Module& m = context.module;
  if (!context.cuda || context.thread || context.bytes() || loop.loop != ir::LoopKind::Times) return std::nullopt;
  FastToken token(context, rule, outer_slots(m, rule, loop), false, true, tables);
  std::set<std::uint32_t> set_in_loop;
  for (const auto& s : loop.body) collect_set(*s, set_in_loop);
  token.side_by_side(loop.slot, std::move(set_in_loop));
  if (!token.emit(loop.body) || token.leaves_lanes()) return std::nullopt;
  const auto& slots = m.rules[rule].slots;
  // Every carried slot is a running sum; a token that tests must not need the other lanes' terms.
  if (token.sums() != token.carried() || (token.tests() && !token.sums().empty())) return std::nullopt;
  // An array that the loop fills is not read by it.
  if (token.stores_elements() && !token.strides().empty() && reads_its_arrays(m, loop)) return std::nullopt;

  FastLoop fast;
  for (std::uint32_t slot : token.captured())
    if (slot != loop.slot) fast.captures.push_back(slot);
  fast.carried.assign(token.carried().begin(), token.carried().end());
  fast.name = fmt::format("lanes_{}_{}", context.rule(rule), ordinal);

  const unsigned size = context.elem_bytes();
  const Cost cost = token.cost();
  std::string params, sums, commit, round;
  for (std::uint32_t slot : fast.captures)
    params += fmt::format(", const {} {}", held(slots[slot].type), context.local(rule, slot));
  for (std::uint32_t slot : fast.carried) {
    const std::string name = context.local(rule, slot), type = held(slots[slot].type);
    const std::string sum = belonging("sum", name);
    params += fmt::format(", {}& {}", type, sum);
    round += fmt::format("{} {} = {}; ", type, name, sum);
    commit += fmt::format("{} = ({})prim::shfl64((u64){}, last); ", sum, type, name);
  }
  Writer w;
  w.line("// Steps of `{}` side by side, a lane each; see note [fast-loop margin].", m.rules[rule].name);
  w.open("SLUICE_COLD void {}(State& s{}, u64& step_ref, const u64 steps) {{", fast.name, params);
  w.line("constexpr u64 kTokenBits = {}, kTokenBytes = {};  // of one step, at most",
         std::max<std::uint64_t>(cost.bits, 1), cost.out);
  w.line("constexpr u64 kInMargin = kTokenBits / 8 + 1 + prim::kLaneAfter;");
  w.line("const u64 in_end = s.end >> 3;");
  w.line("if (s.byte() < prim::kLaneBefore || in_end < s.byte() + kInMargin) return;");
  w.line("const auto& src = s;");
  w.line("const u64 bit_limit = 8 * (in_end - kInMargin);");
  w.line("u64 first_bit = s.pos, first_step = step_ref, room = s.limit - s.made;");
  w.line("u8* first_out = prim::global(s.out) + s.made * {};", size);
  if (token.needs().scratch) w.line("const auto m = s.m;");
  for (const std::uint32_t g : token.globals())
    w.line("const {0} {1} = s.{1};", held(m.globals[g].type), context.global(g));
  w.raw(token.prologue());
  std::string stride;
  for (const std::string& t : token.strides()) stride += (stride.empty() ? "" : " + ") + t;
  w.line("const u64 stride = {};", stride.empty() ? "0" : stride);
  w.line("prim::sync();  // what the lanes store, nobody reads any more");
  w.open("while (first_step < steps && first_bit <= bit_limit{}) {{",
         cost.out ? fmt::format(" && room >= {}", cost.out / size) : "");
  w.line("u64 sure = steps - first_step;");
  w.line("if (sure > (bit_limit - first_bit) / kTokenBits + 1) sure = (bit_limit - first_bit) / kTokenBits + 1;");
  if (cost.out) w.line("if (sure > room / {0}) sure = room / {0};", cost.out / size);
  if (token.tests()) w.line("bool bad = false;");
  const bool together = !token.sums().empty();  // all lanes stay, for the prefix sum
  const auto step = [&] {
    w.line("u64 bit = first_bit + k * stride;");
    w.line("u8* out = first_out + k * kTokenBytes;");
    w.line("const u64 step = first_step + k;");
    w.line("(void)bit, (void)out, (void)step;");
    for (std::size_t at = 0; at < token.declarations().size();) {
      const std::size_t end = token.declarations().find('\n', at) + 1;
      w.line("{}", token.declarations().substr(at + 4, end - at - 5));
      at = end;
    }
    if (loop.slot != Stmt::kNoSlot) {
      w.line("const {} {} = step;", held(slots[loop.slot].type), context.local(rule, loop.slot));
      w.line("(void){};", context.local(rule, loop.slot));
    }
    const std::string text = token.text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at) + 1;
      w.line("{}", text.substr(at + 4, end - at - 5));
      at = end;
    }
  };
  w.line("SLUICE_ROLLED");
  if (together) {
    w.open("for (u64 base = 0; base < sure; base += prim::kLanes) {");
    w.line("const bool in_time = base + prim::lane() < sure, on = in_time && prim::worker() < prim::kLanes;");
    w.line("const u64 k = in_time ? base + prim::lane() : sure - 1;");
    w.line("const u32 last = (u32)(sure - base > prim::kLanes ? prim::kLanes : sure - base) - 1;");
    w.line("{}", round);
    step();
    w.line("{}", commit);
    w.close();
  } else {
    w.open("for (u64 k = prim::worker(); k < sure; k += prim::kWorkers) {");
    w.line("const bool on = true;");
    w.open("do {");
    step();
    w.close("} while (false);");
    w.close();
  }
  if (token.tests()) w.line("if (prim::any_worker(bad)) break;");
  w.line("first_bit += sure * stride;");
  w.line("first_out += sure * kTokenBytes;");
  w.line("first_step += sure;");
  if (cost.out) w.line("room -= sure * {};", cost.out / size);
  w.close();
  w.line("step_ref = first_step;");
  w.line("s.pos = first_bit;");
  w.line("s.made = (u64)(first_out - s.out) / {};", size);
  w.line("prim::sync();");
  w.close();
  w.line("");
  fast.text = w.take();
  return fast;
}

}  // namespace sluice::emit
