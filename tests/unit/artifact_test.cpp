// Artifacts: what is written is read back, and nothing else is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/artifact/c_header.h"
#include "compiler/artifact/hash.h"
#include "compiler/artifact/make.h"
#include "compiler/artifact/read.h"
#include "compiler/artifact/write.h"
#include "compiler/driver/compile.h"
#include "compiler/ir/error_text.h"

namespace sluice::artifact {
namespace {

Artifact small() {
  Artifact a;
  a.producer = "sluice 0.1.0";
  a.format.name = "pairs";
  a.format.parameters = {{"T", "u16"}};
  a.format.element_bits = 16;
  a.format.outputs = {{"offsets", 32, true}, {"levels", 8, false}};
  a.format.has_dictionary = true;
  a.format.arguments = {{"add", 7, 8, false}};
  a.format.sites = {{0, 1, "main", "end_of_input", "pairs.sluice:7:5: the input ends inside `count`"},
                    {0, 2, "main", "empty_run", "pairs.sluice:8:5: reject empty_run"}};
  a.format.facts = "{}";
  a.cpu = {{"x86-64-v3", "", 1, {1, 2, 3}}, {"native", "x86_64 some machine", 1, {4}}};
  Cuda cuda;
  cuda.abi = 1;
  plan::LaunchPlan plan;
  plan.threads_per_block = 128;
  plan.chunks_per_block = 4;
  plan.temp_bytes_per_slot = 512;
  plan.input_alignment = 128;
  plan.dynamic_shared_bytes = 98304;
  plan.carve_out = 75;
  cuda.images = {{"sm_90", "strategy warp, input shared", plan, {}, {}}, {"compute_80", "", plan, {}, {}}};
  cuda.images[0].image = {0x7f, 'E', 'L', 'F'};
  cuda.images[0].kernels = {{"sluice_decode_kernel", 40, 1024, 0, 0, 0}};
  cuda.images[1].image = {'.', 'v', 0};
  a.cuda = cuda;
  return a;
}

// The file of a payload that no writer of ours makes, with the hash it should have.
Bytes file_of(const nlohmann::json& root) {
  const Bytes payload = nlohmann::json::to_cbor(root);
  Bytes file = write({});
  file.resize(kHashAt);
  for (unsigned i = 0; i < 8; ++i) file[12 + i] = static_cast<std::uint8_t>(payload.size() >> (8 * i));
  const auto hash = content_hash(file, payload);
  file.insert(file.end(), hash.begin(), hash.end());
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

nlohmann::json root_of(const Artifact& artifact) {
  const Bytes file = write(artifact);
  return nlohmann::json::from_cbor(file.begin() + kPayloadAt, file.end());
}

std::string refusal(const nlohmann::json& root) {
  std::string error;
  EXPECT_FALSE(read(file_of(root), error));
  return error;
}

TEST(ArtifactTest, IsReadBackAsItWasWritten) {
  const Artifact a = small();
  std::string error;
  const auto back = read(write(a), error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(*back, a);
  EXPECT_EQ(write(*back), write(a));
  Artifact bare = a;
  bare.cuda.reset();
  bare.cpu.clear();
  const auto bare_back = read(write(bare), error);
  ASSERT_TRUE(bare_back) << error;
  EXPECT_EQ(*bare_back, bare);
  EXPECT_NE(hash_text(write(bare)), hash_text(write(a)));
  EXPECT_EQ(hash_text(write(a)).size(), 2 * kHashBytes);
}

TEST(ArtifactTest, IsRefusedWhenCutAtAnyByte) {
  const Bytes file = write(small());
  for (std::size_t size = 0; size < file.size(); ++size) {
    std::string error;
    EXPECT_FALSE(read(std::span(file).first(size), error)) << size;
    EXPECT_NE(error.find(size == 0 ? "not a Sluice artifact" : "cut short"), std::string::npos) << size << ": " << error;
  }
  Bytes longer = file;
  longer.push_back(0);
  std::string error;
  EXPECT_FALSE(read(longer, error));
  EXPECT_EQ(error, "1 bytes stand after the artifact's end");
}

TEST(ArtifactTest, IsRefusedWithAnyBitFlipped) {
  Bytes file = write(small());
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    file[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    std::string error;
    EXPECT_FALSE(read(file, error)) << "bit " << bit;
    EXPECT_FALSE(error.empty());
    file[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
}

TEST(ArtifactTest, SaysWhichVersionItIsOf) {
  Bytes file = write(small());
  file[8] = 9;
  std::string error;
  EXPECT_FALSE(read(file, error));
  EXPECT_EQ(error, "the artifact is of version 9, and this program reads version 5");
}

// A hash is no proof: a file that somebody made has to be well-formed, too.
TEST(ArtifactTest, EveryValueHasItsTypeAndBounds) {
  const nlohmann::json good = root_of(small());
  std::string error;
  EXPECT_TRUE(read(file_of(good), error)) << error;
  EXPECT_NE(refusal(nlohmann::json::array()).find("artifact is not a map"), std::string::npos);

  const auto changed = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json root = good;
    root[nlohmann::json::json_pointer(pointer)] = value;
    return refusal(root);
  };
  EXPECT_NE(changed("/format/name", "").find("format.name is empty"), std::string::npos);
  EXPECT_NE(changed("/format/name", 3).find("format.name is not a text"), std::string::npos);
  EXPECT_NE(changed("/format/element_bits", 12).find("format.element_bits"), std::string::npos);
  EXPECT_NE(changed("/format/outputs/1/element_bits", 24).find("format.outputs[1].element_bits"), std::string::npos);
  EXPECT_NE(changed("/format/outputs/0/name", "").find("format.outputs[0].name is empty"), std::string::npos);
  EXPECT_NE(changed("/format/element_bits", -8).find("format.element_bits is not a number"), std::string::npos);
  EXPECT_NE(changed("/format/countable", 1).find("format.countable is not a boolean"), std::string::npos);
  EXPECT_NE(changed("/format/arguments/0/bits", 65).find("format.arguments[0].bits is out of range"),
            std::string::npos);
  EXPECT_NE(changed("/format/sites/1/clause", 0).find("format.sites[1].clause"), std::string::npos);
  EXPECT_NE(changed("/format/parameters/0", "T").find("format.parameters"), std::string::npos);
  EXPECT_NE(changed("/cpu", 1).find("artifact.cpu is not a list"), std::string::npos);
  EXPECT_NE(changed("/cpu/0/image", "text").find("artifact.cpu[0].image is not a byte string"), std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/threads_per_block", 33).find("cuda.images[0].threads_per_block"),
            std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/chunks_per_block", 0).find("cuda.images[0].chunks_per_block"), std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/input_alignment", 256).find("input_alignment is out of range"), std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/input_alignment", 12).find("input_alignment is not a power of two"),
            std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/dynamic_shared_bytes", 2 << 20).find("dynamic_shared_bytes is out of range"),
            std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/carve_out", 101).find("carve_out is out of range"), std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/carve_out", -2).find("carve_out is out of range"), std::string::npos);
  EXPECT_NE(changed("/cuda/images/0/output_alignment", 32).find("output_alignment is out of range"),
            std::string::npos);
  EXPECT_NE(changed("/cuda/images/1/temp_bytes_per_slot", 100).find("cuda.images[1].temp_bytes_per_slot"),
            std::string::npos);
  EXPECT_NE(changed("/cuda/images/1/image", nlohmann::json::binary({'x'})).find("images[1].image has no end"),
            std::string::npos);

  for (const auto& [key, value] : good.items()) {
    if (key == "cuda") continue;  // not every artifact has one
    nlohmann::json root = good;
    root.erase(key);
    EXPECT_NE(refusal(root).find(key + " is missing"), std::string::npos);
  }
  for (const auto& [key, value] : good["format"].items()) {
    nlohmann::json root = good;
    root["format"].erase(key);
    EXPECT_NE(refusal(root).find("format." + key + " is missing"), std::string::npos);
  }
}

TEST(ArtifactTest, TheImageForAGpu) {
  Cuda cuda;
  for (const char* arch : {"compute_80", "sm_80", "sm_86", "sm_90a", "compute_90"})
    cuda.images.push_back({arch, "", {}, {}, {}});
  const auto chosen = [&](unsigned major, unsigned minor) {
    const CudaImage* image = image_for(cuda, major, minor);
    return image ? image->arch : "none";
  };
  EXPECT_EQ(chosen(7, 5), "none");
  EXPECT_EQ(chosen(8, 0), "sm_80");
  EXPECT_EQ(chosen(8, 6), "sm_86");
  EXPECT_EQ(chosen(8, 9), "sm_86");
  EXPECT_EQ(chosen(9, 0), "sm_90a");
  EXPECT_EQ(chosen(10, 0), "compute_90");
  cuda.images.clear();
  EXPECT_EQ(chosen(9, 0), "none");
}

TEST(ArtifactTest, AFormatsSitesSpeakAsTheCompilerDoes) {
  driver::Request request;
  request.name = "pairs.sluice";
  request.text =
      "format pairs\n  input bytes\n  output bytes\n  argument add: u8 = 3\n  repeat until end of input\n    count: "
      "u8\n"
      "    require count > 0 else reject empty_run\n    value: u8\n    run value, count count\n";
  const driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
  const Format format = make_format(*compiled.module, compiled.sources, {});
  EXPECT_EQ(format.name, "pairs");
  EXPECT_EQ(format.arguments, (std::vector<Argument>{{"add", 3, 8, false}}));
  const auto site = std::ranges::find(format.sites, "empty_run", &Site::name);
  ASSERT_NE(site, format.sites.end());
  EXPECT_EQ(site->text, "pairs.sluice:7:5: reject empty_run");
  const std::uint64_t word = std::uint64_t{site->rule} << 54 | std::uint64_t{site->clause} << 40 | 24;
  EXPECT_EQ(describe(format, word, 5), "pairs.sluice:7:5: reject empty_run at bit 24 of chunk 5");
  EXPECT_EQ(describe(format, 0, 5), "ok");
  EXPECT_NE(describe(format, ~std::uint64_t{0} >> 1, 5).find("unknown error word"), std::string::npos);
}

TEST(ArtifactTest, AFormatThatReadsItsDictionaryTellsPositionsThere) {
  driver::Request request;
  request.name = "named.sluice";
  request.text =
      "format named\n  input bytes\n  output bytes\n  dictionary\n  trailing accept rest\n  rule name\n    n: u8\n"
      "    require n > 0 else reject no_name\n  name()\n  within dictionary\n    name()\n    skip remaining bytes\n";
  const driver::Compiled compiled = driver::compile_spec(request);
  ASSERT_TRUE(compiled.ok()) << driver::failure_message(compiled, false);
  const Format format = make_format(*compiled.module, compiled.sources, {});
  EXPECT_TRUE(format.reads_dictionary);
  const auto site = std::ranges::find(format.sites, "no_name", &Site::name);
  ASSERT_NE(site, format.sites.end());
  const std::uint64_t word = std::uint64_t{site->rule} << 54 | std::uint64_t{site->clause} << 40 | 8;
  EXPECT_EQ(describe(format, word, 5), "named.sluice:8:5: reject no_name at bit 8 of chunk 5");
  EXPECT_EQ(describe(format, word | ir::kInDictionary, 5), "named.sluice:8:5: reject no_name at bit 8 of the dictionary, chunk 5");
  const std::string header = c_header({"sluice 0.1.0", format, {}, {}}, "named", "00ff", false);
  EXPECT_NE(header.find("NAMED_ERROR_BIT(word) ((word) & 0x7fffffffffull)"), std::string::npos);
  EXPECT_NE(header.find("NAMED_ERROR_IN_DICTIONARY(word)"), std::string::npos);
}

// Kernels that ask for alignment have words for those who don't give it; all have one for lacking room.
TEST(ArtifactTest, PromisesAreSites) {
  Artifact a = small();
  const std::size_t sites = a.format.sites.size();
  add_call_errors(a);
  ASSERT_EQ(a.format.sites.size(), sites + 3);
  EXPECT_EQ(describe(a.format, ir::kMisalignedInput, 7),
            "pairs: misaligned_input: the input does not start at a multiple of what the schedule's `input_alignment` "
            "promises, chunk 7");
  EXPECT_EQ(a.cuda->images[0].plan.input_alignment, 128u);
  EXPECT_EQ(a.cuda->images[0].plan.output_alignment, 1u);
  std::string error;
  EXPECT_EQ(read(write(a), error), a) << error;
  const std::string header = c_header(a, "my_pairs", "00ff", false);
  EXPECT_NE(header.find("#define MY_PAIRS_SM_90_INPUT_ALIGNMENT 128u"), std::string::npos);
  EXPECT_NE(header.find("MY_PAIRS_ERROR_CALL_2_MISALIGNED_OUTPUT = 0xffc002"), std::string::npos);

  Artifact without = small();
  for (CudaImage& image : without.cuda->images) image.plan.input_alignment = 1;
  add_call_errors(without);
  ASSERT_EQ(without.format.sites.size(), sites + 1);
  EXPECT_EQ(without.format.sites.back().name, "no_room");
}

TEST(ArtifactTest, TheHeaderTakesNoHarmFromTexts) {
  Artifact a = small();
  a.format.sites.push_back({1, 1, "odd name*/", "we\"ird\\", "a */ comment\nthat \"ends\""});
  a.format.sites.push_back({2, 1, "odd name*/", "we\"ird\\", "the same name"});
  const std::string header = c_header(a, "my_pairs", "00ff", false);
  EXPECT_NE(header.find("#define MY_PAIRS_SM_90_TEMP_BYTES_PER_SLOT 512ull"), std::string::npos);
  EXPECT_NE(header.find("#define MY_PAIRS_SET_T \"u16\""), std::string::npos);
  EXPECT_NE(header.find("MY_PAIRS_ERROR_MAIN_2_EMPTY_RUN = 0x000002"), std::string::npos);
  EXPECT_NE(header.find("MY_PAIRS_ERROR_ODD_NAME___1_WE_IRD_ = 0x004001, /* a +/ comment that 'ends' */"),
            std::string::npos);
  EXPECT_NE(header.find("MY_PAIRS_ERROR_ODD_NAME___1_WE_IRD__008001 = 0x008001"), std::string::npos);
  EXPECT_EQ(header.find("struct sluice_job"), std::string::npos);
  EXPECT_NE(c_header(a, "my_pairs", "00ff", true).find("my_pairs_decode(struct sluice_job*)"), std::string::npos);
}

}  // namespace
}  // namespace sluice::artifact
