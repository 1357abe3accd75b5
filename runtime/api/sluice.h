#ifndef SLUICE_RUNTIME_API_SLUICE_H
#define SLUICE_RUNTIME_API_SLUICE_H
/* Sluice for C programs: compile a format's description, decode batches of chunks with it.
 *
 * Every function is thread-safe on different handles; those that take a `const sluice_decoder*` also on the same one.
 * Nothing prints, exits or keeps global state. Texts a handle returns live as long as the handle. */
#include <stddef.h>
#include <stdint.h>

/* Of this header. A library of another minor version has another ABI as long as the major version is 0. */
#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 2
#define SLUICE_VERSION_PATCH 0
#define SLUICE_VERSION_NUMBER (SLUICE_VERSION_MAJOR * 10000 + SLUICE_VERSION_MINOR * 100 + SLUICE_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sluice_decoder sluice_decoder; /* compiled format; free with sluice_decoder_destroy */
typedef struct sluice_error sluice_error;     /* what is wrong, in a sentence; free with sluice_error_destroy */

typedef enum sluice_status {
  SLUICE_OK = 0,
  SLUICE_DATA_REJECTED = 1, /* at least one chunk has a non-zero error word */
  SLUICE_BAD_SPEC = 2,      /* the description has errors */
  SLUICE_ENVIRONMENT = 3,   /* no such file, no engine for the wanted target, the GPU's driver refuses */
  SLUICE_BAD_ARGUMENT = 4,  /* of the call: an unknown name, a value or an array that does not fit */
  SLUICE_NO_MEMORY = 5,     /* the machine's, or the device's */
  SLUICE_NOT_COUNTABLE = 6, /* decoded sizes of a format that can only find them by decoding */
  SLUICE_CANCELLED = 7      /* sluice_cancel_set was called: some chunks may not be decoded, and which is not said */
} sluice_status;

/* Of the library: SLUICE_VERSION_NUMBER as it was built, and "0.2.0". */
unsigned sluice_version_number(void);
const char* sluice_version_string(void);

typedef enum sluice_target { SLUICE_TARGET_AUTO = 0, SLUICE_TARGET_CPU = 1, SLUICE_TARGET_INTERP = 2 } sluice_target;

typedef struct sluice_setting { /* compile-time parameter: {"T", "i64"} */
  const char* name;
  const char* value;
} sluice_setting;

typedef struct sluice_options { /* all zero is the default */
  sluice_target target;
  const sluice_setting* settings;
  size_t setting_count;
  const char* const* search; /* directories with NAME.sluice or NAME/NAME.sluice */
  size_t search_count;
  int no_cache; /* non-zero: compiled code is not kept on disk */
} sluice_options;

/* The error word of a chunk whose output needs more room than it was given. Every other word is the format's verdict, and
 * the same with any room. */
#ifndef SLUICE_NO_ROOM
#define SLUICE_NO_ROOM 0xffc0030000000000ull
#endif

/* A flag with which another thread, or a signal handler, ends calls under way. It may serve any number of calls, and must
 * outlive them. */
typedef struct sluice_cancel sluice_cancel;
sluice_cancel* sluice_cancel_create(void);          /* null: no memory. Free with sluice_cancel_destroy */
void sluice_cancel_set(sluice_cancel* cancel);      /* safe in signal handlers; calls that look end with SLUICE_CANCELLED */
void sluice_cancel_reset(sluice_cancel* cancel);    /* for the next call */
void sluice_cancel_destroy(sluice_cancel* cancel);  /* null is fine */

typedef struct sluice_batch { /* what all chunks share; all zero is the default */
  const void* dictionary;
  size_t dictionary_size;
  const uint64_t* arguments; /* run-time arguments in declaration order; null: their initial values */
  size_t argument_count;
  unsigned threads; /* 0: as many as the machine has cores; 1: the caller's only. Never more than cores */
  uint64_t count_limit; /* sluice_decoded_sizes: elements after which a chunk is refused with SLUICE_NO_ROOM; 0: none */
  const sluice_cancel* cancel; /* looked at before each chunk, by the interpreter within one, too; null: nobody cancels */
} sluice_batch;

/* Compiles a codec by name or path ('/' or ".sluice" in it), or a description given as text. `options` may be null.
 * On SLUICE_OK *decoder is set; otherwise *error is set if `error` is not null (and memory for it can be had). */
sluice_status sluice_decoder_create(const char* path_or_name, const sluice_options* options, sluice_decoder** decoder,
                                    sluice_error** error);
sluice_status sluice_decoder_create_from_text(const char* text, size_t text_size, const char* name,
                                              const sluice_options* options, sluice_decoder** decoder,
                                              sluice_error** error);
/* From the bytes of an artifact that `sluice build` wrote: nothing is compiled, no compiler is needed. Of the options
 * only `target` counts. sluice_decoder_create takes an artifact's path, too (it ends in ".sluicea"). Load only
 * artifacts that you would run. */
sluice_status sluice_decoder_create_from_artifact(const void* artifact, size_t size, const sluice_options* options,
                                                  sluice_decoder** decoder, sluice_error** error);
void sluice_decoder_destroy(sluice_decoder* decoder); /* null is fine */

const char* sluice_error_text(const sluice_error* error); /* ready to print; "" for null */
void sluice_error_destroy(sluice_error* error);           /* null is fine */

/* Decodes `count` chunks. Arrays of `count`: input pointers and sizes (bytes), output pointers and capacities
 * (elements), produced sizes (elements) and error words (0 is success). Nothing outside the buffers is read or written,
 * no alignment is needed, a failed chunk leaves the others intact.
 * SLUICE_DATA_REJECTED when any error word is set. SLUICE_BAD_ARGUMENT: an array is missing, or the run-time arguments
 * do not fit the format; SLUICE_NO_MEMORY: for what the threads work with. Nothing is written then, and *error says in a
 * sentence what is wrong, if `error` is not null. `batch` may be null. */
sluice_status sluice_decode_batch(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                  void* const* out, const size_t* out_capacities, size_t* produced, uint64_t* errors,
                                  size_t count, const sluice_batch* batch, sluice_error** error);

/* Decoded sizes without decoding: as above, writing no output. Checksums over the output are not verified.
 * SLUICE_NOT_COUNTABLE for formats whose size depends on their output's values (sluice_countable). The first call of a
 * decoder that was made of a description and runs machine code compiles what finds sizes (parts of a second, or
 * milliseconds from the cache; other threads that ask meanwhile wait): SLUICE_ENVIRONMENT where that fails, and the next
 * call tries again. A batch of no chunks does this and no more. */
sluice_status sluice_decoded_sizes(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                   size_t* produced, uint64_t* errors, size_t count, const sluice_batch* batch,
                                   sluice_error** error);

/* Formats that have outputs beside their own (`output offsets: u32[]`): the two calls above refuse to decode these, which have
 * calls that bring an entry for each, in order of declaration. Arrays of `count`, as of the format's own output: pointers, capacities
 * and, written, sizes, in elements of that output. No two outputs may overlap. */
typedef struct sluice_further_output {
  void* const* out;
  const size_t* capacities;
  size_t* produced;
} sluice_further_output;

size_t sluice_further_output_count(const sluice_decoder* decoder); /* 0 for most formats; 7 at most */
const char* sluice_further_output_name(const sluice_decoder* decoder, size_t index); /* null past the last */
size_t sluice_further_output_element_bytes(const sluice_decoder* decoder, size_t index); /* 1, 2, 4 or 8; 0 past the last */
int sluice_further_output_is_signed(const sluice_decoder* decoder, size_t index); /* non-zero: two's complement */

/* As sluice_decode_batch. SLUICE_BAD_ARGUMENT, too: `further_count` is not the number of outputs, or an array is missing. */
sluice_status sluice_decode_batch_further(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                          void* const* out, const size_t* out_capacities, size_t* produced,
                                          uint64_t* errors, size_t count, const sluice_further_output* further,
                                          size_t further_count, const sluice_batch* batch, sluice_error** error);
/* As sluice_decoded_sizes, which finds the sizes of the format's own output alone; of `further` only `produced` is used. */
sluice_status sluice_decoded_sizes_further(const sluice_decoder* decoder, const void* const* in, const size_t* in_sizes,
                                           size_t* produced, uint64_t* errors, size_t count,
                                           const sluice_further_output* further, size_t further_count,
                                           const sluice_batch* batch, sluice_error** error);

/* Text of an error word: "deflate.sluice:31:7: reject bad_distance at bit 40213 of chunk 17"; of what is wrong in the preset
 * dictionary "... at bit 96 of the dictionary, chunk 17". Writes at most `size` bytes with a terminating zero and returns
 * the length it needs, without the zero. */
size_t sluice_describe(const sluice_decoder* decoder, uint64_t error, size_t chunk, char* text, size_t size);
/* The facts computed from the grammar, a JSON object. Same convention. */
size_t sluice_facts(const sluice_decoder* decoder, char* text, size_t size);

const char* sluice_decoder_name(const sluice_decoder* decoder);
const char* sluice_decoder_engine(const sluice_decoder* decoder); /* "clang", "cxx", "aot", "interp" */
const char* sluice_decoder_why(const sluice_decoder* decoder);    /* why that one, in a sentence */
size_t sluice_output_element_bytes(const sluice_decoder* decoder);
uint64_t sluice_scratch_bytes_per_thread(const sluice_decoder* decoder);
int sluice_countable(const sluice_decoder* decoder); /* non-zero: decoded sizes can be had */
size_t sluice_argument_count(const sluice_decoder* decoder);
const char* sluice_argument_name(const sluice_decoder* decoder, size_t index); /* null past the last */

#ifdef __cplusplus
}
#endif

#endif
