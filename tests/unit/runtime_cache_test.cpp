#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "runtime/jit/cache.h"
#include "temporary_directory.h"

namespace sluice::runtime {
namespace {
namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  static std::vector<std::uint8_t> bytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, const std::vector<std::uint8_t>& data) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  }
  const test::TemporaryDirectory own_;
  const fs::path& root_ = own_.path();
  const CacheKey key_ = cache_key(std::array<std::string_view, 2>{"a", "text"});
  const std::vector<std::uint8_t> payload_{1, 2, 3, 0, 255};
};

TEST_F(Cache, KeyTellsPartsApart) {
  using Two = std::array<std::string_view, 2>;
  EXPECT_NE(cache_key(Two{"ab", "c"}), cache_key(Two{"a", "bc"}));
  EXPECT_EQ(cache_key(Two{"a", "text"}), key_);
}

TEST_F(Cache, KeepsAndMakesItsDirectory) {
  const ObjectCache cache(root_ / "deep" / "er");
  EXPECT_FALSE(cache.load(key_));
  EXPECT_TRUE(cache.empty());
  EXPECT_TRUE(cache.store(key_, payload_));
  EXPECT_FALSE(cache.empty());
  EXPECT_EQ(cache.load(key_), payload_);
  EXPECT_FALSE(cache.load(cache_key(std::array<std::string_view, 1>{"other"})));
  struct stat info {};
  ASSERT_EQ(stat(cache.directory().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(Cache, WithoutDirectoryKeepsNothing) {
  const ObjectCache cache({});
  EXPECT_FALSE(cache.store(key_, payload_));
  EXPECT_FALSE(cache.load(key_));
  EXPECT_TRUE(cache.empty());
}

TEST_F(Cache, EveryDamagedByteIsSeenAndRewritten) {
  const ObjectCache cache(root_);
  ASSERT_TRUE(cache.store(key_, payload_));
  const std::vector<std::uint8_t> good = bytes(cache.path_of(key_));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::vector<std::uint8_t> bad = good;
    bad[at] ^= 0x10;
    write(cache.path_of(key_), bad);
    EXPECT_FALSE(cache.load(key_)) << "byte " << at;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    write(cache.path_of(key_), {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_FALSE(cache.load(key_)) << "cut to " << size;
  }
  ASSERT_TRUE(cache.store(key_, payload_));
  EXPECT_EQ(cache.load(key_), payload_);
}

TEST_F(Cache, AnEntryUnderAnotherKeyIsRefused) {
  const ObjectCache cache(root_);
  ASSERT_TRUE(cache.store(key_, payload_));
  const CacheKey other = cache_key(std::array<std::string_view, 1>{"other"});
  fs::copy_file(cache.path_of(key_), cache.path_of(other));
  EXPECT_FALSE(cache.load(other));
}

TEST_F(Cache, FilesOthersMayWriteAreNotRun) {
  const ObjectCache cache(root_);
  ASSERT_TRUE(cache.store(key_, payload_));
  ASSERT_EQ(chmod(cache.path_of(key_).c_str(), 0666), 0);
  EXPECT_FALSE(cache.load(key_));
  fs::remove(cache.path_of(key_));
  fs::create_symlink("elsewhere", cache.path_of(key_));
  EXPECT_FALSE(cache.load(key_));
}

TEST_F(Cache, ManyWritersLeaveOneWholeEntry) {
  const ObjectCache cache(root_);
  const std::vector<std::uint8_t> large(300000, 7);
  std::vector<std::thread> threads;
  std::array<int, 4> wrong{};
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        if (!cache.store(key_, large)) ++wrong[t];
        const auto seen = cache.load(key_);
        if (!seen || *seen != large) ++wrong[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int n : wrong) EXPECT_EQ(n, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator{}), 1);  // no temporary file is left
}

TEST_F(Cache, AFifoIsNotWaitedFor) {
  const ObjectCache cache(root_);
  fs::create_directories(root_);
  ASSERT_EQ(mkfifo(cache.path_of(key_).c_str(), 0600), 0);
  EXPECT_FALSE(cache.load(key_));  // opening it would wait for a writer here, for ever
  ASSERT_TRUE(cache.store(key_, payload_));
  EXPECT_EQ(cache.load(key_), payload_);
}

TEST_F(Cache, LeftOverTemporaryFilesGo) {
  const ObjectCache cache(root_);
  write(root_ / "new.killed", {1, 2});
  write(root_ / "new.atwork", {1, 2});
  write(root_ / "notes.txt", {1, 2});
  for (const char* old : {"new.killed", "notes.txt"})
    fs::last_write_time(root_ / old, fs::file_time_type::clock::now() - 2 * ObjectCache::kMaxTemporaryAge);
  ASSERT_TRUE(cache.store(key_, payload_));
  EXPECT_FALSE(fs::exists(root_ / "new.killed"));
  EXPECT_TRUE(fs::exists(root_ / "new.atwork")) << "another process may be writing it";
  EXPECT_TRUE(fs::exists(root_ / "notes.txt")) << "not the cache's";
}

// printf '\3\0\0\0\0\0\0\0abc' | sha256sum
TEST_F(Cache, KeysAreSha256) {
  const CacheKey key = cache_key(std::array<std::string_view, 1>{"abc"});
  std::string text;
  for (const std::uint8_t byte : key) text += "0123456789abcdef"[byte >> 4], text += "0123456789abcdef"[byte & 15];
  EXPECT_EQ(text, "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
}

TEST_F(Cache, OldEntriesGo) {
  const ObjectCache cache(root_);
  for (std::size_t i = 0; i < ObjectCache::kMaxEntries; ++i)
    write(root_ / ("old" + std::to_string(i) + ".object"), {0});
  for (const auto& entry : fs::directory_iterator(root_))
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(cache.store(key_, payload_));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator{}),
            static_cast<std::ptrdiff_t>(ObjectCache::kMaxEntries));
  EXPECT_EQ(cache.load(key_), payload_);
}

}  // namespace
}  // namespace sluice::runtime
