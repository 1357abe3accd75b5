#pragma once
// What code for an instruction set named by a level of the x86-64 psABI may use beyond the level.
#include <string_view>

namespace sluice::runtime {

// Carry-less multiplication, with which CRC-32 runs several times as fast. The levels leave it out, although every processor
// of the third level and above has it; runs_here() looks.
[[nodiscard]] constexpr bool multiplies_without_carry(std::string_view isa) {
  return isa == "x86-64-v3" || isa == "x86-64-v4";
}

}  // namespace sluice::runtime
