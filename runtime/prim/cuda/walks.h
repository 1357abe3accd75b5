#pragma once
// What lanes find in a tile (strategy `speculate`): walks from guesses, their repair, and the list of the tokens that are true. Note
// [speculate] of speculate.h says what a walk is.

namespace prim {

// Instead of a cursor, or beside the one of the token that is meant.
constexpr Cursor kCannotTell = 1u << 31;
static_assert(kFarthestCursor <= kCannotTell, "it is behind every region's end");
// As the exit of a walk: it has met a token of an earlier one, whose exit holds.
constexpr Cursor kMet = ~0u;

// A repair makes at least one lane more right, so after so many all are: short tokens are still found faster than one after
// the other. An input of which so many tiles in a row need them all, and come to few tokens, is left to the loop of strategy
// `warp`.
constexpr u32 kRepairs = kLanes - 1, kPoorTiles = 4, kFewTokens = kTileBytes / 16;

constexpr u32 kMinToken = SLUICE_MIN_TOKEN;  // bytes of any token
// Bits of a segment's bytes.
template <u32 Bytes> struct MarksOf {
  typedef u32 Type;
};
template <> struct MarksOf<64> {
  typedef u64 Type;
};
typedef MarksOf<kSegment>::Type Marks;

// note [ring]: places of a tile's tokens are listed all at once; or, where a tile is long and one warp does everything, a few words
// of its marks at a time, into a ring, behind which the marks are.
constexpr bool kRing = kSegment != 32 && !kWalker;
constexpr u32 kTokenStarts = kRing ? 256 : kTileBytes / kMinToken + kLanes, kMarkedWords = kTileBytes / 32;
constexpr u32 kTokenMarks = kRing ? 2 * kMarkedWords : 0;
static_assert(kTileRoom < 1u << 16, "a token's place in the tile has 16 bits");
static_assert(!kRing || kTokenStarts >= kLanes + 32, "behind less than a batch of tokens there is room for a word's");
alignas(4) SLUICE_ROOM u16 token_starts[kTiles][kTokenStarts + kTokenMarks];

// Output of a walk: nobody asks for it.
struct NoOutput {
  SLUICE_METHOD void operator+=(u64) {}
};

// Where the token at `at` ends, or kCannotTell. Lanes ask that of different tokens at once: what a token's first byte tells
// is asked without branches.
template <typename Tokens, typename T> SLUICE_INLINE Cursor behind(const Tokens& tokens, const T& tile, Cursor at) {
  if constexpr (Tokens::kToldMost != 0) {
    u32 size = 0;
    if (SLUICE_LIKELY(Tokens::told(tile, at, T::kRoom, size))) return at + size;
  }
  NoOutput none;
  return tokens.token(tile, at, T::kRoom, none);
}

SLUICE_INLINE u32 marks_of(Marks found) { return __popc((u32)found) + (kSegment == 32 ? 0 : __popc((u32)((u64)found >> 32))); }

//   note [other guesses]: a walk from a guess that after few tokens comes out far behind its segment, or nowhere, has most often begun inside
// a token: what it took for one is as long as chance made it. It begins again a byte farther on, a few times, in step with the other lanes. Not
// where the tile before had few tokens: many segments lie inside of some. Whatever is guessed is repaired.
constexpr u32 kOtherGuesses = 4, kFewTokensOfGuess = 4, kFarBehind = 32, kTokensToGuess = 2 * kLanes;

//   note [long tokens]: of values, where the tile before had few tokens, most segments lie inside of one, and guesses in them are all wrong. Then the
// first lane alone has something to walk, and the repair hands on where it comes out, from token to token: a round for each. Where that is not
// done when so many are, this tile is another one, and lanes that nobody has come to yet walk from guesses after all.
constexpr u32 kLongTokens = 5;

// Are first walks the repair's? Half the code of walks, which large kernels have no room for, and a test more at each token.
#ifdef SLUICE_ONE_WALK
constexpr bool kOneWalk = true;
#else
constexpr bool kOneWalk = false;
#endif

//   note [every place]: where walks of a tile were repaired many times, those of the next ones begin otherwise. A lane finds of each place of
//   its segment, from the last one on, by how much who begins there comes out behind the segment; then all follow the first one's
//   way from segment to segment, and walks begin where it comes in. That is as many looks as a segment has bytes, by all lanes; a round of
//   repair is a few, often by one. What is found is a guess like others: it is repaired, and exits that are far away are not kept.
//   What a look costs is the data's matter: where bytes inside of tokens are like tokens of all kinds, lanes wait for each other in each, and
//   guesses are faster. So time decides, which only chooses between two ways to the same: where the first tile took longer than those in
//   front of it on average, that is left for a while.
constexpr bool kEvery = kOneWalk && kSegment == 32 && kTileBytes / kMinToken * sizeof(u16) >= kTileBytes;  // in the list's memory
constexpr u32 kManyRepairs = 16, kFarExit = 255;
constexpr i32 kTilesOfExits = 64, kFirstOfExits = kTilesOfExits + 1, kSlowTile = 16, kTilesWithout = 64;

// One lane's walk from `in` to the end of its segment. `found`: bit k is a token at byte k of the segment; on entry those
// of an earlier walk. Returns the exit. Guesses: `in` may be a `guess`, and another one then.
template <bool Guesses, typename Tokens, typename T>
SLUICE_INLINE Cursor walk(const Tokens& tokens, T& tile, Cursor& in, Marks& found, bool guess = false) {
  const Cursor end = (lane() + 1) * kSegment, stop = end < tile.end ? end : tile.end;
  const Marks known = found;
  Cursor at = in, last = at;
  const Cursor far = guess ? (end + kFarBehind < tile.end ? end + kFarBehind : tile.end) : ~0u;
  u32 others = 0;
  found = 0;
  SLUICE_ROLLED
  while (at < stop) {
    const Marks bit = (Marks)1 << at % kSegment;
    if ((known & bit) != 0) {
      found |= known & (0 - bit);
      return kMet;
    }
    found |= bit;
    last = at;
    assume(at < kTileBytes);
    at = behind(tokens, tile, at);
    if (Guesses && SLUICE_UNLIKELY(at > far)) {
      if (++others > kOtherGuesses || in + 1 >= stop || marks_of(found) > kFewTokensOfGuess) break;
      found = 0;
      at = last = ++in;
    }
  }
  if (at < tile.end || (Tokens::kToEnd && at == tile.end)) return at;
  found &= ~((Marks)1 << last % kSegment);
  return last | kCannotTell;
}

// What of a far token is to be added.
enum class Far : u32 { Nothing, Copy, Literals };

// What a tile's walks have found: places of tokens in it, all true.
struct TokenList {
  u16* starts;
  u32 next, count;  // of its items: taken up, all
  Cursor exit;      // behind the last one, in the tile: where there is none, that one can't be told
  u32 poor;         // tiles up to this one that needed every repair and came to few tokens
  bool last;        // behind these no token is one that ends before the region
  Far far;          // where there are no items left: of the token at `exit`
  i32 exits = 0;    // note [every place]: of so many tiles yet, walks begin by exits; below 0, so many are to pass before that is tried
  u32 cycles = 0;   // that walks of other tiles took, on average
  u32 word = 0, words = 0;  // of the marks, where there is a ring: listed, all that are true

  SLUICE_METHOD const u16* at(u32 item) const { return starts + (kRing ? item % kTokenStarts : item); }
  SLUICE_METHOD u32* marks() const { return (u32*)(starts + kTokenStarts); }
};

// Where lanes come in, of which the first one comes in at `in`: note [every place]. `exits`: memory for kLanes of each place of a segment. By
// itself, for the code around it is as fast as before where it isn't called (H200: looks in the loop of walks cost RLE v2 5 to 8 %).
template <typename Tokens, typename T> SLUICE_COLD Cursor look_everywhere(const Tokens tokens, const T tile, u8* exits, Cursor in) {
  const Cursor begin = lane() * kSegment, end = begin + kSegment, last = kTileBytes < tile.end ? kTileBytes : tile.end;
  sync();
  u8* exit = exits + kSegment * kLanes + lane();
  SLUICE_ROLLED
  for (Cursor at = end; at-- > begin;) {
    exit -= kLanes;
    assume(at < kTileBytes);
    const Cursor to = behind(tokens, tile, at), by = to - end;
    *exit = by < kFarExit ? (u8)by : to < end ? exit[(to - at) * kLanes] : (u8)kFarExit;
  }
  sync();
  Cursor at = shfl(in, 0);
  u32 next = 0;  // segment
  SLUICE_ROLLED
  for (;;) {
    if (lane() >= next) in = at;
    if (at >= last) break;
    const u32 by = exits[at % kSegment * kLanes + at / kSegment];
    next = at / kSegment + 1;
    at = next * kSegment + by;
    if (by != kFarExit) continue;
    if (lane() >= next) in = lane() * kSegment;
    break;
  }
  sync();
  return in;
}

// Repairs the lanes' walks until each that has something to walk came in where the one before came out. `in`, `out`,
// `found`: of this lane's; that of lane 0 stays. `right`: so it is of this one. How many times. Alone: there is nothing in
// front of these lanes, so lane 0 walks; or else its segment, too, may lie inside a token, and it comes out where it came in.
// Unwalked: their first walks are this function's, too, in the same code. `follow`: note [long tokens].
template <bool Alone, bool Unwalked, bool Guesses, typename Tokens, typename T>
SLUICE_INLINE u32 repair(const Tokens& tokens, T& tile, Cursor& in, Cursor& out, Marks& found, bool& right, bool guess = false,
                         bool follow = false) {
  u32 repairs = 0;
  Cursor before = 0;
  bool walks = Unwalked;
  u32 most = follow ? kLongTokens : kRepairs;
  SLUICE_ROLLED
  for (;; ++repairs) {
    if (Unwalked && walks) {
      const Cursor exit = walk<Guesses>(tokens, tile, in, found, guess && repairs == 0);
      if (exit != kMet) out = exit;
    }
    const u32 walkers = (ballot(in < (lane() + 1) * kSegment) | (Alone ? 0 : 1)) & lanes_below();
    before = shfl(out, lane() == 0 ? 0 : 31 - (u32)__clz((i32)walkers));
    right = lane() == 0 || before == in;
    // One that lies before the segment is for a lane between, which has yet to learn that it walks.
    bool wrong = !right && (before & kCannotTell) == 0 && before >= lane() * kSegment;
    if (repairs == most || ballot(wrong) == 0) {
      if (most == kRepairs || ballot(wrong) == 0) break;  // asked again: in each round that would cost more
      most = kRepairs;
      if (!wrong && !right) {  // nobody has come to this one
        wrong = true;
        before = lane() * kSegment;
      }
    }
    walks = wrong;
    if (wrong) in = before;
    if (!Unwalked && wrong) {
      const Cursor exit = walk<false>(tokens, tile, in, found);
      if (exit != kMet) out = exit;
    }
  }
  return repairs;
}

SLUICE_INLINE u32 last_mark(Marks found) {
  const u32 high = (u32)((u64)found >> 32);
  return high != 0 ? 63 - (u32)__clz((i32)high) : 31 - (u32)__clz((i32)(u32)found);
}

// Lists this lane's tokens, the last one in front of `to`. `first`: the place of its segment.
SLUICE_INLINE void list_tokens(u16* to, Marks found, u32 first) {
  SLUICE_ROLLED
  while (found != 0) {
    const u32 last = last_mark(found);
    found ^= (Marks)1 << last;
    *--to = (u16)(first + last);
  }
}

// Lists the tokens of as many words of marks as there are lanes, or as there is room for.
SLUICE_INLINE void list_more(TokenList& list) {
  const u32 word = list.word + lane();
  u32 found = word < list.words ? list.marks()[word] : 0;
  const u32 through = scan_add(__popc(found));
  const u32 taken = leading(list.count - list.next + through <= kTokenStarts);
  u32 to = list.count + through - __popc(found);
  SLUICE_ROLLED
  for (found = lane() < taken ? found : 0; found != 0; found &= found - 1)
    list.starts[to++ % kTokenStarts] = (u16)(word * 32 + (u32)__ffs((i32)found) - 1);
  list.word += taken;
  list.count += uniform(lane() < taken ? through : 0);
  sync();
}

// Alone: as repair() has it. Guesses: note [other guesses].
template <bool Alone, bool Guesses, typename Tokens, typename T>
SLUICE_INLINE void find_tokens(const Tokens& tokens, TokenList& list, T& tile, Cursor from) {
  const bool follow = !Alone && list.count <= kLongTokens;  // note [long tokens]
  Cursor in = lane() == 0 ? from : (lane() + (follow ? 1 : 0)) * kSegment;
  Marks found = 0;
  Cursor out = 0;
  bool guess = Guesses && lane() != 0 && list.count >= kTokensToGuess;
  const u32 begun = kEvery ? cycles() : 0;
  const bool exits = kEvery && ballot(list.exits > 0) != 0;  // in all lanes alike, which a vote tells the compiler, too
  if (exits) {
    in = look_everywhere(tokens, tile, (u8*)list.starts, in);
    guess = false;
  }
  if (!kOneWalk) out = walk<Guesses>(tokens, tile, in, found, guess);
  bool right = false;
  const u32 repairs = repair<Alone, kOneWalk, Guesses>(tokens, tile, in, out, found, right, guess, follow);
  const u32 lanes = leading(right);
  if (lane() >= lanes) found = 0;
  u32 through = 0;
  list.next = 0;
  if constexpr (kRing) {
    sync();
    list.marks()[2 * lane()] = (u32)found;
    list.marks()[2 * lane() + 1] = (u32)((u64)found >> 32);
    sync();
    list.count = list.word = 0;
    list.words = 2 * lanes;
    list_more(list);
    if (repairs == kRepairs) through = scan_add(marks_of(found));
  } else {
    through = scan_add(marks_of(found));
    sync();
    list_tokens(list.starts + through, found, lane() * kSegment);
    sync();
    list.count = uniform(through);
  }
  const Cursor exit = uniform(lane() == lanes - 1 ? out : 0);
  list.exit = exit & ~kCannotTell;
  // Where the tile's room holds all that a token in front of the region's end takes, what can't be told does not end there.
  list.last = exit == tile.end || ((exit & kCannotTell) != 0 && tile.end + (Cursor)Tokens::kInMargin <= T::kRoom);
  if constexpr (kEvery) {
    const u32 took = uniform(cycles() - begun);
    if (exits) {
      const bool slow = took > list.cycles;
      if (list.exits == kFirstOfExits) list.exits = slow ? -kTilesWithout : kTilesOfExits;
      else list.exits = slow ? list.exits > kSlowTile ? list.exits - kSlowTile : 0 : list.exits - 1;
    } else {
      list.cycles = list.cycles == 0 ? took : list.cycles - list.cycles / 4 + took / 4;
      if (list.exits < 0) ++list.exits;
      else if (repairs >= kManyRepairs && list.count >= kTokensToGuess) list.exits = kFirstOfExits;
    }
  }
  list.poor = repairs == kRepairs && uniform(through) < kFewTokens ? list.poor + 1 : 0;
}

}  // namespace prim
