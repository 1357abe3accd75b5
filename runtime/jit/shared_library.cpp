#include "runtime/jit/shared_library.h"

#include <dlfcn.h>
#include <link.h>

#include <utility>

namespace sluice::runtime {

std::optional<SharedLibrary> SharedLibrary::open(const std::string& name, std::string& why_not) {
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char* text = dlerror();
    why_not = text ? text : name + ": dlopen failed";
    return std::nullopt;
  }
  std::filesystem::path path = name;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name) path = map->l_name;
  return SharedLibrary(handle, std::move(path));
}

void* SharedLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace sluice::runtime
