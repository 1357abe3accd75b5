#pragma once
// Choosing the symbols of a block.
//
// FSST's algorithm: start with no symbols; encode a sample; count which symbols were used and which followed each
// other; the next generation is the best of the used symbols and of the pairs, joined. A few generations find long
// symbols, because each can double their length.
//
//   sample "tumcwitumcwi", generation 0: t u m c w i ... -> "tu" "um" "mc" ... -> "tumc" "cwit" ... -> "tumcwitu"
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/fsst/symbols.h"

namespace sluice::encode::fsst {

struct CodeSet {
  unsigned bits;         // of a code
  unsigned symbols;      // most symbols a table may hold, beside the single bytes that cost nothing to name
  bool bytes_are_codes;  // every byte has a code of its own; else a byte without one is written as escape and byte
};

constexpr CodeSet kCodes8{8, 255, false};          // code 255 is the escape
constexpr CodeSet kCodes12{12, 4096 - 256, true};  // codes 0..255 are the bytes

// The symbols for `block`, no symbol twice, at most set.symbols. Deterministic.
std::vector<Symbol> train(std::span<const std::uint8_t> block, const CodeSet& set);

}  // namespace sluice::encode::fsst
