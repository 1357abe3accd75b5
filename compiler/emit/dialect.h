#pragma once
// What a target's language calls things. Emitters write text that is the same for every target, and take from here what
// is not; tests/layout finds spellings that stand elsewhere in this room.
//
//   fill(kCuda.lowest_bit, "bad")     ->  (u32)__ffs((int)bad) - 1
//   fill(kCuda.kernel, "64, 4", "k")  ->  extern "C" __global__ void __launch_bounds__(64, 4) k(const __grid_constant__ sluice_cuda_batch b) {
//
// Another vendor's GPU is another table, with primitives of its own in `primitives`.
#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>

#include "compiler/embed/primitive_sets.h"

namespace sluice::emit {

struct Dialect {
  std::string_view abi;         // what callers and generated text agree on, of the embedded files
  std::span<const std::string_view> primitives;  // the headers of its primitives
  std::span<const std::string_view> of_bytes, of_bits;  // of those that a lane works with alone, where streams are so
  std::span<const std::string_view> of_entries;  // likewise of bits, where parts leave entries
  std::span<const std::string_view> of_tokens;   // likewise, where it guesses where tokens begin
  std::string_view table;  // in front of a constant array
  std::string_view alike_table;  // likewise, of one that all lanes look up alike most often

  // Patterns: {} stands for what they are given. Empty where no text of the dialect has such a thing.
  std::string_view zero;            // object: all of its bytes
  std::string_view zero_part;       // pointer, type, member: the bytes before that member
  std::string_view lowest_bit;      // 32 bits, some set: index of the lowest
  std::string_view kernel;          // bounds, name: head of the function
  std::string_view function, room;  // in front of a function, and of an array of a block's own
  std::string_view shared;          // type, name, count: an array of a block's own
  std::string_view dynamic_shared;  // type, name: one whose size the launch gives
  std::string_view thread, block, block_size;  // their numbers in block and grid, and threads of a block

  // A pattern with its places filled.
  template <typename... A>
  [[nodiscard]] static std::string fill(std::string_view pattern, const A&... values) {
    return fmt::format(fmt::runtime(pattern), values...);
  }
};

inline constexpr Dialect kCpu{
    .abi = "runtime/api/abi.h",
    .primitives = embed::kCpuPrimitives,
    .of_bytes = {},
    .of_bits = {},
    .of_entries = {},
    .of_tokens = {},
    .table = "constexpr",
    .alike_table = "constexpr",
    .zero = "__builtin_memset((void*)&{0}, 0, sizeof {0});",
    .zero_part = "__builtin_memset((void*){}, 0, __builtin_offsetof({}, {}));",
    .lowest_bit = {},
    .kernel = {},
    .function = {},
    .room = {},
    .shared = {},
    .dynamic_shared = {},
    .thread = {},
    .block = {},
    .block_size = {},
};

inline constexpr Dialect kCuda{
    .abi = "runtime/api/cuda_abi.h",
    .primitives = embed::kWarpPrimitives,
    .of_bytes = embed::kStagedPrimitives,
    .of_bits = embed::kCountedPrimitives,
    .of_entries = embed::kEntryPrimitives,
    .of_tokens = embed::kTokenPrimitives,
    .table = "SLUICE_TABLE",
    .alike_table = "SLUICE_ALIKE_TABLE",
    .zero = {},
    .zero_part = {},
    .lowest_bit = "(u32)__ffs((int){}) - 1",
    .kernel = "extern \"C\" __global__ void __launch_bounds__({}) {}(const __grid_constant__ sluice_cuda_batch b) {{",
    .function = "__device__",
    .room = "__shared__",
    .shared = "SLUICE_ROOM {} {}[{}];",
    .dynamic_shared = "extern __shared__ {} {}[]",
    .thread = "threadIdx.x",
    .block = "blockIdx.x",
    .block_size = "blockDim.x",
};

}  // namespace sluice::emit
