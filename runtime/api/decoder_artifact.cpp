// From an artifact to a Decoder.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "compiler/artifact/read.h"
#include "runtime/api/artifact_file.h"
#include "runtime/api/decoder_impl.h"
#include "runtime/jit/aot.h"

namespace sluice {
namespace {

Error unable(const std::string& from, const std::string& text) {
  return {Error::Kind::Environment, fmt::format("{}: {}\n", from, text), {}};
}

}  // namespace

Result<Decoder> Decoder::Impl::make(artifact::Artifact artifact, const Options& options, const std::string& from) {
  if (options.target == Target::Interp)
    return Error{Error::Kind::Usage, fmt::format("{}: an artifact holds no description to interpret\n", from), {}};
  if (!options.set.empty())
    return Error{
        Error::Kind::Usage,
        fmt::format("{}: parameters were set when it was built; `{}` comes too late\n", from, options.set[0].name),
        {}};
  auto impl = std::make_shared<Impl>();
  const auto start = std::chrono::steady_clock::now();
  auto loaded = runtime::load_cpu_image(artifact.cpu);
  if (!loaded) return unable(from, loaded.error().text);
  impl->program = std::move(loaded->program);
  impl->engine = "aot";
  impl->why = fmt::format("{} by {}", loaded->isa, artifact.producer);
  impl->name = artifact.format.name;
  impl->element_bytes = artifact.format.element_bits / 8;
  impl->has_dictionary = artifact.format.has_dictionary;
  impl->countable = artifact.format.countable;
  for (const artifact::Argument& a : artifact.format.arguments) {
    impl->arguments.push_back({a.name, a.initial, a.bits, a.is_signed});
    impl->initial.push_back(a.initial);
  }
  impl->built = std::move(artifact.format);
  impl->timings.jit = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  impl->timings.cached = true;
  return Decoder(std::move(impl));
}

Result<Decoder> Decoder::from_artifact(std::span<const std::uint8_t> artifact, const Options& options) {
  std::string error;
  auto read = artifact::read(artifact, error);
  if (!read) return unable(kArtifactInMemory, error);
  return Impl::make(std::move(*read), options, kArtifactInMemory);
}

Result<Decoder> Decoder::from_artifact_file(const std::string& path, const Options& options) {
  std::string error;
  auto read = read_artifact_file(path, error);
  if (!read) return unable(path, error);
  return Impl::make(std::move(*read), options, path);
}

}  // namespace sluice
