#pragma once
// Two chunks at once by one thread: their loops do a token in turn, so that loads of one are on their way while the other's are used.
//   note [pairs]: the first chunk is decoded as any other, up to a loop that does two. There its thread decodes the second one, above
//   it on the stack, and where that comes to the same loop, both go on in turn until one has to leave. The second one goes on with its
//   decoder, and comes back; the first one can't before the second one is done, which then goes on by itself. So nothing changes but
//   time: what a loop leaves undone, its own decoder does.

namespace prim {

struct Pair {
  void* job = nullptr;         // of the second chunk
  u64 (*decode)(void* job, Pair*, bool second) = nullptr;
  u64 error = 0;               // what that gave
  void* waits = nullptr;       // the first one's stream, at a loop that it has not left
  u32 loop = 0;                // which
  bool begun = false;          // the second one
};

// At a loop that does two: has the stream's own chunk been taken as far as both could be? Then it has left the loop.
// `in_turn`: tokens of both, the first one's stream before the second one's, until one has to leave: 1, or 2.
template <u32 Number, typename S> SLUICE_INLINE bool in_pair(S& s, u32 (*in_turn)(S&, S&)) {
  Pair* const pair = s.pair;
  if (pair == nullptr) return false;
  if (s.second) {
    if (pair->waits == nullptr || pair->loop != Number) return false;
    const u32 left = in_turn(*(S*)pair->waits, s);
    if (left == 1) pair->waits = nullptr;
    return left == 2;
  }
  if (pair->begun) return false;
  pair->begun = true;
  pair->waits = &s;
  pair->loop = Number;
  pair->error = pair->decode(pair->job, pair, true);
  const bool left = pair->waits == nullptr;
  pair->waits = nullptr;
  return left;
}

}  // namespace prim
