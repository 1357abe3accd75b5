// Kernels with other run-time arguments than the format's own, under every schedule, against the interpreter: Parquet's runs and
// bit-packed numbers, whose width and number are arguments, its bytes that stand apart, of values of a given size, and its plain
// values, of which both are given.
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

// `count` values fill the page; one less, all and one more are asked for.
void check_plain(const std::string& name, const std::vector<std::pair<std::string, std::uint64_t>>& size, const Bytes& page,
                 std::uint64_t count) {
  for (const std::uint64_t values : {std::uint64_t{0}, count - 1, count, count + 1}) {
    auto arguments = size;
    arguments.emplace_back("values", values);
    const Codec codec = with_arguments(name, "", arguments);
    ASSERT_EQ(codec.problem, "");
    CudaCases cases(codec, {});
    cases.add("all of it", page, 8 * page.size());
    const std::uint64_t produced = cases.cases().back().right.produced;
    cases.add("exact capacity", page, produced, 3);
    if (produced > 0) cases.add("one element short", page, produced - 1, 5);
    for (const std::size_t bytes : {page.size() - 1, page.size() / 2, page.size() / 3, std::size_t{0}})
      cases.add("cut", std::span(page).first(bytes), 8 * page.size(), bytes + 1);
    cases.check(kernels_of(name, ""), static_cast<unsigned>(values));
  }
}

TEST(CudaArguments, PlainValues) {
  constexpr std::uint64_t kValues = 90;
  std::mt19937_64 random(3);
  const auto page_of = [&](std::size_t bytes) {
    Bytes page(bytes);
    for (std::uint8_t& byte : page) byte = static_cast<std::uint8_t>(random());
    return page;
  };
  for (const unsigned size : {1u, 7u, 12u}) check_plain("parquet_plain", {{"size", size}}, page_of(size * kValues), kValues);
  check_plain("parquet_plain_booleans", {}, page_of(50), 400);
  Bytes strings;
  for (unsigned i = 0; i < kValues; ++i) {
    const Bytes string = page_of(random() % 3 == 0 ? 0 : random() % 50);
    strings.insert(strings.end(), {static_cast<std::uint8_t>(string.size()), 0, 0, 0});
    strings.insert(strings.end(), string.begin(), string.end());
  }
  for (const char* name : {"parquet_plain_strings", "parquet_plain_lengths", "parquet_strings"}) check_plain(name, {}, strings, kValues);
}

}  // namespace
}  // namespace sluice::test
