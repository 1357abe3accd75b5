#pragma once
// Where a plan's loops run, and what a decoder may use there.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/analysis/directions.h"
#include "compiler/analysis/input_views.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/table_shape.h"

namespace sluice::plan {

enum class Target : std::uint8_t {
  Cpu,   // one thread
  Warp,  // a kernel's lanes together: all know the same, loads and stores are shared out
  Lane,  // one lane of a kernel by itself, beside others (strategy split)
};

// Are checksums over the output computed, and what they are compared with looked at?
enum class Checksums : bool { Off, On };
// How often a lane goes through a part whose output has no recorded size: it counts and then writes, or leaves entries.
enum class PartPasses : bool { Twice, Once };

// Where a kernel's outputs go: to memory, or to a sink of the caller's, to which each is handed once (note [once] of
// runtime/prim/cuda/sink.h).
enum class Outputs : bool { Memory, Sink };

[[nodiscard]] constexpr bool on_gpu(Target target) { return target != Target::Cpu; }

// What a schedule asks of a kernel's loops.
struct Asked {
  Checksums checksums = Checksums::On;
  unsigned table_bits = 0;  // table_bits()
  PartPasses passes = PartPasses::Twice;
  Outputs outputs = Outputs::Memory;
};

// Bits of the stream that a bit buffer can show at once.
[[nodiscard]] constexpr unsigned look_bits(Target target) { return on_gpu(target) ? 32 : 56; }

// Bits that surely are in a CPU's buffer behind those that are counted: at any time, and where it has just been filled
// (prim::kRefillBits of a word). They are looked at before it is filled again.
inline constexpr unsigned kShownBeyond = 1, kShownBeyondRefill = 8;

// Index bits of a code's look-up table. A kernel's tables share a multiprocessor's memory with those of other chunks:
// several tables of one code are kept small, longer codes are looked for by all lanes. Codes of few bits have them whole: where
// lanes look at codes from any bit on (fills.h), some always have a long one. `asked`: of a kernel's schedule, for large
// alphabets; 0: as they are.
inline constexpr unsigned kWholeShort = 7;
[[nodiscard]] inline unsigned table_bits(Target target, const ir::Code& code, unsigned asked) {
  constexpr unsigned kOfSeveral = 8;
  if (!on_gpu(target)) return ir::table_bits(code);
  if (code.max_bits <= kWholeShort) return code.max_bits;
  const unsigned bits = asked == 0 ? ir::table_bits(code) : ir::table_bits(code, asked);
  return code.copies > 1 ? std::min(bits, kOfSeveral) : bits;
}

// A module on a target: what every part of the lowering asks.
struct Ground {
  const ir::Module& module;
  Target target = Target::Cpu;
  unsigned asked_table_bits = 0;  // table_bits()
  std::vector<bool> views = analysis::input_views(module);  // buffers that are none: they have no memory of their own
  PartPasses passes = PartPasses::Twice;
  Outputs outputs = Outputs::Memory;
  analysis::Directions directions = analysis::Directions(module);
  ir::Type element = module.output;  // of what is output where one looks: ir::Elements

  [[nodiscard]] bool bytes() const { return module.input == ir::Input::Bytes; }
  [[nodiscard]] unsigned elem_bytes() const { return element.bits / 8u; }
  [[nodiscard]] bool has_buffers() const { return std::ranges::find(views, false) != views.end(); }
};

}  // namespace sluice::plan
