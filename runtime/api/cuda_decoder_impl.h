#pragma once
// What a cuda::Decoder holds. Immutable once made, but for the programs that are made when they are needed.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/api/decoder_base.h"
#include "runtime/api/lazy_program.h"
#include "runtime/api/sluice_cuda.hpp"
#include "runtime/launch/cuda_launch.h"

namespace sluice::cuda {

struct Decoder::Impl : DecoderBase {
  std::string arch, schedule, text, log, why;
  Timings timings;
  std::shared_ptr<const runtime::CudaProgram> program;  // decodes
  LazyProgram sizes;                                    // finds decoded sizes
  // Decodes batches of few chunks: fewer than `few_below`, which is 0 where there is none.
  LazyProgram few;
  std::uint64_t few_below = 0;
  std::string few_schedule;

  // `from`: the artifact's file, for messages.
  static Result<Decoder> make(const driver::Request& request, const Options& options);
  static Result<Decoder> make(artifact::Artifact artifact, const Options& options, const std::string& from);
  // Why no decoder can be made of the artifact.
  static Error unable(const std::string& from, const std::string& text);

  // A device batch as the kernel takes it; the sentence in `wrong` when it can't be run.
  [[nodiscard]] sluice_cuda_batch kernel_batch(const DeviceBatch& batch, std::string& wrong) const;
  [[nodiscard]] bool takes_few(std::uint64_t chunks) const { return chunks != 0 && chunks < few_below; }
  // The program that decodes a launch of so many chunks, or why it can't be had.
  CallError decoding_program(std::uint64_t chunks, std::shared_ptr<const runtime::CudaProgram>& program) const;
  // A batch is done no sooner than its largest chunk, so it counts as so many of those as make its output. What is not known is 0.
  //   alike(11440, 4 << 20, 3'000'000'000) -> 715      alike(11440, 0, 0) -> 11440
  static std::uint64_t alike(std::uint64_t chunks, std::uint64_t largest, std::uint64_t total) {
    return largest == 0 || total == 0 || chunks == 0 ? chunks : std::clamp<std::uint64_t>(total / largest, 1, chunks);
  }
  static std::uint64_t alike(const DeviceBatch& batch) { return alike(batch.chunks, batch.largest_output, batch.total_output); }
  // The program that finds decoded sizes, or why they can't be had from this decoder.
  CallError sizes_program(std::shared_ptr<const runtime::CudaProgram>& program) const;
};

}  // namespace sluice::cuda
