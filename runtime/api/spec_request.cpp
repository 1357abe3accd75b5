#include "runtime/api/spec_request.h"

#include <optional>
#include <utility>

#include "compiler/driver/library.h"
#include "compiler/driver/no_spec.h"
#include "dsl/diag/render.h"

namespace sluice {
namespace {

driver::Request request_for(std::string name, const SpecOptions& options) {
  driver::Request request;
  request.name = std::move(name);
  for (const Setting& setting : options.set) request.params.push_back({setting.name, setting.value});
  request.search = options.search;
  request.passes = options.passes;
  return request;
}

}  // namespace

driver::Request request_text(std::string_view text, std::string_view name, const SpecOptions& options) {
  driver::Request request = request_for(std::string(name), options);
  request.text = std::string(text);
  return request;
}

Result<driver::Request> request_file(const std::string& path, const SpecOptions& options) {
  std::optional<driver::SpecText> spec = driver::read_spec(path);
  if (!spec) return Error{Error::Kind::Environment, driver::no_file_text(path) + "\n", {}};
  driver::Request request = request_for(spec->display, options);
  request.text = std::move(spec->text);
  request.directory = std::move(spec->directory);
  return request;
}

Result<driver::Request> request_name(std::string_view name, const SpecOptions& options) {
  std::string own(name);
  if (!driver::is_format_name(own)) return Error{Error::Kind::Usage, driver::no_codec_text(own) + "\n", {}};
  return request_for(std::move(own), options);
}

Result<driver::Request> request_open(std::string_view path_or_name, const SpecOptions& options) {
  if (driver::looks_like_path(path_or_name)) return request_file(std::string(path_or_name), options);
  return request_name(path_or_name, options);
}

Error error_of(const driver::Compiled& compiled, bool colour) {
  Error::Kind kind = Error::Kind::Spec;
  if (compiled.failure == driver::Failure::NoFile) kind = Error::Kind::Environment;
  if (compiled.failure == driver::Failure::NoCodec) kind = Error::Kind::Usage;
  const bool diagnosed = compiled.failure == driver::Failure::Diagnosed;
  return {kind, driver::failure_message(compiled, colour),
          diagnosed ? to_json(compiled.sources, compiled.diags.diagnostics()) : std::string()};
}

}  // namespace sluice
