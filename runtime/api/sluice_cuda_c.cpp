// The C interface to decoders on GPUs: the C++ one behind opaque handles.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/api/c_handles.h"
#include "runtime/api/sluice_cuda.h"
#include "runtime/api/sluice_cuda.hpp"

struct sluice_cuda_decoder {
  sluice::cuda::Decoder decoder;
};

namespace {

using sluice::c_api::copy_text;
using sluice::c_api::create;
using sluice::c_api::decode_host;
using sluice::c_api::guarded;
using sluice::c_api::sizes_host;
using sluice::c_api::status_of;

sluice::cuda::Options options_of(const sluice_cuda_options* options) {
  sluice::cuda::Options out;
  if (!options) return out;
  if (options->device) out.device = *options->device;
  if (options->arch) out.arch = options->arch;
  if (options->schedule) out.schedule = options->schedule;
  out.sizes = options->no_sizes == 0;
  for (std::size_t i = 0; i < options->setting_count; ++i)
    out.set.push_back({options->settings[i].name, options->settings[i].value});
  out.search.assign(options->search, options->search + options->search_count);
  out.cache = options->no_cache == 0;
  out.quick_start = options->no_quick_start == 0;
  return out;
}

std::span<const std::uint64_t> arguments_of(const sluice_cuda_shared* shared) {
  if (!shared || !shared->arguments) return {};
  return {shared->arguments, shared->argument_count};
}

sluice::Batch host_batch(const sluice_cuda_shared* shared) {
  sluice::Batch batch;
  if (shared) batch.dictionary = {static_cast<const std::uint8_t*>(shared->dictionary), shared->dictionary_size};
  batch.arguments = arguments_of(shared);
  return batch;
}

sluice::cuda::DeviceBatch device_batch(const void* const* in, const std::uint64_t* in_sizes, std::uint64_t* produced,
                                       std::uint64_t* errors, std::size_t chunks, void* temp, std::size_t temp_bytes,
                                       const sluice_cuda_shared* shared) {
  sluice::cuda::DeviceBatch batch;
  batch.in = in;
  batch.in_bytes = in_sizes;
  batch.produced = produced;
  batch.errors = errors;
  batch.chunks = chunks;
  batch.temp = temp;
  batch.temp_bytes = temp_bytes;
  batch.arguments = arguments_of(shared);
  if (shared) {
    batch.dictionary = shared->dictionary;
    batch.dictionary_bytes = shared->dictionary_size;
  }
  return batch;
}

// As much of it as the caller's header had.
void set_known(sluice::cuda::DeviceBatch& batch, const sluice_cuda_known* known) {
  sluice_cuda_known all{};
  if (known) std::memcpy(&all, known, std::min(known->struct_size, sizeof all));
  batch.largest_output = all.largest_output;
  batch.total_output = all.total_output;
  batch.total_input = all.total_input;
}

std::vector<sluice::cuda::DeviceOutput> device_outputs(std::span<const sluice_cuda_further_output> further) {
  std::vector<sluice::cuda::DeviceOutput> outputs;
  for (const auto& one : further) outputs.push_back({one.out, one.capacities, one.produced, nullptr});
  return outputs;
}

// Device arrays of offsets where those of pointers would be.
template <class Pointer>
Pointer const* as_pointers(const std::uint64_t* offsets) {
  static_assert(sizeof(Pointer) == sizeof(std::uint64_t));
  return reinterpret_cast<Pointer const*>(offsets);
}

}  // namespace

extern "C" {

sluice_status sluice_cuda_decoder_create(const char* path_or_name, const sluice_cuda_options* options,
                                         sluice_cuda_decoder** decoder, sluice_error** error) {
  return create(decoder, error, [&] { return sluice::cuda::Decoder::open(path_or_name, options_of(options)); });
}

sluice_status sluice_cuda_decoder_create_from_text(const char* text, size_t text_size, const char* name,
                                                   const sluice_cuda_options* options, sluice_cuda_decoder** decoder,
                                                   sluice_error** error) {
  return create(decoder, error, [&] {
    return sluice::cuda::Decoder::from_text({text, text_size}, name, options_of(options));
  });
}

sluice_status sluice_cuda_decoder_create_from_artifact(const void* artifact, size_t size,
                                                       const sluice_cuda_options* options,
                                                       sluice_cuda_decoder** decoder, sluice_error** error) {
  return create(decoder, error, [&] {
    return sluice::cuda::Decoder::from_artifact({static_cast<const std::uint8_t*>(artifact), size},
                                                options_of(options));
  });
}

void sluice_cuda_decoder_destroy(sluice_cuda_decoder* decoder) { delete decoder; }

sluice_status sluice_cuda_decode_temp_size(const sluice_cuda_decoder* decoder, size_t chunks, size_t* bytes) {
  const std::uint64_t needed = decoder->decoder.temp_bytes(chunks);
  if (needed > std::numeric_limits<std::size_t>::max()) return SLUICE_NO_MEMORY;
  *bytes = static_cast<std::size_t>(needed);
  return SLUICE_OK;
}

sluice_status sluice_cuda_decode_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                       const uint64_t* in_sizes, void* const* out, const uint64_t* out_capacities,
                                       uint64_t* produced, uint64_t* errors, size_t chunks, void* temp,
                                       size_t temp_bytes, void* stream, const sluice_cuda_shared* shared,
                                       sluice_error** error) {
  return sluice_cuda_decode_known_async(decoder, in, in_sizes, out, out_capacities, produced, errors, chunks, temp,
                                        temp_bytes, stream, shared, nullptr, error);
}

sluice_status sluice_cuda_decode_known_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                             const uint64_t* in_sizes, void* const* out,
                                             const uint64_t* out_capacities, uint64_t* produced, uint64_t* errors,
                                             size_t chunks, void* temp, size_t temp_bytes, void* stream,
                                             const sluice_cuda_shared* shared, const sluice_cuda_known* known,
                                             sluice_error** error) {
  return sluice_cuda_decode_further_async(decoder, in, in_sizes, out, out_capacities, produced, errors, chunks, nullptr, 0, temp,
                                          temp_bytes, stream, shared, known, error);
}

sluice_status sluice_cuda_decode_offsets_async(const sluice_cuda_decoder* decoder, const void* in_base,
                                               const uint64_t* in_offsets, const uint64_t* in_sizes, void* out_base,
                                               const uint64_t* out_offsets, const uint64_t* out_capacities,
                                               uint64_t* produced, uint64_t* errors, size_t chunks, void* temp,
                                               size_t temp_bytes, void* stream, const sluice_cuda_shared* shared,
                                               const sluice_cuda_known* known, sluice_error** error) {
  return guarded(error, [&] {
    auto batch = device_batch(as_pointers<const void*>(in_offsets), in_sizes, produced, errors, chunks, temp, temp_bytes, shared);
    batch.in_base = in_base;
    batch.out = as_pointers<void*>(out_offsets);
    batch.out_base = out_base;
    batch.out_capacity = out_capacities;
    set_known(batch, known);
    return status_of(decoder->decoder.decode_async(batch, stream), error);
  });
}

sluice_status sluice_cuda_decoded_sizes_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                              const uint64_t* in_sizes, uint64_t* produced, uint64_t* errors,
                                              size_t chunks, void* temp, size_t temp_bytes, void* stream,
                                              const sluice_cuda_shared* shared, sluice_error** error) {
  return guarded(error, [&] {
    const auto batch = device_batch(in, in_sizes, produced, errors, chunks, temp, temp_bytes, shared);
    return status_of(decoder->decoder.decoded_sizes_async(batch, stream), error);
  });
}

sluice_status sluice_cuda_decode_host(const sluice_cuda_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                      void* const* out, const size_t* out_capacities, size_t* produced,
                                      uint64_t* errors, size_t chunks, const sluice_cuda_shared* shared,
                                      sluice_error** error) {
  return guarded(error, [&] {
    return decode_host(decoder->decoder, in, in_sizes, out, out_capacities, produced, errors, chunks,
                       host_batch(shared), error);
  });
}

sluice_status sluice_cuda_decoded_sizes_host(const sluice_cuda_decoder* decoder, const void* const* in,
                                             const size_t* in_sizes, size_t* produced, uint64_t* errors, size_t chunks,
                                             const sluice_cuda_shared* shared, sluice_error** error) {
  return guarded(error, [&] {
    return sizes_host(decoder->decoder, in, in_sizes, produced, errors, chunks, host_batch(shared), error);
  });
}

sluice_status sluice_cuda_decode_further_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                               const uint64_t* in_sizes, void* const* out,
                                               const uint64_t* out_capacities, uint64_t* produced, uint64_t* errors,
                                               size_t chunks, const sluice_cuda_further_output* further,
                                               size_t further_count, void* temp, size_t temp_bytes, void* stream,
                                               const sluice_cuda_shared* shared, const sluice_cuda_known* known,
                                               sluice_error** error) {
  return guarded(error, [&] {
    auto batch = device_batch(in, in_sizes, produced, errors, chunks, temp, temp_bytes, shared);
    batch.out = out;
    batch.out_capacity = out_capacities;
    set_known(batch, known);
    const auto outputs = device_outputs({further, further_count});
    batch.further = outputs;
    return status_of(decoder->decoder.decode_async(batch, stream), error);
  });
}

sluice_status sluice_cuda_decoded_sizes_further_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                                      const uint64_t* in_sizes, uint64_t* produced, uint64_t* errors,
                                                      size_t chunks, const sluice_cuda_further_output* further,
                                                      size_t further_count, void* temp, size_t temp_bytes, void* stream,
                                                      const sluice_cuda_shared* shared, sluice_error** error) {
  return guarded(error, [&] {
    auto batch = device_batch(in, in_sizes, produced, errors, chunks, temp, temp_bytes, shared);
    auto outputs = device_outputs({further, further_count});
    for (auto& output : outputs) output.out_capacity = nullptr;  // sizes, however large
    batch.further = outputs;
    return status_of(decoder->decoder.decoded_sizes_async(batch, stream), error);
  });
}

sluice_status sluice_cuda_decode_host_further(const sluice_cuda_decoder* decoder, const void* const* in,
                                              const size_t* in_sizes, void* const* out, const size_t* out_capacities,
                                              size_t* produced, uint64_t* errors, size_t chunks,
                                              const sluice_further_output* further, size_t further_count,
                                              const sluice_cuda_shared* shared, sluice_error** error) {
  return guarded(error, [&] {
    return decode_host(decoder->decoder, in, in_sizes, out, out_capacities, produced, errors, chunks, host_batch(shared), error,
                       {further, further_count});
  });
}

sluice_status sluice_cuda_decoded_sizes_host_further(const sluice_cuda_decoder* decoder, const void* const* in,
                                                     const size_t* in_sizes, size_t* produced, uint64_t* errors,
                                                     size_t chunks, const sluice_further_output* further,
                                                     size_t further_count, const sluice_cuda_shared* shared,
                                                     sluice_error** error) {
  return guarded(error, [&] {
    return sizes_host(decoder->decoder, in, in_sizes, produced, errors, chunks, host_batch(shared), error, {further, further_count});
  });
}

size_t sluice_cuda_further_output_count(const sluice_cuda_decoder* decoder) { return decoder->decoder.further_outputs().size(); }
const char* sluice_cuda_further_output_name(const sluice_cuda_decoder* decoder, size_t index) {
  const auto& outputs = decoder->decoder.further_outputs();
  return index < outputs.size() ? outputs[index].name.c_str() : nullptr;
}
size_t sluice_cuda_further_output_element_bytes(const sluice_cuda_decoder* decoder, size_t index) {
  const auto& outputs = decoder->decoder.further_outputs();
  return index < outputs.size() ? outputs[index].element_bytes : 0;
}
int sluice_cuda_further_output_is_signed(const sluice_cuda_decoder* decoder, size_t index) {
  const auto& outputs = decoder->decoder.further_outputs();
  return index < outputs.size() && outputs[index].is_signed ? 1 : 0;
}

size_t sluice_cuda_describe(const sluice_cuda_decoder* decoder, uint64_t error, size_t chunk, char* text, size_t size) {
  try {
    return copy_text(decoder->decoder.describe(error, chunk), text, size);
  } catch (const std::exception&) {
    return copy_text({}, text, size);
  }
}

const char* sluice_cuda_decoder_name(const sluice_cuda_decoder* decoder) { return decoder->decoder.name().c_str(); }
const char* sluice_cuda_decoder_arch(const sluice_cuda_decoder* decoder) { return decoder->decoder.arch().c_str(); }
const char* sluice_cuda_decoder_device(const sluice_cuda_decoder* decoder) { return decoder->decoder.device().c_str(); }
size_t sluice_cuda_output_element_bytes(const sluice_cuda_decoder* decoder) {
  return decoder->decoder.output_element_bytes();
}
size_t sluice_cuda_input_alignment(const sluice_cuda_decoder* decoder) { return decoder->decoder.input_alignment(); }
size_t sluice_cuda_output_alignment(const sluice_cuda_decoder* decoder) { return decoder->decoder.output_alignment(); }
void sluice_cuda_finish_compiling(const sluice_cuda_decoder* decoder) { decoder->decoder.finish_compiling(); }
int sluice_cuda_countable(const sluice_cuda_decoder* decoder) { return decoder->decoder.countable() ? 1 : 0; }
size_t sluice_cuda_argument_count(const sluice_cuda_decoder* decoder) { return decoder->decoder.arguments().size(); }
const char* sluice_cuda_argument_name(const sluice_cuda_decoder* decoder, size_t index) {
  const auto& arguments = decoder->decoder.arguments();
  return index < arguments.size() ? arguments[index].name.c_str() : nullptr;
}

}  // extern "C"
