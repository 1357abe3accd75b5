#pragma once
// Where streams that are begun together lie and how far they have got: note [streams] of streams.h. Of every target.

namespace prim {

struct StreamStart {
  u64 end, bytes;    // in the input: the byte behind it; its own
  u64 place, count;  // outputs before it; its own
  u64 pos, made;     // how far it has got: a position, as `turn` makes it, and outputs; none: it has not begun
};

// Bits that look-ups of one load take at most.
constexpr u32 kStreamBits = 56;

// The stream of the next `bytes` bytes, which makes `count` outputs; s moves past both. False: they are not there, or no bytes of the
// input, of which the last one would hold the padding.
template <typename S> SLUICE_COLD bool measure_stream(S& s, StreamStart& start, u64 bytes, u64 count) {
  static_assert(S::kInput == Input::Turning, "bits are read from the end of a region where the stream turns");
  if (is_turned(s.pos) || (s.pos & 7) != 0 || s.left_bits() >> 3 < bytes || s.out_end - s.produced < count) return false;
  start = {(s.pos >> 3) + bytes, bytes, s.produced, count, 0, 0};
  s.pos += 8 * bytes;
  s.produced += count;
  return true;
}

// Behind `turn`: to where its stream has got. Null: nobody has measured it.
template <typename S> SLUICE_INLINE void go_on(S& s, const StreamStart* start) {
  if (start == nullptr || start->made == 0) return;
  s.pos = start->pos;
  s.produced += start->made;
}

}  // namespace prim
