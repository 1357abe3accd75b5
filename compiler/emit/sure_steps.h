#pragma once
// Counted loops in which nothing can go wrong: the caller has made sure that all steps fit, so the loop tests its count
// and nothing else.
//
// clang-format off
//   repeat count times            ->   if ((bit & 7) == 0 && width == 16) {
//     value: uint(width)                 for (u64 k = 0; k < sure; ++k) {
//     emit zigzag(value)                   value = prim::whole_at<true, 2>(src, field, k); ...
//                                        }
//                                      } else if (width <= 57) {
//                                        for (u64 k = 0; k < sure; ++k) {
//                                          value = prim::bits_at<true>(src, bit, width); ...
//                                        }
//                                      } else ...
// clang-format on
//
// A field whose width is the same in every step is what decides: whole bytes from a byte boundary are plain loads,
// which compilers turn into vector code; up to 57 bits are one load and two shifts; more are two loads.
#include <string>
#include <vector>

#include "compiler/emit/context.h"
#include "compiler/emit/writer.h"

namespace sluice::emit {

struct SureSteps {
  std::string before;                      // lines at the start of each step, at depth 0
  std::string text;                        // of a step, at depth 0; reads at `bit` and moves it
  std::string after;                       // lines at its end, at depth 0
  std::vector<std::string> steady_widths;  // names: widths of fields that every step reads, the same in all
};

// Writes `sure` steps, `sure` being a name in scope. `least_whole`: from so many steps on it pays to look for whole
// bytes.
void write_sure_steps(Writer&, const Context&, const SureSteps&, const std::string& sure, std::uint64_t least_whole);

// The name of the steps' one field, when every step takes it, whole, and nothing else from the input; empty: not so.
std::string only_field(const Context&, const SureSteps&);

// `text` with every line moved right by `levels` levels, or left.
std::string indented(const std::string& text, int levels);

}  // namespace sluice::emit
