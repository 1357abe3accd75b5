// DECIMAL columns: digits as varints, and for each value the number of digits after the point. All values of a column
// are brought to the scale of its type.
#include <limits>

#include "examples/orc_column/column.h"
#include "examples/orc_column/refused.h"

namespace orc_column {
namespace {

using proto::Stream;

constexpr std::uint32_t kLongestShort = 18;  // digits that always fit 64 bits
constexpr std::uint32_t kLongest = 38;       // digits that always fit 128 bits

Int128 rescaled(Int128 digits, std::int64_t from, std::int64_t to) {
  if (from < 0 || from > kLongest) throw Refused("a scale is not in 0..38");
  for (; from < to; ++from)
    if (__builtin_mul_overflow(digits, Int128{10}, &digits)) throw Refused("a decimal does not fit 128 bits");
  for (; from > to; --from) digits /= 10;
  return digits;
}

void append(Column& column, Int128 digits) {
  column.numbers.push_back(static_cast<std::int64_t>(digits));
  column.more.push_back(static_cast<std::int64_t>(digits >> 64));
}

}  // namespace

void read_decimals(const Stripe& stripe, Column& column) {
  const proto::Type& type = stripe.file().footer().types(static_cast<int>(column.id));
  column.scale = type.precision() == 0 ? kHive11Scale : type.scale();
  if (type.precision() > kLongest || column.scale > kLongest) throw Refused("its precision or scale is above 38");
  const bool is_short = type.precision() != 0 && type.precision() <= kLongestShort;
  Decoders& decoders = stripe.file().decoders();
  const Bytes data = stripe.stream(column.id, Stream::DATA);

  if (is_short && stripe.file().decimals_as_integers()) {
    const auto values = decoders.decode<std::int64_t>("orc_rle_v2", "i64", data, column.values);
    expect_count(values.size(), column.values, "DATA");
    for (const std::int64_t digits : values) append(column, digits);
    return;
  }
  const auto scales = read_signed(stripe, column.id, Stream::SECONDARY, column.values);
  if (is_short) {
    const auto values = decoders.decode<std::int64_t>("orc_decimal", "", data, column.values);
    expect_count(values.size(), column.values, "DATA");
    for (std::size_t i = 0; i < values.size(); ++i) append(column, rescaled(values[i], scales[i], column.scale));
    return;
  }
  const std::uint64_t halves = 2 * std::min(column.values, std::numeric_limits<std::uint64_t>::max() / 2);
  const auto values = decoders.decode<std::uint64_t>("orc_decimal128", "", data, halves);
  expect_count(values.size() / 2, column.values, "DATA");
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const Int128 digits = static_cast<Int128>(static_cast<std::int64_t>(values[2 * i + 1])) << 64 | values[2 * i];
    append(column, rescaled(digits, scales[i], column.scale));
  }
}

}  // namespace orc_column
