#include "codecs/fsst/block.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::encode::fsst {
namespace {

constexpr std::uint64_t kVersion = 20190218;
constexpr std::uint64_t kByteOrderMark = 1;
constexpr std::size_t kMaxInBlock = (std::size_t{1} << (8 * kBlockSizeBytes)) - 1;

void put_little(Bytes& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void put_symbol(Bytes& out, const Symbol& symbol) { put_little(out, symbol.bytes, symbol.size); }

// Codes number symbols of 2, 3, ... 8 bytes, then those of one.
unsigned rank(const Symbol& symbol) { return symbol.size == 1 ? kSymbolMax + 1 : symbol.size; }

bool begins_another(const Symbol& symbol, std::span<const Symbol> all) {
  return std::ranges::any_of(all, [&](const Symbol& other) {
    return other.size > symbol.size && first_bytes(other.bytes, symbol.size) == symbol.bytes;
  });
}

// Sorts symbols into the order of their codes; returns how many of two bytes begin no longer one.
unsigned put_in_order(std::vector<Symbol>& symbols) {
  std::ranges::sort(symbols, [](const Symbol& a, const Symbol& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.bytes < b.bytes;
  });
  const auto two_end = std::ranges::find_if(symbols, [](const Symbol& symbol) { return symbol.size != 2; });
  const std::vector<Symbol> all = symbols;
  const auto lone_end = std::stable_partition(symbols.begin(), two_end,
                                              [&](const Symbol& symbol) { return !begins_another(symbol, all); });
  return static_cast<unsigned>(lone_end - symbols.begin());
}

std::vector<Symbol> numbered(std::span<const std::uint8_t> block, const CodeSet& set, unsigned& lone) {
  std::vector<Symbol> symbols = train(block, set);
  lone = put_in_order(symbols);
  if (!set.bytes_are_codes) return symbols;
  std::vector<Symbol> bytes;
  for (unsigned byte = 0; byte < 256; ++byte) bytes.push_back({byte, 1});
  symbols.insert(symbols.begin(), bytes.begin(), bytes.end());
  return symbols;
}

}  // namespace

void put_big(Bytes& out, std::uint64_t value, unsigned bytes) {
  while (bytes-- != 0) out.push_back(static_cast<std::uint8_t>(value >> (8 * bytes)));
}

Coder::Coder(std::span<const std::uint8_t> block, const CodeSet& set)
    : set_(set), symbols_(numbered(block, set, lone_)), matcher_(symbols_) {}

void Coder::put_table(Bytes& out) const {
  std::array<std::uint64_t, kSymbolMax> histogram{};
  for (const Symbol& symbol : symbols_) ++histogram[symbol.size - 1u];
  if (set_.bytes_are_codes) {
    put_little(out, kVersion << 32 | kByteOrderMark, 8);
    for (const std::uint64_t count : histogram) put_little(out, count, 2);
    for (const Symbol& symbol : symbols_) {
      out.push_back(symbol.size);
      put_symbol(out, symbol);
    }
    return;
  }
  // What stands beside version and mark only helps to rebuild an encoder: symbols of two bytes that begin no longer
  // one, the terminator, the number of symbols.
  put_little(out, kVersion << 32 | std::uint64_t{lone_} << 24 | symbols_.size() << 8 | kByteOrderMark, 8);
  out.push_back(0);  // strings are not zero-terminated
  for (const std::uint64_t count : histogram) put_little(out, count, 1);
  for (const Symbol& symbol : symbols_) put_symbol(out, symbol);
}

std::vector<Code> Coder::codes(std::span<const std::uint8_t> piece) const {
  std::vector<Code> codes;
  for (std::size_t at = 0; at < piece.size();) {
    const Matcher::Match match = matcher_.longest(word_at(piece, at), piece.size() - at);
    if (match.index < 0) {
      codes.push_back(kEscape);
      codes.push_back(piece[at++]);
    } else {
      codes.push_back(static_cast<Code>(match.index));
      at += match.size;
    }
  }
  return codes;
}

unsigned Coder::output_of(Code code) const { return symbols_[code].size; }

void put_codes(Bytes& out, std::span<const Code> codes, const CodeSet& set) {
  if (set.bits == 8) {
    for (const Code code : codes) out.push_back(static_cast<std::uint8_t>(code));
    return;
  }
  for (std::size_t i = 0; i < codes.size(); i += 2) {
    const bool two = i + 1 < codes.size();
    put_little(out, codes[i] | (two ? std::uint32_t{codes[i + 1]} << set.bits : 0), two ? 3 : 2);
  }
}

Result<Bytes> encode_blocks(std::span<const std::uint8_t> in, std::size_t block_size, const BlockEncoder& encode,
                            const Progress& progress) {
  Bytes out;
  std::size_t size = block_size;  // of the next block; less than block_size after one that was too large
  for (std::size_t at = 0; at < in.size();) {
    const std::span<const std::uint8_t> block = in.subspan(at, std::min(size, in.size() - at));
    const std::size_t start = out.size();
    put_big(out, 0, kBlockSizeBytes);
    const bool fits = encode(out, block) && out.size() - start <= kMaxInBlock;
    if (!fits) {
      out.resize(start);
      if (block.size() == 1) return Error{Error::Kind::Usage, "a block of one byte is too large for the format", {}};
      size = (block.size() + 1) / 2;
      continue;
    }
    const std::size_t stored = out.size() - start;
    for (unsigned i = 0; i < kBlockSizeBytes; ++i)
      out[start + i] = static_cast<std::uint8_t>(stored >> (8 * (kBlockSizeBytes - 1 - i)));
    at += block.size();
    size = block_size;
    progress(at);
  }
  return out;
}

}  // namespace sluice::encode::fsst
