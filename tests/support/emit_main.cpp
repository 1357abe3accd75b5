// sluice_test_emit CODEC SET PREFIX OUT.cpp: the generated text of a built-in codec. SET is "T=u16" or ""; the exported
// names start with PREFIX.
#include <cstdio>
#include <fstream>

#include "compiler/emit/cpu.h"
#include "tests/support/spec.h"

int main(int count, char** words) {
  if (count != 5) {
    std::fprintf(stderr, "usage: sluice_test_emit CODEC SET PREFIX OUT.cpp\n");
    return 2;
  }
  std::string problem;
  const auto module = sluice::test::compile_codec(words[1], words[2], true, problem);
  if (!module) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 2;
  }
  sluice::emit::CpuOptions options;
  options.prefix = words[3];
  std::ofstream out(words[4]);
  out << sluice::emit::emit_cpu(*module, options);
  return out.flush() ? 0 : 3;
}
