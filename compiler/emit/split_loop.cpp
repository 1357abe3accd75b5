#include "compiler/emit/split_loop.h"

#include <algorithm>
#include <set>

#include "compiler/analysis/walk.h"
#include "compiler/emit/split_part.h"

namespace sluice::emit {
namespace {

using analysis::SplitLoop;
using ir::Stmt;

// Parts of stated size go through staged units; those that are counted read bits and write in place.
constexpr const char* kStaged[] = {"thread_stream", "thread_source", "thread_output"};
constexpr const char* kCounted[] = {"thread_stream", "thread_bits", "thread_copies"};

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

// Loops that only cores reach. All lanes together do a core when one lane has found something wrong with it: that needs
// no speed, and every loop takes its time to compile.
std::set<const Stmt*> loops_of_cores(const ir::Module& m, const std::vector<SplitLoop>& splits, const FastLoops& fast) {
  std::set<const Stmt*> inside;
  std::set<const ir::Block*> cores;
  for (const SplitLoop& split : splits) {
    cores.insert(split.core);
    collect_loops(*split.core, fast, inside);
  }
  // Rules that are reached in another way, too, keep theirs.
  std::vector<bool> reached(m.rules.size());
  const auto enter = [&](const auto& self, const ir::Block& block) -> void {
    if (cores.contains(&block)) return;
    for (const auto& s : block) {
      if (s->kind == Stmt::Kind::Call && !reached[s->ref]) {
        reached[s->ref] = true;
        self(self, m.rules[s->ref].body);
      }
      self(self, s->body);
      self(self, s->orelse);
    }
  };
  enter(enter, m.rules[0].body);
  for (std::uint32_t r = 1; r < m.rules.size(); ++r)
    if (!reached[r]) collect_loops(m.rules[r].body, fast, inside);
  return inside;
}

void write_state(Writer& w, const Context& c) {
  w.line("// A lane's view of the chunk: its own region, everything else shared and left alone.");
  const char* kind = c.bytes() ? "Bytes" : c.msb() ? "Msb" : "Lsb";
  w.open("struct State : prim::Stream<prim::Input::{}> {{", kind);
  w.line("ScratchRef m;");
  w.line("const unsigned long long* args;");
  for (std::uint32_t i = 0; i < c.module.globals.size(); ++i)
    w.line("{} {};", held(c.module.globals[i].type), c.global(i));
  if (!c.module.buffers.empty()) w.line("u64 buffer_count[{}];", c.module.buffers.size());
  if (c.has_views()) w.line("u64 buffer_from[{}];", c.module.buffers.size());
  if (!c.bytes()) {
    w.line("u8* copy_base;  // the part's copies that wait: targets count from here, and how many there are");
    w.line("u32 copies;");
    w.line("typedef prim::LaneBits<{}> Bits;", c.msb());
  }
  w.close("};");
  if (!c.bytes()) w.line("typedef State::Bits Bits;");
  w.line("// Any word but 0 says that something is wrong; what, the careful half finds.");
  w.open("SLUICE_INLINE u64 fail(State& s, u64 site, u64 at) {");
  w.line("s.pos = at;");
  w.line("return site;");
  w.close();
  w.line("SLUICE_INLINE u64 full(State& s, u64 site, u64 at, u64 = 1) { return fail(s, site, at); }");
  w.line("");
}

}  // namespace

std::string add_split_loops(const Context& warp, const ir::CountPlan& count,
                            const std::vector<SplitLoop>& splits, const plan::Plan& lane, FastLoops& fast) {
  const ir::Module& m = warp.module;
  Context context = warp;
  context.target = plan::Target::Lane;
  FastLoops alone = write_loops(context, lane);
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
  for (const char* name : context.bytes() ? kStaged : kCounted) write_primitive(w, context.dialect().primitive(name));
  if (context.has_views()) write_primitive(w, context.dialect().primitive("thread_view"));
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

  for (const Stmt* loop : loops_of_cores(m, splits, fast)) {
    fast.loops.erase(loop);
    std::erase(fast.order, loop);
  }
  const std::map<const Stmt*, FastLoop> none;
  Careful around(warp, count, none, fast.tables);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    auto write = splits[i].counted ? write_counted_loop : write_sized_loop;
    fast.loops.emplace(splits[i].loop, write(warp, splits[i], parts[i], around, i));
    fast.order.push_back(splits[i].loop);
  }
  return w.take();
}

}  // namespace sluice::emit
