#pragma once
// What a cuda::Decoder holds. Immutable once made, but for the program of decoded sizes.
#include <memory>
#include <string>

#include "runtime/api/cuda_sizes.h"
#include "runtime/api/decoder_base.h"
#include "runtime/api/sluice_cuda.hpp"
#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

struct Decoder::Impl : DecoderBase {
  std::string arch, schedule, text, log, why;
  Timings timings;
  std::shared_ptr<const runtime::CudaProgram> program;  // decodes
  SizesProgram sizes;

  // `from`: the artifact's file, for messages.
  static Result<Decoder> make(const driver::Request& request, const Options& options);
  static Result<Decoder> make(artifact::Artifact artifact, const Options& options, const std::string& from);
  // Why no decoder can be made of the artifact.
  static Error unable(const std::string& from, const std::string& text);

  // A device batch as the kernel takes it; the sentence in `wrong` when it can't be run.
  [[nodiscard]] sluice_cuda_batch kernel_batch(const DeviceBatch& batch, std::string& wrong) const;
  // The program that finds decoded sizes, or why they can't be had from this decoder.
  CallError sizes_program(std::shared_ptr<const runtime::CudaProgram>& program) const;
};

}  // namespace sluice::cuda
