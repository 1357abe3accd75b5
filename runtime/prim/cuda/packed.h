#pragma once
// Fields of one width, one behind the other, each made an element of the output: packed numbers, differences to a frame of
// reference, indices into a dictionary. What becomes of a field is said once, by a step whose source is that field and whose
// place is an element; it is done for a field a lane, and for 16 bytes of output a lane.
//
//   17 bits each, most of them by units            element 0 1 2 3 4 5 6 7 8 9 ...
//   of four elements of 4 bytes                            lane    | lane  | lane
//
//   note [packed units]: a unit is 16 aligned bytes of output. A group of it, 4 bytes or an element of 8, is cut from aligned
// words of input by itself, and the words of all of a lane's groups are on their way before the first one is looked at: what
// a field a lane waits for its word, a round of units waits once. Words stick out of the bits that are asked for, so units
// end where those words end inside the input, and begin where its first word does. A field a lane takes what is before and
// behind them, and everything where a field has more bits than its element.

namespace prim {

// A field that has been read, and an element that is kept until it is stored: a source and a place.
struct OneField {
  u64 bits;
};
template <bool Msb> SLUICE_INLINE u64 lane_bits_at(const OneField& field, u64, u64) { return field.bits; }
struct OneElement {
  u64* value;
  SLUICE_METHOD OneElement& operator+=(u64) { return *this; }
};
template <u32 Elem> SLUICE_INLINE void store_lane(OneElement to, u64 v) { *to.value = v; }

// The input of a stream, of which no byte is read but those of words inside it and those that hold a field's bits.
struct InputBits {
  const u8* in;
  const LineMemory* lines;
};
template <bool Msb> SLUICE_COLD u64 bits_by_bytes(const u8* p, u64 shift, u64 n) {
  const u64 bytes = (shift + n + 7) >> 3, first = bytes < 8 ? bytes : 8;
  if (n == 0) return 0;
  if (Msb) {
    u64 v = load_be(p, first) << (64 - 8 * first) << shift;
    if (bytes > 8) v |= (u64)p[8] >> (8 - shift);
    return v >> (64 - n);
  }
  u64 v = load_le(p, first) >> shift;
  if (bytes > 8) v |= (u64)p[8] << (64 - shift);
  return v & mask(n);
}
template <bool Msb> SLUICE_INLINE u64 lane_bits_at(const InputBits& src, u64 bit, u64 n) {
  const u64 at = 8 * src.lines->first + bit, word = at >> 5 << 2;
  constexpr u64 kWords = 12;  // bytes that lane_bits may load
  if (SLUICE_LIKELY(word >= src.lines->first && word + kWords <= src.lines->last)) return lane_bits<Msb>(global(src.lines->base), at, n);
  return bits_by_bytes<Msb>(global(src.in) + (bit >> 3), bit & 7, n);
}

template <u32 Elem> struct PackedUnit {
  static constexpr u32 kElements = kUnitBytes / Elem;
  static constexpr u32 kInGroup = Elem < 4 ? 4 / Elem : 1, kGroupBytes = kInGroup * Elem, kGroups = kUnitBytes / kGroupBytes;
  static constexpr u32 kWords = kGroupBytes / 4 + 1;   // that hold a group's bits, wherever they begin
  static constexpr u32 kMostBits = 8 * Elem;           // of a field: then a group of them has no more than its words
};

// Units of a lane's round: as many as hide each other's way to memory, where registers allow (an H200, elements of 4 bytes: 8 of
// them read and write 75 % of what a copy does, 2 of them 54; elements of 8 bytes take half as many again for words).
template <u32 Elem> constexpr u32 kPackedUnits = Elem == 4 ? 8 : 4;

// Which of n elements are done by units, the first one's field at bit `at` of `lines`, its place `out`.
struct PackedRange {
  u64 head, units;  // elements before the first unit; how many there are
};
template <u32 Elem> SLUICE_INLINE PackedRange packed_range(const LineMemory& lines, u64 at, const u8* out, u64 n, u32 width) {
  typedef PackedUnit<Elem> Unit;
  const PackedRange none = {0, 0};
  constexpr u64 kLeast = 2 * kWorkers;  // fields: fewer are done before units have been counted
  if (n < kLeast || width > Unit::kMostBits || (!kAligned<Elem> && ((u64)out & (Elem - 1)) != 0)) return none;
  u64 head = ((0 - (u64)out) & (kUnitBytes - 1)) / Elem;
  if (width == 0) return head + Unit::kElements > n ? none : PackedRange{head, (n - head) / Unit::kElements};  // of no word
  if ((at + head * width) / 32 * 4 < lines.first) {  // so many more that a word lies between
    head += (32 / width + Unit::kElements) / Unit::kElements * Unit::kElements;
  }
  // A unit whose last bit is below this has its words.
  const u64 words = lines.last / 4, limit = words < Unit::kWords ? 0 : 32 * (words - Unit::kWords), first = at + head * width;
  if (head + Unit::kElements > n || first > limit) return none;
  u64 units = (n - head) / Unit::kElements;
  if (units * Unit::kElements * width > limit - first) units = (limit - first) / (Unit::kElements * width);
  if (units == 0) return none;
  return {head, units};
}

// Bits [at, at + 32) or, of 8 bytes, [at, at + 64) of the words, where at < 32: in an msb stream the first one highest.
template <bool Msb> SLUICE_INLINE u64 group_of(const u32 (&word)[2], u32 at) {
  return Msb ? __funnelshift_l(swap32(word[1]), swap32(word[0]), at) : __funnelshift_r(word[0], word[1], at);
}
template <bool Msb> SLUICE_INLINE u64 group_of(const u32 (&word)[3], u32 at) {
  const u32 first[2] = {word[0], word[1]}, second[2] = {word[1], word[2]};
  const u64 a = group_of<Msb>(first, at), b = group_of<Msb>(second, at);
  return Msb ? a << 32 | b : b << 32 | a;
}

// step(source, number, 0, place) of each of n fields that begin at bit `bit` of the input, one a lane, but for `inside` ones
// from number `head` on. All workers, with equal values.
template <bool Msb, u32 Elem, typename Out, typename Step>
SLUICE_INLINE void field_a_lane(const InputBits& src, u64 bit, Out out, u64 n, u32 width, const Step& step, u64 head, u64 inside) {
  SLUICE_ROLLED
  for (u64 i = worker(); i < n - inside; i += kWorkers) {
    const u64 k = i < head ? i : i + inside;
    const OneField one = {lane_bits_at<Msb>(src, bit + k * width, width)};
    u64 element = 0;
    step(one, k, 0, OneElement{&element});
    store_lane<Elem>(out + k * Elem, element);
  }
}

// How many of n steps that take `width` (0..64) bits and make an element have both. Most often all, and nothing is divided.
template <Input K, Buffer B> SLUICE_INLINE u64 packed_steps(const Stream<K, B>& s, u64 n, u64 width) {
  const u64 room = s.out_end - s.produced, left = s.left_bits();
  if (n > room) n = room;
  constexpr u64 kFew = 1ull << 32;  // times 64 is a number yet
  if (width == 0 || (SLUICE_LIKELY(n < kFew) && n * width <= left)) return n;
  return n > left / width ? left / width : n;
}

SLUICE_TABLE u32 kNoWords[4] = {0, 0, 0, 0};  // of fields of no bits, which may stand where the input ends

// The n fields at the position, which are there and have room: by units where there are some. By itself: as a part of the kernel it gets 80
// registers, not 128, and the first words are looked at before the last ones are asked for (H200: 5 to 10 % slower).
template <bool Msb, u32 Elem, Input K, Buffer B, typename Step>
SLUICE_COLD void packed_fields(const Stream<K, B>& s, u64 n, u32 width, const Step& step) {
  typedef PackedUnit<Elem> Packed;
  const LineMemory& lines = s.lines;
  const InputBits src = {s.in, &lines};
  const u64 bit = s.pos * Stream<K, B>::kStep, first = 8 * lines.first + bit;
  u8* const out = global(s.out) + s.produced * Elem;
  const PackedRange range = packed_range<Elem>(lines, first, out, n, width);
  field_a_lane<Msb, Elem>(src, bit, out, n, width, step, range.head, range.units * Packed::kElements);
  static_assert(Packed::kWords <= sizeof(kNoWords) / sizeof(u32), "a group's words");
  constexpr u32 kALane = kPackedUnits<Elem>, kRound = kWorkers * kALane;
  const u64 field = mask(width);
  SLUICE_ROLLED
  for (u64 base = 0; base < range.units; base += kRound) {
    const u64 number = range.head + base * Packed::kElements, at = first + number * width;
    const u32* const words = width == 0 ? kNoWords : (const u32*)global(lines.base) + (at >> 5);
    const u32 left = range.units - base < kRound ? (u32)(range.units - base) : kRound;
    u32 word[kALane][Packed::kGroups][Packed::kWords], skip[kALane][Packed::kGroups];
    SLUICE_UNROLLED
    for (u32 u = 0; u < kALane; ++u) {
      const u32 mine = u * kWorkers + worker(), unit = mine < left ? mine : left - 1;
      SLUICE_UNROLLED
      for (u32 g = 0; g < Packed::kGroups; ++g) {
        const u32 from = ((u32)at & 31) + (unit * Packed::kElements + g * Packed::kInGroup) * width;
        skip[u][g] = from & 31;
        SLUICE_UNROLLED
        for (u32 w = 0; w < Packed::kWords; ++w) word[u][g][w] = words[(from >> 5) + w];
      }
    }
    SLUICE_UNROLLED
    for (u32 u = 0; u < kALane; ++u) {
      const u32 unit = u * kWorkers + worker();
      u64 made[2] = {0, 0};
      SLUICE_UNROLLED
      for (u32 g = 0; g < Packed::kGroups; ++g) {
        const u64 group = group_of<Msb>(word[u][g], skip[u][g]);
        SLUICE_UNROLLED
        for (u32 j = 0; j < Packed::kInGroup; ++j) {
          // In an msb stream the last bit of field j stands (j + 1) * width bits below the group's first. No bits: mask 0.
          const u32 down = Msb ? (8 * Packed::kGroupBytes - (j + 1) * width) & (8 * Packed::kGroupBytes - 1) : j * width;
          const OneField one = {group >> down & field};
          const u32 e = g * Packed::kInGroup + j;
          u64 element = 0;
          step(one, number + unit * Packed::kElements + e, 0, OneElement{&element});
          made[e * Elem / 8] |= (element & mask(8 * Elem)) << (e * Elem % 8 * 8);
        }
      }
      if (unit < left) *(Unit*)(out + (number + unit * Packed::kElements) * Elem) = {made[0], made[1]};
    }
  }
}

enum class Order : u32 { Stream, Little, Big };

// Of n literals of `width` bits, as many as are there and have room. Returns how many; what is wrong with the next one is the
// caller's to find.
template <bool Write, u32 Elem, Order O, bool Signed, typename S>
SLUICE_COLD u64 literal_fields(S& s, u64 n, u64 width) {
  constexpr Input K = S::kInput;
  if (O != Order::Stream && !s.aligned()) return 0;
  const u64 k = packed_steps(s, n, width);
  if (Write) {
    // Whole bytes from a byte boundary on: the lowest first is a field of an lsb stream, the highest first one of an msb stream.
    constexpr bool kMsb = O == Order::Big || (O == Order::Stream && (K == Input::Bytes || K == Input::Msb));
    const auto step = [&](const OneField field, u64, u64, const OneElement to) {
      *to.value = Signed && width > 0 ? (u64)sign_extend(field.bits, width) : field.bits;
    };
    // Literals stand among other things, whose kernel would have no registers left for units.
    const InputBits src = {s.in, &s.lines};
    field_a_lane<kMsb, Elem>(src, s.pos * S::kStep, global(s.out) + s.produced * Elem, k, (u32)width, step, 0, 0);
  }
  s.pos += k * width / S::kStep;
  s.produced += k;
  return k;
}

}  // namespace prim
