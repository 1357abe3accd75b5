#pragma once
// Instruction sets that code is made for ahead of time, by names that users write: levels of the x86-64 psABI, and what such code may use
// beyond a level. An artifact may hold code for several; runs_here() (aot.h) says of each whether the machine has all of it.
#include <array>
#include <string_view>

namespace sluice::runtime {

struct Isa {
  std::string_view word;                      // as it is written
  std::string_view level;                     // compilers' name of what it begins with
  std::array<std::string_view, 4> beyond{};   // and of what is added; empty ones are none
};

// Carry-less multiplication, with which CRC-32 runs several times as fast, is in no level, although every processor of the third and above
// has it. The last one is the fourth level as it is from Ice Lake and Zen 4 on: AVX-512's first processors lack permutations of bytes, which
// bit-packed fields and strings of codes want (runtime/prim/vectors.h), and carry-less multiplication of more than 16 bytes.
inline constexpr std::array<Isa, 5> kIsas{{
    {"x86-64", "x86-64"},
    {"x86-64-v2", "x86-64-v2"},
    {"x86-64-v3", "x86-64-v3", {"pclmul"}},
    {"x86-64-v4", "x86-64-v4", {"pclmul"}},
    {"x86-64-v4-vbmi", "x86-64-v4", {"pclmul", "vpclmulqdq", "avx512vbmi", "avx512vbmi2"}},
}};

// Null for a word that is none of them.
[[nodiscard]] constexpr const Isa* isa_of(std::string_view word) {
  for (const Isa& isa : kIsas)
    if (isa.word == word) return &isa;
  return nullptr;
}

}  // namespace sluice::runtime
