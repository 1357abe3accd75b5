#pragma once
// The stages that permute: inverse move-to-front and inverse Burrows-Wheeler transform, each cut into pieces that the
// lanes of a warp work on side by side. Called and answered as the stages of stages.h are; links and spare memory are in
// global memory, aligned to 8 bytes.

namespace prim {

constexpr u32 kListWords = 64;  // of a list of 256 bytes
constexpr u32 kStageWords = kListWords * kLanes, kStageRoomBytes = 4 * kStageWords;
// A chunk's room in shared memory. Whoever uses these stages defines it, behind this text, so that it is known to lie in a
// variable: through a pointer, every access would have to find out which memory it is in.
SLUICE_INLINE u32* stage_room();

// What lies where the room is waits elsewhere while a stage runs, but for what is behind the room.
template <typename T> SLUICE_INLINE u32 lent_words() { return (sizeof(T) < kStageRoomBytes ? (u32)sizeof(T) : kStageRoomBytes) / 4; }
template <typename T> SLUICE_COLD void lend_room(T* waiting) {
  static_assert(sizeof(T) % 4 == 0, "whole words");
  u32* const to = (u32*)waiting;
  sync();
  SLUICE_ROLLED
  for (u32 i = worker(); i < lent_words<T>(); i += kWorkers) to[i] = stage_room()[i];
  sync();
}
template <typename T> SLUICE_COLD void take_room_back(const T* waiting) {
  const u32* const from = (const u32*)waiting;
  sync();
  SLUICE_ROLLED
  for (u32 i = worker(); i < lent_words<T>(); i += kWorkers) stage_room()[i] = from[i];
  sync();
}

// ---- Inverse move-to-front as a scan of partial lists -------------------------------------------------------------
// (Patel 2012, 3.2.) Each lane takes a piece of the positions and finds, without knowing the list it starts with, how
// the piece rearranges any list. One pass over the lanes composes these into the list each piece starts with, and then
// every lane decodes its own.

// Positions [from, to), from a multiple of 4. Word w of lane l's list is at w * 32 + l of the room, so that lanes don't
// meet in a bank. Lanes go their own ways: in each step a lane moves one word of its list, or takes its next position.
// Most positions are below 8 and need the front only, which is in a register. `decode`: positions are replaced by what
// stood there. Returns the lane's largest position.
SLUICE_COLD u32 move_to_front(u8* p, u32 from, u32 to, bool decode) {
  u32* const words = stage_room() + lane();
  u64 front = (u64)words[kLanes] << 32 | words[0];
  u32 word = 1, target = 0, carry = 0, last = 0;  // words up to the target move, of the target the bytes in `last`
  u32 positions = 0, next = from < to ? *(const u32*)(p + from) : 0, values = 0;
  u32 i = from, most = 0;
  SLUICE_ROLLED
  for (;;) {
    if (word <= target) {
      const u32 x = words[word * kLanes], moved = word < target ? ~0u : last;
      words[word * kLanes] = (x & ~moved) | ((x << 8 | carry) & moved);
      carry = x >> 24;
      ++word;
      continue;
    }
    if (i >= to) break;
    if ((i & 3) == 0) {
      if (decode && i != from) *(u32*)(p + i - 4) = values;
      positions = next;
      next = to - i > 4 ? *(const u32*)(p + i + 4) : 0;
    }
    const u32 at = positions & 255;
    positions >>= 8;
    most = at > most ? at : most;
    u32 value;
    if (at < 8) {
      value = (u32)(front >> (8 * at)) & 255;
      const u64 moved = ~0ull >> (56 - 8 * at);
      front = (front & ~moved) | ((front << 8 | value) & moved);
    } else {
      target = at >> 2;
      word = 2;
      value = words[target * kLanes] >> (8 * (at & 3)) & 255;
      last = ~0u >> (24 - 8 * (at & 3));
      carry = (u32)(front >> 56);
      front = front << 8 | value;
    }
    ++i;
    values = values >> 8 | value << 24;
  }
  words[0] = (u32)front;
  words[kLanes] = (u32)(front >> 32);
  if (decode && from < to) {  // the last word, of one to four bytes
    const u32 bytes = (to - 1 & 3) + 1;
    values >>= 8 * (4 - bytes);
    SLUICE_ROLLED
    for (u32 k = to - bytes; k < to; ++k, values >>= 8) p[k] = (u8)values;
  }
  __syncwarp();  // note [convergent return]
  return most;
}

// Lane l's words hold how its piece rearranges a list, and then the list it starts with. `list`: entries 8 l .. 8 l + 7
// of the first one.
SLUICE_INLINE void compose_lists(u64 list) {
  u32* const room = stage_room();
  SLUICE_ROLLED
  for (u32 piece = 0; piece < kLanes; ++piece) {
    u32 *const low = room + 2 * lane() * kLanes + piece, *const high = low + kLanes;
    u64 from = (u64)*high << 32 | *low, behind = 0;
    *low = (u32)list;
    *high = (u32)(list >> 32);
    SLUICE_ROLLED
    for (u32 k = 0; k < 8; ++k, from >>= 8)
      behind |= (shfl64(list, (u32)from >> 3 & (kLanes - 1)) >> (8 * ((u32)from & 7)) & 255) << (8 * k);
    list = behind;
  }
}

// What an inverse move-to-front starts with: 0, 1, ... 255, or the first n <= 256 of an array.
SLUICE_INLINE void first_list(u8* list) {
  sync();
  SLUICE_ROLLED
  for (u32 i = worker(); i < 256; i += kWorkers) list[i] = (u8)i;
  sync();
}
template <typename T> SLUICE_INLINE void first_list(u8* list, const T* from, u64 n) {
  sync();
  SLUICE_ROLLED
  for (u32 i = worker(); i < n && i < 256; i += kWorkers) list[i] = (u8)from[i];
  sync();
}

// list[0..size) is the alphabet. 1: a position past the list.
SLUICE_COLD u32 inverse_mtf(u8* p, u64 n, const u8* list, u64 size) {
  sync();
  const u32 part = (u32)(((n + 3) / 4 + kLanes - 1) / kLanes * 4);
  const u64 start = (u64)lane() * part;
  const u32 from = (u32)(start < n ? start : n), to = n - from < part ? (u32)n : from + part;
  u32 most = 0;
  if (first_warp()) {
    SLUICE_ROLLED
    for (u32 w = 0; w < kListWords; ++w) stage_room()[w * kLanes + lane()] = 0x03020100u + w * 0x04040404u;
    most = move_to_front(p, from, to, false);
  }
  if (any_worker(most >= size && n > 0)) return 1;
  if (first_warp()) {
    u64 mine = 0;  // entries 8 l .. 8 l + 7 of the list
    SLUICE_ROLLED
    for (u32 k = 0; k < 8; ++k)
      if (lane() * 8 + k < size) mine |= (u64)list[lane() * 8 + k] << (8 * k);
    compose_lists(mine);
    __syncwarp();
    move_to_front(p, from, to, true);
  }
  sync();
  return 0;
}

// ---- Inverse Burrows-Wheeler transform as list ranking --------------------------------------------------------------
// The last column gives a permutation; the text is read off one walk over it, a chain of dependent loads. So the chain
// is cut at some thousand places (Patel 2012, 3.3, walks it with ever more threads). All pieces are walked side by side
// for their text, their lengths and what follows them; their order gives their places in the text.
//
//   note [blocks of text]: how long a piece is shows when it ends, so its text has no place while it is walked. It goes into
// blocks, as they are needed, of which each notes whose it is; they are copied to their places once those are known. A second
// walk instead would ask memory for every node again, which is most of what this takes (a GPU's memory gives 64 bytes for 4).

constexpr u32 kBwtWalks = 4;                // of each lane at a time
constexpr u32 kBwtPieces = 2045;            // beside the first: with two counters, their followers fill the room
constexpr u32 kBwtNodesPerPiece = 64;       // at least
constexpr u32 kBwtMark = 1u << 31;          // a node at which a piece starts: its number, instead of its link
constexpr u32 kBwtMostMarked = 1u << 23;    // nodes beside mark and byte in 32 bits
constexpr u32 kBwtNone = ~0u;
constexpr u32 kBwtBlock = 128;              // bytes of a block
constexpr u32 kBwtNumberBits = 18;          // of a block's number among its piece's
static_assert(kBwtPieces + 3 <= kStageWords, "followers and two counters");
static_assert(kBwtMostMarked / kBwtBlock < 1u << kBwtNumberBits && kBwtPieces < 1u << (32 - kBwtNumberBits), "an owner fits a word");

// Pieces of n nodes beside the first, and blocks that their text takes at most: each begins one of its own.
constexpr SLUICE_INLINE u32 bwt_pieces(u32 n) { return n / kBwtNodesPerPiece < kBwtPieces ? n / kBwtNodesPerPiece : kBwtPieces; }
constexpr SLUICE_INLINE u32 bwt_blocks(u32 n) { return n / kBwtBlock + bwt_pieces(n) + 1; }
// Bytes of spare memory for n elements: of a piece three words, of a block a word and its text.
constexpr SLUICE_INLINE u64 bwt_spare_bytes(u32 n) { return 12ull * (bwt_pieces(n) + 1) + (4 + kBwtBlock) * (u64)bwt_blocks(n); }

struct BwtPieces {
  u32 *start, *length, *place;  // place: first the pieces in their order
  u32* owner;                   // of each block: its piece, and its number among that one's
  u32* text;                    // the blocks
  u32 count;

  // In the room:
  SLUICE_METHOD u32* follower() const { return stage_room(); }
  SLUICE_METHOD u32* counter() const { return stage_room() + kBwtPieces + 1; }
  SLUICE_METHOD u32* blocks() const { return stage_room() + kBwtPieces + 2; }  // that are taken
};

// A stable counting of the column's bytes, 32 at a time: equal ones find each other, and the first of them takes places
// for all. With `links`, writes for each row its first byte, and the row that starts with what follows it.
SLUICE_COLD void count_bytes(const u8* column, u32 n, u32* links) {
  u32* const places = stage_room();
  Rows<1> rows(column, n);
  SLUICE_ROLLED
  for (u32 base = 0; base < n; base += kLanes) {
    const u32 i = base + lane(), byte = (u32)rows.row(base);
    const u32 same = __match_any_sync(kAll, i < n ? byte : 256u), first = (u32)__ffs((int)same) - 1;
    u32 place = 0;
    if (lane() == first && i < n) place = atomicAdd(&places[byte], (u32)__popc(same));
    if (links != nullptr) {
      place = shfl(place, first) + (u32)__popc(same & lanes_below());
      if (i < n) links[place] = i << 8 | byte;
    }
  }
  __syncwarp();
}

SLUICE_INLINE void make_links(const u8* column, u32 n, u32* links) {
  u32* const room = stage_room();
  constexpr u32 kMine = 256 / kLanes;
  SLUICE_ROLLED
  for (u32 k = 0; k < kMine; ++k) room[k * kLanes + lane()] = 0;
  __syncwarp();
  count_bytes(column, n, nullptr);
  u32 sum = 0;
  SLUICE_ROLLED
  for (u32 k = 0; k < kMine; ++k) sum += room[lane() * kMine + k];
  u32 start = scan_add(sum) - sum;
  SLUICE_ROLLED
  for (u32 k = 0; k < kMine; ++k) {
    const u32 count = room[lane() * kMine + k];
    room[lane() * kMine + k] = start;
    start += count;
  }
  __syncwarp();
  count_bytes(column, n, links);
}

// The next piece that has a node, or none.
SLUICE_INLINE u32 next_piece(BwtPieces pieces) {
  for (;;) {
    const u32 id = atomicAdd(pieces.counter(), 1u);
    if (id > pieces.count) return kBwtNone;
    if (pieces.start[id] != kBwtNone) return id;
  }
}

// Where the next block of a piece goes, `length` bytes of which are in blocks before it: in words.
SLUICE_INLINE u32 next_block(BwtPieces pieces, u32 piece, u32 length) {
  const u32 block = atomicAdd(pieces.blocks(), 1u);
  pieces.owner[block] = piece << kBwtNumberBits | length / kBwtBlock;
  return block * (kBwtBlock / 4);
}

// Walks all pieces that have a node. A lane has several walks under way. In each round one of those that have ended is seen to
// and takes a new piece, and every one that has a piece goes a node on.
SLUICE_COLD void walk_pieces(const u32* links, BwtPieces pieces) {
  u32 id[kBwtWalks], at[kBwtWalks], length[kBwtWalks], block[kBwtWalks];
  u32 bytes[kBwtWalks];  // the last four, the last one highest; of a walk that has ended, what follows it
SLUICE_UNROLLED
  for (u32 k = 0; k < kBwtWalks; ++k) {
    id[k] = kBwtNone;
    at[k] = length[k] = block[k] = bytes[k] = 0;
  }
  u32 live = 0, ended = (1u << kBwtWalks) - 1;  // sets of walks; the others wait at node 0 for the lanes that go on
  bool more = true;
  SLUICE_ROLLED
  for (;;) {
    if (ended != 0) {
      const u32 one = (u32)__ffs((int)ended) - 1;
      u32 piece = id[0], done = length[0], follower = bytes[0];
SLUICE_UNROLLED
      for (u32 k = 1; k < kBwtWalks; ++k)
        if (k == one) {
          piece = id[k];
          done = length[k];
          follower = bytes[k];
        }
      if (piece != kBwtNone) {
        pieces.follower()[piece] = follower;
        pieces.length[piece] = done;
      }
      ended &= ended - 1;
      piece = more ? next_piece(pieces) : kBwtNone;
      more = piece != kBwtNone;
      u32 start = 0, first = 0;
      if (more) {
        live |= 1u << one;
        start = pieces.start[piece];
        first = next_block(pieces, piece, 0);
      }
SLUICE_UNROLLED
      for (u32 k = 0; k < kBwtWalks; ++k)
        if (k == one) {
          id[k] = piece;
          at[k] = start;
          length[k] = 0;
          block[k] = first;
        }
    }
    if (ballot((live | ended) != 0) == 0) return;  // together: note [convergent return]
    u32 next[kBwtWalks];
SLUICE_UNROLLED
    for (u32 k = 0; k < kBwtWalks; ++k) next[k] = links[at[k] >> 8];
SLUICE_UNROLLED
    for (u32 k = 0; k < kBwtWalks; ++k) {
      if ((live >> k & 1) == 0) continue;
      const bool last = (next[k] & kBwtMark) != 0;
      bytes[k] = bytes[k] >> 8 | at[k] << 24;
      ++length[k];
      const u32 behind = length[k] & 3, word = (length[k] - 1) / 4 & (kBwtBlock / 4 - 1);
      if (behind == 0 || last) pieces.text[block[k] + word] = bytes[k] >> (8 * (4 - behind) & 31);
      at[k] = next[k];
      if (!last) {
        if ((length[k] & (kBwtBlock - 1)) == 0) block[k] = next_block(pieces, id[k], length[k]);
        continue;
      }
      bytes[k] = next[k] & ~kBwtMark;
      at[k] = 0;
      live &= ~(1u << k);
      ended |= 1u << k;
    }
  }
}

// Follows the pieces from the first one until that comes round, and places them. Returns the nodes of this walk: all,
// when the permutation is one cycle. Pieces that it does not meet get no place.
SLUICE_INLINE u32 place_pieces(BwtPieces pieces) {
  u32 met = 0, piece = 0;
  do {  // `place` holds the order here; a follower is read before it is overwritten by the same lane
    if (lane() == 0) pieces.place[met] = piece;
    ++met;
    piece = pieces.follower()[piece];
  } while (piece != 0);
  __syncwarp();
  // The followers are done with: their room holds the places until the order is done with, too.
  u32* const places = pieces.follower();
  SLUICE_ROLLED
  for (u32 k = lane(); k <= pieces.count; k += kLanes) places[k] = kBwtNone;
  __syncwarp();
  u32 total = 0;
  SLUICE_ROLLED
  for (u32 base = 0; base < met; base += kLanes) {
    const u32 k = base + lane(), id = k < met ? pieces.place[k] : 0;
    const u32 length = k < met ? pieces.length[id] : 0, behind = scan_add(length);
    if (k < met) places[id] = total + behind - length;
    total += shfl(behind, kLanes - 1);
  }
  __syncwarp();
  SLUICE_ROLLED
  for (u32 k = lane(); k <= pieces.count; k += kLanes) pieces.place[k] = places[k];
  __syncwarp();
  return total;
}

// Blocks to their places in the text: a lane for each word of a block.
SLUICE_COLD void place_blocks(BwtPieces pieces, u8* text) {
  constexpr u32 kAhead = 4;
  static_assert(kBwtBlock == 4 * kLanes, "a word a lane");
  const u32 blocks = *pieces.blocks();
  SLUICE_ROLLED
  for (u32 base = 0; base < blocks; base += kLanes) {
    u32 place = 0, size = 0;  // of the lane's block
    if (base + lane() < blocks) {
      const u32 owner = pieces.owner[base + lane()], piece = owner >> kBwtNumberBits;
      const u32 from = (owner & ((1u << kBwtNumberBits) - 1)) * kBwtBlock, left = pieces.length[piece] - from;
      if (pieces.place[piece] != kBwtNone) {
        place = pieces.place[piece] + from;
        size = left < kBwtBlock ? left : kBwtBlock;
      }
    }
    SLUICE_ROLLED
    for (u32 first = 0; first < kLanes; first += kAhead) {
      u32 words[kAhead];
SLUICE_UNROLLED
      for (u32 k = 0; k < kAhead; ++k) {
        const u32 block = base + first + k;
        words[k] = pieces.text[(block < blocks ? block : blocks - 1) * kLanes + lane()];
      }
SLUICE_UNROLLED
      for (u32 k = 0; k < kAhead; ++k) put_words(text + shfl(place, first + k), words[k], shfl(size, first + k));
    }
  }
  __syncwarp();
}

SLUICE_INLINE void rank_links(u8* column, u32 n, u32 origin, u32* links, u8* spare) {
  BwtPieces pieces;
  pieces.count = bwt_pieces(n);
  pieces.start = (u32*)spare;
  pieces.length = pieces.start + pieces.count + 1;
  pieces.place = pieces.length + pieces.count + 1;
  pieces.owner = pieces.place + pieces.count + 1;
  pieces.text = pieces.owner + bwt_blocks(n);
  const u32 apart = n / pieces.count;
  SLUICE_ROLLED
  for (u32 id = lane(); id <= pieces.count; id += kLanes) {
    const u32 node = id == 0 ? origin : (id - 1) * apart;
    const bool own = id == 0 || node != origin;
    pieces.start[id] = own ? links[node] : kBwtNone;
    if (own) links[node] = kBwtMark | id;
  }
  if (lane() == 0) *pieces.counter() = *pieces.blocks() = 0;
  __syncwarp();
  walk_pieces(links, pieces);
  __syncwarp();
  const u32 total = place_pieces(pieces);
  place_blocks(pieces, column);
  // The walk from the origin may come round before n.
  SLUICE_ROLLED
  for (u32 i = total + lane(); i < n; i += kLanes) column[i] = column[i % total];
}

// column: n elements, replaced by the text. links: n words. spare: bwt_spare_bytes(n). 1: origin is no row.
SLUICE_COLD u32 inverse_bwt(u8* column, u64 n, u64 origin, u32* links, u8* spare) {
  if (origin >= n) return 1;
  sync();
  if (first_warp()) {
    make_links(column, (u32)n, links);
    if (n >= 2 * kBwtNodesPerPiece && n <= kBwtMostMarked) {
      rank_links(column, (u32)n, (u32)origin, links, spare);
    } else {
      u32 node = (u32)origin;
      SLUICE_ROLLED
      for (u32 i = 0; i < (u32)n; ++i) {
        const u32 e = links[node];
        if (lane() == 0) column[i] = (u8)e;
        node = e >> 8;
      }
    }
  }
  sync();
  return 0;
}

}  // namespace prim
