#include "compiler/emit/cuda.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <vector>

#include "compiler/analysis/split_loops.h"
#include "compiler/embed/embed.h"
#include "compiler/emit/checked.h"
#include "compiler/emit/device_function.h"
#include "compiler/emit/objects.h"
#include "compiler/emit/scratch.h"
#include "compiler/emit/split_loop.h"
#include "compiler/emit/unit.h"
#include "compiler/ir/count_mode.h"
#include "compiler/ir/error_text.h"
#include "compiler/plan/kernel.h"
#include "compiler/plan/lower.h"
#include "compiler/strategy/strategies.h"

namespace sluice::emit {
namespace {

using schedule::InputBuffer;
using schedule::Resolve;

// What becomes of copies: in the kernel's words.
std::string resolve_name(const Context& c, Resolve resolve) {
  switch (resolve) {
    case Resolve::Together:
      return c.format("prim::Resolve::Together");
    case Resolve::Sequential:
      return c.format("prim::Resolve::Sequential");
    case Resolve::Rounds:
      return c.format("prim::Resolve::Rounds");
    case Resolve::Independent:
      return c.format("prim::Resolve::Independent");
    case Resolve::Steps:
      break;  // nothing is collected
  }
  return "";
}
std::string copies_type(const Context& c, Resolve resolve) {
  return resolve == Resolve::Together ? c.format("prim::PendingCopy") : c.format("prim::Batch<{}>", resolve_name(c, resolve));
}

// A chunk's input, and its bytes, as the batch says them (runtime/api/cuda_abi.h).
constexpr const char* kInput = "(const u8*)((u64)b.in[{0}] + b.in_base)";
constexpr const char* kInputSize = "b.in_size ? b.in_size[{0}] : (u64)b.in[{0} + 1] - (u64)b.in[{0}]";

// ---- Kernels -------------------------------------------------------------------------------------------------------

// Runs the main rule, unless the chunk's buffers are not where the schedule promises: code that relies on it must not
// meet others.
void write_run(Writer& w, const Context& c, const plan::LaunchPlan& plan) {
  if (plan.input_alignment == 1 && plan.output_alignment == 1) {
    w.line("prim::open(s);");
    w.line("const u64 r = {}<Write>(s);", c.rule(0));
    return;
  }
  w.line("u64 r = kOk;");
  if (plan.output_alignment > 1)
    w.line("if ((u64)s.out % prim::kOutputAlignment != 0) r = 0x{:x}ull;  // misaligned_output", ir::kMisalignedOutput);
  for (std::size_t i = 0; plan.output_alignment > 1 && i < c.module.outputs.size(); ++i)
    w.line("if ((u64)s.further_out[{}] % prim::kOutputAlignment != 0) r = 0x{:x}ull;  // likewise", i, ir::kMisalignedOutput);
  if (plan.input_alignment > 1)
    w.line("if ((u64)s.in % prim::kInputAlignment != 0) r = 0x{:x}ull;  // misaligned_input", ir::kMisalignedInput);
  w.open("if (r == kOk) {");
  w.line("prim::open(s);");
  w.line("r = {}<Write>(s);", c.rule(0));
  w.close();
}

void write_chunk(Writer& w, const Context& c, const plan::Plan& plan, const analysis::Uses& uses,
                 const plan::Kernel& kernel) {
  const plan::Memory& memory = kernel.memory;
  w.line("template <bool Write>");
  w.open("SLUICE_INLINE void decode_chunk(const sluice_cuda_batch& b, u64 chunk{}) {{", memory.temporary() ? ", u8* temp" : "");
  w.line("prim::sync();  // the chunk before is done with the memory");
  w.line("const ScratchRef m;");
  w.line("prim::clear(m.operator->(), sizeof(Scratch));");
  if (memory.temporary()) write_temporary(w, c, plan, memory);
  if (memory.lent_bytes != 0) write_lent(w, c, plan, memory);
  write_empty_tables(w, c, plan);
  w.line("State s = State();");
  w.line("s.in = {};", fmt::format(fmt::runtime(kInput), "chunk"));
  w.line("s.size = {};", fmt::format(fmt::runtime(kInputSize), "chunk"));
  w.line("s.end = prim::steps<State::kInput>(s.size);");
  w.line("s.out = Write ? (u8*)((u64)b.out[chunk] + b.out_base) : nullptr;");
  w.line("s.out_end = b.out_capacity ? b.out_capacity[chunk] : ~0ull;");
  w.line("if (s.out_end > 0x{0:x}ull) s.out_end = 0x{0:x}ull;", ir::kMaxCapacity);
  for (std::size_t i = 0; i < c.module.outputs.size(); ++i) {
    w.line("s.further_out[{0}] = Write ? (u8*)((u64)b.further[{0}].out[chunk] + b.further[{0}].out_base) : nullptr;", i);
    w.line("s.further_room[{0}] = b.further[{0}].out_capacity ? b.further[{0}].out_capacity[chunk] : ~0ull;", i);
    w.line("if (s.further_room[{0}] > 0x{1:x}ull) s.further_room[{0}] = 0x{1:x}ull;", i, ir::kMaxCapacity);
  }
  w.line("s.promised = ~0ull;");
  w.line("s.dictionary = b.dictionary;");
  w.line("s.dictionary_size = {};", c.module.has_dictionary ? "b.dictionary_size" : "0");
  w.line("s.dictionary_bytes = s.dictionary_size;");
  w.line("s.args = b.args;");
  if (uses.sums_in_buffers) w.line("s.counting = !Write;");
  write_run(w, c, kernel.launch);
  w.line("const u64 error = outcome(s, r);");
  w.open("if (prim::worker() == 0) {");
  w.line("b.produced[chunk] = {};", uses.stages ? "s.diverted ? s.real_produced : s.produced" : "s.produced");
  for (std::size_t i = 0; i < c.module.outputs.size(); ++i)
    w.line("b.further[{0}].produced[chunk] = s.further_made[{0}] + (s.further_open == {1} ? s.produced : 0);", i, i + 1);
  w.line("if (b.consumed) b.consumed[chunk] = ({} * State::kStep + 7) / 8;", c.bit_of("s.pos"));
  w.line("b.error[chunk] = error;");
  w.close();
  w.close();
  w.line("");
}

void write_kernel(Writer& w, const Dialect& dialect, const std::string& name, bool write,
                  const plan::Kernel& kernel) {
  const plan::LaunchPlan& plan = kernel.launch;
  std::string bounds = fmt::format("{}", plan.threads_per_block);
  if (kernel.min_blocks != 0) bounds += fmt::format(", {}", kernel.min_blocks);
  w.open("{}", Dialect::fill(dialect.kernel, bounds, name));
  if (kernel.prefetch) {
    w.line("// One warp more than works. It ends when it has asked for everything; barriers wait for those that are left.");
    w.line("if ({} >= prim::kWorkers) return prim::prefetch({}, {});", dialect.thread, fmt::format(fmt::runtime(kInput), dialect.block),
           fmt::format(fmt::runtime(kInputSize), dialect.block));
  }
  if (kernel.chunk_warps > 1)
    w.line("if ({} >= prim::kLanes) return team<{}>();  // the first warp decodes the chunk, and they help it", dialect.thread, write);
  if (kernel.writer_warps != 0 && write) {
    if (kernel.walker_warps != 0) w.line("prim::open_walks();");
    w.line("prim::open_packets();");
    if (kernel.walker_warps != 0)
      w.line("if ({} >= 2 * prim::kLanes) return walker();  // the third warp: it walks the input ahead of the first one", dialect.thread);
    w.line("if ({} >= prim::kLanes) return prim::write_packets();  // the second warp: output of the tokens that the first one finds", dialect.thread);
  } else if (kernel.writer_warps != 0) {
    w.line("if ({} >= prim::kLanes) return;  // there is nothing to write", dialect.thread);
  }
  if (plan.narrows()) {
    w.line("// Few chunks are launched in narrower blocks, so that all multiprocessors have some.");
    w.line("const u64 slot = (u64){} * ({} / prim::kWorkers) + {} / prim::kWorkers;", dialect.block, dialect.block_size, dialect.thread);
  } else {
    w.line("const u64 slot = (u64){} * kChunksPerBlock + {} / prim::kWorkers;", dialect.block, dialect.thread);
  }
  if (kernel.memory.temporary()) {
    w.line("// A slot of temporary memory takes chunk after chunk, in the order in which slots become free.");
    w.line("if (slot >= b.slots) return;");
    w.line("u8* const temp = b.temp + {} + slot * {}ull;", plan::kTempHeader, plan.temp_bytes_per_slot);
    w.open("for (;;) {");
    w.line("const u64 chunk = prim::next_chunk((unsigned long long*)b.temp);");
    w.line("if (chunk >= b.chunks) return;");
    w.line("decode_chunk<{}>(b, chunk, temp);", write);
    w.close();
  } else {
    w.line("if (slot < b.chunks) decode_chunk<{}>(b, slot);", write);
    if (kernel.chunk_warps > 1) w.line("prim::end_jobs();");
    if (kernel.walker_warps != 0 && write) w.line("prim::end_walks();");
    if (kernel.writer_warps != 0 && write) w.line("prim::end_packets();");
  }
  w.close();
}

// What its loops' lanes that guess keep in shared memory, of each kind of records.
std::string guess_bytes(const Context& c, const plan::Plan& plan, const plan::Kernel& kernel) {
  if (kernel.chunk_warps > 1) return c.format("prim::kTeamBytes");
  const auto any = [&](const auto& f) {
    return std::ranges::any_of(plan.loops, [&](const plan::Loop& loop) { return loop.has_records() && f(*loop.records); });
  };
  std::string bytes;  // tokens that copy begin at bits or at bytes: plan::keep_one_kind
  if (any([](const plan::Records& r) { return !r.values && r.bits; })) bytes = c.format("prim::kSpeculateBitsBytes");
  if (any([](const plan::Records& r) { return !r.values && !r.bits && !r.chained; })) bytes = c.format("prim::kSpeculateBytes");
  if (any([](const plan::Records& r) { return r.chained; })) bytes = (bytes.empty() ? c.format("prim::kStepsBytes + prim::kWriterBytes") : bytes) + c.format(" + prim::kChainBytes");
  if (any([](const plan::Records& r) { return r.values.has_value(); })) bytes += (bytes.empty() ? "" : " + ") + c.format("prim::kSpeculateValuesBytes");
  if (kernel.walker_warps != 0) bytes += c.format(" + prim::kWalkerBytes");
  return bytes;
}

// The constants that primitives are compiled with.
void write_defines(Writer& w, const plan::Kernel& kernel) {
  w.line("#define SLUICE_WORKERS {}", kernel.workers);
  w.line("#define SLUICE_WARPS {}", kernel.warps);
  for (const plan::Define& define : kernel.defines) w.line("#define {} {}", define.name, define.value);
  if (kernel.launch.input_alignment > 1) w.line("#define SLUICE_INPUT_ALIGNMENT {}", kernel.launch.input_alignment);
  if (kernel.launch.output_alignment > 1) w.line("#define SLUICE_OUTPUT_ALIGNMENT {}", kernel.launch.output_alignment);
}

// Those of a lane stand in a namespace of their own, which the text of a kernel that splits goes on with. Returns the macros that
// they define.
std::set<std::string_view> write_primitives(Writer& w, const Context& c, const plan::Kernel& kernel, const embed::PrimitiveNames& names) {
  std::span<const std::string_view> lane;
  if (kernel.parts) lane = c.bytes() ? c.dialect.of_bytes : c.entries ? c.dialect.of_entries : c.dialect.of_bits;
  if (kernel.speculate || kernel.codes) lane = c.dialect.of_tokens;
  std::vector<std::string_view> headers(c.dialect.primitives.begin(), c.dialect.primitives.end());
  if (kernel.workers == schedule::kLanes) std::erase(headers, embed::kOfBlocks);
  const embed::PrimitiveTexts texts = embed::primitives(headers, lane, names);
  w.raw(texts.prim);
  if (lane.empty()) return texts.macros;
  w.line("namespace warp_prim = prim;");
  w.line("namespace thread {");
  w.raw(texts.thread);
  w.line("}  // namespace thread");
  return texts.macros;
}

// The header of a device function. `body`: what stands behind primitives and in front of decode().
std::string device_text(const Context& c, const plan::Plan& plan, const plan::Kernel& kernel, embed::PrimitiveNames& names, Writer& body,
                        const std::string& name) {
  write_decode(body, c, plan, kernel);
  Writer text(c.notes());
  write_defines(text, kernel);
  std::set<std::string_view> macros = write_primitives(text, c, kernel, names);
  text.raw(body.text());
  macros.insert({"SLUICE_WORKERS", "SLUICE_WARPS"});
  for (const plan::Define& define : kernel.defines) macros.insert(define.name);
  return device_header(c, kernel, name, text.text(), macros);
}

}  // namespace

CudaUnit emit_cuda(const ir::Module& m, const CudaOptions& options) {
  const bool function = !options.device_function.empty();
  const plan::Outputs outputs = function ? plan::Outputs::Sink : plan::Outputs::Memory;
  const plan::TokenPlans tokens =
      plan::token_plans(m, analysis::find_split_loops(m).loops, plan::asked_of(options.schedule, outputs));
  plan::Kernel kernel = strategy::start(m, tokens, options.schedule, options.device);
  embed::PrimitiveNames names;
  const Dialect& dialect = *options.dialect;
  Context context(m, names, plan::Target::Warp, dialect);
  const analysis::Uses uses = analysis::uses_of(m);
  context.moves = uses.moves;
  context.sums_in_buffers = uses.sums_in_buffers;
  context.asked_table_bits = schedule::asked_table_bits(options.schedule);
  context.sources = options.sources;
  context.outputs = outputs;
  context.entries = kernel.part_resolve == Resolve::Steps;
  const plan::Plan& plan = tokens.of_warp(kernel.parts);
  context.alike_ranges = kernel.alike_ranges;
  context.own = kernel.own_tokens;
  context.objects = kernel.objects;
  if (options.decode) context.kernels.push_back(true);
  if (options.count) context.kernels.push_back(false);
  context.keeps_tokens = kernel.speculate && std::ranges::any_of(plan.loops, [](const plan::Loop& l) { return l.has_records() && l.records->values; });
  std::vector<std::string> loops = write_loops(context, plan, &kernel);
  const std::string per_thread = kernel.parts ? add_part_loops(context, *tokens.parts, loops) : "";
  plan::finish(kernel, m, plan.tables);
  context.lends_room = kernel.memory.under_stages != 0;

  Writer body(context.notes());
  if (function) body.line("typedef {} Value;  // an output", stored(m.output));
  else body.line("constexpr u32 kChunksPerBlock = {};", kernel.launch.chunks_per_block);
  body.line("constexpr prim::Buffer kBuffer = prim::Buffer::{};",
            options.schedule.input == InputBuffer::Registers ? "Registers" : "Shared");
  if (!context.bytes()) body.line("typedef prim::BitBuffer<{}, kBuffer> Bits;", context.msb());
  if (!function) body.line("typedef {} Copies;", copies_type(context, kernel.resolve));
  if (kernel.part_resolve && !context.entries) body.line("constexpr prim::Resolve kPartResolve = {};", resolve_name(context, *kernel.part_resolve));
  body.line("");
  write_constants(body, context, plan);
  write_scratch(body, context, plan, kernel);
  if (kernel.memory.stages_bytes != 0)
    body.line("static_assert(prim::kStageRoomBytes <= {}, \"the stages' share of a block's static memory\");\n",
              kernel.memory.stages_bytes);
  if (kernel.speculate)
    body.line("static_assert({} <= {}, \"the guesses' share of a block's static memory\");\n", guess_bytes(context, plan, kernel),
              kernel.memory.staging_bytes);
  if (kernel.codes) {
    const bool tables = std::ranges::any_of(plan.loops, [](const plan::Loop& loop) { return loop.has_codes() && loop.codes->bytes == 0; });
    std::string bytes = kernel.chunk_warps > 1 ? context.format("prim::kTeamLanesBytes") : context.format("prim::kFixedLanesBytes");
    if (tables) bytes = (kernel.chunk_warps > 1 ? bytes + " + " : "") + context.format("prim::kCodeLanesBytes");
    body.line("static_assert({} <= {}, \"the codes' share of a block's static memory\");\n", bytes, kernel.memory.staging_bytes);
  }
  if (context.entries)
    body.line("static_assert({} <= {}, \"the slots' share of a block's static memory\");\n", context.format("prim::kStepsBytes"),
              kernel.memory.staging_bytes);
  if (kernel.memory.temporary())
    body.line("static_assert(kTempBytes <= {}, \"the launch plan's piece of temporary memory\");\n",
              kernel.memory.temporary_bytes);
  if (function) write_storage(body, context, kernel);
  write_state(body, context, uses);
  body.raw(per_thread);
  write_fast_loops(body, loops);
  write_checked_path(body, context, plan);
  if (function) return {device_text(context, plan, kernel, names, body, options.device_function), {}, {}};
  write_chunk(body, context, plan, uses, kernel);
  body.line("}  // namespace");
  body.line("");
  const bool apart = kernel.objects.count > 1;
  if (apart) body.line("#if !SLUICE_ELSEWHERE(1)");
  if (options.decode) write_kernel(body, dialect, kernel.launch.decode, true, kernel);
  if (options.count) write_kernel(body, dialect, kernel.launch.count, false, kernel);
  if (apart) body.line("#endif");

  CudaUnit unit;
  unit.plan = kernel.launch;
  unit.objects = kernel.objects;
  Writer w(context.notes());
  w.line("// Kernels for {}, written by the Sluice compiler.", m.name);
  w.raw(embed::text(dialect.abi));
  write_defines(w, kernel);
  open_namespace(w, context);
  w.line("");
  write_primitives(w, context, kernel, names);
  w.raw(body.text());
  unit.text = w.take();
  return unit;
}

}  // namespace sluice::emit
