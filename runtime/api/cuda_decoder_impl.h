#pragma once
// What a cuda::Decoder holds. Immutable once made.
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/artifact.h"
#include "compiler/driver/compile.h"
#include "runtime/api/sluice_cuda.hpp"
#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

struct Decoder::Impl {
  // One of the two: a description that was compiled here (its module is there), or an artifact's facts.
  std::optional<driver::Compiled> compiled;
  std::optional<artifact::Format> built;

  std::string name;
  std::uint64_t element_bytes = 1;
  bool has_dictionary = false;
  bool countable = true;
  std::vector<Argument> arguments;
  std::string arch, schedule, text, log, why, warnings;
  Timings timings;
  std::shared_ptr<const runtime::CudaProgram> program;

  // Shared by the ways to a decoder. `from`: the artifact's file, for messages.
  static Result<Decoder> make(const driver::Request& request, const Options& options);
  static Result<Decoder> make(artifact::Artifact artifact, const Options& options, const std::string& from);

  // A device batch as the kernel takes it; the sentence in `wrong` when it can't be run.
  [[nodiscard]] sluice_cuda_batch kernel_batch(const DeviceBatch& batch, std::string& wrong) const;
  // Why decoded sizes can't be had from this decoder; empty when they can.
  [[nodiscard]] CallError no_sizes() const;
};

}  // namespace sluice::cuda
