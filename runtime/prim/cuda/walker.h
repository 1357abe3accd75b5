#pragma once
// Three warps a chunk: one walks the input ahead, one makes records of the tokens that it finds, one writes the output
// (strategy `speculate`, directives `walker_warps` and `writer_warps`).
//   note [walker]: the finder (note [writer] of writer.h) gives the walker a job: a loop's tokens, from a place on. The walker loads
//   tile after tile and finds what is in it as a lone warp does, into kWalks places in turn; the finder takes up a tile's tokens,
//   gives its place back and takes the next tile. Behind a tile in which there is nothing, or which is the last of too many poor
//   ones, the walker waits for another job. A finder that is done with a loop earlier says so when it gives a place back: the
//   walker sees that when it wants the place again, so there is one tile more, which nobody wants.
//   Tile n of a chunk is in place n % kWalks, and has two barriers of its place: for when it is there, and when it is given back.

namespace prim {

constexpr u32 kWalks = kWarpTiles, kWalkTokenBytes = 64;  // of what a format's tokens are given before the loop

// What the walker tells of a tile.
struct WalkedTile {
  Cursor base;
  u32 end;
  Cursor exit;
  u32 count, poor;
  bool ends;  // as TokenList has it
  bool last;  // of the job
};
struct WalkerRoom {
  alignas(kUnitBytes) u8 tokens[kWalkTokenBytes];
  UnitMemory input;
  Cursor from, end;
  u32 poor;
  u32 job;  // which loop: 0, the chunk is done
  WalkedTile walked[kWalks];
  bool stop[kWalks];             // the job, as its place is given back
  u64 barriers[2 * kWalks + 1];  // tiles that are there, that are given back; and jobs
  u32 taken, jobs;               // tiles, and jobs, in loops that are over
};
SLUICE_ROOM WalkerRoom walker_room;
// Shared memory of a chunk.
constexpr u64 kWalkerBytes = kWalker ? sizeof(walker_room) : 0;

constexpr u32 kFirstWalkBarrier = 2 * kPackets + 1;  // of the block's, behind the writer's
SLUICE_INLINE void arrive_walk(u32 which) { arrive_at(walker_room.barriers + which, kFirstWalkBarrier + which); }
SLUICE_INLINE void await_walk(u32 which, u32 round) { await_at(walker_room.barriers + which, kFirstWalkBarrier + which, round); }

// In front of everything else, all warps; open_packets() is behind it.
SLUICE_INLINE void open_walks() {
  if (threadIdx.x == 0) {
    walker_room.taken = walker_room.jobs = 0;
    make_barriers(walker_room.barriers, 2 * kWalks + 1);
  }
}

// How far the walker is, in its chunk.
struct Walker {
  u32 walked, freed, jobs;  // tiles that are there, places given back that it knows of, jobs
};

// The walker's next job, or 0: the chunk is done.
SLUICE_INLINE u32 next_walk(Walker& w) {
  await_walk(2 * kWalks, w.jobs++);
  return uniform(walker_room.job);
}

// Finds the tokens of the job.
template <typename Tokens> SLUICE_COLD Walker walk_ahead(Walker w) {
  static_assert(sizeof(Tokens) <= kWalkTokenBytes, "it fits the room");
  static_assert(Tokens::kInMargin <= kTileAhead, "a token that begins in a tile's first kTileBytes has its margin");
  WalkerRoom* const room = in_register(&walker_room);
  converge(room->tokens);
  w.walked = uniform(w.walked);
  w.freed = uniform(w.freed);
  const Tokens tokens = *(const Tokens*)room->tokens;
  UnitMemory input = room->input;
  input.first = uniform(input.first);
  input.last = uniform(input.last);
  Cursor from = uniform(room->from);
  const Cursor end = uniform(room->end);
  TokenList list = {nullptr, 0, 0, 0, uniform(room->poor), false, Far::Nothing};
  bool last = false;
  SLUICE_ROLLED
  while (!last) {
    const u32 place = w.walked % kWalks;
    if (w.walked - w.freed == kWalks) {
      await_walk(kWalks + place, w.freed / kWalks);
      ++w.freed;
      if (uniform(room->stop[place] ? 1 : 0) != 0) break;
    }
    Tile tile = {in_register(tiles[place]), 0, 0};
    list.starts = in_register(token_starts[place]);
    load_tile(tile, input, from, end);
    find_tokens<true, false>(tokens, list, tile, from - tile.base);
    last = list.count == 0 || list.last || list.poor == kPoorTiles;
    if (lane() == 0) room->walked[place] = {tile.base, tile.end, list.exit, list.count, list.poor, list.last, last};
    from = tile.base + list.exit;
    arrive_walk(place);
    ++w.walked;
  }
  return w;
}

// The tiles of loop `Job`, where the walker is ahead: see OneWarp of speculate.h. Where nothing is written there is no walker.
template <bool Write, u32 Job> struct Walked : OneWarp {};
template <u32 Job> struct Walked<true, Job> {
  u32 taken, jobs;  // tiles that the finder has taken, jobs that it has given
  bool walking;     // a tile behind the last one taken is there, or will be
  bool holds;       // that one's place

  SLUICE_METHOD void join() {
    taken = uniform(walker_room.taken);
    jobs = uniform(walker_room.jobs);
    walking = holds = false;
  }

  template <typename Tokens>
  SLUICE_METHOD void next(const Tokens& tokens, TokenList& list, Tile& tile, const UnitMemory& input, Cursor from, Cursor end) {
    static_assert(!Tokens::kLate, "a walk waits for no token before it");
    WalkerRoom* const room = &walker_room;
    if (holds) give_back(false);
    if (!walking) {
      sync();
      if (lane() == 0) {
        memcpy(room->tokens, &tokens, sizeof(Tokens));  // what it has of the token loop is constant: it can't be assigned
        room->input = input;
        room->from = from;
        room->end = end;
        room->poor = list.poor;
        room->job = Job;
      }
      arrive_walk(2 * kWalks);
      ++jobs;
    }
    const u32 place = taken % kWalks;
    await_walk(place, taken / kWalks);
    const WalkedTile found = room->walked[place];
    ++taken;
    tile = {in_register(tiles[place]), uniform(found.base), uniform(found.end)};
    list.starts = in_register(token_starts[place]);
    list.next = 0;
    list.count = uniform(found.count);
    list.exit = uniform(found.exit);
    list.poor = uniform(found.poor);
    list.last = uniform(found.ends ? 1 : 0) != 0;
    walking = uniform(found.last ? 1 : 0) == 0;
    holds = true;
  }

  // The loop is done.
  SLUICE_METHOD void leave() {
    const bool early = walking;
    if (holds) give_back(early);
    if (early) {
      const u32 place = taken % kWalks;
      await_walk(place, taken / kWalks);
      ++taken;
      // Behind its last tile the walker did not ask for the place in which it would have been told to stop.
      if (lane() == 0 && walker_room.walked[place].last) walker_room.stop[(taken - 2) % kWalks] = false;
      give_back(false);
    }
    sync();
    if (lane() == 0) {
      walker_room.taken = taken;
      walker_room.jobs = jobs;
    }
    sync();
  }

 private:
  // The place of the tile taken last. `stop`: the job, too.
  SLUICE_METHOD void give_back(bool stop) {
    const u32 place = (taken - 1) % kWalks;
    sync();
    if (lane() == 0) walker_room.stop[place] = stop;
    arrive_walk(kWalks + place);
    holds = false;
  }
};

// The finder's chunk is done.
SLUICE_INLINE void end_walks() {
  sync();
  if (lane() == 0) walker_room.job = 0;
  arrive_walk(2 * kWalks);
}

}  // namespace prim
