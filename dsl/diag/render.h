#pragma once
// Diagnostics as text for people and as JSON for tools.
//
//   error[SL0201]: expected `]`, found the end of the line
//     --> deflate.sluice:12:14
//      |
//   12 |   let = table[3
//      |              ^
//   note: to match this
//     ...
//   help: ...
#include <deque>
#include <string>

#include "dsl/diag/diag.h"
#include "dsl/source/source.h"

namespace sluice {

// One diagnostic, several lines, ends with a newline. `colour`: ANSI escapes.
std::string render(const SourceSet& sources, const Diagnostic& diagnostic, bool colour);

// All of them with an empty line between; ends with a newline unless empty.
std::string render_all(const SourceSet& sources, const std::deque<Diagnostic>& diagnostics, bool colour);

// {"diagnostics": [{code, severity, title, message, place: {file, line, column, end_line, end_column, offset, length},
// notes: [{text, place}], help}]}, indented by 2, ends with a newline. Lines and columns are 1-based, the end is
// exclusive; `place` is null for a diagnostic about no place in a text, `help` is absent when there is none.
std::string to_json(const SourceSet& sources, const std::deque<Diagnostic>& diagnostics);

}  // namespace sluice
