#pragma once
// Tokens of which each begins where, and as, the one before it leaves off (strategy `speculate`): state codes, or widths
// that earlier tokens told.
//   note [chain]: no lane can guess what such a token begins with. All lanes walk them alike, one after the other, as far
//   as there are lanes, for nothing but that. Where each begins, and with what, stands in shared memory. Then each
//   lane decodes its own token whole, and the rest is as where lanes guess: records are taken up together, what waits for the
//   tokens before (late.h) is found, and the output is made by steps.
//   note [slices]: literals come out of a buffer, which takes the input's place: sources from kInput on are its bytes. A kernel's
//   buffers lie in global memory, all of them (compiler/plan/memory.h).
//   note [long literals]: of more than kMostSlice of them the batch ends in front; then they are a record of their own, and their
//   copy is held back, to be the next one: note [held] of records.h.
//   note [words]: the words that a batch's tokens stand in lie in shared memory, in the order in which they are read: so the
//   place in the stream is one number, and what is looked at there is loaded whole. Where the region ends they go on with what
//   is there, so tokens are walked up to its end: the first one that comes out behind it is none.
//   note [state walk]: where the states of state codes that a token begins with tell how many bits it has, walks look at their entries and at nothing else
// (compiler/plan/state_walk.h). An entry tells how many bits follow its state, in its lowest six bits, and in the next six how many bits of fields its
// symbol has; those stand in front of the bits of all states. Six bits hold the sums, too, and a word the bits of all states.
// `Tokens` is emitted: its token() is the body of the loop. It moves the place behind the token, changes what walking knows
// of what tokens carry (Walked), and does to its output what that makes of it: nothing, or a Record; its Own is one, or more
// (late.h). False: it is the checked path's; then nothing of that is of use. What walks (Whole false) may take for a token what is none.

namespace prim {

// Note [words]: so many words, and those that a look reaches beyond the last one where a token may be.
constexpr u32 kChainAhead = 4, kChainWords = 2 * kLanes - kChainAhead;
constexpr Cursor kChainRoom = 4 * kChainWords;  // bytes that tokens and their margins lie in
SLUICE_ROOM u32 chain_words[SLUICE_WARPS][kChainWords + kChainAhead];
static_assert((kChainWords + kChainAhead) % kLanes == 0, "as many for each lane");

#ifdef SLUICE_CHAIN_START
constexpr u32 kChainStart = SLUICE_CHAIN_START;
#else
constexpr u32 kChainStart = 16;
#endif
// Where a token begins, and with what: kChainStart bytes at most. A store of all of it is one instruction where it is four words.
template <typename Walked> struct alignas(16) ChainStart {
  u32 place;
  Walked walked;
};
alignas(16) SLUICE_ROOM u64 chain_starts[SLUICE_WARPS][kLanes * (kChainStart / sizeof(u64))];
static_assert(kChainStart % 16 == 0, "they lie one behind the other");

// Shared memory of a warp, beside that of steps.
constexpr u64 kChainBytes = sizeof(chain_words[0]) + sizeof(chain_starts[0]);

struct ChainWords {
  const u32* first;

  SLUICE_METHOD const u32* words() const { return first; }
};

// The stream where a lane stands: those words, and a place in them. Nothing is buffered, so nothing is refilled.
struct ChainBits {
  const u32* words;
  u32 count;

  template <typename Src> static SLUICE_METHOD void refill(ChainBits&, const Src&, u32) {}
  template <typename Src> static SLUICE_METHOD void need(ChainBits&, const Src&, u32, u32) {}
  template <typename Src> static SLUICE_METHOD void drop(ChainBits& b, const Src&, u32, u32 n) { b.count += n; }
  // 32 bits, the next one highest.
  static SLUICE_METHOD u32 bits(const ChainBits& b) {
    const u32* const p = b.words + b.count / 32;
    return __funnelshift_l(p[1], p[0], b.count);
  }
  // The next n bits, 1 <= n <= 32.
  static SLUICE_METHOD u32 look(const ChainBits& b, u32 n) { return bits(b) >> (32 - n); }
  // n bits that follow the first `skip` bits, skip + n <= 32, 0 <= n < 32; with skip 0 also n = 32.
  static SLUICE_METHOD u32 look_after(const ChainBits& b, u32 skip, u32 n) { return __funnelshift_lc(bits(b) << skip, 0, n); }
  // As BackBits has it: note [at once] of back.h.
  static SLUICE_METHOD u64 shown(const ChainBits& b) {
    const u32* const p = b.words + b.count / 32;
    const u32 middle = p[1];
    return (u64)__funnelshift_l(middle, p[0], b.count) << 32 | __funnelshift_l(p[2], middle, b.count);
  }
  static SLUICE_METHOD u32 cut(u64 shown, u32 before, u32 n) { return BackBits::cut(shown, before, n); }
  template <typename Src> static SLUICE_METHOD void drop_shown(ChainBits& b, const Src& src, u32 in, u32 n) { drop(b, src, in, n); }
};

// The words from number `first` on, of those below `above`.
SLUICE_INLINE void load_chain_words(u32* words, const u8* in, u64 size, const u8* above, u32 first) {
  sync();
  SLUICE_UNROLLED
  for (u32 i = 0; i < (kChainWords + kChainAhead) / kLanes; ++i) {
    const u32 k = i * kLanes + lane();
    const u8* const p = above - 4 * (u64)(first + k) - 4;
    words[k] = p >= in && p + 4 <= in + size ? *(const u32*)p : edge_word(in, size, p);
  }
#if defined(__CUDA_ARCH__)
  // The next ones are on their way meanwhile.
  const u8* const next = above - 4 * (u64)(first + kChainWords) - kLineBytes * (lane() + 1);
  if (lane() < 3 && next >= in) asm volatile("prefetch.global.L1 [%0];" ::"l"(next));
#endif
  sync();
}

static_assert(!kSlices || !kWriter, "a copy that is held back is taken up at once: no other warp holds the rings");
// Tokens of a loop that makes at most `steps` of them, as long as each lies inside the region. `literals`: the
// buffer that they take literals out of, and how many it has. Changes the stream, what is carried and walked, and `step`.
//   note [place]: a kernel's functions lie in the order of their mangled names, in which a name's length comes first. Under names of 10 and
// 12 letters this one lay in front of those that start streams, build states and write, and zstd's C++ text was 5 to 6 % slower (H200).
template <bool Write, typename Tokens, typename S>
SLUICE_COLD void decode_chain_tokens(S& s, Tokens& given, const u8* literals, u32 count, u64& step, u64 steps) {
  constexpr u32 kMargin = 8 * (u32)Tokens::kInMargin, kLast = 32 * kChainWords - kMargin;  // a token begins there at the latest
  static_assert(Tokens::kInMargin <= 96 && 8 * 96 < 32 * kChainWords / 2, "the words hold more than one token: kMaxChainMargin of plan/records.h");
  if (step >= steps) return;
  converge(step_rooms[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes].stage);
  const auto src = back_source(s);
  const u64 region = s.end - 8 * src.zero;
  const u32 begin = uniform((u32)(s.pos - 8 * src.zero)), end = uniform((u32)(region < 8 * kFarthestCursor ? region : 8 * kFarthestCursor));
  if (end <= begin) return;
  const u8* const in = uniform(s.in);
  const u8* const above = uniform(src.above);
  const u64 size = uniform64(s.size);
  const u64 before = step, steps_left = steps - step;
  const u32 most = steps_left < ~0u ? (u32)steps_left : ~0u;
  Steps g;
  g.template open<Write>(s, literals, count);
  join_writer<Write>(g);
  Tokens tokens = given;
  tokens.attach();
  if constexpr (Tokens::kLate) tokens.outputs = s.produced - g.first;
  u32* const words = in_register(chain_words[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
  u32 base = begin / 32;  // number of the first word
  const ChainWords tile = {words};
  typedef ChainStart<typename Tokens::Walked> Start;
  static_assert(sizeof(Start) <= kChainStart, "the strategy's room for it");
  Start* const starts = in_register((Start*)chain_starts[SLUICE_WARPS == 1 ? 0 : threadIdx.x / kLanes]);
  Start walk = {begin % 32, tokens.walked};  // where the walk is
  u32 first = 0, next = 0, known = 0;  // tokens before the batch; of it: taken up, all
  bool ended = false, stop = false;
  u32 held = 0, behind = 0;  // the copy behind long literals: how long, and how far
  SLUICE_ROLLED
  for (;;) {
    SLUICE_ROLLED
    while (!stop && wants_records<Write>(g)) {
      typename Tokens::Own r[1] = {};
      u32 left = 1, hold = 0;
      const bool is_behind = kSlices && held != 0;
      if (is_behind) {
        if (lane() == 0) r[0].length = held;
      } else {
        if (next == known) {
          stop = ended || g.added - g.first >= kMaxOutput;
          if (stop) break;
          before_walks<Write>(g);
          base += walk.place / 32;
          walk.place %= 32;
          load_chain_words(words, in, size, above, base);
          first += known;
          next = known = 0;
          const u32 here = end - 32 * base, last = number_in_register((i32)here < (i32)kLast ? here : kLast), more = most - first;
          const u32 upto = number_in_register(more < kLanes ? more : kLanes);
          SLUICE_ROLLED
          while (known < upto && (i32)walk.place <= (i32)last) {
            if (worker() == 0) starts[known] = walk;
            assume(walk.place <= kLast);
            if constexpr (Tokens::kStateWalk) {
              tokens.walk(tile, walk.place, walk.walked);
            } else {
              Start after = walk;
              NoOutput none;
              if (!tokens.template token<false>(tile, after.place, before + first + known, after.walked, none)) break;
              walk = after;
            }
            ++known;
          }
          sync();
          const bool over = walk.place > here;
          if (over) walk = starts[--known];
          // Where the words end, the next ones go on.
          ended = known == 0 || over || (number_in_register(known) < upto && walk.place <= kLast);
          continue;
        }
        const u32 from = next + lane();
        Start my = starts[from % kLanes];
        bool whole = true;
        if (from < known) {  // nobody has said anything of the others' places
          assume(my.place <= kLast);
          whole = tokens.template token<true>(tile, my.place, before + first + from, my.walked, r[0]);
        }
        if (const u32 sound = leading(whole); sound < known - next) {  // one that was walked is none
          known = next + sound;
          walk = starts[known];
          ended = true;
          if (sound == 0) continue;
        }
        const u32 shorter = kSlices ? leading(r[0].literals <= kMostSlice) : kLanes;
        left = known - next < shorter ? known - next : shorter;
        if (kSlices && left == 0) {
          left = 1;
          hold = shfl(r[0].length, 0);
          stop = shfl(r[0].literals, 0) >= kMaxLength;
          if (stop) break;
        }
        if (lane() >= left) r[0].literals = r[0].length = 0;
        if (hold != 0) r[0].length = 0;
      }
      const u32 taken = add_records<Write>(g, tokens, left, r, stop, hold, is_behind ? behind : 0);
      if (!is_behind) next += taken;
      if (taken != 0) {
        held = hold;
        behind = shfl(r[0].distance, 0);
      }
    }
    if (!put_out<Write>(g, stop)) break;
  }
  if (next != known) walk = starts[next];  // that one is the checked path's
  s.pos = 8 * src.zero + 32 * (u64)base + walk.place;
  s.produced += g.done - g.first;
  step += first + next;
  given.walked = walk.walked;
  if constexpr (Tokens::kLate) given.carried = tokens.carried;
  sync();
}

}  // namespace prim
