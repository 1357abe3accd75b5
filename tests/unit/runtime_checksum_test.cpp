// Checksums of machine code, which takes many bytes a step and on some machines an instruction of its own, against those
// of the interpreter, which takes one bit: every length around the steps, every start within a word.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"

namespace sluice {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Skips as many bytes as the first says, and puts the checksum of the output behind the rest.
std::string spec(const std::string& checksum) {
  return "format sums\n"
         "  input bytes\n"
         "  output bytes\n"
         "  trailing reject trailing_bytes\n"
         "\n"
         "  skipped: u8\n"
         "  literals u8[min(skipped, remaining)]\n"
         "  mark start\n"
         "  literals u8[remaining]\n"
         "  sum = " +
         checksum +
         "(output since start)\n"
         "  emit sum & 0xff\n"
         "  emit sum >> 8 & 0xff\n"
         "  emit sum >> 16 & 0xff\n"
         "  emit sum >> 24 & 0xff\n"
         "  emit sum >> 31 >> 25\n";  // nothing of a sum of 32 bits
}

// Both find the same behind those bytes.
void expect_same(const Decoder& interp, const Decoder& cpu, const Bytes& in) {
  Bytes right(in.size() + 4), ours(right.size());
  ASSERT_EQ(interp.decode({in, right}).error, 0u);
  ASSERT_EQ(cpu.decode({in, ours}).error, 0u);
  ASSERT_EQ(ours, right) << in.size() - 1u - in[0] << " bytes after " << int{in[0]};
}

class Checksums : public testing::TestWithParam<const char*> {};

TEST_P(Checksums, MachineCodeAgreesWithTheInterpreter) {
  Options options;
  options.cache = false;
  options.target = Target::Interp;
  const auto interp = Decoder::from_text(spec(GetParam()), "sums.sluice", options);
  ASSERT_TRUE(interp) << interp.error().text;
  options.target = Target::Cpu;
  const auto cpu = Decoder::from_text(spec(GetParam()), "sums.sluice", options);
  if (!cpu && cpu.error().kind == Error::Kind::Environment) GTEST_SKIP() << cpu.error().text;
  ASSERT_TRUE(cpu) << cpu.error().text;

  std::uint32_t state = 1;
  for (std::uint8_t skipped = 0; skipped < 16; ++skipped) {
    for (std::size_t size = 0; size < 600; size += skipped == 0 ? 1 : 7) {
      Bytes in(1 + skipped + size);
      for (std::uint8_t& byte : in) byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
      in[0] = skipped;
      expect_same(*interp, *cpu, in);
      if (HasFatalFailure()) return;
    }
  }
  // The largest sums, around the lengths after which some are reduced.
  for (const std::size_t size : {5503, 5504, 5505, 5535, 5536, 5552, 5553, 5567, 5568, 11007, 11008, 11104, 40000}) {
    Bytes in(1 + size, 255);
    in[0] = 0;
    expect_same(*interp, *cpu, in);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Checksums, testing::Values("adler32", "crc32", "crc32c", "crc32_bzip2", "xxh32", "xxh64"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace sluice
