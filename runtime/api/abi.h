#ifndef SLUICE_RUNTIME_API_ABI_H
#define SLUICE_RUNTIME_API_ABI_H
/* What a generated CPU decoder exports, and what it is called with. Plain C: this text also stands at the head of
 * every generated translation unit, so it includes nothing.
 *
 * A generated object exports
 *   sluice_abi_version     unsigned: SLUICE_ABI_VERSION
 *   sluice_scratch_bytes   unsigned long long: size of sluice_job.scratch, 64-byte aligned, independent of data
 *   sluice_decode          decode one chunk, write the output
 *   sluice_count           the same without writing (out may be null): yields `produced`, up to out_capacity.
 *                          Checksums over the output are not verified.
 *   sluice_decode_two      only where two chunks by one thread take less time than one after the other: decodes both, each with
 *                          scratch of its own
 * One of sluice_decode and sluice_count may be absent: code is made of what is asked for; sluice_decode_two stands beside the former.
 * Those two return the chunk's error word: 0, or rule:10 | clause:14 | bit position:40, whose highest bit says in a format that reads
 * its dictionary that the position is one there; SLUICE_NO_ROOM when a capacity does not suffice, whatever else may be wrong with the
 * chunk. They touch no global state and may run on any number of threads with different jobs. */
#define SLUICE_ABI_VERSION 3u
#ifndef SLUICE_NO_ROOM
#define SLUICE_NO_ROOM 0xffc0030000000000ull
#endif

/* Room for a further output, as `out`, `out_capacity` and `produced` of a job. */
struct sluice_output {
  void* out;
  unsigned long long out_capacity; /* elements, of that output's type */
  unsigned long long produced;     /* out */
};

struct sluice_job {
  const unsigned char* in;       /* any alignment; no byte at or past in + in_size is read */
  unsigned long long in_size;    /* bytes */
  void* out;                     /* any alignment; no element at or past out_capacity is written */
  unsigned long long out_capacity; /* elements */
  const unsigned char* dictionary; /* preset dictionary, or null */
  unsigned long long dictionary_size;
  const unsigned long long* args;  /* run-time arguments in declaration order */
  void* scratch;                 /* sluice_scratch_bytes, 64-byte aligned, contents irrelevant */
  unsigned long long produced;   /* out: elements; on failure, those made before the failing statement */
  unsigned long long consumed;   /* out: bytes of input used (rounded up) */
  struct sluice_output* further; /* one for each further output, in order of declaration; not looked at where there is none.
                                    None of them may overlap another or `out` */
};

typedef unsigned long long (*sluice_decode_fn)(struct sluice_job*);

struct sluice_two {
  struct sluice_job *first, *second;
  unsigned long long first_error, second_error; /* out: error words */
};
typedef void (*sluice_decode_two_fn)(struct sluice_two*);

#endif
