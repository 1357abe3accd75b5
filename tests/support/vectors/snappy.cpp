// Vectors of raw Snappy (format_description.txt) and its framing (framing_format.txt), by hand but for "libsnappy".
#include "tests/support/control.h"
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

std::uint64_t bits(const Bytes& data) { return 8 * data.size(); }

Bytes literal(std::string_view characters) {
  return join({{static_cast<std::uint8_t>((characters.size() - 1) << 2)}, text(characters)});
}
// Copy with one byte of offset: length 4..11, distance below 2048.
Bytes copy1(unsigned length, unsigned distance) {
  return {static_cast<std::uint8_t>(1 | (length - 4) << 2 | (distance >> 8) << 5), static_cast<std::uint8_t>(distance)};
}
Bytes copy2(unsigned length, unsigned distance) {
  return join({{static_cast<std::uint8_t>(2 | (length - 1) << 2)}, little(distance, 2)});
}
Bytes copy4(unsigned length, std::uint32_t distance) {
  return join({{static_cast<std::uint8_t>(3 | (length - 1) << 2)}, little(distance, 4)});
}

Bytes chunk(unsigned kind, const Bytes& body) {
  return join({{static_cast<std::uint8_t>(kind)}, little(body.size(), 3), body});
}
Bytes checked(const Bytes& raw, const Bytes& body) {
  const std::uint32_t crc = crc32c(raw);
  return join({little(((crc >> 15) | (crc << 17)) + 0xa282ead8u, 4), body});
}

void raw_good(Writer& out) {
  out.good("snappy_raw", "empty", {0}, {});
  out.good("snappy_raw", "libsnappy_prose", *control_compress("snappy_raw", prose(), 0), prose());
  out.good("snappy_raw", "every_copy",
           join({{26}, literal("abcdefgh"), copy1(4, 8), copy2(9, 3), copy4(5, 1)}), text("abcdefghabcdbcdbcdbcdddddd"));
  const std::string sixty_one(61, 'x');
  out.good("snappy_raw", "literal_1_length_byte", join({{61, 60 << 2, 60}, text(sixty_one)}), text(sixty_one));
  out.good("snappy_raw", "literal_2_3_4_length_bytes",
           join({{3, 61 << 2}, little(0, 2), text("a"), {62 << 2}, little(0, 3), text("b"), {63 << 2}, little(0, 4), text("c")}),
           text("abc"));
  out.good("snappy_raw", "size_in_5_groups", join({{0x83, 0x80, 0x80, 0x80, 0}, literal("abc")}), text("abc"));
}

void raw_bad(Writer& out) {
  out.bad("snappy_raw", "no_input", {}, "end_of_input", 0);
  out.bad("snappy_raw", "size_cut", {0x80, 0x80}, "end_of_input", 0);
  out.bad("snappy_raw", "size_too_long", {0x80, 0x80, 0x80, 0x80, 0x80, 0}, "varint_too_long", 0);
  out.bad("snappy_raw", "size_past_32_bits", {0xff, 0xff, 0xff, 0xff, 0x1f}, "varint_too_long", 0);
  out.bad("snappy_raw", "too_little", join({{4}, literal("abc")}), "output_short", 40);
  // Only two fit the declared size: position of the literal that does not.
  out.bad("snappy_raw", "literals_too_many", join({{2}, literal("abc")}), "output_full", 32);
  out.bad("snappy_raw", "copy_too_long", join({{6}, literal("abc"), copy1(4, 3)}), "output_full", 56);
  out.bad("snappy_raw", "distance_0", join({{7}, literal("abc"), copy1(4, 0)}), "bad_distance", 56);
  out.bad("snappy_raw", "distance_before_start", join({{7}, literal("abc"), copy2(4, 4)}), "bad_distance", 64);
  out.bad("snappy_raw", "distance_of_32_bits", join({{7}, literal("abc"), copy4(4, 0xfffffffd)}), "bad_distance", 80);
  out.bad("snappy_raw", "literal_cut", join({{9, 8 << 2}, text("abc")}), "end_of_input", 40);
  out.bad("snappy_raw", "literal_of_4_gib", join({{1, 63 << 2}, little(0xffffffff, 4), text("abc")}), "output_full", 56);
  out.bad("snappy_raw", "literal_of_4_gib_alone", join({{0, 63 << 2}, little(0xffffffff, 4)}), "end_of_input", 48);
  out.bad("snappy_raw", "literal_of_4_gib_and_a_byte", join({{1, 63 << 2}, little(0xffffffff, 4), literal("t")}), "output_full", 56);
}

void framed(Writer& out) {
  const Bytes id = chunk(0xff, text("sNaPpY"));
  const Bytes raw = text("abcdefghabcdefgh");
  const Bytes packed = chunk(0, checked(raw, join({{16}, literal("abcdefgh"), copy1(8, 8)})));
  const Bytes stored = chunk(1, checked(text("stored"), text("stored")));
  out.good("snappy_framed", "identifier_only", id, {});
  out.good("snappy_framed", "every_chunk",
           join({id, packed, stored, chunk(0xfe, text("pad")), id, chunk(0x80, text("skip")), packed}),
           join({raw, text("stored"), raw}));
  out.good("snappy_framed", "libsnappy_prose", join({id, chunk(0, checked(prose(), *control_compress("snappy_raw", prose(), 0)))}),
           prose());
  out.bad("snappy_framed", "no_input", {}, "end_of_input", 0);
  out.bad("snappy_framed", "no_identifier", packed, "no_stream_identifier", 8);
  out.bad("snappy_framed", "identifier_wrong", chunk(0xff, text("sNaPpy")), "bad_stream_identifier", 80);
  out.bad("snappy_framed", "identifier_size_wrong", join({{0xff}, little(7, 3), text("sNaPpY1")}), "bad_stream_identifier", 32);
  out.bad("snappy_framed", "reserved_chunk", join({id, chunk(2, text("x"))}), "unskippable_chunk", bits(id) + 32);
  out.bad("snappy_framed", "no_room_for_checksum", join({id, chunk(1, {1, 2, 3})}), "chunk_too_small", bits(id) + 32);
  Bytes wrong = join({id, stored});
  wrong[id.size() + 4] ^= 1;
  out.bad("snappy_framed", "crc32c_wrong", wrong, "bad_crc32c", bits(wrong));
  out.bad("snappy_framed", "chunk_cut", join({id, {1}, little(99, 3), text("abcdefg")}), "end_of_input", bits(id) + 32);
  // The framing document wants an error; with the parameter, what is no chunk is left alone.
  const Writer::Extra lenient{"ignore_garbage=true", {}};
  out.good("snappy_framed", "lenient_garbage_ignored", join({id, stored, text("garbage")}), text("stored"), lenient);
  out.good("snappy_framed", "lenient_one_byte_of_garbage", join({id, stored, text("?")}), text("stored"), lenient);
  out.bad("snappy_framed", "lenient_chunk_cut", join({id, stored, {1, 9}}), "end_of_input", bits(join({id, stored})) + 8,
          lenient);
  out.bad("snappy_framed", "lenient_garbage_first", text("garbage"), "no_stream_identifier", 8, lenient);
  out.bad("snappy_framed", "garbage", join({id, stored, text("garbage")}), "unskippable_chunk",
          bits(join({id, stored})) + 32);
  // 65537 bytes from 3 KiB; the checksum is never looked at. Position: behind the chunk.
  Bytes large = join({{0x81, 0x80, 4}, literal("x")});
  for (unsigned i = 0; i < 65536 / 64; ++i) large = join({large, copy2(64, 1)});
  const Bytes too_large = join({id, chunk(0, join({little(0, 4), large}))});
  out.bad("snappy_framed", "chunk_of_65537", too_large, "chunk_too_large", bits(too_large));
  // A copy must not reach into the chunk before.
  const Bytes reaching = chunk(0, checked(text("abcdefgh"), join({{8}, copy1(8, 16)})));
  out.bad("snappy_framed", "copy_into_chunk_before", join({id, packed, reaching}), "bad_distance",
          bits(join({id, packed})) + 32 + 32 + 8 + 16);
}

}  // namespace

void make_snappy(Writer& writer) {
  raw_good(writer);
  raw_bad(writer);
  framed(writer);
}

}  // namespace sluice::test::vectors
