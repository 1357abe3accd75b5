#pragma once
// PTX by Clang: kernels without NVRTC and without any part of the CUDA toolkit. The driver makes them into machine
// code.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/result.hpp"

namespace sluice::runtime {

// Newest GPU that Clang 19 knows. PTX for it runs on all that are newer.
inline constexpr unsigned kNewestClangGpu = 90;

// Everything but the text and the GPU that the PTX depends on; empty with `why_not` set when the plugin is not there.
[[nodiscard]] std::string clang_ptx_identity(std::string& why_not);

// The text of emit::emit_cuda to PTX that ends in a zero byte. `gpu`: "sm_80" and newer. Thread-safe. Errors as
// Engine::compile.
[[nodiscard]] Result<std::vector<std::uint8_t>> clang_ptx(std::string_view text, const std::string& gpu);

}  // namespace sluice::runtime
