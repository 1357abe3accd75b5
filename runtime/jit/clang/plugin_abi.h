#ifndef SLUICE_RUNTIME_JIT_CLANG_PLUGIN_ABI_H
#define SLUICE_RUNTIME_JIT_CLANG_PLUGIN_ABI_H
/* What libsluice_clang.so exports. Plain C: host and plugin may be built apart, and no C++ type or exception crosses.
 * All functions are thread-safe. The plugin stays loaded once loaded: LLVM does not support being unloaded. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_CLANG_PLUGIN_VERSION 3u

#if defined(__GNUC__)
#define SLUICE_CLANG_API __attribute__((visibility("default")))
#else
#define SLUICE_CLANG_API
#endif

typedef struct sluice_clang_bytes {
  unsigned char* data; /* null when size is 0 */
  size_t size;
} sluice_clang_bytes;

typedef struct sluice_clang_times { /* milliseconds */
  double frontend, optimise, codegen;
} sluice_clang_times;

/* SLUICE_CLANG_PLUGIN_VERSION of the plugin: call this first, and nothing else when it differs. */
SLUICE_CLANG_API unsigned sluice_clang_plugin_version(void);
typedef unsigned (*sluice_clang_plugin_version_fn)(void);

/* Compiles a C++17 translation unit without headers: for this machine when `cpu` is null, else for every machine of
 * this architecture that has what LLVM knows of the processor of that name ("x86-64-v3"). 0: *object holds a
 * relocatable object file, position-independent. 1: *text holds the compiler's errors. 2: *text says why the compiler
 * itself failed. Both are freed by sluice_clang_free. `times` may be null. */
SLUICE_CLANG_API int sluice_clang_compile(const char* source, size_t size, const char* cpu, sluice_clang_bytes* object,
                                          sluice_clang_bytes* text, sluice_clang_times* times);
typedef int (*sluice_clang_compile_fn)(const char*, size_t, const char*, sluice_clang_bytes*, sluice_clang_bytes*,
                                       sluice_clang_times*);

/* Compiles CUDA C++ without headers, neither its own nor the toolkit's: `source` declares what it uses of the language.
 * `gpu` is "sm_80" to "sm_90a". 0: *ptx holds PTX as text, and a zero byte after it. Else as sluice_clang_compile. */
SLUICE_CLANG_API int sluice_clang_ptx(const char* source, size_t size, const char* gpu, sluice_clang_bytes* ptx,
                                      sluice_clang_bytes* text);
typedef int (*sluice_clang_ptx_fn)(const char*, size_t, const char*, sluice_clang_bytes*, sluice_clang_bytes*);

SLUICE_CLANG_API void sluice_clang_free(sluice_clang_bytes* bytes);
typedef void (*sluice_clang_free_fn)(sluice_clang_bytes*);

/* Links an object in memory with ORC, for machines that Sluice's own loader does not know. 0: *program is set.
 * Otherwise *text says why. */
typedef struct sluice_clang_program sluice_clang_program;
SLUICE_CLANG_API int sluice_clang_load(const unsigned char* object, size_t size, sluice_clang_program** program,
                                       sluice_clang_bytes* text);
typedef int (*sluice_clang_load_fn)(const unsigned char*, size_t, sluice_clang_program**, sluice_clang_bytes*);

/* Address of a symbol, or null. */
SLUICE_CLANG_API void* sluice_clang_symbol(sluice_clang_program* program, const char* name);
typedef void* (*sluice_clang_symbol_fn)(sluice_clang_program*, const char*);

SLUICE_CLANG_API void sluice_clang_unload(sluice_clang_program* program);
typedef void (*sluice_clang_unload_fn)(sluice_clang_program*);

#ifdef __cplusplus
}
#endif

#endif
