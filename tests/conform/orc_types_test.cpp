// ORC integer run-length coding for every element type: 8, 16, 32 and 64 bits, signed and unsigned, against a small
// encoder of our own.
#include <gtest/gtest.h>

#include <random>

#include "tests/conform/subjects.h"

namespace sluice::test {
namespace {

struct ElementType {
  const char* name;
  unsigned bits;
  bool is_signed;
};

void PrintTo(const ElementType& type, std::ostream* stream) { *stream << type.name; }

class OrcTypes : public testing::TestWithParam<ElementType> {};

// A stream and the values it stands for, both growing.
class Encoder {
 public:
  explicit Encoder(const ElementType& type) : type_(type) {}

  // 1..128 values as they are.
  void literals(const std::vector<std::uint64_t>& values) {
    stream_.push_back(static_cast<std::uint8_t>(-static_cast<int>(values.size())));
    for (const std::uint64_t value : values) {
      varint(value);
      store(value);
    }
  }

  // 3..130 values from `base` on; they wrap in the element type.
  void run(std::uint64_t base, std::int8_t step, unsigned count) {
    stream_.push_back(static_cast<std::uint8_t>(count - 3));
    stream_.push_back(static_cast<std::uint8_t>(step));
    varint(base);
    for (unsigned i = 0; i < count; ++i) store(base + static_cast<std::uint64_t>(std::int64_t{step} * i));
  }

  // The element type's range covers `word`, taken as the type's low bits.
  [[nodiscard]] std::uint64_t fit(std::uint64_t word) const {
    const unsigned unused = 64 - type_.bits;
    if (type_.is_signed) return static_cast<std::uint64_t>(static_cast<std::int64_t>(word << unused) >> unused);
    return word << unused >> unused;
  }

  [[nodiscard]] const Bytes& stream() const { return stream_; }
  [[nodiscard]] const Bytes& values() const { return values_; }

 private:
  void varint(std::uint64_t value) {
    if (type_.is_signed) value = (value << 1) ^ (value >> 63 != 0 ? ~std::uint64_t{0} : 0);
    for (; value >= 0x80; value >>= 7) stream_.push_back(static_cast<std::uint8_t>(value | 0x80));
    stream_.push_back(static_cast<std::uint8_t>(value));
  }
  void store(std::uint64_t value) {
    for (unsigned i = 0; i < type_.bits / 8; ++i) values_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }

  ElementType type_;
  Bytes stream_;
  Bytes values_;
};

TEST_P(OrcTypes, RunsAndLiterals) {
  const ElementType& type = GetParam();
  const Subjects& on = subjects("orc_rle_v1", std::string("T=") + type.name);
  ASSERT_TRUE(usable(on));
  ASSERT_EQ(on.codec->element_bytes(), type.bits / 8);

  Encoder encoder(type);
  std::mt19937_64 random(type.bits + (type.is_signed ? 1 : 0));
  constexpr unsigned kGroups = 300;
  for (unsigned group = 0; group < kGroups; ++group) {
    // Values of every magnitude: a random number of high bits is dropped.
    const auto value = [&] { return encoder.fit(encoder.fit(random()) >> (random() % type.bits)); };
    if (group % 2 == 0) {
      encoder.run(value(), static_cast<std::int8_t>(random()), 3 + static_cast<unsigned>(random() % 128));
    } else {
      std::vector<std::uint64_t> values(1 + random() % 128);
      for (std::uint64_t& one : values) one = value();
      encoder.literals(values);
    }
  }
  const std::uint64_t lowest = type.is_signed ? std::uint64_t{1} << (type.bits - 1) : 0;
  encoder.literals({encoder.fit(lowest), encoder.fit(lowest - 1), 0, encoder.fit(~std::uint64_t{0})});

  const std::uint64_t elements = encoder.values().size() / on.codec->element_bytes();
  const Decoded decoded = agree(on, encoder.stream(), elements, {}, "exact capacity");
  EXPECT_EQ(error_text(on.codec->module, decoded.outcome.error), "ok");
  EXPECT_TRUE(decoded.bytes == encoder.values());
  EXPECT_EQ(agree_count(on, encoder.stream(), {}, "size unknown").produced, elements);
  const Decoded small = agree(on, encoder.stream(), elements - 1, {}, "one element short");
  EXPECT_NE(small.outcome.error, 0u);
}

// A value one past the type's range is refused where it starts.
TEST_P(OrcTypes, ValuePastItsRange) {
  const ElementType& type = GetParam();
  if (type.bits == 64) GTEST_SKIP() << "ten groups hold every 64-bit value: the vectors refuse the eleventh";
  const Subjects& on = subjects("orc_rle_v1", std::string("T=") + type.name);
  ASSERT_TRUE(usable(on));
  Encoder wide(ElementType{"u64", 64, false});
  wide.literals({1, std::uint64_t{1} << type.bits});  // zigzag maps the range onto 0 .. 2^bits - 1
  const Decoded decoded = agree(on, wide.stream(), 2, {}, "past the range");
  EXPECT_EQ(error_text(on.codec->module, decoded.outcome.error), "varint_too_long 16");
  EXPECT_EQ(decoded.outcome.produced, 1u);
}

INSTANTIATE_TEST_SUITE_P(Types, OrcTypes,
                         testing::Values(ElementType{"i8", 8, true}, ElementType{"u8", 8, false}, ElementType{"i16", 16, true},
                                         ElementType{"u16", 16, false}, ElementType{"i32", 32, true}, ElementType{"u32", 32, false},
                                         ElementType{"i64", 64, true}, ElementType{"u64", 64, false}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace sluice::test
