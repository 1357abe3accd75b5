#pragma once
// Compiled code kept on disk, so that a format is compiled once per machine and not once per process.
//
// One file an entry, named by its key. A file that is damaged, cut short, of another version or not the user's own
// counts as absent and is written anew; what is no regular file (a FIFO, a device) is never opened. Writing goes through
// a temporary file and a rename, so any number of processes may share a directory. Old entries go when there are too
// many, and so do temporary files that a process left behind when it was killed.
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::runtime {

using CacheKey = std::array<std::uint8_t, 32>;

// SHA-256 of the parts, each with its length: ("ab","c") and ("a","bc") differ. Cryptographic, for the text that is
// compiled may be a stranger's: nobody can make one that meets the key of another.
[[nodiscard]] CacheKey cache_key(std::span<const std::string_view> parts);

class ObjectCache {
 public:
  // A cache in `directory`, which is made on the first store. An empty path is a cache that keeps nothing.
  explicit ObjectCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // $SLUICE_CACHE_DIR, else $XDG_CACHE_HOME/sluice, else $HOME/.cache/sluice, else nothing.
  static ObjectCache standard();

  // The bytes stored under the key, or nothing. Thread-safe.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> load(const CacheKey& key) const;
  // Keeps the bytes; false when the directory can't be written, which costs speed only. Thread-safe.
  bool store(const CacheKey& key, std::span<const std::uint8_t> bytes) const;

  // Has it no entries? Also where the directory can't be read.
  [[nodiscard]] bool empty() const;

  const std::filesystem::path& directory() const { return directory_; }
  // Where an entry is, for tests and messages.
  std::filesystem::path path_of(const CacheKey& key) const;

  // Entries kept. One is tens of KiB, so this bounds the directory to some tens of MiB.
  static constexpr std::size_t kMaxEntries = 1000;
  // A temporary file this old is nobody's any more: writing an entry takes milliseconds.
  static constexpr std::chrono::hours kMaxTemporaryAge{1};

 private:
  void sweep() const;
  std::filesystem::path directory_;
};

}  // namespace sluice::runtime
