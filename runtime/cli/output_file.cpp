#include "runtime/cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace sluice::cli {
namespace {

constexpr int kMaxLinks = 40;  // as many as the kernel follows

std::string because(std::string_view what, const std::string& path) {
  return fmt::format("can't {} {}: {}", what, path, std::strerror(errno));
}

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Closes what it opened.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { static_cast<void>(close()); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  // Some file systems tell of a full disk no sooner than here.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_ = -1;
};

bool write_all(int descriptor, std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 30;  // one call takes no more than 2 GiB
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kStep));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_stream(const std::string& path, std::span<const std::uint8_t> bytes, std::string& error) {
  const std::string name = path == "-" ? "standard output" : path;
  const int own = descriptor_of(follow_links(path));
  if (own >= 0) {
    const bool ok = (own != STDOUT_FILENO || std::fflush(stdout) == 0) && write_all(own, bytes);
    if (!ok) error = because("write", name);
    return ok;
  }
  Descriptor opened(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!opened.is_open()) {
    error = because("open", name);
    return false;
  }
  const bool ok = write_all(opened.get(), bytes) && opened.close();
  if (!ok) error = because("write", name);
  return ok;
}

// A file on its way to `path`. Gone unless put in place.
class Staged {
 public:
  explicit Staged(const std::string& path) : path_(path), place_(follow_links(path)), directory_(directory_of(place_)) {}
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;
  ~Staged() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  bool write(std::span<const std::uint8_t> bytes, Sync sync, std::string& error) {
    struct stat old {};
    const bool replaces = ::stat(place_.c_str(), &old) == 0;
    if (!create(replaces)) {
      error = because("create", path_);
      return false;
    }
    if (write_all(file_.get(), bytes) && (!replaces || take_after(old)) &&
        (sync == Sync::No || ::fsync(file_.get()) == 0) && (!name_.empty() || give_name()) && file_.close())
      return true;
    error = because("write", path_);
    return false;
  }

  bool put_in_place(Sync sync, std::string& error) {
    if (::rename(name_.c_str(), place_.c_str()) != 0) {
      error = because("write", path_);
      return false;
    }
    name_.clear();
    if (sync == Sync::No) return true;
    const Descriptor directory(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Not every file system can; what matters is that the bytes were there before the name.
    if (directory.is_open()) static_cast<void>(::fsync(directory.get()));
    return true;
  }

 private:
  // What replaces a file nobody may read can't be read meanwhile either.
  static constexpr mode_t kFresh = 0666, kPrivate = 0600;

  bool create(bool replaces) {
    const mode_t mode = replaces ? kPrivate : kFresh;
    if (::access("/proc/self/fd", X_OK) == 0)  // give_name goes through it
      file_ = Descriptor(::open(directory_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
    if (file_.is_open()) return true;
    return each_name([&](const std::string& name) {
      file_ = Descriptor(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
      return file_.is_open();
    });
  }

  bool give_name() {
    const std::string link = fmt::format("/proc/self/fd/{}", file_.get());
    return each_name([&](const std::string& name) {
      return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    });
  }

  // Tries temporary names until `make` can use one, which it leaves in `name_`.
  template <class Make>
  bool each_name(const Make& make) {
    constexpr int kMaxNames = 1000;
    for (int i = 0; i < kMaxNames; ++i) {
      const std::string name = fmt::format("{}/.sluice-{}-{}.tmp", directory_, ::getpid(), i);
      if (make(name)) {
        name_ = name;
        return true;
      }
      if (errno != EEXIST) return false;
    }
    return false;
  }

  // The owner can be kept by root alone; another's file loses the bits that let programs run as their owner.
  bool take_after(const struct stat& old) {
    const bool owned = ::fchown(file_.get(), old.st_uid, old.st_gid) == 0;
    return ::fchmod(file_.get(), old.st_mode & (owned ? 07777 : 0777)) == 0;
  }

  const std::string path_, place_, directory_;
  std::string name_;  // the temporary one; empty: there is none
  Descriptor file_;
};

}  // namespace

int descriptor_of(const std::string& path) {
  if (path == "-") return STDOUT_FILENO;
  std::string_view at = path;
  if (at == "/dev/stdout") return STDOUT_FILENO;
  if (at == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!at.starts_with(prefix)) continue;
    at.remove_prefix(prefix.size());
    int number = -1;
    const auto [end, wrong] = std::from_chars(at.data(), at.data() + at.size(), number);
    return wrong == std::errc() && end == at.data() + at.size() && number >= 0 ? number : -1;
  }
  return -1;
}

std::string follow_links(const std::string& path) {
  std::filesystem::path at = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code none;
    if (descriptor_of(at.string()) >= 0) return at.string();
    const std::filesystem::path target = std::filesystem::read_symlink(at, none);
    if (none) return at.string();
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return path;
}

bool is_stream(const std::string& path) {
  const std::string place = follow_links(path);
  if (descriptor_of(place) >= 0) return true;
  struct stat facts {};
  return ::stat(place.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

bool can_write(const std::string& path, std::string& error) {
  const std::string place = follow_links(path);
  if (descriptor_of(place) >= 0) return true;
  struct stat facts {};
  const bool there = ::stat(place.c_str(), &facts) == 0;
  if (!there && errno != ENOENT) {
    error = because("create", path);
    return false;
  }
  if (there && S_ISDIR(facts.st_mode)) {
    error = fmt::format("can't write {}: it is a directory", path);
    return false;
  }
  if (there && ::access(place.c_str(), W_OK) != 0) {
    error = because("write", path);
    return false;
  }
  if (there && !S_ISREG(facts.st_mode)) return true;
  const std::string directory = directory_of(place);
  if (::access(directory.c_str(), W_OK | X_OK) == 0) return true;
  error = there ? fmt::format("can't replace {}: no file can be made in {}: {}", path, directory, std::strerror(errno))
                : because("create", path);
  return false;
}

bool write_file(const std::string& path, std::span<const std::uint8_t> bytes, std::string& error, Sync sync) {
  if (!can_write(path, error)) return false;
  if (is_stream(path)) return write_stream(path, bytes, error);
  Staged file(path);
  return file.write(bytes, sync, error) && file.put_in_place(sync, error);
}

bool write_files(std::span<const OutputFile> files, std::string& error) {
  std::deque<Staged> staged;
  for (const OutputFile& file : files) {
    if (!can_write(file.path, error)) return false;
    if (!is_stream(file.path) && !staged.emplace_back(file.path).write(file.bytes, Sync::No, error)) return false;
  }
  // Streams after all files are written, before any is replaced: a stream is what most likely fails now.
  for (const OutputFile& file : files)
    if (is_stream(file.path) && !write_stream(file.path, file.bytes, error)) return false;
  return std::ranges::all_of(staged, [&](Staged& file) { return file.put_in_place(Sync::No, error); });
}

}  // namespace sluice::cli
