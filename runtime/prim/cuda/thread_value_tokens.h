#pragma once
// What the text of a token that is values means to a lane that walks it, or makes a record of it (speculate_values.h);
// beside thread_tokens.h.

namespace prim {

// How many values there are, at `Most`: what is too many for a record is refused.
template <u64 Most> SLUICE_INLINE u32 few_values(u64 n) { return Most < kMaxValues || n < kMaxValues ? (u32)n : kMaxValues; }

// value, value + step, ...; what is too much for the engine is refused by it. The step lies in [-Far, Far].
template <u64 Most = ~0ull, u64 Far = ~0ull> SLUICE_INLINE void run_of_values(NoOutput&, u64, u64, u64) {}
template <u64 Most = ~0ull, u64 Far = ~0ull> SLUICE_INLINE void run_of_values(ValueRecord& out, u64 value, u64 n, u64 step) {
  const bool small = Far < (u64)kListStep || step + (u64)kListStep < 2 * (u64)kListStep;
  out.count = small || n == 0 ? few_values<Most>(n) : kMaxValues;
  out.value = value;
  out.step = (i32)step;
}
template <u32 Elem> SLUICE_INLINE void store(ValueRecord& out, u64 value) {
  out.count = 1;
  out.value = value;
}

// To who asks for the size alone numbers are counted: note [numbers apart] of speculate_values.h.
template <typename List, u64 Most = ~0ull> SLUICE_INLINE Cursor list_of(TokenSize& out, const ValueTile&, Cursor in, u64 n) {
  static_assert(List::kVarints, "others are no numbers");
  out.numbers += few_values<Most>(n);
  out.at = in;
  return in;
}

// n values of a list: the cursor behind them, which is behind the tile where they are. To a record that is nothing.
template <typename List, u64 Most = ~0ull> SLUICE_INLINE Cursor list_of(NoOutput&, const ValueTile& tile, Cursor in, u64 n) {
  const u32 all = few_values<Most>(n);
  if constexpr (List::kVarints) {
    const u32 behind = numbers_behind<List>(tile, in, all);
    if (behind <= kValueRoom) return behind;
  } else if (List::fit(tile, in, all) == all) {
    return List::behind(tile, in, all);
  }
  return tile.end > kValueRoom ? kValueRoom : kCannotTell;
}
template <typename List, u64 Most = ~0ull> SLUICE_INLINE Cursor list_of(ValueRecord& out, const ValueTile&, Cursor in, u64 n) {
  out.count = few_values<Most>(n);
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

// Likewise, where each is added to the value before it, the first one to `start`, or taken from it. A run may stand before it.
template <typename List> SLUICE_INLINE bool sum_list(NoOutput& none, const ValueTile& tile, u32& bit, u64 n, u32 width, u64, bool) {
  return packed_list<List>(none, tile, bit, n, width);
}
template <typename List> SLUICE_INLINE bool sum_list(ValueRecord& out, const ValueTile&, u32& bit, u64 n, u32 width, u64 start, bool minus) {
  out.lead = out.count;
  out.count = n < kMaxValues && out.lead < kMaxValues ? out.lead + (u32)n : kMaxValues;
  out.from = List::place(bit, width) | List::kSum | (minus ? List::kMinus : 0);
  out.start = start;
  return true;
}

// A list that goes through an array: what of that is asked, and what is put into it. Elements are looked at in the order of their
// numbers, or the token is none.
template <typename List, typename Out> struct ListedArray {
  const ValueTile* tile;
  Out* out;
  u32 place, count;
  bool wrong, changed;
  bool nothing;    // all elements are 0
  u32 last;        // the one that was changed last, and what it is
  u64 value;

  SLUICE_METHOD bool holds(u64 i) const { return i < count && !(changed && i < last); }
  SLUICE_METHOD u64 operator[](u64 i) {
    if (nothing) return 0;
    if (changed && i == last) return value;
    wrong = wrong || !holds(i);
    return wrong ? 0 : List::bits_of(*tile, place, (u32)i);
  }
};
SLUICE_INLINE void amend(NoOutput&, bool, u32, u64) {}
SLUICE_INLINE void amend(ValueRecord& out, bool again, u32, u64) { out.amends += again ? 0 : 1; }
SLUICE_INLINE void amend(ValueAmends& out, bool again, u32 i, u64 value) {
  out.count += again ? 0 : 1;
  out.to[out.count - 1] = {(Word)value, out.first + i};
}
template <typename List, typename Out> SLUICE_INLINE void set(ListedArray<List, Out>& array, u64 i, u64 value) {
  array.wrong = array.wrong || !array.holds(i);
  if (array.wrong) return;
  amend(*array.out, array.changed && i == array.last, (u32)i, value);
  array.changed = true;
  array.last = (u32)i;
  array.value = value;
}
// A loop fills it; who only walks passes that.
template <typename List, typename Out>
SLUICE_INLINE bool fill_array(Out& out, const ValueTile& tile, u32& bit, u32 limit, u64 n, u32 width, ListedArray<List, Out>& array) {
  array = {&tile, &out, List::place(bit, width) | List::kOffset, n < kMaxValues ? (u32)n : kMaxValues, false, false, false, 0, 0};
  NoOutput none;
  return other_steps(none, bit, limit, n, width);
}
// A loop puts it out, with something added to each.
template <typename List> SLUICE_INLINE bool put_array(NoOutput&, ListedArray<List, NoOutput>&, u64, u64) { return true; }
template <typename List> SLUICE_INLINE bool put_array(ValueRecord& out, ListedArray<List, ValueRecord>& array, u64 n, u64 plus) {
  out.count = array.count;
  out.from = array.place;
  out.start = plus;
  return n == array.count;
}
template <typename List> SLUICE_INLINE bool put_array(ValueAmends& out, ListedArray<List, ValueAmends>&, u64, u64 plus) {
  SLUICE_ROLLED
  for (u32 i = 0; i < out.count; ++i) out.to[i].value += (Word)plus;
  return true;
}
// Brief ones are of other lists.
template <typename List>
SLUICE_INLINE bool fill_array(BriefRecord&, const ValueTile&, u32&, u32, u64, u32, ListedArray<List, BriefRecord>&) { return false; }
template <typename List> SLUICE_INLINE bool put_array(BriefRecord&, ListedArray<List, BriefRecord>&, u64, u64) { return false; }
template <typename Out> struct OnlyWalks {
  static constexpr bool kYes = false;
};
template <> struct OnlyWalks<NoOutput> {
  static constexpr bool kYes = true;
};
template <> struct OnlyWalks<TokenSize> {
  static constexpr bool kYes = true;
};

// To who asks for amends alone the rest is nothing.
template <u64 Most = ~0ull, u64 Far = ~0ull> SLUICE_INLINE void run_of_values(ValueAmends&, u64, u64, u64) {}
template <u32 Elem> SLUICE_INLINE void store(ValueAmends&, u64) {}
template <typename List> SLUICE_INLINE bool packed_list(ValueAmends&, const ValueTile&, u32&, u64, u32) { return true; }
template <typename List> SLUICE_INLINE bool sum_list(ValueAmends&, const ValueTile&, u32&, u64, u32, u64, bool) { return true; }
SLUICE_INLINE bool other_steps(ValueAmends&, u32&, u32, u64, u32) { return false; }

// A token's first bytes, of which a field loads its own: walks want no more than two or three of many.
struct FirstBytes {
  const u8* at;
};
template <bool Msb> SLUICE_INLINE FirstBytes whole_word_at(const ValueTile& tile, u32 bit) { return {(const u8*)tile.room->units + (bit >> 3)}; }
// `skip` and `n` are constants, as those of field(): at most 56 bits.
template <bool Msb> SLUICE_INLINE u64 field(const FirstBytes& bytes, u32 skip, u32 n) {
  const u32 first = skip / 8, last = (skip + n - 1) / 8;
  u64 v = 0;
  SLUICE_UNROLLED
  for (u32 i = first; i <= last; ++i) v = Msb ? v << 8 | bytes.at[i] : v | (u64)bytes.at[i] << 8 * (i - first);
  return v >> (Msb ? 8 * last + 8 - skip - n : skip - 8 * first) & mask(n);
}
// Fields by the place of their first bit.
template <bool Msb> SLUICE_INLINE u64 word_at(const ValueTile& tile, u32 bit) { return tile_bits<Msb>(tile, bit, 64); }
template <bool Msb> SLUICE_INLINE u64 whole_bits_at(const ValueTile& tile, u32 bit, u32 n) { return tile_bits<Msb>(tile, bit, n); }
template <bool Msb> SLUICE_INLINE u64 wide_bits_at(const ValueTile& tile, u32 bit, u32 n) { return tile_bits<Msb>(tile, bit, n); }
template <bool Msb> SLUICE_INLINE u64 bits_at(const ValueTile& tile, u32 bit, u32 n) { return tile_bits<Msb>(tile, bit, n); }

// A number of one byte, where many are: its value and how long it is, or false. Of one that begins in the region, as those of a token do that
// has been walked.
template <u32 Bits> SLUICE_INLINE bool byte_number(const ValueTile& tile, Cursor in, u64& value, u64& length) {
  if (Bits < 7 || kElement > 2) return false;
  const u32 byte = tile.byte(in);
  value = byte;
  length = 1;
  return byte < 0x80;
}
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
  if (!kEnds && in < tile.end && byte_number<Bits>(tile, in, value, length)) return kVarintOk;
  return end_number<Bits>(tile, in, value, length);
}
template <u32 Bits> SLUICE_INLINE u32 number_at(TokenSize& out, const ValueTile&, Cursor in, u64& value, u64& length) {
  ++out.numbers;
  out.at = in;
  value = length = 0;
  return kVarintOk;
}
template <u32 Bits> SLUICE_INLINE u32 number_at(ValueAmends&, const ValueTile& tile, Cursor in, u64& value, u64& length) {
  return end_number<Bits>(tile, in, value, length);
}
// Of one that has more bytes it is said that it has, and the rest is anything.
template <u32 Bits> SLUICE_INLINE u32 number_at(BriefRecord& out, const ValueTile& tile, Cursor in, u64& value, u64& length) {
  value = tile.byte(in);
  length = 1;
  out.longer = out.longer || value >= 0x80;
  return kVarintOk;
}
template <u32 Bits> SLUICE_INLINE u32 number_at(ValueRecord&, const ValueTile& tile, Cursor in, u64& value, u64& length) {
  if (SLUICE_LIKELY(byte_number<Bits>(tile, in, value, length))) return kVarintOk;
  const u32 wrong = end_number<Bits>(tile, in, value, length);
  return wrong == kVarintOk && !sound_groups<Bits>(tile, in, in + (u32)length) ? kVarintTooLong : wrong;
}

}  // namespace prim
