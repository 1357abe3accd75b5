#include "compiler/emit/fast_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "compiler/analysis/walk.h"
#include "compiler/emit/fast_token.h"
#include "compiler/emit/sure_steps.h"

namespace sluice::emit {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

bool outputs(const Stmt& s) {
  return s.kind == K::Emit || s.kind == K::Literals || s.kind == K::Run || s.kind == K::Copy || s.kind == K::EmitSymbol;
}

// Statements that change more than the token: these loops are outer loops. What a step does then; null: nothing such.
const char* structural(const Stmt& s) {
  switch (s.kind) {
    case K::BuildCode:
      return "a step builds a prefix code";
    case K::Within:
      return "a step has a region of its own: `within`";
    case K::Producing:
      return "a step promises its outputs: `producing`";
    case K::Mark:
      return "a step sets a mark";
    case K::NewWindow:
      return "a step starts a new window";
    case K::Into:
      return "a step fills a buffer";
    case K::Stage:
      return "a step transforms a buffer";
    case K::EmitBuffer:
      return "a step outputs a buffer";
    case K::ReadSymbol:
      return "a step reads the bytes of a symbol";
    default:
      return nullptr;
  }
}

template <typename F>
const Stmt* first(const ir::Module& m, const ir::Block& b, std::vector<bool>& entered, const F& f) {
  for (const auto& s : b) {
    if (f(*s)) return s.get();
    for (const ir::Block* inner : {&s->body, &s->orelse})
      if (const Stmt* found = first(m, *inner, entered, f)) return found;
    if (s->kind != K::Call || entered[s->ref]) continue;
    entered[s->ref] = true;
    if (const Stmt* found = first(m, m.rules[s->ref].body, entered, f)) return found;
  }
  return nullptr;
}

// The first statement in the block, or in a rule it calls, that satisfies f; null: none. Each rule is looked at once.
template <typename F>
const Stmt* first(const ir::Module& m, const ir::Block& b, const F& f) {
  std::vector<bool> entered(m.rules.size());
  return first(m, b, entered, f);
}

// Strategy split: tokens of at most so many bytes are done in bursts (prim::kBurstBytes, and a slice's room).
constexpr std::uint64_t kBurstBytes = 16;

// As many tokens as the margins surely hold, without a test between them.
void open_burst(Writer& w, const Cost& cost, bool counted) {
  w.line("u32 tokens = prim::burst_tokens(kInMargin, kOutMargin);");
  const auto at_most = [&](const char* left, const char* margin) {
    w.line("if (tokens > {0} / {1}) tokens = (u32)({0} / {1}) + 1;", left, margin);
  };
  if (cost.in) at_most("(u64)(in_limit - in)", "kInMargin");
  if (cost.out) at_most("(u64)(out_limit - out)", "kOutMargin");
  if (counted) w.line("if (tokens > steps - step) tokens = (u32)(steps - step);");
  if (cost.in) w.line("prim::ready(src, in);");
  w.line("SLUICE_ROLLED");
  w.open("do {");
}
void close_burst(Writer& w) {
  w.close("} while (--tokens != 0);");
  w.line("prim::settle(out);");
}

constexpr int kTokenDepth = 2;  // of a token's text: a loop in a function

// Does anything in the block, or in a rule it calls, satisfy f?
template <typename F>
bool any(const ir::Module& m, const ir::Block& b, const F& f) {
  return first(m, b, f) != nullptr;
}

// From so many steps on a loop of its own for whole bytes pays.
constexpr std::uint64_t kLeastWhole = 16;

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

std::set<std::uint32_t> outer_slots(const ir::Module& m, std::uint32_t rule, const Stmt& loop) {
  std::set<std::uint32_t> outer;
  for (std::uint32_t p = 0; p < m.rules[rule].params; ++p) outer.insert(p);
  written_outside(m.rules[rule].body, &loop, outer);
  return outer;
}

namespace {

const Stmt* stores_what_it_reads(const ir::Module& m, const Stmt& loop) {
  return first(m, loop.body, [&](const Stmt& s) {
    return s.kind == K::SetElem && any(m, loop.body, [&](const Stmt& t) { return reads_array(t, s.ref); });
  });
}

// What keeps a loop from having a fast form before its tokens are looked at. `deep`: they may hold loops.
bool unsuited(const ir::Module& m, const Stmt& loop, bool deep, NoFastLoop& why) {
  if (const Stmt* s = first(m, loop.body, [](const Stmt& x) { return structural(x) != nullptr; })) {
    why = {structural(*s), s->span, ""};
    return true;
  }
  if (deep) return false;
  if (const Stmt* s = first(m, loop.body, [](const Stmt& x) { return x.kind == K::Align; })) {
    why = {"a step skips to a byte boundary", s->span, ""};
    return true;
  }
  const auto loops = [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs); };
  if (const Stmt* s = first(m, loop.body, loops)) {
    why = {"a step holds a loop that makes output", s->span, ""};
    return true;
  }
  // A token that is left is done again from its start: it may store elements, but not read what it stores.
  if (const Stmt* s = stores_what_it_reads(m, loop)) {
    why = {"a step changes an array that it reads", s->span, ""};
    return true;
  }
  return false;
}

}  // namespace

std::set<std::uint32_t> stored_and_read(const ir::Module& m, const Stmt& loop) {
  std::set<std::uint32_t> arrays;
  for (std::uint32_t a = 0; a < m.arrays.size(); ++a)
    if (any(m, loop.body, [&](const Stmt& s) { return s.kind == K::SetElem && s.ref == a; }) &&
        any(m, loop.body, [&](const Stmt& s) { return reads_array(s, a); }))
      arrays.insert(a);
  return arrays;
}

bool reads_its_arrays(const ir::Module& m, const Stmt& loop) {
  return stores_what_it_reads(m, loop) != nullptr;
}

std::optional<FastLoop> make_fast_loop(const Context& context, std::uint32_t rule, const Stmt& loop,
                                       std::size_t ordinal, std::vector<CodeTable>& tables, NoFastLoop& why) {
  const ir::Module& m = context.module;
  if (loop.loop == ir::LoopKind::UntilCond) {
    why = {"it tests a condition before each step", loop.a->span,
           "a `repeat` that begins with `if CONDITION: stop` has a fast form"};
    return std::nullopt;
  }
  const auto stores = [](const Stmt& s) { return s.kind == K::SetElem; };
  const auto reads = [](const Stmt& s) { return s.kind == K::Read; };
  // Filling an array from the input: worth a loop of its own when it may be long. A kernel with stages spends its time
  // there, and would only take longer to compile.
  const bool fills = !(context.cuda && context.has_buffers()) && any(m, loop.body, stores) && any(m, loop.body, reads) && loop.a && loop.a->range.hi >= kLongFill;
  if (!any(m, loop.body, outputs) && !fills) {
    why = {"its steps make no output", {}, ""};
    return std::nullopt;
  }
  // Symbols depend on the bits before them, so a buffer that carries those is best; other fields can be fetched each
  // from where it stands.
  const bool bytes = context.bytes();
  bool positional = !bytes;
  const auto fetched = [&](const Stmt& s) {
    const ir::ReadSpec::Kind kind = s.read.kind;
    return kind == ir::ReadSpec::Kind::Fixed || kind == ir::ReadSpec::Kind::Computed ||
           kind == ir::ReadSpec::Kind::Varint;
  };
  if (any(m, loop.body, [&](const Stmt& s) { return (s.kind == K::Read || s.kind == K::Literals) && !fetched(s); }))
    positional = false;
  const auto aligns = [](const Stmt& s) { return s.kind == K::Align; };
  const auto loops = [&](const Stmt& s) { return s.kind == K::Loop && any(m, s.body, outputs); };
  const bool deep = positional && !context.thread && (any(m, loop.body, aligns) || any(m, loop.body, loops));
  if (unsuited(m, loop, deep, why)) return std::nullopt;
  std::set<std::uint32_t> outer = outer_slots(m, rule, loop);
  std::vector<CodeTable> wanted = tables;
  const bool counted = loop.loop == ir::LoopKind::Times;
  // One lane of many, reading bits: what it makes is counted first (counted_parts.cpp).
  const bool counts = context.thread && !bytes;
  if (counts) positional = false;
  FastToken token(context, rule, outer, !counted && !counts, positional, wanted);
  // Every token starts at a byte boundary when the first one does and each ends with `align`.
  const bool aligned = deep && !loop.body.empty() && loop.body.back()->kind == K::Align;
  if (deep) token.deep(aligned, stored_and_read(m, loop));
  if (!token.emit(loop.body)) {
    why = {token.reason(), token.culprit() ? token.culprit()->span : Span{}, ""};
    return std::nullopt;
  }
  FastLoop fast;
  fast.deep = deep;
  for (std::uint32_t slot : token.captured())
    if (slot != loop.slot) fast.captures.push_back(slot);
  fast.carried.assign(token.carried().begin(), token.carried().end());

  const unsigned size = context.elem_bytes();
  const auto tests_end = [](const Stmt& s) {
    bool found = false;
    analysis::for_each_expr(s, [&](const ir::Expr& e) {
      for_each(e, [&](const ir::Expr& node) { found |= node.op == ir::Op::AtEnd; });
    });
    return found;
  };
  // More than the token takes, so that a fast loop never stands at the end of its region; a bit buffer is filled twice
  // before the first test, a positional read looks 9 bytes ahead.
  Cost cost = token.cost();
  cost.in = positional       ? cost.bits / 8 + 1 + 9 + 8
            // Its loads stay in units that hold input, and a loop that takes none may stand at the end.
            : counts         ? cost.in + 16  // prim::kWordsAhead
            : context.thread ? std::max<std::uint64_t>(cost.in, counted && !any(m, loop.body, tests_end) ? 0 : 1)
                             : std::max<std::uint64_t>(cost.in + 8, bytes ? 0 : 16);
  fast.name = fmt::format("fast_{}_{}", context.rule(rule), ordinal);
  Writer w;
  std::string params;
  for (std::uint32_t slot : fast.captures)
    params += fmt::format(", const {} {}", held(m.rules[rule].slots[slot].type), context.local(rule, slot));
  // What one token leaves for the next travels in a copy; a token that is left undone must not have changed it.
  std::string keep, give_back;
  for (std::uint32_t slot : fast.carried) {
    const std::string name = context.local(rule, slot);
    params += fmt::format(", {}& {}", held(m.rules[rule].slots[slot].type), belonging("ref", name));
    keep += fmt::format(" {} = {};", belonging("token", name), name);
    give_back += fmt::format("{}{} = {};", give_back.empty() ? "" : " ", belonging("ref", name), belonging("token", name));
  }
  for (const std::uint32_t g : token.set_globals()) {
    const std::string name = context.global(g);
    keep += fmt::format(" {} = {};", belonging("token", name), name);
    give_back += fmt::format("{}s.{} = {};", give_back.empty() ? "" : " ", name, belonging("token", name));
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
  fast.counts = counts;
  if (counts) w.line("template <bool Write>");
  w.open("{} void {}(State& s{}) {{", counts ? "SLUICE_INLINE" : "SLUICE_COLD", fast.name, params);
  w.line("constexpr u64 kInMargin = {};   // bytes of one token and its wide loads, and some that keep it off the end",
         cost.in);
  w.line("constexpr u64 kOutMargin = {};  // bytes of one token and its wide stores", cost.out);
  if (positional)
    w.line("static_assert(kInMargin > prim::kPositionBytes, \"a field's load stays inside the input\");");
  else if (counts)
    w.line("static_assert(kInMargin >= prim::kWordsAhead, \"words on their way lie inside the input\");");
  else if (!bytes)
    w.line(
        "static_assert(kInMargin >= 2 * prim::kRefillBytes, \"two refills before the first test stay inside the "
        "input\");");
  if (cost.out > 0) w.line("static_assert(kOutMargin >= {}, \"one element fits\");", size);
  // Tokens of known size, many of them between two looks at the buffers: note [burst] of thread_source.h.
  const bool bursts = context.thread && bytes && !fast.deep && loop.loop != ir::LoopKind::UntilOutputs &&
                      cost.in <= kBurstBytes && cost.out <= kBurstBytes &&
                      !token.needs().limits;
  const bool idle = context.thread && bytes && token.cost().in == 0;
  w.line("auto src = prim::{}source(s);", idle ? "idle_" : bursts ? "burst_" : "");
  // Parts are short: a lane may look behind its own, and sees afterwards whether it has taken anything of that.
  w.line("const prim::Cursor in_end = prim::cursor(src, {});", counts ? "s.size" : bytes ? "s.end" : "s.end >> 3");
  w.line("prim::Cursor in = prim::cursor(src, {});", bytes ? "s.pos" : "s.pos >> 3");
  w.line("if (in_end < in || (u64)(in_end - in) < kInMargin || (s.limit - s.made) < (kOutMargin + {0}) / {1}) return;",
         size - 1, size);
  if (aligned) w.line("if (s.pos & 7) return;");
  if (positional)
    w.line("const u64 bit_limit = 8 * (prim::byte_of(src, in_end) - kInMargin);");
  else
    w.line("const prim::Cursor in_limit = in_end - kInMargin;");
  const std::string times = size == 1 ? "" : fmt::format(" * {}", size);
  if (counts)
    w.line("auto out = prim::direct_output<Write>(s, s.out + s.made{});", times);
  else if (context.thread) w.line("auto out = prim::{}output(s.out + s.made{});", bursts ? "burst_" : "", times);
  else w.line("u8* out = prim::global(s.out) + s.made{};", times);
  w.line("u8* const out_limit = s.out + s.limit{} - kOutMargin;", times);
  if (token.needs().window) w.line("const u8* const window = s.out + s.window{};", times);
  if (loop.loop == ir::LoopKind::UntilOutputs) w.line("const u8* const stop = s.out + target{};", times);
  w.line("u8* token_out = out;");
  fast.copies = token.needs().copies;
  if (fast.copies && counts) w.line("auto later = prim::parked<Write>(s);");
  else if (fast.copies) w.line("{} later{{}};", context.cuda ? "Copies" : "prim::Later");
  std::string start = "token_out = out;";
  if (positional) {
    w.line("u64 bit = s.pos, token_bit = bit;");
    start += " token_bit = bit;";
  } else {
    if (!bytes) w.line("Bits b = Bits::at(src, s.pos, in);");
    if (counts) w.line("const u32 region_end = Bits::place(src, s.end);");
    w.line("prim::Cursor token_in = in;");
    if (!bytes) w.line("auto token_count = b.count;");
    start += bytes ? " token_in = in;" : " token_in = in; token_count = b.count;";
  }
  start += keep;
  for (std::uint32_t slot : fast.carried) {
    const std::string name = context.local(rule, slot);
    w.line("{} {} = {}, {} = {};", held(m.rules[rule].slots[slot].type), name, belonging("ref", name),
           belonging("token", name), name);
  }
  for (const std::uint32_t g : token.globals()) {
    const std::string name = context.global(g);
    if (token.set_globals().contains(g))
      w.line("{0} {1} = s.{1}, {2} = {1};", held(m.globals[g].type), name, belonging("token", name));
    else
      w.line("const {0} {1} = s.{1};", held(m.globals[g].type), name);
  }
  if (counted) w.line("u64 step = step_ref, token_step = step;");
  const std::string& per_token = token.declarations();
  if (token.needs().scratch)
    w.line("{}", context.thread ? "Scratch* const m = prim::in_register(s.m.operator->());" : "const auto m = s.m;");
  w.raw(token.tables());
  w.raw(token.prologue());
  const bool watched = !counted && loop.sites[0] != ir::kNoSite;
  const bool leaves = watched || token.needs().leaves;
  if (positional && counted && !leaves) {
    // Nothing in a token can go wrong: as many as surely fit are done in a loop that tests only its count.
    w.line("constexpr u64 kTokenBits = {}, kTokenBytes = {};", std::max<std::uint64_t>(cost.bits, 1),
           std::max<std::uint64_t>(cost.out, 1));
    w.open("while (step < steps && bit <= bit_limit && out <= out_limit) {");
    w.line("u64 sure = steps - step;");
    w.line("if (sure > (bit_limit - bit) / kTokenBits + 1) sure = (bit_limit - bit) / kTokenBits + 1;");
    w.line("if (sure > (u64)(out_limit - out) / kTokenBytes + 1) sure = (u64)(out_limit - out) / kTokenBytes + 1;");
    SureSteps steps;
    steps.before = indented(per_token, -kTokenDepth);
    if (counted && loop.slot != Stmt::kNoSlot)
      steps.before += fmt::format("const {0} {1} = step;\n(void){1};\n", held(m.rules[rule].slots[loop.slot].type),
                                  context.local(rule, loop.slot));
    steps.text = indented(token.text(), -kTokenDepth);
    steps.after = "++step;\n";
    steps.steady_widths = token.steady_widths();
    write_sure_steps(w, context, steps, "sure", kLeastWhole);
    w.close();
  } else {
    // The loop's test stands before each token: before the last one of a row, too, the goal must not be reached.
    const std::string until =
        token.row() == 0 ? " && out < stop" : fmt::format(" && stop - out > {}", token.row() * size);
    w.open("while (SLUICE_LIKELY({} && out <= out_limit{})) {{",
           positional ? "bit <= bit_limit"
           : counts   ? "b.count < region_end && in <= in_limit"
                      : "in <= in_limit",
           counted                                   ? " && step < steps"
           : loop.loop == ir::LoopKind::UntilOutputs ? until
                                                     : "");
    if (bursts) open_burst(w, cost, counted);
    w.line("{}", start);
    w.raw(indented(per_token, bursts ? 1 : 0));
    if (counted && loop.slot != Stmt::kNoSlot) {
      w.line("const {} {} = step;", held(m.rules[rule].slots[loop.slot].type), context.local(rule, loop.slot));
      w.line("(void){};", context.local(rule, loop.slot));
    }
    w.raw(indented(token.text(), bursts ? 1 : 0));
    if (counted) w.line("++step;");
    // A step that does nothing would be done for ever.
    if (watched && positional) w.line("if (SLUICE_UNLIKELY(bit == token_bit && out == token_out)) goto leave;");
    if (watched && bytes) w.line("if (SLUICE_UNLIKELY(in == token_in && out == token_out)) goto leave;");
    if (watched && !positional && !bytes)
      w.line(
          "if (SLUICE_UNLIKELY(out == token_out && Bits::position(src, in, b.count) == Bits::position(src, token_in, "
          "token_count))) goto leave;");
    if (bursts) close_burst(w);
    w.close();
  }
  if (counts) w.line("if (b.count > region_end) goto leave;");
  w.line("{}", start);
  if (leaves || counts) w.label("leave");
  if (!give_back.empty()) w.line("{}", give_back);
  if (fast.copies) w.line(counts ? "prim::give_back(s, later, token_out);" : "prim::flush(later);");
  if (context.thread) w.line("prim::flush(out);");
  w.line("prim::give_back(s, src);");
  if (positional)
    w.line("s.pos = token_bit;");
  else if (bytes)
    w.line("s.pos = prim::byte_of(src, token_in);");
  else
    w.line("s.pos = Bits::position(src, token_in, token_count);  // note [position] of the bit buffer");
  w.line("s.made = (u64)(token_out - s.out){};", size == 1 ? "" : fmt::format(" / {}", size));
  w.close();
  w.line("");
  tables = std::move(wanted);
  fast.text = w.take();
  return fast;
}

}  // namespace sluice::emit
