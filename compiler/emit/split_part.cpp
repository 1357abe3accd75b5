#include "compiler/emit/split_part.h"

#include <algorithm>

#include "compiler/analysis/walk.h"

namespace sluice::emit {
namespace {

using analysis::SplitLoop;
using ir::Stmt;

// Slots that the step around the core reads and nothing in it sets.
std::set<std::uint32_t> outer_reads(const SplitLoop& split) {
  std::set<std::uint32_t> reads = split.core_reads;
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

const char* type_of(const Context& c, const SplitLoop& split, std::uint32_t slot) {
  return held(c.module.rules[split.rule].slots[slot].type);
}

// Where the next steps' parts are.
void write_places(Writer& w, const Context& c, const SplitLoop& split, const Part& part, Careful& careful) {
  const auto name = [&](std::uint32_t slot) { return c.local(split.rule, slot); };
  const bool reads = std::ranges::any_of(split.regions, [](const Stmt* s) { return s->kind == Stmt::Kind::Within; });
  std::string keep = "if (mine) part_pos = s.pos, part_end = s.end";
  if (!split.counted) keep += ", part_made = s.made, part_limit = s.limit";
  for (const std::uint32_t slot : part.own_reads) keep += fmt::format(", part_{0} = {0}", name(slot));
  std::vector<std::string> at_core{keep + ";"};
  if (reads) at_core.push_back("s.pos = s.end;");
  if (!split.counted) at_core.push_back("s.made = s.limit;");

  w.line("u64 start_pos = 0, part_pos = 0, part_end = 0;");
  if (!split.counted) w.line("u64 start_made = 0, part_made = 0, part_limit = 0;");
  for (const std::uint32_t slot : part.own_reads) w.line("{} part_{} = 0;", type_of(c, split, slot), name(slot));
  const char* next = split.counted ? "next_pos = s.pos;" : "next_pos = s.pos, next_made = s.made;";
  w.line("u64 {}", next);
  w.line("u32 count = 0;");
  w.line("bool whole = false;");
  w.line("SLUICE_ROLLED");
  w.open("for (; count < prim::kLanes && step_ref + count < steps; ++count) {");
  w.line("{}", next);
  w.line("const bool mine = prim::lane() == count;");
  w.line(split.counted ? "if (mine) start_pos = s.pos;" : "if (mine) start_pos = s.pos, start_made = s.made;");
  for (const std::uint32_t slot : split.step_sets)
    if (slot != split.loop->slot) w.line("{} {} = 0;", type_of(c, split, slot), name(slot));
  if (split.loop->slot != Stmt::kNoSlot)
    w.line("const {} {} = step_ref + count;", type_of(c, split, split.loop->slot), name(split.loop->slot));
  for (const std::uint32_t slot : split.step_sets) w.line("(void){};", name(slot));
  w.raw(careful.walk(split.rule, split.loop->body, *split.core, at_core, w.depth()));
  w.close();
  w.line("{}", next);
  w.line("whole = true;");
  w.label("stuck");
}

}  // namespace

Part part_of(const Context& c, const SplitLoop& split, std::size_t ordinal) {
  Part part;
  part.name = fmt::format("part_{}_{}", c.rule(split.rule), ordinal);
  part.head = fmt::format("template <bool Write> SLUICE_COLD u64 {}(State& s", part.name);
  for (const std::uint32_t slot : split.core_reads) {
    const std::string name = c.local(split.rule, slot);
    part.head += fmt::format(", const {} {}", type_of(c, split, slot), name);
    if (split.step_sets.contains(slot)) part.own_reads.insert(slot);
    part.args += fmt::format(", {}{}", part.own_reads.contains(slot) ? "part_" : "", name);
  }
  for (const std::uint32_t slot : split.carried) {
    const std::string name = c.local(split.rule, slot);
    part.head += fmt::format(", {}& {}", type_of(c, split, slot), name);
    part.args += fmt::format(", left_{}", name);
  }
  part.head += ")";
  return part;
}

PartLoop open_part_loop(const Context& c, const SplitLoop& split, const Part& part, Careful& careful,
                        std::size_t ordinal) {
  PartLoop loop;
  loop.fast.name = fmt::format("split_{}_{}", c.rule(split.rule), ordinal);
  loop.fast.counts = true;
  std::string params;
  for (const std::uint32_t slot : outer_reads(split)) {
    loop.fast.captures.push_back(slot);
    params += fmt::format(", const {} {}", type_of(c, split, slot), c.local(split.rule, slot));
  }
  for (const std::uint32_t slot : split.carried) {
    loop.fast.carried.push_back(slot);
    params += fmt::format(", {}& {}", type_of(c, split, slot), c.local(split.rule, slot));
  }
  Writer& w = loop.w;
  w.line("// Steps of `{}` side by side, one a lane: {}.", c.module.rules[split.rule].name,
         split.counted ? "counted first, then written behind each other"
                       : "their places first, then what is in them");
  w.line("template <bool Write>");
  w.open("SLUICE_COLD void {}(State& s{}, u64& step_ref, const u64 steps) {{", loop.fast.name, params);
  w.line("const u64 end = s.end{};", split.counted ? "" : ", limit = s.limit, promised = s.promised");
  w.open("while (step_ref < steps) {");
  write_places(w, c, split, part, careful);
  w.line("s.end = end{};", split.counted ? "" : ", s.limit = limit, s.promised = promised");
  w.line("prim::sync();  // a lane reads what others wrote");
  return loop;
}

FastLoop close_part_loop(PartLoop loop) {
  loop.w.line("if (!whole) return;");
  loop.w.close();
  loop.w.close();
  loop.w.line("");
  loop.fast.text = loop.w.take();
  return std::move(loop.fast);
}

void write_view(Writer& w, const Context& c) {
  w.line("thread::State t = thread::State();");
  w.line("t.writes = Write;");
  w.line("t.promised = ~0ull;  // refusals are no matter here: the checked path says them");
  for (const char* field : {"in", "size", "out", "window", "reach", "dictionary", "dictionary_size", "args"})
    w.line("t.{0} = s.{0};", field);
  for (std::uint32_t i = 0; i < c.module.globals.size(); ++i) w.line("t.{0} = s.{0};", c.global(i));
  for (std::size_t i = 0; i < c.module.buffers.size(); ++i) {
    w.line("t.buffer_count[{0}] = s.buffer_count[{0}];", i);
    if (c.views[i]) w.line("t.buffer_from[{0}] = s.buffer_from[{0}];", i);
  }
}

}  // namespace sluice::emit
