#pragma once
// What a cuda::Decoder holds. Immutable once made.
#include <memory>
#include <string>

#include "runtime/api/decoder_base.h"
#include "runtime/api/sluice_cuda.hpp"
#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

struct Decoder::Impl : DecoderBase {
  std::string arch, schedule, text, log, why;
  Timings timings;
  std::shared_ptr<const runtime::CudaProgram> program;

  // `from`: the artifact's file, for messages.
  static Result<Decoder> make(const driver::Request& request, const Options& options);
  static Result<Decoder> make(artifact::Artifact artifact, const Options& options, const std::string& from);
  // Why no decoder can be made of the artifact.
  static Error unable(const std::string& from, const std::string& text);

  // A device batch as the kernel takes it; the sentence in `wrong` when it can't be run.
  [[nodiscard]] sluice_cuda_batch kernel_batch(const DeviceBatch& batch, std::string& wrong) const;
  // Why decoded sizes can't be had from this decoder; empty when they can.
  [[nodiscard]] CallError no_sizes() const;
};

}  // namespace sluice::cuda
