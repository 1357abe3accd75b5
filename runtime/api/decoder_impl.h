#pragma once
// What a Decoder holds: the compiled format and, for machine code, the program. Immutable once made.
#include <string>
#include <vector>

#include "compiler/driver/compile.h"
#include "runtime/api/sluice.hpp"
#include "runtime/jit/program.h"

namespace sluice {

struct Decoder::Impl {
  driver::Compiled compiled;  // module is there
  bool interpreted = false;
  bool countable = true;     // its size can be found without storing the output
  runtime::Program program;  // empty when interpreted
  std::string engine, why, warnings;
  Timings timings;
  std::vector<Argument> arguments;
  std::vector<std::uint64_t> initial;  // of the arguments, when a batch gives none

  const ir::Module& module() const { return *compiled.module; }
  std::uint64_t element_bytes() const { return module().output.bits / 8u; }

  // Shared by the four ways to a decoder.
  static Result<Decoder> make(const driver::Request& request, const Options& options);

  // The arguments of a batch; a sentence in `wrong` when there are too few or too many.
  std::span<const std::uint64_t> arguments_of(const Batch& batch, std::string& wrong) const;

  enum class Mode : std::uint8_t { Decode, Count };
  Status run(Mode mode, const Chunk& chunk, std::span<const std::uint8_t> dictionary,
             std::span<const std::uint64_t> args, void* scratch) const;
};

// Status::error of a chunk that was not tried: wrong arguments, or no memory. No clause has this word.
inline constexpr std::uint64_t kNotRun = ~std::uint64_t{0};

}  // namespace sluice
