#include "runtime/cli/files.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

namespace sluice::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Of a Buffer, in small pages: half of a large one. A multiple of a page, as madvise wants it.
constexpr std::size_t kSmallOutput = 1 << 20;

std::string because(std::string_view what, const std::string& path) {
  return fmt::format("can't {} {}: {}", what, path, std::strerror(errno));
}

std::optional<std::vector<std::uint8_t>> read_all(std::FILE* file, const std::string& path, std::string& error) {
  struct stat facts {};
  if (fstat(fileno(file), &facts) == 0 && S_ISDIR(facts.st_mode)) {
    error = fmt::format("can't read {}: it is a directory", path);
    return std::nullopt;
  }
  constexpr std::size_t kStep = 1 << 20;
  // One byte more than the size: the read that meets the end of the file then needs no second buffer.
  std::size_t room = S_ISREG(facts.st_mode) ? static_cast<std::size_t>(facts.st_size) + 1 : kStep;
  std::vector<std::uint8_t> bytes;
  std::size_t used = 0;
  for (;;) {
    bytes.resize(used + room);
    const std::size_t got = std::fread(bytes.data() + used, 1, room, file);
    used += got;
    if (got < room) break;
    room = std::max(kStep, used);
  }
  if (std::ferror(file) != 0) {
    error = because("read", path);
    return std::nullopt;
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> read_file(const std::string& path, std::string& error) {
  try {
    if (path == "-") return read_all(stdin, "standard input", error);
    const File file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr) {
      error = because("open", path);
      return std::nullopt;
    }
    return read_all(file.get(), path, error);
  } catch (const std::bad_alloc&) {
    error = fmt::format("can't read {}: not enough memory", path);
    return std::nullopt;
  }
}

void Buffer::Unmap::operator()(std::uint8_t* data) const { munmap(data, size); }

std::optional<Buffer> Buffer::make(std::uint64_t size) {
  const auto bytes = static_cast<std::size_t>(std::max<std::uint64_t>(size, 1));
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return std::nullopt;
  // Large pages make filling a large output cheaper, and a small one dearer, whose first page would be all there is.
  // A wish: whether it is granted doesn't matter.
  if (bytes > kSmallOutput) madvise(static_cast<std::uint8_t*>(data) + kSmallOutput, bytes - kSmallOutput, MADV_HUGEPAGE);
  return Buffer(data, bytes);
}

std::optional<Buffer> Buffer::read(const std::string& path, std::string& error) {
  struct stat facts {};
  // Asked before it is opened: what somebody writes to a pipe goes to the first that opens it.
  const bool regular = path != "-" && stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
  if (const File opened(regular ? std::fopen(path.c_str(), "rb") : nullptr); opened != nullptr) {
    // A byte more than the size, to see the end of the file; one that grows meanwhile is read the other way.
    auto buffer = make(static_cast<std::uint64_t>(facts.st_size) + 1);
    std::setvbuf(opened.get(), nullptr, _IONBF, 0);
    const std::size_t got =
        buffer ? std::fread(buffer->data_.get(), 1, static_cast<std::size_t>(facts.st_size) + 1, opened.get()) : 0;
    if (buffer && std::ferror(opened.get()) == 0 && got <= static_cast<std::size_t>(facts.st_size)) {
      buffer->size_ = got;
      return buffer;
    }
  }
  const auto bytes = read_file(path, error);
  if (!bytes) return std::nullopt;
  auto buffer = make(bytes->size());
  if (!buffer) {
    error = fmt::format("can't read {}: not enough memory", path);
    return std::nullopt;
  }
  std::copy(bytes->begin(), bytes->end(), buffer->data_.get());
  buffer->size_ = bytes->size();
  return buffer;
}

std::optional<Buffer> Buffer::map_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  struct stat facts {};
  if (file == nullptr || fstat(fileno(file.get()), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fileno(file.get()), 0);
  if (data == MAP_FAILED) return std::nullopt;
  return Buffer(data, size);
}

}  // namespace sluice::cli
