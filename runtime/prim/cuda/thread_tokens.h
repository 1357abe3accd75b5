#pragma once
// What a token's text means to a lane that walks it, or makes a record of it (speculate.h). These texts stand inside
// `namespace thread`; what is not said anew is that of a warp. Limits of the output are the engine's business, and
// distances, too: here there are none.

namespace prim {

using namespace warp_prim;

// From a Tile, or from FarBytes.
template <typename T> SLUICE_INLINE u32 load_byte(const T& t, Cursor c) { return t.byte(c); }
template <typename T> SLUICE_INLINE u32 load_le16(const T& t, Cursor c) { return t.byte(c) | t.byte(c + 1) << 8; }
template <typename T> SLUICE_INLINE u32 load_le32(const T& t, Cursor c) { return load_le16(t, c) | load_le16(t, c + 2) << 16; }
template <typename T> SLUICE_INLINE u64 load_le64(const T& t, Cursor c) { return load_le32(t, c) | (u64)load_le32(t, c + 4) << 32; }
template <typename T> SLUICE_INLINE u32 load_be16(const T& t, Cursor c) { return t.byte(c) << 8 | t.byte(c + 1); }
template <typename T> SLUICE_INLINE u32 load_be32(const T& t, Cursor c) { return swap32(load_le32(t, c)); }
template <typename T> SLUICE_INLINE u64 load_be64(const T& t, Cursor c) { return swap64(load_le64(t, c)); }
// Of a token's first bytes no more are taken apart than there are words.
SLUICE_INLINE u32 load_le16(const TokenBytes& t, Cursor c) { return c - t.at < 3 ? t.low >> 8 * (c - t.at) & 0xffff : t.byte(c) | t.byte(c + 1) << 8; }
SLUICE_INLINE u32 load_le32(const TokenBytes& t, Cursor c) {
  return c - t.at < 2 ? t.four(c - t.at) : load_le16(t, c) | load_le16(t, c + 2) << 16;
}

// Where the output's limits stand in the text.
struct Unlimited {
  template <typename Out> friend SLUICE_METHOD bool operator>(const Out&, const Unlimited&) { return false; }
  template <typename Out> friend SLUICE_METHOD u64 operator-(const Unlimited&, const Out&) { return ~0ull; }
};
template <typename Out> SLUICE_INLINE Unlimited end_of(const Out&) {
  const Unlimited end = {};
  return end;
}
template <typename T, typename Out> SLUICE_INLINE bool too_far(u64, const Out&, const Unlimited&) { return false; }

SLUICE_INLINE void literals_at(Record& out, Cursor c, u64 n) {
  out.literals = (u32)n;
  out.from = c;
}
template <typename T> SLUICE_INLINE void literals(NoOutput&, const T&, Cursor, u64) {}
template <typename T> SLUICE_INLINE void literals(Record& out, const T&, Cursor c, u64 n) { literals_at(out, c, n); }
template <typename T, typename Out> SLUICE_INLINE void literals_short(Out& out, const T& t, Cursor c, u64 n) { literals(out, t, c, n); }
template <typename T, typename Out> SLUICE_INLINE void move_short(Out& out, const T& t, Cursor c, u64 n) { literals(out, t, c, n); }
// Literals out of a buffer, from its element `from` on, which may be told late.
SLUICE_INLINE void slice_of(NoOutput&, u64, u64) {}
SLUICE_INLINE void slice_of(Record& out, u64 from, u64 n) { literals_at(out, (Cursor)from, n); }
// A run of the element at `c`: that one, and a copy of it.
template <u32 Elem> SLUICE_INLINE void run_of(NoOutput&, Cursor, u64) {}
template <u32 Elem> SLUICE_INLINE void run_of(Record& out, Cursor c, u64 n) {
  static_assert(kMaxLength % Elem == 0, "what is too long is refused, and no less");
  out.literals = n != 0 ? Elem : 0;
  out.from = c;
  out.length = n <= 1 ? 0 : n - 1 < kMaxLength / Elem ? (u32)(n - 1) * Elem : kMaxLength;
  out.distance = Elem;
}

struct NoCopy {};
SLUICE_INLINE void copy_match(NoCopy, NoOutput&, u64, u64) {}
// What is too long or too far for the engine is refused by it, whatever it is.
SLUICE_INLINE void copy_match(NoCopy, Record& out, u64 distance, u64 n) {
  out.length = n < kMaxLength ? (u32)n : kMaxLength;
  out.distance = distance <= kMaxDistance ? (u32)distance : kMaxDistance + 1;
}

// Of a copy that may be of nothing: whether it is a good one then, its distance tells, and nothing is left of that here. So the
// engine refuses it, and the checked path judges.
SLUICE_INLINE void copy_any(NoCopy, NoOutput&, u64, u64) {}
SLUICE_INLINE void copy_any(NoCopy none, Record& out, u64 distance, u64 n) { copy_match(none, out, distance, n != 0 ? n : kMaxLength); }

// Of a copy whose distance is known late: its length now, and then where from.
SLUICE_INLINE void copy_later(NoOutput&, u64) {}
SLUICE_INLINE void copy_later(Record& out, u64 n) { out.length = n < kMaxLength ? (u32)n : kMaxLength; }
SLUICE_INLINE void copy_any_later(NoOutput&, u64) {}
SLUICE_INLINE void copy_any_later(Record& out, u64 n) { copy_later(out, n != 0 ? n : kMaxLength); }
SLUICE_INLINE void copy_from(Record& out, u64 distance) {
  out.distance = distance <= kMaxDistance ? (u32)distance : kMaxDistance + 1;
}

}  // namespace prim
