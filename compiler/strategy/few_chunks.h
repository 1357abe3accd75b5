#pragma once
// The choice at launch: a batch of few chunks leaves most of a GPU without work, and is done sooner by a kernel that gives
// each chunk more warps, though it has room for fewer chunks at a time. So a schedule that nobody pinned may have a second
// one beside it, and each batch takes one of the two by its number of chunks.
//
//   few_chunks(lz4_block, sm_90, Schedule{Speculate, ...}, [])  ->  the same with `writer_warps 1, walker_warps 1`, below 15 a multiprocessor
//     H200, 132 multiprocessors:   1979 chunks: the second one   1980 chunks: the first one
//   the same  +  [input registers]                              ->  likewise, both with `input registers`
//   the same  +  [warps_per_block auto]                         ->  none: pinned
//   few_chunks(orc_rle_v1, sm_90, Schedule{Speculate, ...}, []) ->  none: values are written by the warp that finds them
//   few_chunks(fsst, sm_90, Schedule{Warp, ...}, [])            ->  none: only `speculate` has such a way
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/schedule/parse.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {

// Chunks for each multiprocessor from which on the usual kernel takes a batch. Measured on an H200 (132 multiprocessors),
// GB/s of output: one warp a chunk, with a writer, with a walker, too (bytes alone have one):
//
//                                            Snappy               LZ4                  Deflate
//      100 chunks of 1 MiB,     0.8 each   17.5  30.0  38.0   17.7  27.9  39.6   15.3  19.1     C++ text
//    1,500 chunks of 1 MiB,    11.4 each    210   240   284    219   269   305    186   207     C++ text
//                                           121   137   168    121   139   159     68    62     x86 code
//                                           142   174   212    158   200   239    117   126     the King James Bible
//    2,000 chunks of 64 KiB,     15 each    218     -   223    222     -   218      -     -     C++ text
//                                           157     -   182    165     -   179      -     -     the King James Bible
//    4,000 chunks of 64 KiB,     30 each    303     -   270    314     -   268      -     -     C++ text
//                                           220     -   218    232     -   218      -     -     the King James Bible
//   11,440 chunks to 4 MiB,      87 each    108   129   149    107   126   160     83   106     C++ text, of all sizes
//
// A batch of all sizes is done no sooner than its largest chunk, and counts as so many of those as make its output, where the
// caller tells that (cuda::DeviceBatch): the last row as 5 a multiprocessor.
inline constexpr std::uint32_t kFewBytesPerMultiprocessor = 15, kFewBitsPerMultiprocessor = 8;

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

// "writer_warps 1, walker_warps 1, below 15 chunks a multiprocessor (compiled at the first such batch)"
[[nodiscard]] std::string explain_few_chunks(const FewChunks& few);

}  // namespace sluice::strategy
