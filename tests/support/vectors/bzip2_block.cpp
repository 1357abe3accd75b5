#include "tests/support/vectors/bzip2_block.h"

#include <algorithm>
#include <numeric>

namespace sluice::test::vectors {
namespace {

constexpr unsigned kGroup = 50;  // symbols to a selector

// Move-to-front positions, zeros in runs whose length is written in base two with the digits 1 and 2, and the end.
std::vector<unsigned> symbols_of(const Bytes& column, const std::bitset<256>& used) {
  std::vector<unsigned> front;
  for (unsigned value = 0; value < 256; ++value) {
    if (used[value]) front.push_back(value);
  }
  std::vector<unsigned> symbols;
  std::uint64_t zeros = 0;
  const auto flush = [&] {
    for (; zeros > 0; zeros = (zeros - 1) / 2) symbols.push_back(zeros % 2 == 1 ? 0 : 1);
  };
  for (const std::uint8_t value : column) {
    const auto place = std::find(front.begin(), front.end(), value);
    if (place == front.begin()) {
      ++zeros;
      continue;
    }
    flush();
    symbols.push_back(static_cast<unsigned>(place - front.begin()) + 1);
    std::rotate(front.begin(), place, place + 1);
  }
  flush();
  symbols.push_back(static_cast<unsigned>(used.count()) + 1);
  return symbols;
}

// Lengths of a code without gaps for n symbols, the short ones first (or last, so that tables differ).
std::vector<unsigned> balanced(unsigned n, bool short_last) {
  unsigned bits = 1;
  while ((1U << bits) < n) ++bits;
  std::vector<unsigned> lengths(n, bits);
  for (unsigned i = 0; i < (1U << bits) - n; ++i) lengths[short_last ? n - 1 - i : i] = bits - 1;
  return lengths;
}

// Canonical codes, shorter ones first and among equals in order of symbols.
std::vector<unsigned> canonical(const std::vector<unsigned>& lengths) {
  std::vector<unsigned> codes(lengths.size());
  unsigned next = 0;
  for (unsigned length = 1; length <= 20; ++length, next <<= 1) {
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s] == length) codes[s] = next++;
    }
  }
  return codes;
}

void write_values(MsbWriter& out, const std::bitset<256>& used) {
  const auto any = [&](unsigned sixteen) {
    for (unsigned i = 0; i < 16; ++i) {
      if (used[16 * sixteen + i]) return true;
    }
    return false;
  };
  for (unsigned i = 0; i < 16; ++i) out.bits(any(i) ? 1 : 0, 1);
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; any(i) && j < 16; ++j) out.bits(used[16 * i + j] ? 1 : 0, 1);
  }
}

void write_selectors(MsbWriter& out, const std::vector<unsigned>& selectors) {
  std::vector<unsigned> recent(8);
  std::iota(recent.begin(), recent.end(), 0U);
  for (const unsigned selector : selectors) {
    const auto place = std::find(recent.begin(), recent.end(), selector);
    for (auto i = recent.begin(); i != place; ++i) out.bits(1, 1);
    out.bits(0, 1);
    std::rotate(recent.begin(), place, place + 1);
  }
}

void write_lengths(MsbWriter& out, const std::vector<unsigned>& lengths) {
  unsigned length = lengths.front();
  out.bits(length, 5);
  for (const unsigned wanted : lengths) {
    for (; length < wanted; ++length) out.bits(2, 2);
    for (; length > wanted; --length) out.bits(3, 2);
    out.bits(0, 1);
  }
}

}  // namespace

MsbWriter& MsbWriter::bits(std::uint64_t value, unsigned count) {
  for (unsigned i = count; i-- > 0; ++position_) {
    if (position_ % 8 == 0) data_.push_back(0);
    data_.back() = static_cast<std::uint8_t>(data_.back() | ((value >> i) & 1) << (7 - position_ % 8));
  }
  return *this;
}

MsbWriter& MsbWriter::bytes(const Bytes& data) {
  for (const std::uint8_t byte : data) bits(byte, 8);
  return *this;
}

std::uint32_t bzip2_crc(const Bytes& data) {
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : data) {
    crc ^= static_cast<std::uint32_t>(byte) << 24;
    for (int i = 0; i < 8; ++i) crc = (crc >> 31) != 0 ? crc << 1 ^ 0x04c11db7U : crc << 1;
  }
  return ~crc;
}

Bytes bzip2_runs(const Bytes& raw) {
  Bytes out;
  for (std::size_t at = 0; at < raw.size();) {
    std::size_t run = 1;
    while (at + run < raw.size() && raw[at + run] == raw[at] && run < 4 + 255) ++run;
    out.insert(out.end(), std::min<std::size_t>(run, 4), raw[at]);
    if (run >= 4) out.push_back(static_cast<std::uint8_t>(run - 4));
    at += run;
  }
  return out;
}

void Bzip2Block::fit() {
  const auto count = static_cast<unsigned>(used.count()) + 2;
  lengths.clear();
  for (unsigned t = 0; t < tables; ++t) lengths.push_back(balanced(count, t % 2 == 1));
  selectors.clear();
  for (std::size_t at = 0; at < symbols.size(); at += kGroup) selectors.push_back(static_cast<unsigned>(at / kGroup) % tables);
}

Bzip2Block Bzip2Block::of_column(const Bytes& column, std::uint32_t origin, unsigned tables) {
  Bzip2Block block;
  block.origin = origin;
  block.tables = tables;
  for (const std::uint8_t value : column) block.used.set(value);
  block.symbols = symbols_of(column, block.used);
  block.fit();
  return block;
}

Bzip2Block Bzip2Block::of_text(const Bytes& text, unsigned tables) {
  std::vector<std::size_t> rows(text.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Bytes twice = join({text, text});
  const auto rotation = [&](std::size_t row) { return std::span(twice).subspan(row, text.size()); };
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(rotation(a), rotation(b));
  });
  Bytes column;
  std::uint32_t origin = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == 0) origin = static_cast<std::uint32_t>(i);
    column.push_back(rotation(rows[i]).back());
  }
  return of_column(column, origin, tables);
}

Bzip2Block Bzip2Block::of(const Bytes& raw, unsigned tables) {
  Bzip2Block block = of_text(bzip2_runs(raw), tables);
  block.crc = bzip2_crc(raw);
  return block;
}

Bzip2Places write_block(MsbWriter& out, const Bzip2Block& block) {
  Bzip2Places places;
  out.bits(0x314159265359, 48);
  places.crc = out.position();
  out.bits(block.crc, 32).bits(block.randomised ? 1 : 0, 1).bits(block.origin, 24);
  places.used = out.position();
  write_values(out, block.used);
  places.tables = out.position();
  out.bits(block.tables, 3).bits(block.selectors.size(), 15);
  places.selectors = out.position();
  write_selectors(out, block.selectors);
  places.lengths = out.position();
  std::vector<std::vector<unsigned>> codes;
  for (const auto& lengths : block.lengths) {
    write_lengths(out, lengths);
    places.after_lengths.push_back(out.position());
    codes.push_back(canonical(lengths));
  }
  places.codes = out.position();
  for (std::size_t i = 0; i < block.symbols.size() && !block.selectors.empty(); ++i) {
    // A vector that has too few selectors, or names a table that is not there, fails before this matters.
    const std::size_t group = std::min(i / kGroup, block.selectors.size() - 1);
    const unsigned table = std::min<unsigned>(block.selectors[group], static_cast<unsigned>(codes.size()) - 1);
    out.bits(codes[table][block.symbols[i]], block.lengths[table][block.symbols[i]]);
  }
  places.end = out.position();
  return places;
}

void write_header(MsbWriter& out, unsigned level) { out.bytes(text("BZh")).bits('0' + level, 8); }

void write_end(MsbWriter& out, std::uint32_t combined_crc) {
  out.bits(0x177245385090, 48).bits(combined_crc, 32);
}

Bytes bzip2_stream(unsigned level, std::span<const Bzip2Block> blocks) {
  MsbWriter out;
  write_header(out, level);
  std::uint32_t combined = 0;
  for (const Bzip2Block& block : blocks) {
    write_block(out, block);
    combined = (combined << 1 | combined >> 31) ^ block.crc;
  }
  write_end(out, combined);
  return out.data();
}

}  // namespace sluice::test::vectors
