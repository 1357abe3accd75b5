#pragma once
// What a loop says of its tokens where a byte tells all of them: see codes.h. And where it tells most of most: see told.h, and plain.h.
#include <cstdint>
#include <string>
#include <vector>

#include "dsl/source/source.h"

namespace sluice::plan {

struct Codes {
  bool escapes = false;  // behind some first bytes stands one that is the output
  unsigned bytes = 0;    // or each token has so many bytes, and makes `strings` strings; 0: a first byte tells
  unsigned strings = 0;
  std::string against;   // why they are none; empty: they are
  Span span;             // what stands in the way; empty: the loop. Not part of the text
};

// Tokens that a CPU takes by a table of their first bytes.
struct Told {
  std::uint64_t at = 0, from = 0;  // bytes from the token's start on: of a distance's field, of the first literal
  std::vector<std::uint32_t> entries, sizes;  // of each first byte: note [told] in told.h
  friend bool operator==(const Told&, const Told&) = default;
};

// A number that bits of a first byte say.
struct FirstByteBits {
  std::uint64_t shift = 0, mask = 0, added = 0;  // (first >> shift & mask) + added
  friend bool operator==(const FirstByteBits&, const FirstByteBits&) = default;
};

// Tokens of few literals and a short copy, which a CPU takes at once: note [plain tokens] in plain.h.
struct Plain {
  std::uint64_t mask = 0, below = 0;  // those whose first byte, these bits of it, is less
  FirstByteBits literals, length;     // how many; of the copy
  std::uint64_t size = 0, from = 0;   // bytes of the token, without literals; in front of them
  std::uint64_t at = 0, bits = 0, added = 0;  // of the distance: where its field stands, as if there were no literals, and what is added to it
  bool behind = false, big = false;   // it stands behind them; its most significant byte is the first
  friend bool operator==(const Plain&, const Plain&) = default;
};

}  // namespace sluice::plan
