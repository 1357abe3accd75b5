#pragma once
// Tokens of which nobody knows where they begin, found by all lanes at once (strategy `speculate`).
//   note [speculate]: lane k walks tokens from the first byte of its segment, which is a guess for all lanes but the first,
//   and comes out somewhere in the next segment. Then what lane k came in by is set to what lane k-1 came out by, and who
//   is wrong walks again, until it meets a token it had found: from there on the old walk was right. Lane 0 is right; a
//   lane is when the one before is and came out where it came in. A walk needs the sizes of tokens only.
//   A token of which the tile does not tell how far it goes ends its lane's walk, and leaves the next lane's guess alone.
//   A lane whose segment lies inside a token that began before it has nothing to walk: the lane behind it comes in where the
//   one before it came out.
//   note [end]: so does one that does not end before the region. Its bytes may be none of the region's, and its body takes
//   for granted that it is not at the end when it asks: which a token before which input is left never is. Where none asks
//   (kToEnd), a token may end where the region does.
//   note [far]: where the first token of a tile is one that the tile does not tell, all lanes read that one where it lies. Its
//   literals may be longer than the ring of marks, so they are a record of their own, and then its copy.
// `Tokens` is emitted: its Own is a Record, or more (late.h). Where a token's first byte tells its size, told() says so, which
// is of kToldMost bytes at most (0: there is no such function), and with kToldParts parts() makes its record. Its token() is the body of the loop, over a Tile. It returns
// the cursor behind the token, or kCannotTell, which a token behind the last place where one may begin is, too. To its
// output it does what that makes of it: nothing, or a Record.

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
alignas(4) __shared__ u16 token_starts[kTiles][kTokenStarts + kTokenMarks];
struct FarToken {
  Record record;
  Cursor next;  // behind it
};
__shared__ FarToken far_tokens[SLUICE_WARPS];
// Shared memory of a warp.
constexpr u64 kSpeculateBytes = kWarpTiles * (sizeof(tiles[0]) + sizeof(token_starts[0])) + kStepsBytes + kWriterBytes + sizeof(far_tokens[0]);

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

// Its record. Lanes make records of different tokens at once, too.
template <typename Tokens>
SLUICE_INLINE void take_token(const Tokens& tokens, const Tile& tile, Cursor at, typename Tokens::Own& r) {
  if constexpr (Tokens::kToldParts) {
    assume(at < kTileBytes);
    if (SLUICE_LIKELY(Tokens::parts(tile, at, kTileRoom, r))) return;
    r = {};
  }
  tokens.token(tile, at, kTileRoom, r);
}

// A token's first kHeld bytes, as this lane has them; the others are the tile's.
struct TokenBytes {
  static constexpr u32 kHeld = 5;
  typedef Tile::Sum Sum;
  const Tile* tile;
  Cursor at;      // its first byte's place
  u32 low, high;  // the first four, and those behind

  SLUICE_METHOD TokenBytes(const Tile& t, Cursor token) : tile(&t), at(token) {
    const u32* const words = (const u32*)t.units + token / 4;
    const u32 shift = 8 * (token % 4);
    low = __funnelshift_r(words[0], words[1], shift);
    high = words[1] >> shift;
  }
  // The four from the k-th one on, k < 2.
  SLUICE_METHOD u32 four(u32 k) const { return __funnelshift_r(low, high, 8 * k); }
  SLUICE_METHOD u32 byte(u32 c) const {
    const u32 k = c - at;
    return k < 4 ? low >> 8 * k & 0xff : k < kHeld ? high & 0xff : tile->byte(c);
  }
};

// The records of a lane's tokens, of which it has `count`, one at least: what it has not is empty. `starts`: of these tokens.
template <u32 N, typename Tokens>
SLUICE_INLINE void take_tokens(const Tokens& tokens, const Tile& tile, const u16* starts, u32 count, typename Tokens::Own (&r)[N]) {
  if constexpr (Tokens::kToldParts && N != 1) {
    // Of all at once: where there is none it is the first one again.
    bool told[N], all = true;
    Cursor at[N];
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i) {
      at[i] = starts[i < count ? i : 0];
      assume(at[i] < kTileBytes);
      told[i] = Tokens::parts(TokenBytes(tile, at[i]), at[i], kTileRoom, r[i]);
      all &= told[i];
    }
    if (SLUICE_UNLIKELY(!all)) {
      SLUICE_UNROLLED
      for (u32 i = 0; i < N; ++i) {
        if (told[i]) continue;
        r[i] = {};
        tokens.token(tile, at[i], kTileRoom, r[i]);
      }
    }
    SLUICE_UNROLLED
    for (u32 i = 1; i < N; ++i)
      if (i >= count) r[i].literals = r[i].length = 0;
  } else {
    SLUICE_UNROLLED
    for (u32 i = 0; i < N; ++i)
      if (i < count) take_token(tokens, tile, starts[i], r[i]);
  }
  SLUICE_UNROLLED
  for (u32 i = 0; i < N; ++i) r[i].from += tile.base;
}

SLUICE_INLINE u32 marks_of(Marks found) { return __popc((u32)found) + (kSegment == 32 ? 0 : __popc((u32)((u64)found >> 32))); }

//   note [other guesses]: a walk from a guess that after few tokens comes out far behind its segment, or nowhere, has most often begun inside
// a token: what it took for one is as long as chance made it. It begins again a byte farther on, a few times, in step with the other lanes. Where
// the tile before had few tokens, most segments lie inside of some. Whatever is guessed is repaired.
constexpr u32 kOtherGuesses = 4, kFewTokensOfGuess = 4, kFarBehind = 32, kTokensToGuess = 2 * kLanes;

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
  u32 word = 0, words = 0;  // of the marks, where there is a ring: listed, all that are true

  SLUICE_METHOD const u16* at(u32 item) const { return starts + (kRing ? item % kTokenStarts : item); }
  SLUICE_METHOD u32* marks() const { return (u32*)(starts + kTokenStarts); }
};

// Repairs the lanes' walks until each that has something to walk came in where the one before came out. `in`, `out`,
// `found`: of this lane's; that of lane 0 stays. `right`: so it is of this one. How many times. Alone: there is nothing in
// front of these lanes, so lane 0 walks; or else its segment, too, may lie inside a token, and it comes out where it came in.
// Unwalked: their first walks are this function's, too, in the same code.
template <bool Alone, bool Unwalked, bool Guesses, typename Tokens, typename T>
SLUICE_INLINE u32 repair(const Tokens& tokens, T& tile, Cursor& in, Cursor& out, Marks& found, bool& right, bool guess = false) {
  u32 repairs = 0;
  Cursor before = 0;
  bool walks = Unwalked;
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
    const bool wrong = !right && (before & kCannotTell) == 0 && before >= lane() * kSegment;
    if (repairs == kRepairs || ballot(wrong) == 0) break;
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

// Are first walks the repair's? Half the code of walks, which large kernels have no room for, and a test more at each token.
#ifdef SLUICE_ONE_WALK
constexpr bool kOneWalk = true;
#else
constexpr bool kOneWalk = false;
#endif
// Alone: as repair() has it. Guesses: note [other guesses].
template <bool Alone, bool Guesses, typename Tokens, typename T>
SLUICE_INLINE void find_tokens(const Tokens& tokens, TokenList& list, T& tile, Cursor from) {
  Cursor in = lane() == 0 ? from : lane() * kSegment;
  Marks found = 0;
  Cursor out = 0;
  const bool guess = Guesses && lane() != 0 && (list.count == 0 || list.count >= kTokensToGuess);
  if (!kOneWalk) out = walk<Guesses>(tokens, tile, in, found, guess);
  bool right = false;
  const u32 repairs = repair<Alone, kOneWalk, Guesses>(tokens, tile, in, out, found, right, guess);
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
  list.poor = repairs == kRepairs && uniform(through) < kFewTokens ? list.poor + 1 : 0;
}

// Reads the token at that place: note [far]. Nothing, where it is none that this engine can do: `room` bytes may follow in
// the output, and copies see `seen` bytes.
template <typename Tokens>
SLUICE_COLD Far find_far_token(const Tokens tokens, FarToken* told, const FarBytes input, Cursor at, Cursor end, u32 room, u32 seen) {
  typename Tokens::Own r = {};
  // Behind the region's end no step of the token begins.
  const Cursor next = tokens.token(input, at, end + (Cursor)Tokens::kInMargin, r);
  const bool sound = next < end && r.literals < kMaxLength && r.length < kMaxLength && r.literals + r.length <= room &&
                     (r.length == 0 || (r.distance - 1 < seen + r.literals && r.distance <= kMaxDistance));
  if (!sound || r.literals + r.length == 0) return Far::Nothing;
  if (lane() == 0) *told = {r, next};
  sync();
  return r.literals != 0 ? Far::Literals : Far::Copy;
}

// Where the input's units are, of a stream that all lanes have.
template <typename S> SLUICE_INLINE UnitMemory shared_units(const S& s) {
  UnitMemory input = {};
  input.open(s);
  input.first = uniform(input.first);
  input.last = uniform(input.last);
  return input;
}

// The engine counts bytes. A stream of larger elements in bytes, while this lives and until back(): positions are modulo
// 2^64, and of the room left no more is told than the engine takes up at a time.
template <u32 Elem> struct InBytes {
  u64 produced, out_end, window;  // elements

  template <typename S> SLUICE_METHOD explicit InBytes(S& s) : produced(s.produced), out_end(s.out_end), window(s.window) {
    const u64 left = out_end - produced;
    s.produced = produced * Elem;
    s.out_end = s.produced + (left < 2 * kMaxOutput ? left : 2 * kMaxOutput) * Elem;
    s.window = window * Elem;
  }
  template <typename S> SLUICE_METHOD void back(S& s) const {
    s.produced = produced + (s.produced - produced * Elem) / Elem;
    s.out_end = out_end;
    s.window = window;
  }
};

// A stream of bits that stands at a byte boundary, as the stream of bytes that an engine over bytes takes. back() gives the stream
// what the engine left.
template <Input K, Buffer B> struct WholeBytes : Stream<Input::Bytes, B> {
  SLUICE_METHOD explicit WholeBytes(const Stream<K, B>& s)
      : Stream<Input::Bytes, B>{s.in, s.size, s.pos >> 3, s.end >> 3, s.out, s.produced, s.out_end, s.promised, s.window,
                                s.dictionary_bytes, s.dictionary, s.dictionary_size, s.lines} {}
  SLUICE_METHOD void back(Stream<K, B>& s) const {
    s.pos = 8 * this->pos;
    s.produced = this->produced;
  }
};

// Where tiles and their tokens come from: the warp that takes them up finds them itself. Or another warp does: walker.h.
struct OneWarp {
  SLUICE_METHOD void join() {}
  // The tile that holds the byte at `from`, of a region that ends at `end`.
  template <typename Tokens>
  SLUICE_METHOD void next(const Tokens& tokens, TokenList& list, Tile& tile, const UnitMemory& input, Cursor from, Cursor end) {
    load_tile(tile, input, from, end);
    find_tokens<true, false>(tokens, list, tile, from - tile.base);
  }
  SLUICE_METHOD void leave() {}
};

// Decodes tokens up to one that it does not understand: note [end]. True: this input does not synchronise. `given`: the
// format's, which brings what tokens carry, and takes it back.
template <bool Write, typename Walks = OneWarp, typename Tokens, typename S> SLUICE_COLD bool speculate(S& s, Tokens& given) {
  static_assert(S::kInput == Input::Bytes, "tokens begin at bytes");
  static_assert(Tokens::kInMargin <= kTileAhead, "a token that begins in a tile's first kTileBytes has its margin");
  constexpr u32 kTogether = Tokens::kLate ? 1 : kTokensALane;
  converge(step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes].stage);
  if (ballot(s.pos == s.end) != 0) return false;
  const UnitMemory input = shared_units(s);
  const u64 region = s.end - input.from;
  const Cursor end = uniform(region < kFarthestCursor ? (Cursor)region : (Cursor)kFarthestCursor);
  Steps g;
  g.template open<Write>(s, input.memory, input.last);
  join_writer<Write>(g);
  Walks walks;
  walks.join();
  Tokens tokens = given;
  if constexpr (Tokens::kLate) tokens.outputs = s.produced - g.first;
  Tile tile = no_tile();
  TokenList list = {in_register(token_starts[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]), 0, 0,
                    uniform((Cursor)(s.pos - input.from)), 0, false, Far::Nothing};
  FarToken* const far = in_register(&far_tokens[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
  bool stop = false;
  SLUICE_ROLLED
  for (;;) {
    SLUICE_ROLLED
    while (!stop && wants_records<Write>(g)) {
      typename Tokens::Own r[kTogether] = {};
      u32 left = list.count - list.next;
      if (kRing && left < kLanes && list.word < list.words) {
        list_more(list);
        continue;
      }
      if (list.next == list.count) {
        if (list.far == Far::Nothing) {
          const Cursor from = tile.base + list.exit;
          stop = list.last || list.poor == kPoorTiles || g.added - g.first >= kMaxOutput;
          if (stop) break;
          before_walks<Write>(g);
          walks.next(tokens, list, tile, input, from, end);
          if (list.count != 0) continue;
          // Of a token that looks at those before it, both parts would do so.
          if (!Tokens::kLate && !list.last) {
            const Far found = find_far_token(tokens, far, FarBytes{input.memory, input.first, input.last}, from, end,
                                             g.limit - g.added, g.added - g.lowest);
            converge(step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes].stage);
            list.far = (Far)uniform((u32)found);
          }
          stop = list.far == Far::Nothing;
          continue;
        }
        left = 1;
        if (lane() == 0) (Record&)r[0] = far->record;
        (list.far == Far::Literals ? r[0].length : r[0].literals) = 0;
      } else if (kTogether * lane() < left) {
        take_tokens(tokens, tile, list.at(list.next + kTogether * lane()), left - kTogether * lane(), r);
      }
      const u32 taken = add_records<Write>(g, tokens, left, r, stop);
      if (list.far == Far::Nothing) {
        list.next += taken;
        if (stop) list.exit = uniform(*list.at(list.next));
      } else if (taken != 0) {
        list.far = list.far == Far::Literals && uniform(far->record.length) != 0 ? Far::Copy : Far::Nothing;
        if (list.far == Far::Nothing) list.exit = uniform(far->next) - tile.base;
      }
    }
    if (!put_out<Write>(g, stop)) break;
  }
  walks.leave();
  s.pos = input.from + tile.base + list.exit;
  s.produced += g.done - g.first;
  if constexpr (Tokens::kLate) given.carried = tokens.carried;
  sync();
  return list.poor == kPoorTiles;
}

}  // namespace prim
