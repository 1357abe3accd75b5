#pragma once
// Machine code made ahead of time: compiling the images of an artifact, and choosing the one that runs here.
//
//   text, "x86-64-v3"          ->  CpuImage, checked by loading it
//   [x86-64-v3, x86-64]        ->  on a machine without AVX2: the second
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/artifact/artifact.h"
#include "runtime/api/result.hpp"
#include "runtime/jit/program.h"

namespace sluice::runtime {

// What `cpu` stands for when no instruction set is named: the first is faster, the second runs on every x86-64.
inline constexpr std::string_view kDefaultIsas[] = {"x86-64-v3", "x86-64"};

// A word of isa.h ("x86-64-v3" and others), or "native".
[[nodiscard]] bool is_isa(std::string_view word);

// Whether this machine runs code for it. `host`: for "native", the host_cpu_id() of the machine it was made on.
[[nodiscard]] bool runs_here(std::string_view isa, std::string_view host);

// Compiles the text of emit::emit_cpu. The first engine that works is taken. Errors are Kind::Environment.
[[nodiscard]] Result<artifact::CpuImage> compile_cpu_image(std::string_view text, std::string_view isa);
// The relocatable object alone, for the linker.
[[nodiscard]] Result<std::vector<std::uint8_t>> compile_cpu_object(std::string_view text, std::string_view isa);

struct LoadedImage {
  Program program;
  std::string isa;
};
// The first image that runs here. Errors are Kind::Environment: none does, or it is damaged.
[[nodiscard]] Result<LoadedImage> load_cpu_image(std::span<const artifact::CpuImage> images);

}  // namespace sluice::runtime
