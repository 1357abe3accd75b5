#pragma once
// A piece of a bit stream in shared memory, in which each lane reads where it likes (strategy `speculate`).
//   note [bit tile]: tokens that begin in the first kBitTileBits are looked at, kBitSegment of which are a lane's; what such
//   a token takes may reach into the bytes behind. Places are bits from the tile's start on. What stands behind the region's
//   end is anything: note [end] of speculate.h.

namespace prim {

constexpr u32 kBitSegment = 384, kBitTileBits = kLanes * kBitSegment;
constexpr u32 kBitTileAhead = 128;  // bytes: the margin of a token of many fields
constexpr u32 kBitTileRoom = kBitTileBits / 8 + kBitTileAhead;
constexpr u32 kBitTileUnits = kBitTileRoom / kUnitBytes;
static_assert(kBitTileRoom % kUnitBytes == 0, "whole units");

SLUICE_ROOM Unit bit_tiles[SLUICE_WARPS][kBitTileUnits];

struct BitTile {
  Unit* units;
  Cursor base;  // of its first byte, a multiple of kUnitBytes
  u32 end;      // of the region, from there on

  SLUICE_METHOD const u32* words() const { return (const u32*)units; }
};
SLUICE_INLINE BitTile no_bit_tile() { return {in_register(bit_tiles[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]), 0, 0}; }

// The tile that holds the bit at `from`, of a region that ends at `end`: bits from cursor 0 on.
template <bool Msb> SLUICE_INLINE void load_bit_tile(BitTile& t, const UnitMemory& input, u32 from, u32 end) {
  t.base = from / 8 & ~(kUnitBytes - 1);
  t.end = end - 8 * t.base;
  sync();
  load_units<kBitTileUnits, kLanes, Msb>(t.units, input, t.base, lane());
  sync();
}

}  // namespace prim
