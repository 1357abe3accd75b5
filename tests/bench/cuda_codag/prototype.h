#pragma once
// What a library made from prototype.cu offers; no CUDA header is needed to call it.
#include <cstddef>
#include <cstdint>

struct SluicePrototypeBatch {
  const char* codec;  // "lz4_block", "snappy_raw", "deflate"
  unsigned chunks;
  const void* const* in;          // device array: inputs at multiples of 16, with 16 readable bytes behind the last one
  void* const* out;               // device array: rooms at multiples of 16
  unsigned* errors;               // device array, written: 0 is success
  const std::uint64_t* in_bytes;  // host arrays
  const std::uint64_t* out_bytes;
};

struct SluicePrototypeSession;  // a batch with its scratch memory and the fastest of the kernels for it

// Null, or what went wrong. All of them take the CUDA stream as the C++ API does.
using SluicePrototypeBegin = const char*(const SluicePrototypeBatch*, void* stream, SluicePrototypeSession**,
                                         std::size_t* scratch, const char** how);
using SluicePrototypeLaunch = const char*(SluicePrototypeSession*, void* stream);
using SluicePrototypeEnd = void(SluicePrototypeSession*);
