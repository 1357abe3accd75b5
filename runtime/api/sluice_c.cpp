// The C interface: the C++ one behind opaque handles.
#include <atomic>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "runtime/api/c_handles.h"
#include "runtime/api/sluice.h"
#include "runtime/api/sluice.hpp"

struct sluice_cancel {
  std::atomic<bool> set = false;
};
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers set it");

struct sluice_decoder {
  sluice::Decoder decoder;
};

namespace {

using sluice::c_api::copy_text;
using sluice::c_api::create;
using sluice::c_api::decode_host;
using sluice::c_api::guarded;
using sluice::c_api::sizes_host;

sluice::Options options_of(const sluice_options* options) {
  sluice::Options out;
  if (!options) return out;
  out.target = options->target == SLUICE_TARGET_CPU      ? sluice::Target::Cpu
               : options->target == SLUICE_TARGET_INTERP ? sluice::Target::Interp
                                                         : sluice::Target::Auto;
  for (std::size_t i = 0; i < options->setting_count; ++i)
    out.set.push_back({options->settings[i].name, options->settings[i].value});
  out.search.assign(options->search, options->search + options->search_count);
  out.cache = options->no_cache == 0;
  return out;
}

sluice::Batch batch_of(const sluice_batch* batch) {
  sluice::Batch out;
  out.threads = 0;
  if (!batch) return out;
  out.dictionary = {static_cast<const std::uint8_t*>(batch->dictionary), batch->dictionary_size};
  if (batch->arguments) out.arguments = {batch->arguments, batch->argument_count};
  out.threads = batch->threads;
  if (batch->count_limit != 0) out.count_limit = batch->count_limit;
  if (batch->cancel) out.cancel = &batch->cancel->set;
  return out;
}

}  // namespace

static_assert(SLUICE_NO_ROOM == sluice::kNoRoom);
static_assert(SLUICE_BUILT_VERSION == SLUICE_VERSION_NUMBER, "sluice.h states another version than CMakeLists.txt");

extern "C" {

unsigned sluice_version_number(void) { return SLUICE_VERSION_NUMBER; }
const char* sluice_version_string(void) { return sluice::version().data(); }

sluice_status sluice_decoder_create(const char* path_or_name, const sluice_options* options, sluice_decoder** decoder,
                                    sluice_error** error) {
  return create(decoder, error, [&] { return sluice::Decoder::open(path_or_name, options_of(options)); });
}

sluice_status sluice_decoder_create_from_text(const char* text, size_t text_size, const char* name,
                                              const sluice_options* options, sluice_decoder** decoder,
                                              sluice_error** error) {
  return create(decoder, error, [&] {
    return sluice::Decoder::from_text({text, text_size}, name, options_of(options));
  });
}

sluice_status sluice_decoder_create_from_artifact(const void* artifact, size_t size, const sluice_options* options,
                                                  sluice_decoder** decoder, sluice_error** error) {
  return create(decoder, error, [&] {
    return sluice::Decoder::from_artifact({static_cast<const std::uint8_t*>(artifact), size}, options_of(options));
  });
}

void sluice_decoder_destroy(sluice_decoder* decoder) { delete decoder; }

const char* sluice_error_text(const sluice_error* error) { return error ? error->error.text.c_str() : ""; }

void sluice_error_destroy(sluice_error* error) { delete error; }

sluice_cancel* sluice_cancel_create(void) { return new (std::nothrow) sluice_cancel; }
void sluice_cancel_set(sluice_cancel* cancel) { cancel->set.store(true, std::memory_order_relaxed); }
void sluice_cancel_reset(sluice_cancel* cancel) { cancel->set.store(false, std::memory_order_relaxed); }
void sluice_cancel_destroy(sluice_cancel* cancel) { delete cancel; }

sluice_status sluice_decode_batch(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                  void* const* out, const size_t* out_capacities, size_t* produced, uint64_t* errors,
                                  size_t count, const sluice_batch* batch, sluice_error** error) {
  return guarded(error, [&] {
    return decode_host(decoder->decoder, in, in_sizes, out, out_capacities, produced, errors, count, batch_of(batch),
                       error);
  });
}

sluice_status sluice_decoded_sizes(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                   size_t* produced, uint64_t* errors, size_t count, const sluice_batch* batch,
                                   sluice_error** error) {
  return guarded(error, [&] {
    return sizes_host(decoder->decoder, in, in_sizes, produced, errors, count, batch_of(batch), error);
  });
}

sluice_status sluice_decode_batch_further(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                          void* const* out, const size_t* out_capacities, size_t* produced,
                                          uint64_t* errors, size_t count, const sluice_further_output* further,
                                          size_t further_count, const sluice_batch* batch, sluice_error** error) {
  return guarded(error, [&] {
    return decode_host(decoder->decoder, in, in_sizes, out, out_capacities, produced, errors, count, batch_of(batch), error,
                       {further, further_count});
  });
}

sluice_status sluice_decoded_sizes_further(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                           size_t* produced, uint64_t* errors, size_t count,
                                           const sluice_further_output* further, size_t further_count,
                                           const sluice_batch* batch, sluice_error** error) {
  return guarded(error, [&] {
    return sizes_host(decoder->decoder, in, in_sizes, produced, errors, count, batch_of(batch), error, {further, further_count});
  });
}

size_t sluice_further_output_count(const sluice_decoder* decoder) { return decoder->decoder.further_outputs().size(); }
const char* sluice_further_output_name(const sluice_decoder* decoder, size_t index) {
  const auto& outputs = decoder->decoder.further_outputs();
  return index < outputs.size() ? outputs[index].name.c_str() : nullptr;
}
size_t sluice_further_output_element_bytes(const sluice_decoder* decoder, size_t index) {
  const auto& outputs = decoder->decoder.further_outputs();
  return index < outputs.size() ? outputs[index].element_bytes : 0;
}
int sluice_further_output_is_signed(const sluice_decoder* decoder, size_t index) {
  const auto& outputs = decoder->decoder.further_outputs();
  return index < outputs.size() && outputs[index].is_signed ? 1 : 0;
}

size_t sluice_describe(const sluice_decoder* decoder, uint64_t error, size_t chunk, char* text, size_t size) {
  try {
    return copy_text(decoder->decoder.describe(error, chunk), text, size);
  } catch (const std::exception&) {
    return copy_text({}, text, size);
  }
}

size_t sluice_facts(const sluice_decoder* decoder, char* text, size_t size) {
  try {
    return copy_text(decoder->decoder.facts(), text, size);
  } catch (const std::exception&) {
    return copy_text({}, text, size);
  }
}

const char* sluice_decoder_name(const sluice_decoder* decoder) { return decoder->decoder.name().c_str(); }
const char* sluice_decoder_engine(const sluice_decoder* decoder) { return decoder->decoder.engine().c_str(); }
const char* sluice_decoder_why(const sluice_decoder* decoder) { return decoder->decoder.why().c_str(); }
size_t sluice_output_element_bytes(const sluice_decoder* decoder) { return decoder->decoder.output_element_bytes(); }
uint64_t sluice_scratch_bytes_per_thread(const sluice_decoder* decoder) { return decoder->decoder.scratch_bytes(); }
int sluice_countable(const sluice_decoder* decoder) { return decoder->decoder.countable() ? 1 : 0; }
size_t sluice_argument_count(const sluice_decoder* decoder) { return decoder->decoder.arguments().size(); }
const char* sluice_argument_name(const sluice_decoder* decoder, size_t index) {
  const auto& arguments = decoder->decoder.arguments();
  return index < arguments.size() ? arguments[index].name.c_str() : nullptr;
}

}  // extern "C"
