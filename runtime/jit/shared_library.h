#pragma once
// Libraries that are looked for when they are needed: NVRTC and the CUDA driver. Nothing here is linked to them.
#include <filesystem>
#include <optional>
#include <string>

namespace sluice::runtime {

// A loaded library. Copies name the same one. It is never unloaded: both libraries keep threads' state that must
// outlive every user.
class SharedLibrary {
 public:
  // `name`: a path, or a bare file name for the loader to look up. Nothing when it can't be loaded: `why_not` says why.
  static std::optional<SharedLibrary> open(const std::string& name, std::string& why_not);

  // The function `name` into `function`, null when there is none.
  template <class F>
  bool get(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(symbol(name));
    return function != nullptr;
  }

  // Where the loader found it; `name` itself when it does not tell.
  const std::filesystem::path& path() const { return path_; }

 private:
  SharedLibrary(void* handle, std::filesystem::path path) : handle_(handle), path_(std::move(path)) {}
  void* symbol(const char* name) const;
  void* handle_;
  std::filesystem::path path_;
};

}  // namespace sluice::runtime
