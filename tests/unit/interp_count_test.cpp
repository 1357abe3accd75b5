#include "compiler/ir/count_mode.h"
#include "tests/unit/ir_fixture.h"

namespace sluice::test {
namespace {

Outcome count(const std::string& text, const Bytes& in, const Bytes& dictionary = {}) {
  const ir::Module m = module_of(text);
  return outcome_of(m, interp::count(m, in, dictionary));
}
Outcome sized(std::uint64_t produced, std::uint64_t consumed) { return {"", 0, produced, consumed, {}}; }

TEST(InterpCount, CountsWithoutCapacity) {
  const std::string text = program("bytes", "", "  slot u32 \"n\"\n  literals fixed u8 count 2 !0,_,2\n  read %0 fixed u32 le !0\n"
                                                "  run 1 count %0 !2\n  copy distance 2 length %0 !3,2\n  emit 5 !2\n");
  EXPECT_EQ(count(text, {1, 2, 0, 0, 0, 0x80}), sized(3 + (std::uint64_t{1} << 32), 6));
}

// A count goes no further than its limit, however much a chunk promises.
TEST(InterpCount, StopsAtItsLimit) {
  const ir::Module m = module_of(program("bytes", "", "  slot u64 \"n\"\n  read %0 fixed u64 le !0\n  loop times %0\n    emit 0 !2\n"));
  const Bytes in{255, 255, 255, 255, 255, 255, 255, 127};
  const interp::Result r = interp::count(m, in, {}, {}, 1000);
  EXPECT_EQ(r.error, ir::kNoRoom);
  EXPECT_EQ(r.produced, 1000u);
  EXPECT_EQ(r.consumed, 8u);
}

TEST(InterpCount, StillRefusesWhatNeedsNoOutput) {
  const std::string text = program("bytes", "", "  emit 5 !2\n  copy distance 2 length 1 !3,2\n");
  const Outcome o = count(text, {});
  EXPECT_EQ(o.error, "bad_distance");
  EXPECT_EQ(o.produced, 1u);
  EXPECT_EQ(count(program("bytes", "", "  producing 3 !2,10\n    emit 5 !2\n"), {}).error, "output_short");
}

TEST(InterpCount, SkipsChecksOfOutputChecksums) {
  const std::string direct = "  emit 5 !2\n  check (eq (checksum crc32 output 0) 1) !5\n  emit 6 !2\n";
  EXPECT_EQ(count(program("bytes", "mark \"m\"\n", direct), {}), sized(2, 0));
  EXPECT_EQ(run(program("bytes", "mark \"m\"\n", direct), {}).error, "reject");
  // Also when the checksum came by a local, a global, an array, an argument or a result.
  const std::string around = "global u32 \"g\" mutable\narray u32 \"a\" 2\nmark \"m\"\n";
  const std::string text = "module \"t\"\ninput bytes\noutput u8\n" + around +
                           "rule \"main\" 0\n  slot u32 \"x\"\n  slot u32 \"y\"\n  emit 5 !0\n  set %0 (checksum crc32 output 0)\n  set_global $0 %0\n"
                           "  set_elem 0 1 $0\n  call 1 (elem 0 0) -> %1\n  check (eq (add %1 1) 0) !1\n"
                           "rule \"r\" 1 -> u32\n  slot u32 \"p\"\n  return (shr %0 1)\n"
                           "site 0 1 output_full \"output_full\"\nsite 0 2 reject \"reject\"\n";
  EXPECT_EQ(count(text, {}), sized(1, 0));
  EXPECT_EQ(run(text, {}).error, "reject");
}

TEST(InterpCount, InputAndDictionaryChecksumsAreChecked) {
  EXPECT_EQ(count(program("bytes", "mark \"m\"\n", "  skip 1 !0\n  check (eq (checksum crc32 input 0) 1) !5\n"), {1}).error, "reject");
  EXPECT_EQ(count(program("bytes", "dictionary\n", "  check (eq (checksum crc32 dictionary 0) 1) !5\n"), {}).error, "reject");
}

TEST(InterpCount, ValuesOfTheOutputMayNotSteer) {
  for (const char* body : {"  if (eq (checksum crc32 output 0) 1)\n    emit 1 !2\n",
                           "  run 1 count (checksum crc32 output 0) !2\n",
                           "  emit (table_elem 0 (bit_and (checksum crc32 output 0) 1)) !2\n",
                           "  emit (shl 1 (bit_and (checksum crc32 output 0) 7)) !2\n",
                           "  skip (checksum crc32 output 0) !0\n",
                           "  read _ computed u64 width (bit_and (checksum crc32 output 0) 7) !0\n"}) {
    const ir::Module m = module_of(program("bits_lsb", "mark \"m\"\ntable u8 \"t\" [1 2]\n", body));
    EXPECT_FALSE(ir::count_plan(m).countable) << body;
    EXPECT_EQ(interp::count(m, {}).error, interp::kBrokenModule) << body;
  }
  const ir::Module m = module_of(program("bits_lsb", "mark \"m\"\n", "  emit (checksum crc32 output 0) !2\n"));
  EXPECT_TRUE(ir::count_plan(m).countable);
}

}  // namespace
}  // namespace sluice::test
