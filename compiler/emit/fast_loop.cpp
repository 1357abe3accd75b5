#include "compiler/emit/fast_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "compiler/emit/fast_token.h"

namespace sluice::emit {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

// Does anything in the block, or in a rule it calls, satisfy f?
template <typename F>
bool any(const ir::Module& m, const ir::Block& b, const F& f) {
  for (const auto& s : b) {
    if (f(*s) || any(m, s->body, f) || any(m, s->orelse, f)) return true;
    if (s->kind == K::Call && any(m, m.rules[s->ref].body, f)) return true;
  }
  return false;
}

bool outputs(const Stmt& s) { return s.kind == K::Emit || s.kind == K::Literals || s.kind == K::Run || s.kind == K::Copy || s.kind == K::EmitSymbol; }

// Statements that change more than the token: these loops are outer loops.
bool structural(const Stmt& s) {
  switch (s.kind) {
    case K::BuildCode: case K::Within: case K::Producing: case K::Mark: case K::NewWindow: case K::Align: case K::SetGlobal: case K::SetElem:
    case K::Into: case K::Stage: case K::EmitBuffer: case K::ReadSymbol: return true;
    default: return false;
  }
}

void written_outside(const ir::Block& b, const Stmt* loop, std::set<std::uint32_t>& slots) {
  for (const auto& s : b) {
    if (s.get() == loop) continue;
    if (s->slot != Stmt::kNoSlot) slots.insert(s->slot);
    written_outside(s->body, loop, slots);
    written_outside(s->orelse, loop, slots);
  }
}

}  // namespace

std::optional<FastLoop> make_fast_loop(const Context& context, std::uint32_t rule, const Stmt& loop, std::size_t ordinal,
                                       std::vector<CodeTable>& tables, NoFastLoop& why) {
  const ir::Module& m = context.module;
  if (loop.loop == ir::LoopKind::UntilCond) {
    why.reason = "it tests a condition before each step";
    return std::nullopt;
  }
  if (!any(m, loop.body, outputs)) {
    why.reason = "its steps make no output";
    return std::nullopt;
  }
  if (any(m, loop.body, structural) ||
      any(m, loop.body, [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs); })) {
    why.reason = "its steps hold loops or regions of their own";
    return std::nullopt;
  }
  std::set<std::uint32_t> outer;
  for (std::uint32_t p = 0; p < m.rules[rule].params; ++p) outer.insert(p);
  written_outside(m.rules[rule].body, &loop, outer);
  std::vector<CodeTable> wanted = tables;
  const bool counted = loop.loop == ir::LoopKind::Times;
  FastToken token(context, rule, outer, !counted, wanted);
  if (!token.emit(loop.body)) {
    why.reason = token.reason();
    return std::nullopt;
  }
  FastLoop fast;
  for (std::uint32_t slot : token.captured())
    if (slot != loop.slot) fast.captures.push_back(slot);
  fast.carried.assign(token.carried().begin(), token.carried().end());

  const bool bytes = context.bytes();
  const unsigned size = context.elem_bytes();
  // More than the token takes, so that a fast loop never stands at the end of its region; a bit buffer is filled twice
  // before the first test.
  const Cost cost{std::max<std::uint64_t>(token.cost().in + 8, bytes ? 0 : 16), token.cost().out};
  fast.name = fmt::format("fast_{}_{}", context.rule(rule), ordinal);
  Writer w;
  std::string params;
  for (std::uint32_t slot : fast.captures)
    params += fmt::format(", const {} {}", held(m.rules[rule].slots[slot].type), context.local(rule, slot));
  // What one token leaves for the next travels in a copy; a token that is left undone must not have changed it.
  std::string keep, give_back;
  for (std::uint32_t slot : fast.carried) {
    const std::string name = context.local(rule, slot);
    params += fmt::format(", {}& {}_ref", held(m.rules[rule].slots[slot].type), name);
    keep += fmt::format(" token_{0} = {0};", name);
    give_back += fmt::format("{}{}_ref = token_{};", give_back.empty() ? "" : " ", name, name);
  }
  if (counted) {
    params += ", u64& step_ref, const u64 steps";
    keep += " token_step = step;";
    give_back += fmt::format("{}step_ref = token_step;", give_back.empty() ? "" : " ");
  }
  if (loop.loop == ir::LoopKind::UntilOutputs) params += ", const u64 target";
  w.line("// Many tokens of `{}` without a bounds check; see note [fast-loop margin].", m.rules[rule].name);
  w.line("// note [fast-loop margin]: a token that starts at or below both limits stays inside both buffers. Every statement");
  w.line("// has a static cost that the margins contain, or tests its own size. Whatever is unusual leaves, at the token's start.");
  w.open("SLUICE_COLD void {}(State& s{}) {{", fast.name, params);
  w.line("constexpr u64 kInMargin = {};   // {} bytes of one token and its wide loads, 8 that keep it off the end", cost.in, token.cost().in);
  w.line("constexpr u64 kOutMargin = {};  // bytes of one token and its wide stores", cost.out);
  if (!bytes)
    w.line("static_assert(kInMargin >= 2 * prim::kRefillBytes, \"two refills before the first test stay inside the input\");");
  w.line("static_assert(kOutMargin >= {}, \"one element fits\");", size);
  w.line("const u8* const in_end = s.in + {};", bytes ? "s.end" : "(s.end >> 3)");
  w.line("const u8* in = s.in + {};", bytes ? "s.pos" : "(s.pos >> 3)");
  w.line("if (in_end < in || (u64)(in_end - in) < kInMargin || (s.limit - s.made) < (kOutMargin + {0}) / {1}) return;", size - 1, size);
  w.line("const u8* const in_limit = in_end - kInMargin;");
  w.line("u8* out = s.out + s.made{};", size == 1 ? "" : fmt::format(" * {}", size));
  w.line("u8* const out_limit = s.out + s.limit * {} - kOutMargin;", size);
  w.line("const u8* const window = s.out + s.window * {};", size);
  w.line("(void)window;");
  if (loop.loop == ir::LoopKind::UntilOutputs) w.line("const u8* const stop = s.out + target * {};", size);
  if (!bytes) w.line("Bits b = Bits::at(s.in, s.pos, in);");
  w.line("const u8* token_in = in;");
  w.line("u8* token_out = out;");
  if (!bytes) w.line("u64 token_count = b.count;");
  for (std::uint32_t slot : fast.carried) {
    const std::string name = context.local(rule, slot);
    w.line("{0} {1} = {1}_ref, token_{1} = {1};", held(m.rules[rule].slots[slot].type), name);
  }
  if (counted) w.line("u64 step = step_ref, token_step = step;");
  std::string per_loop, per_token;
  const std::string& d = token.declarations();
  for (std::size_t at = 0; at < d.size();) {
    const std::size_t end = d.find('\n', at) + 1;
    const std::string line = d.substr(at, end - at);
    if (line.find("const u32* const") != std::string::npos) per_loop += line.substr(2);
    else per_token += line;
    at = end;
  }
  w.raw(per_loop);
  w.raw(token.prologue());
  w.open("while (SLUICE_LIKELY(in <= in_limit && out <= out_limit{})) {{",
         counted ? " && step < steps" : loop.loop == ir::LoopKind::UntilOutputs ? " && out < stop" : "");
  const std::string start = fmt::format("token_in = in; token_out = out;{}{}", bytes ? "" : " token_count = b.count;", keep);
  w.line("{}", start);
  w.raw(per_token);
  if (counted && loop.slot != Stmt::kNoSlot) {
    w.line("const {} {} = step;", held(m.rules[rule].slots[loop.slot].type), context.local(rule, loop.slot));
    w.line("(void){};", context.local(rule, loop.slot));
  }
  w.raw(token.text());
  if (counted) w.line("++step;");
  w.close();
  w.line("{}", start);
  w.label("leave");
  if (!give_back.empty()) w.line("{}", give_back);
  if (bytes) w.line("s.pos = (u64)(token_in - s.in);");
  else w.line("s.pos = (u64)(token_in - s.in) * 8 - token_count;  // note [position] of the bit buffer");
  w.line("s.made = (u64)(token_out - s.out){};", size == 1 ? "" : fmt::format(" / {}", size));
  w.close();
  w.line("");
  tables = std::move(wanted);
  fast.text = w.take();
  return fast;
}

}  // namespace sluice::emit
