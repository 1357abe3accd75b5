#pragma once
// What a loop says of streams that are begun together: see streams.h.
#include <cstdint>
#include <string>
#include <vector>

#include "dsl/source/source.h"

namespace sluice::plan {

// Calls in a row of the loop's rule.
struct Streams {
  std::uint32_t rule = 0;            // of the calls
  std::vector<std::uint32_t> first;  // path to the first one
  std::uint32_t count = 0;           // how many; 0: they are not begun together
  std::uint32_t look_ups = 0;        // of each, in a round
  std::string against;               // why they are not; empty: they are
  Span span{};                       // what stands in the way. Not part of the text
  friend bool operator==(const Streams& a, const Streams& b) {
    return a.rule == b.rule && a.first == b.first && a.count == b.count && a.look_ups == b.look_ups && a.against == b.against;
  }
};

}  // namespace sluice::plan
