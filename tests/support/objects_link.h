#pragma once
// Where there is no GPU, and so no driver to link a kernel's objects: CUDA's own library for that, nvJitLink, a black box by its C
// interface. It refuses a function that nobody has, that two have, or that takes more registers than the kernel leaves.
#include <optional>
#include <string>

#include "runtime/jit/cuda_code.h"

namespace sluice::test {

// Beside NVRTC, or wherever the loader finds it. `why_not` is set where it is nowhere.
class ObjectsLinker {
 public:
  static std::optional<ObjectsLinker> find(std::string& why_not);

  // One CUBIN of `objects`, of which each is for the same architecture.
  [[nodiscard]] Result<std::vector<std::uint8_t>> link(std::span<const runtime::DeviceCode> objects) const;

 private:
  using Code = int;
  using Handle = struct NvJitLink*;
  Code (*create_)(Handle* handle, std::uint32_t count, const char** options) = nullptr;
  Code (*add_)(Handle handle, int kind, const void* data, std::size_t bytes, const char* name) = nullptr;
  Code (*complete_)(Handle handle) = nullptr;
  Code (*size_)(Handle handle, std::size_t* bytes) = nullptr;
  Code (*image_)(Handle handle, void* bytes) = nullptr;
  Code (*log_size_)(Handle handle, std::size_t* bytes) = nullptr;
  Code (*log_)(Handle handle, char* text) = nullptr;
  Code (*destroy_)(Handle* handle) = nullptr;
};

}  // namespace sluice::test
