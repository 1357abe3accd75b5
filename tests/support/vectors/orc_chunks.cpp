// Vectors of ORC's chunks around Deflate, Snappy, LZ4 and Zstandard (ORC specification v1, "Compression"): three bytes of header,
// twice the size plus one when the chunk is stored as it is.
#include "tests/support/control.h"
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

Bytes stored(const Bytes& raw) { return join({little(raw.size() * 2 + 1, 3), raw}); }
Bytes packed(const Bytes& body) { return join({little(body.size() * 2, 3), body}); }

// What is the same for all. `body` is "abcabcabc" under the codec, `prose_body` our prose.
void framing(Writer& out, const std::string& codec, const Bytes& body, const Bytes& prose_body) {
  const Bytes raw = text("abcabcabc");
  out.good(codec, "no_input", {}, {});
  // The specification's example of a header: five bytes as they are.
  out.good(codec, "stored", {0x0b, 0x00, 0x00, 'h', 'e', 'l', 'l', 'o'}, text("hello"));
  out.good(codec, "stored_empty", stored({}), {});
  out.good(codec, "packed", packed(body), raw);
  out.good(codec, "packed_prose", packed(prose_body), prose());
  out.good(codec, "packed_stored_packed", join({packed(body), stored(text("-")), packed(body)}), join({raw, text("-"), raw}));

  out.bad(codec, "header_cut", {0x0b, 0x00}, "end_of_input", 0);
  out.bad(codec, "stored_cut", {0x0b, 0x00, 0x00, 'h', 'e'}, "end_of_input", 40);
  Bytes cut = packed(body);
  cut.pop_back();
  out.bad(codec, "packed_cut", cut, "end_of_input", 24);
  // 262145 bytes, one more than a block holds.
  out.bad(codec, "stored_larger_than_block", little(262145 * 2 + 1, 3), "block_too_large", 24);
  out.bad(codec, "packed_larger_than_block", little(262145 * 2, 3), "block_too_large", 24);
}

void zlib(Writer& out) {
  const Bytes body = *control_compress("deflate", text("abcabcabc"), 9);
  framing(out, "orc_zlib", body, *control_compress("deflate", prose(), 9));
  out.bad("orc_zlib", "byte_after_deflate", packed(join({body, {0}})), "bytes_left", 24 + 8 * body.size());
  // A lone copy of 3 from 1 back, in a chunk of its own: fixed code, length symbol 257, distance symbol 0.
  BitWriter lone;
  lone.bits(1, 1).bits(1, 2).code(1, 7).code(0, 5).code(0, 7).align();
  const Bytes first = stored(text("abc"));
  out.bad("orc_zlib", "copy_into_chunk_before", join({first, packed(lone.data())}), "bad_distance", 8 * (first.size() + 3) + 15);
}

void snappy(Writer& out) {
  // Nine bytes: "abc", then six bytes from 3 back.
  const Bytes body = {9, 2 << 2, 'a', 'b', 'c', 2 << 2 | 1, 3};
  framing(out, "orc_snappy", body, *control_compress("snappy_raw", prose(), 0));
  out.bad("orc_snappy", "too_little", packed({10, 2 << 2, 'a', 'b', 'c'}), "output_short", 24 + 40);
  const Bytes first = stored(text("abc"));
  out.bad("orc_snappy", "copy_into_chunk_before", join({first, packed({6, 2 << 2 | 1, 3})}), "bad_distance",
          8 * (first.size() + 3) + 24);
}

void lz4(Writer& out) {
  // "abc", then six bytes from 3 back, and no literals at the end: readable, though no encoder ends so early.
  const Bytes body = {3 << 4 | 2, 'a', 'b', 'c', 3, 0, 0};
  framing(out, "orc_lz4", body, *control_compress("lz4_block", prose(), 0));
  const Bytes no_distance = join({{3 << 4, 'a', 'b', 'c', 0, 0, 12 << 4}, text("last literal")});
  out.bad("orc_lz4", "distance_0", packed(no_distance), "bad_distance", 24 + 48);
  out.bad("orc_lz4", "ends_after_copy", packed({3 << 4 | 2, 'a', 'b', 'c', 3, 0}), "end_of_input", 24 + 48);
  const Bytes first = stored(text("abc"));
  out.bad("orc_lz4", "copy_into_chunk_before", join({first, packed({2, 3, 0, 0})}), "bad_distance", 8 * (first.size() + 3) + 24);
}

void zstd(Writer& out) {
  // A frame without its content's size: a block of "abc", which is not the last, then 6 bytes from 3 back under codes of one symbol.
  const Bytes magic = little(0xfd2fb528, 4), repeat = {0x00, 1, 0x54, 0, 2, 3, 0x06};
  const auto block = [](unsigned kind, std::size_t size, bool last) { return little(size << 3 | kind << 1 | (last ? 1 : 0), 3); };
  const Bytes body = join({magic, {0, 0}, block(0, 3, false), text("abc"), block(2, repeat.size(), true), repeat});
  framing(out, "orc_zstd", body, *control_compress("zstd", prose(), 3));
  out.bad("orc_zstd", "byte_after_frame", packed(join({body, {0}})), "end_of_input", 24 + 8 * body.size());
  const Bytes first = stored(text("abc")), lone = join({magic, {0, 0}, block(2, repeat.size(), true), repeat});
  // The copy comes when the stream has been read down to its first bit.
  out.bad("orc_zstd", "copy_into_chunk_before", join({first, packed(lone)}), "bad_distance", 8 * (first.size() + 3 + lone.size() - 1));
}

}  // namespace

void make_orc_chunks(Writer& writer) {
  zlib(writer);
  snappy(writer);
  lz4(writer);
  zstd(writer);
}

}  // namespace sluice::test::vectors
