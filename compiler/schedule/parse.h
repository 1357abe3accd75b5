#pragma once
// The text of a schedule. In a file, a section a target and a directive a line:
//
//   # codecs/deflate/deflate.schedule
//   cuda:
//     strategy warp
//     input registers
//   cuda:sm_90:
//     strategy block
//
// On the command line the directives alone, between them commas or blanks: "strategy warp, input=registers".
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/schedule/directives.h"
#include "dsl/diag/diag.h"
#include "dsl/source/source.h"

namespace sluice::schedule {

// One directive with a value that it takes.
struct Setting {
  const Directive* directive = nullptr;
  std::string value;
  Span name_span, value_span;
};

struct Section {
  std::string target;  // "cuda" or "cuda:sm_90"
  Span span;
  std::vector<Setting> settings;
};

// What is wrong goes to `sink`; the rest is in the result. `file` is an index of `sources`.
[[nodiscard]] std::vector<Section> parse_file(const SourceSet& sources, std::uint32_t file, DiagSink& sink);
[[nodiscard]] std::vector<Setting> parse_list(const SourceSet& sources, std::uint32_t file, DiagSink& sink);

// The section for a target: of the same name, else of the target without its architecture; null when there is none.
[[nodiscard]] const Section* section_for(const std::vector<Section>& sections, std::string_view target);

// "sm_80", "sm_90a": the name of an architecture.
[[nodiscard]] bool is_architecture(std::string_view word);

}  // namespace sluice::schedule
