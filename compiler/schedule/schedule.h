#pragma once
// A schedule: the strategy and the sizes chosen for one format on one target.
#include <cstdint>

namespace sluice::schedule {

// Each with what it does: strategies.def.
enum class Strategy : std::uint8_t {
#define STRATEGY(Name, name) Name,
#define VARIANT(name, directives)
#include "compiler/schedule/strategies.def"
#undef STRATEGY
#undef VARIANT
};

// Where a warp keeps the input it looks at.
enum class InputBuffer : std::uint8_t {
  Shared,     // two lines of 128 bytes in shared memory
  Registers,  // the same two lines in two registers of each lane, read by shuffles
};

// How a warp does the copies of a token loop (Gompresso, section IV), or makes all output of parts.
enum class Resolve : std::uint8_t {
  Together,     // each as it comes, by all lanes
  Sequential,   // collected, a lane each; then one after the other
  Rounds,       // collected; then, in rounds, all whose source is written
  Independent,  // collected up to a copy that reads what those before it write; then all at once
  Steps,        // strategy Split: parts leave entries, from which all lanes write the output in steps
};

// The driver chooses.
inline constexpr std::int32_t kAnyCarveOut = -1, kMaxCarveOut = 100;

struct Schedule {
  Strategy strategy = Strategy::Warp;
  InputBuffer input = InputBuffer::Shared;
  Resolve resolve = Resolve::Together;
  std::uint32_t warps_per_block = 0;  // 0: chosen by the emitter
  std::uint32_t chunk_warps = 1;      // strategy Speculate: warps that decode one chunk together, a block
  std::uint32_t writer_warps = 0;     // strategy Speculate: warps that write the output, beside the one that finds tokens
  std::uint32_t walker_warps = 0;     // strategy Speculate, with a writer: warps that walk the input ahead of it
  std::uint32_t wide_parts = 0;       // strategy Speculate: bytes of parts from which on wide steps are tried; 0: never
  std::uint32_t block_threads = 128;  // strategy Block: threads of a chunk's block
  std::uint32_t table_bits = 0;       // index bits of tables of large prefix codes; 0: chosen by the compiler
  bool checksum = true;               // false: checksums over the output are not verified
  std::uint32_t part_copies = 32;     // strategy Split, parts that copy: copies of a part that wait in shared memory
  std::uint32_t part_entries = 80;    // likewise, in steps: entries of a part that a lane has room for
  std::uint32_t part_bytes = 512;     // likewise: bytes of output
  std::uint32_t split_buffer = 64;    // strategy Split: bytes staged for each lane; 16: in registers
  std::uint32_t shared_memory = 0;    // KiB of shared memory that a block may take; 0: what needs no asking for
  std::int32_t carve_out = kAnyCarveOut;  // per cent of a multiprocessor's fast memory that is to be shared memory
  bool prefetch = false;              // strategy Block: one warp more, which loads the input ahead
  // Every chunk's input, or output, starts at a multiple of so many bytes. Promised by the caller, checked by the
  // kernel.
  std::uint32_t input_alignment = 1, output_alignment = 1;
};

// Index bits of tables of large prefix codes, as `table_bits` asks for them; 0: as many as a format's own. One warp a chunk under
// `speculate` has shared memory for 22 chunks a multiprocessor with 9, and for 18 with Deflate's 10: of nine kinds of data eight are
// 4 to 13 % faster with 9, x86 code, which has many long codes, 5 % slower. With a writer there are fewer chunks than that.
inline constexpr std::uint32_t kManyChunksTableBits = 9;
[[nodiscard]] inline std::uint32_t asked_table_bits(const Schedule& s) {
  if (s.table_bits != 0) return s.table_bits;
  return s.strategy == Strategy::Speculate && s.writer_warps == 0 ? kManyChunksTableBits : 0;
}

// A line of input as a warp loads it, and what the buffers of stages keep as well: to promise more is of no use.
inline constexpr std::uint32_t kMaxInputAlignment = 128, kMaxOutputAlignment = 16;

}  // namespace sluice::schedule
