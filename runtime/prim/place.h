#pragma once
// Where token loops put output. One text reads a token in two ways: decoded whole, `out` is an address; walked for its size
// alone, it is a Place, at which nothing is ever stored. Both move through the same tests. Of every target.

namespace prim {

// A number of bytes of output that nobody keeps.
struct Place {
  u64 at;
  SLUICE_METHOD Place& operator+=(u64 n) { at += n; return *this; }
  SLUICE_METHOD Place operator+(u64 n) const { const Place p = {at + n}; return p; }
  SLUICE_METHOD Place operator-(u64 n) const { const Place p = {at - n}; return p; }
  SLUICE_METHOD u64 operator-(const Place& other) const { return at - other.at; }
  SLUICE_METHOD bool operator==(const Place& other) const { return at == other.at; }
  SLUICE_METHOD bool operator<(const Place& other) const { return at < other.at; }
  SLUICE_METHOD bool operator<=(const Place& other) const { return at <= other.at; }
  SLUICE_METHOD bool operator>(const Place& other) const { return at > other.at; }
};

// Element n of the output, the end of the room that it has, and how many bytes lie before a place in it.
template <bool Write> struct Output {
  template <u32 Elem, typename S> static SLUICE_METHOD auto element(const S& s, u64 n) { return global(s.out) + n * Elem; }
  template <u32 Elem, typename S> static SLUICE_METHOD auto end(const S& s) { return global(s.out) + s.out_end * Elem; }
  template <typename S> static SLUICE_METHOD u64 bytes(const S& s, const u8* p) { return (u64)(p - s.out); }
  static SLUICE_METHOD u64 bytes(const u8* first, const u8* p) { return (u64)(p - first); }
  // Of places that are neither address nor number (cuda/sink.h).
  template <typename S, typename P> static SLUICE_METHOD auto bytes(const S& from, const P& p) -> decltype(p.since(from)) { return p.since(from); }
};
template <> struct Output<false> {
  template <u32 Elem, typename S> static SLUICE_METHOD Place element(const S&, u64 n) { const Place p = {n * Elem}; return p; }
  // Whoever counts may have no limit: so much as still is a number of bytes, and the checked path goes on from there.
  template <u32 Elem, typename S> static SLUICE_METHOD Place end(const S& s) {
    const Place p = {(s.out_end < ~0ull / Elem ? s.out_end : ~0ull / Elem) * Elem};
    return p;
  }
  template <typename S> static SLUICE_METHOD u64 bytes(const S&, Place p) { return p.at; }
  static SLUICE_METHOD u64 bytes(const u8*, Place p) { return p.at; }
};

template <u32 Elem> SLUICE_INLINE void store(Place, u64) {}
template <u32 Elem> SLUICE_INLINE void store_lane(Place, u64) {}
SLUICE_INLINE void put(Place, u64, u64) {}
template <typename S, typename C> SLUICE_INLINE void move_short(Place, S&, C, u64) {}
template <typename S, typename C> SLUICE_INLINE void literals_short(Place, S&, C, u64) {}
template <typename S, typename C> SLUICE_INLINE void literals(Place, S&, C, u64) {}
SLUICE_INLINE void slice_short(Place, const u8*, u64) {}
SLUICE_INLINE void slice(Place, const u8*, u64) {}
template <u32 Elem> SLUICE_INLINE void fill(Place, u64, u64, u64) {}
SLUICE_INLINE void fill_wide(Place, u64, u64) {}
template <u32 Elem> SLUICE_INLINE void fill_equal(Place, u64, u64) {}
template <u32 Elem, u32 Count> SLUICE_INLINE void fill_flat(Place, u64) {}
template <u32 Size> SLUICE_INLINE void fill_group(Place, u64, u64) {}
template <typename L> SLUICE_INLINE void copy_match(L&, Place, u64, u64) {}
template <typename L> SLUICE_INLINE void copy_steps(L&, Place, u64, u64) {}
template <u64 From, u64 At, typename S, typename C> SLUICE_INLINE bool take_told(const u64*, const u8*, Place, Place, const S&, C&) { return false; }
template <typename T> SLUICE_INLINE bool too_far(u64 distance, Place out, Place window) {
  return distance - 1 >= out.at - window.at;
}

}  // namespace prim
