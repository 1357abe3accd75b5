#include "compiler/emit/scratch.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/plan/walk.h"

namespace sluice::emit {
namespace {

using plan::Member;

// How a member is declared: `element name[dims]...;`
struct Spelling {
  std::string element, name;
  std::vector<std::string> dims;
};

std::string brackets(std::span<const std::string> dims) {
  std::string text;
  for (const std::string& n : dims) text += fmt::format("[{}]", n);
  return text;
}

// Of a look-up table, how many entries a copy has: a CPU's has second levels behind the first.
std::string entries(const Context& c, const ir::Code& code, const Member& x) {
  return c.cuda() ? std::to_string(x.count)
                  : c.format("prim::table_size({}, {}, {})", code.symbols, ir::table_bits(code), ir::table_most(code));
}

Spelling spelling(const Context& c, const plan::Plan& plan, const Member& x) {
  const ir::Module& m = c.module;
  const std::string count = std::to_string(x.count);
  switch (x.kind) {
    case Member::Kind::Array:
      return {stored(m.arrays[x.index].elem), c.array(x.index), {count}};
    case Member::Kind::Code:
      return {c.format("prim::Code<{}, {}>", m.codes[x.index].symbols, m.codes[x.index].max_bits), c.code(x.index),
              {count}};
    case Member::Kind::Symbols:
      return {c.format("prim::Symbols<{}>", count), c.symbols(x.index), {}};
    case Member::Kind::Lookup: {
      const std::uint32_t code = plan.tables[x.index].code;
      return {c.entry_type(plan.tables[x.index].entry), c.lookup(code, x.index), {std::to_string(m.codes[code].copies), entries(c, m.codes[code], x)}};
    }
    case Member::Kind::MtfList:
      return {"u8", "mtf_list", {count}};
    case Member::Kind::Buffer:
      return {"u8", c.buffer(x.index), {count}};
    case Member::Kind::BwtLinks:
      return {"u32", "bwt_links", {count}};
    case Member::Kind::BwtText:
      return {"u8", "bwt_text", {count}};
  }
  return {};
}

}  // namespace

void write_scratch(Writer& w, const Context& c, const plan::Plan& plan, std::span<const Member> members) {
  w.line("// Chunk state of fixed size. All but the tables is zero at the start of a chunk.");
  w.open("struct Scratch {");
  bool zeroed = true;
  for (const Member& x : members) {
    if (zeroed && !x.zeroed) w.line("u8 zeroed_up_to_here;");
    zeroed = x.zeroed;
    const Spelling of = spelling(c, plan, x);
    w.line("{} {}{};", of.element, of.name, brackets(of.dims));
  }
  if (zeroed) w.line("u8 zeroed_up_to_here;");
  const auto slices = [](const plan::Loop& loop) { return plan::holds<plan::Slice>(loop.body); };
  if (std::ranges::any_of(plan.loops, slices)) w.line("u8 behind_slices[{}];  // of a buffer, which are loaded 32 bytes at a time", plan::kSlack);
  w.close("};");
  w.line("");
}

// `u8 a[4];` in shared memory; a pointer to what lies elsewhere is indexed in the same way.
void write_scratch(Writer& w, const Context& c, const plan::Plan& plan, const plan::Kernel& kernel) {
  const plan::Memory& memory = kernel.memory;
  const bool lends = memory.under_stages != 0;
  if (lends) {
    w.line("// What waits in temporary memory while a stage has its room here: note [lent room] of the plan's memory.");
    w.open("struct Lent {");
    for (const Member& x : memory.members) {
      const Spelling of = spelling(c, plan, x);
      if (x.under_stages) w.line("{} {}{};", of.element, of.name, brackets(of.dims));
    }
    w.close("};");
  }
  if (memory.temporary()) {
    w.line("// What a chunk keeps in temporary global memory.");
    w.open("struct Temp {");
    for (const Member& x : memory.members) {
      if (x.shared || x.lent) continue;
      const Spelling of = spelling(c, plan, x);
      w.line("alignas({}) {} {}{};", plan::kTempAlign, of.element, of.name, brackets(of.dims));
    }
    if (lends) w.line("alignas({}) Lent waiting;", plan::kTempAlign);
    w.close("};");
    for (const Member& x : memory.members)
      if (x.kind == Member::Kind::BwtLinks)
        w.line("static_assert(sizeof(Temp::bwt_text) >= {}, \"spare memory of the longest buffer\");", c.format("prim::bwt_spare_bytes({})", x.count));
  }
  w.line("// What a chunk keeps in shared memory. All zero at its start.");
  w.open("struct Scratch{} {{", lends ? " : Lent" : "");
  if (lends) {
    w.line("u32 stage_rest[sizeof(Lent) < {0} ? ({0} - sizeof(Lent)) / 4 : 1];  // of the room", c.format("prim::kStageRoomBytes"));
    w.line("Lent* waiting;");
  }
  for (const Member& x : memory.members) {
    if (x.under_stages) continue;
    const Spelling of = spelling(c, plan, x);
    if (x.shared)
      w.line("{} {}{};", of.element, of.name, brackets(of.dims));
    else if (of.dims.size() < 2)
      w.line("{}* {};", of.element, of.name);
    else
      w.line("{} (*{}){};", of.element, of.name, brackets(std::span(of.dims).subspan(1)));
  }
  w.line("u64 end;");
  w.close("};");
  const std::uint32_t dynamic = kernel.launch.dynamic_shared_bytes;
  w.line("static_assert(sizeof(Scratch) <= {}, \"a chunk's share of a block's {} memory\");", memory.most_shared,
         dynamic != 0 ? "shared" : "static");
  if (c.sink()) {  // the caller has declared it
    w.open("struct ScratchRef {");
    w.line("Scratch* at;");
    w.line("SLUICE_METHOD Scratch* operator->() const { return prim::in_register(at); }");
    w.close("};");
    w.line("");
    return;
  }
  w.line("// A variable of the block's own: through a pointer, every access would have to find out which memory it is in.");
  if (dynamic != 0) {
    w.line("static_assert(kChunksPerBlock * sizeof(Scratch) <= {}, \"what the launch plan asks for\");", dynamic);
    w.line("#if !defined(SLUICE_DYNAMIC_SHARED)  // a host that runs kernels gives it a size");
    w.line("#define SLUICE_DYNAMIC_SHARED(type, name, count) {}",
           Dialect::fill(c.dialect.dynamic_shared, "type", "name"));
    w.line("#endif");
    w.line("SLUICE_DYNAMIC_SHARED(Scratch, scratch_of, kChunksPerBlock);");
  } else {
    w.line("{}", Dialect::fill(c.dialect.shared, "Scratch", "scratch_of", "kChunksPerBlock"));
  }
  w.open("struct ScratchRef {");
  w.open("SLUICE_METHOD Scratch* operator->() const {");
  const std::string chunk = fmt::format("[kChunksPerBlock == 1 ? 0 : {} / prim::kWorkers]", c.dialect.thread);
  w.line("return &scratch_of{};", chunk);
  w.close();
  w.close("};");
  if (lends || memory.stages_bytes != 0) {
    if (!lends) w.line("{}", Dialect::fill(c.dialect.shared, "u32", "stage_rooms", c.format("kChunksPerBlock][prim::kStageWords")));
    w.open("namespace prim {");
    w.line("SLUICE_INLINE u32* stage_room() {{ return {}{}; }}", lends ? "(u32*)&scratch_of" : "stage_rooms", chunk);
    w.close("}");
  }
  w.line("constexpr u64 kTempBytes = {};", memory.temporary() ? "(sizeof(Temp) + 255) / 256 * 256" : "0");
  w.line("");
}

void write_temporary(Writer& w, const Context& c, const plan::Plan& plan, const plan::Memory& memory) {
  w.line("Temp* const t = (Temp*)temp;");
  w.open("if (prim::worker() == 0) {");
  for (const Member& x : memory.members)
    if (!x.shared && !x.lent) w.line("m->{0} = t->{0};", spelling(c, plan, x).name);
  if (memory.under_stages != 0) w.line("m->waiting = &t->waiting;");
  w.close();
  for (const Member& x : memory.members)
    if (!x.shared && !x.lent && x.zeroed) w.line("prim::clear(t->{0}, sizeof t->{0});", spelling(c, plan, x).name);
  w.line("prim::sync();");
}

void write_lent(Writer& w, const Context& c, const plan::Plan& plan, const plan::Memory& memory) {
  std::uint64_t at = 0;
  w.open("if (prim::worker() == 0) {");
  for (const Member& x : memory.members) {
    if (!x.lent) continue;
    const Spelling of = spelling(c, plan, x);
    w.line("m->{} = ({}*){};", of.name, of.element, c.sink() ? c.format("(prim::lent_memory(s) + {})", at) : at == 0 ? c.format("prim::lent_memory()") : c.format("(prim::lent_memory() + {})", at));
    at += (x.bytes + 7) / 8 * 8;
  }
  w.close();
  w.line("prim::sync();");
}

void write_empty_tables(Writer& w, const Context& c, const plan::Plan& plan) {
  bool any = false;
  for (std::uint32_t i = 0; i < plan.tables.size(); ++i) {
    if (!plan.tables[i].starts_empty) continue;
    any = true;
    const ir::Code& code = c.module.codes[plan.tables[i].code];
    const std::string name = c.lookup(plan.tables[i].code, i);
    const unsigned bits = c.table_bits(code);
    if (!c.cuda()) {  // second levels are reached by links only
      w.line("for (u32 copy = 0; copy < {}; ++copy)", code.copies);
      w.line("  for (u32 i = 0; i < {}; ++i) s.m->{}[copy][i] = prim::kKindLeave;  // not proven to be built before it is read",
             1u << bits, name);
      continue;
    }
    w.line("SLUICE_ROLLED");
    w.line("for (u32 i = prim::worker(); i < {}; i += prim::kWorkers)", code.copies << bits);
    w.line("  m->{}[i >> {}][i & {}] = {};  // not proven to be built before it is read", name, bits, (1u << bits) - 1,
           c.entry_that_leaves(plan.tables[i].entry));
  }
  if (any && c.cuda()) w.line("prim::sync();");
}

}  // namespace sluice::emit
