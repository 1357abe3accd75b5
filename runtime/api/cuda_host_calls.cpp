// Decoding host memory on the GPU.
#include <algorithm>
#include <utility>

#include "runtime/api/arguments.h"
#include "runtime/api/cuda_decoder_impl.h"
#include "runtime/launch/cuda_host.h"

namespace sluice::cuda {
namespace {

using runtime::CudaMode;

CallError run(const Decoder::Impl& impl, const runtime::CudaProgram& program, CudaMode mode,
              std::span<const Chunk> chunks, std::span<Status> statuses, const Batch& batch) {
  DeviceBatch common;
  common.arguments = batch.arguments;
  std::string wrong;
  const sluice_cuda_batch arguments = impl.kernel_batch(common, wrong);
  if (!wrong.empty()) return CallError::bad_argument(std::move(wrong));
  const auto dictionary = impl.has_dictionary ? batch.dictionary : std::span<const std::uint8_t>();
  return runtime::run_from_host(program, mode, chunks, statuses, arguments, dictionary, impl.all_element_bytes(),
                                batch.count_limit);
}

}  // namespace

CallError Decoder::decode_batch(std::span<const Chunk> chunks, std::span<Status> statuses, const Batch& batch) const {
  if (statuses.size() < chunks.size()) return CallError::bad_argument("fewer statuses than chunks");
  if (CallError none = impl_->rooms(chunks); !none.empty()) return none;
  std::shared_ptr<const runtime::CudaProgram> program;
  strategy::BatchSizes sizes{.chunks = runtime::largest_slice(chunks)};
  for (const Chunk& chunk : chunks) {  // the rooms, for what is not known before
    sizes.largest_output = std::max<std::uint64_t>(sizes.largest_output, chunk.out.size());
    sizes.total_output += chunk.out.size();
    sizes.total_input += chunk.in.size();
  }
  if (CallError none = impl_->decoding_program(sizes, false, program); !none.empty()) return none;
  return run(*impl_, *program, CudaMode::Decode, chunks, statuses, batch);
}

CallError Decoder::decoded_sizes(std::span<const std::span<const std::uint8_t>> inputs, std::span<Status> statuses,
                                 const Batch& batch) const {
  if (statuses.size() < inputs.size()) return CallError::bad_argument("fewer statuses than inputs");
  std::shared_ptr<const runtime::CudaProgram> program;
  if (CallError none = impl_->sizes_program(program); !none.empty()) return none;
  std::vector<Chunk> chunks;
  chunks.reserve(inputs.size());
  for (const auto input : inputs) chunks.push_back({input, {}});
  return run(*impl_, *program, CudaMode::Count, chunks, statuses, batch);
}

}  // namespace sluice::cuda
