#pragma once
// A piece of the input in shared memory, in which each lane reads where it likes (strategy `speculate`).
//   note [tile]: tokens that begin in the first kTileBytes are looked at, kSegment bytes of which are a lane's; what such
//   a token takes may reach into the bytes behind. Whoever reads keeps to the tile's room, so no read leaves it. What
//   stands there behind the region's end is anything: a token is one only if it ends before the region does.

namespace prim {

// A longer one leaves fewer guesses, of which each that is wrong costs a few tokens until walks meet, and takes more memory.
#ifdef SLUICE_SEGMENT
constexpr u32 kSegment = SLUICE_SEGMENT;
#else
constexpr u32 kSegment = 32;
#endif
constexpr u32 kTileBytes = kLanes * kSegment;
// A literal run of some 200 bytes and a long token's margin; with long segments as much less as lets 40 warps share a multiprocessor.
constexpr u32 kTileAhead = kSegment == 32 ? 320 : 272;
constexpr u32 kTileRoom = kTileBytes + kTileAhead;
static_assert(kSegment == 32 || kSegment == 64, "a lane's tokens are the bits of a word, or of two");
static_assert(kTileRoom % kUnitBytes == 0, "whole units");

constexpr u32 kTileUnits = kTileRoom / kUnitBytes;
#ifdef SLUICE_WALKER
constexpr bool kWalker = true;  // note [walker] of walker.h
#else
constexpr bool kWalker = false;
#endif
constexpr u32 kWarpTiles = kWalker ? 2 : 1, kTiles = SLUICE_WARPS * kWarpTiles;
SLUICE_ROOM Unit tiles[kTiles][kTileUnits];

struct Tile {
  static constexpr u32 kRoom = kTileRoom;
  typedef u32 Sum;  // of some of its bytes, or of numbers of two bytes: note [tile sums] in compiler/plan/tile_sums.h
  Unit* units;
  Cursor base;  // of its first byte, a multiple of kUnitBytes
  u32 end;      // of the region, from there on

  SLUICE_METHOD u32 byte(u32 at) const { return ((const u8*)units)[at]; }
};
SLUICE_INLINE Tile no_tile() { return {in_register(tiles[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]), 0, 0}; }

// The tile that holds the byte at `from`, of a region that ends at `end`.
SLUICE_INLINE void load_tile(Tile& t, const UnitMemory& input, Cursor from, Cursor end) {
  t.base = from & ~(kUnitBytes - 1);
  t.end = end - t.base;
  sync();
  load_units<kTileUnits, kLanes>(t.units, input, t.base, lane());
  sync();
}

// Input where it lies: cursors are the loop's. What is none of it is zeros.
struct FarBytes {
  typedef u64 Sum;
  const u8* memory;  // cursor 0
  u32 first, last;   // cursors of the input's bytes: [first, last)

  SLUICE_METHOD u32 byte(u32 at) const { return at >= first && at < last ? memory[at] : 0; }
};

}  // namespace prim
