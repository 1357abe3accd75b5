#include "runtime/jit/plugin_search.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

namespace sluice::runtime {
namespace fs = std::filesystem;
namespace {

// Whether `path` lies in `directory`. Both are canonical.
bool lies_in(const fs::path& path, const fs::path& directory) {
  const auto [rest, ignored] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return !directory.empty() && rest == directory.end();
}

std::optional<struct stat> stat_of(const fs::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

bool others_may_write(const struct stat& info) { return (info.st_mode & S_IWOTH) != 0; }

// Why the plugin at `path` is not to be loaded; empty: it may be.
std::string distrusted(const fs::path& path, const struct stat& info, const PluginPlaces& places, bool in_build_tree) {
  if (others_may_write(info)) return fmt::format("{} may be written by others", path.string());
  if (!in_build_tree) {
    if (info.st_uid != 0 && info.st_uid != places.user)
      return fmt::format("{} belongs neither to the user nor to root", path.string());
    return "";
  }
  const auto tree = stat_of(places.build);
  if (info.st_uid != places.user || !tree || tree->st_uid != places.user || others_may_write(*tree))
    return fmt::format("the build tree {} does not belong to the user alone", places.build.string());
  return "";
}

struct Directory {
  fs::path path;
  bool is_build_tree = false;
};

std::vector<Directory> directories(const PluginPlaces& places) {
  std::vector<Directory> list;
  const auto add = [&](const fs::path& path, bool is_build_tree = false) {
    if (std::ranges::none_of(list, [&](const Directory& d) { return d.path == path; }))
      list.push_back({path, is_build_tree});
  };
  if (lies_in(places.program, places.build) || lies_in(places.library, places.build)) add(places.build, true);
  if (places.library != places.program) add(places.library.parent_path() / "sluice");
  if (places.program.parent_path().filename() == "bin")
    add(places.program.parent_path().parent_path() / places.library_dir / "sluice");
  if (!places.install.empty()) add(places.install);
  return list;
}

}  // namespace

PluginPlaces PluginPlaces::of_this_process() {
  PluginPlaces places;
  // Of a program that runs with more rights than its user has, the environment is the user's and not the program's.
  if (const char* chosen = secure_getenv("SLUICE_PLUGIN_DIR"); chosen && *chosen) places.chosen = chosen;
  std::error_code error;
  places.program = fs::read_symlink("/proc/self/exe", error);
  places.library = places.program;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&find_plugin), &info) != 0 && info.dli_fname) {
    // Of the program itself the loader knows the word it was called by, which is no path that could be relied on.
    const fs::path file = fs::weakly_canonical(info.dli_fname, error);
    if (!error && file.extension() != "" && file.filename().string().find(".so") != std::string::npos) places.library = file;
  }
#ifdef SLUICE_PLUGIN_INSTALL_DIR
  places.install = SLUICE_PLUGIN_INSTALL_DIR;
  places.library_dir = SLUICE_PLUGIN_LIBRARY_DIR;
  places.build = fs::weakly_canonical(SLUICE_PLUGIN_BUILD_DIR, error);
#endif
  places.user = geteuid();
  return places;
}

fs::path find_plugin(const PluginPlaces& places, std::string& why_not) {
  const auto candidates = places.chosen.empty() ? directories(places) : std::vector<Directory>{{places.chosen}};
  std::string tried, refused;
  for (const Directory& directory : candidates) {
    const fs::path path = directory.path / kPluginFile;
    const auto info = stat_of(path);
    if (!info || !S_ISREG(info->st_mode)) {
      tried += (tried.empty() ? "" : ", ") + directory.path.string();
      continue;
    }
    std::string distrust = distrusted(path, *info, places, directory.is_build_tree);
    if (distrust.empty()) return path;
    refused += (refused.empty() ? "" : "; ") + distrust;
  }
  why_not = !refused.empty() ? refused
            : tried.empty()  ? fmt::format("this build has no {}", kPluginFile)
                             : fmt::format("no {} in {}", kPluginFile, tried);
  return {};
}

}  // namespace sluice::runtime
