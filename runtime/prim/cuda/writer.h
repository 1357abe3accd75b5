#pragma once
// Two warps a chunk: one finds tokens and makes records of them, the other one writes the output (strategy `speculate`,
// directive `writer_warps`).
//   note [writer]: the finder alone runs the format's rules, as a lone warp does, and where that would write what is known it gives
//   the writer a packet: how far records are known. It goes on at once, up to kPackets ahead, and waits only for room: a mark
//   is set where the ring's word is done with, an entry stands where none is in use. The writer writes all whole steps, and what is
//   less than a step when the packet is the last one of a loop. Then the finder waits until all is done, and may look at the output.
//   Words of marks in front of `added` are the writer's, the others and the entries behind them the finder's.
//   Packet n of a chunk has barrier n % kPackets of two rows: one for when it is given, one for when it is done with. They are
//   the kind that stands in shared memory: of the others a multiprocessor has few. Every lane comes to them by itself, since a
//   barrier orders what those wrote that come to it.

namespace prim {

constexpr u32 kPackets = 4;
constexpr u32 kPacketBytes = 2 * kStepBytes;  // a packet has this much output, and what one batch of records adds

enum class After : u32 { More, Loop, Chunk };  // what follows a packet: others, the loop's end, the chunk's
struct Packet {
  u32 added, filled, careful;
  bool first;  // of the loop
  bool has_long, has_wide;
  After after;
};
struct WriterRoom {
  Places places;  // of the loop, when its first packet is given
  Packet packets[kPackets];
  u64 barriers[2 * kPackets];  // of packets that are given, and that are done with
  u32 sent;  // packets, in loops that are over
};
SLUICE_ROOM WriterRoom writer_room;
// Shared memory of a chunk.
constexpr u64 kWriterBytes = kWriter ? sizeof(writer_room) : 0;

// Barriers of the two warps: one comes and goes on, the other one waits for it. What the first one wrote before, the
// second one sees behind. `number`: the barrier's, of the block's, where it is none in memory. `round`: of how many it had before.
SLUICE_INLINE void arrive_at(u64* barrier, u32 number) {
  sync();
#if defined(__CUDA_ARCH__)
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"((u32)__cvta_generic_to_shared(barrier)) : "memory");
  (void)number;
#else
  (void)barrier;
  SLUICE_ARRIVE(number, 2 * kLanes);
#endif
}
SLUICE_INLINE void await_at(u64* barrier, u32 number, u32 round) {
  sync();
#if defined(__CUDA_ARCH__)
  (void)number;
  const u32 at = (u32)__cvta_generic_to_shared(barrier), parity = round % 2;
  u32 there;
  SLUICE_ROLLED
  do {
#if __CUDA_ARCH__ >= 900
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(there)
                 : "r"(at), "r"(parity)
                 : "memory");
#else
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(there)
                 : "r"(at), "r"(parity)
                 : "memory");
#endif
  } while (ballot(there == 0) != 0);
#else
  (void)barrier, (void)round;
  SLUICE_AWAIT(number, 2 * kLanes);
#endif
}
// By one thread, before all others see them.
SLUICE_INLINE void make_barriers(u64* barriers, u32 count) {
#if defined(__CUDA_ARCH__)
  for (u32 i = 0; i < count; ++i)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((u32)__cvta_generic_to_shared(barriers + i)), "n"(kLanes) : "memory");
#else
  (void)barriers, (void)count;
#endif
}

SLUICE_INLINE void arrive_packet(u32 which) { arrive_at(writer_room.barriers + which, 1 + which); }
SLUICE_INLINE void await_packet(u32 which, u32 packet) { await_at(writer_room.barriers + which, 1 + which, packet / kPackets); }

// In front of everything else, both warps.
SLUICE_INLINE void open_packets() {
  if (threadIdx.x == 0) {
    writer_room.sent = 0;
    make_barriers(writer_room.barriers, 2 * kPackets);
  }
  __syncthreads();
}

// In front of a loop's records.
template <bool Write> SLUICE_INLINE void join_writer(Steps& g) {
  if (kWriter && Write) g.sent = g.freed = uniform(writer_room.sent);
}

// The oldest packet that was given is done with.
SLUICE_INLINE void await_writer(Steps& g) {
  const u32 slot = g.freed % kPackets;
  await_packet(kPackets + slot, g.freed);
  const Packet p = writer_room.packets[slot];
  ++g.freed;
  g.unread = uniform(p.filled);
  const u32 written = uniform(p.added) - (kStepBytes - 1);  // at least
  if (written > g.done) g.done = written;
}

SLUICE_INLINE void give_packet(Steps& g, After after) {
  if (g.sent - g.freed == kPackets) await_writer(g);
  const u32 slot = g.sent % kPackets;
  sync();  // all have read the packet that was there
  if (lane() == 0) {
    if (!g.opened) writer_room.places = g;
    writer_room.packets[slot] = {g.added, g.filled, kDictionary ? g.careful : 0, !g.opened, g.has_long, g.has_wide, after};
  }
  arrive_packet(slot);
  ++g.sent;
  g.opened = true;
  g.given = g.added;
  g.has_long = g.has_wide = false;
}

// Are more records to be found before put_out()?
template <bool Write> SLUICE_INLINE bool wants_records(const Steps& g) {
  if (!kWriter || !Write) {
    const u32 known = g.added - g.done;
    if (!kWide || !Write || kStepBytes >= kWideBytes || !g.has_wide || known < kStepBytes) return known < kStepBytes;
    // Wide steps wait for as much as they write, where there is room for a batch's entries.
    return known < kWideBytes && ballot((g.filled - g.begun) % kEntries < kEntries - 2 - 2 * kLanes) != 0;
  }
  // Entries in use: of packets that are not done with, of the last bytes of one that is, and a batch's.
  const u32 used = (g.filled - g.unread) % kEntries;
  return !g.blocked && g.added - g.given < kPacketBytes && used < kEntries - (kStepBytes + 2) - 2 * kTokensALane * kLanes;
}

// Something that takes its time: what is known may be written meanwhile.
template <bool Write> SLUICE_INLINE void before_walks(Steps& g) {
  if (kWriter && Write && g.added - g.given >= kStepBytes) give_packet(g, After::More);
}

// Writes what is known, or gives it to the writer. False: all records are done with. `stop`: there are no more of them.
template <bool Write> SLUICE_INLINE bool put_out(Steps& g, bool stop) {
  if (!kWriter || !Write) {
    if (g.added == g.done) return false;
    if (Write) write_known(g);
    return true;
  }
  if (!stop) {
    g.blocked = false;
    if (g.added != g.given) give_packet(g, After::More);
    else await_writer(g);
    return true;
  }
  if (g.opened || g.added != g.given) {
    give_packet(g, After::Loop);
    SLUICE_ROLLED
    while (g.sent != g.freed) await_writer(g);
    if (lane() == 0) writer_room.sent = g.sent;
  }
  g.done = g.added;
  return false;
}

// What the second warp does.
SLUICE_COLD void write_packets() {
  WriterRoom* const from = in_register(&writer_room);
  Steps g;
  g.room = in_register(&step_rooms[0]);
  u32 n = 0;
  await_packet(0, n);
  converge(g.room->stage);  // behind a loop: what is taken out of the one below stays behind it, and is the warp's, not the lanes'
  SLUICE_ROLLED
  for (;;) {
    const u32 slot = n % kPackets;
    const Packet p = from->packets[slot];
    const After after = (After)uniform((u32)p.after);
    if (after == After::Chunk) return;
    if (uniform(p.first ? 1 : 0) != 0) {
      (Places&)g = from->places;
      g.out = uniform(g.out);
      g.in = uniform(g.in);
      g.in_end = uniform(g.in_end);
      g.lowest = uniform(g.lowest);
      if (kDictionary) g.window = uniform(g.window);
      g.done = uniform(g.done);
      g.begun = 0;
    }
    g.added = uniform(p.added);
    if (kDictionary) g.careful = uniform(p.careful);
    g.has_long = uniform(p.has_long ? 1 : 0) != 0;
    g.has_wide = kWide && uniform(p.has_wide ? 1 : 0) != 0;
    SLUICE_ROLLED
    while (after == After::Loop ? g.done != g.added : g.added - g.done >= kStepBytes) write_known(g);
    arrive_packet(kPackets + slot);
    ++n;
    await_packet(n % kPackets, n);
  }
}

// The finder's chunk is done.
SLUICE_INLINE void end_packets() {
  sync();
  const u32 slot = writer_room.sent % kPackets;
  if (lane() == 0) writer_room.packets[slot].after = After::Chunk;
  arrive_packet(slot);
}

}  // namespace prim
