#pragma once
// A kernel's text to device code, from the disk cache where it is known: no compiler is even loaded then.
//
// NVRTC compiles; PTX can also come from Clang, and does where there is no NVRTC. $SLUICE_CUDA_JIT=nvrtc|clang allows
// only that one.
#include <cstdint>
#include <functional>
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

// note [quick start]: a text that says so (emit::CudaUnit::objects) can be compiled as relocatable objects side by side, each by a
// thread, in a third to a half of the time; see note [objects] of compiler/emit/objects.h. What is compiled apart keeps to the calling
// convention, has registers saved for it and is not known to be entered by a whole warp at once: such code runs at 0.6 to 0.95
// of the speed. So it is what decodes until the text has been compiled whole, which begins at the same time.
struct CudaObjects {
  std::uint32_t count = 1, registers = 0;
  std::function<Result<std::vector<std::uint8_t>>(std::span<const DeviceCode>)> link = {};  // to one CUBIN
};
enum class QuickStart : std::uint8_t { Never, Free, Always };  // Free: where there are processors for all of it at once

// Is the code of the text in the cache?
[[nodiscard]] bool is_cached(std::string_view text, const std::string& arch, const ObjectCache& cache);

// Does it pay? Not where the text's code is in the cache. Loads NVRTC where it does.
[[nodiscard]] bool quick_start(const CudaObjects& objects, std::string_view text, const std::string& arch, const ObjectCache& cache,
                               QuickStart wanted);
// The objects' code, linked; `objects` has a link. Nothing is kept in a cache.
[[nodiscard]] Result<CompiledCuda> compile_objects(std::string_view text, const std::string& arch, const CudaObjects& objects);

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
