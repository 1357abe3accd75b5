#include "compiler/driver/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "compiler/analysis/assertions.h"
#include "compiler/analysis/built_codes.h"
#include "compiler/analysis/facts.h"
#include "compiler/driver/library.h"
#include "compiler/driver/no_spec.h"
#include "compiler/ir/verify.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/pipeline.h"
#include "dsl/diag/render.h"
#include "dsl/syntax/parse.h"

namespace sluice::driver {
namespace {

std::nullopt_t fail(Failure failure, std::string text, Compiled& out) {
  out.failure = failure;
  out.failure_text = std::move(text);
  return std::nullopt;
}

// The spec the request names; nothing with `out.failure` set when there is none.
std::optional<SpecText> find(const Request& request, Compiled& out) {
  std::optional<SpecText> spec;
  if (request.text) {
    spec = SpecText{request.name, request.directory, *request.text};
  } else if (looks_like_path(request.name)) {
    spec = read_spec(request.name);
    if (!spec) return fail(Failure::NoFile, no_file_text(request.name), out);
  } else {
    spec = find_spec(request.name, "", request.search);
    if (!spec) return fail(Failure::NoCodec, no_codec_text(request.name), out);
  }
  const bool from_file = !spec->directory.empty();
  if (auto wrong = from_file ? why_not_text(spec->display, spec->text) : std::nullopt)
    return fail(Failure::NoCodec, *std::move(wrong), out);
  return spec;
}

Failure verified(Compiled& out) {
  const std::vector<std::string> broken = ir::verify(*out.module);
  if (broken.empty()) return Failure::None;
  out.failure_text = fmt::format("internal error in the compiler: {}", fmt::join(broken, "; "));
  return Failure::Internal;
}

// `use` and the command line find a format by its file's name. A file is checked under any name, so that a copy beside
// it can be tried.
void check_name(const SpecText& spec, const ast::Name& format, DiagSink& sink) {
  const std::filesystem::path path(spec.display);
  if (spec.directory.empty() || path.extension() != ".sluice" || path.stem() == format.text) return;
  sink.warning(Code::FormatName, format.span,
               fmt::format("format `{}` stands in a file named `{}`", format.text, path.filename().string()))
      .help("`use NAME` looks for NAME.sluice: give both the same name");
}

Failure build(const Request& request, const SpecText& spec, Compiled& out) {
  const std::uint32_t file = out.sources.add(spec.display, spec.text);
  const ast::File tree = ast::parse(out.sources, file, out.diags);
  if (!out.diags.ok()) return Failure::Diagnosed;

  const sema::Loader loader = [&](std::string_view name) -> std::optional<std::uint32_t> {
    const auto used = find_spec(name, spec.directory, request.search);
    if (!used) return std::nullopt;
    return out.sources.add(used->display, used->text);
  };
  const std::optional<model::Format> format = sema::analyse(tree, loader, request.params, out.sources, out.diags);
  if (!format || !out.diags.ok()) return Failure::Diagnosed;
  check_name(spec, tree.format, out.diags);

  out.module = lower::lower(*format);
  if (const Failure failure = verified(out); failure != Failure::None) return failure;

  // All three are about the format as written, so they are checked before passes simplify it.
  if (!analysis::check_memory(*out.module, out.diags)) return Failure::Diagnosed;
  if (!analysis::check_built(*out.module, analysis::built_codes(*out.module), out.diags)) return Failure::Diagnosed;
  if (!out.module->assertions.empty() &&
      !analysis::check_assertions(*out.module, analysis::analyse(*out.module), out.diags))
    return Failure::Diagnosed;
  if (!request.passes) return Failure::None;
  passes::run(*out.module);
  return verified(out);
}

}  // namespace

bool looks_like_path(std::string_view path_or_name) {
  return path_or_name.find('/') != std::string_view::npos || path_or_name.ends_with(".sluice");
}

Compiled compile_spec(const Request& request) {
  Compiled out;
  const std::optional<SpecText> spec = find(request, out);
  if (!spec) return out;
  out.failure = build(request, *spec, out);
  if (!out.ok()) out.module.reset();
  return out;
}

std::string failure_message(const Compiled& compiled, bool colour) {
  if (compiled.ok()) return "";
  if (compiled.failure == Failure::Diagnosed) return render_all(compiled.sources, compiled.diags.diagnostics(), colour);
  return compiled.failure_text + "\n";
}

}  // namespace sluice::driver
