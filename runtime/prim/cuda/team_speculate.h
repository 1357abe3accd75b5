#pragma once
// A team finds tokens of which nobody knows where they begin: several warps, a block, that decode one chunk together (strategy
// `speculate`, directive `chunk_warps`). Who does what: note [team] of team.h. A walk, its repair: walks.h; far tokens: speculate.h.
//   note [slices]: the tile is a slice a warp, each of them such a tile as a lone warp has. Lane 0 of the first warp begins
//   at a token, those of the others at their slice's first byte, which is a guess. When a warp's walks agree it tells the
//   others where it came in and out. Who did not come in where the one before came out does so, and repairs its walks: few,
//   since they soon meet what was found. No token reaches through a slice. As for lanes: the first warp is right, a warp is
//   when the one before is and came out where it came in, and a warp that can't tell leaves the next one's guess alone.
//   Barriers: one for the tile, one each time warps agree, which is once or twice, and one for the list. A far token: one.

namespace prim {

static_assert(kTileAhead < kTileBytes, "a token that begins in a slice ends in the next one");
static_assert(kTeamTileRoom < 1u << 16, "a token's place in the tile has 16 bits");
constexpr u32 kTeamStarts = kTeamTileBytes / kMinToken + kLanes, kTeamTileUnits = kTeamTileRoom / kUnitBytes;

// What a warp has found in its slice; places count from its start.
struct TeamSlice {
  Cursor in, out;  // where its first walk begins, and its last one comes out
  u32 tokens;      // of lanes that are right if the first one is
  Cursor end;      // where the last one of these comes out
  bool through;    // all are
  bool poor;       // a repair took as long as it may
};

struct TeamRoom {
  Unit tile[kTeamTileUnits];
  FarToken far_token;
  u32 far;
  TeamSlice slices[2][kTeam];  // read from one, written to the other
  u16 starts[kTeamStarts];
};
SLUICE_ROOM TeamRoom team_room;
// Shared memory of a team.
constexpr u64 kTeamBytes = sizeof(team_job) + sizeof(team_room) + sizeof(team_step_room);

template <typename Tokens>
SLUICE_INLINE void find_team_tokens(const Tokens& tokens, TeamRoom* room, TokenList& list, const Tile& tile, Cursor from) {
  const u32 warp = team_warp(), start = warp * kTileBytes;
  Tile slice = {tile.units + start / kUnitBytes, tile.base + start, tile.end > start ? tile.end - start : 0};
  Cursor in = lane() == 0 ? (warp == 0 ? from : 0) : lane() * kSegment;
  Marks found = 0;
  Cursor out = walk<false>(tokens, slice, in, found);
  TeamSlice mine = {};
  u32 turn = 0, lanes = 0;
  bool poor = false, all = false;
  // Each time one warp more is right for good, so after kTeam times all are.
  SLUICE_ROLLED
  for (;; turn = 1 - turn) {
    bool right = false;
    poor |= repair<false, false, false>(tokens, slice, in, out, found, right) == kRepairs;
    lanes = leading(right);
    const u32 walkers = ballot(in < (lane() + 1) * kSegment) | 1;
    const u32 count = __reduce_add_sync(kAll, lane() < lanes ? __popc(found) : 0);
    const TeamSlice told = {shfl(in, 0), shfl(out, 31 - (u32)__clz((i32)walkers)), count,
                            shfl(out, lanes - 1) & ~kCannotTell, lanes == kLanes, poor};
    if (lane() == 0) room->slices[turn][warp] = told;
    __syncthreads();
    mine = room->slices[turn][lane() % kTeam];
    const TeamSlice before = room->slices[turn][(lane() - 1) % kTeam];
    const bool other = lane() != 0 && lane() < kTeam;
    const bool agrees = !other || before.out == kTileBytes + mine.in;
    const u32 wrong = ballot(!agrees && (before.out & kCannotTell) == 0 && before.out >= kTileBytes);
    all = before.through && agrees;
    if (wrong == 0) break;
    const Cursor entry = shfl(before.out, warp) - kTileBytes;
    if ((wrong >> warp & 1) == 0) continue;
    if (lane() == 0) {
      in = entry;
      const Cursor exit = walk<false>(tokens, slice, in, found);
      if (exit != kMet) out = exit;
    }
    sync();
  }
  // Slices up to one that does not go on where the one before came out, or in front of which something is not known.
  const u32 slices = leading(lane() < kTeam && (lane() == 0 || all));
  const u32 up_to = scan_add(lane() < slices ? mine.tokens : 0);
  if (lane() >= lanes || warp >= slices) found = 0;
  const u32 through = scan_add(__popc(found)) + (warp == 0 ? 0 : shfl(up_to, warp - 1));
  list_tokens(room->starts + through, found, start + lane() * kSegment);
  __syncthreads();
  list.next = 0;
  list.count = uniform(shfl(up_to, kLanes - 1));
  list.exit = uniform(shfl(mine.end, slices - 1)) + (slices - 1) * kTileBytes;
  const bool some_poor = ballot(lane() < slices && mine.poor) != 0;
  list.poor = some_poor && list.count < kTeam * kFewTokens ? list.poor + 1 : 0;
}

// Decodes tokens of the stream in the room up to one that it does not understand: note [end] of speculate.h. All threads
// of the team.
template <bool Write, typename Tokens> SLUICE_COLD void decode_together() {
  static_assert(!Tokens::kLate, "a token that looks at those before it waits for all other warps");
  static_assert(!Tokens::kLate && !kDictionary && !kValues, "literals are input, and copies from a dictionary the checked path's");
  static_assert(Tokens::kInMargin <= kTileAhead, "a token that begins in a slice has its margin");
  TeamRoom* const room = in_register(&team_room);
  converge(room->tile);
  TeamJob* const job = in_register(&team_job);
  const TeamStream s = job->stream;
  const Tokens tokens = *(const Tokens*)job->tokens;
  const UnitMemory input = shared_units(s);
  const u64 region = s.end - input.from;
  const Cursor end = uniform(region < kFarthestCursor ? (Cursor)region : (Cursor)kFarthestCursor);
  TeamSteps g;
  g.template open<Write>(s, input.memory, input.last);
  Tile tile = {room->tile, 0, 0};
  TokenList list = {room->starts, 0, 0, uniform((Cursor)(s.pos - input.from)), 0, false, Far::Nothing};
  bool stop = false;
  SLUICE_ROLLED
  for (;;) {
    SLUICE_ROLLED
    while (!stop && g.added - g.done < kTeamRound) {
      Record r = {};
      bool have = threadIdx.x < list.count - list.next;
      if (list.next == list.count) {
        if (list.far == Far::Nothing) {
          const Cursor from = tile.base + list.exit;
          stop = list.poor == kPoorTiles || g.added - g.first >= kMaxOutput;
          if (stop) break;
          tile.base = from & ~(kUnitBytes - 1);
          tile.end = end - tile.base;
          load_units<kTeamTileUnits, kTeamThreads>(room->tile, input, tile.base, threadIdx.x);
          __syncthreads();
          find_team_tokens(tokens, room, list, tile, from - tile.base);
          if (list.count != 0) continue;
          if (team_warp() == 0) {
            const Far found = find_far_token(tokens, &room->far_token, FarBytes{input.memory, input.first, input.last},
                                             from, end, g.limit - g.added, g.added - g.lowest);
            if (lane() == 0) room->far = (u32)found;
          }
          __syncthreads();
          converge(room->tile);
          list.far = (Far)uniform(room->far);
          stop = list.far == Far::Nothing;
          continue;
        }
        have = threadIdx.x == 0;
        if (have) r = room->far_token.record;
        (list.far == Far::Literals ? r.length : r.literals) = 0;
      } else if (have) {
        const u32 at = room->starts[list.next + threadIdx.x], start = at / kTileBytes * kTileBytes;
        take_token(tokens, Tile{tile.units + start / kUnitBytes, tile.base + start, 0}, at - start, r);
        r.from += tile.base + start;
      }
      const u32 taken = add_team_records<Write>(g, have, r, stop);
      if (list.far == Far::Nothing) {
        list.next += taken;
        if (stop) list.exit = uniform(room->starts[list.next]);
      } else if (taken != 0) {
        const bool copies = list.far == Far::Literals && uniform(room->far_token.record.length) != 0;
        list.far = copies ? Far::Copy : Far::Nothing;
        if (list.far == Far::Nothing) list.exit = uniform(room->far_token.next) - tile.base;
      }
    }
    if (g.added == g.done) break;
    if (Write) write_known_rounds(g);
  }
  if (threadIdx.x == 0) {
    job->stream.pos = input.from + tile.base + list.exit;
    job->stream.produced = s.produced + (g.done - g.first);
    job->left = list.poor == kPoorTiles;
  }
  __syncthreads();
}

// Loop `job` of the format, by the team whose first warp calls. True: this input does not synchronise.
template <bool Write, typename Tokens, typename S> SLUICE_INLINE bool team_speculate(S& s, const Tokens& given, u32 job) {
  static_assert(S::kInput == Input::Bytes, "tokens begin at bytes");
  if (ballot(s.pos == s.end) != 0) return false;
  give_job(s, given, job);
  decode_together<Write, Tokens>();
  return job_done(s);
}

}  // namespace prim
