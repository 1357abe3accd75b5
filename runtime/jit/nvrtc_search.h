#pragma once
// Where NVRTC may be: the directories of nvrtc.h's list, without loading anything.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sluice::runtime {

// File names tried in each directory, newest major version first; also what the loader is asked for by name.
inline constexpr const char* kNvrtcNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

struct NvrtcSearch {
  std::optional<std::filesystem::path> file;  // the first that is there
  std::vector<std::string> looked_in;         // directories, or the file that $SLUICE_NVRTC names
  bool ask_loader = false;                    // nothing forbids to go on with the loader's own list
};
[[nodiscard]] NvrtcSearch search_nvrtc();

}  // namespace sluice::runtime
