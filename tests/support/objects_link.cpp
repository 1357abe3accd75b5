#include "tests/support/objects_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/jit/shared_library.h"

namespace sluice::test {
namespace {

constexpr int kOfCubin = 1;  // a kind of input

}  // namespace

std::optional<ObjectsLinker> ObjectsLinker::find(std::string& why_not) {
  const auto nvrtc = runtime::Nvrtc::find();
  if (!nvrtc) return std::nullopt;
  const auto version = nvrtc->version();
  if (!version) return std::nullopt;
  const std::string name = "libnvJitLink.so." + version->substr(0, version->find('.'));
  auto library = runtime::SharedLibrary::open((nvrtc->path().parent_path() / name).string(), why_not);
  if (!library) library = runtime::SharedLibrary::open(name, why_not);
  if (!library) return std::nullopt;
  std::string suffix = "_" + *version;  // its functions have the version in their names
  std::ranges::replace(suffix, '.', '_');
  const auto get = [&](const char* function, auto*& into) { return library->get(("__nvJitLink" + (function + suffix)).c_str(), into); };
  ObjectsLinker linker;
  if (get("Create", linker.create_) && get("AddData", linker.add_) && get("Complete", linker.complete_) &&
      get("GetLinkedCubinSize", linker.size_) && get("GetLinkedCubin", linker.image_) && get("GetErrorLogSize", linker.log_size_) &&
      get("GetErrorLog", linker.log_) && get("Destroy", linker.destroy_))
    return linker;
  why_not = fmt::format("{} is not of version {}", library->path().string(), *version);
  return std::nullopt;
}

Result<std::vector<std::uint8_t>> ObjectsLinker::link(std::span<const runtime::DeviceCode> objects) const {
  const std::string arch = "-arch=" + objects[0].arch;
  std::array<const char*, 1> options{arch.c_str()};
  Handle handle = nullptr;
  Code code = create_(&handle, options.size(), options.data());
  for (std::size_t i = 0; i < objects.size() && code == 0; ++i)
    code = add_(handle, kOfCubin, objects[i].image.data(), objects[i].image.size(), fmt::format("object {}", i + 1).c_str());
  if (code == 0) code = complete_(handle);
  std::size_t bytes = 0;
  if (code == 0) code = size_(handle, &bytes);
  std::vector<std::uint8_t> image(bytes);
  if (code == 0) code = image_(handle, image.data());
  std::string log;
  if (std::size_t length = 0; code != 0 && handle && log_size_(handle, &length) == 0 && length > 0) {
    log.resize(length);
    static_cast<void>(log_(handle, log.data()));
  }
  static_cast<void>(destroy_(&handle));
  if (code != 0) return Error{Error::Kind::Environment, fmt::format("nvJitLink gives {}: {}", code, log.c_str()), {}};
  return image;
}

}  // namespace sluice::test
