// The C interface to decoders on GPUs: the C++ one behind opaque handles.
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
using sluice::c_api::guarded;

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

// Sentences about the driver begin with the name of its function: "cuLaunchKernel: CUDA_ERROR_...".
bool is_drivers(std::string_view sentence) {
  const std::string_view word = sentence.substr(0, sentence.find(' '));
  return word.starts_with("cu") && word.ends_with(':');
}

// The sentence of a call as status and error.
sluice_status status_of(const std::string& sentence, sluice_error** error) {
  if (sentence.empty()) return SLUICE_OK;
  const bool driver = is_drivers(sentence);
  if (error) {
    const auto kind = driver ? sluice::Error::Kind::Environment : sluice::Error::Kind::Usage;
    *error = new sluice_error{{kind, sentence, {}}};
  }
  return driver ? SLUICE_ENVIRONMENT : SLUICE_BAD_SPEC;
}

// Statuses to the caller's arrays.
sluice_status hand_over(const std::vector<sluice::Status>& statuses, std::size_t* produced, std::uint64_t* errors) {
  sluice_status result = SLUICE_OK;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].error != 0) result = SLUICE_DATA_REJECTED;
    produced[i] = static_cast<std::size_t>(statuses[i].produced);
    errors[i] = statuses[i].error;
  }
  return result;
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
  if (needed > std::numeric_limits<std::size_t>::max()) return SLUICE_ENVIRONMENT;
  *bytes = static_cast<std::size_t>(needed);
  return SLUICE_OK;
}

sluice_status sluice_cuda_decode_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                       const uint64_t* in_sizes, void* const* out, const uint64_t* out_capacities,
                                       uint64_t* produced, uint64_t* errors, size_t chunks, void* temp,
                                       size_t temp_bytes, void* stream, const sluice_cuda_shared* shared,
                                       sluice_error** error) {
  if (error) *error = nullptr;
  return guarded([&] {
    auto batch = device_batch(in, in_sizes, produced, errors, chunks, temp, temp_bytes, shared);
    batch.out = out;
    batch.out_capacity = out_capacities;
    return status_of(decoder->decoder.decode_async(batch, stream), error);
  });
}

sluice_status sluice_cuda_decoded_sizes_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                              const uint64_t* in_sizes, uint64_t* produced, uint64_t* errors,
                                              size_t chunks, void* temp, size_t temp_bytes, void* stream,
                                              const sluice_cuda_shared* shared, sluice_error** error) {
  if (error) *error = nullptr;
  return guarded([&] {
    const auto batch = device_batch(in, in_sizes, produced, errors, chunks, temp, temp_bytes, shared);
    return status_of(decoder->decoder.decoded_sizes_async(batch, stream), error);
  });
}

sluice_status sluice_cuda_decode_host(const sluice_cuda_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                      void* const* out, const size_t* out_capacities, size_t* produced,
                                      uint64_t* errors, size_t chunks, const sluice_cuda_shared* shared,
                                      sluice_error** error) {
  if (error) *error = nullptr;
  return guarded([&] {
    const std::size_t element = decoder->decoder.output_element_bytes();
    std::vector<sluice::Chunk> list(chunks);
    for (std::size_t i = 0; i < chunks; ++i) {
      if (out_capacities[i] > std::numeric_limits<std::size_t>::max() / element)
        return status_of("a capacity is more than memory can be", error);
      list[i] = {{static_cast<const std::uint8_t*>(in[i]), in_sizes[i]},
                 {static_cast<std::uint8_t*>(out[i]), out_capacities[i] * element}};
    }
    std::vector<sluice::Status> statuses(chunks);
    const sluice_status status = status_of(decoder->decoder.decode_batch(list, statuses, host_batch(shared)), error);
    return status == SLUICE_OK ? hand_over(statuses, produced, errors) : status;
  });
}

sluice_status sluice_cuda_decoded_sizes_host(const sluice_cuda_decoder* decoder, const void* const* in,
                                             const size_t* in_sizes, size_t* produced, uint64_t* errors, size_t chunks,
                                             const sluice_cuda_shared* shared, sluice_error** error) {
  if (error) *error = nullptr;
  return guarded([&] {
    std::vector<std::span<const std::uint8_t>> inputs(chunks);
    for (std::size_t i = 0; i < chunks; ++i) inputs[i] = {static_cast<const std::uint8_t*>(in[i]), in_sizes[i]};
    std::vector<sluice::Status> statuses(chunks);
    const sluice_status status = status_of(decoder->decoder.decoded_sizes(inputs, statuses, host_batch(shared)), error);
    return status == SLUICE_OK ? hand_over(statuses, produced, errors) : status;
  });
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
int sluice_cuda_countable(const sluice_cuda_decoder* decoder) { return decoder->decoder.countable() ? 1 : 0; }
size_t sluice_cuda_argument_count(const sluice_cuda_decoder* decoder) { return decoder->decoder.arguments().size(); }
const char* sluice_cuda_argument_name(const sluice_cuda_decoder* decoder, size_t index) {
  const auto& arguments = decoder->decoder.arguments();
  return index < arguments.size() ? arguments[index].name.c_str() : nullptr;
}

}  // extern "C"
