#pragma once
// The bytes of an artifact's file back to an Artifact.
#include <optional>
#include <span>
#include <string>

#include "compiler/artifact/artifact.h"

namespace sluice::artifact {

// Nothing, and a sentence in `error`, for bytes that are no artifact, are damaged or cut short, or were written by
// another version. What it gives back holds to the bounds in artifact.h: names are there, sizes are possible, every
// image has bytes. Thread-safe, throws nothing but std::bad_alloc.
[[nodiscard]] std::optional<Artifact> read(std::span<const std::uint8_t> file, std::string& error);

// The image for a GPU of compute capability major.minor: the CUBIN for just that architecture, else one of the same
// major version and a smaller minor one, else the newest PTX that is not newer than the GPU; null when there is none.
// CUBINs for "sm_90a" or "sm_100f" are taken for their own architecture only.
[[nodiscard]] const CudaImage* image_for(const Cuda& cuda, unsigned major, unsigned minor);

}  // namespace sluice::artifact
