#pragma once
// A kernel's text to device code, from the disk cache where it is known: no compiler is even loaded then.
//
// NVRTC compiles; PTX can also come from Clang, and does where there is no NVRTC. $SLUICE_CUDA_JIT=nvrtc|clang allows
// only that one.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/result.hpp"
#include "runtime/jit/cache.h"
#include "runtime/jit/nvrtc.h"

namespace sluice::runtime {

struct CompiledCuda {
  DeviceCode code;
  bool cached = false;
  std::string why;  // "NVRTC LIBRARY: compiled for sm_90", "Clang: compute_90 from the cache"
};

// Key: text, architecture, flags, the compiler's file. Errors are those of Nvrtc::find and Nvrtc::compile; a refused
// text is Kind::Environment here, as with the CPU's engines: it is no fault of the caller's spec.
[[nodiscard]] Result<CompiledCuda> compile_cuda(std::string_view text, const std::string& arch,
                                                const ObjectCache& cache);

// Was the text refused? Such an error names the compiler's first complaint and then has all it said; any other tells why
// no compiler could be asked.
[[nodiscard]] bool kernel_refused(const Error& error);

// The architecture to compile for, for a GPU of `arch`: itself, or, where only Clang can compile, the newest PTX that
// Clang writes and the GPU runs: "compute_90".
[[nodiscard]] std::string compilable_arch(const std::string& arch);

// A cache entry: eight bytes of length (little-endian), the log, the image. Nothing for anything else.
[[nodiscard]] std::vector<std::uint8_t> pack(const DeviceCode& code);
[[nodiscard]] std::optional<DeviceCode> unpack(std::span<const std::uint8_t> bytes, const std::string& arch);

}  // namespace sluice::runtime
