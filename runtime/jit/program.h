#pragma once
// A compiled decoder in memory: code, and the entry points runtime/api/abi.h names.
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "runtime/api/abi.h"
#include "runtime/api/result.hpp"

namespace sluice::runtime {

// Copies share the code; it is unmapped with the last one. Calling the entry points is thread-safe.
struct Program {
  sluice_decode_fn decode = nullptr;  // null, as `count`: it was made for the other one alone
  sluice_decode_fn count = nullptr;
  sluice_decode_two_fn decode_two = nullptr;  // null: it has none
  std::uint64_t scratch_bytes = 0;
  std::shared_ptr<void> code;

  // From an ELF image: a relocatable object (own loader) or a shared object (dlopen of a memory file). Errors are
  // Kind::Environment: damaged image, wrong ABI version, nothing that decodes or counts.
  static Result<Program> load(std::span<const std::uint8_t> image);
};

// More scratch than any format can ask for: an image that wants more is damaged. analysis::kMaxChunkBytes, and as much
// again for look-up tables and alignment.
inline constexpr std::uint64_t kMaxScratchBytes = std::uint64_t{2} << 30;

// The entry points found by `symbol(name, bytes)` (address or null), checked. Used by load and by other loaders.
template <class Lookup>
Result<Program> program_from(Lookup&& symbol, std::shared_ptr<void> code) {
  unsigned version = 0;
  unsigned long long scratch = 0;
  const void* at = symbol("sluice_abi_version", sizeof version);
  if (at) std::memcpy(&version, at, sizeof version);
  if (version != SLUICE_ABI_VERSION)
    return Error{Error::Kind::Environment, "compiled code has another ABI version", {}};
  at = symbol("sluice_scratch_bytes", sizeof scratch);
  if (at) std::memcpy(&scratch, at, sizeof scratch);
  void* decode = symbol("sluice_decode", 1);
  void* count = symbol("sluice_count", 1);
  if (scratch > kMaxScratchBytes)
    return Error{Error::Kind::Environment, "compiled code wants more temporary memory than any format has", {}};
  if (!at || (!decode && !count))
    return Error{Error::Kind::Environment, "compiled code lacks an entry point", {}};
  return Program{reinterpret_cast<sluice_decode_fn>(decode), reinterpret_cast<sluice_decode_fn>(count),
                 reinterpret_cast<sluice_decode_two_fn>(symbol("sluice_decode_two", 1)), scratch, std::move(code)};
}

}  // namespace sluice::runtime
