#include "compiler/emit/cuda.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler/analysis/built_codes.h"
#include "compiler/driver/embedded.h"
#include "compiler/emit/careful.h"
#include "compiler/emit/split_loop.h"
#include "compiler/emit/unit.h"
#include "compiler/ir/error_text.h"

namespace sluice::emit {
namespace {

using schedule::InputBuffer;
using schedule::Resolve;
using schedule::Strategy;

// ---- Chunk state ---------------------------------------------------------------------------------------------------

// A chunk's arrays and tables lie in shared memory as long as they are small; what is not, and every buffer of a stage,
// lies in temporary global memory.
constexpr std::uint64_t kSharedChunk = 47 << 10;  // of one chunk: with its ring below the 48 KiB of a static block
// Formats with temporary memory keep longer arrays there: with less shared memory a chunk, more of them are decoded at once.
constexpr std::uint64_t kLongArray = 4 << 10;
// What the stages that permute keep there beside it: prim::kStageRoomBytes.
std::uint64_t stage_room(const Uses& uses) { return uses.mtf || uses.bwt ? 8 << 10 : 0; }
// Shared memory of a warp's parts under strategy split: slices of input and output where those have sizes
// (prim::in_slices, prim::out_slices), otherwise the copies that wait (prim::waiting).
std::uint64_t parts_room(const ir::Module& m, const schedule::Schedule& s) {
  constexpr std::uint64_t kLanes = 32, kUnit = 16, kWaiting = 8;
  if (s.strategy != Strategy::Split) return 0;
  if (m.input != ir::Input::Bytes) return kLanes * s.part_copies * kWaiting;
  if (s.split_buffer <= kUnit) return 0;
  return kLanes * (s.split_buffer + std::max<std::uint64_t>(s.split_buffer / 2, 2 * kUnit));
}

// Wide loads and stores of stages begin at the start of a buffer, where also what is promised of the output must hold.
constexpr std::uint64_t kTempAlign = 16;
static_assert(kTempAlign % schedule::kMostOutputAlignment == 0);

struct Member {
  std::string element, name, extent;  // `element name extent;`
  std::uint64_t bytes;
  bool zeroed;
  bool hot = false;  // looked at by every token
  bool shared = false;
};

std::vector<Member> members(const Context& c, const std::vector<CodeTable>& tables, const Uses& uses,
                            std::uint64_t taken) {
  const ir::Module& m = c.module;
  std::vector<Member> r;
  for (std::uint32_t i = 0; i < m.arrays.size(); ++i) {
    const ir::Type t = m.arrays[i].elem;
    r.push_back({stored(t), c.array(i), fmt::format("[{}]", m.arrays[i].count),
                 std::uint64_t{m.arrays[i].count} * stored_bytes(t), true});
  }
  for (std::uint32_t i = 0; i < m.codes.size(); ++i) {
    const ir::Code& k = m.codes[i];
    // Two words a length, a symbol's two bytes, `complete`: prim::Code.
    const std::uint64_t one = 8 * (k.max_bits + 1u) + 2 * std::uint64_t{k.symbols} + 8;
    r.push_back({fmt::format("prim::Code<{}, {}>", k.symbols, k.max_bits), c.code(i), fmt::format("[{}]", k.copies),
                 one * k.copies, true, true});
  }
  for (std::uint32_t i = 0; i < m.symbols.size(); ++i)
    r.push_back({fmt::format("prim::Symbols<{}>", m.symbols[i].count), c.symbols(i), "",
                 std::uint64_t{m.symbols[i].count} * 9 + 8, true, true});
  for (const CodeTable& t : tables) {
    const ir::Code& k = m.codes[t.plan.code];
    r.push_back({"u32", t.name, fmt::format("[{}][{}]", k.copies, 1u << c.table_bits(k)),
                 (std::uint64_t{4} << c.table_bits(k)) * k.copies, false, true});
  }
  if (uses.mtf) r.push_back({"u8", "mtf_list", "[256]", 256, false});
  // What every token looks at comes first, then what is small: a long array is read now and then.
  std::vector<Member*> order;
  for (Member& x : r) order.push_back(&x);
  std::stable_sort(order.begin(), order.end(), [](const Member* x, const Member* y) {
    return x->hot != y->hot ? x->hot : x->bytes < y->bytes;
  });
  std::uint64_t used = taken;
  for (Member* x : order) {
    x->shared = used + x->bytes + 8 <= kSharedChunk && (x->hot || !c.has_buffers() || x->bytes <= kLongArray);
    if (x->shared) used += x->bytes + 8;
  }
  std::uint64_t longest = 0;
  for (std::uint32_t i = 0; i < m.buffers.size(); ++i) {
    if (c.views[i]) continue;
    const std::uint64_t bytes = std::uint64_t{m.buffers[i].limit} * c.elem_bytes();
    r.push_back({"u8", c.buffer(i), fmt::format("[{}]", bytes), bytes, false});
    longest = std::max<std::uint64_t>(longest, m.buffers[i].limit);
  }
  if (uses.bwt) {
    r.push_back({"u32", "bwt_links", fmt::format("[{}]", longest), 4 * longest, false});
    r.push_back({"u8", "bwt_text", fmt::format("[{}]", longest), longest, false});
  }
  return r;
}

// `u8 a[4];` in shared memory; a pointer to what lies elsewhere is indexed in the same way.
void write_scratch(Writer& w, const std::vector<Member>& all) {
  const bool temp = std::any_of(all.begin(), all.end(), [](const Member& x) { return !x.shared; });
  if (temp) {
    w.line("// What a chunk keeps in temporary global memory.");
    w.open("struct Temp {");
    for (const Member& x : all)
      if (!x.shared) w.line("alignas({}) {} {}{};", kTempAlign, x.element, x.name, x.extent);
    w.close("};");
  }
  w.line("// What a chunk keeps in shared memory. All zero at its start.");
  w.open("struct Scratch {");
  for (const Member& x : all) {
    const std::size_t second = x.extent.find('[', 1);
    if (x.shared)
      w.line("{} {}{};", x.element, x.name, x.extent);
    else if (second == std::string::npos)
      w.line("{}* {};", x.element, x.name);
    else
      w.line("{} (*{}){};", x.element, x.name, x.extent.substr(second));
  }
  w.line("u64 end;");
  w.close("};");
  w.line("static_assert(sizeof(Scratch) <= {}, \"a chunk's share of a block's static memory\");", kSharedChunk);
  w.line("// A variable of the block's own: through a pointer, every access would have to find out which memory it is in.");
  w.line("__shared__ Scratch scratch_of[kChunksPerBlock];");
  w.open("struct ScratchRef {");
  w.open("SLUICE_METHOD Scratch* operator->() const {");
  w.line("return &scratch_of[kChunksPerBlock == 1 ? 0 : threadIdx.x / prim::kWorkers];");
  w.close();
  w.close("};");
  w.line("constexpr u64 kTempBytes = {};", temp ? "(sizeof(Temp) + 255) / 256 * 256" : "0");
  w.line("");
}

// An upper bound of sizeof(Temp): members in order, each aligned.
std::uint64_t temp_bytes(const std::vector<Member>& all) {
  std::uint64_t n = 0;
  for (const Member& x : all)
    if (!x.shared) n += (x.bytes / kTempAlign + 2) * kTempAlign;
  return (n + 255) / 256 * 256;
}

// What becomes of copies: in the kernel's words.
std::string resolve_name(Resolve resolve) {
  switch (resolve) {
    case Resolve::Together:
      return "prim::Resolve::Together";
    case Resolve::Sequential:
      return "prim::Resolve::Sequential";
    case Resolve::Rounds:
      return "prim::Resolve::Rounds";
    case Resolve::Independent:
      return "prim::Resolve::Independent";
  }
  return "";
}
std::string copies_type(Resolve resolve) {
  return resolve == Resolve::Together ? "prim::Later" : fmt::format("prim::Batch<{}>", resolve_name(resolve));
}

// ---- Kernels -------------------------------------------------------------------------------------------------------

// Runs the main rule, unless the chunk's buffers are not where the schedule promises: code that relies on it must not
// meet others.
void write_run(Writer& w, const Context& c, const LaunchPlan& plan) {
  if (plan.input_alignment == 1 && plan.output_alignment == 1) {
    w.line("prim::open(s);");
    w.line("const u64 r = {}<Write>(s);", c.rule(0));
    return;
  }
  w.line("u64 r = kOk;");
  if (plan.output_alignment > 1)
    w.line("if ((u64)s.out % prim::kOutputAlignment != 0) r = 0x{:x}ull;  // misaligned_output", ir::kMisalignedOutput);
  if (plan.input_alignment > 1)
    w.line("if ((u64)s.in % prim::kInputAlignment != 0) r = 0x{:x}ull;  // misaligned_input", ir::kMisalignedInput);
  w.open("if (r == kOk) {");
  w.line("prim::open(s);");
  w.line("r = {}<Write>(s);", c.rule(0));
  w.close();
}

// Tables of codes that a chunk may read before it has built them: every entry leaves for the checked path, which finds no
// code there.
void write_empty_tables(Writer& w, const Context& c, const std::vector<CodeTable>& tables) {
  const analysis::BuiltCodes built = analysis::built_codes(c.module);
  bool any = false;
  for (const CodeTable& t : tables) {
    if (built.codes[t.plan.code].always_built) continue;
    const ir::Code& code = c.module.codes[t.plan.code];
    w.line("SLUICE_ROLLED");
    w.line("for (u32 i = prim::worker(); i < {}; i += prim::kWorkers)", code.copies << c.table_bits(code));
    w.line("  m->{}[i >> {}][i & {}] = prim::kKindLeave;  // not proven to be built before it is read", t.name,
           c.table_bits(code), (1u << c.table_bits(code)) - 1);
    any = true;
  }
  if (any) w.line("prim::sync();");
}

void write_chunk(Writer& w, const Context& c, const std::vector<Member>& all, const std::vector<CodeTable>& tables,
                 const Uses& uses, const LaunchPlan& plan) {
  w.line("template <bool Write>");
  w.open("SLUICE_COLD void decode_chunk(const sluice_cuda_batch& b, u64 chunk, u8* temp) {");
  w.line("prim::sync();  // the chunk before is done with the memory");
  w.line("const ScratchRef m;");
  w.line("prim::clear(m.operator->(), sizeof(Scratch));");
  w.line("(void)temp;");
  if (std::any_of(all.begin(), all.end(), [](const Member& x) { return !x.shared; })) {
    w.line("Temp* const t = (Temp*)temp;");
    w.open("if (prim::worker() == 0) {");
    for (const Member& x : all)
      if (!x.shared) w.line("m->{0} = t->{0};", x.name);
    w.close();
    for (const Member& x : all)
      if (!x.shared && x.zeroed) w.line("prim::clear(t->{0}, sizeof t->{0});", x.name);
    w.line("prim::sync();");
  }
  write_empty_tables(w, c, tables);
  w.line("State s = State();");
  w.line("s.in = b.in[chunk];");
  w.line("s.size = b.in_size[chunk];");
  w.line("s.end = prim::steps<State::kInput>(s.size);");
  w.line("s.out = Write ? b.out[chunk] : nullptr;");
  w.line("s.limit = b.out_capacity ? b.out_capacity[chunk] : ~0ull;");
  w.line("if (s.limit > 0x{0:x}ull) s.limit = 0x{0:x}ull;", ir::kMaxCapacity);
  w.line("s.promised = ~0ull;");
  w.line("s.dictionary = b.dictionary;");
  w.line("s.dictionary_size = {};", c.module.has_dictionary ? "b.dictionary_size" : "0");
  w.line("s.reach = s.dictionary_size;");
  w.line("s.args = b.args;");
  write_run(w, c, plan);
  w.open("if (prim::worker() == 0) {");
  w.line("b.produced[chunk] = {};", uses.stages ? "s.diverted ? s.real_made : s.made" : "s.made");
  w.line("if (b.consumed) b.consumed[chunk] = (s.pos * State::kStep + 7) / 8;");
  w.line("b.error[chunk] = r == kAccepted ? kOk : r;");
  w.close();
  w.close();
  w.line("");
}

// `bounds`: what the GPU's compiler is told of launches.
void write_kernel(Writer& w, const std::string& name, bool write, const LaunchPlan& plan, bool prefetch,
                  const std::string& bounds) {
  const bool temp = plan.temp_bytes_per_slot > 0;
  w.open("extern \"C\" __global__ void __launch_bounds__({}) {}(const sluice_cuda_batch b) {{", bounds, name);
  if (prefetch) {
    w.line("// One warp more than works. It ends when it has asked for everything; barriers wait for those that are left.");
    w.line("if (threadIdx.x >= prim::kWorkers) return prim::prefetch(b.in[blockIdx.x], b.in_size[blockIdx.x]);");
  }
  w.line("const u64 slot = (u64)blockIdx.x * kChunksPerBlock + threadIdx.x / prim::kWorkers;");
  if (temp) {
    w.line("// A slot of temporary memory takes chunk after chunk, in the order in which slots become free.");
    w.line("if (slot >= b.slots) return;");
    w.line("u8* const temp = b.temp + {} + slot * {}ull;", kTempHeader, plan.temp_bytes_per_slot);
    w.open("for (;;) {");
    w.line("const u64 chunk = prim::next_chunk((unsigned long long*)b.temp);");
    w.line("if (chunk >= b.chunks) return;");
    w.line("decode_chunk<{}>(b, chunk, temp);", write);
    w.close();
  } else {
    w.line("if (slot < b.chunks) decode_chunk<{}>(b, slot, nullptr);", write);
  }
  w.close();
}

// Strategy split wants as many warps on an SM as kSplitThreads make; each block costs a kilobyte of its own.
constexpr std::uint32_t kSplitThreads = 1024;
// Warps of blocks of `warps` that an SM's shared memory holds, each with so much of it.
std::uint64_t resident_warps(std::uint64_t warps, std::uint64_t shared) {
  constexpr std::uint64_t kOfSm = 228 << 10, kOfBlock = 1 << 10, kRing = 264;  // sm_90
  return std::min<std::uint64_t>(kOfSm / (warps * (shared + kRing) + kOfBlock) * warps, kSplitThreads / 32);
}
std::uint32_t split_warps(std::uint64_t shared) {
  return resident_warps(2, shared) > resident_warps(1, shared) ? 2 : 1;
}

}  // namespace

CudaUnit emit_cuda(const ir::Module& m, const CudaOptions& options) {
  const schedule::Schedule& schedule = options.schedule;
  Context context{m, true};
  context.checksum = schedule.checksum;
  FastLoops fast = find_fast_loops(context);
  const ir::CountPlan count = ir::count_plan(m);
  const std::string alone = schedule.strategy == Strategy::Split ? add_split_loops(context, count, fast) : "";
  const Uses uses = find_uses(m);
  const std::vector<Member> all = members(context, fast.tables, uses, stage_room(uses) + parts_room(m, schedule));
  const bool block = schedule.strategy == Strategy::Block;

  CudaUnit unit;
  std::uint64_t shared = stage_room(uses) + parts_room(m, schedule);
  for (const Member& x : all) shared += x.shared ? x.bytes + 8 : 8;
  // Warps are chunks of their own, so a block of one lets each end when it is done. An SM holds 32 blocks but 64 warps:
  // where memory allows more than 32, blocks of two.
  constexpr std::uint64_t kManyWarps = 3 << 10;
  std::uint32_t warps = schedule.warps_per_block ? schedule.warps_per_block : shared <= kManyWarps ? 2 : 1;
  if (schedule.strategy == Strategy::Split && !schedule.warps_per_block) warps = split_warps(shared);
  while (warps > 1 && warps * (shared + 256) > (48 << 10)) --warps;
  unit.plan.chunks_per_block = block ? 1 : warps;
  unit.plan.threads_per_block = block ? schedule.block_threads : 32 * warps;
  unit.plan.temp_bytes_per_slot = temp_bytes(all);
  unit.plan.input_alignment = schedule.input_alignment;
  unit.plan.output_alignment = schedule.output_alignment;
  const bool prefetch = block && schedule.prefetch && unit.plan.temp_bytes_per_slot == 0;  // schedule::prefetch_legal

  Writer w;
  w.line("// Kernels for {}, written by the Sluice compiler.", m.name);
  w.raw(driver::embedded("runtime/api/cuda_abi.h"));
  w.line("#define SLUICE_WORKERS {}", block ? schedule.block_threads : 32);
  w.line("#define SLUICE_WARPS {}", unit.plan.threads_per_block / 32);
  if (prefetch) unit.plan.threads_per_block += 32;
  if (schedule.strategy == Strategy::Leader) w.line("#define SLUICE_LEADER 1");
  if (schedule.strategy == Strategy::Split) w.line("#define SLUICE_SPLIT_BUFFER {}", schedule.split_buffer);
  const unsigned distance_bits = schedule.strategy == Strategy::Split ? copy_distance_bits(m) : 0;
  if (distance_bits != 0) {
    w.line("#define SLUICE_PART_COPIES {}", schedule.part_copies);
    w.line("#define SLUICE_DISTANCE_BITS {}", distance_bits);
  }
  if (schedule.input_alignment > 1) w.line("#define SLUICE_INPUT_ALIGNMENT {}", schedule.input_alignment);
  if (schedule.output_alignment > 1) w.line("#define SLUICE_OUTPUT_ALIGNMENT {}", schedule.output_alignment);
  w.line("namespace {");
  w.line("");
  write_primitive(w, "runtime/prim/cuda/base.h");
  for (const std::string_view name : {"warp", "input", "copy", "resolve", "codes", "checksum", "stream", "bitbuffer", "stages", "permute"}) {
    if ((name == "checksum" && !uses.checksums) || (name == "stages" && !uses.stages)) continue;
    if (name == "permute" && !uses.mtf && !uses.bwt) continue;
    if (name == "resolve" && schedule.resolve == Resolve::Together && distance_bits == 0) continue;
    write_primitive(w, fmt::format("runtime/prim/cuda/{}.h", name));
  }
  if (distance_bits != 0) write_primitive(w, "runtime/prim/cuda/parts.h");
  w.line("constexpr u32 kChunksPerBlock = {};", unit.plan.chunks_per_block);
  w.line("constexpr prim::Buffer kBuffer = prim::Buffer::{};",
         schedule.input == InputBuffer::Registers ? "Registers" : "Shared");
  if (!context.bytes()) w.line("typedef prim::BitBuffer<{}, kBuffer> Bits;", context.msb());
  w.line("typedef {} Copies;", copies_type(distance_bits != 0 ? Resolve::Together : schedule.resolve));
  if (distance_bits != 0) w.line("constexpr prim::Resolve kPartResolve = {};", resolve_name(schedule.resolve));
  w.line("");
  write_constants(w, context, fast.tables);
  write_scratch(w, all);
  if (stage_room(uses) != 0)
    w.line("static_assert(prim::kStageRoomBytes <= {}, \"the stages' share of a block's static memory\");\n",
           stage_room(uses));
  if (unit.plan.temp_bytes_per_slot)
    w.line("static_assert(kTempBytes <= {}, \"the launch plan's piece of temporary memory\");\n",
           unit.plan.temp_bytes_per_slot);
  write_state(w, context, uses);
  w.raw(alone);
  Careful careful(context, count, fast.loops, fast.tables);
  for (const ir::Stmt* s : fast.order) w.raw(fast.loops.at(s).text);
  for (std::uint32_t r = 0; r < m.rules.size(); ++r) w.line("{};", careful.prototype(r));
  w.line("");
  for (std::uint32_t r = 0; r < m.rules.size(); ++r) w.raw(careful.definition(r));
  write_chunk(w, context, all, fast.tables, uses, unit.plan);
  w.line("}  // namespace");
  w.line("");
  // Lanes that go their own ways wait for memory a lot: as many blocks on an SM as its memory holds, each thread with as
  // few registers as that takes.
  std::string bounds = fmt::format("{}", unit.plan.threads_per_block);
  if (schedule.strategy == Strategy::Split)
    bounds += fmt::format(", {}", std::max<std::uint64_t>(1, resident_warps(warps, shared) / warps));
  if (options.decode) write_kernel(w, unit.plan.decode, true, unit.plan, prefetch, bounds);
  if (options.count) write_kernel(w, unit.plan.count, false, unit.plan, prefetch, bounds);
  unit.text = w.take();
  return unit;
}

}  // namespace sluice::emit
