#pragma once
// What a decoder keeps of each chunk: on a CPU in one place; in a kernel small things in shared memory, what is long, and
// every buffer of a stage, in temporary global memory.
//
//   array lengths u4[320], code litlen(288, 15) with its look-up   ->   all in shared memory
//   buffer block[900000] with inverse_bwt, array selectors[18002]  ->   buffer, links, text and the array in temporary memory
//
//   note [lent room]: stages that permute want a room of their own in shared memory, and while one runs no token is decoded. Where
// their buffers are long, the room lies over the codes and their look-ups, which wait in temporary memory meanwhile: what is
// copied is nothing beside such a buffer, and more chunks are decoded at once (bzip2 on a GPU of 228 KB: 17 instead of 11).
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/plan/plan.h"

namespace sluice::plan {

struct Member {
  enum class Kind : std::uint8_t { Array, Code, Symbols, Lookup, MtfList, Buffer, BwtLinks, BwtText };
  Kind kind = Kind::Array;
  std::uint32_t index = 0;  // among the module's of its kind; of look-ups: among the plan's
  std::uint64_t count = 0;  // elements; of look-ups: entries of one copy
  std::uint64_t bytes = 0;  // of all
  bool zeroed = false;      // at a chunk's start
  bool hot = false;         // looked at by every token
  bool shared = false;
  bool under_stages = false;  // stages that permute have their room over it: note [lent room]
  bool lent = false;        // it lies where a strategy stages what it does not need while somebody looks at this
};

struct Memory {
  std::vector<Member> members;       // in the order of their declaration
  std::uint64_t most_shared = 0;     // that a chunk may have
  std::uint64_t stages_bytes = 0;    // shared, for stages that permute: a room of their own
  std::uint64_t under_stages = 0;    // bytes of the members that such stages have their room over, 0: over none
  std::uint64_t staging_bytes = 0;   // shared, for what a strategy stages beside the members
  std::uint64_t shared_bytes = 0;    // of all of these that lie there
  std::uint64_t scratch_bytes = 0;   // of the members alone: an upper bound, a multiple of 16
  std::uint64_t temporary_bytes = 0; // an upper bound, a multiple of 256
  std::uint64_t lent_bytes = 0;      // of the members that lie there
  bool temporary() const { return temporary_bytes != 0; }
};

// What a block needs beside its chunks: a chunk may have the rest of it.
inline constexpr std::uint64_t kBlockRoom = 1 << 10;

// Wide loads and stores of stages begin at the start of a buffer, where also what is promised of the output must hold.
inline constexpr std::uint64_t kTempAlign = 16;

// A long array of a format with temporary memory lies there, unless somebody has asked for room.
enum class LongArrays : bool { Temporary, Shared };

// Of the CPU's decoder, where a chunk's state is one structure: first all that is zero at its start.
[[nodiscard]] std::vector<Member> members_of(const ir::Module& module, std::span<const Table> tables);

[[nodiscard]] Memory memory_of(const ir::Module& module, std::span<const Table> tables, std::uint64_t most_shared,
                               LongArrays long_arrays, std::uint64_t staging_bytes, unsigned asked_table_bits,
                               const std::set<std::uint32_t>& lent_arrays = {});

}  // namespace sluice::plan
