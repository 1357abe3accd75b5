#pragma once
// Copies of parts that lanes have decoded side by side (strategy `split`; Gompresso, section IV): they wait in shared
// memory until every part's literals are written, and are then done in their order, 32 at a time.
//   note [waiting]: lane k's copies are pending_of()[slot * kLanes + k], slots in the order of its part. Targets ascend,
//   from slot to slot and from lane to lane, and do not overlap; what is no target is written.

namespace prim {

constexpr u32 kPartCopies = SLUICE_PART_COPIES;  // of one part; a part of more is decoded by all lanes together
constexpr u32 kDistanceBits = SLUICE_DISTANCE_BITS, kLengthBits = 32 - kDistanceBits;
static_assert(kDistanceBits >= 1 && kDistanceBits < 32, "distance and length share a word");

struct PendingPartCopy {
  u32 to;    // target, from the first output of the group's parts on
  u32 what;  // distance | length << kDistanceBits
};
SLUICE_ROOM PendingPartCopy pending_part_copies[SLUICE_WARPS * kPartCopies * kLanes];
SLUICE_INLINE PendingPartCopy* pending_of() {
  return pending_part_copies + (SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes * (kPartCopies * kLanes));
}

// Of items dealt out to the lanes in turn, `above` of them to the lanes up to and with this one: who has item `index`.
SLUICE_INLINE u32 owner_of(u32 above, u32 index) {
  u32 owner = 0;
  for (u32 step = kLanes / 2; step > 0; step /= 2)
    if (shfl(above, owner + step - 1) <= index) owner += step;
  return owner;
}

// A batch of copies, one a lane: in each round the bytes of all whose source is there are dealt out to the lanes.
SLUICE_INLINE void copy_spread(u8* out, u32 to, u32 distance, u32 n, u32 count) {
  bool missing = lane() < count;
  const u32 end = distance >= n ? to - distance + n : to;  // the first byte that it does not read of what lies before it
  u32 left = ballot(missing);
  SLUICE_ROLLED
  while (left) {  // the first one left can always be done
    const u32 mark = shfl(to, (u32)__ffs((i32)left) - 1);
    const bool now = missing && (i32)(end - mark) <= 0;
    const u32 above = scan_add(now ? n : 0), all = shfl(above, kLanes - 1), first = above - n;
    SLUICE_ROLLED
    for (u32 base = 0; base < all; base += kLanes) {
      const u32 index = base + lane(), owner = owner_of(above, index);
      const u32 far = shfl(distance, owner), d = shfl(to, owner);
      u32 k = index - shfl(first, owner);
      if (index >= all) continue;
      u8* const target = out + (i32)d;
      const u8* const source = target - far;
      target[k] = source[k < far ? k : k % far];
    }
    missing = missing && !now;
    left = ballot(missing);
    sync();
  }
}

// All copies of the group, of which `mine` wait in this lane's slots. `out` is the group's first output.
template <Resolve R> SLUICE_COLD void resolve_parts(u8* out, u32 mine) {
  sync();
  const u32 above = scan_add(mine), before = above - mine, all = shfl(above, kLanes - 1);
  u32 base = 0;
  SLUICE_ROLLED
  while (base < all) {
    const u32 index = base + lane(), owner = owner_of(above, index), slot = index - shfl(before, owner);
    PendingPartCopy w = {0, 0};
    if (index < all) w = pending_of()[slot * kLanes + owner];
    u32 count = all - base < kLanes ? all - base : kLanes;
    const u32 distance = w.what & ((1u << kDistanceBits) - 1), n = w.what >> kDistanceBits;
    u8* const to = out + w.to;
    if (R == Resolve::Together) {
      copy_spread(out, w.to, distance, n, count);
    } else {
      if (R == Resolve::Independent) {  // a copy that reads what the batch is to write ends the batch before it
        const u8* const first = (const u8*)shfl64((u64)to, 0);
        const u32 sound = leading(lane() >= count || source_end(to, to - distance, n) <= first);
        if (sound < count) count = sound;
      }
      resolve<R>(to, to - distance, n, count);
    }
    base += count;
  }
}

}  // namespace prim
