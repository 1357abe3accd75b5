#include "runtime/jit/nvrtc_ahead.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "runtime/jit/nvrtc_search.h"

namespace sluice::runtime {
namespace fs = std::filesystem;
namespace {

// A call asks for no more than the disk's read-ahead, whatever it is told; this is the least that is usual.
constexpr off_t kPiece = 128 << 10;

void ask_for(const fs::path& file, const std::stop_token& stop) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  struct stat info {};
  const off_t size = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
  for (off_t at = 0; at < size && !stop.stop_requested(); at += kPiece)
    if (posix_fadvise(fd, at, kPiece, POSIX_FADV_WILLNEED) != 0) break;
  close(fd);
}

void ask_for_nvrtc(const std::stop_token& stop) {
  const NvrtcSearch search = search_nvrtc();
  if (!search.file) return;
  std::error_code error;
  const fs::path file = fs::canonical(*search.file, error);
  if (error) return;
  ask_for(file, stop);
  for (fs::directory_iterator it(file.parent_path(), error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with("libnvrtc-builtins.so.")) ask_for(it->path(), stop);
}

}  // namespace

std::jthread read_nvrtc_ahead(const ObjectCache& cache) {
  if (!cache.empty()) return {};
  try {
    return std::jthread(ask_for_nvrtc);
  } catch (const std::system_error&) {
    return {};  // no threads to be had: then it is read when it is loaded
  }
}

}  // namespace sluice::runtime
