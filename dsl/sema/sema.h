#pragma once
// Meaning: from the syntax tree of one spec to the resolved format.
//
//   names and modules -> declarations -> rule bodies (types, ranges, chains) -> call graph -> alignment -> progress
//
// Every phase reports into the sink and goes on where it can; what it could not make sense of stays silent later.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diag/diag.h"
#include "dsl/model/model.h"
#include "dsl/source/source.h"
#include "dsl/syntax/ast.h"

namespace sluice::sema {

// Finds the text of `use NAME`, adds it to the SourceSet and returns its file id; nothing when there is none.
using Loader = std::function<std::optional<std::uint32_t>(std::string_view module_name)>;

// Values of compile-time parameters, as text: {"T", "i64"}, {"ignore_garbage", "false"}, {"bits", "12"}.
struct Param {
  std::string name, value;
};
using Params = std::vector<Param>;

// Checks `file` (parsed from a text in `sources`) and everything it uses. Returns the format when nothing is wrong;
// otherwise `sink` holds at least one error. Warnings are about `file` only, not about the modules it uses.
// Not thread-safe on the same sources or sink.
std::optional<model::Format> analyse(const ast::File& file, const Loader& loader, const Params& params,
                                     SourceSet& sources, DiagSink& sink);

}  // namespace sluice::sema
