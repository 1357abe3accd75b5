#pragma once
// A C header with what a program may want to know of a format when it is compiled: sizes, arguments, kernels, and a
// constant for every place that refuses data.
//
//   #define DEFLATE_OUTPUT_ELEMENT_BYTES 1u
//   enum deflate_error { DEFLATE_ERROR_BODY_3_BAD_DISTANCE = 0x000c03, ... };
#include <string>
#include <string_view>

#include "compiler/artifact/artifact.h"

namespace sluice::artifact {

// `name` is the prefix of everything declared: an identifier of C, usually the format's name. `hash`: hash_text of the
// artifact. With `object`, also the entry points of the object file that `sluice build --object` writes.
[[nodiscard]] std::string c_header(const Artifact& artifact, std::string_view name, std::string_view hash, bool object);

}  // namespace sluice::artifact
