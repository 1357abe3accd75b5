#pragma once
// Tokens that begin as the one before them does and go on with bytes of the input, which a loop puts together in registers.
//
//   before "Customer#000000017", 17 of them, then "8"   ->   one store of "Customer#000000018", which is held for the next one
//
//   note [held bytes]: what the token before stored lies in memory in pieces, and a load of more than one of them waits until all have
// arrived. Its first kJoinedBytes are therefore held where they are put together: lane k of the next token is lane k of those up to the
// prefix's end, and behind that of the input, loaded from as far in front of the place in it as the prefix is long. So a token is a
// load, a choice by lanes and a store, and the next one waits for the choice alone. What lies in front must be input, too.

namespace prim {

constexpr u64 kJoinedBytes = 64;  // that are held, and that margins have room for
#if defined(__AVX512BW__)
constexpr u64 kHeldLane = 64;
#elif defined(__AVX2__)
constexpr u64 kHeldLane = 32;
#else
constexpr u64 kHeldLane = 16;
#endif
constexpr u64 kHeldParts = kJoinedBytes / kHeldLane;
typedef u8 HeldBytes __attribute__((vector_size(kHeldLane)));
typedef signed char LaneNumbers __attribute__((vector_size(kHeldLane)));

struct Held {
  HeldBytes part[kHeldParts];
  u64 size;  // of the token before, as far as it is held
};

// Lanes of which the number is below `prefix` stay, the others become input, and all are stored.
SLUICE_INLINE void join_part(HeldBytes& part, u8* out, const u8* in, i64 prefix) {
  LaneNumbers lanes, first = {};
  for (u64 k = 0; k < kHeldLane; ++k) lanes[k] = (signed char)k;
  first += (signed char)prefix;
  HeldBytes more;
  __builtin_memcpy(&more, in, kHeldLane);
  const HeldBytes old = (HeldBytes)(lanes < first);
  part = (part & old) | (more & ~old);
  __builtin_memcpy(out, &part, kHeldLane);
}

// The n bytes in front of `out` are the token before; none, where they begin before `window`. kJoinedBytes are there from its start on.
SLUICE_INLINE void hold(Held& before, const u8* out, u64 n, const u8* window) {
  const u64 far = n <= (u64)(out - window) ? n : 0;
  __builtin_memcpy(before.part, out - far, kJoinedBytes);
  before.size = far < kJoinedBytes ? far : kJoinedBytes;
}

// The first `prefix` bytes of the token before, then `rest` of the input: true, and both have moved. False: it is not done, and nothing
// is changed.
SLUICE_INLINE bool join(Held& before, u8*& out, const Source& src, Cursor& in, u64 prefix, u64 rest) {
  if (SLUICE_UNLIKELY(prefix > before.size || rest > kJoinedBytes - prefix || prefix > (u64)(in - src.start))) return false;
  const u8* const from = in - prefix;
  const i64 n = (i64)prefix;
  join_part(before.part[0], out, from, n);
  if constexpr (kHeldParts > 1) join_part(before.part[1], out + kHeldLane, from + kHeldLane, n - (i64)kHeldLane);
  if constexpr (kHeldParts > 2) {  // no loop: compilers would keep the parts in memory
    join_part(before.part[2], out + 2 * kHeldLane, from + 2 * kHeldLane, n - 2 * (i64)kHeldLane);
    join_part(before.part[3], out + 3 * kHeldLane, from + 3 * kHeldLane, n - 3 * (i64)kHeldLane);
  }
  before.size = prefix + rest;
  in += rest;
  out += prefix + rest;
  return true;
}

// note [alone]: tokens that have nothing of the one before them follow each other in the input as in the output, and their lengths stand in
// arrays: as many as there are are one copy. `prefixes` and `rests`: of `most` tokens, the first of which begins with nothing. True: both have
// moved behind `many` of them, and the last one's first bytes are held, out of the input, `size` is how many it has. False: the first one is
// join()'s, or there is no room, and nothing is changed.
template <typename E, typename F, typename N>
SLUICE_INLINE bool join_alone(Held& before, u8*& out, const u8* out_limit, const Source& src, Cursor& in, Cursor in_limit, const E* prefixes,
                              const F* rests, u64 most, u64& many, N& size) {
  if (most < 2 || (prefixes[1] != 0 && rests[0] <= kJoinedBytes)) return false;
  const u64 input = (u64)(in_limit - in), output = (u64)(out_limit - out), room = input < output ? input : output;
  u64 n = 0, all = 0;
  do {
    if (rests[n] > room - all) break;
    all += rests[n];
    ++n;
  } while (n < most && prefixes[n] == 0);
  if (n == 0) return false;
  literals(out, src, in, all);
  in += all;
  out += all;
  const u64 last = rests[n - 1];
  size = (N)last;
  __builtin_memcpy(before.part, in - last, kJoinedBytes);
  before.size = last < kJoinedBytes ? last : kJoinedBytes;
  many = n;
  return true;
}

// Of a place that nothing is stored at there is nothing to be put together.
SLUICE_INLINE void hold(Held& before, Place, u64, Place) { before.size = 0; }
template <typename S, typename C> SLUICE_INLINE bool join(Held&, Place&, const S&, C&, u64, u64) { return false; }
template <typename S, typename C, typename E, typename F, typename N>
SLUICE_INLINE bool join_alone(Held&, Place&, Place, const S&, C&, C, const E*, const F*, u64, u64&, N&) { return false; }

}  // namespace prim
