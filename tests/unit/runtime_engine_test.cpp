#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "compiler/embed/embed.h"
#include "runtime/jit/engine.h"
#include "temporary_directory.h"

namespace sluice::runtime {
namespace {
namespace fs = std::filesystem;

// A decoder that copies its input, with calls, constants and a jump table in it.
std::string copy_decoder() {
  return std::string(embed::text("runtime/api/abi.h")) + R"(
extern "C" {
extern const unsigned sluice_abi_version;
extern const unsigned long long sluice_scratch_bytes;
const unsigned sluice_abi_version = SLUICE_ABI_VERSION;
const unsigned long long sluice_scratch_bytes = 64;
static const unsigned short kTable[300] = {5, 6, 7, 8};
static __attribute__((noinline)) unsigned long long pick(unsigned long long n) {
  switch (n) {
    case 0: return kTable[0] * 3u; case 1: return 77; case 2: return 11; case 3: return 9;
    case 4: return 123; case 5: return kTable[n - 2]; default: return n;
  }
}
unsigned long long sluice_decode(struct sluice_job* j) {
  const unsigned long long n = j->in_size < j->out_capacity ? j->in_size : j->out_capacity;
  __builtin_memcpy(j->out, j->in, n);
  j->produced = j->consumed = n;
  return n < j->in_size;
}
unsigned long long sluice_count(struct sluice_job* j) {
  j->produced = pick(j->in_size);
  return 0;
}
})";
}

void expect_works(const Program& program) {
  std::vector<unsigned char> in(100), out(100);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i);
  sluice_job job{};
  job.in = in.data();
  job.in_size = in.size();
  job.out = out.data();
  job.out_capacity = out.size();
  EXPECT_EQ(program.decode(&job), 0u);
  EXPECT_EQ(in, out);
  const unsigned long long expected[] = {15, 77, 11, 9, 123, 8, 6};
  for (unsigned long long n = 0; n < 7; ++n) {
    job.in_size = n;
    EXPECT_EQ(program.count(&job), 0u);
    EXPECT_EQ(job.produced, expected[n]) << n;
  }
  EXPECT_EQ(program.scratch_bytes, 64u);
}

std::unique_ptr<Engine> engine_or_skip(const std::string& name, std::string& why_not) {
  auto engine = name == "clang" ? make_clang_engine() : make_cxx_engine();
  return engine->identity(why_not).empty() ? nullptr : std::move(engine);
}

class EngineTest : public testing::TestWithParam<const char*> {};

TEST_P(EngineTest, CompilesAndRuns) {
  std::string why_not;
  const auto engine = engine_or_skip(GetParam(), why_not);
  if (!engine) GTEST_SKIP() << why_not;
  const auto image = engine->compile(copy_decoder());
  ASSERT_TRUE(image) << image.error().text;
  const auto program = engine->load(*image);
  ASSERT_TRUE(program) << program.error().text;
  expect_works(*program);
  // The same image again is code of its own.
  Result<Program> second = engine->load(*image);
  ASSERT_TRUE(second);
  EXPECT_NE(second->decode, program->decode);
}

TEST_P(EngineTest, ErrorsInTheTextComeBackAsText) {
  std::string why_not;
  const auto engine = engine_or_skip(GetParam(), why_not);
  if (!engine) GTEST_SKIP() << why_not;
  const auto image = engine->compile("int x = y;\n");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().kind, Error::Kind::Spec);
  EXPECT_NE(image.error().text.find("decoder.cpp:1:9: error:"), std::string::npos) << image.error().text;
}

// A decoder of those entry points, each of which returns its place in the list.
std::string decoder_of(std::span<const char* const> entries) {
  std::string text = std::string(embed::text("runtime/api/abi.h")) + R"(
extern "C" {
extern const unsigned sluice_abi_version;
extern const unsigned long long sluice_scratch_bytes;
const unsigned sluice_abi_version = SLUICE_ABI_VERSION;
const unsigned long long sluice_scratch_bytes = 64;
)";
  for (std::size_t i = 0; i < entries.size(); ++i)
    text += std::string("unsigned long long ") + entries[i] + "(struct sluice_job*) { return " + std::to_string(i + 1) + "; }\n";
  return text + "}\n";
}

TEST_P(EngineTest, OneEntryPointIsEnough) {
  std::string why_not;
  const auto engine = engine_or_skip(GetParam(), why_not);
  if (!engine) GTEST_SKIP() << why_not;
  const auto loaded = [&](std::span<const char* const> entries) -> Result<Program> {
    const auto image = engine->compile(decoder_of(entries));
    if (!image) return image.error();
    return engine->load(*image);
  };
  const char* const both[] = {"sluice_decode", "sluice_count"};
  const auto decodes = loaded(std::span(both).first(1)), counts = loaded(std::span(both).last(1)), all = loaded(both), none = loaded({});
  ASSERT_TRUE(decodes && counts && all);
  EXPECT_EQ(decodes->count, nullptr);
  EXPECT_EQ(decodes->decode_two, nullptr);
  EXPECT_EQ(decodes->decode(nullptr), 1u);
  EXPECT_EQ(counts->decode, nullptr);
  EXPECT_EQ(counts->count(nullptr), 1u);
  EXPECT_EQ(all->decode(nullptr), 1u);
  EXPECT_EQ(all->count(nullptr), 2u);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::Environment);
  EXPECT_EQ(none.error().text, "compiled code lacks an entry point");
}

TEST_P(EngineTest, AnotherAbiVersionIsRefused) {
  std::string why_not;
  const auto engine = engine_or_skip(GetParam(), why_not);
  if (!engine) GTEST_SKIP() << why_not;
  const auto image = engine->compile(
      R"(extern "C" { extern const unsigned sluice_abi_version; const unsigned sluice_abi_version = 99; })");
  ASSERT_TRUE(image);
  const auto program = engine->load(*image);
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().text.find("another ABI version"), std::string::npos);
}

TEST_P(EngineTest, CompilesOnSeveralThreads) {
  std::string why_not;
  const auto engine = engine_or_skip(GetParam(), why_not);
  if (!engine) GTEST_SKIP() << why_not;
  std::vector<std::thread> threads;
  std::array<bool, 4> ok{};
  for (bool& done : ok)
    threads.emplace_back([&] {
      const auto image = engine->compile(copy_decoder());
      done = image && engine->load(*image);
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool done : ok) EXPECT_TRUE(done);
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineTest, testing::Values("clang", "cxx"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST(ClangEngine, ReadsNoHeaders) {
  std::string why_not;
  const auto engine = engine_or_skip("clang", why_not);
  if (!engine) GTEST_SKIP() << why_not;
  const auto image = engine->compile("#include <stdint.h>\n");
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().text.find("'stdint.h' file not found"), std::string::npos) << image.error().text;
}

// The way machines without a loader of our own go.
TEST(ClangEngine, LoadsWithOrc) {
  std::string why_not;
  const auto engine = engine_or_skip("clang", why_not);
  if (!engine) GTEST_SKIP() << why_not;
  const auto image = engine->compile(copy_decoder());
  ASSERT_TRUE(image) << image.error().text;
  setenv("SLUICE_LOADER", "orc", 1);
  const auto program = engine->load(*image);
  const auto damaged = engine->load(std::span(*image).first(image->size() / 2));
  unsetenv("SLUICE_LOADER");
  ASSERT_TRUE(program) << program.error().text;
  expect_works(*program);
  EXPECT_FALSE(damaged);
}

// Chooses by environment, which it restores.
class Jit : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"SLUICE_JIT", "SLUICE_PLUGIN_DIR", "SLUICE_CXX"}) unsetenv(name);
  }
  const test::TemporaryDirectory own_;
  const fs::path& root_ = own_.path();
};

TEST_F(Jit, SecondTimeComesFromTheCache) {
  const ObjectCache cache(root_);
  const auto first = jit(copy_decoder(), cache);
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_FALSE(first->cached);
  const auto second = jit(copy_decoder(), cache);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->cached);
  EXPECT_NE(second->why.find("from the cache"), std::string::npos);
  expect_works(second->program);
  const auto other = jit(copy_decoder() + "\n", cache);
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->cached);
}

// An entry that is whole but holds no program is not trusted: it is compiled and written again.
TEST_F(Jit, AnUnloadableEntryIsReplaced) {
  const ObjectCache cache(root_);
  ASSERT_TRUE(jit(copy_decoder(), cache));
  const fs::path entry = fs::directory_iterator(root_)->path();
  CacheKey key;
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<std::uint8_t>(std::stoul(entry.stem().string().substr(2 * i, 2), nullptr, 16));
  ASSERT_TRUE(cache.store(key, std::vector<std::uint8_t>(100, 1)));
  const auto again = jit(copy_decoder(), cache);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_FALSE(again->cached);
  const auto after = jit(copy_decoder(), cache);
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->cached);
}

TEST_F(Jit, NoneIsAnErrorThatSaysWhy) {
  setenv("SLUICE_JIT", "none", 1);
  const auto none = jit(copy_decoder(), ObjectCache({}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "no engine for machine code: SLUICE_JIT=none");
  setenv("SLUICE_JIT", "gcc", 1);
  const auto unknown = jit(copy_decoder(), ObjectCache({}));
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text.find("SLUICE_JIT=gcc names no engine (clang, cxx, none)"), std::string::npos);
}

TEST_F(Jit, FallsBackAndSaysSo) {
  std::string why_not;
  if (make_cxx_engine()->identity(why_not).empty()) GTEST_SKIP() << why_not;
  setenv("SLUICE_PLUGIN_DIR", root_.c_str(), 1);
  const auto absent = jit(copy_decoder(), ObjectCache({}));
  ASSERT_TRUE(absent) << absent.error().text;
  EXPECT_EQ(absent->engine, "cxx");
  EXPECT_EQ(absent->why, "clang: no libsluice_clang.so in " + root_.string() + "; cxx: compiled");

  // A plugin that can't be loaded, as when LLVM is not installed.
  std::ofstream(root_ / "libsluice_clang.so") << "no library";
  const auto broken = jit(copy_decoder(), ObjectCache({}));
  ASSERT_TRUE(broken) << broken.error().text;
  EXPECT_EQ(broken->engine, "cxx");
  EXPECT_NE(broken->why.find("clang: "), std::string::npos);

  setenv("SLUICE_CXX", "/nonexistent", 1);
  const auto nothing = jit(copy_decoder(), ObjectCache({}));
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().text.find("SLUICE_CXX=/nonexistent can't be run"), std::string::npos);
}

TEST_F(Jit, ABrokenCompilerIsTheEnvironmentsFault) {
  setenv("SLUICE_JIT", "cxx", 1);
  setenv("SLUICE_CXX", "false", 1);
  const auto broken = jit(copy_decoder(), ObjectCache({}));
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().text.find("failed with status 1"), std::string::npos) << broken.error().text;
}

}  // namespace
}  // namespace sluice::runtime
