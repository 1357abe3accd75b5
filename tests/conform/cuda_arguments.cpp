// Kernels with other run-time arguments than the format's own, under every schedule, against the interpreter: Parquet's runs and
// bit-packed numbers, whose width and number are arguments, and its bytes that stand apart, of values of a given size.
#include <gtest/gtest.h>

#include <random>

#include "tests/conform/cuda_cases.h"
#include "tests/support/parquet.h"

namespace sluice::test {
namespace {

TEST(CudaArguments, WidthsAndNumbersOfValues) {
  constexpr std::uint64_t kValues = 300;
  std::mt19937_64 random(1);
  for (const unsigned width : {0u, 3u, 13u, 32u}) {
    std::vector<std::uint64_t> values;
    while (values.size() < kValues) values.insert(values.end(), random() % 2 == 0 ? 1 : 20, random());
    values.resize(kValues);
    const Bytes in = encode_hybrid(values, width);
    const Codec codec = with_arguments("parquet_rle", "", {{"width", width}, {"values", kValues - 5}});
    ASSERT_EQ(codec.problem, "");
    CudaCases cases(codec, {});
    cases.add("all of it", in, kValues);
    EXPECT_EQ(cases.cases().back().right.produced, kValues - 5);
    cases.add("exact capacity", in, kValues - 5, 3);
    cases.add("one element short", in, kValues - 6, 5);
    for (const std::size_t size : {in.size() - 1, in.size() / 2, in.size() / 3, std::size_t{0}})
      cases.add("cut", std::span(in).first(size), kValues, 8 * size + 1);
    cases.check(kernels_of("parquet_rle", ""), width);
  }
}

TEST(CudaArguments, SizesOfValues) {
  std::mt19937_64 random(2);
  for (const unsigned size : {1u, 2u, 7u, 8u, 16u}) {
    Bytes elements(std::size_t{size} * 90);
    for (std::uint8_t& byte : elements) byte = static_cast<std::uint8_t>(random());
    const Bytes in = split_bytes(elements, size);
    const Codec codec = with_arguments("parquet_byte_stream_split", "", {{"size", size}});
    ASSERT_EQ(codec.problem, "");
    CudaCases cases(codec, {});
    cases.add("all of it", in, elements.size());
    EXPECT_TRUE(cases.cases().back().right_bytes == elements);
    cases.add("one byte short", in, elements.size() - 1, 3);
    cases.add("one value less", std::span(in).first(in.size() - size), elements.size(), 9);
    cases.add("cut", std::span(in).first(in.size() - 1), elements.size(), 5);
    cases.check(kernels_of("parquet_byte_stream_split", ""), size);
  }
}

}  // namespace
}  // namespace sluice::test
