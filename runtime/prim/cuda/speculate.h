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

struct FarToken {
  Record record;
  Cursor next;  // behind it
};
SLUICE_ROOM FarToken far_tokens[SLUICE_WARPS];
// Shared memory of a warp.
constexpr u64 kSpeculateBytes = kWarpTiles * (sizeof(tiles[0]) + sizeof(token_starts[0])) + kStepsBytes + kWriterBytes + sizeof(far_tokens[0]);

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
