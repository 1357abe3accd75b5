#pragma once
// Output of parts that are decoded once, before their places are known: pieces go to the lane's slot (note [slots] of
// ../cuda/part_steps.h), and what depends on the place is kept for those who know it.

namespace prim {

// Where a part's output begins while it is decoded: from this element on, copies reach back as far as they like, and how far
// they do is seen to afterwards.
constexpr u64 kAnyPlace = 1ull << 31;
constexpr u64 kMaxOfPart = 1ull << 30;  // elements; all parts of a group: 32 bits and no more

// ---- Bits of a part ------------------------------------------------------------------------------------------------

// As LaneBits, of which lanes that are at different tokens wait for each other's words.
template <bool Msb>
struct PartBits : LaneBits<Msb> {
  typedef LaneBits<Msb> Lane;
  static SLUICE_METHOD PartBits at(const Words& src, u64 pos, Cursor& in) {
    PartBits b;
    (Lane&)b = Lane::at(src, pos, in);
    if (Msb) b.next = swap32(b.next);
    return b;
  }
  // `next` is as it was loaded.
  static SLUICE_METHOD void refill(PartBits& b, const Words& src, Cursor& in) {
    const bool more = b.count - b.start >= 32;
    const u32 next = Msb ? swap32(b.next) : b.next;
    const u64 word = Msb ? b.word << 32 | next : (u64)next << 32 | b.word >> 32;
    b.word = more ? word : b.word;
    b.start += more ? 32 : 0;
    in += more ? 4 : 0;
    load_when(more, src.memory + (b.start + 64) / 32, b.next);
  }
};
// An entry's extra bits behind its code bits, fewer than 32, and the entry dropped as a whole.
template <bool Msb> SLUICE_INLINE u32 take_entry(PartBits<Msb>& b, const Words& src, Cursor& in, u32 e) {
  const u32 code = entry_code_bits(e), all = entry_bits(e), v = PartBits<Msb>::bits(b);
  PartBits<Msb>::drop(b, src, in, all);
  return Msb ? ((v << code) >> 1) >> (31 - (all - code)) : (v >> code) & ~(~0u << (all - code));
}


// A part, and what is left of it.
template <Input K> struct PartStream : Stream<K> {
  PartSlot slot;
  u32 entries;  // more than the slot has room for are counted and not kept: it then does not fit
  i32 reach;    // so many outputs before the part's first copies read
};
// Of any width but one slot's a lane: note [few parts].
template <bool Write, Input K> SLUICE_INLINE void open_part(PartStream<K>& s, u32 width) {
  if (Write) s.slot = slot_of(width);
  s.entries = 0;
  s.reach = 0;
}
// Is all that it makes in its slot?
template <Input K> SLUICE_INLINE bool part_fits(const PartStream<K>& s) {
  return s.entries <= s.slot.most && s.produced - kAnyPlace <= s.slot.words * kLanes;
}

SLUICE_INLINE u32 value_entry(u64 v) { return kValue | (u8)v; }
// A piece that begins at output `at`. Note [spare].
SLUICE_INLINE void put_piece(const PartSlot& slot, u32& entries, u32 at, u32 entry) {
  const u32 number = entries < slot.most ? entries : slot.most, word = at / kLanes < slot.words ? at / kLanes : slot.words;
  slot.entries[number] = (Entry)entry;
  atomicOr(&slot.marks[word], 1u << at % kLanes);
  ++entries;
}

// ---- Fast loops ----------------------------------------------------------------------------------------------------

// Where output goes: so many outputs, and pieces, from the part's first on.
template <bool Write> struct PartOutput {
  u32 at, entries;
  PartSlot slot;

  SLUICE_METHOD operator u32() const { return at; }
  SLUICE_METHOD PartOutput& operator+=(u64 n) {
    at += (u32)n;
    return *this;
  }
};
template <bool Write, typename S> SLUICE_INLINE PartOutput<Write> part_output(const S& s) {
  PartOutput<Write> o = {(u32)(s.produced - kAnyPlace), s.entries, {}};
  if (Write) {
    o.slot = s.slot;
    o.slot.entries = in_register(s.slot.entries);
    o.slot.marks = in_register(s.slot.marks);
  }
  return o;
}
// An element of the output, counted likewise. What lies behind all that a part may make is nearer.
SLUICE_INLINE u32 part_place(u64 produced) {
  const u64 at = produced - kAnyPlace;
  return (u32)(at < kMaxOfPart ? at : kMaxOfPart);
}
template <bool Write> SLUICE_INLINE u64 made(const PartOutput<Write>& o) { return kAnyPlace + o.at; }
template <bool Write> SLUICE_INLINE void flush(const PartOutput<Write>&) {}

template <u32 Elem, bool Write> SLUICE_INLINE void store(PartOutput<Write>& o, u64 v) {
  static_assert(Elem == 1, "a byte");
  if (Write) put_piece(o.slot, o.entries, o.at, value_entry(v));
}
template <bool Write> SLUICE_INLINE void put(PartOutput<Write>& o, u64 v, u64 n) {
  if (!Write) return;
  SLUICE_ROLLED
  for (u32 i = 0; i < (u32)n; ++i) put_piece(o.slot, o.entries, o.at + i, value_entry(v >> (8 * i)));
}
template <u32 Elem, bool Write> SLUICE_INLINE void fill(PartOutput<Write>& o, u64 first, u64 by, u64 n) {
  static_assert(Elem == 1, "a byte");
  if (!Write) return;
  SLUICE_ROLLED
  for (u32 i = 0; i < n && o.at + i < o.slot.words * kLanes; ++i) put_piece(o.slot, o.entries, o.at + i, value_entry(first + i * by));
}
template <bool Write> SLUICE_INLINE void fill_wide(PartOutput<Write>& o, u64 v, u64 n) {
  if (!Write || n == 0) return;
  put_piece(o.slot, o.entries, o.at, value_entry(v));
  if (n > 1) put_piece(o.slot, o.entries, o.at + 1, copy_entry(1));
}

// The copies so far.
template <bool Write> struct PartReach {
  i32 reach;
};
template <bool Write, typename S> SLUICE_INLINE PartReach<Write> pending_copies(const S& s) { return {s.reach}; }
template <bool Write> SLUICE_INLINE void copy_match(PartReach<Write>& copies, PartOutput<Write>& o, u64 distance, u64 n) {
  const i32 before = (i32)((u32)distance - o.at);
  if (copies.reach < before) copies.reach = before;
  if (Write && n != 0) put_piece(o.slot, o.entries, o.at, copy_entry((u32)distance));
}
// Of at least one element.
template <bool Write> SLUICE_INLINE void copy_some(PartReach<Write>& copies, PartOutput<Write>& o, u64 distance, u64) {
  const i32 before = (i32)((u32)distance - o.at);
  if (copies.reach < before) copies.reach = before;
  if (Write) put_piece(o.slot, o.entries, o.at, copy_entry((u32)distance));
}
// How far a loop may go: to its part's end, and as long as `in`, the byte of its bit buffer's start, is not past the limit: a bit
// before this end is at or behind that byte, so one test does for both.
SLUICE_INLINE u32 part_end(u32 end, Cursor, Cursor in_limit) { return end < 8 * in_limit ? end : 8 * in_limit; }
struct AnyWindow {};
SLUICE_INLINE AnyWindow any_window() { return {}; }
template <typename T, bool Write> SLUICE_INLINE bool too_far(T distance, const PartOutput<Write>&, const AnyWindow&) {
  return distance - 1 >= kMaxDistance;
}

// Takes away the marks of outputs from `from` to `to`.
SLUICE_COLD void drop_marks(const PartSlot& slot, u32 from, u32 to) {
  u32 keep = (1u << from % kLanes) - 1;
  SLUICE_ROLLED
  for (u32 word = from / kLanes; word <= to / kLanes && word < slot.words; ++word, keep = 0) slot.marks[word] &= keep;
}
// Pieces of a token that is left undone are dropped: it is done again.
template <bool Write, typename S>
SLUICE_INLINE void give_back(S& s, const PartReach<Write>& copies, const PartOutput<Write>& o, const PartOutput<Write>& token) {
  s.reach = copies.reach;
  s.entries = token.entries;
  if (Write && o.entries != token.entries) drop_marks(o.slot, token.at, o.at);
}

// ---- The checked path ----------------------------------------------------------------------------------------------

template <Input K> SLUICE_INLINE void put_piece(PartStream<K>& s, u64 skip, u32 entry) {
  put_piece(s.slot, s.entries, (u32)(s.produced - kAnyPlace + skip), entry);
}

// 1: no room.
template <bool Write, u32 Elem, Input K> SLUICE_INLINE u32 emit(PartStream<K>& s, u64 value) {
  static_assert(Elem == 1, "a byte");
  if (s.produced == s.out_end) return 1;
  if (Write) put_piece(s, 0, value_entry(value));
  ++s.produced;
  return 0;
}

// n bytes from input to output. 1: the input ends, 2: no room. What fits is done first.
template <bool Write, Input K> SLUICE_COLD u32 literal_bytes(PartStream<K>& s, u64 n) {
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i) {
    if (lacks(s, 8)) return 1;
    const u64 start = s.pos;
    if (emit<Write, 1>(s, take(s, 8))) {
      s.pos = start;
      return 2;
    }
  }
  return 0;
}

// value, value + step, ...: n elements. 1: no room, and nothing is written. What does not fit its slot is only counted.
template <bool Write, u32 Elem, Input K> SLUICE_COLD u32 run(PartStream<K>& s, u64 value, u64 n, u64 step) {
  if (n > s.out_end - s.produced) return 1;
  if (Write) {
    SLUICE_ROLLED
    for (u64 i = 0; i < n && i < s.slot.words * kLanes; ++i) put_piece(s, i, value_entry(value + i * step));
  }
  s.produced += n;
  return 0;
}

// 1: no such symbol, 2: no room.
template <bool Write, Input K, typename Table> SLUICE_INLINE u32 emit_symbol(PartStream<K>& s, const Table& symbols, u64 index) {
  const u64 n = symbols.length[index];
  if (n == 0) return 1;
  if (s.out_end - s.produced < n) return 2;
  if (Write) {
    SLUICE_ROLLED
    for (u32 i = 0; i < (u32)n; ++i) put_piece(s, i, value_entry(symbols.text[index] >> (8 * i)));
  }
  s.produced += n;
  return 0;
}

// n elements from `distance` back. 1: bad distance, 2: no room.
template <bool Write, u32 Elem, Input K> SLUICE_COLD u32 copy(PartStream<K>& s, u64 distance, u64 n, u64 farthest) {
  static_assert(Elem == 1, "copies of bytes");
  if (distance - 1 >= kMaxDistance || distance > farthest) return 1;
  if (n > s.out_end - s.produced) return 2;
  const i32 before = (i32)((u32)distance - (u32)(s.produced - kAnyPlace));
  if (s.reach < before) s.reach = before;
  if (Write && n != 0) put_piece(s, 0, copy_entry((u32)distance));
  s.produced += n;
  return 0;
}

}  // namespace prim
