#include "compiler/emit/split_loop.h"

#include <algorithm>
#include <set>

#include "compiler/analysis/split_loops.h"
#include "compiler/analysis/walk.h"
#include "compiler/emit/careful.h"

namespace sluice::emit {
namespace {

using analysis::SplitLoop;
using ir::Stmt;
using Slots = std::set<std::uint32_t>;

constexpr const char* kPrimitives[] = {"stream", "source", "output"};

// Rules that the cores reach.
void collect_rules(const ir::Module& m, const ir::Block& block, std::set<std::uint32_t>& rules) {
  analysis::for_each_stmt(block, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::Call && rules.insert(s.ref).second) collect_rules(m, m.rules[s.ref].body, rules);
  });
}

// Texts of the fast loops in a block, in the order in which they were found.
void collect_loops(const ir::Block& block, const FastLoops& fast, std::set<const Stmt*>& loops) {
  analysis::for_each_stmt(block, [&](const Stmt& s) {
    if (fast.loops.contains(&s)) loops.insert(&s);
  });
}

void write_state(Writer& w, const Context& c) {
  w.line("// A lane's view of the chunk: its own region, everything else shared and left alone.");
  w.open("struct State : prim::Stream<prim::Input::Bytes> {");
  w.line("ScratchRef m;");
  w.line("const unsigned long long* args;");
  for (std::uint32_t i = 0; i < c.module.globals.size(); ++i)
    w.line("{} {};", held(c.module.globals[i].type), c.global(i));
  if (!c.module.buffers.empty()) w.line("u64 buffer_count[{}];", c.module.buffers.size());
  w.close("};");
  w.line("// Any word but 0 says that something is wrong; what, the careful half finds.");
  w.open("SLUICE_INLINE u64 fail(State& s, u64 site, u64 at) {");
  w.line("s.pos = at;");
  w.line("return site;");
  w.close();
  w.line("");
}

void copy_state(Writer& w, const Context& c) {
  for (const char* field : {"in", "size", "out", "window", "reach", "dictionary", "dictionary_size", "args"})
    w.line("t.{0} = s.{0};", field);
  for (std::uint32_t i = 0; i < c.module.globals.size(); ++i) w.line("t.{0} = s.{0};", c.global(i));
  for (std::size_t i = 0; i < c.module.buffers.size(); ++i) w.line("t.buffer_count[{0}] = s.buffer_count[{0}];", i);
  w.line("t.pos = part_pos, t.end = part_end, t.made = part_made, t.limit = part_limit;");
}

// Slots that the step around the core reads and nothing in it sets.
Slots outer_reads(const SplitLoop& split) {
  Slots reads = split.core_reads;
  const auto look = [&](const Stmt& s) {
    analysis::for_each_expr(s, [&](const ir::Expr& e) {
      analysis::for_each_node(e, [&](const ir::Expr& node) {
        if (node.op == ir::Op::Local) reads.insert(node.ref);
      });
    });
  };
  analysis::for_each_stmt(split.loop->body, look);
  for (const std::uint32_t slot : split.step_sets) reads.erase(slot);
  for (const std::uint32_t slot : split.core_sets) reads.erase(slot);
  for (const std::uint32_t slot : split.carried) reads.erase(slot);
  return reads;
}

struct Part {
  std::string name, head;  // of the core's function
  Slots own_reads;         // of what it needs, that differs from step to step
};

Part part_of(const Context& c, const SplitLoop& split, std::size_t ordinal) {
  Part part;
  part.name = fmt::format("part_{}_{}", c.rule(split.rule), ordinal);
  part.head = fmt::format("template <bool Write> SLUICE_COLD u64 {}(State& s", part.name);
  for (const std::uint32_t slot : split.core_reads) {
    part.head +=
        fmt::format(", const {} {}", held(c.module.rules[split.rule].slots[slot].type), c.local(split.rule, slot));
    if (split.step_sets.contains(slot)) part.own_reads.insert(slot);
  }
  for (const std::uint32_t slot : split.carried)
    part.head += fmt::format(", {}& {}", held(c.module.rules[split.rule].slots[slot].type), c.local(split.rule, slot));
  part.head += ")";
  return part;
}

FastLoop write_loop(const Context& c, const SplitLoop& split, const Part& part, Careful& careful, std::size_t ordinal) {
  const auto& slots = c.module.rules[split.rule].slots;
  const auto name = [&](std::uint32_t slot) { return c.local(split.rule, slot); };
  const auto type = [&](std::uint32_t slot) { return held(slots[slot].type); };
  FastLoop fast;
  fast.name = fmt::format("split_{}_{}", c.rule(split.rule), ordinal);
  fast.counts = true;
  std::string params, args,
      keep = "if (mine) part_pos = s.pos, part_end = s.end, part_made = s.made, part_limit = s.limit";
  for (const std::uint32_t slot : outer_reads(split)) {
    fast.captures.push_back(slot);
    params += fmt::format(", const {} {}", type(slot), name(slot));
  }
  for (const std::uint32_t slot : split.core_reads)
    args += fmt::format(", {}{}", part.own_reads.contains(slot) ? "part_" : "", name(slot));
  for (const std::uint32_t slot : part.own_reads) keep += fmt::format(", part_{0} = {0}", name(slot));
  std::string wrong;
  for (const std::uint32_t slot : split.carried) {
    fast.carried.push_back(slot);
    params += fmt::format(", {}& {}", type(slot), name(slot));
    args += fmt::format(", left_{}", name(slot));
    wrong += fmt::format("{0}before_{1} != guess_{1}", wrong.empty() ? "" : " || ", name(slot));
  }
  const bool reads = std::ranges::any_of(split.regions, [](const Stmt* s) { return s->kind == Stmt::Kind::Within; });
  keep += fmt::format(";\n{}s.made = s.limit;\n", reads ? "s.pos = s.end;\n" : "");

  Writer w;
  w.line("// Steps of `{}` side by side, one a lane: their places first, then what is in them.",
         c.module.rules[split.rule].name);
  w.line("template <bool Write>");
  w.open("SLUICE_COLD void {}(State& s{}, u64& step_ref, const u64 steps) {{", fast.name, params);
  w.line("const u64 end = s.end, limit = s.limit;");
  w.open("while (step_ref < steps) {");
  w.line("u64 start_pos = 0, start_made = 0, part_pos = 0, part_end = 0, part_made = 0, part_limit = 0;");
  for (const std::uint32_t slot : part.own_reads) w.line("{} part_{} = 0;", type(slot), name(slot));
  w.line("u64 next_pos = s.pos, next_made = s.made;");
  w.line("u32 count = 0;");
  w.line("bool whole = false;");
  w.line("SLUICE_ROLLED");
  w.open("for (; count < prim::kLanes && step_ref + count < steps; ++count) {");
  w.line("next_pos = s.pos, next_made = s.made;");
  w.line("const bool mine = prim::lane() == count;");
  w.line("if (mine) start_pos = s.pos, start_made = s.made;");
  for (const std::uint32_t slot : split.step_sets)
    if (slot != split.loop->slot) w.line("{} {} = 0;", type(slot), name(slot));
  if (split.loop->slot != Stmt::kNoSlot)
    w.line("const {} {} = step_ref + count;", type(split.loop->slot), name(split.loop->slot));
  for (const std::uint32_t slot : split.step_sets) w.line("(void){};", name(slot));
  w.raw(careful.walk(split.rule, split.loop->body, *split.core, keep, w.depth()));
  w.close();
  w.line("next_pos = s.pos, next_made = s.made;");
  w.line("whole = true;");
  w.label("stuck");
  w.line("s.end = end, s.limit = limit;");
  w.line("prim::sync();  // a lane reads what others wrote");
  w.line("bool sound = true;");
  const bool carries = !split.carried.empty();
  for (const std::uint32_t slot : split.carried)
    w.line("{0} guess_{1} = {1}, left_{1} = {1};  // what the step before leaves: what was there before all",
           type(slot), name(slot));
  if (carries) {
    w.line("bool on = prim::lane() < count;");
    w.line("SLUICE_ROLLED");
    w.open("for (;;) {  // a lane whose guess was wrong starts again");
  }
  w.open("if ({}) {{", carries ? "on" : "prim::lane() < count");
  for (const std::uint32_t slot : split.carried) w.line("left_{0} = guess_{0};", name(slot));
  w.line("thread::State t = thread::State();");
  copy_state(w, c);
  w.line("sound = thread::{}<Write>(t{}) == kOk && t.pos == {} && t.made == t.limit;", part.name, args,
         reads ? "t.end" : "part_pos");
  w.close();
  w.line("prim::sync();");
  if (carries) {
    for (const std::uint32_t slot : split.carried) {
      w.line("{0} before_{1} = ({0})prim::shfl64((u64)left_{1}, prim::lane() - 1 & (prim::kLanes - 1));", type(slot),
             name(slot));
      w.line("if (prim::lane() == 0) before_{0} = {0};", name(slot));
    }
    w.line("on = prim::lane() < count && ({});", wrong);
    w.line("if (prim::ballot(on) == 0) break;");
    for (const std::uint32_t slot : split.carried) w.line("if (on) guess_{0} = before_{0};", name(slot));
    w.close();
  }
  w.line("const u32 bad = prim::ballot(!sound);");
  w.open("if (bad != 0) {  // what is right before the first bad one stays");
  w.line("const u32 first = (u32)__ffs((int)bad) - 1;");
  w.line("s.pos = prim::shfl64(start_pos, first);");
  w.line("s.made = prim::shfl64(start_made, first);");
  for (const std::uint32_t slot : split.carried)
    w.line("{1} = ({0})prim::shfl64((u64)guess_{1}, first);", type(slot), name(slot));
  w.line("step_ref += first;");
  w.line("return;");
  w.close();
  w.line("s.pos = next_pos, s.made = next_made;");
  for (const std::uint32_t slot : split.carried)
    w.line("if (count > 0) {1} = ({0})prim::shfl64((u64)left_{1}, count - 1);", type(slot), name(slot));
  w.line("step_ref += count;");
  w.line("if (!whole) return;");
  w.close();
  w.close();
  w.line("");
  fast.text = w.take();
  return fast;
}

}  // namespace

std::string add_split_loops(const Context& warp, const ir::CountPlan& count, FastLoops& fast) {
  const ir::Module& m = warp.module;
  Context context = warp;
  context.thread = true;
  const std::vector<SplitLoop> splits = analysis::find_split_loops(m).loops;
  FastLoops alone = find_fast_loops(context, nullptr, fast.tables);
  fast.tables = alone.tables;

  std::set<std::uint32_t> rules;
  std::set<const Stmt*> loops;
  for (const SplitLoop& split : splits) {
    collect_rules(m, *split.core, rules);
    collect_loops(*split.core, alone, loops);
  }
  for (const std::uint32_t r : rules) collect_loops(m.rules[r].body, alone, loops);

  Writer w;
  w.line("// What a lane does alone.");
  w.line("namespace warp_prim = prim;");
  w.line("namespace thread {");
  for (const char* name : kPrimitives) write_primitive(w, fmt::format("runtime/prim/cuda/thread_{}.h", name));
  write_state(w, context);
  Careful careful(context, count, alone.loops, alone.tables);
  for (const Stmt* s : alone.order)
    if (loops.contains(s)) w.raw(alone.loops.at(s).text);
  for (const std::uint32_t r : rules) w.line("{};", careful.prototype(r));
  for (const std::uint32_t r : rules) w.raw(careful.definition(r));
  std::vector<Part> parts;
  for (const SplitLoop& split : splits) {
    parts.push_back(part_of(context, split, parts.size()));
    w.raw(careful.piece(split.rule, parts.back().head, split.core_sets, *split.core));
  }
  w.line("}  // namespace thread");
  w.line("");

  const std::map<const Stmt*, FastLoop> none;
  Careful around(warp, count, none, fast.tables);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    fast.loops.emplace(splits[i].loop, write_loop(warp, splits[i], parts[i], around, i));
    fast.order.push_back(splits[i].loop);
  }
  return w.take();
}

}  // namespace sluice::emit
