#pragma once
// The choice at launch: some batches are done sooner by another kernel than the usual one. One of few chunks leaves most of a GPU
// without work, and is done sooner where each chunk has more warps, though there is room for fewer chunks at a time. One of highly
// compressible data is of long copies from a few bytes before them, which wide steps make faster, though all else is a little
// slower with them. One of wide values is of lists that a tile has no room for, where some may be patched, and a warp does those sooner
// by itself. So a schedule that nobody pinned has alternatives beside it, in order of preference, each with a condition
// on what is known of a batch: it takes the first one whose condition holds, else the usual kernel.
//
//   alternatives(lz4_block, sm_90, Schedule{Speculate, ...}, [])
//     ->  few chunks:    the same with `writer_warps 1, walker_warps 1`, below 15 chunks a multiprocessor
//         compressible:  the same with `wide_parts 24` (of Deflate `table_bits 8`, too), from 12 bytes of output a byte of input on
//     H200, 132 multiprocessors:   1979 chunks: the first one   1980 chunks, 10 MB to 120 MB or more: the second one, else the usual kernel
//   the same  +  [input registers]       ->  likewise, all with `input registers`
//   the same  +  [wide_parts 0]          ->  few chunks alone: the other one is pinned
//   the same  +  [warps_per_block auto]  ->  none: pinned
//   alternatives(orc_rle_v2, sm_90, Schedule{Speculate, ...}, [])
//     ->  wide values:   `strategy warp, input registers`, from 13 bits of input an element on
//   alternatives(orc_rle_v1, sm_90, Schedule{Speculate, ...}, [])  ->  none: values are written by the warp that finds them, element by element
//   alternatives(fsst, sm_90, Schedule{Warp, ...}, [])             ->  none: only `speculate` has such ways
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
// Of bits since a writer is known together, and a lone warp's tables are of 9 bits: 1,500 chunks of 1 MiB, 11 each, 192 and 226 on C++
// text, 61 and 70 on x86 code, 118 and 136 on the bible; 2,000 of 128 KiB, 15 each, 186 and 161, 70 and 60, 131 and 104.
// A batch of all sizes is done no sooner than its largest chunk, and counts as so many of those as make its output, where the
// caller tells that (cuda::DeviceBatch): the last row as 5 a multiprocessor.
inline constexpr std::uint32_t kFewBytesPerMultiprocessor = 15, kFewBitsPerMultiprocessor = 12;

// Bytes of output for each byte of input from which on a batch is highly compressible. Measured on an H200, GB/s of output of many
// chunks: without wide steps, with `wide_parts 24`:
//
//                 LZ4          Snappy       Deflate
//               594  1079     381   911     278   391     a column of numbers, ratio 15 to 64
//               553   439     554   435     270   230     a log, 5.8 to 9.8
//               429   388     427   385     233   209     C++ text, 4.3 to 7.5
inline constexpr std::uint32_t kCompressibleRatio = 12;
inline constexpr std::string_view kCompressibleWideParts = "24";  // 40 was as fast; 64 was slower there, faster elsewhere

inline constexpr std::string_view kCompressibleTableBits = "8";  // Deflate: 24 warps of a multiprocessor instead of 18

// Bits of input for each element of output from which on a batch is of wide values. What lanes share of a list through an array costs more than
// it makes, and of one longer than a tile they can't tell where it ends: such lists are the checked path's, which `warp` has more room for.
// Tokens of short runs take less input a value. Measured on an H200, RLE v2, GB/s of output of 1 GB: `speculate`, `strategy warp, input registers`:
//
//               bits   8-byte elements    of 4 bytes     of 2
//               23.2      346    817       231  454    144  243     l_extendedprice_cents: patched lists of 512
//               14.5      816   1077       546  614    280  331     destinations of a graph: direct and patched lists
//               14.1      372    509       239  295    124  149     patched lists of 512 of 20 bits, 300 short repeats behind each
//               11.5      556    824       347  448    176  238     patched lists of 512 of 11 bits
//               11.3      471    241       305  132    160   67     criteo's counts: direct lists, short repeats
//                6.7      699    250       427  150    231   72     l_orderkey: short repeats
inline constexpr std::uint32_t kWideValueBits = 13;

// What is known of a batch when it is launched, sizes in bytes; 0: not known.
struct BatchSizes {
  std::uint64_t chunks = 0, largest_output = 0, total_output = 0, total_input = 0;

  // The largest chunks that make as much output.
  //   {11440, 4 << 20, 3'000'000'000}.alike() -> 715      {11440}.alike() -> 11440
  [[nodiscard]] std::uint64_t alike() const;
};

// What is 0 asks for nothing.
struct Condition {
  std::uint32_t chunks_below = 0;  // fewer chunks than this for each multiprocessor
  std::uint32_t output_from = 0;   // so many bytes of output for each byte of input, or more
  std::uint32_t bits_from = 0;     // so many bits of input for each element of the output, or more
  std::uint32_t element_bytes = 1;

  [[nodiscard]] bool holds(const BatchSizes& batch, std::uint32_t multiprocessors) const;
};

struct Alternative {
  enum class Kind : std::uint8_t { FewChunks, Compressible, WideValues };
  Kind kind = Kind::FewChunks;
  std::string_view name;        // "few chunks"
  std::string directives;       // what it has other than the usual schedule: "writer_warps 1, walker_warps 1"
  schedule::Schedule schedule;  // all of it
  Condition when;
};

// In order of preference. `usual`: the schedule in force, made of `settings`. None that a setting pins (it names the strategy, how
// many warps a chunk or a block has, or what the alternative is about), and none that is not legal.
[[nodiscard]] std::vector<Alternative> alternatives(const Subject& subject, const schedule::Device& device,
                                                    const schedule::Schedule& usual, std::span<const schedule::Setting> settings);

// "writer_warps 1, walker_warps 1, below 15 chunks a multiprocessor (compiled at the first such batch)"
[[nodiscard]] std::string explain_alternative(const Alternative& alternative);

}  // namespace sluice::strategy
