#pragma once
// Tokens of a bit stream of which nobody knows where they begin, found by all lanes at once: note [speculate] of
// speculate.h, for tokens that begin at bits.
//   note [marks]: what walks have found stands in shared memory, a bit of a mark word for each bit of a lane's segment;
//   of the word that a walk is in, its lane has the bits in a register. The rows of the lanes are a word apart from
//   each other's banks. Lists of places are made of the marks a few words at a time, whenever tokens run out.
//   A token that is no record ends its lane's walk where it begins: what is left there is the checked path's.
// `Tokens` is emitted: its token() is the body of the loop, over a BitTile. It returns the place behind the token, or
// kCannotTell, behind kMostBits at most, and does to its output what that makes of it: nothing, or a Record; its Own is a
// Record, or more (late.h).

namespace prim {

constexpr u32 kSegmentWords = kBitSegment / 32, kMarkRow = kSegmentWords + 1;
constexpr u32 kBitStarts = 128;
static_assert(8 * kBitTileRoom < 1u << 16, "a token's place in the tile has 16 bits");
static_assert(8 * kFarthestCursor <= kCannotTell, "a token that can't be told is one behind every region's end");
static_assert(kBitStarts >= 2 * kLanes, "less than a batch, and a mark word's tokens");

struct BitRoom {
  u32 marks[kLanes * kMarkRow];
  u16 starts[kBitStarts];
};
SLUICE_ROOM BitRoom bit_rooms[SLUICE_WARPS];
// Shared memory of a warp.
constexpr u64 kSpeculateBitsBytes = sizeof(bit_tiles[0]) + sizeof(bit_rooms[0]) + kStepsBytes + kWriterBytes;

// Of skipped words [from, to).
SLUICE_INLINE void clear_marks(u32* words, u32 from, u32 to) {
  SLUICE_ROLLED
  for (; from < to; ++from) words[from] = 0;
}

// One lane's walk from `at` to the end of its segment, or to the last token that ends before the region does. Returns the
// exit.
// `again`: there are marks of an earlier walk.
template <typename Tokens>
SLUICE_INLINE u32 walk_bits(const Tokens& tokens, const BitTile& tile, u32* marks, u32 at, bool again) {
  const u32 first = lane() * kSegmentWords, end = (first + kSegmentWords) * 32;
  const u32 stop = end < tile.end ? end : tile.end;
  u32* const words = in_register(marks + lane());  // of the tile's word w, where w is of this segment
  u32 word = at < stop ? at / 32 : first, next = at, found = 0, known = again ? words[word] : 0;
  clear_marks(words, first, word);
  SLUICE_ROLLED
  while (next < stop) {
    at = next;
    assume(at < kBitTileBits);
    const u32 here = at / 32;
    if (here != word) words[word] = found;
    // Bits that a token jumps over are those of one whole word at most, if it is of no more than two.
    if (Tokens::kMostBits <= 2 * 32) {
      if (here > word + 1) words[word + 1] = 0;
    } else if (SLUICE_UNLIKELY(here > word + 1)) {
      clear_marks(words, word + 1, here);
    }
    if (here != word && again) known = words[here];
    if (here != word) found = 0;
    word = here;
    const u32 bit = 1u << at % 32;
    if ((known & bit) != 0) break;
    found |= bit;
    NoOutput none;
    next = tokens.token(tile, at, none);
  }
  const u32 bit = 1u << at % 32;
  if (next < stop) {  // met
    words[word] = found | (known & (0 - bit));
    return kMet;
  }
  const bool cut = next >= tile.end;
  words[word] = cut ? found & ~bit : found;
  clear_marks(words, word + 1, first + kSegmentWords);
  return cut ? at | kCannotTell : next;
}

// What a tile's walks have found: places of tokens in it, all true.
struct BitList {
  BitRoom* room;
  u32 next, count;  // of the places listed: taken up, all
  u32 word, words;  // of the marks: listed, all that are true
  u32 exit;         // behind the last token, in the tile
  bool cut;         // there stands one that is no record
  u32 poor;         // tiles up to this one that needed every repair
};

template <typename Tokens>
SLUICE_INLINE void find_bit_tokens(BitList& list, const Tokens& tokens, const BitTile& tile, u32 from) {
  u32* const marks = list.room->marks;
  u32 in = lane() == 0 ? from : lane() * kBitSegment, out = 0, lanes = 0, repairs = 0;
  bool wrong = true;
  SLUICE_ROLLED
  for (;; ++repairs) {
    if (wrong) {
      const u32 exit = walk_bits(tokens, tile, marks, in, repairs != 0);
      if (exit != kMet) out = exit;
    }
    const u32 before = __shfl_up_sync(kAll, out, 1);
    const bool right = lane() == 0 || before == in;
    wrong = !right && (before & kCannotTell) == 0;
    lanes = leading(right);
    // Behind a token that is no record, nothing is of use.
    if (repairs == kRepairs || ballot(wrong && lane() == lanes) == 0) break;
    if (wrong) in = before;
  }
  const u32 exit = uniform(lane() == lanes - 1 ? out : 0);
  list.next = list.count = 0;
  list.word = 0;
  list.words = lanes * kSegmentWords;
  list.exit = exit & ~kCannotTell;
  list.cut = (exit & kCannotTell) != 0;
  list.poor = repairs == kRepairs ? list.poor + 1 : 0;
  sync();
}

// Lists the tokens of as many mark words as there are lanes, or as there is room for.
SLUICE_INLINE void list_more(BitList& list) {
  const u32 word = list.word + lane();
  u32 found = word < list.words ? list.room->marks[word + word / kSegmentWords] : 0;
  const u32 through = scan_add(__popc(found));
  const u32 taken = leading(list.count - list.next + through <= kBitStarts);
  u32 to = list.count + through - __popc(found);
  SLUICE_ROLLED
  for (found = lane() < taken ? found : 0; found != 0; found &= found - 1)
    list.room->starts[to++ % kBitStarts] = (u16)(word * 32 + (u32)__ffs((i32)found) - 1);
  list.word += taken;
  list.count += uniform(lane() < taken ? through : 0);
  sync();
}

// The format's: new ones, or those that bring what was known before, and what tokens carry. Where the chunk's tables are
// they know by themselves.
template <typename Tokens> SLUICE_INLINE Tokens brought() { return {}; }
template <typename Tokens> SLUICE_INLINE Tokens brought(const Tokens& given) {
  Tokens tokens = given;
  tokens.m = Tokens{}.m;
  return tokens;
}

// Decodes tokens up to one that it does not understand, or that does not end before the region. True: this input does not
// synchronise. `given`: the format's tokens, or none; what they carry is given back.
template <bool Write, typename Tokens, typename S, typename... Given> SLUICE_COLD bool speculate_bits(S& s, Given&... given) {
  static_assert(Tokens::kInMargin <= kBitTileAhead, "a token that begins in a tile's first kBitTileBits has its margin");
  converge(step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes].stage);
  if (ballot(s.pos == s.end) != 0) return false;
  const UnitMemory input = shared_units(s);
  const u64 region = s.end - 8 * input.from;
  const u32 end = uniform((u32)(region < 8 * kFarthestCursor ? region : 8 * kFarthestCursor));
  Steps g;
  g.template open<Write>(s, input.memory, input.last);
  join_writer<Write>(g);
  Tokens tokens = brought<Tokens>(given...);
  if constexpr (Tokens::kLate) tokens.outputs = s.produced - g.first;
  BitTile tile = no_bit_tile();
  BitList list = {in_register(&bit_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]), 0, 0, 0, 0,
                  uniform((u32)(s.pos - 8 * input.from)), false, 0};
  bool stop = false;
  SLUICE_ROLLED
  for (;;) {
    SLUICE_ROLLED
    while (!stop && wants_records<Write>(g)) {
      if (list.count - list.next < kLanes && list.word < list.words) {
        list_more(list);
        continue;
      }
      if (list.next == list.count) {
        const u32 from = 8 * tile.base + list.exit;
        stop = list.cut || list.poor == kPoorTiles || g.added - g.first >= kMaxOutput;
        if (stop) break;
        before_walks<Write>(g);
        load_bit_tile<S::kInput == Input::Msb>(tile, input, from, end);
        find_bit_tokens(list, tokens, tile, from - 8 * tile.base);
        continue;
      }
      const u32 left = list.count - list.next;
      typename Tokens::Own r[1] = {};
      if (lane() < left) tokens.token(tile, list.room->starts[(list.next + lane()) % kBitStarts], r[0]);
      list.next += add_records<Write>(g, tokens, left, r, stop);
      if (stop) list.exit = uniform(list.room->starts[list.next % kBitStarts]);
    }
    if (!put_out<Write>(g, stop)) break;
  }
  s.pos = 8 * input.from + 8 * tile.base + list.exit;
  s.produced += g.done - g.first;
  if constexpr (Tokens::kLate) ((given.carried = tokens.carried), ...);
  sync();
  return list.poor == kPoorTiles;
}

}  // namespace prim
