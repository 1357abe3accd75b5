#pragma once
// What decoders for every processor share: what they know of the format, and the ways to them.
//
//   text, file, name   ->  request  ->  Impl::make(request, options)      the description is compiled here
//   artifact, its file ->  artifact ->  Impl::make(artifact, options, from)
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/artifact/artifact.h"
#include "compiler/artifact/read.h"
#include "compiler/driver/compile.h"
#include "runtime/api/artifact_file.h"
#include "runtime/api/sluice.hpp"
#include "runtime/api/spec_request.h"

namespace sluice {

struct DecoderBase {
  // One of the two: a description that was compiled here (its module is there), or an artifact's facts.
  std::optional<driver::Compiled> compiled;
  std::optional<artifact::Format> built;

  std::string name;
  std::uint64_t element_bytes = 1;
  bool element_signed = false;
  std::vector<FurtherOutput> further;
  bool has_dictionary = false;
  bool countable = true;  // its size can be found without storing the output
  std::vector<Argument> arguments;
  std::string warnings;

  const ir::Module& module() const { return *compiled->module; }

  // Decoder::place.
  ErrorPlace place(std::uint64_t word) const;

  // Does each chunk give room for every further output?
  CallError rooms(std::span<const Chunk> chunks) const;
  // Bytes of an element of each output, the format's own first.
  std::vector<std::uint64_t> all_element_bytes() const;

  // Fill in the above. Of a description: the error when it can't be compiled.
  std::optional<Error> describe(const driver::Request& request, bool colour);
  void describe(artifact::Format format);
};

// The parts of an error word of the module; those of 0 are empty.
[[nodiscard]] ErrorPlace place_of(const ir::Module& module, const SourceSet& sources, std::uint64_t word);

// Milliseconds since `start`, which becomes now.
[[nodiscard]] double since(std::chrono::steady_clock::time_point& start);

// A decoder whose Impl is this, from what `request` or `artifact` holds, or why it holds nothing.
template <class Impl, class Options>
auto make_requested(const Result<driver::Request>& request, const Options& options)
    -> decltype(Impl::make(*request, options)) {
  if (!request) return request.error();
  return Impl::make(*request, options);
}
template <class Impl, class Options>
auto make_built(std::optional<artifact::Artifact> artifact, const std::string& error, const std::string& from,
                const Options& options) -> decltype(Impl::make(std::move(*artifact), options, from)) {
  if (!artifact) return Impl::unable(from, error);
  return Impl::make(std::move(*artifact), options, from);
}
template <class Impl, class Options>
auto make_built(std::span<const std::uint8_t> bytes, const Options& options) {
  std::string error;
  auto artifact = artifact::read(bytes, error);
  return make_built<Impl>(std::move(artifact), error, kArtifactInMemory, options);
}
template <class Impl, class Options>
auto make_built(const std::string& path, const Options& options) {
  std::string error;
  auto artifact = read_artifact_file(path, error);
  return make_built<Impl>(std::move(artifact), error, path, options);
}

}  // namespace sluice
