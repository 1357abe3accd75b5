#pragma once
// Tokens of so many bytes each, that make so many strings, taken by all lanes of a warp at once (strategy `lanes`).
//   A lane has a few that follow each other, in registers, and takes them as their text says: places and numbers of strings are
//   known when that is compiled. What becomes of the strings: note [strings] of strings.h. What is no token, or has no room, is
//   the checked path's: note [cut] of code_lanes.h.
// `Tokens` is emitted: its token() is the body of the loop, over TokenWords. It has kBytes bytes and makes kStrings strings, or
// returns kCannotTell. own() finds out again where the block's memory is: of a copy that has been in memory the compiler can't tell.

namespace prim {

// Bytes of the input in registers, and some behind them that are anything. Places are known when this is compiled.
template <u32 Words> struct TokenWords {
  u32 word[Words];
  SLUICE_METHOD u32 byte(u32 at) const { return word[at / 4] >> 8 * (at % 4) & 0xff; }
};
// What a token makes.
template <u32 Strings> struct TokenStrings {
  u64 text[Strings];
  u32 size[Strings];
  u32 count;
  SLUICE_METHOD void operator+=(u64) {}
};

// Regions in which there is little to be won.
constexpr u32 kLeastFixed = 512;
constexpr u64 kFixedLanesBytes = sizeof(string_stages[0]);

template <typename Tokens> struct FixedLane {
  static constexpr u32 kTokens = kLaneStrings / Tokens::kStrings, kBytes = kTokens * Tokens::kBytes;
  static constexpr u32 kWords = (kBytes + 3) / 4 + 1, kTile = kLanes * kBytes;
  static_assert(kTokens != 0, "a token's strings are a lane's");
  typedef TokenWords<kWords> Words;

  // This lane's of the tile, of input up to `end`.
  static SLUICE_METHOD Words load(const UnitMemory& input, Cursor tile, Cursor end) {
    Words made;
    const Cursor at = tile + lane() * kBytes, from = at / 4 * 4;
    if (SLUICE_LIKELY(input.inside(tile / 4 * 4, kTile + 12))) {
      SLUICE_UNROLLED
      for (u32 i = 0; i < kWords; ++i) made.word[i] = *(const u32*)(input.memory + from + 4 * i);
      SLUICE_UNROLLED
      for (u32 i = 0; i + 1 < kWords; ++i) made.word[i] = __funnelshift_r(made.word[i], made.word[i + 1], 8 * at);
      return made;
    }
    SLUICE_UNROLLED
    for (u32 i = 0; i < kWords; ++i) made.word[i] = 0;
    SLUICE_UNROLLED
    for (u32 k = 0; k < kBytes; ++k)
      if (at + k < end) made.word[k / 4] |= (u32)input.memory[at + k] << 8 * (k % 4);
    return made;
  }
};

// What a lane's tokens of a tile make.
template <typename Tokens> struct FixedStrings {
  typedef FixedLane<Tokens> Lane;
  static constexpr u32 kTokens = Lane::kTokens, kStrings = Tokens::kStrings;
  u32 sizes[kLaneStrings];
  u64 texts[kLaneStrings];
  u32 mine, bad;  // bytes; bit t: the t-th one is no token

  // From `at` on, of input up to `end`.
  SLUICE_METHOD void take(const Tokens& tokens, const typename Lane::Words& words, Cursor at, Cursor end) {
    mine = bad = 0;
    SLUICE_UNROLLED
    for (u32 k = 0; k < kLaneStrings; ++k) {
      sizes[k] = 0;
      texts[k] = 0;
    }
    SLUICE_UNROLLED
    for (u32 t = 0; t < kTokens; ++t) {
      TokenStrings<kStrings> one = {};
      const bool told = tokens.token(words, t * Tokens::kBytes, t * Tokens::kBytes + (Cursor)Tokens::kInMargin, one) < kCannotTell;
      const bool inside = at + t * Tokens::kBytes < end;
      bad |= (inside && !told ? 1u : 0) << t;
      SLUICE_UNROLLED
      for (u32 k = 0; k < kStrings; ++k) {
        sizes[t * kStrings + k] = inside && told ? one.size[k] : 0;
        texts[t * kStrings + k] = inside && told ? one.text[k] : 0;
        mine += sizes[t * kStrings + k];
      }
    }
  }

  // Up to the tile's first one that is none, or has no room, behind `through - mine` bytes of the lanes before. Returns where that is.
  SLUICE_METHOD Cursor cut(Cursor at, u64 room, u32 through) {
    u32 whole = 0, upto = through - mine, taken = 0;  // tokens that are taken, and their bytes
    SLUICE_UNROLLED
    for (u32 t = 0; t < kTokens; ++t) {
      SLUICE_UNROLLED
      for (u32 k = 0; k < kStrings; ++k) upto += sizes[t * kStrings + k];
      if (whole == t && upto <= room && (bad >> t & 1) == 0) whole = t + 1;
    }
    const u32 lanes = leading(whole == kTokens);
    const Cursor end = uniform(lane() == lanes ? at + whole * Tokens::kBytes : 0);
    SLUICE_UNROLLED
    for (u32 t = 0; t < kTokens; ++t) {
      SLUICE_UNROLLED
      for (u32 k = 0; k < kStrings; ++k) {
        const u32 i = t * kStrings + k;
        if (at + t * Tokens::kBytes >= end) sizes[i] = 0;  // whatever their texts are: behind these nothing is written
        taken += sizes[i];
      }
    }
    mine = taken;
    return end;
  }
};

// Decodes tokens up to one that is none of these. True: the loop of strategy `warp` may go on.
template <bool Write, typename Tokens, typename S> SLUICE_COLD bool decode_fixed(S& s, const Tokens& given) {
  static_assert(S::kInput == Input::Bytes, "tokens begin at bytes");
  typedef FixedLane<Tokens> Lane;
  converge(own_stage()->units);
  if (ballot(s.end - s.pos < kLeastFixed) != 0) return true;
  Tokens tokens = given;
  tokens.own();
  const UnitMemory input = shared_units(s);
  const u64 region = s.end - input.from;
  Cursor tile = uniform((Cursor)(s.pos - input.from)), end = uniform(region < kFarthestCursor ? (Cursor)region : (Cursor)kFarthestCursor);
  end -= (end - tile) % Tokens::kBytes;
  StringOutput g;
  if (Write) g.open(s.out + s.produced);
  u64 room = uniform64(s.out_end - s.produced), made = 0;
  typename Lane::Words next = Lane::load(input, tile, end);
  SLUICE_ROLLED
  while (tile < end) {
    const typename Lane::Words words = next;
    if (tile + Lane::kTile < end) next = Lane::load(input, tile + Lane::kTile, end);
    const Cursor at = tile + lane() * Lane::kBytes;
    FixedStrings<Tokens> strings;
    strings.take(tokens, words, at, end);
    u32 through = scan_add(strings.mine);
    if (SLUICE_UNLIKELY(ballot(strings.bad != 0 || through > room) != 0)) {
      end = strings.cut(at, room, through);
      through = scan_add(strings.mine);
    }
    const u32 all = shfl(through, kLanes - 1);
    if (Write) {
      put_strings(g, strings.sizes, through - strings.mine, all, [&](u32 k) { return strings.texts[k]; });
      put_out_units(g);
    }
    made += all;
    room -= all;
    tile += Lane::kTile;
  }
  if (Write) put_out_rest(g);
  const u64 to = input.from + end;
  const bool few = to - s.pos < kLeastFixed;
  s.pos = to;
  s.produced += made;
  sync();
  return few;
}

}  // namespace prim
