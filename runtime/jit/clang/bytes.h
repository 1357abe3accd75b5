#pragma once
// Bytes that cross the plugin's C interface: malloc here, sluice_clang_free there.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/jit/clang/plugin_abi.h"

namespace sluice::clang_plugin {

// A copy; empty when there is no memory for it.
inline sluice_clang_bytes to_bytes(std::string_view text) {
  if (text.empty()) return {};
  auto* data = static_cast<unsigned char*>(std::malloc(text.size()));
  if (!data) return {};
  std::memcpy(data, text.data(), text.size());
  return {data, text.size()};
}

}  // namespace sluice::clang_plugin
