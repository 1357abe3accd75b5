#pragma once
// Tokens of values that are a few bytes each, decoded by lanes alone (strategy `speculate`).
//   note [own tokens]: what lanes share of such tokens costs more than it makes. Walks from guesses meet behind a segment of 32 bytes, or later;
// who takes a token up waits for those of other kinds; and its few values are counted, marked and looked up again by others. Here a lane has a
// longer part of the input, and makes and writes what its tokens are:
//
//     part of lane 3                part of lane 4                part of lane 5
//   ..|--.---.--.---.---.--.---.----|..---.--.--.---.----.--.---..|.--.---.
//                  guess ~~~~~~~~~~~~~>|                               where lane 4 comes out, and lane 5 should come in
//
//   First it walks, from a guess some bytes in front of its part, to where the first token of its own begins; then over its part, to know how
// many values that has and where it comes out. Who did not come in where the lane before came out walks again, from there, until it meets the
// walk it has done. When all agree, sums tell where each one's output begins.
//   What a walk asks of a token most often is a table's, by its first two bytes (compiler/plan/two_bytes.h), whatever kind it is. What that says
// is looked at when they are made: a lane that makes other values than were counted gives up all that the tile's lanes have made. Who only counts
// makes none, and would count what a token refuses: so that is not for lanes alone.
//   A token that has many bytes or values, or no value, or is none, ends its lane's part, and those of the lanes behind: it is as_values()'s, which leaves
// tiles of many tokens to this, and goes on where that does not pay. H200, ORC's RLE v2 of bytes, tokens of 3 to 4 bytes: 1.5 to 1.7 times as fast.

namespace prim {

constexpr u32 kOwnSegment = 120, kOwnTile = kLanes * kOwnSegment;
constexpr u32 kOwnBytes = 120, kOwnValues = 64;  // of a token, at most; and one value at least
constexpr u32 kAhead = 32;                       // bytes in front of its part, where a lane begins to guess
constexpr u32 kOwnMargin = 56;                   // that a token may read behind them
constexpr u32 kOwnRoom = kOwnTile + kOwnBytes + kOwnMargin, kOwnUnits = kOwnRoom / kUnitBytes;
constexpr u32 kOwnRounds = 6;                    // of walks: what has not met by then does not
static_assert(kOwnBytes <= kOwnSegment && kAhead <= kOwnSegment, "a lane comes out in the part behind its own");
static_assert(kOwnRoom <= kMostRoom, "a place of bits has room for any in it");
static_assert(kOwnRoom % kUnitBytes == 0 && kUnitBytes + kAhead <= kOwnSegment, "whole units; guesses lie behind the first token");

// A lane's output, in words. The first one and the last one are others', too.
struct OwnOutput {
  static constexpr u32 kWord = sizeof(u64);
  u8* to;          // the word that is being filled
  u64 word, head;  // head: the first one, when it has been filled
  u32 skew, fill;  // its bytes that are others', and those that are these or are there
  bool begun;      // the first one has been filled

  SLUICE_METHOD void open(u8* at) {
    skew = fill = (u32)((u64)at % kWord);
    to = global(at - skew);
    word = head = 0;
    begun = false;
  }
  SLUICE_METHOD void flush() {
    if (SLUICE_LIKELY(begun)) *(u64*)to = word;
    else head = word;
    begun = true;
    to += kWord;
  }
  // n (1 to kWord) of these bytes, the first one lowest.
  SLUICE_METHOD void add(u64 bytes, u32 n) {
    bytes &= ~0ull >> (64 - 8 * n);
    const u32 before = 8 * fill;
    word |= bytes << before;
    fill += n;
    if (fill >= kWord) {
      flush();
      fill -= kWord;
      word = before == 0 ? 0 : bytes >> (64 - before);
    }
  }
};

SLUICE_INLINE void store_bytes(u8* at, u64 word, u32 from, u32 end) {
  SLUICE_ROLLED
  for (u32 i = from; i < end; i += kElement) store_aligned<kElement>(at + i, word >> 8 * i);
}
// The words at the ends of the first lanes' output, which is one behind the other. `first`: where a lane's begins.
SLUICE_INLINE void close_outputs(const OwnOutput& own, u8* first, u32 lanes) {
  const bool takes = lane() < lanes;
  if (SLUICE_LIKELY(ballot(takes && !own.begun) == 0)) {
    const u32 next = lane() + 1 < kLanes ? lane() + 1 : lane();
    const u64 head = (u64)shfl((u32)(own.head >> 32), next) << 32 | shfl((u32)own.head, next);
    if (lane() + 1 < lanes) *(u64*)own.to = own.word | head;
    if (lane() == 0) store_bytes(global(first - own.skew), own.head, own.skew, OwnOutput::kWord);
    if (lane() + 1 == lanes) store_bytes(own.to, own.word, 0, own.fill);
  } else if (takes) {
    if (own.begun) store_bytes(global(first - own.skew), own.head, own.skew, OwnOutput::kWord);
    store_bytes(own.to, own.word, own.begun ? 0 : own.skew, own.fill);
  }
}

// The record of the token at `at`, and where that ends: a list is the last of it. kCannotTell: it is none, or its values are patched.
template <typename R, typename Tokens> SLUICE_INLINE Cursor own_record(const Tokens& tokens, const ValueTile& tile, Cursor at, R& r) {
  typedef typename Tokens::List List;
  const Cursor to = tokens.token(tile, at, kOwnRoom, r);
  if (to >= kCannotTell || r.from == kRunOfValues) return to;
  return List::offset(r.from) ? kCannotTell : List::byte_behind(List::behind(tile, r.from, r.count - r.lead));
}
// By itself: hardly called.
template <typename Tokens> SLUICE_COLD Cursor record_of_lane_alone(const Tokens& tokens, const ValueTile tile, Cursor at, ValueRecord& r) {
  r = {0, kRunOfValues, 0, 0, 0, 0, 0};
  return own_record(tokens, tile, at, r);
}

struct OwnStep {
  Cursor to;
  u32 values;
  bool sound;
};
// The token at `at`.
template <bool Guess, typename Tokens> SLUICE_INLINE OwnStep own_step(const Tokens& tokens, const ValueTile& tile, Cursor at) {
  const u64 entry = Tokens::size_of(tile.byte(at));
  const u32 second = tile.byte(at + 1), size_of = (u32)entry, values_of = (u32)(entry >> 32);
  const u32 size = (u32)(((i32)size_of >> 16) + (i32)((size_of & 0xff) * second)) >> 3;
  OwnStep step = {at + size, (u32)(((i32)values_of >> 16) + (i32)((values_of & 0xffff) * second)), size <= kOwnBytes};
  const u32 numbers = size_of >> 8 & 15, before = size_of >> 12 & 15;
  if (numbers != 0) step.sound = step.sound && ((tile.byte(at + before) | tile.byte(at + before + numbers - 1)) & 0x80) == 0;
  if (!Guess && SLUICE_UNLIKELY(!step.sound)) {
    ValueRecord r;
    step.to = record_of_lane_alone(tokens, tile, at, r);
    step.values = r.count;
    step.sound = r.count <= kOwnValues && step.to - at <= kOwnBytes;
  }
  step.sound = step.sound && step.values - 1 < kOwnValues && (step.to < tile.end || (Tokens::kToEnd && step.to == tile.end));
  return step;
}

// A walk: where it comes out, how many values it has passed, and whether that is at a token that it can't.
struct OwnWalk {
  Cursor out;
  u32 values;
  bool halts;
};
template <typename Tokens> SLUICE_INLINE OwnWalk own_walk(const Tokens& tokens, const ValueTile& tile, Cursor in, Cursor stop) {
  OwnWalk walk = {in, 0, false};
  SLUICE_ROLLED
  while (walk.out < stop) {
    const OwnStep step = own_step<false>(tokens, tile, walk.out);
    walk.halts = !step.sound;
    if (walk.halts) break;
    walk.out = step.to;
    walk.values += step.values;
  }
  return walk;
}
// The walk from `in`, by the one from `wrong`: where they meet, what was passed on either way changes places. Whoever is behind goes on.
template <typename Tokens> SLUICE_INLINE OwnWalk own_rewalk(const Tokens& tokens, const ValueTile& tile, Cursor in, Cursor wrong, Cursor stop, const OwnWalk& old) {
  OwnWalk walk = {in, 0, false};
  u32 passed = 0;
  SLUICE_ROLLED
  while (walk.out < stop && walk.out != wrong) {
    const bool one = walk.out < wrong;
    const OwnStep step = own_step<false>(tokens, tile, one ? walk.out : wrong);
    walk.halts = one && !step.sound;
    if (walk.halts) break;
    if (one) {
      walk.out = step.to;
      walk.values += step.values;
    } else {
      wrong = step.sound ? step.to : ~0u;
      passed += step.values;
    }
  }
  return walk.out == wrong ? OwnWalk{old.out, old.values - passed + walk.values, old.halts} : walk;
}

// Makes the values of the tokens in [in, out), and writes them. False: there are not so many. A few at a time, of whatever token: lanes go
// on to others while some have longer ones.
template <typename Tokens> SLUICE_INLINE bool own_values(const Tokens& tokens, const ValueTile& tile, Cursor in, Cursor out, u32 values, OwnOutput& own) {
  typedef typename Tokens::List List;
  constexpr u32 kMost = OwnOutput::kWord / kElement;
  u32 run = 0, listed = 0, place = 0;
  i32 step = 0;
  u64 value = 0, start = 0;  // of the run; what a list's are added to
  SLUICE_ROLLED
  while (in < out || (run | listed) != 0) {
    if ((run | listed) == 0) {
      BriefRecord brief = {{0, kRunOfValues, 0, 0, 0, 0, 0}, false};
      Cursor behind = own_record(tokens, tile, in, brief);
      ValueRecord r = brief;
      if (SLUICE_UNLIKELY(brief.longer)) {
        ValueRecord longer;  // in memory
        behind = record_of_lane_alone(tokens, tile, in, longer);
        r = longer;
      }
      if (SLUICE_UNLIKELY(behind >= kCannotTell || r.count - 1 >= values)) return false;
      in = behind;
      values -= r.count;
      run = r.from == kRunOfValues ? r.count : List::kSums ? r.lead : 0;
      listed = r.count - run;
      place = r.from;
      step = r.step;
      value = r.value;
      start = r.start;
    }
    u64 bytes;
    u32 n = 1;
    if (run != 0) {
      if (SLUICE_LIKELY(step == 0)) n = run < kMost ? run : kMost;
      bytes = kElement == 8 ? value : (value & mask(8 * kElement)) * (~0ull / mask(8 * kElement));
      run -= n;
      value += (u64)(i64)step;
    } else {
      const u32 width = List::width(place), bit = List::bit(place);
      if (kElement == 1 && width - 1 < 8 && !List::sums(place)) {
        n = listed < 4 ? listed : 4;
        bytes = List::four(tile, bit, width);
      } else {
        bytes = tile_bits<List::kMsb>(tile, bit, width);
        bytes = !List::sums(place) ? List::of_bits(bytes) : start += List::minus(place) ? 0 - bytes : bytes;
      }
      listed -= n;
      place += n * width;
    }
    own.add(bytes, n * kElement);
  }
  return in == out && values == 0;
}

// Decodes tokens by lanes alone, as long as that pays. False: hardly at all.
template <typename Tokens, typename S> SLUICE_COLD bool tokens_of_lanes_alone(S& s, const Tokens& given) {
  constexpr u32 kPerByte = S::kInput == Input::Bytes ? 1 : 8;
  const UnitMemory input = shared_units(s);
  const u64 region = s.end / kPerByte - input.from;
  const Cursor end = uniform(region < kFarthestCursor ? (Cursor)region : (Cursor)kFarthestCursor);
  const Tokens tokens = given;
  ValueTileRoom* const room = (ValueTileRoom*)value_step_room(s);  // of which there are more units here
  ValueTile tile = no_value_tile(room);
  Cursor from = uniform((Cursor)(s.byte() - input.from));
  const Cursor begun = from;
  u64 produced = s.produced;
  static_assert(!Tokens::kOwn || sizeof(ValueStepRoom) >= kOwnRoom, "nothing stands there between two calls of as_values()");
  SLUICE_ROLLED
  while (from < end) {
    tile.base = from & ~(kUnitBytes - 1);
    tile.end = end - tile.base;
    sync();
    load_units<kOwnUnits, kLanes>(room->units, input, tile.base, lane());
    sync();
    const Cursor begin = lane() * kOwnSegment, close = begin + kOwnSegment, stop = close < tile.end ? close : tile.end;
    // From a guess to the first one of a lane's own, and over its part.
    Cursor in = lane() == 0 ? from - tile.base : begin - kAhead;
    if (lane() != 0) {
      const Cursor own = begin < tile.end ? begin : tile.end;
      SLUICE_ROLLED
      for (Cursor guess = in; in < own;) {
        const OwnStep step = own_step<true>(tokens, tile, in);
        in = step.sound ? step.to : ++guess;
      }
    }
    OwnWalk mine = own_walk(tokens, tile, in, stop);
    bool right = false;
    SLUICE_ROLLED
    for (u32 round = 0;; ++round) {
      const Cursor before = shfl(mine.out, lane() == 0 ? 0 : lane() - 1);
      const bool ended = ballot(mine.halts) << 1 >> lane() & 1;
      right = lane() == 0 || (!ended && before == in);
      const bool wrong = !right && !ended && begin < tile.end;
      if (round == kOwnRounds || ballot(wrong) == 0) break;
      if (wrong) mine = own_rewalk(tokens, tile, before, in, stop, mine);
      if (wrong) in = before;
    }
    const u32 lanes = leading(right && begin < tile.end);
    const bool takes = lane() < lanes;
    const u32 through = scan_add(takes ? mine.values : 0), all = shfl(through, kLanes - 1);
    const Cursor exit = shfl(mine.out, lanes == 0 ? 0 : lanes - 1);
    if (lanes == 0 || all > s.out_end - produced) break;
    u8* const first = s.out + (produced + through - mine.values) * kElement;
    OwnOutput own;
    own.open(first);
    const bool made = !takes || own_values(tokens, tile, in, mine.out, mine.values, own);
    if (ballot(!made) != 0) break;
    close_outputs(own, first, lanes);
    const Cursor passed = exit - (from - tile.base);
    from = tile.base + exit;
    produced += all;
    if (passed < kOwnTile / 2) break;
  }
  from = uniform(from);
  s.pos = kPerByte * (input.from + from);
  s.produced = produced;
  sync();
  return from - begun >= kOwnTile / 2;
}

// Decodes tokens up to one that is none of the engine's, as as_values() says.
template <bool Write, typename Tokens, typename S> SLUICE_INLINE bool decode_values(S& s, const Tokens& tokens) {
  if constexpr (!Write) {
    return as_values<false>(s, tokens);
  } else {
    SLUICE_ROLLED
    for (;;) {
      s.kept.own = false;
      const bool left = as_values<true>(s, tokens);
      if (ballot(s.kept.own) == 0) return left;
      const u32 longer = 4 * s.kept.pause + 4;
      s.kept.pause = tokens_of_lanes_alone(s, tokens) ? 0 : longer < kMostPause ? longer : kMostPause;
      s.kept.wait = s.kept.pause + 1;  // it ends in front of a token that is not for it
    }
  }
}

}  // namespace prim
