#pragma once
// The choice at launch: a batch of few chunks leaves most of a GPU without work, and is done sooner by a kernel that gives
// each chunk more warps, though it has room for fewer chunks at a time. So a schedule that nobody pinned may have a second
// one beside it, and each batch takes one of the two by its number of chunks.
//
//   few_chunks(lz4_block, sm_90, Schedule{Speculate, ...}, [])  ->  the same with `writer_warps 1`, below 30 a multiprocessor
//     H200, 132 multiprocessors:   3959 chunks: writer_warps 1   3960 chunks: writer_warps 0
//   the same  +  [input registers]                              ->  likewise, both with `input registers`
//   the same  +  [warps_per_block auto]                         ->  none: pinned
//   few_chunks(orc_rle_v1, sm_90, Schedule{Warp, ...}, [])      ->  none: only `speculate` has such a way
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/schedule/parse.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {

// Chunks for each multiprocessor from which on the usual kernel takes a batch. Measured on an H200 (132 multiprocessors),
// GB/s of output, `writer_warps 0` -> `writer_warps 1`:
//
//                                          Snappy         LZ4            Deflate
//      100 chunks of 1 MiB,     0.8 each   17.2 -> 29.8   17.7 -> 27.8   15.3 -> 19.1   C++ text
//    1,500 chunks of 1 MiB,    11.4 each    207 -> 237     220 -> 265     186 -> 207    C++ text
//                                           121 -> 137     120 -> 139      68 ->  62    x86 code
//                                           141 -> 174     158 -> 200     117 -> 126    the King James Bible
//    3,848 chunks to 4 MiB,    29.2 each   41.9 -> 56.9   43.3 -> 60.9   37.6 -> 46.0   C++ text, of all sizes
//   15,000 chunks of 64 KiB,    114 each    389 -> 321     401 -> 323       -           C++ text
//
// The bounds follow from how many chunks are resident on a multiprocessor of sm_90: of a stream of bytes 40, or 20 with a
// writer each, and 30 lies between; of bits, whose codes take shared memory, 18 or 15 (Deflate), and nothing is won before all of them are.
// Nothing was measured between 29 chunks and 114.
inline constexpr std::uint32_t kFewBytesPerMultiprocessor = 30, kFewBitsPerMultiprocessor = 8;

struct FewChunks {
  schedule::Schedule schedule;          // of the kernel for few chunks
  std::uint32_t per_multiprocessor = 0;  // it takes batches of fewer chunks than this for each multiprocessor

  // The number of chunks from which on the usual kernel takes a batch.
  [[nodiscard]] std::uint64_t below(std::uint32_t multiprocessors) const {
    return std::uint64_t{per_multiprocessor} * multiprocessors;
  }
};

// `usual`: the schedule in force, made of `settings`. Nothing where a setting pins it (it names the strategy, or how many
// warps a chunk or a block has), or where a writer is not legal.
[[nodiscard]] std::optional<FewChunks> few_chunks(const Subject& subject, const schedule::Device& device,
                                                  const schedule::Schedule& usual,
                                                  std::span<const schedule::Setting> settings);

// "writer_warps 1, below 30 chunks a multiprocessor (compiled at the first such batch)"
[[nodiscard]] std::string explain_few_chunks(const FewChunks& few);

}  // namespace sluice::strategy
