#include "compiler/emit/device_function.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>

#include "compiler/emit/scratch.h"
#include "compiler/ir/count_mode.h"
#include "compiler/ir/error_text.h"
#include "compiler/schedule/directives.h"

namespace sluice::emit {
namespace {

std::string identifier(std::string_view text) {
  std::string made(text);
  for (char& c : made)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return made;
}

// Names are told apart by their case, so it stays: of two formats `Sum` and `sum` neither hides the other.
std::string guard(const std::string& name) { return name + "_DEVICE"; }

// As a reader of CUDA C++ calls it.
std::string_view value_type(ir::Type t) {
  switch (stored_bytes(t)) {
    case 1:
      return t.is_signed ? "signed char" : "unsigned char";
    case 2:
      return t.is_signed ? "short" : "unsigned short";
    case 4:
      return t.is_signed ? "int" : "unsigned int";
    default:
      return t.is_signed ? "long long" : "unsigned long long";
  }
}

// The run-time arguments' names, in their order.
std::string arguments(const ir::Module& m) {
  std::string names;
  for (const ir::Argument& a : m.args) names += (names.empty() ? "" : ", ") + a.name;
  return names;
}

// Of struct Storage, an upper bound.
std::uint64_t storage_bytes(const plan::Memory& memory) { return memory.scratch_bytes + (memory.staging_bytes + 15) / 16 * 16; }

// How to call it. {0}: the namespace, {1}: the format, {2}: type of a value, {3}: the strategy, {4}: the call's last argument, {5}: no_room, {6}: bits of a value, {7}: bytes of struct Storage.
constexpr std::string_view kManual = R"(// {1}: decodes a chunk inside of a kernel, by one warp, and hands its outputs to the kernel's own code. Written by the
// Sluice compiler, by strategy `{3}`. It includes nothing: for nvcc and NVRTC, C++17, sm_80 and later.
//
//   struct Sum {{
//     unsigned long long all;
//     __device__ void put(unsigned long long index, {2} value) {{ all += value; }}
//   }};
//   __global__ void sum(...) {{                                    // blocks of WARPS warps, a chunk each
//     __shared__ {0}::Storage storage[WARPS];
//     Sum sink = {{0}};
//     const {0}::Result r = {0}::decode(storage[threadIdx.x / 32], in, in_size, most, sink{4});
//     // r.error == 0: the chunk is sound, and sink.all is this lane's share of the sum
//   }}
//
// decode(storage, in, in_size, most, sink{4})
//   All 32 lanes of a warp call it together, those with the same threadIdx.x / 32, with equal arguments but for `sink`.
//   storage     in shared memory, one for each warp that decodes, at most {7} bytes (from 48 KiB on a block's is dynamic:
//               extern __shared__, cudaFuncSetAttribute()); uninitialised before, of no meaning behind. Another chunk may
//               follow in it at once.
//   in, in_size the chunk, at any address; no byte outside of it is read.
//   most        outputs that may be handed over. A chunk that makes more is refused with the error 0x{5:x}.
//   sink        the lane's own. It is copied, and copied back at the end: keep it small, and in registers. It has
//       void put(unsigned long long index, {2} value)
//               output `index` of the chunk, counted from 0, is `value`.
//       void run(unsigned long long index, unsigned long long count, {2} value, {2} step)
//               if it has that: outputs [index, index + count) are value, value + step, ..., modulo 2^{6}. count > 0.
//     Each output is handed over once, to one lane, which nothing is said about, and in no order. Lanes come to a call alone
//     or several at once: it must not wait for other lanes (no __syncwarp(), shuffles or votes in it), and what it writes
//     to memory other lanes see behind decode(), which ends with a __syncwarp().
//   It returns to all lanes the same
//   error       0, or the error word of the clause that refuses the chunk (<sluice/sluice.h> says what one means).
//   produced    outputs [0, produced) have been handed over and no other, if the chunk is refused, too: what a sink has
//               gathered is then to be thrown away, or is of the sound part before the error.
//   consumed    bytes of input that were used.
)";

}  // namespace

std::string device_namespace(const ir::Module& module, std::span<const std::string> set) {
  std::string name = "sluice_" + identifier(module.name);
  for (const std::string& one : set) name += "_" + identifier(one);
  return name;
}

void write_storage(Writer& w, const Context& c, const plan::Kernel& kernel) {
  w.line("// Of a warp, in shared memory.");
  w.open("struct alignas(16) Storage {");
  w.line("Scratch scratch;");
  if (c.keeps_tokens) w.line("prim::ValueRooms rooms;");
  w.close("};");
  w.line("static_assert(sizeof(Storage) <= {}, \"what is said of it above\");", storage_bytes(kernel.memory));
  w.line("");
}

void write_decode(Writer& w, const Context& c, const plan::Plan& plan, const plan::Kernel& kernel) {
  const bool args = !c.module.args.empty();
  w.line("struct Result {");
  w.line("  unsigned long long error, produced, consumed;");
  w.line("};");
  w.line("");
  w.line("template <typename Sink>");
  w.open("SLUICE_COLD Result decode(Storage& storage, const unsigned char* in, unsigned long long in_size, unsigned long long most, Sink& sink{}) {{",
         args ? ", const unsigned long long* args" : "");
  w.line("typedef StateOf<Sink> State;");
  w.line("prim::sync();  // the chunk before is done with the memory");
  w.line("const ScratchRef m = {&storage.scratch};");
  w.line("prim::clear(m.operator->(), sizeof(Scratch));");
  w.line("Sink own = sink;  // nobody else knows where it is");
  w.line("State s = State();");
  w.line("s.m = m;");
  if (c.keeps_tokens) w.line("s.rooms = &storage.rooms;");
  if (kernel.memory.lent_bytes != 0) write_lent(w, c, plan, kernel.memory);
  write_empty_tables(w, c, plan);
  w.line("s.in = in;");
  w.line("s.size = in_size;");
  w.line("s.end = prim::steps<State::kInput>(s.size);");
  w.line("s.out.sink = &own;");
  w.line("s.out_end = most < 0x{0:x}ull ? most : 0x{0:x}ull;", ir::kMaxCapacity);
  w.line("s.promised = ~0ull;");
  if (args) w.line("s.args = args;");
  w.line("prim::open(s);");
  w.line("const u64 r = {}<true>(s);", c.rule(0));
  w.line("sink = own;");
  w.line("const u64 error = outcome(s, r);");
  w.line("const Result result = {{error, s.produced, ({} * State::kStep + 7) / 8}};", c.bit_of("s.pos"));
  w.line("prim::sync();");
  w.line("return result;");
  w.close();
  w.line("");
}

std::string device_header(const Context& c, const plan::Kernel& kernel, const std::string& name, std::string_view text,
                          const std::set<std::string_view>& macros) {
  const ir::Module& m = c.module;
  Writer w(c.notes());
  w.line("#ifndef {}", guard(name));
  w.line("#define {}", guard(name));
  w.raw(fmt::format(fmt::runtime(kManual), name, m.name, value_type(m.output), schedule::name(kernel.schedule.strategy),
                    m.args.empty() ? "" : ", args", ir::kNoRoom, 8 * stored_bytes(m.output), storage_bytes(kernel.memory)));
  if (!m.args.empty())
    w.line("//   args        {} run-time argument{}: {}.", m.args.size(), m.args.size() == 1 ? "" : "s", arguments(m));
  w.line("#if defined(__CUDACC__)  // functions that nobody calls, and what only some of the formats need");
  w.line("#pragma nv_diagnostic push");
  w.line("#pragma nv_diag_suppress 177, 128, 186, 550");
  w.line("#endif");
  w.line("namespace {} {{", name);
  w.line("");
  w.raw(text);
  w.line("}}  // namespace {}", name);
  w.line("");
  for (const std::string_view macro : macros) w.line("#undef {}", macro);
  w.line("#if defined(__CUDACC__)");
  w.line("#pragma nv_diagnostic pop");
  w.line("#endif");
  w.line("#endif  // {}", guard(name));
  return w.take();
}

}  // namespace sluice::emit
