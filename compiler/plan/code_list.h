#pragma once
// What a loop says of its tokens where a byte tells all of them: see codes.h. And where it tells most of most: see told.h.
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

}  // namespace sluice::plan
