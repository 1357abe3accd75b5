#pragma once
// Output of parts that are counted first and then written: literals go where they belong, one by one, and copies wait
// for the other lanes' literals (../cuda/parts.h).

namespace prim {

// Where a part's output begins is not known while it is counted. From this element on, copies reach back as far as they
// like, in 32 bits too; those that reach too far are found when the part is written.
constexpr u64 kAnyPlace = 1ull << 31;
constexpr u64 kMaxOfPart = 1ull << 30;  // elements; all parts of a group: 32 bits and no more

// Where output goes that is written in place, if it is written.
template <bool Write> struct Direct {
  u8* at;
  bool writes;

  SLUICE_METHOD operator u8*() const { return at; }
  SLUICE_METHOD Direct& operator+=(u64 n) {
    at += n;
    return *this;
  }
};
template <bool Write, typename S> SLUICE_INLINE Direct<Write> direct_output(const S& s, u8* at) { return {at, s.writes}; }
template <bool Write> SLUICE_INLINE void flush(const Direct<Write>&) {}
template <u32 Elem, bool Write> SLUICE_INLINE void store(const Direct<Write>& o, u64 v) {
  if (Write && o.writes) store_lane<Elem>(global(o.at), v);
}
template <bool Write> SLUICE_INLINE void put(const Direct<Write>& o, u64 v, u64 n) {
  if (Write && o.writes) put(global(o.at), v, n);
}
template <u32 Elem, bool Write> SLUICE_INLINE void fill(const Direct<Write>& o, u64 first, u64 by, u64 n) {
  if (!Write || !o.writes) return;
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i) store_lane<Elem>(global(o.at) + Elem * i, first + i * by);
}
template <bool Write> SLUICE_INLINE void fill_wide(const Direct<Write>& o, u64 v, u64 n) { fill<1>(o, v, 0, n); }

// The copies of a part so far. More than there is room for are counted and not kept: the part then is not sound.
template <bool Write> struct PendingPartCopies {
  u8* base;  // targets count from here
  u32 count;
  bool writes;  // false: nothing is kept
};
template <bool Write> SLUICE_INLINE void put_off(PendingPartCopies<Write>& copies, const u8* to, u64 distance, u64 n) {
  if (!Write || !copies.writes) return;
  if (copies.count < kPartCopies) {
    PendingPartCopy* const w = pending_of() + copies.count * kLanes + lane();
    w->to = (u32)(to - copies.base);
    w->what = (u32)distance | (u32)n << kDistanceBits;
  }
  ++copies.count;
}
template <bool Write, typename S> SLUICE_INLINE PendingPartCopies<Write> pending_copies(const S& s) { return {s.copy_base, s.copies, s.writes}; }
// Those of a token that is left undone are dropped: it is done again.
template <bool Write, typename S> SLUICE_INLINE void give_back(S& s, PendingPartCopies<Write>& copies, const u8* end) {
  if (!Write || !copies.writes) return;
  SLUICE_ROLLED
  while (copies.count > 0 && copies.count <= kPartCopies &&
         pending_of()[(copies.count - 1) * kLanes + lane()].to >= (u32)(end - copies.base))
    --copies.count;
  s.copies = copies.count;
}
template <bool Write> SLUICE_INLINE void copy_match(PendingPartCopies<Write>& copies, const u8* d, u64 distance, u64 n) {
  put_off(copies, d, distance, n);
}

// n elements from `distance` back. 1: bad distance, 2: no room.
template <bool Write, u32 Elem, typename S> SLUICE_COLD u32 copy(S& s, u64 distance, u64 n, u64 farthest) {
  static_assert(Elem == 1, "copies of bytes");
  if (distance - 1 >= s.produced - s.window || distance > farthest) return 1;
  if (n > s.out_end - s.produced) return 2;
  if (Write) {
    PendingPartCopies<Write> copies = pending_copies<Write>(s);
    put_off(copies, s.out + s.produced, distance, n);
    s.copies = copies.count;
  }
  s.produced += n;
  return 0;
}

}  // namespace prim
