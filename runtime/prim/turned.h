#pragma once
// Positions in regions that are read from their end. Of every target.
//   note [turned]: where a region is read from its end, a position counts up all the same: for bit `b` of the input, down to which
//   the stream has been read, it is kTurn - b. What is left, what a loop has taken, and where it may go are then the same sums in
//   both directions. Bits of an input have numbers below kFirstTurned, so a position tells by itself what it is.

namespace prim {

constexpr u64 kFirstTurned = 1ull << 62, kTurn = 2 * kFirstTurned;

SLUICE_INLINE bool is_turned(u64 pos) { return pos >= kFirstTurned; }
// The bit of the input that a position stands for.
SLUICE_INLINE u64 bit_of(u64 pos) { return is_turned(pos) ? kTurn - pos : pos; }
// How far a position is behind a mark: 0 where it is none, or where they are of different directions.
SLUICE_INLINE u64 since(u64 pos, u64 mark) { return pos < mark || is_turned(pos) != is_turned(mark) ? 0 : pos - mark; }

}  // namespace prim
