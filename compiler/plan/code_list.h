#pragma once
// What a loop says of its tokens where a byte tells all of them: see codes.h.
#include <string>

#include "dsl/source/source.h"

namespace sluice::plan {

struct Codes {
  bool escapes = false;  // behind some first bytes stands one that is the output
  unsigned bytes = 0;    // or each token has so many bytes, and makes `strings` strings; 0: a first byte tells
  unsigned strings = 0;
  std::string against;   // why they are none; empty: they are
  Span span;             // what stands in the way; empty: the loop. Not part of the text
};

}  // namespace sluice::plan
