// Decoders from artifacts: the same answers as from the description, on a machine that can't compile.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <fstream>

#include "compiler/artifact/make.h"
#include "compiler/artifact/write.h"
#include "compiler/driver/compile.h"
#include "compiler/emit/cpu.h"
#include "runtime/api/sluice.h"
#include "runtime/api/sluice.hpp"
#include "runtime/jit/aot.h"
#include "runtime/jit/isa.h"

namespace sluice {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr const char* kPairs =
    "format pairs\n  input bytes\n  output bytes\n  argument add: u8 = 0\n  repeat until end of input\n    count: u8\n"
    "    require count > 0 else reject empty_run\n    value: u8\n    run (value + add) & 255, count count\n";

artifact::Artifact built(std::span<const std::string_view> isas) {
  driver::Request request;
  request.name = "pairs.sluice";
  request.text = kPairs;
  const driver::Compiled compiled = driver::compile_spec(request);
  EXPECT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
  artifact::Artifact a;
  a.producer = "the test";
  a.format = artifact::make_format(*compiled.module, compiled.sources, {});
  for (const std::string_view isa : isas) {
    auto image = runtime::compile_cpu_image(emit::emit_cpu(*compiled.module), isa);
    if (image) a.cpu.push_back(std::move(*image));
  }
  return a;
}

class Artifacts : public testing::Test {
 protected:
  // One compile for all tests; none where nothing can compile.
  static const artifact::Artifact& artifact() {
    static const artifact::Artifact made = built(runtime::kDefaultIsas);
    return made;
  }
  void SetUp() override {
    if (artifact().cpu.empty()) GTEST_SKIP() << "this machine can't compile";
    setenv("SLUICE_JIT", "none", 1);
  }
  void TearDown() override { unsetenv("SLUICE_JIT"); }
};

TEST_F(Artifacts, DecodeAsTheDescriptionDoes) {
  const auto decoder = Decoder::from_artifact(artifact::write(artifact()));
  ASSERT_TRUE(decoder) << decoder.error().text;
  Options slow;
  slow.target = Target::Interp;
  const auto interpreted = Decoder::from_text(kPairs, "pairs.sluice", slow);
  ASSERT_TRUE(interpreted);
  EXPECT_EQ(decoder->name(), "pairs");
  EXPECT_EQ(decoder->engine(), "aot");
  EXPECT_EQ(decoder->target(), Target::Cpu);
  EXPECT_EQ(decoder->output_element_bytes(), 1u);
  const auto arguments = decoder->bind(std::vector<NamedValue>{{"add", 1}});
  ASSERT_TRUE(arguments);
  Batch batch;
  batch.arguments = *arguments;
  for (const Bytes& in : {Bytes{}, Bytes{3, 'a', 1, 'b'}, Bytes{2, 'x', 0, 'y'}, Bytes{1}, Bytes{200, 'z'}}) {
    Bytes out(100, '.'), expected(100, '.');
    const Status status = decoder->decode({in, out}, batch);
    EXPECT_EQ(status, interpreted->decode({in, expected}, batch));
    EXPECT_EQ(out, expected);
    EXPECT_EQ(decoder->describe(status.error, 4), interpreted->describe(status.error, 4));
    EXPECT_EQ(decoder->decoded_size(in, batch), interpreted->decoded_size(in, batch));
  }
  EXPECT_NE(decoder->facts().find("\"format\": \"pairs\""), std::string::npos);
}

TEST_F(Artifacts, WhatCannotBeAskedOfThem) {
  const Bytes bytes = artifact::write(artifact());
  Options options;
  options.target = Target::Interp;
  const auto interpreted = Decoder::from_artifact(bytes, options);
  ASSERT_FALSE(interpreted);
  EXPECT_EQ(interpreted.error().kind, Error::Kind::Usage);
  EXPECT_NE(interpreted.error().text.find("no description to interpret"), std::string::npos);
  options.target = Target::Auto;
  options.set = {{"T", "u8"}};
  EXPECT_FALSE(Decoder::from_artifact(bytes, options));
  const auto cut = Decoder::from_artifact(std::span(bytes).first(bytes.size() - 1));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, Error::Kind::Environment);
  EXPECT_NE(cut.error().text.find("cut short"), std::string::npos);
  EXPECT_NE(Decoder::from_artifact_file("no/such.sluicea").error().text.find("no such file"), std::string::npos);
  EXPECT_NE(Decoder::open("nowhere.sluicea").error().text.find("no such file"), std::string::npos);
}

TEST_F(Artifacts, TheFirstImageThatRunsHereIsTaken) {
  artifact::Artifact a = artifact();
  artifact::CpuImage foreign = a.cpu.back();
  foreign.isa = "native";
  foreign.host = "another machine";
  artifact::CpuImage newer = a.cpu.back();
  newer.abi = 99;
  a.cpu.insert(a.cpu.begin(), {foreign, newer});
  const auto decoder = Decoder::from_artifact(artifact::write(a));
  ASSERT_TRUE(decoder) << decoder.error().text;
  EXPECT_EQ(decoder->why().find("native"), std::string::npos);
  a.cpu.resize(2);
  const auto none = Decoder::from_artifact(artifact::write(a));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("does not run on this machine: native, x86-64 (ABI version 99)"), std::string::npos)
      << none.error().text;
  a.cpu.clear();
  EXPECT_NE(Decoder::from_artifact(artifact::write(a)).error().text.find("holds no code for CPUs"), std::string::npos);
}

// The container's hash keeps accidents out; code that is not an object is refused by the loader behind it.
TEST_F(Artifacts, ImagesThatAreNoObjectsAreRefused) {
  artifact::Artifact a = artifact();
  a.cpu.resize(1);
  const artifact::Bytes image = a.cpu[0].image;
  for (std::size_t size = 1; size < image.size(); size += 97) {
    a.cpu[0].image.assign(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(Decoder::from_artifact(artifact::write(a))) << size;
  }
}

TEST_F(Artifacts, InC) {
  const Bytes bytes = artifact::write(artifact());
  sluice_decoder* decoder = nullptr;
  ASSERT_EQ(sluice_decoder_create_from_artifact(bytes.data(), bytes.size(), nullptr, &decoder, nullptr), SLUICE_OK);
  EXPECT_STREQ(sluice_decoder_engine(decoder), "aot");
  sluice_decoder_destroy(decoder);
  sluice_error* error = nullptr;
  EXPECT_EQ(sluice_decoder_create_from_artifact(bytes.data(), 7, nullptr, &decoder, &error), SLUICE_ENVIRONMENT);
  EXPECT_EQ(decoder, nullptr);
  EXPECT_NE(std::string(sluice_error_text(error)).find("cut short"), std::string::npos);
  sluice_error_destroy(error);
}

TEST(Isas, AreLevelsOfThisArchitecture) {
  EXPECT_TRUE(runtime::is_isa("x86-64-v3"));
  EXPECT_FALSE(runtime::is_isa("x86-64-v9"));
  EXPECT_FALSE(runtime::is_isa(""));
#if defined(__x86_64__)
  EXPECT_TRUE(runtime::runs_here("x86-64", ""));
#endif
  EXPECT_FALSE(runtime::runs_here("sparc", ""));
  EXPECT_FALSE(runtime::runs_here("native", "another machine"));
}

// What is beyond a level: the text sees it, whichever compiler takes it, and what is not asked for it does not see.
TEST(Isas, AddToTheirLevels) {
#if defined(__x86_64__)
  const auto compiles = [](const std::string& condition, std::string_view isa) {
    return static_cast<bool>(runtime::compile_cpu_object("#if !(" + condition + ")\n#error another one\n#endif\nint f() { return 1; }\n", isa));
  };
  for (const std::string_view isa : {"x86-64-v3", "x86-64-v4"}) {
    EXPECT_TRUE(compiles("defined(__PCLMUL__) && defined(__AVX2__) && !defined(__VPCLMULQDQ__) && !defined(__AVX512VBMI__)", isa)) << isa;
    EXPECT_FALSE(compiles("!defined(__PCLMUL__)", isa)) << isa;
  }
  EXPECT_TRUE(compiles("defined(__AVX512BW__)", "x86-64-v4"));
  EXPECT_TRUE(compiles("defined(__AVX512BW__) && defined(__PCLMUL__) && defined(__VPCLMULQDQ__) && defined(__AVX512VBMI__) && defined(__AVX512VBMI2__)",
                       "x86-64-v4-vbmi"));
  EXPECT_TRUE(compiles("!defined(__PCLMUL__)", "x86-64"));
#endif
}

// A machine that runs code for the most runs code for less.
TEST(Isas, EachRunsWhereAHigherOneDoes) {
  for (std::size_t k = 1; k < runtime::kIsas.size(); ++k)
    if (runtime::runs_here(runtime::kIsas[k].word, "")) {
      EXPECT_TRUE(runtime::runs_here(runtime::kIsas[k - 1].word, "")) << runtime::kIsas[k].word;
    }
#if defined(__AVX512VBMI2__) && defined(__VPCLMULQDQ__)
  EXPECT_TRUE(runtime::runs_here("x86-64-v4-vbmi", ""));
#endif
  EXPECT_TRUE(runtime::is_isa("x86-64-v4-vbmi"));
}

}  // namespace
}  // namespace sluice
