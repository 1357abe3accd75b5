#pragma once
// A tile of which is known where numbers in groups of seven bits end, and the lists of values that stand in it (strategy
// `speculate`, records of values).
//   note [ends]: every byte below 0x80 is taken for the last one of a number, whatever it is: inside a list they are. A bit a
//   byte says where they are, a count a word how many stand before it, and a table where the n-th one ends; so lanes walk
//   over a list, and find its n-th value, at once. A second bit says that a number has too many groups, or that its last one
//   has too many bits, if it begins behind the end before it. The first one of a list begins behind what stands in front of
//   the list, so that one is looked at by itself.
//   note [open lists]: a list may go on behind the tile. Then as many of its values are taken as end in the tile, and the
//   others when the next tile is there, which begins with them.

namespace prim {

constexpr u32 kElement = SLUICE_ELEMENT;  // bytes of an element of the output
static_assert(kElement == 1 || kElement == 2 || kElement == 4 || kElement == 8, "1, 2, 4 or 8 bytes");

constexpr u32 kValueRoom = kTileBytes + 96;  // what of a token stands in front of its list, and a value, lie inside
constexpr u32 kMostRoom = 8000;  // of any tile: that of lanes that decode alone is longer (own_tokens.h)
constexpr u32 kValueUnits = kValueRoom / kUnitBytes, kEndWords = kValueRoom / kLanes;
static_assert(kValueRoom % kLanes == 0, "whole words of ends");
static_assert(kSegment == kLanes && kEndWords > kLanes && kEndWords <= 2 * kLanes, "a lane has the word of its segment, and one more at most");

struct alignas(16) EndWord {
  u32 last;    // bits: bytes that end a number
  u32 next;    // the first place behind this word whose byte ends none: note [one byte each]
  u32 wrong;   // bits: bytes that end a wrong one
  u32 before;  // ends before this word, and wrong ones << 16
};
#ifdef SLUICE_NUMBERS
constexpr bool kEnds = true;
#else
constexpr bool kEnds = false;  // no format's loop has lists of numbers
#endif
struct ValueTileRoom {
  Unit units[kValueUnits];
  EndWord words[kEnds ? kEndWords : 1];
  u16 behind[kEnds ? kValueRoom + 1 : 1];  // numbers: the place behind that many of them
};
#ifdef SLUICE_STORAGE  // of a device function: it has the caller's memory
template <typename S> SLUICE_INLINE ValueTileRoom* value_tile_room(const S& s) { return in_register(&s.rooms->tile); }
#else
SLUICE_ROOM ValueTileRoom value_tiles[SLUICE_WARPS];
template <typename S> SLUICE_INLINE ValueTileRoom* value_tile_room(const S&) {
  return in_register(&value_tiles[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
}
#endif

struct ValueTile {
  static constexpr u32 kRoom = kValueRoom;
  ValueTileRoom* room;
  Cursor base;  // of its first byte, a multiple of kUnitBytes
  u32 end;      // of the region, from there on
  u32 ends;     // of numbers, in it
  bool counted, asked;  // note [one byte each]: numbers are; they were needed

  SLUICE_METHOD u32 byte(u32 at) const { return ((const u8*)room->units)[at]; }
  SLUICE_METHOD u32 word(u32 n) const { return ((const u32*)room->units)[n]; }
  // The four bytes there, first one lowest.
  SLUICE_METHOD u32 four(u32 at) const { return __funnelshift_r(word(at / 4), word(at / 4 + 1), 8 * at); }
  // Of the region, and in the tile.
  SLUICE_METHOD u32 seen() const { return end < kRoom ? end : kRoom; }
};
SLUICE_INLINE ValueTile no_value_tile(ValueTileRoom* room) { return {room, 0, 0, 0, false, false}; }

// Bit k: byte k of the word has its highest bit set. And of eight words.
SLUICE_INLINE u32 high_bits(u32 word) { return ((word >> 7 & 0x01010101u) * 0x10204080u) >> 28; }
template <typename Of> SLUICE_INLINE u32 high_bits_of(const Unit (&units)[2], const Of& of) {
  u32 bits = 0;
  SLUICE_UNROLLED
  for (u32 i = 0; i < 8; ++i) {
    const u64 half = i % 4 < 2 ? units[i / 4].low : units[i / 4].high;
    bits |= high_bits(of((u32)(half >> 32 * (i % 2)))) << 4 * i;
  }
  return bits;
}

// Bits of words of ends, of numbers of at most Bits bits. A lane has the word of its segment; the few behind them are those of the first
// lanes, besides, and all lanes look for them. Large: a number that ends there with as many groups as it may have is wrong.
struct EndBits {
  u32 last[2], large[2];
};
constexpr u32 kMoreEndWords = kEndWords - kLanes;
template <u32 Bits> SLUICE_INLINE EndBits end_bits(const ValueTile& tile) {
  constexpr u32 kLastBits = Bits - (Bits - 1) / 7 * 7;
  EndBits bits = {{0, 0}, {0, 0}};
  const Unit units[2] = {tile.room->units[2 * lane()], tile.room->units[2 * lane() + 1]};
  const u32 left = tile.end > lane() * kLanes ? tile.end - lane() * kLanes : 0;
  bits.last[0] = high_bits_of(units, [](u32 w) { return ~w; }) & (left >= kLanes ? ~0u : (1u << left) - 1);
  if (kLastBits < 7) bits.large[0] = high_bits_of(units, [](u32 w) { return (w & 0x7f7f7f7fu) + (0x80 - (1u << kLastBits)) * 0x01010101u; });
  SLUICE_UNROLLED
  for (u32 i = 0; i < kMoreEndWords; ++i) {
    const u32 at = kTileBytes + i * kLanes + lane(), byte = tile.byte(at);
    const u32 ends = ballot(byte < 0x80 && at < tile.end), more = ballot(byte >> kLastBits != 0);
    if (lane() == i) {
      bits.last[1] = ends;
      bits.large[1] = more;
    }
  }
  return bits;
}
// The first place of a word's, or 0, whose bit is set.
SLUICE_INLINE u32 first_of(u32 bits, u32 word) { return bits != 0 ? word * kLanes + (u32)__ffs((i32)bits) - 1 : 0; }

// Where numbers end; with Next, where none does.
template <bool Next> SLUICE_INLINE void mark_ends(ValueTile& tile, const EndBits& bits) {
  EndWord* const words = tile.room->words;
  const bool more = lane() < kMoreEndWords;
  words[lane()].last = bits.last[0];
  if (more) words[kLanes + lane()].last = bits.last[1];
  if (Next) {
    const u32 others[2] = {~bits.last[0], more ? ~bits.last[1] : 0};
    const u32 above = ~(lanes_below() | 1u << lane());
    const u32 first[2] = {ballot(others[0] != 0), ballot(others[1] != 0)}, own[2] = {first_of(others[0], lane()), first_of(others[1], kLanes + lane())};
    // Of the words behind the lanes' own; those of the first lanes have words of their own behind them.
    const u32 there = shfl(own[1], first[1] == 0 ? 0 : (u32)__ffs((i32)first[1]) - 1), last = first[1] == 0 ? kValueRoom : there;
    const u32 next = first[0] & above, behind = shfl(own[0], next == 0 ? 0 : (u32)__ffs((i32)next) - 1);
    const u32 next_more = first[1] & above, behind_more = shfl(own[1], next_more == 0 ? 0 : (u32)__ffs((i32)next_more) - 1);
    words[lane()].next = next == 0 ? last : behind;
    if (more) words[kLanes + lane()].next = next_more == 0 ? kValueRoom : behind_more;
  }
  sync();
}

// Which numbers are wrong, how many end before each word, and where the n-th one ends: of ends that are marked.
template <u32 Bits> SLUICE_INLINE void count_ends(ValueTile& tile, const EndBits& bits) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  EndWord* const words = tile.room->words;
  u32 before = 0;
  SLUICE_UNROLLED
  for (u32 i = 0; i < 2; ++i) {
    const u32 n = lane() + i * kLanes, last = bits.last[i];
    const bool have = i == 0 || lane() < kMoreEndWords;
    const u32 more = ~last, more_before = n == 0 || !have ? 0 : ~words[n - 1].last;
    u32 groups = ~0u;  // so many in front of the byte, and more
    SLUICE_UNROLLED
    for (u32 k = 1; k < kGroups; ++k) groups &= __funnelshift_l(more_before, more, k);
    const u32 wrong = last & groups & (bits.large[i] | __funnelshift_l(more_before, more, kGroups));
    const u32 mine = __popc(last) | __popc(wrong) << 16, through = before + scan_add(mine);
    if (have) {
      words[n].wrong = wrong;
      words[n].before = through - mine;
    }
    before = uniform(lane() == kLanes - 1 ? through : 0);
  }
  tile.ends = before & 0xffff;
  sync();
  u16* const behind = tile.room->behind;
  if (lane() == 0) behind[0] = 0;
  constexpr u32 kAtOnce = kEndWords % 7 == 0 ? 7 : 1;
  SLUICE_ROLLED
  for (u32 n = 0; n < kEndWords; n += kAtOnce) {
    SLUICE_UNROLLED
    for (u32 i = 0; i < kAtOnce; ++i) {
      const u32 ends = words[n + i].last, number = (words[n + i].before & 0xffff) + __popc(ends & lanes_below()) + 1;
      if ((ends >> lane() & 1) != 0) behind[number] = (u16)((n + i) * kLanes + lane() + 1);
    }
  }
  tile.counted = true;
  sync();
}
// By itself: hardly called where elements are short.
template <u32 Bits> SLUICE_COLD u32 count_ends_of(ValueTile tile) {
  count_ends<Bits>(tile, end_bits<Bits>(tile));
  return tile.ends;
}
// Where a list is met that is not of a byte each.
template <typename List> SLUICE_INLINE void need_counts(ValueTile& tile) {
  tile.asked = true;
  if (tile.counted) return;
  tile.ends = uniform(count_ends_of<List::kBits>(tile));
  tile.counted = true;
}

// Of a tile that has just been loaded. Where lists are not of numbers, those that stand by themselves need the ends alone.
template <typename List> SLUICE_INLINE void find_ends(ValueTile& tile) {
  const EndBits bits = end_bits<List::kVarints ? List::kBits : 64>(tile);
  const bool count = List::kVarints && (!List::kMayBePlain || tile.asked);
  tile.counted = tile.asked = false;
  mark_ends<List::kMayBePlain>(tile, bits);
  if constexpr (List::kVarints) {
    if (!List::kMayBePlain) count_ends<List::kBits>(tile, bits);
    else if (count) need_counts<List>(tile);
  }
  tile.asked = false;
}

// Of a number of at most Bits bits that stands at [from, to): its value, and whether it is one. Words are read that hold a byte of it
// or follow one that does: behind the tile's last one those of the room stand.
template <u32 Bits> SLUICE_INLINE u64 groups_at(const ValueTile& tile, u32 from, u32 to) {
  constexpr u32 kGroups = (Bits + 6) / 7;
  const u32 n = to - from;
  if (kGroups <= 2) return (tile.byte(from) & 0x7f) | (n > 1 ? tile.byte(to - 1) << 7 : 0);
  const u32 at = from / 4, a = tile.word(at), b = tile.word(at + 1);
  const u32 low = __funnelshift_r(a, b, 8 * from) & 0x7f7f7f7fu & (n >= 4 ? ~0u : (1u << 8 * n) - 1);
  const u32 four = (low & 0x7f) | (low >> 1 & 0x7f << 7) | (low >> 2 & 0x7f << 14) | (low >> 3 & 0x7f << 21);
  if (kGroups <= 4) return four;
  if (kGroups == 5) return four | (n > 4 ? (u64)tile.byte(to - 1) << 28 : 0);
  if (n <= 4) return four;
  const u32 c = tile.word(at + 2);
  const u64 high = (u64)__funnelshift_r(b, c, 8 * from) | (u64)__funnelshift_r(c, tile.word(at + 3), 8 * from) << 32;
  const u64 more = high & 0x7f7f7f7f7f7f7f7full & mask(8 * (n - 4));
  return four | join_groups(more) << 28;
}
template <u32 Bits> SLUICE_INLINE bool sound_groups(const ValueTile& tile, u32 from, u32 to) {
  constexpr u32 kGroups = (Bits + 6) / 7, kLastBits = Bits - 7 * (kGroups - 1);
  return to - from < kGroups || (to - from == kGroups && tile.byte(to - 1) >> kLastBits == 0);
}

// Where the number at `from` ends; 0: not in the next 32 bytes of the tile. Where ends have been found.
SLUICE_INLINE u32 end_of_number(const ValueTile& tile, u32 from) {
  const EndWord* const words = tile.room->words + from / kLanes;
  const u32 next = from / kLanes + 1 < kEndWords ? words[1].last : 0, bits = __funnelshift_r(words[0].last, next, from);
  return bits != 0 ? from + (u32)__ffs((i32)bits) : 0;
}

// Four groups, the first one lowest.
SLUICE_INLINE u32 four_groups(u32 bytes) { return (bytes & 0x7f) | (bytes >> 1 & 0x7f << 7) | (bytes >> 2 & 0x7f << 14) | (bytes >> 3 & 0x7f << 21); }

// A number by itself, at `from`, where nobody has looked for ends: how many bytes it has, 0 for more than Groups, and its value. Words
// are read that hold one of its first eight bytes or follow one that does.
template <u32 Groups> SLUICE_INLINE u32 lone_number(const ValueTile& tile, u32 from, u64& value) {
  static_assert(Groups <= 10, "64 bits");
  const u32 at = from / 4, a = tile.word(at), b = tile.word(at + 1), low = __funnelshift_r(a, b, 8 * from);
  const u32 ends = ~low & 0x80808080u;
  u32 size = 0;
  if (ends != 0) {
    size = (u32)__ffs((i32)ends) >> 3;
    value = four_groups(low & (ends ^ (ends - 1)));
  } else if (Groups > 4) {
    const u32 high = __funnelshift_r(b, tile.word(at + 2), 8 * from), more = ~high & 0x80808080u;
    value = four_groups(low);
    if (more != 0) {
      size = 4 + ((u32)__ffs((i32)more) >> 3);
      value |= (u64)four_groups(high & (more ^ (more - 1))) << 28;
    } else if (Groups > 8) {
      const u32 ninth = tile.byte(from + 8), tenth = tile.byte(from + 9);
      size = ninth < 0x80 ? 9 : Groups > 9 && tenth < 0x80 ? 10 : 0;
      value |= (u64)four_groups(high) << 28 | (u64)(ninth & 0x7f) << 56 | (size == 10 ? (u64)tenth << 63 : 0);
    }
  }
  return size <= Groups && from + size <= tile.end ? size : 0;
}

// n bits from `bit` on, 0 to 64 of them. Words are read that hold a bit of them or follow one that does, as in groups_at().
template <bool Msb> SLUICE_INLINE u64 tile_bits(const ValueTile& tile, u32 bit, u32 n) {
  return lane_bits<Msb>((const u8*)tile.room->units, bit, n);
}

// Lists of values of one kind. A place in the tile, `from` and what is made of it, is a byte, or whatever the list makes of that:
// `byte`, `moved` to another tile, and the byte behind what ends there. `behind`: the place behind n of them; `fit`: how many of n
// end in the tile; `sound`: is each of these a value? `base` and `value`: the value that is element p of the output, of a list whose
// first one is element `first`.
// A value that is taken up has been found to be sound. Often: it isn't asked of a step whether it has values of them, which costs more.
struct ListOfBytes {
  static constexpr bool kSums = false, kArrays = false, kNone = false, kOften = false, kMayBePlain = false;
  static SLUICE_METHOD bool simple(u32) { return true; }
  static SLUICE_METHOD u32 byte(u32 place) { return place; }
  static SLUICE_METHOD u32 byte_behind(u32 place) { return place; }
  static SLUICE_METHOD u32 moved(u32, u32 byte) { return byte; }
};
template <u32 Bits, bool Signed> struct VarintList : ListOfBytes {
  static constexpr bool kVarints = true;
  static constexpr u32 kBits = Bits;
  static SLUICE_METHOD u32 ends_before(const ValueTile& tile, u32 at) {
    const EndWord& w = tile.room->words[at / kLanes];
    return (w.before & 0xffff) + __popc(w.last & ((1u << at % kLanes) - 1));
  }
  // Wrong ones that end up to and with that byte.
  static SLUICE_METHOD u32 wrong_up_to(const ValueTile& tile, u32 at) {
    const EndWord& w = tile.room->words[at / kLanes];
    return (w.before >> 16) + __popc(w.wrong & ((2u << at % kLanes) - 1));
  }
  static SLUICE_METHOD u32 behind(const ValueTile& tile, u32 from, u32 n) {
    return n == 0 || (!tile.counted && plain(tile, from, n)) ? from + n : tile.room->behind[ends_before(tile, from) + n];
  }
  static SLUICE_METHOD u32 fit(const ValueTile& tile, u32 from, u32 n) {
    const u32 there = tile.ends - ends_before(tile, from);
    return n < there ? n : there;
  }
  static SLUICE_METHOD bool sound(const ValueTile& tile, u32 from, u32 n) {
    const u32 before = ends_before(tile, from), first = tile.room->behind[before + 1], last = tile.room->behind[before + n];
    return sound_groups<Bits>(tile, from, first) && wrong_up_to(tile, last - 1) == wrong_up_to(tile, first - 1);
  }
  // note [one byte each]: of a list whose numbers have a byte each a place says so, and the n-th one stands n bytes behind the first. That is
  // looked for where elements are short: no byte stands between its first and its last one that ends no number. Then numbers are
  // counted when a list is met that is none of these, and in the tile behind one that has any.
  static constexpr u32 kPlain = 1 << 12;
  static_assert(kValueRoom < kPlain, "the place of a byte lies below");
  static constexpr bool kMayBePlain = Bits >= 7 && kElement <= 2, kOften = kMayBePlain;  // and no byte that ends a number has too many bits
  static SLUICE_METHOD bool plain(const ValueTile& tile, u32 from, u32 n) {
    if (!kMayBePlain) return false;
    const u64 word = *(const u64*)&tile.room->words[from / kLanes];  // last and next, in one load
    const u32 others = ~(u32)word >> from % kLanes, next = (u32)(word >> 32);
    return from + n <= (others != 0 ? from + (u32)__ffs((i32)others) - 1 : next);
  }
  static SLUICE_METHOD u32 origin(const ValueTile& tile, u32 place, bool by_count) {
    if (kMayBePlain && (!by_count || (place & kPlain) != 0)) return place & (kPlain - 1);
    return ends_before(tile, place);
  }
  static SLUICE_METHOD u32 stride(u32) { return 1; }
  static SLUICE_METHOD bool simple(u32 place) { return (place & kPlain) != 0; }
  static SLUICE_METHOD u32 simple_value(const ValueTile& tile, u32 base, u32 p, u32) {
    const u32 v = tile.byte(base + p);
    return Signed ? v >> 1 ^ (0 - (v & 1)) : v;
  }
  template <bool Added> static SLUICE_METHOD u64 value(const ValueTile& tile, u32 base, u32 p, u32 place) {
    u64 v;
    if (SLUICE_LIKELY((place & kPlain) != 0)) {
      v = tile.byte(base + p);
    } else {
      const u16* const behind = tile.room->behind + (base + p);
      const u32 before = behind[0];
      v = groups_at<Bits>(tile, before > place ? before : place, behind[1]);
    }
    return Signed ? (u64)zigzag(v) : v;
  }
};
// Fields of whole bytes.
template <u32 Bytes, bool Big, bool Signed> struct FieldList : ListOfBytes {
  static constexpr bool kVarints = false;
  static constexpr u32 kBits = 0;
  static SLUICE_METHOD u32 behind(const ValueTile&, u32 from, u32 n) { return from + n * Bytes; }
  static SLUICE_METHOD u32 fit(const ValueTile& tile, u32 from, u32 n) {
    const u32 there = tile.seen() > from ? (tile.seen() - from) / Bytes : 0;
    return n < there ? n : there;
  }
  static SLUICE_METHOD bool sound(const ValueTile&, u32, u32) { return true; }
  static SLUICE_METHOD u32 origin(const ValueTile&, u32 from, bool) { return from; }
  static SLUICE_METHOD u32 stride(u32) { return Bytes; }
  static SLUICE_METHOD u32 simple_value(const ValueTile& tile, u32 base, u32 p, u32 place) { return (u32)value<false>(tile, base, p, place); }
  template <bool Added> static SLUICE_METHOD u64 value(const ValueTile& tile, u32 base, u32 p, u32) {
    const u32 at = base + p * Bytes;
    u64 v = Bytes == 1 ? tile.byte(at) : tile.four(at);
    if (Bytes > 4) v |= (u64)tile.four(at + 4) << 32;
    v = Big ? swap64(v) >> (64 - 8 * Bytes) : Bytes < 8 ? v & mask(8 * Bytes) : v;
    return Signed ? (u64)sign_extend(v, 8 * Bytes) : v;
  }
};
// Fields of as many bits as the token says. A place is that of a bit, and how many; and whether a value is what its field holds,
// or less than nothing by as much, to which something is added (note [added] of value_steps.h).
template <bool Msb, bool Signed, bool Sums = false, bool Arrays = false> struct PackedList {
  static constexpr bool kVarints = false, kSums = Sums, kArrays = Arrays, kNone = false, kOften = true, kMayBePlain = false;
  static constexpr u32 kBits = 0, kBit = 16, kSum = 1 << 23, kMinus = 1 << 24, kOffset = 1 << 25;
  static constexpr bool kMsb = Msb;
  static constexpr u32 kNarrow = 25, kTwoBytes = 9;  // bits of one word that begins at a byte, of two bytes
  static_assert(8 * kMostRoom < 1u << kBit && 64 << kBit < kSum, "the bits of a tile, and of a field");
  static SLUICE_METHOD u32 place(u32 bit, u32 width) { return width << kBit | bit; }
  static SLUICE_METHOD u32 bit(u32 place) { return place & ((1u << kBit) - 1); }
  static SLUICE_METHOD u32 width(u32 place) { return Sums || Arrays ? place >> kBit & 127 : place >> kBit; }
  static SLUICE_METHOD bool sums(u32 place) { return Sums && (place & kSum) != 0; }
  static SLUICE_METHOD bool added(u32 place) { return (Sums || Arrays) && (place & (kSum | kOffset)) != 0; }
  static SLUICE_METHOD u32 byte(u32 place) { return bit(place) >> 3; }
  static SLUICE_METHOD u32 byte_behind(u32 place) { return (bit(place) + 7) >> 3; }
  static SLUICE_METHOD u32 moved(u32 old, u32 byte) { return (old & ~((1u << kBit) - 1)) | (8 * byte + bit(old) % 8); }
  static SLUICE_METHOD u32 behind(const ValueTile&, u32 from, u32 n) { return from + n * width(from); }
  static SLUICE_METHOD u32 fit(const ValueTile& tile, u32 from, u32 n) {
    const u32 end = 8 * tile.seen(), there = end > bit(from) ? end - bit(from) : 0;
    return SLUICE_LIKELY(n * width(from) <= there) ? n : there / width(from);
  }
  static SLUICE_METHOD bool sound(const ValueTile&, u32, u32) { return true; }
  static SLUICE_METHOD u32 origin(const ValueTile&, u32 from, bool) { return bit(from); }
  static SLUICE_METHOD u32 stride(u32 from) { return width(from); }
  static SLUICE_METHOD bool simple(u32 place) { return !added(place); }
  static SLUICE_METHOD u32 simple_value(const ValueTile& tile, u32 base, u32 p, u32 place) { return (u32)value<false>(tile, base, p, place); }
  template <bool Added> static SLUICE_METHOD u64 value(const ValueTile& tile, u32 base, u32 p, u32 from) {
    constexpr u32 kKept = 8 * kElement + (Signed ? 1 : 0);  // of its bits an element has no more
    const u32 whole = width(from);
    u64 v = 0;
    if constexpr (kKept <= kTwoBytes) {
      const u32 n = whole < kKept ? whole : kKept, at = base + p * whole + (Msb ? whole - n : 0);
      const u32 a = tile.byte(at / 8), b = tile.byte(at / 8 + 1);
      const u32 bits = Msb ? (a << 24 | b << 16) << at % 8 >> (32 - n) : (a | b << 8) >> at % 8 & ((1u << n) - 1);
      if (!Added || !added(from)) return Signed ? (bits >> 1) ^ (0 - (bits & 1)) : bits;
      v = bits;
    } else if constexpr (kKept <= kNarrow) {
      const u32 n = whole < kKept ? whole : kKept, at = base + p * whole + (Msb ? whole - n : 0);
      const u32 a = tile.word(at / 32), b = tile.word(at / 32 + 1), four = __byte_perm(a, b, (Msb ? 0x0123 : 0x3210) + 0x1111 * (at / 8 % 4));
      const u32 bits = Msb ? four << at % 8 >> (32 - n) : four >> at % 8 & ((1u << n) - 1);
      if (!Added || !added(from)) return Signed ? (bits >> 1) ^ (0 - (bits & 1)) : bits;
      v = bits;
    } else {
      v = tile_bits<Msb>(tile, base + p * whole, whole);
      if (!Added || !added(from)) return Signed ? (u64)zigzag(v) : v;
    }
    return Sums && (from & kMinus) != 0 ? 0 - v : v;
  }
  static SLUICE_METHOD bool offset(u32 place) { return Arrays && (place & kOffset) != 0; }
  static SLUICE_METHOD bool minus(u32 place) { return Sums && (place & kMinus) != 0; }
  static SLUICE_METHOD u64 of_bits(u64 bits) { return Signed ? (u64)zigzag(bits) : bits; }
  // Four of 1 to 8 bits each, of which elements of a byte are made.
  static SLUICE_METHOD u32 four(const ValueTile& tile, u32 bit, u32 width) {
    const u32 a = tile.word(bit / 32), b = tile.word(bit / 32 + 1), field = (1u << width) - 1;
    const u32 bits = Msb ? __funnelshift_l(swap32(b), swap32(a), bit) : __funnelshift_r(a, b, bit);
    u32 values = 0;
    SLUICE_UNROLLED
    for (u32 i = 0; i < 4; ++i) values |= (Msb ? bits << i * width >> (32 - width) : bits >> i * width & field) << 8 * i;
    return Signed ? (values >> 1 & 0x7f7f7f7fu) ^ (values & 0x01010101u) * 0xff : values;
  }
  // All bits of value n of a list that stands there.
  static SLUICE_METHOD u64 bits_of(const ValueTile& tile, u32 from, u32 n) {
    return tile_bits<Msb>(tile, bit(from) + n * width(from), width(from));
  }
};
// Of a format without any.
struct NoList : ListOfBytes {
  static constexpr bool kVarints = false, kNone = true;
  static constexpr u32 kBits = 0;
  static SLUICE_METHOD u32 behind(const ValueTile&, u32 from, u32) { return from; }
  static SLUICE_METHOD u32 fit(const ValueTile&, u32, u32) { return 0; }
  static SLUICE_METHOD bool sound(const ValueTile&, u32, u32) { return false; }
  static SLUICE_METHOD u32 origin(const ValueTile&, u32, bool) { return 0; }
  static SLUICE_METHOD u32 stride(u32) { return 0; }
  static SLUICE_METHOD u32 simple_value(const ValueTile&, u32, u32, u32) { return 0; }
  template <bool Added> static SLUICE_METHOD u64 value(const ValueTile&, u32, u32, u32) { return 0; }
};

// The place behind the n-th end from `from` on, one at least, where nobody has counted; behind the room: there are less.
SLUICE_INLINE u32 nth_end(const ValueTile& tile, u32 from, u32 n) {
  u32 at = from / kLanes;
  const u32 behind = tile.room->words[at].last >> from % kLanes;
  if (n == 1 && behind != 0) return from + (u32)__ffs((i32)behind);
  u32 ends = behind << from % kLanes;
  SLUICE_ROLLED
  while ((u32)__popc(ends) < n) {
    n -= (u32)__popc(ends);
    if (++at == kEndWords) return kValueRoom + 1;
    ends = tile.room->words[at].last;
  }
  SLUICE_ROLLED
  while (--n != 0) ends &= ends - 1;
  return at * kLanes + (u32)__ffs((i32)ends);
}
// The place behind n numbers that stand at `from`; behind the room where they do not all end in the region, and the tile.
template <typename List> SLUICE_INLINE u32 numbers_behind(const ValueTile& tile, u32 from, u32 n) {
  static_assert(List::kVarints, "ends are counted");
  if (List::kMayBePlain && !tile.counted) return SLUICE_LIKELY(List::plain(tile, from, n)) ? from + n : nth_end(tile, from, n);
  return List::fit(tile, from, n) == n ? List::behind(tile, from, n) : kValueRoom + 1;
}

// What the tile holds of n values of a list, one at least: how many of them, and whether these are values.
struct ListPart {
  u32 count;
  bool sound;
};
template <typename List> SLUICE_INLINE ListPart part_of(const ValueTile& tile, u32 from, u32 n) {
  const u32 here = List::fit(tile, from, n);
  return {here, here != 0 && List::sound(tile, from, here)};
}

}  // namespace prim
