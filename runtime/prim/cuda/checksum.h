#pragma once
// Checksums of contiguous bytes for a warp: the names and results of ../checksum.h. Every function is called by all
// workers with equal arguments, and all get the sum. Of a block's warps each computes it.
//
// The bytes up to the first aligned word and those behind the last are taken one by one. In between lane l reads the
// words l, l + 32, ...: a line of 128 bytes at a time, in batches of lines, the next batch (kBatchesAhead: the next two) being on
// its way while one is summed up. Lines are counted from the end, so that the first batch is the one that may be incomplete:
// absent words are zeros in front, which change nothing.
//   note [leave early]: what the compiler takes out of all loops it puts where the function begins, and there it does not know the
// warp together, so that every load would bring what it needs out of the lanes' registers. Behind a branch it does.

namespace prim {

// What a warp has on its way covers the memory's latency: 2 KiB. As many lines as CRCs are folded over.
constexpr u32 kBatchLines = 18, kBatchWords = kBatchLines * kLanes;

// Batches on their way. Kernels of Deflate's kind have few warps, for tables and steps fill shared memory: so each waits for
// more, and has the registers. Others have 48 of a thread.
#ifdef SLUICE_SHORT_ENTRIES
constexpr u32 kBatchesAhead = 2;
#else
constexpr u32 kBatchesAhead = 1;
#endif

// One lane's words of a batch. `at` is the index of the lane's first one: negative in front of the words. The last batch ends
// with them, so of the first one no more than those in front are absent.
struct WordBatch {
  u32 w[kBatchLines];
};
SLUICE_INLINE WordBatch first_batch(const u32* words, i64 at) {
  const i32 first = (i32)at;
  WordBatch b;
SLUICE_UNROLLED
  for (u32 j = 0; j < kBatchLines; ++j) b.w[j] = first + (i32)(j * kLanes) >= 0 ? words[at + j * kLanes] : 0;
  return b;
}
// One that is not the first: all its words are there.
SLUICE_INLINE WordBatch whole_batch(const u32* words, u64 at) {
  WordBatch b;
SLUICE_UNROLLED
  for (u32 j = 0; j < kBatchLines; ++j) b.w[j] = words[at + j * kLanes];
  return b;
}
// The lane's first word of the first batch.
SLUICE_INLINE i64 first_word(u64 count) { return (i64)lane() - (i64)((kBatchWords - count % kBatchWords) % kBatchWords); }
SLUICE_INLINE u64 batches_of(u64 count) { return (count + kBatchWords - 1) / kBatchWords; }
// Bytes in front of the first aligned word, at most n.
SLUICE_INLINE u32 unaligned_bytes(const u8* p, u64 n) {
  const u32 head = (u32)(0 - (u64)p) & 3;
  return n < head ? (u32)n : head;
}

// The bytes are what the chunk's other workers wrote, of whom the last store may have no barrier behind it.
SLUICE_INLINE void open_bytes() {
  sync();
  converge();
}

// The sum of `v` over the lanes, and the exclusive or, in every lane.
SLUICE_INLINE u32 sum_lanes(u32 v) { return __reduce_add_sync(kAll, v); }
SLUICE_INLINE u32 xor_lanes(u32 v) { return __reduce_xor_sync(kAll, v); }

// ---- Adler-32 (RFC 1950, 8.2) ---------------------------------------------------------------------------------------

// Each lane keeps the sum s of its bytes, the sum t over the lines of s before the line, and the bytes u weighted by
// their place in the word. A byte of place j of lane l, k lines before the last, adds 128 k + 128 - 4 l - j times
// itself to b, so that b is the sum over the lanes of 128 t + (128 - 4 l) s - u.
constexpr u32 kAdlerModulus = 65521;
struct AdlerSums {
  u32 s, t, u;
  u32 run;  // batches up to the next reduction

  SLUICE_METHOD void reduce() {
    s %= kAdlerModulus;
    t %= kAdlerModulus;
    u %= kAdlerModulus;
  }
};
// Lines between two reductions: at most 1020 a line onto s, and s, below 65521 at first, onto t.
constexpr u32 kRunBatches = 112, kRunLines = kRunBatches * kBatchLines;
static_assert(65520ull + kRunLines * 65520ull + 1020ull * kRunLines * (kRunLines + 1) / 2 < (1ull << 32), "t");

// Sums up a batch. In its place comes the kBatchesAhead-th one behind it, if there is one, line by line. `left`: batches behind it.
SLUICE_INLINE void adler_batch(AdlerSums& sums, WordBatch& batch, const u32* words, i64& at, u64 left) {
  const bool more = left >= kBatchesAhead;
  const u32* const from = words + at + kBatchesAhead * (i64)kBatchWords;
SLUICE_UNROLLED
  for (u32 j = 0; j < kBatchLines; ++j) {
    sums.t += sums.s;
    sums.s = __dp4a(batch.w[j], 0x01010101u, sums.s);
    sums.u = __dp4a(batch.w[j], 0x03020100u, sums.u);
    if (more) batch.w[j] = from[j * kLanes];
  }
  at += kBatchWords;
  if (--sums.run == 0) {
    sums.run = kRunBatches;
    sums.reduce();
  }
}

SLUICE_COLD u32 adler32(const u8* p, u64 n) {
  constexpr u32 kModulus = kAdlerModulus, kLine = 4 * kLanes;
  open_bytes();
  p = global(uniform(p));
  n = uniform64(n);
  if (n == 0) return 1;  // note [leave early]
  u32 a = 1, b = 0;
  for (u32 head = unaligned_bytes(p, n); head > 0; --head, --n) { a += *p++; b += a; }
  const u32* words = (const u32*)p;
  const u64 count = n >> 2;
  if (count > 0) {
    AdlerSums sums = {0, 0, 0, kRunBatches};
    i64 at = first_word(count);
    u64 left = batches_of(count) - 1;  // behind the one that is summed up next
    WordBatch next = first_batch(words, at), after = {};
    if (kBatchesAhead == 2 && left != 0) after = whole_batch(words, (u64)(at + kBatchWords));
    SLUICE_ROLLED
    for (;; --left) {
      adler_batch(sums, next, words, at, left);
      if (left == 0) break;
      if (kBatchesAhead == 1) continue;
      adler_batch(sums, after, words, at, --left);
      if (left == 0) break;
    }
    sums.reduce();
    const u32 mine = (kLine * sums.t + (kLine - 4 * lane()) * sums.s + kModulus - sums.u) % kModulus;
    b = (u32)((b + (count * 4 % kModulus) * a + sum_lanes(mine)) % kModulus);
    a = (a + sum_lanes(sums.s)) % kModulus;
  }
  p += count * 4;
  for (u32 tail = (u32)n & 3; tail > 0; --tail) { a += *p++; b += a; }
  sync();
  return (b % kModulus) << 16 | a % kModulus;
}

// ---- CRCs -----------------------------------------------------------------------------------------------------------

// Polynomials modulo P, reflected: bit 31 is the coefficient of 1.
constexpr __device__ u32 crc_times_x(u32 v, u32 polynomial) { return v & 1 ? v >> 1 ^ polynomial : v >> 1; }
constexpr __device__ u32 crc_times(u32 a, u32 b, u32 polynomial) {
  u32 r = 0;
  SLUICE_ROLLED
  for (u32 i = 0; i < 32; ++i) {
    if (a >> 31) r ^= b;
    a <<= 1;
    b = crc_times_x(b, polynomial);
  }
  return r;
}

// Of the tables for a line's step, lane v keeps entry v in registers: a look-up is a shuffle, which takes the five bits
// it needs from the number it is given.
constexpr u32 kCrcParts = 7;  // of five bits, the last of two
struct CrcTables {
  u32 line[kCrcParts][kLanes];  // v in the bits from 5 j on, times x^1024: a line on
  u32 nibble[16];     // nibble v, times x^4
  u32 lanes[kLanes];  // x^(32 (32 - l)): what a word of lane l is short of at the line's end
};
constexpr __device__ CrcTables make_crc_tables(u32 polynomial) {
  CrcTables r{};
  u32 word = 1u << 31;  // x^0, and then x^32 (32 - l)
  for (u32 l = kLanes; l-- > 0;) {
    for (u32 i = 0; i < 32; ++i) word = crc_times_x(word, polynomial);
    r.lanes[l] = word;
  }
  for (u32 j = 0; j < kCrcParts; ++j) {
    for (u32 bit = 1; bit < kLanes; bit *= 2) {
      const u32 product = crc_times(bit << (5 * j), word, polynomial);  // 0 for bits above the word's
      for (u32 v = 0; v < bit; ++v) r.line[j][bit + v] = r.line[j][v] ^ product;
    }
  }
  for (u32 v = 0; v < 16; ++v) {
    u32 c = v;
    for (u32 k = 0; k < 4; ++k) c = crc_times_x(c, polynomial);
    r.nibble[v] = c;
  }
  return r;
}

// Templates from here on, so that only what is in use is computed and compiled.
template <u32 Polynomial>
SLUICE_TABLE CrcTables kCrcTables = make_crc_tables(Polynomial);

// Msb: the most significant bit of a byte is its first. With each byte's bits, and the sum's, turned round this is the
// reflected CRC of the same polynomial.
template <bool Msb>
SLUICE_INLINE u32 crc_bytes(const CrcTables& k, u32 c, const u8* p, u32 n) {
  SLUICE_ROLLED
  for (u32 i = 0; i < n; ++i) {
    c ^= Msb ? __brev(p[i]) >> 24 : p[i];
    c = c >> 4 ^ k.nibble[c & 15];
    c = c >> 4 ^ k.nibble[c & 15];
  }
  return c;
}
struct CrcLine {
  u32 part[kCrcParts];  // this lane's entries
};
SLUICE_INLINE u32 crc_line_on(const CrcLine& t, u32 c) {
  u32 r = 0;
SLUICE_UNROLLED
  for (u32 j = 0; j < kCrcParts; ++j) r ^= shfl(t.part[j], c >> (5 * j));
  return r;
}
// A word with the first bit of each byte where a reflected CRC has it. Doing it twice changes nothing.
template <bool Msb>
SLUICE_INLINE u32 crc_turned(u32 w) { return Msb ? swap32(__brev(w)) : w; }

// A word need not be multiplied all the way to the end: with y = x^32, where the sum of y^-d over some distances d is 1 modulo the
// polynomial, the word may be added to the words so many places behind it instead. Of these distances all but two are whole
// lines, which stay in the lane. They were found by trying sums of 5 and 6 lines against those of two words.
template <u32 Polynomial> struct CrcFold;
template <> struct CrcFold<0xedb88320u> {
  static constexpr u32 kLines = 1u << 1 | 1u << 6 | 1u << 8 | 1u << 12 | 1u << 17 | 1u << 18, kFirst = 183, kSecond = 406;
};
template <> struct CrcFold<0x82f63b78u> {
  static constexpr u32 kLines = 1u << 4 | 1u << 6 | 1u << 8 | 1u << 11 | 1u << 15, kFirst = 153, kSecond = 481;
};
// What the words so many places before a line's add to it. Of the lines before it, line i is in lines[i % kBatchLines]. Behind: of
// those before the batch alone, whose `line`-th it is.
template <u32 Distance, bool Behind> SLUICE_INLINE u32 crc_words_before(const u32 (&lines)[kBatchLines], u32 line) {
  constexpr u32 d = Distance / kLanes, lanes = Distance % kLanes;  // the last lanes' words go one line farther
  static_assert(d != 0 && d < kBatchLines, "they are of lines before it, as far as those are kept");
  if (Behind && d + 1 <= line) return 0;
  const u32 near = Behind && d <= line ? 0 : lines[(line + kBatchLines - d) % kBatchLines];
  const u32 far = lines[(line + 2 * kBatchLines - d - 1) % kBatchLines];
  return shfl(lane() < kLanes - lanes ? near : far, lane() - lanes);
}
// All that is added to it.
template <typename Fold, bool Behind> SLUICE_INLINE u32 crc_folded(const u32 (&lines)[kBatchLines], u32 line) {
  static_assert(Fold::kLines >> (kBatchLines + 1) == 0 && (Fold::kLines & 1) == 0, "likewise");
  u32 sum = crc_words_before<Fold::kFirst, Behind>(lines, line) ^ crc_words_before<Fold::kSecond, Behind>(lines, line);
  SLUICE_UNROLLED
  for (u32 d = 1; d <= kBatchLines; ++d)
    if ((Fold::kLines >> d & 1) != 0 && (!Behind || d > line)) sum ^= lines[(line + kBatchLines - d) % kBatchLines];
  return sum;
}

// Folds a batch that is not the last one. In its place comes the kBatchesAhead-th one behind it, if there is one, line by line.
template <bool Msb, typename Fold>
SLUICE_INLINE void crc_fold_batch(u32 (&lines)[kBatchLines], WordBatch& batch, const u32* words, i64& at, u64& left) {
  const bool more = left >= kBatchesAhead;
  const u32* const from = words + at + kBatchesAhead * (i64)kBatchWords;
SLUICE_UNROLLED
  for (u32 j = 0; j < kBatchLines; ++j) {
    lines[j] = crc_folded<Fold, false>(lines, j) ^ crc_turned<Msb>(batch.w[j]);
    if (more) batch.w[j] = from[j * kLanes];
  }
  at += kBatchWords;
  --left;
}

template <bool Msb, typename Fold>
SLUICE_INLINE u32 crc_words(const CrcTables& k, u32 polynomial, u32 c, const u32* words, u64 count) {
  CrcLine t;
SLUICE_UNROLLED
  for (u32 j = 0; j < kCrcParts; ++j) t.part[j] = k.line[j][lane()];
  i64 at = first_word(count);
  u64 left = batches_of(count) - 1;  // behind the one that is folded next
  WordBatch next = first_batch(words, at), after = {};
  if (kBatchesAhead == 2 && left != 0) after = whole_batch(words, (u64)(at + kBatchWords));
SLUICE_UNROLLED
  for (u32 j = 0; j < kBatchLines; ++j)  // the sum of what is in front comes in with the first word
    if ((i32)at + (i32)(j * kLanes) == 0) next.w[j] ^= crc_turned<Msb>(c);
  u32 lines[kBatchLines] = {};
  SLUICE_ROLLED
  while (left != 0) {
    crc_fold_batch<Msb, Fold>(lines, next, words, at, left);
    if (kBatchesAhead == 1) continue;
    if (left == 0) {
      next = after;
      break;
    }
    crc_fold_batch<Msb, Fold>(lines, after, words, at, left);
  }
  // Of the last batch line after line: the lane's sums stand in its memory, for a loop that is not unrolled.
SLUICE_UNROLLED
  for (u32 j = 0; j < kBatchLines; ++j) next.w[j] = crc_folded<Fold, true>(lines, j) ^ crc_turned<Msb>(next.w[j]);
  u32 mine = 0;
  SLUICE_ROLLED
  for (u32 j = 0; j < kBatchLines; ++j) mine = crc_line_on(t, mine) ^ next.w[j];
  return xor_lanes(crc_times(mine, k.lanes[lane()], polynomial));
}

template <bool Msb, u32 Polynomial>
SLUICE_INLINE u32 crc_warp(const u8* p, u64 n) {
  const CrcTables& k = kCrcTables<Polynomial>;
  open_bytes();
  p = global(uniform(p));
  n = uniform64(n);
  if (n == 0) return 0;  // note [leave early]
  const u32 head = unaligned_bytes(p, n);
  u32 c = crc_bytes<Msb>(k, ~0u, p, head);
  p += head;
  n -= head;
  if (n >= 4) c = crc_words<Msb, CrcFold<Polynomial>>(k, Polynomial, c, (const u32*)p, n >> 2);
  c = ~crc_bytes<Msb>(k, c, p + (n & ~3ull), (u32)n & 3);
  sync();
  return Msb ? __brev(c) : c;
}

// CRC-32 (ISO-HDLC; gzip, PNG), polynomial 0x04c11db7 reflected.
constexpr u32 kCrc32Polynomial = 0xedb88320u;
template <u32 Polynomial = kCrc32Polynomial>
SLUICE_COLD u32 crc32(const u8* p, u64 n) { return crc_warp<false, Polynomial>(p, n); }

// bzip2's CRC: the polynomial of CRC-32, most significant bit first.
template <u32 Polynomial = kCrc32Polynomial>
SLUICE_COLD u32 crc32_bzip2(const u8* p, u64 n) { return crc_warp<true, Polynomial>(p, n); }

// CRC-32C (Castagnoli; iSCSI, Snappy framing), polynomial 0x1edc6f41 reflected.
constexpr u32 kCrc32cPolynomial = 0x82f63b78u;
template <u32 Polynomial = kCrc32cPolynomial>
SLUICE_COLD u32 crc32c(const u8* p, u64 n) { return crc_warp<false, Polynomial>(p, n); }

// ---- xxHash32 with seed 0 (LZ4 frames) --------------------------------------------------------------------------------

SLUICE_INLINE u32 rotate_left(u32 x, u32 r) { return __funnelshift_l(x, x, r); }

// Little-endian word i of the bytes at p, which may be at any address.
SLUICE_INLINE u32 word_at(const u8* p, u64 i) {
  p += 4 * i;
  if (((u64)p & 3) == 0) return *(const u32*)p;
  return p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

// Four sums, each over every fourth word: lane l has sum l mod 4. Words come a line at a time and go to the lanes that
// add them by shuffles.
constexpr u32 kXxhLines = 4, kXxhWords = kXxhLines * kLanes;  // on their way
constexpr u32 kXxhStripes = kLanes / 4;                        // of four words, in a line
constexpr u32 kXxhOfNothing = 0x02cc5d05u;                     // the sum of no bytes
constexpr u32 kXxh1 = 0x9e3779b1u, kXxh2 = 0x85ebca77u;

struct XxhBatch {
  u32 w[kXxhLines];
};
SLUICE_INLINE XxhBatch xxh_batch(const u8* p, u64 at) {
  XxhBatch b;
  p += 4 * (at + lane());
  if (((u64)p & 3) == 0) {
SLUICE_UNROLLED
    for (u32 j = 0; j < kXxhLines; ++j) b.w[j] = ((const u32*)p)[j * kLanes];
  } else {
SLUICE_UNROLLED
    for (u32 j = 0; j < kXxhLines; ++j) b.w[j] = word_at(p, j * kLanes);
  }
  return b;
}
// `line`: the lane's word times kXxh2; `from`: the lane that has the stripe's word for this lane's sum.
SLUICE_INLINE u32 xxh_stripe(u32 v, u32 line, u32 from) { return rotate_left(v + shfl(line, from), 13) * kXxh1; }

SLUICE_COLD u32 xxh32(const u8* p, u64 n) {
  constexpr u32 k3 = 0xc2b2ae3du, k4 = 0x27d4eb2fu, k5 = 0x165667b1u;
  open_bytes();
  p = global(uniform(p));
  n = uniform64(n);
  if (n == 0) return kXxhOfNothing;  // note [leave early]
  u32 h = k5;
  if (n >= 16) {
    const u64 words = n >> 4 << 2;
    const u32 sum = lane() & 3;
    u32 v = sum == 0 ? kXxh1 + kXxh2 : sum == 1 ? kXxh2 : sum == 2 ? 0 : 0 - kXxh1;
    u64 at = 0;
    XxhBatch next{};
    if (words >= kXxhWords) next = xxh_batch(p, 0);
    SLUICE_ROLLED
    for (; words - at >= kXxhWords; at += kXxhWords) {
      const XxhBatch now = next;
      if (words - at >= 2 * kXxhWords) next = xxh_batch(p, at + kXxhWords);
SLUICE_UNROLLED
      for (u32 j = 0; j < kXxhLines; ++j) {
        const u32 line = now.w[j] * kXxh2;
SLUICE_UNROLLED
        for (u32 s = 0; s < kXxhStripes; ++s) v = xxh_stripe(v, line, 4 * s + sum);
      }
    }
    SLUICE_ROLLED
    for (; at < words; at += kLanes) {
      const u32 line = at + lane() < words ? word_at(p, at + lane()) * kXxh2 : 0;
      const u32 stripes = words - at >= kLanes ? kXxhStripes : (u32)(words - at) / 4;
      SLUICE_ROLLED
      for (u32 s = 0; s < stripes; ++s) v = xxh_stripe(v, line, 4 * s + sum);
    }
    h = rotate_left(shfl(v, 0), 1) + rotate_left(shfl(v, 1), 7) + rotate_left(shfl(v, 2), 12) +
        rotate_left(shfl(v, 3), 18);
    p += words * 4;
  }
  h += (u32)n;
  n &= 15;
  SLUICE_ROLLED
  for (; n >= 4; n -= 4, p += 4) h = rotate_left(h + word_at(p, 0) * k3, 17) * k4;
  SLUICE_ROLLED
  for (; n > 0; --n, ++p) h = rotate_left(h + *p * k5, 11) * kXxh1;
  sync();
  h = (h ^ h >> 15) * kXxh2;
  h = (h ^ h >> 13) * k3;
  return h ^ h >> 16;
}

// ---- xxHash64 with seed 0 (zstd frames) -------------------------------------------------------------------------------

SLUICE_INLINE u64 rotate_left64(u64 x, u32 r) { return x << r | x >> (64 - r); }
SLUICE_INLINE u64 double_word_at(const u8* p, u64 i) { return (u64)word_at(p, 2 * i + 1) << 32 | word_at(p, 2 * i); }

constexpr u64 kXxhLong1 = 0x9e3779b185ebca87u, kXxhLong2 = 0xc2b2ae3d27d4eb4fu;
constexpr u64 kXxhLongOfNothing = 0xef46db3751d8e999u;  // the sum of no bytes
SLUICE_INLINE u64 xxh_long_round(u64 v, u64 word) { return rotate_left64(v + word * kXxhLong2, 31) * kXxhLong1; }

// Four sums, each over every fourth double word: lane l has sum l mod 4. A lane loads one double word of eight stripes; the
// lanes that add them get them by shuffles.
SLUICE_COLD u64 xxh64(const u8* p, u64 n) {
  constexpr u64 k3 = 0x165667b19e3779f9u, k4 = 0x85ebca77c2b2ae63u, k5 = 0x27d4eb2f165667c5u;
  open_bytes();
  p = global(uniform(p));
  n = uniform64(n);
  if (n == 0) return kXxhLongOfNothing;  // note [leave early]
  u64 h = k5;
  if (n >= 32) {
    const u64 words = n >> 5 << 2;
    const u32 sum = lane() & 3;
    u64 v = sum == 0 ? kXxhLong1 + kXxhLong2 : sum == 1 ? kXxhLong2 : sum == 2 ? 0 : 0 - kXxhLong1;
    u64 now = 0;
    u32 stripes = 0;
    // A line's words are loaded before those of the line in front of it are added, at one place.
    SLUICE_ROLLED
    for (u64 at = 0;; at += kLanes) {
      const u64 next = at + lane() < words ? double_word_at(p, at + lane()) : 0;
      SLUICE_ROLLED
      for (u32 s = 0; s < stripes; ++s) v = rotate_left64(v + shfl64(now, 4 * s + sum), 31) * kXxhLong1;
      if (at >= words) break;
      now = next * kXxhLong2;
      stripes = words - at >= kLanes ? kLanes / 4 : (u32)(words - at) / 4;
    }
    h = 0;
    SLUICE_ROLLED
    for (u32 i = 0; i < 4; ++i) h += rotate_left64(shfl64(v, i), i == 0 ? 1 : i == 1 ? 7 : i == 2 ? 12 : 18);
    SLUICE_ROLLED
    for (u32 i = 0; i < 4; ++i) h = (h ^ xxh_long_round(0, shfl64(v, i))) * kXxhLong1 + k4;
    p += words * 8;
  }
  h += n;
  n &= 31;
  SLUICE_ROLLED
  for (; n >= 8; n -= 8, p += 8) h = rotate_left64(h ^ xxh_long_round(0, double_word_at(p, 0)), 27) * kXxhLong1 + k4;
  if (n >= 4) {
    h = rotate_left64(h ^ word_at(p, 0) * kXxhLong1, 23) * kXxhLong2 + k3;
    n -= 4;
    p += 4;
  }
  SLUICE_ROLLED
  for (; n > 0; --n, ++p) h = rotate_left64(h ^ *p * k5, 11) * kXxhLong1;
  sync();
  h = (h ^ h >> 33) * kXxhLong2;
  h = (h ^ h >> 29) * k3;
  return h ^ h >> 32;
}

}  // namespace prim
