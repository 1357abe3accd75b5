#pragma once
// What a Decoder holds: the compiled format, or what an artifact says of it, and for machine code the program. Immutable
// once made.
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/artifact.h"
#include "compiler/driver/compile.h"
#include "runtime/api/sluice.hpp"
#include "runtime/jit/program.h"

namespace sluice {

struct Decoder::Impl {
  // One of the two: a description that was compiled here (its module is there), or an artifact's facts.
  std::optional<driver::Compiled> compiled;
  std::optional<artifact::Format> built;

  std::string name;
  std::uint64_t element_bytes = 1;
  bool has_dictionary = false;
  bool interpreted = false;
  bool countable = true;     // its size can be found without storing the output
  runtime::Program program;  // empty when interpreted
  std::string engine, why, warnings;
  Timings timings;
  std::vector<Argument> arguments;
  std::vector<std::uint64_t> initial;  // of the arguments, when a batch gives none

  const ir::Module& module() const { return *compiled->module; }

  // Shared by the ways to a decoder. `from`: the artifact's file, for messages.
  static Result<Decoder> make(const driver::Request& request, const Options& options);
  static Result<Decoder> make(artifact::Artifact artifact, const Options& options, const std::string& from);

  // The arguments of a batch; a sentence in `wrong` when there are too few or too many.
  std::span<const std::uint64_t> arguments_of(const Batch& batch, std::string& wrong) const;

  enum class Mode : std::uint8_t { Decode, Count };
  Status run(Mode mode, const Chunk& chunk, std::span<const std::uint8_t> dictionary,
             std::span<const std::uint64_t> args, std::uint64_t count_limit, void* scratch) const;
};

// Status::error of a chunk that was not tried: wrong arguments, or no memory. No clause has this word.
inline constexpr std::uint64_t kNotRun = ~std::uint64_t{0};

}  // namespace sluice
