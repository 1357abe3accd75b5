#include "compiler/emit/split_part.h"

#include <algorithm>

#include "compiler/analysis/slots.h"

namespace sluice::emit {
namespace {

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t slot) {
  return std::ranges::find(list, slot) != list.end();
}

// What the step around a part does with slots.
analysis::Slots slots_around(const Part& part) {
  const ir::Block& core = part.core().body;
  return analysis::slots_of(part.rule(), part.statement().body, [&](const ir::Stmt& s) {
    return std::ranges::any_of(core, [&](const auto& c) { return c.get() == &s; });
  });
}

// The place of every lane's own step, as if it were the first, and then the sum of those before it. A step whose region does
// not fit what is left, and those behind it, are left to the checked path.
void write_summed_places(Writer& w, const Part& part, CheckedPath& checked) {
  const auto& index = part.loop.index;
  std::string keep = "part_pos = s.pos, part_end = s.end";
  for (const std::uint32_t slot : part.own_reads) keep += fmt::format(", part_{0} = {0}", part.local(slot));
  w.line("const u64 first_pos = s.pos;");
  w.line("const u32 wanted = steps - step_ref < width ? (u32)(steps - step_ref) : width;");
  w.line("u64 start_pos = 0, part_pos = 0, part_end = 0, next_pos = 0, took = 0;");
  for (const std::uint32_t slot : part.own_reads) w.line("{} part_{} = 0;", part.type(slot), part.local(slot));
  w.line("u32 count = 0;");
  w.line("bool stands = false, whole = false;");
  w.open("if (prim::lane() < wanted) {");
  if (index) w.line("[[maybe_unused]] const {} {} = step_ref + prim::lane();", part.type(*index), part.local(*index));
  w.raw(checked.walk(part.loop.rule, part.statement().body, part.core().body, {keep + ";", "s.pos = s.end;"}, w.depth()));
  w.line("took = s.pos - first_pos;");
  w.line("stands = true;");
  w.close();
  w.label("stuck");
  w.line("prim::sync();");
  w.line("s.pos = first_pos;");
  w.line("const u64 through = prim::scan_add64(took), before = through - took;");
  w.line("count = prim::leading(stands && through <= end - first_pos);");
  w.line("whole = count == wanted;");
  w.line("start_pos = first_pos + before;");
  w.line("part_pos += before;");
  w.line("part_end += before;");
  w.line("next_pos = prim::shfl64(through, (count - 1) % prim::kLanes);");
  w.line("next_pos = first_pos + (count == 0 ? 0 : next_pos);");
}

// Where the next steps' parts are.
void write_places(Writer& w, const Part& part, CheckedPath& checked) {
  const auto& index = part.loop.index;
  const bool counted = part.plan().counted;
  std::string keep = "if (mine) part_pos = s.pos, part_end = s.end";
  if (!counted) keep += ", part_made = s.produced, part_limit = s.out_end";
  for (const std::uint32_t slot : part.own_reads) keep += fmt::format(", part_{0} = {0}", part.local(slot));
  std::vector<std::string> at_core{keep + ";"};
  if (part.plan().reads) at_core.push_back("s.pos = s.end;");
  if (!counted) at_core.push_back("s.produced = s.out_end;");

  w.line("u64 start_pos = 0, part_pos = 0, part_end = 0;");
  if (!counted) w.line("u64 start_made = 0, part_made = 0, part_limit = 0;");
  for (const std::uint32_t slot : part.own_reads) w.line("{} part_{} = 0;", part.type(slot), part.local(slot));
  const char* next = counted ? "next_pos = s.pos;" : "next_pos = s.pos, next_made = s.produced;";
  w.line("u64 {}", next);
  w.line("u32 count = 0;");
  w.line("bool whole = false;");
  w.line("SLUICE_ROLLED");
  w.open("for (; count < {} && step_ref + count < steps; ++count) {{", part.context.entries ? "width" : part.context.format("prim::kLanes"));
  w.line("{}", next);
  w.line("const bool mine = prim::lane() == count;");
  w.line("if (mine) start_pos = s.pos{};", counted ? "" : ", start_made = s.produced");
  const analysis::Slots slots = slots_around(part);
  const auto unread = [&](std::uint32_t slot) {
    return slots.read[slot] || contains(part.own_reads, slot) ? "" : "[[maybe_unused]] ";
  };
  for (const std::uint32_t slot : part.plan().step)
    if (slot != index) w.line("{}{} {} = 0;", unread(slot), part.type(slot), part.local(slot));
  if (index) w.line("{}const {} {} = step_ref + count;", unread(*index), part.type(*index), part.local(*index));
  w.raw(checked.walk(part.loop.rule, part.statement().body, part.core().body, at_core, w.depth()));
  w.close();
  w.line("{}", next);
  w.line("whole = true;");
  w.label("stuck");
}

}  // namespace

Part part_of(const Context& c, const plan::Loop& loop) {
  Part part{c, loop, fmt::format("part_{}_{}", c.rule(loop.rule), loop.number), {}, {}, {}};
  part.head = fmt::format("template <bool Write> SLUICE_COLD u64 {}(State& s", part.name);
  for (const std::uint32_t slot : part.plan().reads_slots) {
    const std::string name = part.local(slot);
    part.head += fmt::format(", const {} {}", part.type(slot), name);
    const bool own = contains(part.plan().step, slot);
    if (own) part.own_reads.push_back(slot);
    part.args += fmt::format(", {}{}", own ? "part_" : "", name);
  }
  for (const std::uint32_t slot : loop.carried) {
    const std::string name = part.local(slot);
    part.head += fmt::format(", {}& {}", part.type(slot), name);
    part.args += fmt::format(", left_{}", name);
  }
  part.head += ")";
  return part;
}

Writer open_part_loop(const Part& part, CheckedPath& checked) {
  const bool counted = part.plan().counted;
  std::string params;
  for (const std::uint32_t slot : part.loop.captures)
    params += fmt::format(", const {} {}", part.type(slot), part.local(slot));
  for (const std::uint32_t slot : part.loop.carried) params += fmt::format(", {}& {}", part.type(slot), part.local(slot));
  Writer w(part.context.notes());
  w.line("// Steps of `{}` side by side, one a lane: {}.", part.rule().name,
         part.context.entries ? "decoded once, then written behind each other by all"
         : counted            ? "counted first, then written behind each other"
                              : "their places first, then what is in them");
  w.line("template <bool Write>");
  w.open("SLUICE_INLINE void {}(State& s{}, u64& step_ref, const u64 steps) {{", loop_name(part.context, part.loop), params);
  w.line("const u64 end = s.end{};", counted ? "" : ", limit = s.out_end, promised = s.promised");
  const bool entries = part.context.entries;
  if (entries) {
    w.line("u32 width = prim::kLanes;  // lanes that have a part: note [few parts]");
    w.line("const u64 most = 8 * (steps - step_ref);  // rounds: one that does no part halves the width");
  }
  w.at(part.context.place(part.statement().span));
  if (entries) w.open("for (u64 round = 0; step_ref < steps && round < most; ++round) {");
  else w.open("while (step_ref < steps) {");
  w.at("");
  if (entries && part.plan().summed) write_summed_places(w, part, checked);
  else write_places(w, part, checked);
  w.line("s.end = end{};", counted ? "" : ", s.out_end = limit, s.promised = promised");
  w.line("prim::sync();  // a lane reads what others wrote");
  return w;
}

std::string close_part_loop(Writer w) {
  w.line("if (!whole) return;");
  w.close();
  w.close();
  w.line("");
  return w.take();
}

void write_view(Writer& w, const Context& c) {
  w.line("thread::State t = thread::State();");
  w.line("t.writes = {};", c.entries ? "false" : "Write");
  w.line("t.promised = ~0ull;  // refusals are no matter here: the checked path says them");
  for (const char* field : {"in", "size", "out", "window", "dictionary_bytes", "dictionary", "dictionary_size", "args"})
    w.line("t.{0} = s.{0};", field);
  for (std::uint32_t i = 0; i < c.module.globals.size(); ++i) w.line("t.{0} = s.{0};", c.global(i));
  for (std::size_t i = 0; i < c.module.buffers.size(); ++i) {
    w.line("t.buffer_count[{0}] = s.buffer_count[{0}];", i);
    if (c.views[i]) w.line("t.buffer_from[{0}] = s.buffer_from[{0}];", i);
  }
}

}  // namespace sluice::emit
