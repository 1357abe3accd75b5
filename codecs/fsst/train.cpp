#include "codecs/fsst/train.h"

#include <algorithm>

namespace sluice::encode::fsst {
namespace {

constexpr unsigned kGenerations = 8;
// A piece of the sample; long enough that the cuts between pieces hide few pairs.
constexpr std::size_t kPiece = 512;
constexpr std::size_t kSample8 = std::size_t{1} << 16, kSample12 = std::size_t{1} << 18;

using Piece = std::span<const std::uint8_t>;

// Pieces spread evenly over the block, together at most `wanted` bytes (all of it when it is no longer than that).
std::vector<Piece> sample_of(Piece block, std::size_t wanted) {
  std::vector<Piece> pieces;
  const std::size_t step = std::max(kPiece, block.size() / std::max<std::size_t>(1, wanted / kPiece));
  for (std::size_t at = 0; at < block.size(); at += step) {
    pieces.push_back(block.subspan(at, std::min(kPiece, block.size() - at)));
  }
  return pieces;
}

struct Candidate {
  Symbol symbol;
  std::uint64_t uses = 0;
  std::uint64_t gain = 0;
};

bool before(const Symbol& a, const Symbol& b) { return a.size != b.size ? a.size < b.size : a.bytes < b.bytes; }

// One table tried on the sample. A token is named by an id: a byte without a symbol by itself, symbol i by 256 + i.
class Trial {
 public:
  // `scale`: how many times the sample goes into the block.
  Trial(std::span<const Symbol> symbols, const CodeSet& set, double scale)
      : symbols_(symbols), set_(set), scale_(scale), matcher_(symbols) {
    used_.resize(256 + symbols.size());
  }

  void run(std::span<const Piece> sample) {
    for (const Piece piece : sample) run(piece);
  }

  // Bits that sample and table take, the table's share scaled to the sample's part of the block.
  [[nodiscard]] std::uint64_t cost() const {
    std::uint64_t table = 0;
    for (const Symbol& symbol : symbols_) table += table_bits(symbol);
    return bits_ + static_cast<std::uint64_t>(static_cast<double>(table) / scale_);
  }

  // What the next generation is chosen from, each symbol once.
  std::vector<Candidate> candidates(bool join) {
    std::vector<Candidate> all;
    for (std::uint32_t id = 0; id < used_.size(); ++id) {
      if (used_[id] != 0) add(all, symbol(id), used_[id]);
    }
    if (join) add_pairs(all);
    std::ranges::sort(all, [](const Candidate& a, const Candidate& b) { return before(a.symbol, b.symbol); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (kept != 0 && all[kept - 1].symbol == all[i].symbol) {
        all[kept - 1].uses += all[i].uses;
        all[kept - 1].gain += all[i].gain;
      } else {
        all[kept++] = all[i];
      }
    }
    all.resize(kept);
    std::erase_if(all, [&](const Candidate& candidate) { return !pays(candidate); });
    return all;
  }

 private:
  [[nodiscard]] Symbol symbol(std::uint32_t id) const { return id < 256 ? Symbol{id, 1} : symbols_[id - 256]; }

  // What the symbol takes in the block's table.
  [[nodiscard]] std::uint64_t table_bits(const Symbol& symbol) const {
    return 8u * (symbol.size + (set_.bytes_are_codes ? 1u : 0u));
  }

  // Whether the symbol saves more than its place in the table costs: a code or, against an escape, eight bits a use.
  [[nodiscard]] bool pays(const Candidate& candidate) const {
    return static_cast<double>(candidate.uses * set_.bits) * scale_ > static_cast<double>(table_bits(candidate.symbol));
  }

  void run(Piece piece) {
    std::uint32_t last = 0;
    for (std::size_t at = 0; at < piece.size();) {
      const std::uint64_t word = word_at(piece, at);
      const Matcher::Match match = matcher_.longest(word, piece.size() - at);
      const bool none = match.index < 0;
      const std::uint32_t id =
          none ? static_cast<std::uint32_t>(word & 0xff) : 256 + static_cast<std::uint32_t>(match.index);
      bits_ += none && !set_.bytes_are_codes ? 2 * set_.bits : set_.bits;
      ++used_[id];
      if (at != 0) pairs_.push_back(std::uint64_t{last} << 32 | id);
      last = id;
      at += none ? 1 : match.size;
    }
  }

  void add(std::vector<Candidate>& all, const Symbol& symbol, std::uint64_t count) const {
    // With an escape, a byte's own symbol saves a byte each time and makes room for nothing else: without the factor
    // (FSST's) rare bytes lose against long symbols that are hardly better than what they join.
    std::uint64_t gain = count * symbol.size;
    if (symbol.size == 1) {
      if (set_.bytes_are_codes) return;
      gain *= kSymbolMax;
    }
    all.push_back({symbol, count, gain});
  }

  void add_pair(std::vector<Candidate>& all, const Symbol& a, const Symbol& b, std::uint64_t count) const {
    if (a.size == kSymbolMax) return;
    const auto size = static_cast<std::uint8_t>(std::min<unsigned>(kSymbolMax, a.size + b.size));
    add(all, {first_bytes(a.bytes | b.bytes << (8 * a.size), size), size}, count);
  }

  void add_pairs(std::vector<Candidate>& all) {
    std::ranges::sort(pairs_);
    for (std::size_t i = 0; i < pairs_.size();) {
      std::size_t end = i;
      while (end < pairs_.size() && pairs_[end] == pairs_[i]) ++end;
      const Symbol a = symbol(static_cast<std::uint32_t>(pairs_[i] >> 32));
      const Symbol b = symbol(static_cast<std::uint32_t>(pairs_[i]));
      add_pair(all, a, b, end - i);
      // Also one byte at a time: a symbol that ends where words end grows no further otherwise.
      if (b.size > 1) add_pair(all, a, {b.bytes & 0xff, 1}, end - i);
      i = end;
    }
  }

  std::span<const Symbol> symbols_;
  CodeSet set_;
  double scale_;
  Matcher matcher_;
  std::uint64_t bits_ = 0;
  std::vector<std::uint32_t> used_;   // [id]
  std::vector<std::uint64_t> pairs_;  // id << 32 | id of the token behind it
};

// The candidates that save most, `most` at most.
std::vector<Symbol> best_of(std::vector<Candidate> all, std::size_t most) {
  std::ranges::sort(all, [](const Candidate& a, const Candidate& b) {
    return a.gain != b.gain ? a.gain > b.gain : before(b.symbol, a.symbol);
  });
  if (all.size() > most) all.resize(most);
  std::vector<Symbol> symbols;
  for (const Candidate& candidate : all) symbols.push_back(candidate.symbol);
  return symbols;
}

}  // namespace

std::vector<Symbol> train(std::span<const std::uint8_t> block, const CodeSet& set) {
  const std::vector<Piece> sample = sample_of(block, set.bytes_are_codes ? kSample12 : kSample8);
  std::size_t sampled = 0;
  for (const Piece piece : sample) sampled += piece.size();
  const double scale = static_cast<double>(block.size()) / static_cast<double>(std::max<std::size_t>(1, sampled));
  std::vector<Symbol> symbols, best;
  std::uint64_t least = ~std::uint64_t{0};
  for (unsigned generation = 0; generation <= kGenerations; ++generation) {
    Trial trial(symbols, set, scale);
    trial.run(sample);
    if (trial.cost() < least) {
      least = trial.cost();
      best = symbols;
    }
    if (generation == kGenerations) break;
    symbols = best_of(trial.candidates(generation + 1 < kGenerations), set.symbols);
  }
  return best;
}

}  // namespace sluice::encode::fsst
