#pragma once
// Compiled code kept on disk, so that a format is compiled once per machine and not once per process.
//
// One file an entry, named by its key. A file that is damaged, cut short, of another version or not the user's own
// counts as absent and is written anew. Writing goes through a temporary file and a rename, so any number of processes
// may share a directory. Old entries go when there are too many.
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::runtime {

using CacheKey = std::array<std::uint8_t, 16>;

// 128-bit hash (XXH3) of the parts, each with its length: ("ab","c") and ("a","bc") differ. Not cryptographic: the
// directory belongs to the user alone, which is checked on reading.
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

  const std::filesystem::path& directory() const { return directory_; }
  // Where an entry is, for tests and messages.
  std::filesystem::path path_of(const CacheKey& key) const;

  // Entries kept. One is tens of KiB, so this bounds the directory to some tens of MiB.
  static constexpr std::size_t kMaxEntries = 1000;

 private:
  void drop_oldest() const;
  std::filesystem::path directory_;
};

}  // namespace sluice::runtime
