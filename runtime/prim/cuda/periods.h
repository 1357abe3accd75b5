#pragma once
// Output from records of one period: each changes some of the last few bytes and then repeats them, as columns of values do that
// are alike for long (strategy `speculate`). What records are: steps.h; tried where wide steps are, which write the rest (wide_steps.h).
//   note [periods]: a batch is of period d, one of 1, 2, 4 and 8, if each of its records has at least 8 bytes, at most d literals and
//   a copy of distance d. From where a record begins to where the next one does, a byte is told by its position modulo 8: so a
//   record has eight bytes. Some are its literals, as often as d goes into 8, and the others are those of the record before. Two
//   such changes make one, so a scan finds the bytes of all lanes' records; no mark is set, and no part is looked up. In a unit of 8
//   bytes at most one record begins, whose lane writes it; units between two of those are alike, and are written record by record.
//   Where lanes guess tokens (LZ4, Snappy) nobody looks for such a batch: fast compressors take a value's first bytes from
//   anywhere, and to look costs 1 to 3 % (H200, mortgage column).

namespace prim {

#ifdef SLUICE_PERIODS
constexpr bool kPeriods = true;
static_assert(kWide && !kValues && !kWriter, "literals are bytes, and the warp that finds records writes them");
#else
constexpr bool kPeriods = false;
#endif
constexpr u32 kLongestPeriod = kWideUnit;

// Eight bytes of which some are known.
struct Bytes8 {
  u64 value, known;  // of bytes that are not known: zeros

  SLUICE_METHOD void move_to(u32 position) {
    const u32 by = 8 * (position % 8);
    value = value << by | value >> 1 >> (63 - by);
    known = known << by | known >> 1 >> (63 - by);
  }
  SLUICE_METHOD void repeat(u32 period) {
    SLUICE_ROLLED
    for (; period < 8; period *= 2) {
      value |= value << 8 * period;
      known |= known << 8 * period;
    }
  }
  // This lane's behind those of all lanes before.
  SLUICE_METHOD void scan() {
    SLUICE_ROLLED
    for (u32 n = 1; n < kLanes; n *= 2) {
      const u64 earlier = __shfl_up_sync(kAll, value, n), there = __shfl_up_sync(kAll, known, n);
      if (lane() >= n) {
        value |= earlier & ~known;
        known |= there;
      }
    }
  }
};

// A batch of one period, and this lane's record of it: where it begins and ends, and its literals.
struct PeriodicRecords {
  u8* out;  // Places'
  u32 period, lowest, taken;
  u32 first, end, literals;
  const u8* from;
};

// The last bytes in front of `position`, of which there are none in front of `lowest`.
SLUICE_INLINE u64 bytes_before(const u8* out, u32 position, u32 period, u32 lowest) {
  const u32 slot = lane() % 8, start = position - period, at = start + ((slot - start) & (period - 1));
  const u32 byte = (i32)(at - lowest) >= 0 ? (u32)global(out)[at] << 8 * (slot % 4) : 0;
  return (u64)__reduce_or_sync(kAll, slot < 4 ? 0 : byte) << 32 | __reduce_or_sync(kAll, slot < 4 ? byte : 0);
}

// Writes the batch. All output in front of it is written.
SLUICE_COLD void write_periods(PeriodicRecords r) {
  const u32 me = lane(), taken = uniform(r.taken), period = uniform(r.period), start = uniform(shfl(r.first, 0));
  u8* const out = uniform(r.out);
  const u64 before = bytes_before(out, start, period, r.lowest);
  Bytes8 bytes = {0, mask(8 * r.literals)};
  SLUICE_UNROLLED
  for (u32 i = 0; i < kLongestPeriod; ++i) bytes.value |= (u64)load_from(global(r.from) + i, r.literals, i + 1, 0) << 8 * i;
  bytes.repeat(period);
  bytes.move_to(r.first);
  bytes.scan();
  const u64 mine = bytes.value | (before & ~bytes.known), earlier = __shfl_up_sync(kAll, mine, 1);
  // Units in which records begin. Of the first one's, and of that in which the last one ends, not all bytes are this batch's.
  u64* const units = (u64*)global(out);
  const u64 mixed = mine ^ ((mine ^ earlier) & mask(8 * (r.first % kWideUnit)));
  if (me != 0 && me < taken) units[r.first / kWideUnit] = mixed;
  const u64 front = shfl64(mixed, 0), back = shfl64(mine, taken - 1);
  const u32 end = shfl(r.end, taken - 1);
  if (me < kWideUnit) {
    if (me >= start % kWideUnit) global(out)[start / kWideUnit * kWideUnit + me] = (u8)(front >> 8 * me);
    if (me < end % kWideUnit) global(out)[end / kWideUnit * kWideUnit + me] = (u8)(back >> 8 * me);
  }
  u32 unit = start / kWideUnit + 1;
  SLUICE_ROLLED
  for (u32 which = 0; which < taken; ++which) {
    const u64 all = shfl64(mine, which);
    const u32 upto = uniform(shfl(r.end, which) / kWideUnit);
    SLUICE_ROLLED
    for (u32 u = unit; u < upto; u += kLanes)
      if (u + me < upto) units[u + me] = all;
    unit = upto + 1;
  }
  sync();
}

}  // namespace prim
