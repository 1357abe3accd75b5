#pragma once
// Tokens of a byte that stand for a string each, or of two, the second of which stands for itself, taken by all lanes of a warp
// at once (strategy `lanes`).
//   note [codes]: what a token does follows from its first byte, and from what is the same in the whole loop. So that is asked
//   once, of every byte: the token's own text tells, and a table keeps it. A tile of the input is kLaneStrings bytes a lane;
//   the table says which string each byte is, if a token begins there.
//   note [escapes]: where none does is told by an automaton of two states: the byte behind an escape is a literal, and a byte
//   that is one is no escape. Through bytes that are all escapes a lane hands on the state it got, and through any others one
//   that does not depend on that (kLaneStrings is even): so each lane finds its state in what the last lane before it says that
//   has a byte which is none. Tiles without an escape have no need of that.
//   note [cut]: bytes of which the table does not tell, strings for which there is no room, and an escape behind which the
//   region ends are the checked path's: what stands before the first of them is taken, and no more.
// `Tokens` is emitted: its token() is the body of the loop, over a CodeByte. It returns the cursor behind the token, or
// kCannotTell, and does to its output what that makes of it, a CodeString.

namespace prim {

// The first byte of a token, and of no other.
struct CodeByte {
  u32 value;
  SLUICE_METHOD u32 byte(u32 at) const { return at == 0 ? value : 0; }
};
// What a token makes.
struct CodeString {
  u64 text;
  u32 size;
  SLUICE_METHOD void operator+=(u64) {}
};

constexpr u32 kCodes = 256;
// Instead of a size: of an escape, and of what the table does not tell.
constexpr u32 kEscape = 0xc0, kNoCode = 0xe0;
static_assert(kLaneStrings * kStringBytes < kEscape && kLaneStrings * kNoCode < 1u << 16, "sums tell whether there is any");
static_assert(kLaneStrings % 2 == 0, "note [escapes]");
struct alignas(kCodes) CodeTable {
  u8 size[kCodes];
  u64 text[kCodes];
};
SLUICE_ROOM CodeTable code_tables[SLUICE_WARPS];
// Shared memory of a warp, up to the table's alignment.
constexpr u64 kCodeLanesBytes = sizeof(code_tables[0]) + sizeof(string_stages[0]);

// Regions in which there is little to be won: a table is made first. And one that ends so soon is not made again.
constexpr u32 kLeastCodes = 512, kFewCodes = 4096;

template <typename Tokens> SLUICE_INLINE void ask_tokens(const Tokens& tokens, CodeTable* table) {
  sync();
  SLUICE_ROLLED
  for (u32 byte = lane(); byte < kCodes; byte += kLanes) {
    const CodeByte in = {byte};
    CodeString made = {0, 0};
    const Cursor end = tokens.token(in, 0, (Cursor)Tokens::kInMargin, made);
    const bool code = end == 1 && made.size <= kStringBytes, escape = end == 2 && made.size == 1;
    table->size[byte] = (u8)(code ? made.size : escape ? kEscape : kNoCode);
    table->text[byte] = code ? made.text : 0;
  }
  sync();
}

// A lane's bytes of a tile.
SLUICE_INLINE u64 load_codes(const UnitMemory& input, Cursor tile) {
  static_assert(kLaneStrings == 8, "a word");
  const Cursor at = tile + lane() * kLaneStrings;
  if (SLUICE_LIKELY(input.inside(tile, kTileStrings))) return *(const u64*)(input.memory + at);
  u64 word = 0;
  SLUICE_ROLLED
  for (u32 k = 0; k < kLaneStrings; ++k)
    if (at + k >= input.first && at + k < input.last) word |= (u64)input.memory[at + k] << 8 * k;
  return word;
}

// Where a tile's tokens are, and what of it is the region's. Equal in all lanes.
struct CodeTile {
  Cursor from, start, end;  // its first byte; the region's first one that is to be decoded, and its end
  u32 open;                 // 1: the byte before was an escape
};

// So many of kLaneStrings bits.
SLUICE_INLINE u32 first_bits(i32 n) { return n <= 0 ? 0 : n >= (i32)kLaneStrings ? (1u << kLaneStrings) - 1 : (1u << n) - 1; }
SLUICE_INLINE u32 code_at(u64 codes, u32 k) { return (u32)(codes >> 8 * k) & 0xff; }

// Which of this lane's bytes are literals, and the state behind the tile. `escapes`: bytes that are one if a token begins there.
SLUICE_INLINE u32 find_literals(u32 escapes, u32& open) {
  constexpr u32 kAllOf = (1u << kLaneStrings) - 1;
  u32 literals[2], behind = 0;  // where the lane begins with a token, and where not
  SLUICE_UNROLLED
  for (u32 state = 0; state < 2; ++state) {
    u32 literal = state;
    literals[state] = 0;
    SLUICE_UNROLLED
    for (u32 k = 0; k < kLaneStrings; ++k) {
      literals[state] |= literal << k;
      literal = escapes >> k & 1 & ~literal;
    }
    if (state == 0) behind = literal;
  }
  const u32 tell = ballot(escapes != kAllOf), states = ballot(behind != 0);
  const u32 before = tell & lanes_below();
  const u32 state = before != 0 ? states >> (31 - __clz((i32)before)) & 1 : open;
  open = tell != 0 ? states >> (31 - __clz((i32)tell)) & 1 : open;
  return state != 0 ? literals[1] : literals[0];
}

// The sizes of a lane's strings, of a tile that may have escapes and edges: up to the first byte that is none. That one, or
// the region's end, is `end` behind it; and then the tile is cut there.
SLUICE_INLINE u32 cut_strings(CodeTile& tile, u32 (&sizes)[kLaneStrings], u64 room, bool& cut) {
  const i32 at = (i32)(tile.from + lane() * kLaneStrings);
  const u32 inside = first_bits((i32)tile.end - at) & ~first_bits((i32)tile.start - at);
  u32 escapes = 0, bad = 0;
  SLUICE_UNROLLED
  for (u32 k = 0; k < kLaneStrings; ++k) {
    escapes |= (sizes[k] == kEscape ? 1u : 0) << k;
    bad |= (sizes[k] == kNoCode ? 1u : 0) << k;
  }
  u32 behind = tile.open;
  const u32 literals = find_literals(escapes & inside, behind);
  u32 mine = 0;
  SLUICE_UNROLLED
  for (u32 k = 0; k < kLaneStrings; ++k) {
    const u32 bit = 1u << k;
    sizes[k] = (inside & bit) == 0 ? 0 : (literals & bit) != 0 ? 1 : sizes[k] < kEscape ? sizes[k] : 0;
    mine += sizes[k];
  }
  const u32 through = scan_add(mine);
  bad &= inside & ~literals;
  // A literal that is none of the region's: its escape is the last byte.
  const bool lacks = ballot((literals & ~inside) != 0) != 0 || (behind != 0 && tile.end == tile.from + kTileStrings);
  if (ballot(bad != 0 || through > room) == 0) {
    if (lacks) --tile.end;
    tile.open = behind;
    return literals;
  }
  u32 whole = 0, made = through - mine;  // bytes that are taken
  SLUICE_UNROLLED
  for (u32 k = 0; k < kLaneStrings; ++k) {
    made += sizes[k];
    if (whole == k && made <= room && (bad >> k & 1) == 0) whole = k + 1;
  }
  const u32 lanes = leading(whole == kLaneStrings);
  // Of a literal its escape, too.
  const Cursor stop = (Cursor)at + whole - (literals >> whole & 1);
  tile.end = uniform(lane() == lanes ? stop : 0);
  tile.open = 0;
  cut = true;
  SLUICE_UNROLLED
  for (u32 k = 0; k < kLaneStrings; ++k)
    if ((Cursor)at + k >= tile.end) sizes[k] = 0;
  return literals;
}

// Decodes tokens up to one that is none of these: note [cut]. True: the loop of strategy `warp` may go on.
template <bool Write, typename Tokens, typename S> SLUICE_COLD bool decode_codes(S& s, const Tokens& given) {
  static_assert(S::kInput == Input::Bytes, "tokens begin at bytes");
  converge(own_stage()->units);
  if (ballot(s.end - s.pos < kLeastCodes) != 0) return true;
  CodeTable* const table = in_register(&code_tables[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
  ask_tokens(given, table);
  converge(own_stage()->units);
  const UnitMemory input = shared_units(s);
  const u64 region = s.end - input.from;
  CodeTile tile = {0, uniform((Cursor)(s.pos - input.from)), uniform(region < kFarthestCursor ? (Cursor)region : (Cursor)kFarthestCursor), 0};
  tile.from = tile.start / kLaneStrings * kLaneStrings;
  StringOutput g;
  if (Write) g.open(s.out + s.produced);
  u64 room = uniform64(s.out_end - s.produced), made = 0;
  bool cut = false;
  u64 next = load_codes(input, tile.from);
  SLUICE_ROLLED
  while (!cut && tile.from < tile.end) {
    const u64 codes = next;
    if (tile.from + kTileStrings < tile.end) next = load_codes(input, tile.from + kTileStrings);
    u32 sizes[kLaneStrings], mine = 0;
    SLUICE_UNROLLED
    for (u32 k = 0; k < kLaneStrings; ++k) {
      sizes[k] = table->size[code_at(codes, k)];
      mine += sizes[k];
    }
    const bool inner = tile.from >= tile.start && tile.from + kTileStrings <= tile.end && tile.open == 0 && room >= kTileStrings * kStringBytes;
    if (inner && ballot(mine >= kEscape) == 0) {
      const u32 through = scan_add(mine), all = shfl(through, kLanes - 1);
      if (Write) put_strings(g, sizes, through - mine, all, [&](u32 k) { return table->text[code_at(codes, k)]; });
      made += all;
      room -= all;
    } else {
      const u32 literals = cut_strings(tile, sizes, room, cut);
      mine = 0;
      SLUICE_UNROLLED
      for (u32 k = 0; k < kLaneStrings; ++k) mine += sizes[k];
      const u32 through = scan_add(mine), all = shfl(through, kLanes - 1);
      const auto text = [&](u32 k) { return sizes[k] == 0 ? 0 : (literals >> k & 1) != 0 ? (u64)code_at(codes, k) : table->text[code_at(codes, k)]; };
      if (Write) put_strings(g, sizes, through - mine, all, text);
      made += all;
      room -= all;
    }
    if (Write) put_out_units(g);
    tile.from += kTileStrings;
  }
  if (Write) put_out_rest(g);
  const u64 to = input.from + tile.end;
  const bool few = to - s.pos < kFewCodes;
  s.pos = to;
  s.produced += made;
  sync();
  return few;
}

}  // namespace prim
