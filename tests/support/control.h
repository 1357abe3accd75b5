// Control libraries behind one call: what zlib, libdeflate, liblz4, libsnappy, libbz2 and libzstd say about the same bytes.
//
// Where a library leaves a choice to its caller, the wrapper chooses as the specs under codecs/ say: nothing may
// follow a Deflate or zlib stream; after a gzip member, a bzip2 stream or an LZ4 frame anything that does not start with
// its magic is left alone, after a chunk of framed Snappy only on request; LZ4 frames, skippable frames and legacy frames may follow one another. So every remaining difference
// is one between decoders, and has to be named in codecs/<codec>/policies.tsv.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/versions.h"

namespace sluice::test {

enum class Verdict : std::uint8_t {
  Accepted,
  Refused,
  TooLarge,  // the output does not fit the capacity; nothing is known about the rest
};

struct ControlResult {
  Verdict verdict = Verdict::Refused;
  std::vector<std::uint8_t> out;  // Accepted: the whole output
  std::string message;            // Refused: the library's words, if it has any
};

struct ControlRequest {
  std::span<const std::uint8_t> in;
  std::size_t capacity = 0;                    // bytes of output at most
  std::span<const std::uint8_t> dictionary{};  // preset dictionary, may be empty
  bool ignore_garbage = true;                  // gzip, bzip2, lz4_frame, snappy_framed: anything may follow
};

// Name of the library behind `codec`, empty when there is none.
std::string_view control_name(std::string_view codec);

// Version of a control library on this machine; nothing when there is no such library.
std::optional<Version> control_version(std::string_view control);

// Decodes with the control library; nothing when the codec has none. Thread-safe.
std::optional<ControlResult> control(std::string_view codec, const ControlRequest& request);

// The second opinion of libdeflate on deflate, zlib and gzip, without dictionary; nothing for other codecs.
std::optional<ControlResult> second_control(std::string_view codec, const ControlRequest& request);

// Compressed form of `raw` by the control library; `level` where it has one. Nothing when it can't compress.
std::optional<std::vector<std::uint8_t>> control_compress(std::string_view codec, std::span<const std::uint8_t> raw,
                                                          int level);

// What the setting `set` of `codec` ("ignore_garbage=true") says about bytes that follow; without it, the spec's default.
bool ignores_garbage(std::string_view codec, std::string_view set);

// The wrappers of one library each (control_*.cpp).
ControlResult zlib_control(std::string_view codec, const ControlRequest& request);
std::optional<ControlResult> libdeflate_control(std::string_view codec, const ControlRequest& request);
ControlResult lz4_block_control(const ControlRequest& request);
ControlResult lz4_frame_control(const ControlRequest& request);
ControlResult snappy_raw_control(const ControlRequest& request);
ControlResult snappy_framed_control(const ControlRequest& request);
ControlResult orc_chunks_control(std::string_view codec, const ControlRequest& request);
ControlResult bzip2_control(const ControlRequest& request);
std::optional<std::vector<std::uint8_t>> bzip2_compress(std::span<const std::uint8_t> raw, int level);
ControlResult zstd_control(const ControlRequest& request);
ControlResult huff0_control(const ControlRequest& request);
std::optional<std::vector<std::uint8_t>> zstd_compress(std::span<const std::uint8_t> raw, int level,
                                                       std::span<const std::uint8_t> dictionary = {});

// CRC-32C (Castagnoli) of `data`, for the Snappy framing.
std::uint32_t crc32c(std::span<const std::uint8_t> data);

// Whether an LZ4 block that is otherwise well formed keeps the end-of-block rules of lz4_Block_format.md ("End of
// block conditions"): the last 5 bytes are literals, and the last copy starts at least 12 bytes before the end.
// liblz4 refuses most blocks that do not.
bool lz4_keeps_end_rules(std::span<const std::uint8_t> block);

}  // namespace sluice::test
