#include "runtime/jit/cache.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <sha2.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <tuple>

namespace sluice::runtime {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxPayload = std::size_t{256} << 20;
constexpr std::string_view kSuffix = ".object";
constexpr std::string_view kTemporary = "new.";  // and six characters of mkostemp's
// A damaged payload is not an attacker's, who could write its hash as well: what keeps others out is the file's owner.
using PayloadHash = std::array<std::uint8_t, 16>;
static_assert(SHA256_DIGEST_LENGTH == std::tuple_size_v<CacheKey>);

// At the head of each file. Fields are in the machine's byte order: the cache never leaves the machine.
struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  CacheKey key;
  std::uint64_t payload_bytes;
  PayloadHash payload_hash;
  friend bool operator==(const Header&, const Header&) = default;
};
static_assert(sizeof(Header) == 72 && std::has_unique_object_representations_v<Header>);

PayloadHash hash_of(std::span<const std::uint8_t> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  PayloadHash hash;
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

Header header_of(const CacheKey& key, std::span<const std::uint8_t> payload) {
  return {{'S', 'L', 'U', 'I', 'C', 'E', 'O', 'B'}, 2, sizeof(Header), key, payload.size(), hash_of(payload)};
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  bool open() const { return fd_ >= 0; }
  int fd() const { return fd_; }

  bool read_all(std::uint8_t* to, std::size_t size) const {
    while (size > 0) {
      const ssize_t n = read(fd_, to, size);
      if (n <= 0) {
        if (n < 0 && errno == EINTR) continue;
        return false;
      }
      to += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  bool write_all(const void* from, std::size_t size) const {
    const char* at = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t n = write(fd_, at, size);
      if (n < 0) {
        if (errno == EINTR) continue;
        return false;
      }
      at += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }

 private:
  int fd_;
};

}  // namespace

CacheKey cache_key(std::span<const std::string_view> parts) {
  SHA2_CTX state;
  SHA256Init(&state);
  for (const std::string_view part : parts) {
    const std::uint64_t size = part.size();
    SHA256Update(&state, reinterpret_cast<const std::uint8_t*>(&size), sizeof size);
    SHA256Update(&state, reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
  }
  CacheKey key;
  SHA256Final(key.data(), &state);
  return key;
}

ObjectCache ObjectCache::standard() {
  if (const char* own = std::getenv("SLUICE_CACHE_DIR"); own && *own) return ObjectCache(own);
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/') return ObjectCache(fs::path(xdg) / "sluice");
  if (const char* home = std::getenv("HOME"); home && *home) return ObjectCache(fs::path(home) / ".cache" / "sluice");
  return ObjectCache(fs::path());
}

fs::path ObjectCache::path_of(const CacheKey& key) const {
  std::string name;
  for (const std::uint8_t byte : key) name += fmt::format("{:02x}", byte);
  return directory_ / (name + std::string(kSuffix));
}

std::optional<std::vector<std::uint8_t>> ObjectCache::load(const CacheKey& key) const {
  if (directory_.empty()) return std::nullopt;
  const fs::path path = path_of(key);
  struct stat info {};
  // Opening a FIFO waits for its other end and opening a device does what that device does, so the kind is looked at
  // first, and again below; O_NONBLOCK is for a file that is replaced by a FIFO in between.
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.open()) return std::nullopt;
  // What is loaded is run: only what this user wrote, and nobody else could have changed, counts.
  if (fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 022) != 0)
    return std::nullopt;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size < sizeof(Header) || size - sizeof(Header) > kMaxPayload) return std::nullopt;
  Header header;
  if (!file.read_all(reinterpret_cast<std::uint8_t*>(&header), sizeof header)) return std::nullopt;
  std::vector<std::uint8_t> payload(size - sizeof(Header));
  if (!file.read_all(payload.data(), payload.size()) || header != header_of(key, payload)) return std::nullopt;
  futimens(file.fd(), nullptr);  // used now: sweep goes by this time. Failure changes nothing but that
  return payload;
}

bool ObjectCache::empty() const {
  std::error_code error;
  if (directory_.empty()) return true;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == kSuffix) return false;
  return true;
}

bool ObjectCache::store(const CacheKey& key, std::span<const std::uint8_t> bytes) const {
  if (directory_.empty() || bytes.size() > kMaxPayload) return false;
  std::error_code error;
  fs::create_directories(directory_.parent_path(), error);
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return false;
  std::string temporary = (directory_ / (std::string(kTemporary) + "XXXXXX")).string();
  {
    const File file(mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
    if (!file.open()) return false;
    const Header header = header_of(key, bytes);
    if (!file.write_all(&header, sizeof header) || !file.write_all(bytes.data(), bytes.size())) {
      unlink(temporary.c_str());
      return false;
    }
  }
  if (rename(temporary.c_str(), path_of(key).c_str()) != 0) {
    unlink(temporary.c_str());
    return false;
  }
  sweep();
  return true;
}

void ObjectCache::sweep() const {
  std::error_code error;
  const auto stale = fs::file_time_type::clock::now() - kMaxTemporaryAge;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error)) {
    const bool temporary = it->path().filename().string().starts_with(kTemporary);
    if (!temporary && it->path().extension() != kSuffix) continue;
    std::error_code gone;  // another process may be dropping entries too
    const auto time = it->last_write_time(gone);
    if (gone) continue;
    if (!temporary)
      entries.emplace_back(time, it->path());
    else if (time < stale && it->symlink_status(gone).type() == fs::file_type::regular)
      fs::remove(it->path(), gone);
  }
  if (entries.size() <= kMaxEntries) return;
  std::ranges::sort(entries);
  entries.resize(entries.size() - kMaxEntries);
  for (const auto& [time, path] : entries) fs::remove(path, error);
}

}  // namespace sluice::runtime
