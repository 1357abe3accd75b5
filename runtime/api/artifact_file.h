#pragma once
// What every kind of decoder that was built ahead starts with: an artifact's file.
#include <optional>
#include <string>

#include "compiler/artifact/artifact.h"

namespace sluice {

// The name in messages of an artifact that is in no file.
inline constexpr const char* kArtifactInMemory = "artifact";

// The artifact in the file `path`; nothing, and a sentence in `error` that leaves the file's name to the caller, when
// the file can't be read or holds none. Thread-safe, throws nothing but std::bad_alloc.
[[nodiscard]] std::optional<artifact::Artifact> read_artifact_file(const std::string& path, std::string& error);

}  // namespace sluice
