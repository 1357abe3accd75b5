#pragma once
// Canonical prefix codes for a warp: the names, results and table entries of ../codes.h, built by all lanes together.
// Every function is called by all workers with equal arguments. Codes and tables lie in shared memory; of a block's
// warps each computes everything, and the first writes.
//
// A code is kept as *limits*: the codes of up to L bits are those whose next MaxBits bits, read as a number with the
// first bit highest, are below limit[L] (canonical codes of one length are consecutive, and shorter ones smaller:
// RFC 1951, 3.2.2). So lane L - 1 compares with limit[L], and the first lane that says yes has the code's length.
//   note [any code]: what is done once for each code built, or for symbols that no table has, is compiled once, for codes of
//   whatever sizes: sizes as template arguments would make a copy of it for each, a tenth of the time that Deflate's kernel takes
//   to compile.

namespace prim {

enum BuildResult : u32 { kCodeOk = 0, kCodeOversubscribed = 1, kCodeIncomplete = 2 };
// Longest first: incomplete codes are refused, too.
enum IncompletePolicy : u32 { kRefuse = 0, kSingle = 1, kAccept = 2, kLongestFirst = 3 };
// What `complete` is of a code whose longest codes come first: note [longest first] of ../codes.h. Its symbols are sorted in
// falling order, its limits hold of the complements of the bits.
constexpr u32 kLongestComplete = 2;

// One built code. All zero is a code without codes.
template <u32 Symbols, u32 MaxBits>
struct Code {
  u32 limit[MaxBits + 1];   // limit[0] is 0; limit[L] <= 2^MaxBits, ascending
  u32 offset[MaxBits + 1];  // index in `sorted` of a code of L bits, less its number (modulo 2^32)
  u32 complete;             // 0, 1 or kLongestComplete
  u16 sorted[Symbols];      // symbols by (length, symbol)
};

// A code of whatever size: note [any code].
struct AnyCode {
  u32* words;  // what it lies in, in the order of Code's members
  u32 max_bits;

  SLUICE_METHOD u32* limit() const { return words; }
  SLUICE_METHOD u32* offset() const { return words + (max_bits + 1); }
  SLUICE_METHOD u32* complete() const { return words + 2 * (max_bits + 1); }
  SLUICE_METHOD u16* sorted() const { return (u16*)(words + 2 * (max_bits + 1) + 1); }
  // The symbol of `value`, the next max_bits bits, whose code is known to have `length` bits.
  SLUICE_METHOD u32 symbol(u32 value, u32 length) const { return sorted()[offset()[length] + (value >> (max_bits - length))]; }
};
template <u32 Symbols, u32 MaxBits> SLUICE_INLINE AnyCode any_code(const Code<Symbols, MaxBits>& code) {
  static_assert(sizeof code == (8 * (MaxBits + 1) + 4 + 2 * Symbols + 3) / 4 * 4, "no gaps: members lie where AnyCode looks for them");
  return {(u32*)&code, MaxBits};
}

// Which lanes of this round have a length, for each length at once: votes on the bits of the length, combined as the bits
// of `wanted` say. Lengths are below 2^Votes.
template <u32 Votes> struct LengthVotes {
  u32 bit[Votes];
};
template <u32 Votes>
SLUICE_INLINE LengthVotes<Votes> vote_lengths(u32 length) {
  LengthVotes<Votes> v;
  for (u32 k = 0; k < Votes; ++k) v.bit[k] = ballot(length >> k & 1);
  return v;
}
template <u32 Votes> SLUICE_INLINE u32 lanes_of(const LengthVotes<Votes>& v, u32 wanted) {
  u32 lanes = ~0u;
  for (u32 k = 0; k < Votes; ++k) lanes &= (wanted >> k & 1) ? v.bit[k] : ~v.bit[k];
  return lanes;
}

template <u32 Votes, typename Length>
SLUICE_COLD u32 build_any_code(AnyCode code, const Length* lengths, u32 count, u32 policy) {
  const u32 mine = lane(), most = code.max_bits;
  const bool writes = worker() < kLanes, holds = mine >= 1 && mine <= most;  // lane L looks after length L
  sync();

  // The same lengths twice, to count and to place: one loop, since two of them would be twice as much to compile.
  u32 next = 0;  // of this lane's length: how many symbols, and then where the next one goes
  bool too_long = false, over = false, refused = false;
  SLUICE_ROLLED
  for (bool placing = false;; placing = true) {
    SLUICE_ROLLED
    for (u32 base = 0; base < count; base += kLanes) {
      const u32 symbol = policy == kLongestFirst ? count - 1 - (base + mine) : base + mine;
      const u32 length = base + mine < count ? (u32)lengths[symbol] : 0;
      const LengthVotes<Votes> votes = vote_lengths<Votes>(length);
      if (placing) {
        const u32 at = shfl(next, length) + (u32)__popc(lanes_of(votes, length) & lanes_below());
        if (writes && length != 0) code.sorted()[at] = (u16)symbol;
      } else {
        too_long |= length > most;
      }
      if (holds) next += (u32)__popc(lanes_of(votes, mine));
    }
    if (placing) break;
    const u32 codes = next;

    // Lengths in order, the same in all lanes; each keeps what holds in front of its own. In units of codes of the most
    // bits, of which there are no more than all_codes in front of a length and as many of the length itself.
    const u32 all_codes = 1u << most;
    u32 all = 0, total = 0, before = 0;
    over = ballot(too_long || (holds && codes > 1u << mine)) != 0;
    SLUICE_ROLLED
    for (u32 length = 1; length <= most && !over; ++length) {
      if (mine == length) {
        before = all;
        next = total;
      }
      const u32 of_length = shfl(codes, length);
      all += of_length << (most - length);
      total += of_length;
      over = all > all_codes;
    }
    const bool short_of = !over && all < all_codes && total > 0, one_bit = total == 1 && all == all_codes / 2;
    refused = short_of && (policy == kRefuse || policy == kLongestFirst || (policy == kSingle && !one_bit));
    const bool bad = over || refused;
    if (writes && mine <= most) {
      code.limit()[mine] = bad || mine == 0 ? 0 : before + (codes << (most - mine));
      code.offset()[mine] = bad || mine == 0 ? 0 : next - (before >> (most - mine));
    }
    if (writes && mine == 0) *code.complete() = bad || all != all_codes ? 0 : policy == kLongestFirst ? kLongestComplete : 1;
    if (bad) break;
  }
  sync();
  return over ? kCodeOversubscribed : refused ? kCodeIncomplete : kCodeOk;
}
// Builds `code` from n lengths. n <= Symbols. Lengths that do not fit the votes are refused before anything is placed.
template <u32 Symbols, u32 MaxBits, typename Length>
SLUICE_INLINE u32 build_code(Code<Symbols, MaxBits>& code, const Length* lengths, u64 n, u32 policy) {
  static_assert(MaxBits >= 1 && MaxBits <= 20, "a lane for each length, and sums of all codes in 32 bits");
  static_assert(Symbols <= 65536, "symbols are 16 bits");
  return build_any_code<MaxBits < 16 ? 4 : 5>(any_code(code), lengths, (u32)n, policy);
}

// The symbol that `bits` begin with, and its length, or length 0: no code. `bits` are the next MaxBits bits, the first
// highest, zeros past the end; how many of them there are is the caller's to compare with the length.
struct Found { u32 symbol; u32 length; };
SLUICE_INLINE Found find_symbol(AnyCode code, u32 bits) {
  const u32 mine = lane() < code.max_bits ? lane() + 1 : code.max_bits;
  const u32 yes = ballot(bits < code.limit()[mine]);
  if (yes == 0) return {0, 0};
  const u32 length = (u32)__ffs((int)yes);
  return {code.symbol(bits, length), length};
}

// ---- Look-up tables ------------------------------------------------------------------------------------------------
// Entry: payload:16 | kind:3 | code bits:5 | all bits:8, most significant first. `code bits` is what this level's
// code takes, `all bits` adds the extra bits that the entry's payload is the base of. Kinds 0..5 are the arms of the
// statement that follows the read, 6 leaves the fast loop, 7 points to a second level (payload: first entry, code bits:
// index bits of that level, all bits: bits of this level). Without a second level it stands where all codes that go on from
// here are of one length, the code bits (payload: where `sorted` has the first of them): what is most often the case.
constexpr u32 kKindShift = 13, kKindMask = 7u << kKindShift, kKindLeave = 6u << kKindShift, kKindLink = 7u << kKindShift;

SLUICE_INLINE u32 entry_bits(u32 e) { return e & 0xff; }

// note [narrow]: entries of 16 bits, payload:8 | kind:3 | code bits:5, where symbols are bytes without extra bits, and no code is
// longer than the table's index: they are the middle of such a whole one.
struct NarrowEntry {
  u16 bits;
};
SLUICE_INLINE NarrowEntry narrow_entry(u32 e) { return {(u16)(e >> 8)}; }
SLUICE_INLINE u32 wide_entry(u32 e) { return e; }
SLUICE_INLINE u32 wide_entry(NarrowEntry e) { return (u32)e.bits << 8 | (e.bits & 31u); }
SLUICE_INLINE void store_entry(NarrowEntry& to, u32 e) { to = narrow_entry(e); }
SLUICE_INLINE void store_entry(u32& to, u32 e) { to = e; }
SLUICE_INLINE u32 entry_code_bits(u32 e) { return e >> 8 & 31; }
SLUICE_INLINE u32 entry_payload(u32 e) { return e >> 16; }

// note [tiny]: entries of 8 bits, payload:5 | code bits:3, where there are so few symbols, of one kind and without extra bits, and no
// code is longer than the table's index, which is 7 bits at most. No code bits: it leaves.
struct TinyEntry {
  u8 bits;
};
SLUICE_INLINE TinyEntry tiny_entry(u32 e) { return {(u8)(e & kKindMask ? 0 : entry_payload(e) << 3 | entry_bits(e))}; }
SLUICE_INLINE u32 wide_entry(TinyEntry e) {
  const u32 length = e.bits & 7u;
  return length == 0 ? kKindLeave : (e.bits >> 3) << 16 | length << 8 | length;
}
SLUICE_INLINE void store_entry(TinyEntry& to, u32 e) { to = tiny_entry(e); }

// Size of a table that serves codes of up to `most` bits: the first level, and for each long code at most one second
// level of 2^(most - bits) entries.
constexpr __device__ u32 table_size(u32 symbols, u32 bits, u32 most) {
  return (1u << bits) + (most > bits ? (symbols < (1u << bits) ? symbols : (1u << bits)) << (most - bits) : 0);
}

SLUICE_INLINE u32 make_entry(u32 info, u32 code_bits) { return info + code_bits + (code_bits << 8); }

// n <= 32 bits, the first last.
SLUICE_INLINE u32 reverse_bits(u32 v, u32 n) { return n == 0 ? 0 : __brev(v) >> (32 - n); }

// The first length from `length` to `most` that has codes above `value`, or most + 1.
SLUICE_INLINE u32 length_above(const AnyCode& code, u32 value, u32 length, u32 most) {
  SLUICE_ROLLED
  while (length <= most && code.limit()[length] <= value) ++length;
  return length;
}
template <u32 Symbols, u32 MaxBits>
SLUICE_INLINE u32 length_above(const Code<Symbols, MaxBits>& code, u32 value, u32 length, u32 most) {
  SLUICE_ROLLED
  while (length <= most && code.limit[length] <= value) ++length;
  return length;
}

// The second level: 32 prefixes a round. Their sizes are summed for their places, then all lanes take entries of all of
// them, each looking up whose entry it has.
template <bool Msb>
SLUICE_COLD void build_second_level(u32* table, AnyCode code, u32 table_bits, u32 most, const u32* info, u32 flip) {
  const u32 prefix_shift = code.max_bits - table_bits;  // of a prefix to a value
  const u32 mine = lane();
  const u32 first = code.limit()[table_bits] >> prefix_shift;
  const u32 end = (code.limit()[most] + (1u << prefix_shift) - 1) >> prefix_shift;
  u32 start = 1u << table_bits;
  SLUICE_ROLLED
  for (u32 base = first; base < end; base += kLanes) {
    const u32 prefix = base + mine;
    u32 sub_bits = 0, size = 0;
    if (prefix < end) {  // deep enough for the prefix's last code, or as deep as it goes
      sub_bits = length_above(code, ((prefix + 1) << prefix_shift) - 1, table_bits + 1, most - 1) - table_bits;
      size = 1u << sub_bits;
    }
    const u32 above = scan_add(size), at = start + above - size, all = shfl(above, kLanes - 1);
    if (prefix < end && worker() < kLanes)
      table[(Msb ? prefix : reverse_bits(prefix, table_bits)) ^ (flip & ((1u << table_bits) - 1))] = at << 16 | kKindLink | sub_bits << 8 | table_bits;
    SLUICE_ROLLED
    for (u32 round = 0; round < all; round += kLanes) {
      const u32 entry = round + mine;
      u32 owner = 0;  // how many prefixes end at or before this entry
      SLUICE_ROLLED
      for (u32 step = kLanes / 2; step > 0; step /= 2)
        if (shfl(above, owner + step - 1) <= entry) owner += step;
      const u32 bits = shfl(sub_bits, owner), from = shfl(at, owner) - start;
      if (entry >= all || worker() >= kLanes) continue;
      const u32 shown = (entry - from) ^ (flip & ((1u << bits) - 1)), low = Msb ? shown : reverse_bits(shown, bits);
      const u32 value = (base + owner) << prefix_shift | low << (prefix_shift - bits);
      const u32 length = length_above(code, value, table_bits + 1, most);
      table[start + entry] = length > most ? kKindLeave : make_entry(info[code.symbol(value, length)], length - table_bits);
    }
    start += all;
  }
}

SLUICE_INLINE bool is_link(u32 e) { return (e & kKindMask) == kKindLink; }
// The entry of the first table_bits bits of `value`, whose codes are longer: a link where they are all of one length, and there
// is nothing but them.
SLUICE_INLINE u32 link_to_sorted(AnyCode code, u32 table_bits, u32 value) {
  const u32 length = length_above(code, value, table_bits + 1, code.max_bits);
  if (length > code.max_bits || code.limit()[length] < value + (1u << (code.max_bits - table_bits))) return kKindLeave;
  return (code.offset()[length] + (value >> (code.max_bits - length))) << 16 | kKindLink | length << 8;
}
// The entry of a symbol that such a link stands for; `bits` are the next max_bits, as look() gives them.
template <bool Msb> SLUICE_INLINE u32 linked_entry(AnyCode code, u32 table_bits, const u32* info, u32 bits, u32 link) {
  const u32 length = entry_code_bits(link), rest = length - table_bits;
  const u32 number = Msb ? bits >> (code.max_bits - length) & ((1u << rest) - 1) : reverse_bits(bits >> table_bits, rest);
  return make_entry(info[code.sorted()[entry_payload(link) + number]], length);
}

// Each lane fills the entries that are its own modulo 32, so stores meet no bank twice, and takes them in the order of
// their codes, so that the length it looks for only grows.
template <bool Msb, bool TwoLevels, typename Entry>
SLUICE_COLD void build_any_table(Entry* table, AnyCode code, u32 table_bits, u32 most, const u32* info) {
  const u32 last = TwoLevels || table_bits < most ? table_bits : most;
  const u32 round_bits = table_bits > 5 ? table_bits - 5 : 0;
  sync();
  const u32 links_end = TwoLevels ? code.limit()[most] : 0;  // values from limit[last] to here are on the second level
  const u32 mine = lane(), flip = *code.complete() == kLongestComplete ? ~0u : 0;  // note [longest first]: an index is bits
  u32 length = 1;
  SLUICE_ROLLED
  for (u32 round = 0; round < 1u << round_bits; ++round) {
    const u32 entry = Msb ? round * kLanes + mine : reverse_bits(round, round_bits) * kLanes + mine;
    if (entry >= 1u << table_bits || worker() >= kLanes) break;
    const u32 value = (Msb ? entry : reverse_bits(entry, table_bits)) << (code.max_bits - table_bits);
    length = length_above(code, value, length, last);
    const u32 at = (entry ^ flip) & ((1u << table_bits) - 1);
    if (length <= last)
      store_entry(table[at], make_entry(info[code.symbol(value, length)], length));
    else if (value >= links_end)
      store_entry(table[at], TwoLevels || most < table_bits ? kKindLeave : link_to_sorted(code, table_bits, value));
  }
  if constexpr (TwoLevels) build_second_level<Msb>(table, code, table_bits, most, info, flip);
  sync();
}
// info[symbol]: payload, kind and extra bits of a symbol's entry, code bits 0. Codes of more than Most bits leave.
template <bool Msb, u32 Bits, u32 Most, u32 Symbols, u32 MaxBits, typename Entry>
SLUICE_INLINE void build_table(Entry* table, const Code<Symbols, MaxBits>& code, const u32* info) {
  static_assert(table_size(Symbols, Bits, Most) <= 65536, "a link's payload is 16 bits");
  static_assert(Bits <= MaxBits && Most <= MaxBits, "a table looks at no more bits than codes have");
  build_any_table<Msb, (Most > Bits)>(table, any_code(code), Bits, Most, info);
}

}  // namespace prim
