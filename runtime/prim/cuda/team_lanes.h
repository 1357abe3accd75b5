#pragma once
// Tokens of so many bytes each, taken by a team (team.h): where a chunk keeps so much in shared memory that few chunks share a
// multiprocessor, several warps share what it keeps. What a lane does with its tokens: fixed_lanes.h.
//   note [team tiles]: in a round each warp has a tile of its own, one behind the other. When all have told how much theirs make,
//   each knows where its output begins, and writes it alone. The first tile that holds what is no token, or has no room, is the
//   last one: its warp cuts it, those behind write nothing. One barrier a round, and one behind the last.

namespace prim {

static_assert(kStages == kTeam, "each warp of the block's one chunk has a stage");
// What a warp's tile makes if all of its tokens are taken.
struct TeamBytes {
  u32 bytes;
  bool bad;  // one of them is none
};
struct TeamLanesRoom {
  TeamBytes made[2][kTeam];  // of this round, of the one before: who is slow may still read that
};
SLUICE_ROOM TeamLanesRoom team_lanes_room;
// Shared memory of a team.
constexpr u64 kTeamLanesBytes = sizeof(team_job) + sizeof(team_lanes_room) + sizeof(string_stages);

// Decodes tokens of the job's stream up to one that is none of these. All threads of the team.
template <bool Write, typename Tokens> SLUICE_COLD void decode_fixed_together() {
  typedef FixedLane<Tokens> Lane;
  constexpr u32 kRound = kTeam * Lane::kTile;
  TeamJob* const job = in_register(&team_job);
  TeamLanesRoom* const shared = in_register(&team_lanes_room);
  converge(own_stage()->units);
  const TeamStream s = job->stream;
  Tokens tokens = *(const Tokens*)job->tokens;
  tokens.own();
  const UnitMemory input = shared_units(s);
  const u64 region = s.end - input.from;
  Cursor round = uniform((Cursor)(s.pos - input.from)), end = uniform(region < kFarthestCursor ? (Cursor)region : (Cursor)kFarthestCursor);
  end -= (end - round) % Tokens::kBytes;
  const u32 warp = team_warp();
  u64 room = uniform64(s.out_end - s.produced), made = 0;
  bool whole = true;       // no tile has been cut
  bool tells = warp == 0;  // what has become of it: the warp that knows
  typename Lane::Words next = Lane::load(input, round + warp * Lane::kTile, end);
  SLUICE_ROLLED
  for (u32 turn = 0; whole && round < end; turn = 1 - turn) {
    const typename Lane::Words words = next;
    const Cursor tile = round + warp * Lane::kTile, at = tile + lane() * Lane::kBytes;
    if (tile + kRound < end) next = Lane::load(input, tile + kRound, end);
    FixedStrings<Tokens> strings;
    strings.take(tokens, words, at, end);
    u32 through = scan_add(strings.mine), all = shfl(through, kLanes - 1);
    const bool bad = ballot(strings.bad != 0) != 0;
    if (lane() == 0) shared->made[turn][warp] = {all, bad};
    __syncthreads();
    const TeamBytes theirs = shared->made[turn][lane() % kTeam];
    const u32 upto = scan_add(lane() < kTeam ? theirs.bytes : 0);
    const u32 cuts = ballot(lane() < kTeam && (theirs.bad || upto > room));
    const u32 before = warp == 0 ? 0 : shfl(upto, warp - 1);
    const u32 last = cuts == 0 ? kTeam : (u32)__ffs((i32)cuts) - 1;
    if (SLUICE_UNLIKELY(warp == last)) {
      end = strings.cut(at, room - before, through);
      through = scan_add(strings.mine);
      all = shfl(through, kLanes - 1);
    }
    if (Write && warp <= last) {
      StringOutput g;
      g.open(s.out + s.produced + made + before);
      put_strings(g, strings.sizes, through - strings.mine, all, [&](u32 k) { return strings.texts[k]; });
      put_out_units(g);
      put_out_rest(g);
    }
    whole = cuts == 0;
    if (!whole) tells = warp == last;
    const u32 total = whole ? shfl(upto, kLanes - 1) : before + all;
    made += total;
    room -= total;
    round += kRound;
  }
  if (tells && lane() == 0) {
    const u64 to = input.from + end;
    job->left = to - s.pos < kLeastFixed;
    job->stream.pos = to;
    job->stream.produced = s.produced + made;
  }
  __syncthreads();
}

// Loop `job` of the format, by the team whose first warp calls. True: the loop of strategy `warp` may go on.
template <bool Write, typename Tokens, typename S> SLUICE_INLINE bool team_fixed(S& s, const Tokens& given, u32 job) {
  static_assert(S::kInput == Input::Bytes, "tokens begin at bytes");
  if (ballot(s.end - s.pos < kLeastFixed) != 0) return true;
  give_job(s, given, job);
  decode_fixed_together<Write, Tokens>();
  return job_done(s);
}

}  // namespace prim
