#pragma once
// The whole front half in one call: a spec's text to a verified, simplified module.
//
//   text -> parse -> analyse -> lower -> verify -> empty reads, assertions -> passes
//
// Nothing throws or prints; everything a caller may want to show stays in the result.
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "dsl/diag/diag.h"
#include "dsl/sema/sema.h"
#include "dsl/source/source.h"

namespace sluice::driver {

// What to compile. One of: `text` (with `name` as the file's name in diagnostics), or a path or codec name in `name`.
struct Request {
  std::string name;
  std::optional<std::string> text;
  std::string directory;            // with `text`: where `use` lines look first, if not empty
  sema::Params params;              // compile-time parameters
  std::vector<std::string> search;  // directories for codec names and `use` lines
  bool passes = true;               // false: the module as lowering made it
};

enum class Failure : std::uint8_t {
  None,
  Diagnosed,  // the spec has errors: they are in `diags`
  NoFile,     // path can't be read
  NoCodec,    // no codec of that name, or the file is no text
  Internal,   // lowering made a module that the verifier refuses: a bug in this compiler
};

// `module` is there exactly when failure == None. Spans everywhere refer to `sources`.
struct Compiled {
  SourceSet sources;
  DiagSink diags;  // errors and warnings
  std::optional<ir::Module> module;
  Failure failure = Failure::None;
  std::string failure_text;  // one sentence, but for Diagnosed: use the renderer

  bool ok() const { return failure == Failure::None; }
};

// A path when it looks like one (has a '/' or ends in .sluice), else a codec's name.
[[nodiscard]] bool looks_like_path(std::string_view path_or_name);

[[nodiscard]] Compiled compile_spec(const Request& request);

// What went wrong as text ready to print: rendered diagnostics or the sentence. Empty when nothing did.
[[nodiscard]] std::string failure_message(const Compiled& compiled, bool colour);

}  // namespace sluice::driver
