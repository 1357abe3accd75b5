// From a description to a Decoder.
#include <chrono>
#include <utility>

#include "compiler/driver/library.h"
#include "compiler/emit/cpu.h"
#include "runtime/api/decoder_impl.h"
#include "runtime/jit/engine.h"

namespace sluice {
namespace {

// The interpreter defines what a description means, so it runs what lowering said and not what passes made of it.
SpecOptions spec_options(const Options& options) {
  return {options.set, options.search, options.target != Target::Interp, options.colour};
}

}  // namespace

Result<Decoder> Decoder::Impl::make(const driver::Request& request, const Options& options) {
  auto impl = std::make_shared<Impl>();
  auto clock = std::chrono::steady_clock::now();
  if (auto error = impl->describe(request, options.colour)) return *std::move(error);
  impl->timings.front = since(clock);
  for (const Argument& argument : impl->arguments) impl->initial.push_back(argument.initial);

  if (options.target == Target::Interp) {
    impl->interpreted = true;
    impl->engine = "interp";
    impl->why = "the interpreter was asked for";
    return Decoder(std::move(impl));
  }
  const auto text_of = [of = impl.get()](emit::CpuEntries entries) {  // which holds the program that is made later
    return emit::emit_cpu(of->module(), {.entries = entries, .sources = &of->compiled->sources});
  };
  const std::string text = text_of(emit::CpuEntries::Decode);
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
  if (impl->countable) impl->sizes.will_be([text_of] { return text_of(emit::CpuEntries::Count); }, cache);
  return Decoder(std::move(impl));
}

Result<Decoder> Decoder::from_text(std::string_view text, std::string_view name, const Options& options) {
  return make_requested<Impl>(request_text(text, name, spec_options(options)), options);
}

Result<Decoder> Decoder::from_file(const std::string& path, const Options& options) {
  return make_requested<Impl>(request_file(path, spec_options(options)), options);
}

Result<Decoder> Decoder::from_name(std::string_view name, const Options& options) {
  return make_requested<Impl>(request_name(name, spec_options(options)), options);
}

Result<Decoder> Decoder::open(std::string_view path_or_name, const Options& options) {
  if (path_or_name.ends_with(kArtifactSuffix)) return from_artifact_file(std::string(path_or_name), options);
  return make_requested<Impl>(request_open(path_or_name, spec_options(options)), options);
}

std::vector<std::string> builtin_codecs() { return driver::builtin_codecs(); }

std::string_view version() noexcept { return SLUICE_VERSION; }

}  // namespace sluice
