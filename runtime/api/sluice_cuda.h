#ifndef SLUICE_RUNTIME_API_SLUICE_CUDA_H
#define SLUICE_RUNTIME_API_SLUICE_CUDA_H
/* Sluice on NVIDIA GPUs for C programs, shaped as nvCOMP's low-level batched calls: device arrays of pointers and sizes
 * in, produced sizes and error words out, a temporary buffer whose size comes from a query, a stream.
 *
 * CUDA and NVRTC are loaded when first needed; nothing here needs CUDA's headers or libraries to build or link. A
 * stream (CUstream, cudaStream_t) is a void*, null being the default stream. Every function is thread-safe on different
 * handles; those that take a `const sluice_cuda_decoder*` also on the same one. Calls leave the thread's current CUDA
 * context as they found it. Nothing prints, exits or keeps global state. */
#include "runtime/api/sluice.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_cuda_decoder sluice_cuda_decoder; /* free with sluice_cuda_decoder_destroy */

typedef struct sluice_cuda_options { /* all zero is the default */
  const int* device;    /* the GPU's ordinal, used with its primary context; null: the calling thread's current context,
                           without one device 0 */
  const char* arch;     /* "sm_90", "compute_90" (PTX); null: the device's own */
  const char* schedule; /* directives, "strategy warp, input registers"; null: the format's own. "input_alignment 128,
                           output_alignment 16" promises where chunks lie: see sluice_cuda_input_alignment. One that
                           names "strategy", "walker_warps", "writer_warps", "chunk_warps" or "warps_per_block"
                           ("warps_per_block auto") gives no batches a kernel of their own */
  int no_sizes;         /* non-zero: decoded sizes will never be asked for */
  const sluice_setting* settings; /* compile-time parameters */
  size_t setting_count;
  const char* const* search; /* directories with NAME.sluice or NAME/NAME.sluice */
  size_t search_count;
  int no_cache; /* non-zero: compiled code is not kept on disk */
  int no_quick_start; /* non-zero: creating a decoder waits for the kernel itself, where else code that is compiled in a third to
                         a half of the time, and runs at 0.6 to 0.95 of the speed, decodes until that is there */
} sluice_cuda_options;

/* Compiles a codec by name or path ('/' or ".sluice" in it; ".sluicea": an artifact), or a description given as text,
 * or loads an artifact's bytes. `options` may be null. On SLUICE_OK *decoder is set; otherwise *error is set if `error`
 * is not null (sluice_error_text, sluice_error_destroy). SLUICE_ENVIRONMENT: no driver, device or NVRTC. */
sluice_status sluice_cuda_decoder_create(const char* path_or_name, const sluice_cuda_options* options,
                                         sluice_cuda_decoder** decoder, sluice_error** error);
sluice_status sluice_cuda_decoder_create_from_text(const char* text, size_t text_size, const char* name,
                                                   const sluice_cuda_options* options, sluice_cuda_decoder** decoder,
                                                   sluice_error** error);
sluice_status sluice_cuda_decoder_create_from_artifact(const void* artifact, size_t size,
                                                       const sluice_cuda_options* options,
                                                       sluice_cuda_decoder** decoder, sluice_error** error);
void sluice_cuda_decoder_destroy(sluice_cuda_decoder* decoder); /* null is fine; no kernel of it may be running */

typedef struct sluice_cuda_shared { /* what all chunks share; all zero is the default */
  const void* dictionary; /* preset dictionary: device memory for the _async calls, host memory for the others */
  size_t dictionary_size;
  const uint64_t* arguments; /* host memory, read before the call returns: run-time arguments in declaration order;
                                null: their initial values */
  size_t argument_count;
} sluice_cuda_shared;

/* Bytes of temporary device memory for a batch of that many chunks: 0 for formats without stages. Depends on the number
 * of chunks and the device, never on data. */
sluice_status sluice_cuda_decode_temp_size(const sluice_cuda_decoder* decoder, size_t chunks, size_t* bytes);

/* Queues the decoding of `chunks` chunks on the stream and returns: nothing is allocated, copied or waited for. All
 * arrays are device memory with `chunks` entries: pointers to inputs, their sizes in bytes, pointers to outputs, their
 * capacities in elements; written: produced sizes in elements, error words (0 is success). No alignment is demanded of
 * inputs, outputs and `temp`, unless the schedule promises one (sluice_cuda_input_alignment); nothing outside them is
 * touched; a failed chunk leaves the others intact. `shared` and
 * `error` may be null. SLUICE_OK: queued. SLUICE_BAD_ARGUMENT: an array is missing, the run-time arguments do not fit,
 * or there is too little temporary memory; SLUICE_ENVIRONMENT: the driver refused. The first batch of few chunks of a
 * decoder that was not made of an artifact compiles and loads a kernel of its own, unless the schedule says otherwise. */
sluice_status sluice_cuda_decode_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                       const uint64_t* in_sizes, void* const* out, const uint64_t* out_capacities,
                                       uint64_t* produced, uint64_t* errors, size_t chunks, void* temp,
                                       size_t temp_bytes, void* stream, const sluice_cuda_shared* shared,
                                       sluice_error** error);

typedef struct sluice_cuda_known { /* what the caller knows of a batch, in bytes; all zero: nothing */
  size_t struct_size;      /* sizeof(sluice_cuda_known) of the caller: what it has no fields for is not known */
  uint64_t largest_output; /* of the largest chunk */
  uint64_t total_output;   /* of all chunks */
  uint64_t total_input;    /* likewise */
} sluice_cuda_known;

/* sluice_cuda_decode_async for callers who know more: which kernel the batch takes may depend on it, never what is
 * decoded. A batch with a few chunks that are much larger than the others counts as one of few chunks; one of 12 bytes
 * of output and more for each byte of input has a kernel of its own, too, compiled at the first of them ("wide_parts 0"
 * in the schedule: none). `known` may be null, and is read before the call returns. */
sluice_status sluice_cuda_decode_known_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                             const uint64_t* in_sizes, void* const* out,
                                             const uint64_t* out_capacities, uint64_t* produced, uint64_t* errors,
                                             size_t chunks, void* temp, size_t temp_bytes, void* stream,
                                             const sluice_cuda_shared* shared, const sluice_cuda_known* known,
                                             sluice_error** error);

/* sluice_cuda_decode_known_async for chunks that lie in one piece of memory, as do their outputs: device arrays of
 * offsets from `in_base` and from `out_base`, in bytes, instead of pointers. `in_sizes` may be null: then `in_offsets` has
 * `chunks` + 1 entries, and each chunk ends where the next begins. That the offsets lie inside is the caller's promise. */
sluice_status sluice_cuda_decode_offsets_async(const sluice_cuda_decoder* decoder, const void* in_base,
                                               const uint64_t* in_offsets, const uint64_t* in_sizes, void* out_base,
                                               const uint64_t* out_offsets, const uint64_t* out_capacities,
                                               uint64_t* produced, uint64_t* errors, size_t chunks, void* temp,
                                               size_t temp_bytes, void* stream, const sluice_cuda_shared* shared,
                                               const sluice_cuda_known* known, sluice_error** error);

/* Decoded sizes without decoding: as sluice_cuda_decode_async, writing no output. SLUICE_NOT_COUNTABLE for formats whose size depends on
 * their output's values (sluice_cuda_countable) and decoders made with no_sizes. The first call compiles what it needs
 * (a batch of no chunks does only that) unless the decoder was made of an artifact. */
sluice_status sluice_cuda_decoded_sizes_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                              const uint64_t* in_sizes, uint64_t* produced, uint64_t* errors,
                                              size_t chunks, void* temp, size_t temp_bytes, void* stream,
                                              const sluice_cuda_shared* shared, sluice_error** error);

/* Formats that have outputs beside their own: as sluice_further_output of sluice.h, but device arrays of `chunks` entries. The structs
 * themselves lie in host memory, one for each output, in order of declaration. */
typedef struct sluice_cuda_further_output {
  void* const* out;
  const uint64_t* capacities; /* elements of that output's type */
  uint64_t* produced;
} sluice_cuda_further_output;

size_t sluice_cuda_further_output_count(const sluice_cuda_decoder* decoder);
const char* sluice_cuda_further_output_name(const sluice_cuda_decoder* decoder, size_t index); /* null past the last */
size_t sluice_cuda_further_output_element_bytes(const sluice_cuda_decoder* decoder, size_t index); /* 0 past the last */
int sluice_cuda_further_output_is_signed(const sluice_cuda_decoder* decoder, size_t index);

/* As sluice_cuda_decode_known_async, which refuses such formats. */
sluice_status sluice_cuda_decode_further_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                               const uint64_t* in_sizes, void* const* out,
                                               const uint64_t* out_capacities, uint64_t* produced, uint64_t* errors,
                                               size_t chunks, const sluice_cuda_further_output* further,
                                               size_t further_count, void* temp, size_t temp_bytes, void* stream,
                                               const sluice_cuda_shared* shared, const sluice_cuda_known* known,
                                               sluice_error** error);
/* As sluice_cuda_decoded_sizes_async, which refuses such formats; of `further` only `produced` is used. */
sluice_status sluice_cuda_decoded_sizes_further_async(const sluice_cuda_decoder* decoder, const void* const* in,
                                                      const uint64_t* in_sizes, uint64_t* produced, uint64_t* errors,
                                                      size_t chunks, const sluice_cuda_further_output* further,
                                                      size_t further_count, void* temp, size_t temp_bytes, void* stream,
                                                      const sluice_cuda_shared* shared, sluice_error** error);

/* As sluice_cuda_decode_host, which refuses such formats; arrays in host memory. */
sluice_status sluice_cuda_decode_host_further(const sluice_cuda_decoder* decoder, const void* const* in,
                                              const size_t* in_sizes, void* const* out, const size_t* out_capacities,
                                              size_t* produced, uint64_t* errors, size_t chunks,
                                              const sluice_further_output* further, size_t further_count,
                                              const sluice_cuda_shared* shared, sluice_error** error);
sluice_status sluice_cuda_decoded_sizes_host_further(const sluice_cuda_decoder* decoder, const void* const* in,
                                                     const size_t* in_sizes, size_t* produced, uint64_t* errors,
                                                     size_t chunks, const sluice_further_output* further,
                                                     size_t further_count, const sluice_cuda_shared* shared,
                                                     sluice_error** error);

/* Everything in host memory: copied to the device and back through pinned buffers, in slices, two of them in flight.
 * Allocates and waits. The rooms count as what is known of the output (sluice_cuda_known). SLUICE_DATA_REJECTED when
 * any error word is set; SLUICE_NO_MEMORY: the machine's, or the device's. */
sluice_status sluice_cuda_decode_host(const sluice_cuda_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                      void* const* out, const size_t* out_capacities, size_t* produced,
                                      uint64_t* errors, size_t chunks, const sluice_cuda_shared* shared,
                                      sluice_error** error);
sluice_status sluice_cuda_decoded_sizes_host(const sluice_cuda_decoder* decoder, const void* const* in,
                                             const size_t* in_sizes, size_t* produced, uint64_t* errors, size_t chunks,
                                             const sluice_cuda_shared* shared, sluice_error** error);

/* Text of an error word: "deflate.sluice:31:7: reject bad_distance at bit 40213 of chunk 17". Writes at most `size`
 * bytes with a terminating zero and returns the length it needs, without the zero. */
size_t sluice_cuda_describe(const sluice_cuda_decoder* decoder, uint64_t error, size_t chunk, char* text, size_t size);

const char* sluice_cuda_decoder_name(const sluice_cuda_decoder* decoder);   /* of the format */
const char* sluice_cuda_decoder_arch(const sluice_cuda_decoder* decoder);   /* "sm_90" */
const char* sluice_cuda_decoder_device(const sluice_cuda_decoder* decoder); /* "NVIDIA H200" */
/* Bytes of which every chunk's input, or output, must start at a multiple in the _async calls: what the schedule's
 * directives promise, 1 unless they do. Of another chunk the error word says misaligned_input or misaligned_output,
 * nothing of it is written, and the other chunks are decoded. */
size_t sluice_cuda_input_alignment(const sluice_cuda_decoder* decoder);
size_t sluice_cuda_output_alignment(const sluice_cuda_decoder* decoder);
/* Waits until the kernel itself decodes, and those of batches that there have been do (sluice_cuda_options::no_quick_start):
 * before measuring. A call for a stream that is being captured into a graph waits by itself. */
void sluice_cuda_finish_compiling(const sluice_cuda_decoder* decoder);
size_t sluice_cuda_output_element_bytes(const sluice_cuda_decoder* decoder);
int sluice_cuda_countable(const sluice_cuda_decoder* decoder); /* non-zero: decoded sizes can be had */
size_t sluice_cuda_argument_count(const sluice_cuda_decoder* decoder);
const char* sluice_cuda_argument_name(const sluice_cuda_decoder* decoder, size_t index); /* null past the last */

#ifdef __cplusplus
}
#endif

#endif
