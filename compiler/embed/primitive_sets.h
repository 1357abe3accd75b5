#pragma once
// Which headers of primitives stand together in a generated text, and in which order: declarations come before their
// uses, and no header includes another. compiler/embed/index says what is in them.
#include <array>
#include <string_view>

namespace sluice::embed {

inline constexpr std::array<std::string_view, 25> kCpuPrimitives{
    "runtime/prim/base.h",     "runtime/prim/bits.h",   "runtime/prim/turned.h", "runtime/prim/copy.h",   "runtime/prim/codes.h", "runtime/prim/states.h",
    "runtime/prim/varint.h",   "runtime/prim/checksum.h", "runtime/prim/stream.h", "runtime/prim/source.h",
    "runtime/prim/stages.h",   "runtime/prim/turn_bits.h", "runtime/prim/unshuffle.h", "runtime/prim/place.h",  "runtime/prim/bitbuffer.h",
    "runtime/prim/vectors.h", "runtime/prim/unpack_512.h", "runtime/prim/unpack.h", "runtime/prim/unpack_out.h", "runtime/prim/keep_sums.h", "runtime/prim/join.h", "runtime/prim/code_table.h", "runtime/prim/stream_start.h", "runtime/prim/streams.h", "runtime/prim/pair.h"};

// Among a warp's, but only of kernels in which more than a warp does a chunk.
inline constexpr std::string_view kOfBlocks = "runtime/prim/cuda/wide_copy.h";
inline constexpr std::array<std::string_view, 56> kWarpPrimitives{
    "runtime/prim/cuda/base.h",     "runtime/prim/cuda/warp.h",   "runtime/prim/cuda/input.h", kOfBlocks,
    "runtime/prim/cuda/copy.h",     "runtime/prim/cuda/resolve.h", "runtime/prim/cuda/codes.h", "runtime/prim/turned.h", "runtime/prim/cuda/states.h",
    "runtime/prim/cuda/checksum.h", "runtime/prim/cuda/stream.h", "runtime/prim/cuda/bitbuffer.h", "runtime/prim/cuda/fills.h", "runtime/prim/cuda/direct.h", "runtime/prim/cuda/back.h", "runtime/prim/stream_start.h", "runtime/prim/cuda/streams.h",
    "runtime/prim/cuda/stages.h",   "runtime/prim/cuda/permute.h", "runtime/prim/place.h",
    "runtime/prim/cuda/parts.h",    "runtime/prim/cuda/units.h",  "runtime/prim/turn_bits.h", "runtime/prim/cuda/unshuffle.h", "runtime/prim/cuda/packed.h",
    "runtime/prim/cuda/sink.h",     "runtime/prim/cuda/unpack.h", "runtime/prim/cuda/tile.h",
    "runtime/prim/cuda/late.h",     "runtime/prim/cuda/steps.h",  "runtime/prim/cuda/step_part.h",
    "runtime/prim/cuda/periods.h",  "runtime/prim/cuda/records.h",
    "runtime/prim/cuda/wide_steps.h",
    "runtime/prim/cuda/long_parts.h", "runtime/prim/cuda/writer.h", "runtime/prim/cuda/walks.h",
    "runtime/prim/cuda/speculate.h", "runtime/prim/cuda/chain.h",
    "runtime/prim/cuda/walker.h",   "runtime/prim/cuda/bit_tile.h", "runtime/prim/cuda/speculate_bits.h",
    "runtime/prim/cuda/team.h",
    "runtime/prim/cuda/team_steps.h", "runtime/prim/cuda/team_speculate.h", "runtime/prim/cuda/part_steps.h",
    "runtime/prim/cuda/value_tile.h", "runtime/prim/cuda/value_steps.h", "runtime/prim/cuda/value_writes.h",
    "runtime/prim/cuda/speculate_values.h", "runtime/prim/cuda/own_tokens.h",
    "runtime/prim/cuda/strings.h",  "runtime/prim/cuda/code_lanes.h", "runtime/prim/cuda/fixed_lanes.h",
    "runtime/prim/cuda/team_lanes.h",
    "runtime/prim/cuda/symbol_reads.h"};

// What a lane does alone, in a namespace of its own that sees the warp's. Parts of stated size go through staged units;
// those that are counted read bits and write in place, or, decoded once, leave entries.
inline constexpr std::array<std::string_view, 4> kStagedPrimitives{
    "runtime/prim/cuda/thread_stream.h", "runtime/prim/cuda/thread_source.h", "runtime/prim/cuda/thread_output.h",
    "runtime/prim/cuda/thread_view.h"};
inline constexpr std::array<std::string_view, 4> kCountedPrimitives{
    "runtime/prim/cuda/thread_stream.h", "runtime/prim/cuda/thread_bits.h", "runtime/prim/cuda/thread_copies.h",
    "runtime/prim/cuda/thread_view.h"};
inline constexpr std::array<std::string_view, 4> kEntryPrimitives{
    "runtime/prim/cuda/thread_stream.h", "runtime/prim/cuda/thread_bits.h", "runtime/prim/cuda/thread_entries.h",
    "runtime/prim/cuda/thread_view.h"};
// What a token means to a lane that guesses where it begins.
inline constexpr std::array<std::string_view, 4> kTokenPrimitives{
    "runtime/prim/cuda/thread_tokens.h", "runtime/prim/cuda/thread_bit_tokens.h", "runtime/prim/cuda/thread_value_tokens.h",
    "runtime/prim/cuda/thread_code_tokens.h"};

}  // namespace sluice::embed
