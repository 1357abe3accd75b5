#include "compiler/interp/checksum.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace sluice::interp {
namespace {

std::uint64_t sum(ir::Algo algo, std::string_view text) {
  return checksum(algo, std::vector<std::uint8_t>(text.begin(), text.end()));
}

// The check values of the CRC catalogue, and of the algorithms' own documents.
TEST(Checksum, KnownValues) {
  constexpr std::string_view digits = "123456789";
  EXPECT_EQ(sum(ir::Algo::Crc32, digits), 0xcbf43926u);
  EXPECT_EQ(sum(ir::Algo::Crc32c, digits), 0xe3069283u);
  EXPECT_EQ(sum(ir::Algo::Crc32Bzip2, digits), 0xfc891918u);
  EXPECT_EQ(sum(ir::Algo::Adler32, "Wikipedia"), 0x11e60398u);
  EXPECT_EQ(sum(ir::Algo::XxHash32, digits), 0x937bad67u);
  EXPECT_EQ(sum(ir::Algo::XxHash32, "Nobody inspects the spammish repetition"), 0xe2293b2fu);
  EXPECT_EQ(sum(ir::Algo::XxHash64, digits), 0x8cb841db40e6ae83u);
  EXPECT_EQ(sum(ir::Algo::XxHash64, "Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
}

TEST(Checksum, Nothing) {
  EXPECT_EQ(sum(ir::Algo::Crc32, ""), 0u);
  EXPECT_EQ(sum(ir::Algo::Crc32c, ""), 0u);
  EXPECT_EQ(sum(ir::Algo::Crc32Bzip2, ""), 0u);
  EXPECT_EQ(sum(ir::Algo::Adler32, ""), 1u);
  EXPECT_EQ(sum(ir::Algo::XxHash32, ""), 0x02cc5d05u);
  EXPECT_EQ(sum(ir::Algo::XxHash64, ""), 0xef46db3751d8e999u);
}

}  // namespace
}  // namespace sluice::interp
