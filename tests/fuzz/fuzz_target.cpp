// Entry point of libFuzzer for one codec, named by SLUICE_FUZZ_CODEC.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/differential.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sluice::test::Differential differential = [] {
    std::string problem;
    auto made = sluice::test::Differential::of(SLUICE_FUZZ_CODEC, problem);
    if (!made) {
      std::fprintf(stderr, "%s\n", problem.c_str());
      std::exit(2);
    }
    return std::move(*made);
  }();
  const std::string difference = differential.run({data, size});
  if (!difference.empty()) {
    std::fprintf(stderr, SLUICE_FUZZ_CODEC ": %s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
