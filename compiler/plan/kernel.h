#pragma once
// A kernel as data: how a chunk is spread over threads, what it keeps where, and how blocks are launched. A strategy
// fills in the first half (compiler/strategy), finish() computes the rest; emitters, legality and explain read it.
//
//   deflate, strategy warp, sm_90   ->   32 workers a chunk, 10 KiB of shared memory, blocks of one warp
//   the same, strategy block        ->   128 workers, one chunk a block of 128 threads
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/analysis/split_loops.h"
#include "compiler/ir/ir.h"
#include "compiler/plan/launch.h"
#include "compiler/plan/memory.h"
#include "compiler/schedule/device.h"
#include "compiler/schedule/schedule.h"

namespace sluice::plan {

// How many chunks a block holds.
enum class Blocks : std::uint8_t {
  OneChunk,  // the block is the chunk's own
  Small,     // warps end when they are done: one, or two where a multiprocessor has memory for more of them than blocks
  Resident,  // lanes go their own ways and wait for memory a lot: as many warps on a multiprocessor as its memory holds
};

// A constant that the primitives are compiled with.
struct Define {
  std::string_view name;  // "SLUICE_LEADER"
  std::uint32_t value = 0;
};

// What of it is compiled apart: objects.h.
struct Objects {
  // What decodes a loop's tokens, an object, and of large tokens of values the walks that find them, another; 0: they are with it.
  struct Engine {
    std::uint32_t loop = 0;  // Plan::loops
    std::uint32_t object = 0, walks = 0;
    friend bool operator==(const Engine&, const Engine&) = default;
  };
  std::uint32_t count = 1;           // 1: it is compiled whole
  std::vector<Engine> engines;
  std::vector<std::uint32_t> rules;  // of each rule of the module its object; 1: with the kernel
  std::uint32_t registers = 0;       // a thread's, in all of them
  friend bool operator==(const Objects&, const Objects&) = default;
};

struct Kernel {
  schedule::Device device;
  schedule::Schedule schedule;

  // From the strategy.
  std::uint32_t workers = schedule::kLanes;  // threads that share a chunk
  Blocks blocks = Blocks::Small;
  std::uint32_t block_warps = 0;              // of Small blocks, where the strategy knows better
  std::uint32_t resident_warps = 0;           // of a multiprocessor, that registers are given out for at most
  std::uint32_t chunk_warps = 1;              // that find a chunk's tokens together: a block, whose first warp does the rest
  std::uint32_t walker_warps = 0;             // beside it, that walk the input ahead: a block
  std::uint32_t writer_warps = 0;             // beside it, that write its output: a block
  bool prefetch = false;                      // a warp more, which asks for the input ahead
  std::vector<Define> defines;                // in the order of the text
  Outputs outputs = Outputs::Memory;          // Sink: no kernel, but a function of one warp of the caller's
  std::uint64_t staging_bytes = 0;            // of a chunk's shared memory
  std::set<std::uint32_t> lent_arrays;        // that lie in it: Member::lent
  schedule::Resolve resolve = schedule::Resolve::Together;  // of the copies of token loops
  bool speculate = false;                     // lanes guess where the tokens of loops with records begin
  bool own_tokens = false;                    // and where they are values and short, makes its own: note [own tokens] of own_tokens.h
  bool alike_ranges = false;                  // bases and extra bits are looked up by walks most often, all lanes alike
  bool codes = false;                         // lanes take the tokens of loops with codes
  bool parts = false;                         // counted loops whose steps a lane each does:
  std::vector<analysis::SplitLoop> part_loops;
  std::optional<schedule::Resolve> part_resolve;  // of copies that wait for the literals of all parts; none: none wait

  Objects objects;  // from start(), but for the registers

  // From finish().
  Memory memory;
  LaunchPlan launch;
  std::uint32_t warps = 1;       // of a block that work
  std::uint64_t block_shared = 0;  // bytes that a block takes, an upper bound
  std::uint32_t min_blocks = 0;  // of a multiprocessor, that registers are given out for; 0: the compiler may choose
};

// Where everything lies, and how blocks are made of it. `tables`: that its token loops look symbols up in.
void finish(Kernel& kernel, const ir::Module& module, std::span<const Table> tables);

}  // namespace sluice::plan
