// Vectors of FSE streams: counts and streams by an encoder of a few lines, which is the definition read backward; those called
// libzstd are weights of Huffman codes that it wrote.
#include <bit>

#include "tests/support/control.h"
#include "tests/support/vectors/backward.h"

namespace sluice::test::vectors {
namespace {

// A state: its symbol, how many bits are read for the next one, and what is added to them.
struct State {
  std::size_t symbol = 0;
  unsigned bits = 0;
  std::size_t base = 0;
};

// RFC 8878, 4.1.1.
std::vector<State> table(const std::vector<int>& counts, unsigned log) {
  const std::size_t size = std::size_t{1} << log;
  std::vector<State> states(size);
  std::vector<bool> taken(size);
  std::size_t end = size;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] != -1) continue;
    states[--end].symbol = s;
    taken[end] = true;
  }
  std::size_t at = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    for (int k = 0; k < counts[s]; ++k) {
      states[at].symbol = s;
      do at = (at + (size >> 1) + (size >> 3) + 3) % size;
      while (taken[at] && at != 0);
    }
  }
  std::vector<std::size_t> next(counts.size());
  for (std::size_t s = 0; s < counts.size(); ++s) next[s] = counts[s] == -1 ? 1 : static_cast<std::size_t>(counts[s]);
  for (State& state : states) {
    const std::size_t n = next[state.symbol]++;
    state.bits = log - static_cast<unsigned>(std::bit_width(n) - 1);
    state.base = (n << state.bits) - size;
  }
  return states;
}

// RFC 8878, 4.1.1: each count takes the bits that the largest possible one needs, or one less; after a 0, how many more.
void write_counts(BitWriter& out, const std::vector<int>& counts, unsigned log) {
  out.bits(log - 5, 4);
  std::uint64_t left = std::uint64_t{1} << log;
  for (std::size_t s = 0; s < counts.size() && left > 0; ++s) {
    const auto width = static_cast<unsigned>(std::bit_width(left + 1) - 1);
    const std::uint64_t full = std::uint64_t{1} << width, small = 2 * full - 2 - left, value = static_cast<std::uint64_t>(counts[s] + 1);
    if (value < small)
      out.bits(value, width);
    else
      out.bits(value < full ? value : value + small, width + 1);
    left -= static_cast<std::uint64_t>(counts[s] < 0 ? 1 : counts[s]);
    if (counts[s] != 0) continue;
    std::size_t zeros = 0;
    while (s + 1 + zeros < counts.size() && counts[s + 1 + zeros] == 0) ++zeros;
    s += zeros;
    for (; zeros >= 3; zeros -= 3) out.bits(3, 2);
    out.bits(zeros, 2);
  }
  out.align();
}

Bytes counts_of(const std::vector<int>& counts, unsigned log) {
  BitWriter out;
  write_counts(out, counts, log);
  return out.data();
}

// Symbols as one stream under two states that take turns: from the last one on, the state before is the one whose bits lead there.
Bytes stream(const std::vector<State>& states, unsigned log, const Bytes& symbols) {
  std::vector<std::size_t> at(symbols.size());
  for (std::size_t i = symbols.size(); i-- > 0;) {
    const bool last = i + 2 >= symbols.size();
    for (std::size_t s = 0; s < states.size(); ++s) {
      const State& state = states[s];
      const bool leads = last ? state.bits > 0 : state.base <= at[i + 2] && at[i + 2] < state.base + (std::size_t{1} << state.bits);
      if (state.symbol == symbols[i] && leads) at[i] = s;
    }
  }
  Backward out;
  out.take(at[0], log).take(at[1], log);
  for (std::size_t i = 0; i + 2 < symbols.size(); ++i) out.take(at[i + 2] - states[at[i]].base, states[at[i]].bits);
  return out.data();
}

Bytes fse(const std::vector<int>& counts, unsigned log, const Bytes& symbols) {
  return join({counts_of(counts, log), stream(table(counts, log), log, symbols)});
}

Bytes noise(std::size_t count, const std::vector<int>& counts) {
  Bytes out;
  std::uint32_t state = 7;
  while (out.size() < count) {
    state = state * 1664525 + 1013904223;
    const std::size_t symbol = (state >> 8) % counts.size() * (state >> 28) / 15;
    if (symbol < counts.size() && counts[symbol] != 0) out.push_back(static_cast<std::uint8_t>(symbol));
  }
  return out;
}

}  // namespace

void make_fse(Writer& out) {
  const std::vector<int> halves{16, 16};
  out.good("fse", "two_symbols", fse(halves, 5, {0, 1, 1, 0, 1}), {0, 1, 1, 0, 1});
  out.good("fse", "two_states_alone", fse(halves, 5, {1, 0}), {1, 0});
  // A symbol of less than a state, symbols without one, and 'a' of 40 in 64.
  std::vector<int> letters(256, 0);
  letters['a'] = 40;
  letters['b'] = -1;
  letters['e'] = 20;
  letters['z'] = 3;
  letters.resize('z' + 1);
  out.good("fse", "rare_and_frequent", fse(letters, 6, text("aaabaaeezaaaaaebaaa")), text("aaabaaeezaaaaaebaaa"));
  // Of all bytes each, in 4096 states, some of them more often.
  std::vector<int> all(256, 14);
  for (std::size_t s = 0; s < 256; ++s) all[s] += s % 2 == 0 ? 4 : s % 8 == 1 ? -15 : 0;
  int sum = 0;
  for (const int n : all) sum += n < 0 ? 1 : n;
  all[255] += 4096 - sum;
  out.good("fse", "all_bytes", fse(all, 12, noise(300, all)), noise(300, all));
  // Weights of the Huffman code of libzstd's literals, in the frame's first block behind 10 bytes of headers and 4 of the literals'.
  Bytes raw;
  for (std::uint32_t i = 0, state = 1; i < 3000; ++i) {
    state = state * 1664525 + 1013904223;
    raw.push_back(static_cast<std::uint8_t>('a' + (state >> 27) * (state >> 8 & 31) / 40));
  }
  const Bytes frame = *control_compress("zstd", raw, 1);
  constexpr std::size_t kTree = 14;
  const Bytes weights(frame.begin() + kTree + 1, frame.begin() + kTree + 1 + frame[kTree]);
  const Bytes letters_weights{9, 8, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6, 6, 5, 5, 5, 5, 4, 3, 4, 4, 2, 1};
  out.good("fse", "libzstd_weights", weights, join({Bytes('a', 0), letters_weights}));

  out.bad("fse", "no_input", {}, "end_of_input", 0);
  out.bad("fse", "more_states", {8}, "state_code_too_large", 4);  // 1 << 13
  BitWriter zeros;
  zeros.bits(0, 4).bits(1, 5);
  for (unsigned i = 0; i < 86; ++i) zeros.bits(3, 2);
  out.bad("fse", "more_symbols", zeros.data(), "too_many_symbols", zeros.position());
  std::vector<int> odd(257, 0);
  odd[0] = 31;
  odd[256] = 1;
  out.bad("fse", "symbol_256", counts_of(odd, 5), "too_many_symbols", 4 + 6 + 2 + 2 * 85);
  out.bad("fse", "one_symbol", join({counts_of({32}, 5), {0x80}}), "one_symbol", 16);
  const Bytes whole = fse(halves, 5, {0, 1, 1, 0, 1});
  out.bad("fse", "no_stream", Bytes(whole.begin(), whole.begin() + 2), "bad_padding", 16);
  out.bad("fse", "no_padding", join({Bytes(whole.begin(), whole.begin() + 2), {0}}), "bad_padding", 24);
  out.bad("fse", "one_state", join({Bytes(whole.begin(), whole.begin() + 2), {0x3f}}), "end_of_input", 16);
}

}  // namespace sluice::test::vectors
