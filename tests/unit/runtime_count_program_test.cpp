// The code behind decoded sizes: made when it is first asked for, once, and only where sizes can be found. What is compiled is counted in
// a cache of the test's own.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "compiler/artifact/make.h"
#include "compiler/artifact/write.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/emit/cpu.h"
#include "runtime/api/count_program.h"
#include "runtime/api/sluice.hpp"
#include "runtime/jit/aot.h"
#include "runtime/jit/engine.h"
#include "temporary_directory.h"

namespace sluice {
namespace {

using Bytes = std::vector<std::uint8_t>;
using emit::CpuEntries;

constexpr const char* kPairs =
    "format pairs\n  input bytes\n  output bytes\n  repeat until end of input\n    n: u8\n"
    "    require n != 0 else reject empty_run\n    value: u8\n    run value, count n\n";
// Its size depends on a checksum over its output.
constexpr const char* kNotCountable =
    "format f\n  input bytes\n  output bytes\n  trailing accept rest\n\n  mark start\n  literals u8[1]\n"
    "  if adler32(output since start) == 7: emit 1\n";

driver::Compiled compiled(const std::string& name, const std::optional<std::string>& text = {}) {
  driver::Request request;
  request.name = name;
  request.text = text;
  driver::Compiled made = driver::compile_spec(request);
  EXPECT_TRUE(made.ok()) << driver::failure_message(made, false);
  return made;
}
std::string text_of(const driver::Compiled& c, CpuEntries entries) { return emit::emit_cpu(*c.module, {.entries = entries}); }

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

TEST(CountText, ExportsWhatIsAskedFor) {
  for (const char* codec : {"snappy_raw", "lz4_block", "deflate"}) {  // the first does two chunks at once
    SCOPED_TRACE(codec);
    const bool two = std::string_view(codec) == "snappy_raw";
    const driver::Compiled c = compiled(codec);
    const std::string decode = text_of(c, CpuEntries::Decode), count = text_of(c, CpuEntries::Count), both = text_of(c, CpuEntries::Both);
    EXPECT_EQ(both, emit::emit_cpu(*c.module));
    for (const auto& [text, decodes, counts] : {std::tuple(&decode, true, false), std::tuple(&count, false, true), std::tuple(&both, true, true)}) {
      EXPECT_EQ(has(*text, "sluice_decode(sluice_job* job) {"), decodes);
      EXPECT_EQ(has(*text, "decode_chunk<true>"), decodes);
      EXPECT_EQ(has(*text, "sluice_count(sluice_job* job) {"), counts);
      EXPECT_EQ(has(*text, "decode_chunk<false>"), counts);
      EXPECT_EQ(has(*text, "sluice_decode_two(sluice_two* two) {"), decodes && two);
      for (const char* of_two : {"prim::Pair", "struct Pair", "prim::in_pair", "s.second", "decode_in_pair"}) EXPECT_EQ(has(*text, of_two), decodes && two) << of_two;
      EXPECT_TRUE(has(*text, "sluice_abi_version = ") && has(*text, "sluice_scratch_bytes = "));
    }
  }
}

TEST(CountText, AllHaveTheSameScratch) {
  for (const std::string& codec : driver::builtin_codecs()) {
    const driver::Compiled c = compiled(codec);
    const auto scratch = [&](CpuEntries entries) {
      const std::string text = text_of(c, entries);
      const std::size_t from = text.find("struct Scratch {");
      return text.substr(from, text.find("};", from) - from);
    };
    EXPECT_EQ(scratch(CpuEntries::Decode), scratch(CpuEntries::Count)) << codec;
  }
}

TEST(CountText, CompilesToWhatIsAskedFor) {
  const driver::Compiled c = compiled("snappy_raw");
  for (const CpuEntries entries : {CpuEntries::Decode, CpuEntries::Count, CpuEntries::Both}) {
    const auto made = runtime::jit(text_of(c, entries), runtime::ObjectCache({}));
    if (!made) GTEST_SKIP() << made.error().text;
    EXPECT_EQ(made->program.decode != nullptr, entries != CpuEntries::Count);
    EXPECT_EQ(made->program.decode_two != nullptr, entries != CpuEntries::Count);
    EXPECT_EQ(made->program.count != nullptr, entries != CpuEntries::Decode);
  }
}

// One that is made of the text that a function gives, which counts how often it is asked.
struct Made {
  explicit Made(std::function<std::string(int)> text) {
    program.will_be([this, text = std::move(text)] { return text(++asked); }, runtime::ObjectCache({}));
  }
  std::atomic<int> asked{0};
  CountProgram program;
};

bool compiles() { return static_cast<bool>(runtime::jit(text_of(compiled("pairs.sluice", kPairs), CpuEntries::Count), runtime::ObjectCache({}))); }

TEST(CountProgramTest, OneThreadMakesItAndTheOthersWait) {
  if (!compiles()) GTEST_SKIP() << "this machine can't compile";
  const std::string text = text_of(compiled("pairs.sluice", kPairs), CpuEntries::Count);
  const Made made([&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // so that all have come before it is there
    return text;
  });
  EXPECT_EQ(made.asked, 0);
  constexpr std::size_t kThreads = 8;
  std::array<const runtime::Program*, kThreads> programs{};
  std::barrier start(kThreads);
  {
    std::vector<std::jthread> threads;
    for (const runtime::Program*& program : programs)
      threads.emplace_back([&] {
        start.arrive_and_wait();
        EXPECT_EQ(made.program.get(program), "");
      });
  }
  EXPECT_EQ(made.asked, 1);
  ASSERT_NE(programs[0], nullptr);
  EXPECT_NE(programs[0]->count, nullptr);
  EXPECT_EQ(programs[0]->decode, nullptr);
  for (const runtime::Program* program : programs) EXPECT_EQ(program, programs[0]);
}

TEST(CountProgramTest, AfterAnErrorTheNextCallTriesAgain) {
  if (!compiles()) GTEST_SKIP() << "this machine can't compile";
  const std::string text = text_of(compiled("pairs.sluice", kPairs), CpuEntries::Count);
  const Made made([&](int time) { return time < 3 ? "int x = y;" : text; });
  const runtime::Program* program = nullptr;
  for (int i = 0; i < 2; ++i) {
    const CallError error = made.program.get(program);
    EXPECT_EQ(error.kind, CallError::Kind::Driver);
    EXPECT_TRUE(has(error.text, "the generated code does not compile")) << error.text;
    EXPECT_EQ(program, nullptr);
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(made.program.get(program), "");
    EXPECT_NE(program, nullptr);
  }
  EXPECT_EQ(made.asked, 3);
}

// What has been compiled and kept: how many objects there are, and how many of them decode or count.
struct Objects {
  unsigned all = 0, decode = 0, count = 0;
  friend bool operator==(const Objects&, const Objects&) = default;
  friend void PrintTo(const Objects& of, std::ostream* out) { *out << of.all << " objects, " << of.decode << " decode, " << of.count << " count"; }
};
constexpr Objects kNone{}, kOne{1, 1, 0}, kTwo{2, 1, 1};

// Decoders with a cache of the test's own.
class Sizes : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = getenv("SLUICE_CACHE_DIR")) before_ = before;
    setenv("SLUICE_CACHE_DIR", own_.path().c_str(), 1);
    if (!make(kPairs, Target::Cpu)) GTEST_SKIP() << "this machine can't compile";
    for (const auto& entry : std::filesystem::directory_iterator(own_.path())) std::filesystem::remove(entry);
  }
  void TearDown() override {
    unsetenv("SLUICE_JIT");
    if (before_) setenv("SLUICE_CACHE_DIR", before_->c_str(), 1);
    else unsetenv("SLUICE_CACHE_DIR");
  }
  static Result<Decoder> make(const char* spec, Target target) {
    Options options;
    options.target = target;
    return Decoder::from_text(spec, "spec.sluice", options);
  }
  Objects objects() const {
    Objects found;
    for (const auto& entry : std::filesystem::directory_iterator(own_.path())) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      ++found.all;
      found.decode += has(bytes, "sluice_decode");
      found.count += has(bytes, "sluice_count");
    }
    return found;
  }

 private:
  const test::TemporaryDirectory own_;
  std::optional<std::string> before_;
};

const std::vector<Bytes> kInputs{{3, 'a', 1, 'b'}, {2, 'x', 0, 'y'}, {}, {200, 'c', 7}, {255, 'd'}};

TEST_F(Sizes, AreCompiledWhenFirstAskedFor) {
  const auto interpreted = make(kPairs, Target::Interp);
  ASSERT_TRUE(interpreted);
  for (const bool first : {true, false}) {
    const auto decoder = make(kPairs, Target::Cpu);
    ASSERT_TRUE(decoder) << decoder.error().text;
    EXPECT_EQ(decoder->timings().cached, !first);
    for (const Bytes& in : kInputs) {
      Bytes out(300), expected(300);
      EXPECT_EQ(decoder->decode({in, out}), interpreted->decode({in, expected}));
      EXPECT_EQ(out, expected);
    }
    EXPECT_EQ(objects(), first ? kOne : kTwo);
    if (first) {
      std::atomic<bool> cancel{true};
      Batch batch;
      batch.cancel = &cancel;
      EXPECT_EQ(decoder->decoded_sizes({}, {}, batch).kind, CallError::Kind::Cancelled);
      EXPECT_EQ(objects(), kOne);
    }
    EXPECT_EQ(decoder->decoded_sizes({}, {}), "");
    EXPECT_EQ(objects(), kTwo);
    for (const Bytes& in : kInputs) EXPECT_EQ(decoder->decoded_size(in), interpreted->decoded_size(in));
    EXPECT_EQ(objects(), kTwo);
  }
}

TEST_F(Sizes, OfSeveralThreadsThatAskFirst) {
  const auto interpreted = make(kPairs, Target::Interp);
  const auto decoder = make(kPairs, Target::Cpu);
  ASSERT_TRUE(interpreted && decoder);
  constexpr std::size_t kThreads = 6;
  std::barrier start(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        const Bytes& in = kInputs[i % kInputs.size()];
        start.arrive_and_wait();
        EXPECT_EQ(decoder->decoded_size(in), interpreted->decoded_size(in));
      });
  }
  EXPECT_EQ(objects(), kTwo);
}

TEST_F(Sizes, ErrorsAreTheCalls) {
  const auto decoder = make(kPairs, Target::Cpu);
  ASSERT_TRUE(decoder);
  setenv("SLUICE_JIT", "none", 1);
  const CallError refused = decoder->decoded_sizes({}, {});
  EXPECT_EQ(refused.kind, CallError::Kind::Driver);
  EXPECT_EQ(refused, "no engine for machine code: SLUICE_JIT=none");
  const Status not_run = decoder->decoded_size(kInputs[0]);
  EXPECT_EQ(not_run.error, ~std::uint64_t{0});
  EXPECT_TRUE(has(decoder->describe(not_run.error, 0), "no code that finds sizes"));
  unsetenv("SLUICE_JIT");
  EXPECT_EQ(decoder->decoded_size(kInputs[0]), (Status{0, 4, 4}));
}

TEST_F(Sizes, OfAFormatThatIsNotCountable) {
  const auto decoder = make(kNotCountable, Target::Cpu);
  ASSERT_TRUE(decoder) << decoder.error().text;
  Bytes out(3);
  EXPECT_EQ(decoder->decode({kInputs[0], out}), (Status{0, 1, 1}));
  EXPECT_EQ(decoder->decoded_sizes({}, {}).kind, CallError::Kind::NotCountable);
  EXPECT_EQ(objects(), kOne);
}

// What an artifact brings, by the entry points of its image.
class SizesOfArtifacts : public Sizes {
 protected:
  static Result<Decoder> made(const char* spec, CpuEntries entries) {
    const driver::Compiled c = compiled("spec.sluice", spec);
    artifact::Artifact a;
    a.producer = "the test";
    a.format = artifact::make_format(*c.module, c.sources, {});
    auto image = runtime::compile_cpu_image(text_of(c, entries), runtime::kDefaultIsas[1]);
    EXPECT_TRUE(image) << image.error().text;
    if (image) a.cpu.push_back(std::move(*image));
    setenv("SLUICE_JIT", "none", 1);
    auto decoder = Decoder::from_artifact(artifact::write(a));
    unsetenv("SLUICE_JIT");
    return decoder;
  }
};

TEST_F(SizesOfArtifacts, AreThereWhereAFormatIsCountable) {
  const auto counts = made(kPairs, CpuEntries::Both);
  ASSERT_TRUE(counts) << counts.error().text;
  EXPECT_EQ(counts->decoded_size(kInputs[0]), (Status{0, 4, 4}));
  const auto not_countable = made(kNotCountable, CpuEntries::Decode);
  ASSERT_TRUE(not_countable) << not_countable.error().text;
  Bytes out(3);
  EXPECT_EQ(not_countable->decode({kInputs[0], out}), (Status{0, 1, 1}));
  EXPECT_EQ(not_countable->decoded_sizes({}, {}).kind, CallError::Kind::NotCountable);
  EXPECT_EQ(objects(), kNone);
}

TEST_F(SizesOfArtifacts, AnImageThatLacksAnEntryPointIsRefused) {
  for (const CpuEntries entries : {CpuEntries::Decode, CpuEntries::Count}) {
    const auto decoder = made(kPairs, entries);
    ASSERT_FALSE(decoder);
    EXPECT_EQ(decoder.error().kind, Error::Kind::Environment);
    EXPECT_TRUE(has(decoder.error().text, "lacks an entry point")) << decoder.error().text;
  }
}

}  // namespace
}  // namespace sluice
