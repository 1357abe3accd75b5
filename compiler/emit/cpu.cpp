#include "compiler/emit/cpu.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler/embed/embed.h"
#include "compiler/emit/checked.h"
#include "compiler/emit/scratch.h"
#include "compiler/emit/unit.h"
#include "compiler/ir/count_mode.h"
#include "compiler/plan/lower.h"

namespace sluice::emit {
namespace {

void exports(Writer& w, const Context& c, const CpuOptions& options, const plan::Plan& plan, const analysis::Uses& uses) {
  w.open("template <bool Write> SLUICE_INLINE u64 decode_chunk(sluice_job* job{}) {{", c.pairs ? ", prim::Pair* pair = nullptr, bool second = false" : "");
  w.line("State s;");
  w.line("{}", Dialect::fill(kCpu.zero, "s"));
  if (c.pairs) w.line("s.pair = pair;");
  if (c.pairs) w.line("s.second = second;");
  w.line("s.in = job->in;");
  w.line("s.size = job->in_size;");
  w.line("s.end = prim::steps<State::kInput>(job->in_size);");
  w.line("s.out = (u8*)job->out;");
  w.line("s.out_end = job->out_capacity < 0x{0:x}ull ? job->out_capacity : 0x{0:x}ull;", ir::kMaxCapacity);
  for (std::size_t i = 0; i < c.module.outputs.size(); ++i) {
    w.line("s.further_out[{0}] = (u8*)job->further[{0}].out;", i);
    w.line("s.further_room[{0}] = job->further[{0}].out_capacity < 0x{1:x}ull ? job->further[{0}].out_capacity : 0x{1:x}ull;", i, ir::kMaxCapacity);
  }
  w.line("s.promised = ~0ull;");
  w.line("s.dictionary = job->dictionary;");
  w.line("s.dictionary_size = {};", c.module.has_dictionary ? "job->dictionary_size" : "0");
  w.line("s.dictionary_bytes = s.dictionary_size;");
  w.line("s.args = job->args;");
  w.line("s.m = (Scratch*)job->scratch;");
  if (uses.sums_in_buffers) w.line("s.counting = !Write;");
  w.line("{}", Dialect::fill(kCpu.zero_part, "s.m", "Scratch", "zeroed_up_to_here"));
  write_empty_tables(w, c, plan);
  w.line("const u64 r = {}<Write>(s);", c.rule(0));
  w.line("const u64 error = outcome(s, r);");
  w.line("job->produced = {};", uses.stages ? "s.diverted ? s.real_produced : s.produced" : "s.produced");
  for (std::size_t i = 0; i < c.module.outputs.size(); ++i)
    w.line("job->further[{0}].produced = s.further_made[{0}] + (s.further_open == {1} ? s.produced : 0);", i, i + 1);
  w.line("job->consumed = ({} * State::kStep + 7) / 8;", c.bit_of("s.pos"));
  w.line("return error;");
  w.close();
  w.line("");
  if (c.pairs) w.line("SLUICE_COLD u64 decode_in_pair(void* job, prim::Pair* pair, bool second) { return decode_chunk<true>((sluice_job*)job, pair, second); }");
  w.line("}  // namespace");
  w.line("");
  w.line("extern \"C\" {");
  const std::string& p = options.prefix;
  w.line("extern const unsigned {}_abi_version;", p);
  w.line("extern const unsigned long long {}_scratch_bytes;", p);
  w.line("const unsigned {}_abi_version = SLUICE_ABI_VERSION;", p);
  w.line("const unsigned long long {}_scratch_bytes = sizeof(Scratch);", p);
  if (options.decodes()) w.line("unsigned long long {}_decode(sluice_job* job);", p);
  if (options.counts()) w.line("unsigned long long {}_count(sluice_job* job);", p);
  if (options.decodes()) w.line("unsigned long long {}_decode(sluice_job* job) {{ return decode_chunk<true>(job); }}", p);
  if (options.counts()) w.line("unsigned long long {}_count(sluice_job* job) {{ return decode_chunk<false>(job); }}", p);
  if (c.pairs) {
    w.line("void {}_decode_two(sluice_two* two);", p);
    w.open("void {}_decode_two(sluice_two* two) {{", p);
    w.line("prim::Pair pair;");
    w.line("pair.job = two->second;");
    w.line("pair.decode = decode_in_pair;");
    w.line("two->first_error = decode_in_pair(two->first, &pair, false);");
    w.line("two->second_error = pair.begun ? pair.error : decode_chunk<true>(two->second);");
    w.close();
  }
  w.line("}");
}

}  // namespace

CpuBody emit_cpu_body(const ir::Module& m, const CpuOptions& options) {
  CpuBody made;
  Context context(m, made.names);
  const analysis::Uses uses = analysis::uses_of(m);
  context.moves = uses.moves;
  context.sums_in_buffers = uses.sums_in_buffers;
  context.sources = options.sources;
  const plan::Plan plan =
      options.fast_loops ? plan::lower(m, plan::Target::Cpu) : plan::lower_checked(m, plan::Target::Cpu);
  context.asks_strings = std::ranges::any_of(plan.loops, [](const plan::Loop& loop) { return loop.has_codes(); });
  // Sizes are found one after the other.
  context.pairs = options.decodes() && std::ranges::any_of(plan.loops, [](const plan::Loop& loop) { return loop.paired; });
  const std::vector<std::string> loops = write_loops(context, plan);

  Writer body(context.notes());
  if (!context.bytes()) body.line("typedef prim::BitBuffer<{}> Bits;", context.msb());
  body.line("");
  write_constants(body, context, plan);
  write_scratch(body, context, plan, plan::members_of(m, plan.tables));
  write_state(body, context, uses);
  write_fast_loops(body, loops);
  write_checked_path(body, context, plan);
  exports(body, context, options, plan, uses);
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
