#pragma once
// Whole-buffer stages and symbol tables. Buffers hold the output's elements; every function works in place.

// In front of a loop over lanes: one copy of the body for each.
#if defined(__clang__)
#define SLUICE_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define SLUICE_UNROLLED _Pragma("GCC unroll 16")
#endif

namespace prim {

// ---- Output into a buffer ------------------------------------------------------------------------------------------

// Where output went before it was diverted.
struct Sink { u8* out; u64 produced, out_end, promised, window, dictionary_bytes; };

template <typename S> SLUICE_INLINE Sink divert(S& s, u8* buffer, u64 limit) {
  const Sink outer{s.out, s.produced, s.out_end, s.promised, s.window, s.dictionary_bytes};
  s.real_produced = s.produced;
  s.diverted = true;
  s.out = buffer;
  s.produced = s.window = s.dictionary_bytes = 0;
  s.out_end = s.promised = limit;
  return outer;
}
template <typename S> SLUICE_INLINE void restore(S& s, const Sink& outer) {
  s.diverted = false;
  s.out = outer.out;
  s.produced = outer.produced;
  s.out_end = outer.out_end;
  s.promised = outer.promised;
  s.window = outer.window;
  s.dictionary_bytes = outer.dictionary_bytes;
}

// Element i of a buffer, 0 past its count.
template <u32 Elem> SLUICE_INLINE u64 buffer_element(const u8* p, u64 count, u64 i) {
  u64 v = 0;
  if (i < count) __builtin_memcpy(&v, p + i * Elem, Elem);
  return v;
}

// ---- Symbols: byte strings of 1..8 bytes (FSST) -------------------------------------------------------------------

template <u32 Count>
struct Symbols {
  u8 length[Count];  // 0: never read
  u64 text[Count];   // first byte lowest
};

// 1: no such symbol, 2: no room.
template <bool Write, u32 Count, typename S>
SLUICE_INLINE u32 emit_symbol(S& s, const Symbols<Count>& symbols, u64 index) {
  const u64 n = symbols.length[index];
  if (n == 0) return 1;
  if (s.out_end - s.produced < n) return 2;
  if (Write)
    for (u64 i = 0; i < n; ++i) s.out[s.produced + i] = (u8)(symbols.text[index] >> (8 * i));
  s.produced += n;
  return 0;
}

// ---- Inverse move-to-front ------------------------------------------------------------------------------------------

// What an inverse move-to-front starts with: 0, 1, ... 255, or the first n <= 256 of an array.
SLUICE_INLINE void first_list(u8* list) {
  for (u32 i = 0; i < 256; ++i) list[i] = (u8)i;
}
template <typename T> SLUICE_INLINE void first_list(u8* list, const T* from, u64 n) {
  for (u64 i = 0; i < n && i < 256; ++i) list[i] = (u8)from[i];
}


// Are the 8 bytes of the word equal?
SLUICE_INLINE bool all_equal(u64 w) { return w == (w << 8 | w >> 56); }

// list[0..size) is the alphabet and is used up. 1: a position past the list.
SLUICE_COLD u32 inverse_mtf(u8* p, u64 n, u8* list, u64 size) {
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i) {
    const u64 at = p[i];
    if (SLUICE_UNLIKELY(at >= size)) return 1;
    const u8 v = list[at];
    p[i] = v;
    if (at == 0) {  // what stays in front comes in rows
      while (i + 9 <= n && load_le64(p + i + 1) == 0) {
        __builtin_memset(p + i + 1, v, 8);
        i += 8;
      }
      continue;
    }
    if (at < 8) {  // near the front, where most are: one word shifts by a byte
      u64 w = load_le64(list);
      const u64 moved = mask(8 * at + 8);
      w = (w & ~moved) | ((w << 8 | v) & moved);
      __builtin_memcpy(list, &w, 8);
    } else {
      __builtin_memmove(list + 1, list, at);
      list[0] = v;
    }
  }
  return 0;
}

// ---- Inverse Burrows-Wheeler transform as list ranking --------------------------------------------------------------
// The last column gives a permutation; the text is read off one walk over it, a chain of dependent loads that miss the
// caches. So the chain is cut at some hundred places and several pieces are walked at a time (Patel et al. 2012, 3.3, do
// the same with thousands of threads). A piece's place in the text is known only when all are walked, so it is written
// to pages, which are put in order at the end.

// Pieces walked side by side: enough to cover a load from the last-level cache.
constexpr u32 kBwtLanes = 12;
constexpr u32 kBwtPieces = 512;
constexpr u32 kBwtMark = 1u << 31;                  // a node at which a piece starts
constexpr u64 kBwtMostMarked = 1ull << 23;          // nodes beside mark and byte in 32 bits
static_assert(kBwtMostMarked << 8 <= (u64)kBwtMark, "next node, byte and mark share a word");
// A page is the power of two from n / 2048 on: between 1024 and 2048 of them hold n bytes.
constexpr u32 kBwtFullPages = 2048;
constexpr u32 kBwtPages = kBwtFullPages + kBwtPieces + 1;  // each piece may leave its last page unfilled
static_assert(kBwtFullPages / 2 >= kBwtPieces + 1, "twice n bytes hold all pages");

struct BwtPiece { u32 node, page, length, follower; };

// The pages: as many as there are in `spare`, then those in `column`, which nobody reads once the links are there.
struct BwtPages {
  u8 *spare, *column;
  u32 in_spare, size, used;
  u16 next[kBwtPages];
  u8* at(u32 p) const { return p < in_spare ? spare + (u64)p * size : column + (u64)(p - in_spare) * size; }
};

// A piece that is being walked: `to` is where in its page it writes next.
struct BwtLane { u32 node, id, page; u8 *to, *end; };

// column: n elements, replaced by the text. links: n words. spare: n bytes. 1: origin is no row.
SLUICE_COLD u32 inverse_bwt(u8* column, u64 n, u64 origin, u32* links, u8* spare) {
  if (origin >= n) return 1;
  u32 count[4][256];  // four histograms: equal neighbours don't wait for each other
  __builtin_memset(count, 0, sizeof count);
  u64 i = 0;
  // A row of equal bytes is one step: each would wait for what the one before it has stored.
  SLUICE_ROLLED
  for (; i + 8 <= n; i += 8) {
    if (all_equal(load_le64(column + i))) count[0][column[i]] += 8;
    else for (u64 k = 0; k < 8; ++k) count[k & 3][column[i + k]]++;
  }
  for (; i < n; ++i) count[0][column[i]]++;
  u32 start[256], sum = 0;
  for (int b = 0; b < 256; ++b) {
    start[b] = sum;
    sum += count[0][b] + count[1][b] + count[2][b] + count[3][b];
  }
  // links[j]: row j's first byte, and the row that starts with what follows it.
  SLUICE_ROLLED
  for (i = 0; i + 8 <= n; i += 8) {
    const u32 first = column[i];
    if (all_equal(load_le64(column + i))) {
      u32* const row = links + start[first];
      for (u32 k = 0; k < 8; ++k) row[k] = ((u32)i + k) << 8 | first;
      start[first] += 8;
    } else {
      for (u64 k = 0; k < 8; ++k) links[start[column[i + k]]++] = (u32)(i + k) << 8 | column[i + k];
    }
  }
  for (; i < n; ++i) links[start[column[i]]++] = (u32)i << 8 | column[i];

  const u64 wanted = n / 2048;
  if (wanted < 2 * kBwtLanes || n > kBwtMostMarked) {
    u32 node = (u32)origin;
    SLUICE_ROLLED
    for (i = 0; i < n; ++i) {
      const u32 e = links[node];
      column[i] = (u8)e;
      node = e >> 8;
    }
    return 0;
  }

  BwtPiece piece[kBwtPieces + 1];
  const u32 pieces = wanted < kBwtPieces ? (u32)wanted : kBwtPieces;
  u32 found = 0;
  piece[found++] = {(u32)origin, 0, 0, 0};
  links[origin] |= kBwtMark;
  for (u32 k = 0; k < pieces; ++k) {
    const u32 j = (u32)(n * k / pieces);
    if (links[j] & kBwtMark) continue;
    links[j] |= kBwtMark;
    piece[found++] = {j, 0, 0, 0};
  }
  BwtPages pages;
  pages.spare = spare;
  pages.column = column;
  pages.size = 1;
  while ((u64)pages.size * kBwtFullPages < n) pages.size *= 2;
  pages.in_spare = (u32)(n / pages.size);
  pages.used = 0;

  BwtLane lane[kBwtLanes];
  u32 live = 0, next = 0;
  const auto begin = [&](BwtLane& l) {  // at its own mark: the first step does not look
    const u32 id = next++;
    const u32 e = links[piece[id].node];
    l.id = id;
    piece[id].page = l.page = pages.used++;
    l.to = pages.at(l.page);
    l.end = l.to + pages.size;
    *l.to++ = (u8)e;
    l.node = (e & ~kBwtMark) >> 8;
  };
  while (live < kBwtLanes) begin(lane[live++]);
  const auto turn = [&](BwtLane& l) {
    const u32 p = pages.used++;
    pages.next[l.page] = (u16)p;
    l.page = p;
    l.to = pages.at(p);
    l.end = l.to + pages.size;
  };
  const auto finish = [&](u32 k) {  // false: no lane is left over for it
    BwtLane& l = lane[k];
    u32 f = 0;
    while (piece[f].node != l.node) ++f;
    piece[l.id].follower = f;
    piece[l.id].length += (u32)(pages.size - (u64)(l.end - l.to));
    if (next < found) begin(l);
    else lane[k] = lane[--live];
  };
  while (live == kBwtLanes) {
    // As many steps as all lanes have room for in their pages, or until one meets a mark.
    u64 steps = ~0ull;
    for (u32 k = 0; k < kBwtLanes; ++k) {
      if (lane[k].to == lane[k].end) { piece[lane[k].id].length += pages.size; turn(lane[k]); }
      const u64 room = (u64)(lane[k].end - lane[k].to);
      if (room < steps) steps = room;
    }
    u32 node[kBwtLanes];
    u8* to[kBwtLanes];
SLUICE_UNROLLED
    for (u32 k = 0; k < kBwtLanes; ++k) { node[k] = lane[k].node; to[k] = lane[k].to; }
    u64 done = 0;
    for (; done < steps; ++done) {
      u32 e[kBwtLanes], any = 0;
SLUICE_UNROLLED
      for (u32 k = 0; k < kBwtLanes; ++k) { e[k] = links[node[k]]; any |= e[k]; }
      if (SLUICE_UNLIKELY(any & kBwtMark)) break;
SLUICE_UNROLLED
      for (u32 k = 0; k < kBwtLanes; ++k) { to[k][done] = (u8)e[k]; node[k] = e[k] >> 8; }
    }
SLUICE_UNROLLED
    for (u32 k = 0; k < kBwtLanes; ++k) { lane[k].node = node[k]; lane[k].to = to[k] + done; }
    if (done == steps) continue;
    for (u32 k = 0; k < live; ++k)
      if (links[lane[k].node] & kBwtMark) { finish(k); if (live < kBwtLanes) break; }
  }
  while (live > 0) {
    for (u32 k = 0; k < live; ++k) {
      BwtLane& l = lane[k];
      const u32 e = links[l.node];
      if (e & kBwtMark) { finish(k--); continue; }
      if (l.to == l.end) { piece[l.id].length += pages.size; turn(l); }
      *l.to++ = (u8)e;
      l.node = e >> 8;
    }
  }
  // The links are done with, and there is room for the text. The walk from the origin may come round before n.
  u8* text = (u8*)links;
  u64 total = 0;
  for (u32 f = 0; total < n;) {
    u64 left = piece[f].length;
    for (u32 p = piece[f].page; left > 0; p = pages.next[p]) {
      const u64 part = left < pages.size ? left : pages.size;
      __builtin_memcpy(text + total, pages.at(p), part);
      total += part;
      left -= part;
    }
    f = piece[f].follower;
    if (f == 0) break;
  }
  __builtin_memcpy(column, text, total);
  for (i = total; i < n; ++i) column[i] = column[i - total];
  return 0;
}

// ---- Prefix sum, frame of reference, gather ---------------------------------------------------------------------------

template <u32 Elem> SLUICE_INLINE u64 element(const u8* p, u64 i) { u64 v = 0; __builtin_memcpy(&v, p + i * Elem, Elem); return v; }

template <u32 Elem> SLUICE_COLD void prefix_sum(u8* p, u64 n, u64 sum) {
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i) {
    sum += element<Elem>(p, i);
    store<Elem>(p + i * Elem, sum);
  }
}

template <u32 Elem> SLUICE_COLD void add_each(u8* p, u64 n, u64 value) {
  for (u64 i = 0; i < n; ++i) store<Elem>(p + i * Elem, element<Elem>(p, i) + value);
}

// 1: an index past the buffer gathered from.
template <u32 Elem> SLUICE_COLD u32 gather(u8* p, u64 n, const u8* from, u64 size) {
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i)
    if (element<Elem>(p, i) >= size) return 1;
  SLUICE_ROLLED
  for (u64 i = 0; i < n; ++i) store<Elem>(p + i * Elem, element<Elem>(from, element<Elem>(p, i)));
  return 0;
}

// ---- A buffer to the output ---------------------------------------------------------------------------------------------

// 1: no room, and nothing is written.
template <bool Write, u32 Elem, typename S> SLUICE_COLD u32 emit_all(S& s, const u8* p, u64 n) {
  if (n > s.out_end - s.produced) return 1;
  if (Write && n) __builtin_memcpy(s.out + s.produced * Elem, p, n * Elem);
  s.produced += n;
  return 0;
}

// Where from i on four equal elements stand first; n when nowhere.
template <u32 Elem> SLUICE_INLINE u64 next_run(const u8* p, u64 i, u64 n) {
  if (Elem == 1) {
    SLUICE_ROLLED
    for (; i + 11 <= n; i += 8) {
      const u64 w = load_le64(p + i);
      const u64 differs = (w ^ load_le64(p + i + 1)) | (w ^ load_le64(p + i + 2)) | (w ^ load_le64(p + i + 3));
      const u64 zero = (differs - 0x0101010101010101ull) & ~differs & 0x8080808080808080ull;
      if (zero) return i + (u64)(__builtin_ctzll(zero) >> 3);  // the lowest bit is exact
    }
  }
  SLUICE_ROLLED
  for (; i + 4 <= n; ++i) {
    const u64 v = element<Elem>(p, i);
    if (v == element<Elem>(p, i + 1) && v == element<Elem>(p, i + 2) && v == element<Elem>(p, i + 3)) return i;
  }
  return n;
}

// Runs: after 4 equal elements the next says how many more follow (bzip2's first stage). What has no room is counted still, for
// where the buffer ends is asked first.
// 1: no room, 2: the buffer ends where a count should stand; nothing is produced then.
template <bool Write, u32 Elem, typename S> SLUICE_COLD u32 emit_runs(S& s, const u8* p, u64 n) {
  constexpr u64 kMostMore = 255;
  const u64 room = s.out_end - s.produced;
  u8* const d = Write ? s.out + s.produced * Elem : nullptr;
  u64 size = 0;
  SLUICE_ROLLED
  for (u64 from = 0; from < n;) {
    const u64 run = next_run<Elem>(p, from, n);
    if (run < n && run + 4 == n) return 2;
    const u64 to = run < n ? run + 4 : n, plain = to - from, more = run < n ? element<Elem>(p, to) & kMostMore : 0;
    const u64 at = size;
    size += plain + more;
    if (Write && size <= room) {
      if (Elem == 1 && to + kCopySlack <= n && room - size >= kCopySlack) {
        copy_wide(d + at, p + from, plain);
        if (run < n) fill_wide(d + at + plain, p[run], more);
      } else {
        __builtin_memcpy(d + at * Elem, p + from * Elem, plain * Elem);
        SLUICE_ROLLED
        for (u64 k = at + plain; k < size; ++k) store<Elem>(d + k * Elem, element<Elem>(p, run));
      }
    }
    from = run < n ? to + 1 : n;
  }
  if (size > room) return 1;
  s.produced += size;
  return 0;
}

}  // namespace prim
