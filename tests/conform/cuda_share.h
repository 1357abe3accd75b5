// Which cases of a suite this run takes.
//
// `./dev test` runs the kernels of two trees, whose sanitizers look for different things: ThreadSanitizer for races, Address- and
// UndefinedBehaviorSanitizer for what lies outside. Both compare every case with the interpreter, so that each would be compared
// twice. With $SLUICE_SIMT_SHARE=even in one and =odd in the other, each kernel gets every case in one of them, and what goes by
// case (errors, sizes, bytes, fences) is seen as before. What goes by the path through a kernel, races and accesses outside, has
// hundreds of cases a kernel to show itself in, in either. Only suites of as many are shared: a capacity or an alignment may be
// the one case of its kind. Without the variable a run takes all.
#pragma once
#include <bit>
#include <cstdlib>
#include <string_view>

namespace sluice::test {

enum class Share { All, Even, Odd };

inline Share share() {
  const char* const text = std::getenv("SLUICE_SIMT_SHARE");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty()) return Share::All;
  if (word == "even") return Share::Even;
  if (word == "odd") return Share::Odd;
  std::abort();  // a misspelled word would run less, or more, than was asked for
}

// By the number's sum of bits: cases in order of alignment, capacity or cut fall to both shares whatever their step.
inline bool shared(std::size_t number) {
  const bool odd = std::popcount(number) % 2 != 0;
  return share() == Share::All || odd == (share() == Share::Odd);
}

}  // namespace sluice::test
