// From an artifact to a Decoder.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "runtime/api/decoder_impl.h"
#include "runtime/jit/aot.h"

namespace sluice {
Error Decoder::Impl::unable(const std::string& from, const std::string& text) {
  return {Error::Kind::Environment, fmt::format("{}: {}\n", from, text), {}};
}

Result<Decoder> Decoder::Impl::make(artifact::Artifact artifact, const Options& options, const std::string& from) {
  if (options.target == Target::Interp)
    return Error{Error::Kind::Usage, fmt::format("{}: an artifact holds no description to interpret\n", from), {}};
  if (!options.set.empty())
    return Error{
        Error::Kind::Usage,
        fmt::format("{}: parameters were set when it was built; `{}` comes too late\n", from, options.set[0].name),
        {}};
  auto impl = std::make_shared<Impl>();
  auto clock = std::chrono::steady_clock::now();
  auto loaded = runtime::load_cpu_image(artifact.cpu);
  if (!loaded) return unable(from, loaded.error().text);
  impl->program = std::move(loaded->program);
  if (!impl->program.decode || (artifact.format.countable && !impl->program.count)) return unable(from, "compiled code lacks an entry point");
  if (artifact.format.countable) impl->sizes.is(impl->program);
  impl->engine = "aot";
  impl->why = fmt::format("{} by {}", loaded->isa, artifact.producer);
  impl->describe(std::move(artifact.format));
  for (const Argument& argument : impl->arguments) impl->initial.push_back(argument.initial);
  impl->timings.jit = since(clock);
  impl->timings.cached = true;
  return Decoder(std::move(impl));
}

Result<Decoder> Decoder::from_artifact(std::span<const std::uint8_t> artifact, const Options& options) {
  return make_built<Impl>(artifact, options);
}

Result<Decoder> Decoder::from_artifact_file(const std::string& path, const Options& options) {
  return make_built<Impl>(path, options);
}

}  // namespace sluice
