// Vectors of deflate (RFC 1951): most are written bit by bit; "zlib" in a name says that zlib wrote it.
#include <array>
#include <numeric>

#include "tests/support/control.h"
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

constexpr unsigned kStored = 0, kFixed = 1, kDynamic = 2;

BitWriter block(unsigned kind) {
  BitWriter w;
  w.bits(1, 1).bits(kind, 2);
  return w;
}

// A literal or length symbol of the fixed code (RFC 1951, 3.2.6).
BitWriter& fixed(BitWriter& w, unsigned symbol) {
  if (symbol < 144) return w.code(0x30 + symbol, 8);
  if (symbol < 256) return w.code(0x190 + symbol - 144, 9);
  if (symbol < 280) return w.code(symbol - 256, 7);
  return w.code(0xc0 + symbol - 280, 8);
}

// Canonical codes of `lengths` (RFC 1951, 3.2.2).
std::vector<std::uint32_t> canonical(const std::vector<unsigned>& lengths) {
  std::array<std::uint32_t, 17> next{};
  std::array<std::uint32_t, 16> count{};
  for (const unsigned length : lengths) ++count[length];
  count[0] = 0;
  for (unsigned bits = 1; bits < 16; ++bits) next[bits] = (next[bits - 1] + count[bits - 1]) << 1;
  std::vector<std::uint32_t> codes;
  for (const unsigned length : lengths) codes.push_back(length == 0 ? 0 : next[length]++);
  return codes;
}

// Order in which the lengths of the code length code are sent.
constexpr std::array<unsigned, 19> kOrder{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// HLIT, HDIST, HCLEN and all 19 lengths of the code length code.
void counts(BitWriter& w, unsigned litlen, unsigned dist, const std::array<unsigned, 19>& lengths) {
  w.bits(litlen - 257, 5).bits(dist - 1, 5).bits(19 - 4, 4);
  for (const unsigned symbol : kOrder) w.bits(lengths[symbol], 3);
}

// Four bits for each of the lengths 0..15, none for the repeats 16..18: symbol n has code n.
constexpr std::array<unsigned, 19> kPlain{4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0};

void plain_lengths(BitWriter& w, const std::vector<unsigned>& litlen, const std::vector<unsigned>& dist) {
  counts(w, static_cast<unsigned>(litlen.size()), static_cast<unsigned>(dist.size()), kPlain);
  for (const unsigned length : litlen) w.code(length, 4);
  for (const unsigned length : dist) w.code(length, 4);
}

void good_vectors(Writer& out) {
  {
    BitWriter w = block(kFixed);
    fixed(w, 256);
    out.good("deflate", "fixed_empty", w.data(), {});
  }
  {
    BitWriter w = block(kFixed);
    for (const char c : std::string_view("ab\xff")) fixed(w, static_cast<std::uint8_t>(c));
    fixed(w, 257 + 4).code(2, 5);                 // 7 bytes from 3 back: overlapping
    fixed(w, 284).bits(31, 5).code(0, 5);         // 258 as 227 + 31, from 1 back
    fixed(w, 285).code(4, 5).bits(1, 1);          // 258 from 6 back
    fixed(w, 256);
    Bytes expected = text("ab\xff");
    for (int i = 0; i < 7; ++i) expected.push_back(expected[expected.size() - 3]);
    for (int i = 0; i < 258; ++i) expected.push_back(expected.back());
    for (int i = 0; i < 258; ++i) expected.push_back(expected[expected.size() - 6]);
    out.good("deflate", "fixed_overlaps_both_258", w.data(), expected);
  }
  {
    BitWriter w;
    w.bits(0, 1).bits(kStored, 2).align().bytes(join({little(0, 2), little(0xffff, 2)}));
    w.bits(0, 1).bits(kStored, 2).align().bytes(join({little(5, 2), little(0xffff ^ 5, 2), text("store")}));
    w.bits(1, 1).bits(kFixed, 2);
    fixed(w, 257).code(4, 5).bits(0, 1);          // 3 bytes from 5 back: across the block's edge
    fixed(w, 256);
    out.good("deflate", "stored_empty_stored_fixed", w.data(), text("storesto"));
  }
  {
    // Literals 'a' and 'b', end of block: lengths 2, 2, 1; one distance code of one bit (incomplete, allowed).
    std::vector<unsigned> litlen(260, 0);
    litlen['a'] = 2, litlen['b'] = 3, litlen[256] = 3, litlen[259] = 1;
    const auto codes = canonical(litlen);
    BitWriter w = block(kDynamic);
    plain_lengths(w, litlen, {1});
    const auto put = [&](unsigned symbol) { w.code(codes[symbol], litlen[symbol]); };
    put('b'), put('a'), put(259), w.code(0, 1), put('b'), put(259), w.code(0, 1), put(256);
    out.good("deflate", "dynamic_lone_distance_code", w.data(), text("baaaaaabbbbbb"));
  }
  {
    std::vector<unsigned> litlen(257, 0);
    litlen['x'] = 1, litlen[256] = 1;
    BitWriter w = block(kDynamic);
    plain_lengths(w, litlen, {0});
    w.code(0, 1).code(0, 1).code(1, 1);
    out.good("deflate", "dynamic_no_distance_code", w.data(), text("xx"));
  }
  out.good("deflate", "zlib_level9_prose", *control_compress("deflate", prose(), 9), prose());
  out.good("deflate", "zlib_level0", *control_compress("deflate", text("stored by level 0"), 0), text("stored by level 0"));
}

void bad_bodies(Writer& out) {
  out.bad("deflate", "block_type_3", block(3).data(), "bad_block_type", 3);
  {
    BitWriter w = block(kStored);
    w.align().bytes(join({little(1, 2), little(0xffff, 2), text("x")}));
    out.bad("deflate", "stored_size_mismatch", w.data(), "stored_size_mismatch", 40);
  }
  {
    BitWriter w = block(kStored);
    w.align().bytes(join({little(9, 2), little(0xffff ^ 9, 2), text("short")}));
    out.bad("deflate", "stored_cut", w.data(), "end_of_input", w.position());
  }
  {
    BitWriter w = block(kFixed);
    fixed(w, 'a'), fixed(w, 257).code(1, 5);
    const std::uint64_t at = w.position();
    fixed(w, 256);
    out.bad("deflate", "distance_before_start", w.data(), "bad_distance", at);
  }
  {
    BitWriter w = block(kFixed);
    fixed(w, 286);
    const std::uint64_t at = w.position();
    out.bad("deflate", "length_symbol_286", w.bits(0, 16).data(), "bad_length_symbol", at);
  }
  {
    BitWriter w = block(kFixed);
    fixed(w, 'a'), fixed(w, 257).code(30, 5);
    const std::uint64_t at = w.position();
    out.bad("deflate", "distance_symbol_30", w.bits(0, 16).data(), "bad_distance_symbol", at);
  }
  {
    BitWriter w = block(kFixed);
    fixed(w, 256).align().bytes(text("\x01"));
    out.bad("deflate", "byte_after_end", w.data(), "trailing_bytes", 16);
  }
  {
    // The lone distance code's other half is no code. Position: where the distance starts.
    std::vector<unsigned> litlen(258, 0);
    litlen['a'] = 1, litlen[256] = 2, litlen[257] = 2;
    BitWriter w = block(kDynamic);
    plain_lengths(w, litlen, {1});
    w.code(0, 1).code(3, 2);
    const std::uint64_t at = w.position();
    out.bad("deflate", "unused_distance_code", w.bits(0xffff, 16).data(), "no_such_code", at);
  }
}

void bad_headers(Writer& out) {
  out.bad("deflate", "too_many_length_codes", block(kDynamic).bits(30, 5).bits(0, 5).bits(0, 4).data(),
          "too_many_length_codes", 17);
  out.bad("deflate", "too_many_distance_codes", block(kDynamic).bits(0, 5).bits(30, 5).bits(0, 4).data(),
          "too_many_distance_codes", 17);
  {
    // A block that is right but for their number.
    std::vector<unsigned> litlen(257, 0), distances(31, 0);
    litlen['x'] = litlen[256] = distances[0] = 1;
    BitWriter w = block(kDynamic);
    plain_lengths(w, litlen, distances);
    out.bad("deflate", "distance_codes_31", w.code(0, 1).code(0, 1).code(1, 1).data(), "too_many_distance_codes", 17);
  }
  {
    BitWriter w = block(kDynamic);
    counts(w, 257, 1, {1, 1, 1});
    const std::uint64_t at = w.position();
    out.bad("deflate", "length_code_oversubscribed", w.bits(0, 16).data(), "oversubscribed", at);
  }
  {
    BitWriter w = block(kDynamic);
    counts(w, 257, 1, {2, 2, 2});
    const std::uint64_t at = w.position();
    out.bad("deflate", "length_code_incomplete", w.bits(0, 16).data(), "incomplete", at);
  }
  {
    BitWriter w = block(kDynamic);
    std::array<unsigned, 19> lengths{};
    lengths[0] = lengths[16] = 1;
    counts(w, 257, 1, lengths);
    w.code(1, 1);
    const std::uint64_t at = w.position();
    out.bad("deflate", "repeat_without_previous", w.bits(0, 16).data(), "repeat_without_previous", at);
  }
  {
    // 138 + 138 zeros claim more than 257 + 1 lengths.
    BitWriter w = block(kDynamic);
    std::array<unsigned, 19> lengths{};
    lengths[0] = lengths[18] = 1;
    counts(w, 257, 1, lengths);
    w.code(1, 1).bits(127, 7).code(1, 1).bits(127, 7);
    const std::uint64_t at = w.position();
    out.bad("deflate", "too_many_lengths", w.bits(0, 16).data(), "too_many_lengths", at);
  }
  {
    std::vector<unsigned> litlen(257, 0);
    litlen['a'] = litlen['b'] = 1;
    BitWriter w = block(kDynamic);
    plain_lengths(w, litlen, {0});
    const std::uint64_t at = w.position();
    out.bad("deflate", "no_end_of_block", w.bits(0, 16).data(), "no_end_of_block", at);
  }
  {
    std::vector<unsigned> litlen(257, 0);
    litlen['a'] = 2, litlen['b'] = 3, litlen[256] = 2;
    BitWriter w = block(kDynamic);
    plain_lengths(w, litlen, {0});
    const std::uint64_t at = w.position();
    out.bad("deflate", "literal_code_incomplete", w.bits(0, 16).data(), "incomplete", at);
  }
  {
    std::vector<unsigned> litlen(257, 0);
    litlen['a'] = litlen['b'] = litlen[256] = 1;
    BitWriter w = block(kDynamic);
    plain_lengths(w, litlen, {0});
    const std::uint64_t at = w.position();
    out.bad("deflate", "literal_code_oversubscribed", w.bits(0, 16).data(), "oversubscribed", at);
  }
}

}  // namespace

void make_deflate(Writer& writer) {
  good_vectors(writer);
  bad_bodies(writer);
  bad_headers(writer);
}

}  // namespace sluice::test::vectors
