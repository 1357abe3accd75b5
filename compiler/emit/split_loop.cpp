#include "compiler/emit/split_loop.h"

#include "compiler/emit/split_part.h"

namespace sluice::emit {
namespace {

void write_state(Writer& w, const Context& c) {
  w.line("// A lane's view of the chunk: its own region, everything else shared and left alone.");
  const char* kind = c.bytes() ? "Bytes" : c.msb() ? "Msb" : "Lsb";
  if (c.entries) w.open("struct State : prim::PartStream<prim::Input::{}> {{", kind);
  else w.open("struct State : prim::Stream<prim::Input::{}> {{", kind);
  w.line("ScratchRef m;");
  w.line("const unsigned long long* args;");
  for (std::uint32_t i = 0; i < c.module.globals.size(); ++i)
    w.line("{} {};", held(c.module.globals[i].type), c.global(i));
  if (!c.module.buffers.empty()) w.line("u64 buffer_count[{}];", c.module.buffers.size());
  if (c.has_views()) w.line("u64 buffer_from[{}];", c.module.buffers.size());
  if (!c.bytes()) {
    if (!c.entries) {
      w.line("u8* copy_base;  // the part's copies that wait: targets count from here, and how many there are");
      w.line("u32 copies;");
    }
    if (c.entries) w.line("typedef prim::PartBits<{}> Bits;", c.msb());
    else w.line("typedef prim::LaneBits<{}> Bits;", c.msb());
  }
  w.close("};");
  if (!c.bytes()) w.line("typedef State::Bits Bits;");
  w.line("// Any word but 0 says that something is wrong; what, the checked path finds.");
  w.open("SLUICE_INLINE u64 fail(State& s, u64 site, u64 at) {");
  w.line("s.pos = at;");
  w.line("return site;");
  w.close();
  w.line("SLUICE_INLINE u64 full(State& s, u64 site, u64 at, u64 = 1) { return fail(s, site, at); }");
  w.line("");
}

}  // namespace

std::string add_part_loops(const Context& warp, const plan::PartPlans& plans, std::vector<std::string>& loops) {
  Context context = warp;
  context.target = plan::Target::Lane;
  const std::vector<std::string> per_thread = write_loops(context, plans.lane);
  std::vector<Part> parts;
  for (const plan::Loop& loop : plans.warp.loops)
    if (loop.part) parts.push_back(part_of(warp, loop));

  Writer w(context.notes());
  w.line("// What a lane does alone.");
  w.line("namespace thread {");
  write_state(w, context);
  CheckedPath checked(context, plans.lane);
  write_fast_loops(w, per_thread);
  checked.write_rules(w);
  for (const Part& part : parts) w.raw(checked.piece(part.loop.rule, part.plan().core, part.head, part.plan().own));
  w.line("}  // namespace thread");
  w.line("");

  CheckedPath around(warp, plans.warp);
  for (const Part& part : parts)
    loops.push_back((!part.plan().counted ? write_sized_loop : warp.entries ? write_entries_loop : write_counted_loop)(part, around));
  return w.take();
}

}  // namespace sluice::emit
