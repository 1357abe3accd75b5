#pragma once
// Sums of fields, kept in an array one behind the other: what unpack_out.h does with those that are put out.
//
//   from element 2 on, sums from 100 on, term 3:    fields 2 0 1   ->   array[2] = 105, array[3] = 108, array[4] = 112

namespace prim {

// n fields of `width` <= 32 bits from `bit` on, n > 0, each added with `term` to `sum`: the low bits of the sums, those of `low`, are
// elements `at` and behind it; what all of the sums have of ones is added to `any`. Where one would be behind `last`, or behind the
// array, nothing is done: false.
template <bool Msb, u64 Size>
SLUICE_INLINE bool keep_sums(u32 (&array)[Size], u64 at, u64 last, const Source& src, u64 bit, u64 width, u64 n, u64& sum, u64 term, u64& any,
                             u32 low) {
  const u64 most = last < Size ? last : Size - 1;
  if (at > most || n - 1 > most - at) return false;
  u32* const kept = array + at;
  sum = unpack_sums<Msb, 4>((u8*)kept, src, bit, width, n, sum, term);
  u32 all = 0;
  for (u64 k = 0; k < n; ++k) {
    all |= kept[k];
    kept[k] &= low;
  }
  any |= all;
  return true;
}

}  // namespace prim
