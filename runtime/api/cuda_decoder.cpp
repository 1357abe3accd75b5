// Running a decoder on batches in device memory.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/artifact/artifact.h"
#include "compiler/ir/error_text.h"
#include "runtime/api/arguments.h"
#include "runtime/api/cuda_decoder_impl.h"

namespace sluice::cuda {
namespace {

runtime::cu::Address address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
runtime::cu::Stream stream_of(Stream stream) { return static_cast<runtime::cu::Stream>(stream); }

Kernel kernel_of(const runtime::CudaProgram& program) {
  const runtime::CudaKernel& kernel = program.kernel(runtime::CudaMode::Decode);
  const plan::LaunchPlan& plan = program.plan();
  return {kernel.registers,      kernel.shared_bytes,  kernel.local_bytes, plan.threads_per_block,
          plan.chunks_per_block, kernel.blocks_per_sm, kernel.occupancy};
}

strategy::BatchSizes sizes_of(const DeviceBatch& batch) {
  return {batch.chunks, batch.largest_output, batch.total_output, batch.total_input};
}

}  // namespace

sluice_cuda_batch Decoder::Impl::kernel_batch(const DeviceBatch& batch, std::string& wrong) const {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  sluice_cuda_batch out{};
  std::vector<std::uint64_t> values;
  wrong = choose_arguments(name, arguments, batch.arguments, values);
  if (!wrong.empty()) return out;
  if (batch.chunks != 0 && (!batch.in || (!batch.in_bytes && !batch.in_base) || !batch.produced || !batch.errors)) {
    wrong = "a batch needs arrays of inputs, their sizes, produced sizes and error words";
    return out;
  }
  static_assert(kMaxFurtherOutputs == SLUICE_CUDA_OUTPUTS);
  if (batch.further.size() != further.size() && batch.chunks != 0) {
    wrong = fmt::format("{} has {} output{} beside its own, and the batch brings {}", name, further.size(), further.size() == 1 ? "" : "s",
                        batch.further.size());
    return out;
  }
  for (std::size_t i = 0; i < batch.further.size() && i < further.size(); ++i) {
    const DeviceOutput& one = batch.further[i];
    if (batch.chunks != 0 && !one.produced) {
      wrong = fmt::format("a batch needs an array of produced sizes of `{}`", further[i].name);
      return out;
    }
    out.further[i] = {static_cast<unsigned char* const*>(static_cast<const void*>(one.out)),
                      reinterpret_cast<const unsigned long long*>(one.out_capacity), reinterpret_cast<unsigned long long*>(one.produced),
                      reinterpret_cast<std::uintptr_t>(one.out_base)};
  }
  std::ranges::copy(values, out.args);
  out.in = static_cast<const unsigned char* const*>(static_cast<const void*>(batch.in));
  out.in_size = reinterpret_cast<const unsigned long long*>(batch.in_bytes);
  out.out = static_cast<unsigned char* const*>(static_cast<const void*>(batch.out));
  out.out_capacity = reinterpret_cast<const unsigned long long*>(batch.out_capacity);
  out.produced = reinterpret_cast<unsigned long long*>(batch.produced);
  out.error = reinterpret_cast<unsigned long long*>(batch.errors);
  out.consumed = reinterpret_cast<unsigned long long*>(batch.consumed);
  if (has_dictionary) {
    out.dictionary = static_cast<const unsigned char*>(batch.dictionary);
    out.dictionary_size = batch.dictionary ? batch.dictionary_bytes : 0;
  }
  out.chunks = batch.chunks;
  out.in_base = reinterpret_cast<std::uintptr_t>(batch.in_base);
  out.out_base = reinterpret_cast<std::uintptr_t>(batch.out_base);
  return out;
}

const Decoder::Impl::Alternative* Decoder::Impl::alternative(const strategy::BatchSizes& batch) const {
  for (const Alternative& one : alternatives)
    if (one.when.holds(batch, program->device()->sm_count)) return &one;
  return nullptr;
}

const std::string& Decoder::Impl::schedule_of(const strategy::BatchSizes& batch) const {
  const Alternative* other = alternative(batch);
  return other ? other->schedule : schedule;
}

std::shared_ptr<const runtime::CudaProgram> Decoder::Impl::decoding() const {
  auto made = better.made();
  return made ? made : program;
}

bool Decoder::Impl::settled(const strategy::BatchSizes& batch) const {
  if (waits) return true;
  const Alternative* const other = alternative(batch);
  return other ? other->program.made() != nullptr : !better.pending();
}

CallError Decoder::Impl::decoding_program(const strategy::BatchSizes& batch, bool settles,
                                          std::shared_ptr<const runtime::CudaProgram>& found) const {
  if (settles) better.settle();
  if (const Alternative* other = alternative(batch)) {
    if (waits || settles) return other->program.get(found);
    found = other->program.soon();
  }
  if (!found) found = decoding();
  return {};
}

CallError Decoder::Impl::sizes_program(std::shared_ptr<const runtime::CudaProgram>& found) const {
  if (!countable)
    return CallError::not_countable(
        fmt::format("{}'s size depends on its output's values: it can only be found by decoding", name));
  if (CallError none = sizes.get(found); !none.empty()) return none;
  if (!found || !found->kernel(runtime::CudaMode::Count).function)
    return CallError::not_countable(fmt::format("{} was compiled without the kernel for decoded sizes", name));
  return {};
}

std::uint64_t Decoder::temp_bytes(std::size_t chunks) const { return impl_->program->temp_bytes(chunks); }
std::uint64_t Decoder::least_temp_bytes() const { return impl_->program->least_temp_bytes(); }

CallError Decoder::decode_async(const DeviceBatch& batch, Stream stream) const {
  std::string wrong;
  const sluice_cuda_batch out = impl_->kernel_batch(batch, wrong);
  if (!wrong.empty()) return CallError::bad_argument(std::move(wrong));
  if (batch.chunks != 0 && (!batch.out || !batch.out_capacity))
    return CallError::bad_argument("a batch needs arrays of outputs and capacities");
  for (std::size_t i = 0; batch.chunks != 0 && i < batch.further.size(); ++i)
    if (!batch.further[i].out || !batch.further[i].out_capacity)
      return CallError::bad_argument(fmt::format("a batch needs arrays of outputs and capacities of `{}`", further_outputs()[i].name));
  const bool settles = !impl_->settled(sizes_of(batch)) && runtime::captured(*impl_->program->device(), stream_of(stream));
  std::shared_ptr<const runtime::CudaProgram> program;
  if (CallError none = impl_->decoding_program(sizes_of(batch), settles, program); !none.empty()) return none;
  return program->launch(runtime::CudaMode::Decode, out, address(batch.temp), batch.temp_bytes, stream_of(stream));
}

CallError Decoder::decoded_sizes_async(const DeviceBatch& batch, Stream stream) const {
  std::shared_ptr<const runtime::CudaProgram> program;
  if (CallError none = impl_->sizes_program(program); !none.empty()) return none;
  std::string wrong;
  sluice_cuda_batch out = impl_->kernel_batch(batch, wrong);
  if (!wrong.empty()) return CallError::bad_argument(std::move(wrong));
  out.out = nullptr;
  return program->launch(runtime::CudaMode::Count, out, address(batch.temp), batch.temp_bytes, stream_of(stream));
}

Result<std::vector<std::uint64_t>> Decoder::bind(std::span<const NamedValue> values) const {
  return bind_arguments(name(), impl_->arguments, values);
}

std::string Decoder::describe(std::uint64_t error, std::uint64_t chunk) const {
  if (error == 0) return "";
  if (impl_->built) return artifact::describe(*impl_->built, error, chunk);
  return ir::describe(*impl_->compiled->module, impl_->compiled->sources, error, chunk);
}

ErrorPlace Decoder::place(std::uint64_t error) const { return impl_->place(error); }

Kernel Decoder::kernel() const noexcept { return kernel_of(*impl_->decoding()); }

void Decoder::finish_compiling() const {
  impl_->better.settle();
  for (const Impl::Alternative& one : impl_->alternatives) one.program.settle();
}

Kernel Decoder::kernel(const DeviceBatch& batch) const {
  const Impl::Alternative* other = impl_->alternative(sizes_of(batch));
  if (!other) return kernel();
  const auto made = other->program.made();
  return made ? kernel_of(*made) : Kernel();
}

Kernel Decoder::kernel(std::size_t chunks) const { return kernel(DeviceBatch{.chunks = chunks}); }

const std::string& Decoder::name() const noexcept { return impl_->name; }
const std::string& Decoder::arch() const noexcept { return impl_->arch; }
const std::string& Decoder::device() const noexcept { return impl_->program->device()->name; }
const std::string& Decoder::schedule() const noexcept { return impl_->schedule; }
const std::string& Decoder::schedule(std::size_t chunks) const noexcept {
  return impl_->schedule_of({.chunks = chunks});
}
const std::string& Decoder::schedule(const DeviceBatch& batch) const noexcept { return impl_->schedule_of(sizes_of(batch)); }
const std::string& Decoder::why() const noexcept { return impl_->why; }
const std::string& Decoder::warnings() const noexcept { return impl_->warnings; }
const std::string& Decoder::text() const noexcept { return impl_->text; }
const std::string& Decoder::log() const noexcept { return impl_->log; }
const Timings& Decoder::timings() const noexcept { return impl_->timings; }
std::size_t Decoder::output_element_bytes() const noexcept { return impl_->element_bytes; }
bool Decoder::output_is_signed() const noexcept { return impl_->element_signed; }
const std::vector<FurtherOutput>& Decoder::further_outputs() const noexcept { return impl_->further; }
std::size_t Decoder::input_alignment() const noexcept { return impl_->program->plan().input_alignment; }
std::size_t Decoder::output_alignment() const noexcept { return impl_->program->plan().output_alignment; }
bool Decoder::countable() const noexcept { return impl_->countable; }
bool Decoder::takes_dictionary() const noexcept { return impl_->has_dictionary; }
const std::vector<Argument>& Decoder::arguments() const noexcept { return impl_->arguments; }

}  // namespace sluice::cuda
