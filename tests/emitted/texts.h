#pragma once
// The texts to check: made by the compiler as for anybody, or planted.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/emitted/text.h"

namespace sluice::emitted {

// One text after the other: a codec's is made when it is asked for.
struct Source {
  std::string name;
  std::function<std::vector<Text>()> make;
};

// Every codec under every set of parameters that its vectors name.
[[nodiscard]] std::vector<Source> cpu_texts();

// The same as kernels, under the schedules that are legal; `all` false: the default one and, drawn evenly, one of the
// others.
[[nodiscard]] std::vector<Source> cuda_texts(bool all);

// Random specs, for the CPU and under one schedule.
[[nodiscard]] std::vector<Source> random_texts(std::uint64_t seed, std::uint64_t count);

}  // namespace sluice::emitted
