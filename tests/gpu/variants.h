#pragma once
// One codec, compiled for a GPU under every parameter set and schedule.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "runtime/api/sluice_cuda.hpp"

namespace sluice::gpu {

// What became of one codec with one parameter set under one schedule.
struct Row {
  std::string codec, set, schedule;
  std::string refused;  // why the schedule is not legal for it; then nothing was run
  double compile_ms = 0;
  bool cached = false;
  cuda::Kernel kernel;
  std::uint64_t vectors = 0, mutants = 0, files = 0, counted = 0, through_host = 0;  // chunks that agreed
  std::uint64_t wrong = 0;
  std::vector<std::string> complaints;  // the first few
};

struct Compiled {
  Row row;
  std::optional<cuda::Decoder> decoder;
};

// A codec with one parameter set.
struct Variant {
  std::string codec, set;
  ir::Module module;  // as lowering made it: the verdict must not depend on the passes
  std::vector<Compiled> schedules;
  [[nodiscard]] unsigned element_bytes() const { return module.output.bits / 8u; }
};

// Lowers `codec` with the parameters `set` ("T=i16,n=3") and notes which of the schedules are not legal for it.
// `schedules`: names of strategy::variants(); empty: all. Returns why that can't be done, or an empty string.
std::string prepare(Variant& variant, const std::string& codec, const std::string& set,
                    std::span<const std::string> schedules);

// Compiles what is legal, `threads` kernels at a time. `count`: with the kernels for decoded sizes, of the first
// schedule.
void compile_all(std::span<Variant> variants, bool count, unsigned threads);

}  // namespace sluice::gpu
