#ifndef SLUICE_RUNTIME_API_CUDA_ABI_H
#define SLUICE_RUNTIME_API_CUDA_ABI_H
/* What a generated kernel is called with, by value. Plain C: this text also stands at the head of every generated
 * kernel text, so it includes nothing. All pointers are device pointers; arrays have `chunks` entries.
 *
 * A generated CUDA text defines
 *   sluice_decode_kernel   decodes every chunk of the batch
 *   sluice_count_kernel    the same without writing (out may be null): yields `produced`, up to out_capacity (null: on and
 *                          on). Checksums over the output are not verified. */
#define SLUICE_CUDA_ABI_VERSION 4u
#define SLUICE_CUDA_ARGUMENTS 16u
#define SLUICE_CUDA_OUTPUTS 7u /* most further outputs of a format */

/* A further output, as `out`, `out_capacity`, `produced` and `out_base` of a batch are the format's own. */
struct sluice_cuda_output {
  unsigned char* const* out;
  const unsigned long long* out_capacity; /* elements, of that output's type */
  unsigned long long* produced;
  unsigned long long out_base;
};

struct sluice_cuda_batch {
  const unsigned char* const* in;         /* any alignment that the schedule allows; no byte at or past in + in_size is
                                             read. Addresses less in_base: offsets, where that is set */
  const unsigned long long* in_size;      /* bytes; null: each chunk ends where the next one of `in` begins, which has an
                                             entry more */
  unsigned char* const* out;              /* likewise; no element at or past out_capacity is written. Less out_base */
  const unsigned long long* out_capacity; /* elements */
  unsigned long long* produced;           /* elements; on failure, those made before the failing statement */
  unsigned long long* consumed;           /* bytes of input used (rounded up), or a null pointer */
  unsigned long long* error;              /* error word of each chunk, 0 is success */
  const unsigned char* dictionary;        /* preset dictionary, or null */
  unsigned long long dictionary_size;
  unsigned long long args[SLUICE_CUDA_ARGUMENTS]; /* run-time arguments in declaration order */
  unsigned long long chunks;
  unsigned char* temp; /* formats with stages: 256 zeroed bytes, then `slots` pieces; 256-byte aligned */
  unsigned long long slots;
  unsigned long long in_base, out_base; /* added to every entry of `in`, of `out` */
  struct sluice_cuda_output further[SLUICE_CUDA_OUTPUTS]; /* of each further output, in order of declaration */
};

#endif
