#include "compiler/emit/cpu.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler/analysis/built_codes.h"
#include "compiler/embed/embed.h"
#include "compiler/emit/checked.h"
#include "compiler/emit/unit.h"
#include "compiler/ir/count_mode.h"
#include "compiler/plan/lower.h"

namespace sluice::emit {
namespace {

void scratch(Writer& w, const Context& c, const std::vector<CodeTable>& tables, const analysis::Uses& uses) {
  const ir::Module& m = c.module;
  w.line("// Chunk state of fixed size. All but the tables is zero at the start of a chunk.");
  w.open("struct Scratch {");
  for (std::uint32_t i = 0; i < m.arrays.size(); ++i)
    w.line("{} {}[{}];", stored(m.arrays[i].elem), c.array(i), m.arrays[i].count);
  for (std::uint32_t i = 0; i < m.codes.size(); ++i)
    w.line("prim::Code<{}, {}> {}[{}];", m.codes[i].symbols, m.codes[i].max_bits, c.code(i), m.codes[i].copies);
  for (std::uint32_t i = 0; i < m.symbols.size(); ++i)
    w.line("prim::Symbols<{}> {};", m.symbols[i].count, c.symbols(i));
  w.line("u8 zeroed_up_to_here;");
  for (const CodeTable& t : tables) {
    const ir::Code& code = m.codes[t.plan.code];
    w.line("u32 {}[{}][prim::table_size({}, {}, {})];", t.name, code.copies, code.symbols, ir::table_bits(code),
           ir::table_most(code));
  }
  std::uint64_t longest = 0;
  for (std::uint32_t i = 0; i < m.buffers.size(); ++i) {
    if (c.views[i]) continue;
    w.line("u8 {}[{}];", c.buffer(i), std::uint64_t{m.buffers[i].limit} * c.elem_bytes());
    longest = std::max<std::uint64_t>(longest, m.buffers[i].limit);
  }
  if (uses.mtf) w.line("u8 mtf_list[256];");
  if (uses.bwt) {
    w.line("u32 bwt_links[{}];", longest);
    w.line("u8 bwt_text[{}];", longest);
  }
  w.close("};");
  w.line("");
}

// Tables of codes that a chunk may read before it has built them: every entry leaves for the checked path, which finds no
// code there. Second levels are reached by links only.
void empty_tables(Writer& w, const Context& c, const std::vector<CodeTable>& tables) {
  const analysis::BuiltCodes built = analysis::built_codes(c.module);
  for (const CodeTable& t : tables) {
    if (built.codes[t.plan.code].always_built) continue;
    const ir::Code& code = c.module.codes[t.plan.code];
    w.line("for (u32 copy = 0; copy < {}; ++copy)", code.copies);
    w.line("  for (u32 i = 0; i < {}; ++i) s.m->{}[copy][i] = prim::kKindLeave;  // not proven to be built before it is read",
           1u << ir::table_bits(code), t.name);
  }
}

void exports(Writer& w, const Context& c, const CpuOptions& options, const std::vector<CodeTable>& tables,
             const analysis::Uses& uses) {
  w.open("template <bool Write> SLUICE_INLINE u64 decode_chunk(sluice_job* job) {");
  w.line("State s;");
  w.line("{}", Dialect::fill(kCpu.zero, "s"));
  w.line("s.in = job->in;");
  w.line("s.size = job->in_size;");
  w.line("s.end = prim::steps<State::kInput>(job->in_size);");
  w.line("s.out = (u8*)job->out;");
  w.line("s.out_end = job->out_capacity < 0x{0:x}ull ? job->out_capacity : 0x{0:x}ull;", ir::kMaxCapacity);
  w.line("s.promised = ~0ull;");
  w.line("s.dictionary = job->dictionary;");
  w.line("s.dictionary_size = {};", c.module.has_dictionary ? "job->dictionary_size" : "0");
  w.line("s.dictionary_bytes = s.dictionary_size;");
  w.line("s.args = job->args;");
  w.line("s.m = (Scratch*)job->scratch;");
  w.line("{}", Dialect::fill(kCpu.zero_part, "s.m", "Scratch", "zeroed_up_to_here"));
  empty_tables(w, c, tables);
  w.line("const u64 r = {}<Write>(s);", c.rule(0));
  w.line("job->produced = {};", uses.stages ? "s.diverted ? s.real_produced : s.produced" : "s.produced");
  w.line("job->consumed = (s.pos * State::kStep + 7) / 8;");
  w.line("return r == kAccepted ? kOk : r;");
  w.close();
  w.line("");
  w.line("}  // namespace");
  w.line("");
  w.line("extern \"C\" {");
  const std::string& p = options.prefix;
  w.line("extern const unsigned {}_abi_version;", p);
  w.line("extern const unsigned long long {}_scratch_bytes;", p);
  w.line("const unsigned {}_abi_version = SLUICE_ABI_VERSION;", p);
  w.line("const unsigned long long {}_scratch_bytes = sizeof(Scratch);", p);
  w.line("unsigned long long {}_decode(sluice_job* job);", p);
  w.line("unsigned long long {}_count(sluice_job* job);", p);
  w.line("unsigned long long {}_decode(sluice_job* job) {{ return decode_chunk<true>(job); }}", p);
  w.line("unsigned long long {}_count(sluice_job* job) {{ return decode_chunk<false>(job); }}", p);
  w.line("}");
}

}  // namespace

CpuBody emit_cpu_body(const ir::Module& m, const CpuOptions& options) {
  CpuBody made;
  Context context(m, made.names);
  context.sources = options.sources;
  const plan::Plan plan =
      options.fast_loops ? plan::lower(m, plan::Target::Cpu) : plan::lower_checked(m, plan::Target::Cpu);
  const FastLoops fast = write_loops(context, plan);

  const analysis::Uses uses = analysis::uses_of(m);
  Writer body(context.notes());
  if (!context.bytes()) body.line("typedef prim::BitBuffer<{}> Bits;", context.msb());
  body.line("");
  write_constants(body, context, fast.tables);
  scratch(body, context, fast.tables, uses);
  write_state(body, context, uses);
  write_fast_loops(body, fast);
  write_checked_path(body, context, plan);
  exports(body, context, options, fast.tables, uses);
  made.text = body.take();
  return made;
}

std::string emit_cpu_head(const embed::PrimitiveNames& names) {
  std::string head(embed::text(kCpu.abi));
  head += "namespace {\n\n";
  return head + embed::primitives(kCpu.primitives, {}, names).prim;
}

std::string emit_cpu(const ir::Module& m, const CpuOptions& options) {
  const CpuBody body = emit_cpu_body(m, options);
  return fmt::format("// Decoder for {}, written by the Sluice compiler.\n", m.name) + emit_cpu_head(body.names) + body.text;
}

}  // namespace sluice::emit
