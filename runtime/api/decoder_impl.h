#pragma once
// What a Decoder holds: the compiled format, or what an artifact says of it, and for machine code the program. Immutable
// once made, but for the code behind decoded sizes, which is made when it is needed.
#include <string>
#include <vector>

#include "runtime/api/count_program.h"
#include "runtime/api/decoder_base.h"
#include "runtime/api/sluice.hpp"
#include "runtime/jit/program.h"

namespace sluice {

struct Decoder::Impl : DecoderBase {
  bool interpreted = false;
  runtime::Program program;  // decodes; empty when interpreted
  CountProgram sizes;        // finds decoded sizes, of machine code that is countable
  std::string engine, why;
  Timings timings;
  std::vector<std::uint64_t> initial;  // of the arguments, when a batch gives none

  // `from`: the artifact's file, for messages.
  static Result<Decoder> make(const driver::Request& request, const Options& options);
  static Result<Decoder> make(artifact::Artifact artifact, const Options& options, const std::string& from);
  // Why no decoder can be made of the artifact.
  static Error unable(const std::string& from, const std::string& text);

  // The arguments of a batch; a sentence in `wrong` when there are too few or too many.
  std::span<const std::uint64_t> arguments_of(const Batch& batch, std::string& wrong) const;

  enum class Mode : std::uint8_t { Decode, Count };
  // `entry`: of machine code, what does it. `args`: arguments_of(batch).
  Status run(Mode mode, sluice_decode_fn entry, const Chunk& chunk, const Batch& batch, std::span<const std::uint64_t> args, void* scratch) const;
  // Machine code alone. Two chunks at once, with room in `scratch` for both.
  void run_two(const Chunk* chunks, Status* statuses, const Batch& batch, std::span<const std::uint64_t> args, void* scratch) const;
  // Scratch of a chunk, so that another one's may lie behind it.
  [[nodiscard]] std::uint64_t scratch_stride() const { return (program.scratch_bytes + 63) / 64 * 64; }
};

// Status::error of a chunk that was not tried: wrong arguments, or no memory. No clause has this word.
inline constexpr std::uint64_t kNotRun = ~std::uint64_t{0};

}  // namespace sluice
