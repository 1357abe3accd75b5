// From a description to a Decoder.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "compiler/driver/library.h"
#include "compiler/emit/cpu.h"
#include "compiler/ir/count_mode.h"
#include "dsl/diag/render.h"
#include "runtime/api/decoder_impl.h"
#include "runtime/jit/engine.h"

namespace sluice {
namespace {

double since(std::chrono::steady_clock::time_point& start) {
  const auto now = std::chrono::steady_clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return ms;
}

driver::Request request_for(std::string name, const Options& options) {
  driver::Request request;
  request.name = std::move(name);
  for (const Setting& setting : options.set) request.params.push_back({setting.name, setting.value});
  request.search = options.search;
  // The interpreter defines what a description means, so it runs what lowering said and not what passes made of it.
  request.passes = options.target != Target::Interp;
  return request;
}

Error error_of(const driver::Compiled& compiled, bool colour) {
  Error::Kind kind = Error::Kind::Spec;
  if (compiled.failure == driver::Failure::NoFile) kind = Error::Kind::Environment;
  if (compiled.failure == driver::Failure::NoCodec) kind = Error::Kind::Usage;
  const bool diagnosed = compiled.failure == driver::Failure::Diagnosed;
  return {kind, driver::failure_message(compiled, colour),
          diagnosed ? to_json(compiled.sources, compiled.diags.diagnostics()) : std::string()};
}

}  // namespace

Result<Decoder> Decoder::Impl::make(const driver::Request& request, const Options& options) {
  auto impl = std::make_shared<Impl>();
  auto clock = std::chrono::steady_clock::now();
  impl->compiled = driver::compile_spec(request);
  impl->timings.front = since(clock);
  if (!impl->compiled.ok()) return error_of(impl->compiled, options.colour);
  impl->warnings = render_all(impl->compiled.sources, impl->compiled.diags.diagnostics(), options.colour);
  impl->countable = ir::count_plan(impl->module()).countable;
  for (const ir::Argument& a : impl->module().args) {
    impl->arguments.push_back({a.name, a.initial, a.type.bits, a.type.is_signed});
    impl->initial.push_back(a.initial);
  }

  if (options.target == Target::Interp) {
    impl->interpreted = true;
    impl->engine = "interp";
    impl->why = "the interpreter was asked for";
    return Decoder(std::move(impl));
  }
  clock = std::chrono::steady_clock::now();
  const std::string text = emit::emit_cpu(impl->module());
  impl->timings.emit = since(clock);
  const auto cache = options.cache ? runtime::ObjectCache::standard() : runtime::ObjectCache({});
  Result<runtime::Jitted> jitted = runtime::jit(text, cache);
  impl->timings.jit = since(clock);
  if (!jitted) {
    if (options.target == Target::Cpu) return jitted.error();
    impl->interpreted = true;
    impl->engine = "interp";
    impl->why = jitted.error().text;
    return Decoder(std::move(impl));
  }
  impl->program = std::move(jitted->program);
  impl->engine = std::move(jitted->engine);
  impl->why = std::move(jitted->why);
  impl->timings.cached = jitted->cached;
  return Decoder(std::move(impl));
}

Result<Decoder> Decoder::from_text(std::string_view text, std::string_view name, const Options& options) {
  driver::Request request = request_for(std::string(name), options);
  request.text = std::string(text);
  return Impl::make(request, options);
}

Result<Decoder> Decoder::from_file(const std::string& path, const Options& options) {
  std::optional<driver::SpecText> spec = driver::read_spec(path);
  if (!spec) return Error{Error::Kind::Environment, fmt::format("{}: no such file, or it can't be read\n", path), {}};
  driver::Request request = request_for(spec->display, options);
  request.text = std::move(spec->text);
  request.directory = std::move(spec->directory);
  return Impl::make(request, options);
}

Result<Decoder> Decoder::from_name(std::string_view name, const Options& options) {
  if (!driver::is_format_name(name))
    return Error{Error::Kind::Usage, fmt::format("`{}` can't be a codec's name\n", name), {}};
  return Impl::make(request_for(std::string(name), options), options);
}

Result<Decoder> Decoder::open(std::string_view path_or_name, const Options& options) {
  if (driver::looks_like_path(path_or_name)) return from_file(std::string(path_or_name), options);
  return from_name(path_or_name, options);
}

std::vector<std::string> builtin_codecs() { return driver::builtin_codecs(); }

std::string_view version() noexcept { return SLUICE_VERSION; }

}  // namespace sluice
