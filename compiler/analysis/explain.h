#pragma once
// The facts as a page for people and as JSON for tools.
//
//   format orc_byte_rle: bytes in, bytes out
//
//   Token loop at orc_byte_rle.sluice:6:3
//     input        8 to 1032 bits a token
//     output       1 to 130 elements a token
//     position     only: ...
#include <string>

#include "compiler/analysis/facts.h"
#include "compiler/ir/ir.h"
#include "dsl/source/source.h"

namespace sluice::analysis {

// The page: what the format is, its facts with the clauses that decide them (file:line:column), what they allow, the
// checks left for run time, its policies and its memory. Ends with a newline. `colour`: ANSI escapes.
std::string explain_text(const ir::Module& module, const Facts& facts, const SourceSet& sources, bool colour);

// The same as one JSON object, indented by 2, ends with a newline:
//   format, input, output {type, window}, further_outputs [{name, type}], dictionary,
//   tokens [{rule, place, min_bits, max_bits, scalar_bits, min_outputs, max_outputs, position_only, boundaries, ...}],
//   output_size_known, copies, sub_streams [], strategies [{name, legal, to_come, why []}],
//   memory {bytes, parts []}, prefix_codes [{name, copies, read, always_built_before, starts_without_codewords, why []}],
//   run_time_checks [], policies [], assertions [].
// An amount without bound is null. A place is {file, line, column} or null; a why is [{text, place}].
std::string explain_json(const ir::Module& module, const Facts& facts, const SourceSet& sources);

// One line for a list of formats: "8..16 bits a token, position-only, no copies, split".
std::string facts_line(const Facts& facts);

}  // namespace sluice::analysis
