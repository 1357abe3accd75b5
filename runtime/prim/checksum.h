#pragma once
// Checksums of contiguous bytes, each as of the start value its formats use.

namespace prim {

// Adler-32 (RFC 1950, 8.2). Blocks of 64 bytes: b += 64 a + sum (64 - i) x_i, which vectorises.
constexpr u64 kAdlerBlock = 64;
struct AdlerSums { u32 a, b; };

#if defined(__AVX2__)
typedef char AdlerBytes __attribute__((vector_size(32)));
typedef int AdlerWords __attribute__((vector_size(32)));
typedef long long AdlerLongs __attribute__((vector_size(32)));
struct AdlerHalf { AdlerLongs sum; AdlerWords weighted; };

// The sum of 32 bytes, in four numbers; and their weighted one, in eight, added to others.
SLUICE_INLINE AdlerHalf adler_half(const u8* p, AdlerBytes weights, AdlerWords weighted) {
  typedef short Shorts __attribute__((vector_size(32)));
  constexpr Shorts kOnes = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  AdlerBytes x;
  __builtin_memcpy(&x, p, sizeof x);
  return {(AdlerLongs)__builtin_ia32_psadbw256(x, AdlerBytes{}), weighted + (AdlerWords)__builtin_ia32_pmaddwd256((Shorts)__builtin_ia32_pmaddubsw256(x, weights), kOnes)};
}
#endif

// Whole blocks, so few that the sums stay in 32 bits.
SLUICE_INLINE AdlerSums adler_blocks(AdlerSums s, const u8* p, u64 n) {
#if defined(__AVX2__)
  // Of a block: its bytes' sum in four numbers, and its weighted one in eight. Sums of all blocks before each block make up for 64 a.
  // Two blocks at once, each half with weighted sums of its own: a product that is added waits four clocks for the one before.
  constexpr AdlerBytes kFirst = {64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33};
  constexpr AdlerBytes kSecond = {32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  static_assert(255 * (64 + 63) < (1 << 15), "a pair of products is a number of 16 bits");
  AdlerLongs sum = {}, before = {};
  AdlerHalf a = {}, b = {}, c = {}, d = {};
  u64 left = n / kAdlerBlock;
  for (; left > 1; left -= 2, p += 2 * kAdlerBlock) {
    a = adler_half(p, kFirst, a.weighted);
    b = adler_half(p + 32, kSecond, b.weighted);
    c = adler_half(p + 64, kFirst, c.weighted);
    d = adler_half(p + 96, kSecond, d.weighted);
    const AdlerLongs first = a.sum + b.sum;
    before += sum + sum + first;
    sum += first + (c.sum + d.sum);
  }
  if (left != 0) {
    a = adler_half(p, kFirst, a.weighted);
    b = adler_half(p + 32, kSecond, b.weighted);
    before += sum;
    sum += a.sum + b.sum;
  }
  const AdlerWords weighted = (a.weighted + b.weighted) + (c.weighted + d.weighted);
  s.b += (u32)(n * s.a + kAdlerBlock * (u64)(before[0] + before[1] + before[2] + before[3]));
  s.a += (u32)(sum[0] + sum[1] + sum[2] + sum[3]);
  for (int i = 0; i < 8; ++i) s.b += (u32)weighted[i];
#else
  for (; n > 0; n -= kAdlerBlock, p += kAdlerBlock) {
    u32 sum = 0, weighted = 0;
    for (u32 i = 0; i < kAdlerBlock; ++i) { sum += p[i]; weighted += ((u32)kAdlerBlock - i) * p[i]; }
    s.b += (u32)kAdlerBlock * s.a + weighted;
    s.a += sum;
  }
#endif
  return s;
}

SLUICE_COLD u32 adler32(const u8* p, u64 n) {
  // 5552 is the largest n with 255 n (n+1) / 2 + (n+1)(65521 - 1) < 2^32; 5504 is the multiple of 64 below it.
  constexpr u64 kRun = 5504;
  static_assert(255ull * kRun * (kRun + 1) / 2 + (kRun + 1) * 65520ull < (1ull << 32), "sums stay in 32 bits");
  static_assert(kRun % kAdlerBlock == 0, "whole blocks");
  AdlerSums s = {1, 0};
  while (n > 0) {
    const u64 run = n < kRun ? n : kRun, whole = run / kAdlerBlock * kAdlerBlock;
    s = adler_blocks(s, p, whole);
    p += whole;
    for (u64 i = whole; i < run; ++i) { s.a += *p++; s.b += s.a; }
    n -= run;
    s.a %= 65521;
    s.b %= 65521;
  }
  return s.b << 16 | s.a;
}

// Tables for eight bytes a step of a reflected CRC.
struct CrcTables { u32 t[8][256]; };
constexpr CrcTables make_crc_tables(u32 reflected_polynomial) {
  CrcTables r{};
  for (u32 i = 0; i < 256; ++i) {
    u32 c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? (c >> 1) ^ reflected_polynomial : c >> 1;
    r.t[0][i] = c;
  }
  for (int s = 1; s < 8; ++s)
    for (u32 i = 0; i < 256; ++i) r.t[s][i] = (r.t[s - 1][i] >> 8) ^ r.t[0][r.t[s - 1][i] & 255];
  return r;
}

// Continues from the state `c`; a CRC starts from ~0 and is the complement of the last state.
SLUICE_INLINE u32 crc_sliced(const CrcTables& k, const u8* p, u64 n, u32 c) {
  for (; n >= 8; n -= 8, p += 8) {
    const u64 w = load_le64(p) ^ c;
    c = k.t[7][w & 255] ^ k.t[6][w >> 8 & 255] ^ k.t[5][w >> 16 & 255] ^ k.t[4][w >> 24 & 255] ^
        k.t[3][w >> 32 & 255] ^ k.t[2][w >> 40 & 255] ^ k.t[1][w >> 48 & 255] ^ k.t[0][w >> 56];
  }
  for (; n > 0; --n) c = c >> 8 ^ k.t[0][(c ^ *p++) & 255];
  return c;
}

#if defined(__PCLMUL__)
// The same by carry-less multiplication: 128 bits that stand d bits before others are worth, modulo the polynomial, their lower
// half times x^(d+32) and their upper half times x^(d-32), in reflected order. Four pieces are on their way at once, and then
// one stands for all: 16 bytes, which go through the tables with the tail.
typedef long long Bits128 __attribute__((vector_size(16)));

// x^n modulo the polynomial, reflected, one place higher for what a reflected product is short of.
constexpr i64 crc_power(u32 reflected_polynomial, u32 n) {
  u32 v = 0x80000000u;
  for (; n > 0; --n) v = v & 1 ? v >> 1 ^ reflected_polynomial : v >> 1;
  return (i64)v << 1;
}

template <u32 kPolynomial, u32 kDistance>
SLUICE_INLINE Bits128 crc_moved(Bits128 a) {
  constexpr i64 kLow = crc_power(kPolynomial, kDistance + 32), kHigh = crc_power(kPolynomial, kDistance - 32);
  constexpr Bits128 kPowers = {kLow, kHigh};
  return __builtin_ia32_pclmulqdq128(a, kPowers, 0x00) ^ __builtin_ia32_pclmulqdq128(a, kPowers, 0x11);
}

template <typename Bits> SLUICE_INLINE Bits load_bits(const u8* p) { Bits v; __builtin_memcpy(&v, p, sizeof v); return v; }

#if defined(__VPCLMULQDQ__) && defined(__AVX2__)
// Two of them side by side.
typedef long long Bits256 __attribute__((vector_size(32)));
#if defined(__clang__)
#define SLUICE_CLMUL256(a, b, halves) __builtin_ia32_pclmulqdq256(a, b, halves)
#else
#define SLUICE_CLMUL256(a, b, halves) __builtin_ia32_vpclmulqdq_v4di(a, b, halves)
#endif
template <u32 kPolynomial, u32 kDistance>
SLUICE_INLINE Bits256 crc_moved(Bits256 a) {
  constexpr i64 kLow = crc_power(kPolynomial, kDistance + 32), kHigh = crc_power(kPolynomial, kDistance - 32);
  constexpr Bits256 kPowers = {kLow, kHigh, kLow, kHigh};
  return SLUICE_CLMUL256(a, kPowers, 0x00) ^ SLUICE_CLMUL256(a, kPowers, 0x11);
}
#endif
#if defined(__VPCLMULQDQ__) && defined(__AVX512F__)
// Four.
typedef long long Bits512 __attribute__((vector_size(64)));
#if defined(__clang__)
#define SLUICE_CLMUL512(a, b, halves) __builtin_ia32_pclmulqdq512(a, b, halves)
#else
#define SLUICE_CLMUL512(a, b, halves) __builtin_ia32_vpclmulqdq_v8di(a, b, halves)
#endif
template <u32 kPolynomial, u32 kDistance>
SLUICE_INLINE Bits512 crc_moved(Bits512 a) {
  constexpr i64 kLow = crc_power(kPolynomial, kDistance + 32), kHigh = crc_power(kPolynomial, kDistance - 32);
  constexpr Bits512 kPowers = {kLow, kHigh, kLow, kHigh, kLow, kHigh, kLow, kHigh};
  return SLUICE_CLMUL512(a, kPowers, 0x00) ^ SLUICE_CLMUL512(a, kPowers, 0x11);
}
typedef Bits512 CrcPiece;
#elif defined(__VPCLMULQDQ__) && defined(__AVX2__)
typedef Bits256 CrcPiece;
#else
typedef Bits128 CrcPiece;
#endif
constexpr u64 kCrcStep = 4 * sizeof(CrcPiece);

// What stands for kCrcStep bytes and all before them, in their last 16.
template <u32 kPolynomial> SLUICE_INLINE Bits128 crc_joined(const CrcPiece (&piece)[4]) {
  constexpr u64 kParts = sizeof(CrcPiece) / sizeof(Bits128);
  CrcPiece last = piece[0];
  for (u64 i = 1; i < 4; ++i) last = crc_moved<kPolynomial, 8 * sizeof last>(last) ^ piece[i];
  Bits128 parts[kParts];
  __builtin_memcpy(parts, &last, sizeof last);
  Bits128 all = parts[0];
  for (u64 i = 1; i < kParts; ++i) all = crc_moved<kPolynomial, 128>(all) ^ parts[i];
  return all;
}

// The bits of each byte in the other order.
template <typename Bits> SLUICE_INLINE Bits mirrored(Bits v) {
  v = (v >> 1 & 0x5555555555555555ll) | (v & 0x5555555555555555ll) << 1;
  v = (v >> 2 & 0x3333333333333333ll) | (v & 0x3333333333333333ll) << 2;
  return (v >> 4 & 0x0f0f0f0f0f0f0f0fll) | (v & 0x0f0f0f0f0f0f0f0fll) << 4;
}
template <bool kMirrored, typename Bits> SLUICE_INLINE Bits load_crc(const u8* p) {
  const Bits v = load_bits<Bits>(p);
  if constexpr (kMirrored) return mirrored(v);
  else return v;
}
// The last bytes, fewer than 16.
template <bool kMirrored> SLUICE_INLINE u32 crc_rest(const CrcTables& k, const u8* p, u64 n, u32 c) {
  if constexpr (!kMirrored) return crc_sliced(k, p, n, c);
  u8 rest[sizeof(Bits128)];
  for (u64 i = 0; i < n; ++i) rest[i] = (u8)mirrored((u64)p[i]);
  return crc_sliced(k, rest, n, c);
}

// `kMirrored`: of the bytes with their bits in the other order.
template <u32 kPolynomial, bool kMirrored = false>
SLUICE_INLINE u32 crc_folded(const CrcTables& k, const u8* p, u64 n) {
  constexpr u64 kPiece = sizeof(CrcPiece);
  Bits128 all;
  if (n < sizeof all) return crc_rest<kMirrored>(k, p, n, ~0u);
  if (n < kCrcStep) {
    all = load_crc<kMirrored, Bits128>(p) ^ Bits128{0xffffffff};
    n -= sizeof all, p += sizeof all;
  } else {
    CrcPiece piece[4];
    for (u64 i = 0; i < 4; ++i) piece[i] = load_crc<kMirrored, CrcPiece>(p + i * kPiece);
    piece[0] ^= CrcPiece{0xffffffff};
    for (n -= kCrcStep, p += kCrcStep; n >= kCrcStep; n -= kCrcStep, p += kCrcStep)
      for (u64 i = 0; i < 4; ++i) piece[i] = crc_moved<kPolynomial, 8 * kCrcStep>(piece[i]) ^ load_crc<kMirrored, CrcPiece>(p + i * kPiece);
    all = crc_joined<kPolynomial>(piece);
  }
  for (; n >= sizeof all; n -= sizeof all, p += sizeof all) all = crc_moved<kPolynomial, 128>(all) ^ load_crc<kMirrored, Bits128>(p);
  u8 last[sizeof all];
  __builtin_memcpy(last, &all, sizeof all);
  return crc_rest<kMirrored>(k, p, n, crc_sliced(k, last, sizeof last, 0));
}
#endif

// CRC-32 (ISO-HDLC; gzip, PNG), polynomial 0x04c11db7 reflected.
SLUICE_COLD u32 crc32(const u8* p, u64 n) {
  constexpr u32 kPolynomial = 0xedb88320u;
  static constexpr CrcTables kTables = make_crc_tables(kPolynomial);
#if defined(__PCLMUL__)
  return ~crc_folded<kPolynomial>(kTables, p, n);
#else
  return ~crc_sliced(kTables, p, n, ~0u);
#endif
}

// CRC-32C (Castagnoli; iSCSI, Snappy framing), polynomial 0x1edc6f41 reflected.
SLUICE_COLD u32 crc32c(const u8* p, u64 n) {
  [[maybe_unused]] constexpr u32 kPolynomial = 0x82f63b78u;
#if defined(__PCLMUL__)
  static constexpr CrcTables kTables = make_crc_tables(kPolynomial);
  return ~crc_folded<kPolynomial>(kTables, p, n);
#elif defined(__SSE4_2__)
  u64 c = ~0u;
  for (; n >= 8; n -= 8, p += 8) c = __builtin_ia32_crc32di(c, load_le64(p));
  u32 d = (u32)c;
  for (; n > 0; --n) d = __builtin_ia32_crc32qi(d, *p++);
  return ~d;
#else
  static constexpr CrcTables kTables = make_crc_tables(kPolynomial);
  return ~crc_sliced(kTables, p, n, ~0u);
#endif
}

// bzip2's CRC: the polynomial of CRC-32, most significant bit first. t[k][i]: what byte i does k bytes later. Where the machine
// multiplies so it is CRC-32 of mirrored bytes, mirrored.
SLUICE_COLD u32 crc32_bzip2(const u8* p, u64 n) {
#if defined(__PCLMUL__)
  constexpr u32 kPolynomial = 0xedb88320u;
  static constexpr CrcTables kTables = make_crc_tables(kPolynomial);
  return __builtin_bswap32((u32)mirrored((u64)~crc_folded<kPolynomial, true>(kTables, p, n)));
#else
  static constexpr CrcTables kTables = [] {
    CrcTables r{};
    for (u32 i = 0; i < 256; ++i) {
      u32 c = i << 24;
      for (int k = 0; k < 8; ++k) c = c & 0x80000000u ? c << 1 ^ 0x04c11db7u : c << 1;
      r.t[0][i] = c;
    }
    for (int s = 1; s < 8; ++s)
      for (u32 i = 0; i < 256; ++i) r.t[s][i] = r.t[s - 1][i] << 8 ^ r.t[0][r.t[s - 1][i] >> 24];
    return r;
  }();
  const auto& t = kTables.t;
  u32 c = ~0u;
  for (; n >= 8; n -= 8, p += 8) {
    const u64 w = load_be64(p) ^ (u64)c << 32;
    c = t[7][w >> 56] ^ t[6][w >> 48 & 255] ^ t[5][w >> 40 & 255] ^ t[4][w >> 32 & 255] ^
        t[3][w >> 24 & 255] ^ t[2][w >> 16 & 255] ^ t[1][w >> 8 & 255] ^ t[0][w & 255];
  }
  for (; n > 0; --n) c = c << 8 ^ t[0][c >> 24 ^ *p++];
  return ~c;
#endif
}

// xxHash32 with seed 0 (LZ4 frames).
SLUICE_COLD u32 xxh32(const u8* p, u64 n) {
  constexpr u32 k1 = 0x9e3779b1u, k2 = 0x85ebca77u, k3 = 0xc2b2ae3du, k4 = 0x27d4eb2fu, k5 = 0x165667b1u;
  const u64 total = n;
  auto rotate = [](u32 x, int r) { return x << r | x >> (32 - r); };
  u32 h;
  if (n >= 16) {
    u32 v[4] = {k1 + k2, k2, 0, 0 - k1};
    for (; n >= 16; n -= 16, p += 16)
      for (int i = 0; i < 4; ++i) v[i] = rotate(v[i] + load_le32(p + 4 * i) * k2, 13) * k1;
    h = rotate(v[0], 1) + rotate(v[1], 7) + rotate(v[2], 12) + rotate(v[3], 18);
  } else {
    h = k5;
  }
  h += (u32)total;
  for (; n >= 4; n -= 4, p += 4) h = rotate(h + load_le32(p) * k3, 17) * k4;
  for (; n > 0; --n, ++p) h = rotate(h + *p * k5, 11) * k1;
  h = (h ^ h >> 15) * k2;
  h = (h ^ h >> 13) * k3;
  return h ^ h >> 16;
}

// xxHash64 with seed 0 (zstd frames).
SLUICE_COLD u64 xxh64(const u8* p, u64 n) {
  constexpr u64 k1 = 0x9e3779b185ebca87u, k2 = 0xc2b2ae3d27d4eb4fu, k3 = 0x165667b19e3779f9u, k4 = 0x85ebca77c2b2ae63u,
                k5 = 0x27d4eb2f165667c5u;
  const u64 total = n;
  auto rotate = [](u64 x, int r) { return x << r | x >> (64 - r); };
  auto round = [&](u64 sum, u64 word) { return rotate(sum + word * k2, 31) * k1; };
  u64 h;
  if (n >= 32) {
    u64 v[4] = {k1 + k2, k2, 0, 0 - k1};
    for (; n >= 32; n -= 32, p += 32)
      for (int i = 0; i < 4; ++i) v[i] = round(v[i], load_le64(p + 8 * i));
    h = rotate(v[0], 1) + rotate(v[1], 7) + rotate(v[2], 12) + rotate(v[3], 18);
    for (int i = 0; i < 4; ++i) h = (h ^ round(0, v[i])) * k1 + k4;
  } else {
    h = k5;
  }
  h += total;
  for (; n >= 8; n -= 8, p += 8) h = rotate(h ^ round(0, load_le64(p)), 27) * k1 + k4;
  if (n >= 4) {
    h = rotate(h ^ load_le32(p) * k1, 23) * k2 + k3;
    n -= 4;
    p += 4;
  }
  for (; n > 0; --n, ++p) h = rotate(h ^ *p * k5, 11) * k1;
  h = (h ^ h >> 33) * k2;
  h = (h ^ h >> 29) * k3;
  return h ^ h >> 32;
}

}  // namespace prim
