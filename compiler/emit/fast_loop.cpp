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

bool outputs(const Stmt& s) {
  return s.kind == K::Emit || s.kind == K::Literals || s.kind == K::Run || s.kind == K::Copy || s.kind == K::EmitSymbol;
}

// Statements that change more than the token: these loops are outer loops.
bool structural(const Stmt& s) {
  switch (s.kind) {
    case K::BuildCode:
    case K::Within:
    case K::Producing:
    case K::Mark:
    case K::NewWindow:
    case K::Align:
    case K::SetGlobal:
    case K::Into:
    case K::Stage:
    case K::EmitBuffer:
    case K::ReadSymbol:
      return true;
    default:
      return false;
  }
}

// A counted loop that only fills an array becomes a fast loop from this many steps on.
constexpr int kLongFill = 256;

bool reads_array(const Stmt& s, std::uint32_t array) {
  bool found = s.kind == K::BuildCode;
  const auto look = [&](const ir::Expr& e) { found |= e.op == ir::Op::Elem && e.ref == array; };
  for (const auto* e : {&s.a, &s.b, &s.c, &s.d, &s.read.width, &s.read.index})
    if (*e) for_each(**e, look);
  for (const auto& e : s.args) for_each(*e, look);
  return found;
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

std::optional<FastLoop> make_fast_loop(const Context& context, std::uint32_t rule, const Stmt& loop,
                                       std::size_t ordinal, std::vector<CodeTable>& tables, NoFastLoop& why) {
  const ir::Module& m = context.module;
  if (loop.loop == ir::LoopKind::UntilCond) {
    why.reason = "it tests a condition before each step";
    return std::nullopt;
  }
  const auto stores = [](const Stmt& s) { return s.kind == K::SetElem; };
  const auto reads = [](const Stmt& s) { return s.kind == K::Read; };
  // Filling an array from the input: worth a loop of its own when it may be long.
  const bool fills = any(m, loop.body, stores) && any(m, loop.body, reads) && loop.a && loop.a->range.hi >= kLongFill;
  if (!any(m, loop.body, outputs) && !fills) {
    why.reason = "its steps make no output";
    return std::nullopt;
  }
  if (any(m, loop.body, structural) ||
      any(m, loop.body, [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs); })) {
    why.reason = "its steps hold loops or regions of their own";
    return std::nullopt;
  }
  // A token that is left is done again from its start: it may store elements, but not read what it stores.
  if (any(m, loop.body, [&](const Stmt& s) {
        return stores(s) && any(m, loop.body, [&](const Stmt& t) { return reads_array(t, s.ref); });
      })) {
    why.reason = "a step changes an array that it reads";
    return std::nullopt;
  }
  std::set<std::uint32_t> outer;
  for (std::uint32_t p = 0; p < m.rules[rule].params; ++p) outer.insert(p);
  written_outside(m.rules[rule].body, &loop, outer);
  std::vector<CodeTable> wanted = tables;
  const bool counted = loop.loop == ir::LoopKind::Times, bytes = context.bytes();
  // Symbols depend on the bits before them, so a buffer that carries those is best; other fields can be fetched each
  // from where it stands.
  const bool positional = !bytes && !any(m, loop.body, [](const Stmt& s) {
    return (s.kind == K::Read || s.kind == K::Literals) && s.read.kind != ir::ReadSpec::Kind::Fixed &&
           s.read.kind != ir::ReadSpec::Kind::Computed;
  });
  FastToken token(context, rule, outer, !counted, positional, wanted);
  if (!token.emit(loop.body)) {
    why.reason = token.reason();
    return std::nullopt;
  }
  FastLoop fast;
  for (std::uint32_t slot : token.captured())
    if (slot != loop.slot) fast.captures.push_back(slot);
  fast.carried.assign(token.carried().begin(), token.carried().end());

  const unsigned size = context.elem_bytes();
  // More than the token takes, so that a fast loop never stands at the end of its region; a bit buffer is filled twice
  // before the first test, a positional read looks 9 bytes ahead.
  Cost cost = token.cost();
  cost.in = positional ? cost.bits / 8 + 1 + 9 + 8 : std::max<std::uint64_t>(cost.in + 8, bytes ? 0 : 16);
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
  w.line(
      "// note [fast-loop margin]: a token that starts at or below both limits stays inside both buffers. Every "
      "statement");
  w.line(
      "// has a static cost that the margins contain, or tests its own size. Whatever is unusual leaves, at the "
      "token's start.");
  w.open("SLUICE_COLD void {}(State& s{}) {{", fast.name, params);
  w.line("constexpr u64 kInMargin = {};   // bytes of one token and its wide loads, and some that keep it off the end",
         cost.in);
  w.line("constexpr u64 kOutMargin = {};  // bytes of one token and its wide stores", cost.out);
  if (positional)
    w.line("static_assert(kInMargin > prim::kPositionBytes, \"a field's load stays inside the input\");");
  else if (!bytes)
    w.line(
        "static_assert(kInMargin >= 2 * prim::kRefillBytes, \"two refills before the first test stay inside the "
        "input\");");
  if (cost.out > 0) w.line("static_assert(kOutMargin >= {}, \"one element fits\");", size);
  w.line("const u8* const in_end = s.in + {};", bytes ? "s.end" : "(s.end >> 3)");
  w.line("const u8* in = s.in + {};", bytes ? "s.pos" : "(s.pos >> 3)");
  w.line("if (in_end < in || (u64)(in_end - in) < kInMargin || (s.limit - s.made) < (kOutMargin + {0}) / {1}) return;",
         size - 1, size);
  if (positional)
    w.line("const u64 bit_limit = 8 * (u64)(in_end - s.in - kInMargin);");
  else
    w.line("const u8* const in_limit = in_end - kInMargin;");
  const std::string times = size == 1 ? "" : fmt::format(" * {}", size);
  w.line("u8* out = s.out + s.made{};", times);
  w.line("u8* const out_limit = s.out + s.limit{} - kOutMargin;", times);
  if (token.text().find("window") != std::string::npos) w.line("const u8* const window = s.out + s.window{};", times);
  if (loop.loop == ir::LoopKind::UntilOutputs) w.line("const u8* const stop = s.out + target{};", times);
  w.line("u8* token_out = out;");
  std::string start = "token_out = out;";
  if (positional) {
    w.line("const u8* const start = s.in;");
    w.line("u64 bit = s.pos, token_bit = bit;");
    start += " token_bit = bit;";
  } else {
    if (!bytes) w.line("Bits b = Bits::at(s.in, s.pos, in);");
    w.line("const u8* token_in = in;");
    if (!bytes) w.line("u64 token_count = b.count;");
    start += bytes ? " token_in = in;" : " token_in = in; token_count = b.count;";
  }
  start += keep;
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
    if (line.find("const u32* const") != std::string::npos)
      per_loop += line.substr(2);
    else
      per_token += line;
    at = end;
  }
  if (token.text().find("m->") != std::string::npos || !per_loop.empty()) w.line("Scratch* const m = s.m;");
  w.raw(per_loop);
  w.raw(token.prologue());
  // The token's text stands at the depth of a loop in a function; deeper loops shift it.
  const auto shifted = [&](const std::string& text) {
    std::string r;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at) + 1;
      r.append(2 * (w.depth() - 2), ' ').append(text, at, end - at);
      at = end;
    }
    return r;
  };
  const auto one_token = [&](const std::string& text) {
    w.raw(shifted(per_token));
    if (counted && loop.slot != Stmt::kNoSlot) {
      w.line("const {} {} = step;", held(m.rules[rule].slots[loop.slot].type), context.local(rule, loop.slot));
      w.line("(void){};", context.local(rule, loop.slot));
    }
    w.raw(shifted(text));
    if (counted) w.line("++step;");
  };
  const bool leaves = token.text().find("goto leave;") != std::string::npos;
  if (positional && counted && !leaves) {
    // Nothing in a token can go wrong: as many as surely fit are done in a loop that tests only its count.
    w.line("constexpr u64 kTokenBits = {}, kTokenBytes = {};", std::max<std::uint64_t>(cost.bits, 1),
           std::max<std::uint64_t>(cost.out, 1));
    w.open("while (step < steps && bit <= bit_limit && out <= out_limit) {");
    w.line("u64 sure = steps - step;");
    w.line("if (sure > (bit_limit - bit) / kTokenBits + 1) sure = (bit_limit - bit) / kTokenBits + 1;");
    w.line("if (sure > (u64)(out_limit - out) / kTokenBytes + 1) sure = (u64)(out_limit - out) / kTokenBytes + 1;");
    // Fields of up to 57 bits need one load; which it is, is the same for all.
    std::string narrow;
    for (const std::string& width : token.steady_widths())
      narrow += fmt::format("{}{} <= 57", narrow.empty() ? "" : " && ", width);
    const std::string wide = "wide_bits_at";
    if (token.text().find(wide) == std::string::npos) narrow.clear();
    if (!narrow.empty()) {
      w.open("if ({}) {{", narrow);
      w.open("for (u64 k = 0; k < sure; ++k) {");
      std::string text = token.text();
      for (const std::string& width : token.steady_widths())
        for (std::size_t at = 0; (at = text.find(wide, at)) != std::string::npos;)
          if (const std::size_t end = text.find(')', at); text.compare(end - width.size(), width.size(), width) == 0)
            text.replace(at, wide.size(), "bits_at");
          else
            at = end;
      one_token(text);
      w.close();
      w.next("} else {");
    }
    w.open("for (u64 k = 0; k < sure; ++k) {");
    one_token(token.text());
    w.close();
    if (!narrow.empty()) w.close();
    w.close();
  } else {
    w.open("while (SLUICE_LIKELY({} && out <= out_limit{})) {{", positional ? "bit <= bit_limit" : "in <= in_limit",
           counted                                   ? " && step < steps"
           : loop.loop == ir::LoopKind::UntilOutputs ? " && out < stop"
                                                     : "");
    w.line("{}", start);
    one_token(token.text());
    w.close();
  }
  w.line("{}", start);
  if (leaves) w.label("leave");
  if (!give_back.empty()) w.line("{}", give_back);
  if (positional)
    w.line("s.pos = token_bit;");
  else if (bytes)
    w.line("s.pos = (u64)(token_in - s.in);");
  else
    w.line("s.pos = (u64)(token_in - s.in) * 8 - token_count;  // note [position] of the bit buffer");
  w.line("s.made = (u64)(token_out - s.out){};", size == 1 ? "" : fmt::format(" / {}", size));
  w.close();
  w.line("");
  tables = std::move(wanted);
  fast.text = w.take();
  return fast;
}

}  // namespace sluice::emit
