#include <gtest/gtest.h>

#include <limits>
#include <limits.h>
#include <stdlib.h>

#include <cstring>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "runtime/api/sluice.h"
#include "runtime/api/sluice.hpp"

namespace sluice {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Pairs of a count and a byte, with everything a caller can set.
constexpr const char* kPairs =
    "format pairs\n"
    "  input bytes\n"
    "  output bytes\n"
    "  dictionary\n"
    "  argument add: u8 = 0\n"
    "\n"
    "  repeat until end of input\n"
    "    n: u8\n"
    "    require n != 0 else reject empty_run\n"
    "    value: u8\n"
    "    run value ^ add ^ (dictionary size & 1), count n\n";

// The same with elements of any width.
constexpr const char* kWide =
    "format wide(T: integer = u8)\n"
    "  input bytes\n"
    "  output T[]\n"
    "  argument add: u8 = 0\n"
    "\n"
    "  repeat until end of input\n"
    "    n: u8\n"
    "    require n != 0 else reject empty_run\n"
    "    value: u8\n"
    "    run value ^ add, count n\n";

Options on(Target target, std::vector<Setting> set = {}) {
  Options options;
  options.target = target;
  options.set = std::move(set);
  options.cache = false;
  return options;
}

// Machine code may be impossible on this machine; the interpreter never is.
class Api : public testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    auto made = Decoder::from_text(kPairs, "pairs.sluice", on(GetParam()));
    if (!made && GetParam() == Target::Cpu && made.error().kind == Error::Kind::Environment)
      GTEST_SKIP() << made.error().text;
    ASSERT_TRUE(made) << made.error().text;
    decoder_.emplace(std::move(*made));
  }
  std::optional<Decoder> decoder_;
};

INSTANTIATE_TEST_SUITE_P(Targets, Api, testing::Values(Target::Interp, Target::Cpu),
                         [](const auto& target) { return target.param == Target::Cpu ? "cpu" : "interp"; });

TEST_P(Api, DecodesABatchWhateverTheThreads) {
  const std::vector<Bytes> inputs{{3, 'a', 1, 'b'}, {2, 'x', 0, 'y'}, {}, {5, 'c'}};
  for (const unsigned threads : {1u, 2u, 0u}) {
    std::vector<Bytes> outputs(inputs.size(), Bytes(4, '.'));
    std::vector<Chunk> chunks;
    for (std::size_t i = 0; i < inputs.size(); ++i) chunks.push_back({inputs[i], outputs[i]});
    std::vector<Status> statuses(inputs.size());
    Batch batch;
    batch.threads = threads;
    ASSERT_EQ(decoder_->decode_batch(chunks, statuses, batch), "");
    EXPECT_EQ(statuses[0], (Status{0, 4, 4}));
    EXPECT_EQ(outputs[0], (Bytes{'a', 'a', 'a', 'b'}));
    EXPECT_EQ(statuses[1].produced, 2u);
    EXPECT_EQ(decoder_->describe(statuses[1].error, 1), "pairs.sluice:9:5: reject empty_run at bit 24 of chunk 1");
    EXPECT_EQ(outputs[1], (Bytes{'x', 'x', '.', '.'}));
    EXPECT_EQ(statuses[2], (Status{0, 0, 0}));
    EXPECT_NE(statuses[3].error, 0u);  // 5 do not fit 4, and none is written
    EXPECT_EQ(outputs[3], Bytes(4, '.'));
  }
}

TEST_P(Api, FindsSizesWithoutWriting) {
  EXPECT_EQ(decoder_->decoded_size(Bytes{200, 'a', 100, 'b'}), (Status{0, 300, 4}));
  const Status bad = decoder_->decoded_size(Bytes{200, 'a', 0, 'b'});
  EXPECT_NE(bad.error, 0u);
  EXPECT_EQ(bad.produced, 200u);
}

TEST_P(Api, ArgumentsAreBoundByNameAndChecked) {
  const auto bound = decoder_->bind(std::vector<NamedValue>{{"add", 1}});
  ASSERT_TRUE(bound);
  const Bytes in{1, 'b'};
  Bytes out(1);
  Batch batch;
  batch.arguments = *bound;
  EXPECT_EQ(decoder_->decode({in, out}, batch).error, 0u);
  EXPECT_EQ(out[0], 'c');

  EXPECT_EQ(decoder_->bind(std::vector<NamedValue>{{"sub", 1}}).error().text, "pairs has no run-time argument `sub`");
  EXPECT_EQ(decoder_->bind(std::vector<NamedValue>{{"add", 256}}).error().text, "256 does not fit `add: u8`, which holds 0 to 255");
  // What did not come from bind is held to the same: compiled code relies on it.
  const std::uint64_t raw[] = {256}, many[] = {1, 2};
  Status status;
  const Chunk chunk{in, out};
  batch.arguments = raw;
  EXPECT_EQ(decoder_->decode_batch({&chunk, 1}, {&status, 1}, batch), "256 does not fit `add: u8`, which holds 0 to 255");
  batch.arguments = many;
  EXPECT_EQ(decoder_->decode_batch({&chunk, 1}, {&status, 1}, batch), "pairs takes 1 run-time arguments, not 2");
  const Status not_run = decoder_->decode(chunk, batch);
  EXPECT_EQ(not_run.error, ~std::uint64_t{0});
  EXPECT_EQ(decoder_->describe(not_run.error, 3), "chunk 3 was not run: wrong arguments, no memory, or no code that finds sizes");
  EXPECT_EQ(decoder_->decode_batch({&chunk, 1}, {}), "fewer statuses than chunks");
}

TEST_P(Api, TheDictionaryReachesTheFormat) {
  const Bytes in{1, 'a'}, dictionary{9, 9, 9};
  Bytes out(1);
  Batch batch;
  batch.dictionary = dictionary;
  EXPECT_EQ(decoder_->decode({in, out}, batch).error, 0u);
  EXPECT_EQ(out[0], 'a' ^ 1);
  EXPECT_TRUE(decoder_->takes_dictionary());
}

TEST_P(Api, ParametersShapeTheOutput) {
  const auto wide = Decoder::from_text(kWide, "wide.sluice", on(GetParam(), {{"T", "u32"}}));
  ASSERT_TRUE(wide) << wide.error().text;
  EXPECT_EQ(wide->output_element_bytes(), 4u);
  const Bytes in{2, 'a'};
  Bytes out(11, '.');  // room for two elements, and three bytes that hold none
  EXPECT_EQ(wide->decode({in, out}).produced, 2u);
  EXPECT_EQ(out, (Bytes{'a', 0, 0, 0, 'a', 0, 0, 0, '.', '.', '.'}));
}

TEST_P(Api, SaysWhatItIs) {
  EXPECT_EQ(decoder_->name(), "pairs");
  EXPECT_EQ(decoder_->target(), GetParam());
  EXPECT_EQ(decoder_->engine() == "interp", GetParam() == Target::Interp);
  EXPECT_FALSE(decoder_->why().empty());
  EXPECT_EQ(decoder_->arguments().size(), 1u);
  EXPECT_NE(decoder_->facts().find("\"format\": \"pairs\""), std::string::npos) << decoder_->facts();
}

TEST(ApiErrors, AreOfTheirKind) {
  const auto spec = Decoder::from_text("format x\n  input bits\n", "x.sluice", on(Target::Interp));
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().kind, Error::Kind::Spec);
  EXPECT_NE(spec.error().text.find("x.sluice:2"), std::string::npos) << spec.error().text;
  EXPECT_NE(spec.error().json.find("\"diagnostics\""), std::string::npos);

  const auto file = Decoder::open("no/such.sluice", on(Target::Interp));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, Error::Kind::Environment);

  const auto name = Decoder::open("gzipp", on(Target::Interp));
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().kind, Error::Kind::Usage);
  EXPECT_EQ(name.error().text, "no codec `gzipp`; did you mean `gzip`?\n");
}

// Without an engine: `auto` goes to the interpreter and says why, `cpu` refuses.
TEST(ApiTargets, AutoFallsBackAloud) {
  setenv("SLUICE_JIT", "none", 1);
  const auto automatic = Decoder::from_text(kPairs, "pairs.sluice", on(Target::Auto));
  const auto cpu = Decoder::from_text(kPairs, "pairs.sluice", on(Target::Cpu));
  unsetenv("SLUICE_JIT");
  ASSERT_TRUE(automatic) << automatic.error().text;
  EXPECT_EQ(automatic->target(), Target::Interp);
  EXPECT_EQ(automatic->why(), "no engine for machine code: SLUICE_JIT=none");
  ASSERT_FALSE(cpu);
  EXPECT_EQ(cpu.error().kind, Error::Kind::Environment);
}

TEST(CApi, DecodesAndDescribes) {
  sluice_options options{};
  options.target = SLUICE_TARGET_INTERP;
  const sluice_setting setting{"T", "u16"};
  options.settings = &setting;
  options.setting_count = 1;
  sluice_decoder* decoder = nullptr;
  sluice_error* error = nullptr;
  ASSERT_EQ(sluice_decoder_create_from_text(kWide, std::strlen(kWide), "wide.sluice", &options, &decoder, &error),
            SLUICE_OK);
  EXPECT_STREQ(sluice_decoder_name(decoder), "wide");
  EXPECT_STREQ(sluice_decoder_engine(decoder), "interp");
  EXPECT_EQ(sluice_output_element_bytes(decoder), 2u);
  EXPECT_EQ(sluice_argument_count(decoder), 1u);
  EXPECT_STREQ(sluice_argument_name(decoder, 0), "add");
  EXPECT_EQ(sluice_argument_name(decoder, 1), nullptr);

  const unsigned char good[] = {2, 'a'}, bad[] = {1, 'a', 0};
  const void* in[] = {good, bad};
  const std::size_t in_sizes[] = {2, 3};
  std::size_t produced[2] = {9, 9};
  std::uint64_t errors[2] = {};
  EXPECT_EQ(sluice_decoded_sizes(decoder, in, in_sizes, produced, errors, 1, nullptr, &error), SLUICE_OK);
  EXPECT_EQ(produced[0], 2u);
  EXPECT_EQ(produced[1], 9u);
  sluice_batch little{};
  little.count_limit = 1;
  EXPECT_EQ(sluice_decoded_sizes(decoder, in, in_sizes, produced, errors, 1, &little, &error), SLUICE_DATA_REJECTED);
  EXPECT_EQ(errors[0], SLUICE_NO_ROOM);
  little.count_limit = 2;
  EXPECT_EQ(sluice_decoded_sizes(decoder, in, in_sizes, produced, errors, 1, &little, &error), SLUICE_OK);

  unsigned char room[2][8] = {};
  void* out[] = {room[0], room[1]};
  const std::size_t capacities[] = {2, 4};  // elements
  sluice_batch batch{};
  EXPECT_EQ(sluice_decode_batch(decoder, in, in_sizes, out, capacities, produced, errors, 2, &batch, &error),
            SLUICE_DATA_REJECTED);
  EXPECT_EQ(error, nullptr) << "what is wrong with the data is no error of the call";
  EXPECT_EQ(errors[0], 0u);
  EXPECT_EQ(room[0][0], 'a');
  EXPECT_EQ(room[0][2], 'a');
  EXPECT_EQ(produced[1], 1u);
  const std::size_t needed = sluice_describe(decoder, errors[1], 1, nullptr, 0);
  std::string text(needed + 1, 0);
  EXPECT_EQ(sluice_describe(decoder, errors[1], 1, text.data(), text.size()), needed);
  EXPECT_EQ(std::string(text.c_str()), "wide.sluice:8:5: reject empty_run at bit 24 of chunk 1");
  char cut[5];
  EXPECT_EQ(sluice_describe(decoder, errors[1], 1, cut, sizeof cut), needed);
  EXPECT_STREQ(cut, "wide");

  const std::uint64_t wrong[] = {999};
  batch.arguments = wrong;
  batch.argument_count = 1;
  const auto expect_refused = [&](sluice_status status, sluice_status expected, const char* sentence) {
    EXPECT_EQ(status, expected) << sentence;
    EXPECT_STREQ(sluice_error_text(error), sentence);
    sluice_error_destroy(error);
  };
  expect_refused(sluice_decode_batch(decoder, in, in_sizes, out, capacities, produced, errors, 2, &batch, &error),
                 SLUICE_BAD_ARGUMENT, "999 does not fit `add: u8`, which holds 0 to 255");
  EXPECT_EQ(sluice_decode_batch(decoder, in, in_sizes, out, capacities, produced, errors, 2, &batch, nullptr),
            SLUICE_BAD_ARGUMENT);
  expect_refused(sluice_decode_batch(decoder, in, nullptr, out, capacities, produced, errors, 2, nullptr, &error),
                 SLUICE_BAD_ARGUMENT, "a batch needs arrays of inputs, their sizes, produced sizes and error words");
  expect_refused(sluice_decode_batch(decoder, in, in_sizes, out, nullptr, produced, errors, 2, nullptr, &error),
                 SLUICE_BAD_ARGUMENT, "a batch needs arrays of outputs and capacities");
  constexpr std::size_t kMoreThanMemory = std::numeric_limits<std::size_t>::max() / 16;
  expect_refused(sluice_decoded_sizes(decoder, in, in_sizes, produced, errors, kMoreThanMemory, nullptr, &error),
                 SLUICE_NO_MEMORY, "out of memory");
  EXPECT_STREQ(sluice_error_text(nullptr), "");
  EXPECT_NE(sluice_countable(decoder), 0);
  sluice_decoder_destroy(decoder);
}

TEST(CApi, IsCancelled) {
  sluice_options interpreted{};
  interpreted.target = SLUICE_TARGET_INTERP;
  sluice_decoder* decoder = nullptr;
  ASSERT_EQ(sluice_decoder_create("gsst_blocks", &interpreted, &decoder, nullptr), SLUICE_OK);
  sluice_cancel* cancel = sluice_cancel_create();
  ASSERT_NE(cancel, nullptr);
  sluice_batch batch{};
  batch.cancel = cancel;
  const unsigned char byte = 1;
  constexpr std::size_t kChunks = 100'000;
  const std::vector<const void*> in(kChunks, &byte);
  const std::vector<std::size_t> sizes(kChunks, 1);
  std::vector<std::size_t> produced(kChunks);
  std::vector<std::uint64_t> words(kChunks);
  const auto run = [&](std::size_t count, sluice_error** error) {
    return sluice_decoded_sizes(decoder, in.data(), sizes.data(), produced.data(), words.data(), count, &batch, error);
  };
  EXPECT_EQ(run(1, nullptr), SLUICE_DATA_REJECTED);
  sluice_cancel_set(cancel);
  sluice_error* error = nullptr;
  EXPECT_EQ(run(1, &error), SLUICE_CANCELLED);
  EXPECT_STREQ(sluice_error_text(error), "cancelled");
  sluice_error_destroy(error);
  sluice_cancel_reset(cancel);
  EXPECT_EQ(run(1, nullptr), SLUICE_DATA_REJECTED);
  // While a call is under way: over and over, until one has ended early.
  std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) sluice_cancel_set(cancel);
  });
  bool ended = false;
  for (int attempt = 0; attempt < 1000 && !ended; ++attempt) {
    sluice_cancel_reset(cancel);
    ended = run(kChunks, nullptr) == SLUICE_CANCELLED;
  }
  EXPECT_TRUE(ended);
  other = {};
  sluice_cancel_destroy(cancel);
  sluice_cancel_destroy(nullptr);
  sluice_decoder_destroy(decoder);
}

TEST(CApi, SizesThatOnlyDecodingFinds) {
  const std::string spec =
      "format f\n  input bytes\n  output bytes\n  trailing accept rest\n\n  mark start\n  literals u8[1]\n"
      "  if adler32(output since start) == 7: emit 1\n";
  sluice_decoder* decoder = nullptr;
  ASSERT_EQ(sluice_decoder_create_from_text(spec.data(), spec.size(), "f.sluice", nullptr, &decoder, nullptr), SLUICE_OK);
  EXPECT_EQ(sluice_countable(decoder), 0);
  const unsigned char byte = 1;
  const void* in = &byte;
  const std::size_t size = 1;
  std::size_t produced = 0;
  std::uint64_t word = 0;
  sluice_error* error = nullptr;
  EXPECT_EQ(sluice_decoded_sizes(decoder, &in, &size, &produced, &word, 1, nullptr, &error), SLUICE_NOT_COUNTABLE);
  EXPECT_STREQ(sluice_error_text(error), "f's size depends on its output's values: it can only be found by decoding");
  sluice_error_destroy(error);
  sluice_decoder_destroy(decoder);
}

TEST(CApi, SaysItsVersion) {
  EXPECT_EQ(sluice_version_number(), static_cast<unsigned>(SLUICE_VERSION_NUMBER));
  EXPECT_EQ(sluice_version_string(), std::to_string(SLUICE_VERSION_MAJOR) + "." + std::to_string(SLUICE_VERSION_MINOR) +
                                         "." + std::to_string(SLUICE_VERSION_PATCH));
}

TEST(CApi, ErrorsHaveTexts) {
  sluice_decoder* decoder = nullptr;
  sluice_error* error = nullptr;
  EXPECT_EQ(sluice_decoder_create("no/such.sluice", nullptr, &decoder, &error), SLUICE_ENVIRONMENT);
  EXPECT_EQ(decoder, nullptr);
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::strstr(sluice_error_text(error), "no/such.sluice"), nullptr);
  sluice_error_destroy(error);
  EXPECT_EQ(sluice_decoder_create("nonsense", nullptr, &decoder, nullptr), SLUICE_BAD_ARGUMENT);
  EXPECT_EQ(sluice_decoder_create_from_text("format", 6, "f.sluice", nullptr, &decoder, nullptr), SLUICE_BAD_SPEC);
}

}  // namespace
}  // namespace sluice
