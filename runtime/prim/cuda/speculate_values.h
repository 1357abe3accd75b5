#pragma once
// Tokens that are values, runs of values or lists of them, found by all lanes at once: note [speculate] of speculate.h,
// whose walks and repairs these are.
//   A list that goes on behind the tile is taken to end where the tile does: lanes behind it have nothing to walk. What is
//   wrong with its values is seen when it is taken up, and what it lacks when the next tile is there (note [open lists]). Then
//   all of it is the checked path's, from its token on: that writes the same values once more, and finds what is wrong.
//   A stream of bits is one whose tokens begin at bytes, too: its positions count bits.
//   note [other tokens]: a token that is no record is the checked path's. Where walks could tell its size, the tile and the tokens
//   behind it are kept meanwhile: when the stream comes back to the next one of them, records go on from there, and nothing is
//   walked anew. Whoever enters takes what is kept away, so that it is what the tile's memory still holds.
// `Tokens` is emitted: its token() is the body of the loop, over a ValueTile. It returns the cursor behind the token, or
// kCannotTell. To its output it does what that makes of it: nothing, or a ValueRecord. Its List says what its lists are of,
// and kLoop is a number of its own among a format's loops, from 1 on.

namespace prim {

// Shared memory of a warp.
struct ValueRooms {
  ValueTileRoom tile;
  ValueStepRoom steps;
  alignas(4) u16 starts[kTokenStarts + kTokenMarks];
};
constexpr u64 kSpeculateValuesBytes = sizeof(ValueTileRoom) + sizeof(ValueStepRoom) + sizeof(token_starts[0]);
#ifdef SLUICE_STORAGE
template <typename S> SLUICE_INLINE u16* value_starts(const S& s) { return in_register(s.rooms->starts); }
#else
template <typename S> SLUICE_INLINE u16* value_starts(const S&) { return in_register(token_starts[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]); }
#endif

// A list of which some values are yet to come.
struct OpenList {
  u32 left;      // 0: there is none
  u32 place;     // of the first of them, in the tile that is there
  Cursor token;  // where its token begins
  u32 element;   // its first one, counted from where steps began
};

// Of a stream: what a tile's list has behind a token that was none of the engine's. Equal in all lanes.
struct KeptTokens {
  u32 loop;         // whose they are; 0: nothing is kept
  u32 next, count;  // as TokenList has them
  Cursor end;       // of the region, from the tile on: which may begin before the cursors of who comes back
  u32 ends;         // as ValueTile has them
  Cursor exit;      // behind the last one, from the tile on
  u32 poor;
  u64 at;           // the byte where the next one begins
  bool own;         // what follows is for lanes alone: note [own tokens] of own_tokens.h
  u32 wait, pause;  // so many tiles of many tokens are not yet, and were not the last time
};
// note [own tokens] of own_tokens.h: tiles of so many tokens are for lanes alone. Where that did not pay, the next four are not, and each time four
// times as many and four, up to so many.
#ifdef SLUICE_OWN
constexpr bool kOwn = true;
#else
constexpr bool kOwn = false;
#endif
constexpr u32 kTokensOfOwn = kTileBytes / 6, kMostPause = 1 << 12;

// The tile that holds the byte at `from`, of a region that ends at `end`.
template <typename Tokens> SLUICE_INLINE void load_value_tile(ValueTile& t, const UnitMemory& input, Cursor from, Cursor end) {
  t.base = from & ~(kUnitBytes - 1);
  t.end = end - t.base;
  sync();
  load_units<kValueUnits, kLanes>(t.room->units, input, t.base, lane());
  sync();
  static_assert(kEnds || !Tokens::List::kVarints, "room for ends");
  if constexpr (kEnds) find_ends<typename Tokens::List>(t);
}

// Where the token at `at` ends, as behind() of walks.h has it.
//   note [numbers apart]: what its numbers hold is most often not asked for that. Then all kinds of tokens are so many bytes and so many
//   numbers, which stand one behind the other: lanes that walk tokens of several kinds add up bytes and numbers, each by its own kind,
//   and look at the tile in one piece of code for all.
template <typename Tokens> SLUICE_INLINE Cursor behind(const Tokens& tokens, const ValueTile& tile, Cursor at) {
  if constexpr (Tokens::kApart) {
    TokenSize size;
    const Cursor others = tokens.token(tile, at, ValueTile::kRoom, size);
    if (others == kCannotTell) return kCannotTell;
    typedef typename Tokens::List List;
    if (List::kMayBePlain && !tile.counted && SLUICE_LIKELY(List::plain(tile, size.at, size.numbers)) && others == size.at) return others + size.numbers;
    const Cursor end = others + numbers_behind<List>(tile, size.at, size.numbers) - size.at;
    return end <= tile.seen() ? end : tile.end > kValueRoom ? kValueRoom : kCannotTell;
  } else {
    NoOutput none;
    return tokens.token(tile, at, ValueTile::kRoom, none);
  }
}

// The record of the token at `start`, one for each lane. Where lists are of numbers that have a byte each, most often, so are taken those of
// other tokens, first: little code, of few branches. (Where tokens are of more kinds it is too much code, H200: RLE v2 of bytes 4 to 8 % slower.)
template <typename Tokens> SLUICE_INLINE ValueRecord record_at(const Tokens& tokens, const ValueTile& tile, Cursor start) {
  const ValueRecord none = {0, kRunOfValues, 0, 0, 0, 0, 0};
  ValueRecord r = none;
  if constexpr (Tokens::List::kMayBePlain) {
    if (ballot(tile.counted) == 0) {  // in all lanes alike, which a vote tells the compiler, too
      BriefRecord brief = {none, false};
      if (tokens.token(tile, start, kValueRoom, brief) >= kCannotTell) brief.count = kMaxValues;
      r = brief;
      if (SLUICE_LIKELY(ballot(brief.longer) == 0)) return r;
      if (!brief.longer) return r;
      r = none;
    }
  }
  if (tokens.token(tile, start, kValueRoom, r) >= kCannotTell) r.count = kMaxValues;
  return r;
}

// note [other guesses] of walks.h: on an H200 ORC's long runs of 4 and 8 bytes are 1.05 to 1.2 times as fast, mixed lists 0.98; of bytes, whose
// columns are short runs and lists, 0.9 to 1.1 times.
// Where there are no lists tokens are short, and walks meet soon.
constexpr bool kGuessesAgain = kElement >= 4;

// What the tokens of the tile that is there wait for: they are listed, or are to be found from list.exit on, in a tile that is
// new or behind the end of a list that began before it.
enum class Search : u32 { Done, NewTile, BehindList };

// Decodes tokens up to one that it does not understand, or that does not end before the region. True: this input does not
// synchronise, or the output's elements do not lie at multiples of their size. `tokens`: the format's.
//   note [place]: a kernel's functions lie in the order of their mangled names, in which a name's length comes first. Under its name of 16
// letters this one lay between those that read numbers and those that end a chunk: ORC's RLE v2 of 8-byte elements was 10 % slower (H200).
template <bool Write, typename Tokens, typename S> SLUICE_COLD bool as_values(S& s, const Tokens& given) {
  typedef typename Tokens::List List;
  constexpr u32 kPerByte = S::kInput == Input::Bytes ? 1 : 8;  // positions
  static_assert(kTileBytes + Tokens::kInMargin <= kValueRoom, "a token that begins in a tile's first kTileBytes has its margin");
  converge(value_step_room(s)->steps);
  if (ballot(s.pos == s.end || s.pos % kPerByte != 0) != 0) return false;
  typedef decltype(s.out) Out;
  if (Write && StepsTo<Out>::Type::skewed(s.out)) return true;
  const UnitMemory input = shared_units(s);
  const u64 region = s.end / kPerByte - input.from;
  const Cursor end = uniform(region < kFarthestCursor ? (Cursor)region : (Cursor)kFarthestCursor);
  ValueStepsOf<Out> g;
  g.template open<Write>(s);
  const Tokens tokens = given;
  ValueTile tile = no_value_tile(value_tile_room(s));
  TokenList list = {value_starts(s), kTokensToGuess, kTokensToGuess,  // as behind a tile of many, all taken up
                    uniform((Cursor)(s.byte() - input.from)), 0, false, Far::Nothing};
  OpenList open = {0, 0, 0, 0};
  const KeptTokens kept = s.kept;
  s.kept.loop = 0;
  if (ballot(kept.loop != Tokens::kLoop || kept.at != s.byte()) == 0) {
    const u32 next = uniform(kept.next), base = list.exit - uniform(list.starts[next]);
    if (end - base == uniform(kept.end)) {
      tile.base = base;
      tile.end = end - base;
      tile.ends = uniform(kept.ends);
      list.next = next;
      list.count = uniform(kept.count);
      list.exit = uniform(kept.exit);
      list.poor = uniform(kept.poor);
    }
  }
  Search search = Search::Done;
  bool stop = false;
  SLUICE_ROLLED
  for (;;) {
    bool waits = false;  // the tile does, until its lists' values are written
    bool full = false;   // amends are to be written, to make room for others
    SLUICE_ROLLED
    while (!stop && g.added - g.done < kStepValues) {
      if (search != Search::Done) {
        const Cursor first = list.exit;
        find_tokens<false, kGuessesAgain && !List::kNone>(tokens, list, tile, first);
        stop = search == Search::NewTile && list.count == 0;
        if constexpr (Write && kOwn && Tokens::kOwn && !StepsTo<Out>::Type::kSink) {
          if (ballot(list.count < kTokensOfOwn) == 0) {
            s.kept.own = ballot(s.kept.wait != 0) == 0;
            s.kept.wait -= s.kept.own ? 0 : 1;
          }
          if (ballot(s.kept.own) != 0) {
            list.exit = first;
            list.next = list.count;
            stop = true;
          }
        }
        search = Search::Done;
        continue;
      }
      ValueRecord r = {0, kRunOfValues, 0, 0, 0, 0, 0};
      u32 haves = list.count - list.next < kLanes ? list.count - list.next : kLanes;
      const bool fresh = list.next == list.count;
      if (fresh) {
        waits = Write && g.done != g.added && g.done < g.listed;
        if (waits) break;
        const Cursor from = tile.base + list.exit;
        stop = open.left == 0 && (from == end || list.poor == kPoorTiles || g.known() >= kMostValues);
        if (stop) break;
        load_value_tile<Tokens>(tile, input, from, end);
        list.exit = from - tile.base;
        if (open.left == 0) {
          search = Search::NewTile;
          continue;
        }
        haves = 1;
        if (lane() == 0) r = {open.left, List::moved(open.place, list.exit), 0, 0, 0, (u64)g.last, 0};
      } else {  // a lane that has none takes the first one's again: there are no two ways
        const Cursor start = list.starts[list.next + (lane() < haves ? lane() : 0)];
        assume(start < kTileBytes);
        r = record_at(tokens, tile, start);
      }
      const ValuesTaken taken = add_values<Write, List>(g, tile, haves, r);
      if constexpr (List::kArrays) {
        if (Write && taken.amends != 0) {
          ValueAmends amends = {g.room->amends + taken.amend, 0, taken.at};
          if (lane() < taken.records && r.amends != 0) tokens.token(tile, list.starts[list.next + lane()], kValueRoom, amends);
          g.amends += taken.amends;
          sync();
        }
      }
      if (fresh) {
        stop = taken.refused;
        if (stop) break;
        const u32 behind = List::behind(tile, List::moved(open.place, list.exit), open.left);
        open.left = taken.left;
        open.place = taken.next;
        list.exit = taken.left != 0 ? List::byte(taken.next) : uniform(List::byte_behind(behind));
        if (taken.left == 0) search = Search::BehindList;
        continue;
      }
      list.next += taken.records;
      if (SLUICE_LIKELY(taken.all)) continue;
      if (taken.left != 0) {
        open = {taken.left, taken.next, tile.base + uniform(list.starts[list.next - 1]), taken.first};
        list.exit = List::byte(taken.next);
      }
      stop = taken.refused;
      if (stop) {
        if (list.next + 1 < list.count)
          s.kept = {Tokens::kLoop, list.next + 1, list.count, tile.end, tile.ends, list.exit, list.poor, input.from + (Cursor)(tile.base + list.starts[list.next + 1]),
                    false, s.kept.wait, s.kept.pause};
        list.exit = uniform(list.starts[list.next]);
        break;
      }
      full = List::kArrays && Write && taken.records == 0;
      if (full) break;
    }
    if (g.added == g.done && !waits) break;
    if (Write) write_known_values<List>(g, tile, stop || waits || full);
  }
  const bool whole = open.left == 0;
  s.pos = kPerByte * (input.from + (whole ? tile.base + list.exit : open.token));
  if (Write) handed(s, g.out + (u64)(g.first + g.known()) * kElement);
  s.produced += whole ? g.known() : open.element;
  sync();
  return list.poor == kPoorTiles;
}

}  // namespace prim
