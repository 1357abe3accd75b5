// TIMESTAMP columns: seconds from the start of 2015 in the writer's time zone, and nanoseconds whose low three bits
// count the zeros that were cut off their decimal form. The result is the wall clock that the writer meant, which is
// what a reader in UTC prints; a TIMESTAMP_INSTANT is a point in time and is shown in UTC.
#include "examples/orc_column/column.h"
#include "examples/orc_column/refused.h"
#include "examples/orc_column/timezone.h"

namespace orc_column {
namespace {

using proto::Stream;

constexpr std::int64_t kStartOf2015 = 1420070400;  // seconds since 1970, UTC
constexpr std::uint64_t kSecond = 1'000'000'000;   // nanoseconds
constexpr std::int64_t kMillisecond = 1'000'000;

std::uint64_t nanoseconds(std::uint64_t stored) {
  std::uint64_t value = stored >> 3;
  const std::uint64_t zeros = stored & 7;
  if (value >= kSecond) throw Refused("nanoseconds of a second or more");
  // 1 to 7 stand for 2 to 8 zeros.
  if (zeros != 0)
    for (std::uint64_t i = 0; i <= zeros; ++i) value *= 10;
  if (value >= kSecond) throw Refused("nanoseconds of a second or more");
  return value;
}

}  // namespace

void read_timestamps(const Stripe& stripe, Column& column) {
  const bool instant = column.kind == proto::Type::TIMESTAMP_INSTANT;
  const Timezone zone = instant ? Timezone() : Timezone::named(stripe.timezone());
  const std::int64_t epoch = kStartOf2015 - zone.offset_at_wall_clock(kStartOf2015);

  column.numbers = read_signed(stripe, column.id, Stream::DATA, column.values);
  column.more.reserve(column.values);
  for (const std::uint64_t stored : read_unsigned(stripe, column.id, Stream::SECONDARY, column.values))
    column.more.push_back(static_cast<std::int64_t>(nanoseconds(stored)));

  for (std::size_t i = 0; i < column.numbers.size(); ++i) {
    std::int64_t& seconds = column.numbers[i];
    if (__builtin_add_overflow(seconds, epoch, &seconds)) throw Refused("a timestamp is past the end of time");
    // Writers round seconds before 1970 towards zero, but only when there are whole milliseconds.
    const std::int64_t rounded = seconds < 0 && column.more[i] >= kMillisecond ? 1 : 0;
    if (__builtin_add_overflow(seconds, zone.offset_at(seconds) - rounded, &seconds))
      throw Refused("a timestamp is past the end of time");
  }
}

}  // namespace orc_column
