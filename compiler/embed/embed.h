#pragma once
// Files of the source tree that travel inside the library: the codecs' specs, the runtime primitives and the
// generated code's ABI. They are text for the compiler's use, so that an installed library needs no files beside it.
#include <span>
#include <string_view>

namespace sluice::embed {

struct File {
  std::string_view path;  // from the root of the source tree, e.g. "runtime/prim/bits.h"
  std::string_view text;  // static storage, never freed
};

// Every embedded file, sorted by path: codecs/*/*.sluice, runtime/prim/*.h, runtime/api/abi.h.
[[nodiscard]] std::span<const File> files();

// Text of one of them; a view with null data() when there is none of that path. Thread-safe, no allocation.
[[nodiscard]] std::string_view text(std::string_view path);

}  // namespace sluice::embed
