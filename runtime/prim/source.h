#pragma once
// Where fast loops read: memory itself here, so a cursor is an address and a load is a load. Generated kernels have the
// same functions over a line buffer of the input (cuda/bitbuffer.h), which is what keeps the emitted loops one text.

namespace prim {

struct Source { const u8* start; };
typedef const u8* Cursor;
template <typename S> SLUICE_INLINE Source source(const S& s) { return Source{s.in}; }
template <typename S> SLUICE_INLINE void give_back(S&, const Source&) {}
SLUICE_INLINE Cursor cursor(const Source& src, u64 byte) { return src.start + byte; }
SLUICE_INLINE u64 byte_of(const Source& src, Cursor c) { return (u64)(c - src.start); }
SLUICE_INLINE u64 load_byte(const Source&, Cursor c) { return *c; }
SLUICE_INLINE u64 load_le16(const Source&, Cursor c) { return load_le16(c); }
SLUICE_INLINE u64 load_le32(const Source&, Cursor c) { return load_le32(c); }
SLUICE_INLINE u64 load_le64(const Source&, Cursor c) { return load_le64(c); }
SLUICE_INLINE u64 load_be16(const Source&, Cursor c) { return load_be16(c); }
SLUICE_INLINE u64 load_be32(const Source&, Cursor c) { return load_be32(c); }
SLUICE_INLINE u64 load_be64(const Source&, Cursor c) { return load_be64(c); }
// The same of a region that is read from its end: note [turned]. Cursors are positions in bytes, so the loops that count up are
// the same; what stands at one are the bytes below, the nearest first.
struct BackSource { u64 above; };  // an address is this, less the cursor
typedef u64 BackCursor;
template <typename S> SLUICE_INLINE BackSource back_source(const S& s) { return BackSource{(u64)s.in + kTurn / 8}; }
template <typename S> SLUICE_INLINE void give_back(S&, const BackSource&) {}
SLUICE_INLINE BackCursor cursor(const BackSource&, u64 byte) { return byte; }
SLUICE_INLINE u64 byte_of(const BackSource&, BackCursor c) { return c; }
SLUICE_INLINE u64 load_byte(const BackSource& src, BackCursor c) { return *(const u8*)(src.above - c - 1); }
SLUICE_INLINE u64 load_be64(const BackSource& src, BackCursor c) { return load_le64((const u8*)(src.above - c - 8)); }
template <u32 Bits> SLUICE_INLINE u32 varint(const Source&, Cursor c, u64 available, u64& value, u64& length) {
  return varint<Bits>(c, available, value, length);
}


// The first n <= 8 bytes of v; may write up to 8.
SLUICE_INLINE void put(u8* p, u64 v, u64) { __builtin_memcpy(p, &v, 8); }
// n <= 8 bytes of input, 8 are read and written.
SLUICE_INLINE void move_short(u8* p, const Source&, Cursor c, u64) { __builtin_memcpy(p, c, 8); }
// n bytes of input: n <= 32, of which 32 are read and written, or any number (copy_wide).
SLUICE_INLINE void literals_short(u8* p, const Source&, Cursor c, u64) { move32(p, c); }
SLUICE_INLINE void literals(u8* p, const Source&, Cursor c, u64 n) { copy_wide(p, c, n); }
// The same of a buffer's bytes, behind which there are 32 more that may be read (`behind_slices` of the scratch memory).
SLUICE_INLINE void slice_short(u8* p, const u8* from, u64) { move32(p, from); }
SLUICE_INLINE void slice(u8* p, const u8* from, u64 n) { copy_wide(p, from, n); }
// n elements first, first + by, ...
template <u32 Elem> SLUICE_INLINE void fill(u8* p, u64 first, u64 by, u64 n) {
  for (u64 i = 0; i < n; ++i) {
    const u64 v = first + i * by;
    __builtin_memcpy(p + Elem * i, &v, Elem);
  }
}
// Does a copy reach behind `window`? T holds the distance.
template <typename T> SLUICE_INLINE bool too_far(u64 distance, const u8* out, const u8* window) {
  return distance - 1 >= (u64)(out - window);
}

// Kernels put the end of a copy off until the next; here it is done at once.
struct PendingCopy {};
SLUICE_INLINE void flush(const PendingCopy&) {}
SLUICE_INLINE void copy_match(PendingCopy&, u8* d, u64 distance, u64 n) { copy_match(d, distance, n); }
SLUICE_INLINE void copy_steps(PendingCopy&, u8* d, u64 distance, u64 n) { copy_steps(d, distance, n); }

// A token by what its first byte says of it: how many bytes it takes, and added to a distance:16 | bits of the distance's
// field:8 | literals:1 | length:7; 0: nothing. Literals stand From bytes behind the token's start, the field At. Of either kind
// half of kToldBytes is moved, or all, and where from is a choice that is no branch. False: it is not done, and nothing is changed.
constexpr u64 kToldBytes = 64;
template <u64 From, u64 At>
SLUICE_INLINE bool take_told(const u64* entries, const u8* sizes, u8*& out, const u8* window, const Source&, Cursor& in) {
  const u64 first = *in, size = sizes[first], told = entries[first];  // the size before all stores: the next token waits for it
  const u64 far = (told >> 16) + (load_le32(in + At) & ((1ull << (told >> 8 & 0xff)) - 1)), n = told & 127;
  const u64 before = (u64)(out - window);
  if (SLUICE_LIKELY(far >= 16 && far <= before)) {  // an entry of literals says 16
    const u8* const literals = in + From;
    const u8* s = out - far;
    s = told & 128 ? literals : s;
    move16(out, s);
    move16(out + 16, s + 16);
    if (SLUICE_UNLIKELY(n > 32)) {
      move16(out + 32, s + 32);
      move16(out + 48, s + 48);
    }
  } else if (SLUICE_LIKELY(far - 1 < before && far < 16)) {
    copy_periodic(out, far, n);
  } else {
    return false;
  }
  in += size;
  out += n;
  return true;
}

// A plain token: `literals` bytes that stand From behind its start, and then a copy of Shortest and `more` from a distance, whose field of
// so many Bits stands At bytes behind the token's start, with Behind those and the literals, and is less than it by Added; a token
// without literals has Size bytes. `ahead`: the first byte of the token, and then of the next one, which is in a word that is loaded before it is known where.
// False: the distance is a bad one, and neither cursor is moved. `window` is kNearest or more: sources are compared as addresses.
constexpr u64 kPlainLiterals = 7, kPlainCopy = 16;  // at most
constexpr u64 kNearest = 1 << 20;
template <u64 From, u64 At, bool Behind, u32 Bits, bool Big, u64 Added, u64 Size, u64 Shortest>
SLUICE_INLINE bool take_plain(u8*& out, const u8* window, const Source&, Cursor& in, u64& ahead, u64 literals, u64 more) {
  static_assert(Bits % 8 == 0 && Bits <= 16 && Added + (1ull << Bits) <= kNearest, "addresses do not wrap");
  const u64 next = load_le64(in + Size);
  __builtin_memcpy(out, in + From, 8);
  const u8* const field = in + At + (Behind ? literals : 0);
  const u64 far = (Bits == 8 ? *field : Big ? load_be16(field) : load_le16(field)) + Added;
  u8* const to = out + literals;
  const u8* const from = to - far;
  if (SLUICE_UNLIKELY(from < window)) return false;
  if (SLUICE_LIKELY(far >= 16)) {
    move16(to, from);
  } else {
    if (SLUICE_UNLIKELY(far == 0)) return false;
    copy_periodic(to, far, Shortest + more);
  }
  ahead = next >> 8 * literals & 0xff;
  in += Size + literals;
  out = to + more + Shortest;
  return true;
}

SLUICE_INLINE u8* global(u8* p) { return p; }  // which memory a kernel's pointer is into
// `Count` times the same element.
template <u32 Elem, u32 Count> SLUICE_INLINE void fill_flat(u8* p, u64 v) {
  for (u32 i = 0; i < Count; ++i) __builtin_memcpy(p + Elem * i, &v, Elem);
}
// The place of a token's store to an array that has not been made: such a store is not put back.
constexpr u64 kNotStored = ~0ull;
template <typename T> SLUICE_INLINE void set(T* array, u64 i, T v) { array[i] = v; }

}  // namespace prim
