#pragma once
// Several warps, a block, that decode one chunk together (directive `chunk_warps`).
//   note [team]: the first warp alone runs the format's rules, as any warp does with a chunk. The others wait at a barrier for
//   a job: a loop whose tokens are taken by all of them, for which they enter one function and leave it together, or
//   that the chunk is done. What the first one knows of the stream, and of the tokens, they learn from shared memory.

namespace prim {

constexpr u32 kTeam = SLUICE_TEAM, kTeamThreads = kTeam * kLanes;
static_assert(kWorkers == kLanes, "the format's rules are the first warp's");
constexpr u32 kTeamTokenBytes = 64;  // of what a format's tokens are given before the loop

// What the engines ask of a stream.
struct TeamStream {
  static constexpr Input kInput = Input::Bytes;
  const u8* in;
  u64 size, pos, end;
  u8* out;
  u64 produced, out_end, window;

  SLUICE_METHOD u64 byte() const { return pos; }
};
struct TeamJob {
  alignas(16) u8 tokens[kTeamTokenBytes];
  TeamStream stream;  // and behind the job what has become of it
  u32 job;            // which loop: 0, there is none
  bool left;          // to the loop of strategy `warp`
};
SLUICE_ROOM TeamJob team_job;

// Which of the team's warps this is.
SLUICE_INLINE u32 team_warp() { return uniform(threadIdx.x / kLanes); }

// Where the first warp has a job for the others, or no more: the one barrier that they come to from different places, which is why
// it is none of those that are the block's.
SLUICE_INLINE void meet() {
#if defined(__CUDA_ARCH__)
  asm volatile("barrier.sync 1, %0;" ::"n"(kTeamThreads) : "memory");
#else
  __syncthreads();
#endif
}

// By the first warp: loop `number` of the format begins for all.
template <typename Tokens, typename S> SLUICE_INLINE void give_job(const S& s, const Tokens& given, u32 number) {
  static_assert(sizeof(Tokens) <= kTeamTokenBytes, "it fits the room");
  sync();  // all have read what the job before has left
  if (lane() == 0) {
    team_job.job = number;
    team_job.stream = {s.in, s.size, s.pos, s.end, s.out, s.produced, s.out_end, s.window};
    memcpy(team_job.tokens, &given, sizeof(Tokens));  // parts of it may be constants
  }
  sync();
  meet();
}
// And is over. True: the loop of strategy `warp` may go on.
template <typename S> SLUICE_INLINE bool job_done(S& s) {
  s.pos = team_job.stream.pos;
  s.produced = team_job.stream.produced;
  return team_job.left;
}

// What the other warps are to do next: a loop, or 0, nothing more.
SLUICE_INLINE u32 next_job() {
  meet();
  return team_job.job;
}
// The first warp's chunk is done.
SLUICE_INLINE void end_jobs() {
  sync();
  if (lane() == 0) team_job.job = 0;
  sync();
  meet();
}

}  // namespace prim
