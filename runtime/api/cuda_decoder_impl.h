#pragma once
// What a cuda::Decoder holds. Immutable once made, but for the programs that are made when they are needed.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "compiler/strategy/alternatives.h"
#include "runtime/api/decoder_base.h"
#include "runtime/api/lazy_program.h"
#include "runtime/api/replacement.h"
#include "runtime/api/sluice_cuda.hpp"
#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

struct Decoder::Impl : DecoderBase {
  std::string arch, schedule, text, log, why;
  Timings timings;
  std::shared_ptr<const runtime::CudaProgram> program;  // decodes, until `better` does: alike but for its code
  Replacement better;
  LazyProgram sizes;                                    // finds decoded sizes
  // Decodes batches for which a condition holds: the first one whose does.
  struct Alternative {
    strategy::Condition when;
    std::string schedule;
    LazyProgram program;
  };
  std::deque<Alternative> alternatives;
  bool waits = true;  // a batch, until its kernel is compiled; else it has the usual one meanwhile

  // `from`: the artifact's file, for messages.
  static Result<Decoder> make(const driver::Request& request, const Options& options);
  static Result<Decoder> make(artifact::Artifact artifact, const Options& options, const std::string& from);
  // Why no decoder can be made of the artifact.
  static Error unable(const std::string& from, const std::string& text);

  // A device batch as the kernel takes it; the sentence in `wrong` when it can't be run.
  [[nodiscard]] sluice_cuda_batch kernel_batch(const DeviceBatch& batch, std::string& wrong) const;
  // What decodes batches that have no other: `program`, or `better`.
  [[nodiscard]] std::shared_ptr<const runtime::CudaProgram> decoding() const;
  // What decodes such a batch; null: what decodes batches that have no other.
  [[nodiscard]] const Alternative* alternative(const strategy::BatchSizes& batch) const;
  [[nodiscard]] const std::string& schedule_of(const strategy::BatchSizes& batch) const;
  // Would such a batch be decoded by what is to decode it in the end?
  [[nodiscard]] bool settled(const strategy::BatchSizes& batch) const;
  // The program that decodes such a batch, or why it can't be had. `settles`: even where batches don't wait, this one does.
  CallError decoding_program(const strategy::BatchSizes& batch, bool settles, std::shared_ptr<const runtime::CudaProgram>& found) const;
  // The program that finds decoded sizes, or why they can't be had from this decoder.
  CallError sizes_program(std::shared_ptr<const runtime::CudaProgram>& program) const;
};

}  // namespace sluice::cuda
