#include "runtime/jit/nvrtc_search.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace sluice::runtime {
namespace fs = std::filesystem;
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The directories of a list like $PATH.
std::vector<fs::path> split(std::string_view list) {
  std::vector<fs::path> directories;
  while (!list.empty()) {
    const auto end = std::min(list.find(':'), list.size());
    if (end > 0) directories.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return directories;
}

// NVIDIA's packages under PREFIX/lib/python3*/site-packages (Debian: dist-packages).
void add_python_packages(const fs::path& prefix, std::vector<fs::path>& list) {
  std::error_code error;
  std::vector<fs::path> versions;
  for (fs::directory_iterator it(prefix / "lib", error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with("python3")) versions.push_back(it->path());
  std::ranges::sort(versions, std::greater<>());
  for (const fs::path& version : versions)
    for (const char* packages : {"site-packages", "dist-packages"})
      for (const char* package : {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"})
        list.push_back(version / packages / package);
}

std::vector<fs::path> directories() {
  std::vector<fs::path> list = split(environment("LD_LIBRARY_PATH"));
  for (const char* directory : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
    list.emplace_back(directory);
  for (const fs::path& root :
       {fs::path(environment("CUDA_HOME")), fs::path(environment("CUDA_PATH")), fs::path("/usr/local/cuda")}) {
    if (root.empty()) continue;
    list.push_back(root / "lib64");
    list.push_back(root / "lib");
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const fs::path prefix = environment(variable); !prefix.empty()) {
      add_python_packages(prefix, list);
      list.push_back(prefix / "lib");
    }
  std::error_code error;
  for (const fs::path& directory : split(environment("PATH")))
    if (fs::exists(directory / "python3", error)) {
      add_python_packages(directory.parent_path(), list);
      break;
    }
  return list;
}

std::optional<fs::path> library_in(const fs::path& directory) {
  std::error_code error;
  for (const char* name : kNvrtcNames)
    if (fs::is_regular_file(directory / name, error)) return directory / name;
  return std::nullopt;
}

}  // namespace

NvrtcSearch search_nvrtc() {
  NvrtcSearch search;
  std::error_code error;
  if (const fs::path own = environment("SLUICE_NVRTC"); !own.empty()) {
    search.looked_in.push_back("$SLUICE_NVRTC=" + own.string());
    if (fs::is_regular_file(own, error))
      search.file = own;
    else
      search.file = library_in(own);
    return search;
  }
  search.ask_loader = true;
  for (const fs::path& directory : directories()) {
    if (!fs::is_directory(directory, error)) continue;
    if (std::ranges::find(search.looked_in, directory.string()) != search.looked_in.end()) continue;
    search.looked_in.push_back(directory.string());
    search.file = library_in(directory);
    if (search.file) break;
  }
  return search;
}

}  // namespace sluice::runtime
