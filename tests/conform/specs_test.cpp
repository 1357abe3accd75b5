// The kernels of the specs in tests/support/specs under several schedules, on the SIMT layer, against the interpreter:
// what a chunk reads without having put it there is the same whatever the chunks before it left in shared and in
// temporary memory.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/conform/cuda_cases.h"
#include "tests/support/unset_inputs.h"

namespace sluice::test {
namespace {

constexpr std::size_t kInputs = SLUICE_SIMT_INPUTS;
constexpr std::uint64_t kRoom = 2048;  // elements

std::vector<std::string> specs() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SPECS)) paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

class SpecKernels : public testing::TestWithParam<std::string> {};

TEST_P(SpecKernels, ReadNothingOfChunksBefore) {
  const Codec& codec = load_codec(GetParam(), "");
  ASSERT_EQ(codec.problem, "");
  const auto kernels = kernels_of(GetParam(), "");
  ASSERT_GE(kernels.size(), 4u);
  CudaCases cases(codec, {});
  const auto inputs = unset_inputs(kInputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) cases.add("input " + std::to_string(i), inputs[i], kRoom, i);
  for (const std::uint64_t order : {SLUICE_SIMT_ORDERS}) cases.check(kernels, order);
}

INSTANTIATE_TEST_SUITE_P(Specs, SpecKernels, testing::ValuesIn(specs()), [](const auto& test) {
  return std::filesystem::path(test.param).stem().string();
});

// Parts of recorded size, with codes that may not have been built, are decoded by a lane each.
TEST(SpecKernelSet, PartsAreSideBySide) {
  bool split = false;
  for (const simt::Kernel* kernel : simt::kernels())
    split |= kernel->refused == nullptr && std::string(kernel->schedule) == "split";
  EXPECT_TRUE(split);
}

}  // namespace
}  // namespace sluice::test
