#pragma once
// What the text of a token that is values means to a lane that walks it, or makes a record of it (speculate_values.h);
// beside thread_tokens.h.

namespace prim {

// value, value + step, ...; what is too much for the engine is refused by it.
SLUICE_INLINE void run_of_values(NoOutput&, u64, u64, u64) {}
SLUICE_INLINE void run_of_values(ValueRecord& out, u64 value, u64 n, u64 step) {
  const bool small = step + (u64)kListStep < 2 * (u64)kListStep;
  out.count = n == 0 ? 0 : n < kMaxValues && small ? (u32)n : kMaxValues;
  out.value = value;
  out.step = (i32)step;
}
template <u32 Elem> SLUICE_INLINE void store(ValueRecord& out, u64 value) {
  out.count = 1;
  out.value = value;
}

// n values of a list: the cursor behind them, which is behind the tile where they are. To a record that is nothing.
template <typename List> SLUICE_INLINE Cursor list_of(NoOutput&, const ValueTile& tile, Cursor in, u64 n) {
  const u32 all = n < kMaxValues ? (u32)n : kMaxValues, here = List::fit(tile, in, all);
  if (here == all) return List::behind(tile, in, all);
  return tile.end > kValueRoom ? kValueRoom : kCannotTell;
}
template <typename List> SLUICE_INLINE Cursor list_of(ValueRecord& out, const ValueTile&, Cursor in, u64 n) {
  out.count = n < kMaxValues ? (u32)n : kMaxValues;
  out.from = in;
  return in;
}

// Of fields of so many bits each, from `bit` on, which is behind them then. False: the tile does not tell.
template <typename List> SLUICE_INLINE bool packed_list(NoOutput&, const ValueTile& tile, u32& bit, u64 n, u32 width) {
  const u32 all = n < kMaxValues ? (u32)n : kMaxValues, seen = 8 * tile.seen();
  const bool whole = bit <= seen && all * width <= seen - bit;
  bit = whole ? bit + all * width : 8 * kValueRoom;
  return whole || tile.end > kValueRoom;
}
template <typename List> SLUICE_INLINE bool packed_list(ValueRecord& out, const ValueTile&, u32& bit, u64 n, u32 width) {
  out.count = n < kMaxValues ? (u32)n : kMaxValues;
  out.from = List::place(bit, width);
  return true;
}

// Steps that are no list of a record, `n` of so many bits each: who walks is behind them then, if the tile tells, with the bytes that
// a token may take in front of `limit` yet; of a record they make none.
SLUICE_INLINE bool other_steps(NoOutput&, u32& bit, u32 limit, u64 n, u32 width) {
  const u32 all = n < kMaxValues ? (u32)n : kMaxValues, most = limit - bit;
  const bool told = bit <= limit && (u64)all * width <= most;
  bit = told ? bit + all * width : bit;
  return told;
}
SLUICE_INLINE bool other_steps(ValueRecord&, u32&, u32, u64, u32) { return false; }

// Fields in front of that, by the place of their first bit.
template <bool Msb> SLUICE_INLINE u64 whole_word_at(const ValueTile& tile, u32 bit) { return tile_bits<Msb>(tile, bit, 64); }
template <bool Msb> SLUICE_INLINE u64 word_at(const ValueTile& tile, u32 bit) { return tile_bits<Msb>(tile, bit, 64); }
template <bool Msb> SLUICE_INLINE u64 whole_bits_at(const ValueTile& tile, u32 bit, u32 n) { return tile_bits<Msb>(tile, bit, n); }
template <bool Msb> SLUICE_INLINE u64 wide_bits_at(const ValueTile& tile, u32 bit, u32 n) { return tile_bits<Msb>(tile, bit, n); }
template <bool Msb> SLUICE_INLINE u64 bits_at(const ValueTile& tile, u32 bit, u32 n) { return tile_bits<Msb>(tile, bit, n); }

// A number in groups of seven bits: kVarintOk, or it is wrong; to who walks, too long. A walk most often has no use for its
// value, and does not look at its last group.
template <u32 Bits> SLUICE_INLINE u32 end_number(const ValueTile& tile, Cursor in, u64& value, u64& length) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  if constexpr (kEnds) {
    const u32 to = end_of_number(tile, in);
    if (to == 0 || to - in > kGroups) return kVarintTooLong;
    value = groups_at<Bits>(tile, in, to);
    length = to - in;
  } else {
    const u32 size = lone_number<kGroups>(tile, in, value);
    if (size == 0) return kVarintTooLong;
    length = size;
  }
  return kVarintOk;
}
template <u32 Bits> SLUICE_INLINE u32 number_at(NoOutput&, const ValueTile& tile, Cursor in, u64& value, u64& length) {
  return end_number<Bits>(tile, in, value, length);
}
template <u32 Bits> SLUICE_INLINE u32 number_at(ValueRecord&, const ValueTile& tile, Cursor in, u64& value, u64& length) {
  const u32 wrong = end_number<Bits>(tile, in, value, length);
  return wrong == kVarintOk && !sound_groups<Bits>(tile, in, in + (u32)length) ? kVarintTooLong : wrong;
}

}  // namespace prim
