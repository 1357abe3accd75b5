// Vectors of gzip (RFC 1952) and zlib (RFC 1950): headers by hand, bodies by zlib.
#include <zlib.h>

#include "tests/support/control.h"
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

std::uint32_t crc(const Bytes& data) {
  return static_cast<std::uint32_t>(crc32(0, data.data(), static_cast<uInt>(data.size())));
}

std::uint32_t adler(const Bytes& data) {
  return static_cast<std::uint32_t>(adler32(1, data.data(), static_cast<uInt>(data.size())));
}

Bytes body(const Bytes& raw) { return *control_compress("deflate", raw, 9); }

Bytes header(unsigned flags) {
  return join({{0x1f, 0x8b, 8, static_cast<std::uint8_t>(flags)}, little(0, 4), {0, 255}});
}

Bytes member(const Bytes& raw) { return join({header(0), body(raw), little(crc(raw), 4), little(raw.size(), 4)}); }

std::uint64_t bits(const Bytes& data) { return 8 * data.size(); }

void gzip_headers(Writer& out) {
  const Bytes raw = text("hello, hello, hello");
  const Bytes tail = join({body(raw), little(crc(raw), 4), little(raw.size(), 4)});
  const Bytes extra = join({little(4, 2), text("ab\x02z")});
  const Bytes named = join({header(1 | 2 | 4 | 8 | 16), extra, text("name"), {0}, text("comment"), {0}});
  out.good("gzip", "every_header_field", join({named, little(crc(named) & 0xffff, 2), tail}), raw);
  // Position of the checksum's `require`: after the two bytes.
  out.bad("gzip", "header_crc_wrong", join({named, little((crc(named) ^ 1) & 0xffff, 2), tail}), "bad_header_crc",
          bits(named) + 16);
  out.bad("gzip", "magic_wrong", join({{0x1f, 0x8c}, tail}), "bad_magic", 16);
  out.bad("gzip", "method_7", join({{0x1f, 0x8b, 7}, tail}), "unknown_method", 24);
  out.bad("gzip", "reserved_flag", join({header(0x20), tail}), "reserved_flag", 32);
  // A field that the input cuts: position of the field's first byte that is missing.
  out.bad("gzip", "name_unterminated", join({header(8), text("name")}), "end_of_input", bits(header(8)) + 32);
  // A skip is one field: position of its start.
  out.bad("gzip", "extra_cut", join({header(4), little(9, 2), text("abc")}), "end_of_input", bits(header(4)) + 16);
}

void gzip_members(Writer& out) {
  const Bytes first = text("first member, ");
  const Bytes second = text("second member");
  const Bytes one = member(first);
  out.good("gzip", "one_member", member(prose()), prose());
  out.good("gzip", "empty_member", member({}), {});
  out.good("gzip", "three_members_one_empty", join({one, member({}), member(second)}), join({first, second}));
  out.good("gzip", "garbage_ignored", join({one, text("\x1f not a member")}), first);
  out.good("gzip", "one_byte_of_garbage", join({one, {0x1f}}), first);
  const Writer::Extra strict{"ignore_garbage=false", {}};
  out.good("gzip", "strict_one_member", one, first, strict);
  out.bad("gzip", "strict_garbage", join({one, text("garbage")}), "bad_magic", bits(one) + 16, strict);
  out.bad("gzip", "second_member_cut", join({one, {0x1f, 0x8b}}), "end_of_input", bits(one) + 16);
  Bytes crc_wrong = one;
  crc_wrong[one.size() - 8] ^= 1;
  out.bad("gzip", "crc32_wrong", crc_wrong, "bad_crc32", bits(one) - 32);
  Bytes size_wrong = one;
  size_wrong[one.size() - 4] ^= 1;
  out.bad("gzip", "size_wrong", size_wrong, "bad_size", bits(one));
  out.bad("gzip", "trailer_cut", Bytes(one.begin(), one.end() - 3), "end_of_input", bits(one) - 32);
  // A copy must not reach into the member before.
  BitWriter w;
  w.bits(1, 1).bits(1, 2).code(1, 7).code(0, 5).code(0, 7);  // copy 3 from 1 back, end
  out.bad("gzip", "copy_into_member_before", join({one, header(0), w.data(), little(0, 8)}), "bad_distance",
          bits(one) + bits(header(0)) + 15);
}

Bytes with_dictionary(const Bytes& raw, const Bytes& dictionary) {
  z_stream stream{};
  deflateInit(&stream, 9);
  deflateSetDictionary(&stream, dictionary.data(), static_cast<uInt>(dictionary.size()));
  Bytes out(deflateBound(&stream, raw.size()) + 16);
  stream.next_in = const_cast<Bytef*>(raw.data());
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

void make_gzip(Writer& writer) {
  gzip_headers(writer);
  gzip_members(writer);
}

void make_zlib(Writer& out) {
  const Bytes raw = text("hello, hello, hello");
  const Bytes whole = *control_compress("zlib", raw, 6);
  out.good("zlib", "level6", whole, raw);
  out.good("zlib", "level9_prose", *control_compress("zlib", prose(), 9), prose());
  out.good("zlib", "empty", *control_compress("zlib", {}, 6), {});
  out.good("zlib", "smallest_window", join({{0x08, 0x1d}, body(raw), big(adler(raw), 4)}), raw);
  out.bad("zlib", "header_check_wrong", join({{0x78, 0x9d}, body(raw), big(adler(raw), 4)}), "bad_header_check", 16);
  out.bad("zlib", "method_7", join({{0x77, 0x09}, body(raw), big(adler(raw), 4)}), "unknown_method", 16);
  out.bad("zlib", "window_of_64k", join({{0x88, 0x1c}, body(raw), big(adler(raw), 4)}), "window_too_large", 16);
  Bytes adler_wrong = whole;
  adler_wrong.back() ^= 0x80;
  out.bad("zlib", "adler32_wrong", adler_wrong, "bad_adler32", bits(whole));
  out.bad("zlib", "adler32_cut", Bytes(whole.begin(), whole.end() - 1), "end_of_input", bits(whole) - 32);
  out.bad("zlib", "byte_after_end", join({whole, {0}}), "trailing_bytes", bits(whole));

  const Bytes dictionary = text("the gate is lifted; the water runs; hello, ");
  const Bytes preset = with_dictionary(prose(), dictionary);
  out.good("zlib", "dictionary", preset, prose(), {"", dictionary});
  out.bad("zlib", "dictionary_absent", preset, "dictionary_needed", 48);
  out.bad("zlib", "dictionary_other", preset, "wrong_dictionary", 48, {"", text("another dictionary")});
  // A dictionary that the stream does not ask for does not count as window.
  BitWriter w;
  w.bytes(Bytes{0x78, 0x9c}).bits(1, 1).bits(1, 2).code(1, 7).code(0, 5);
  const std::uint64_t at = w.position();
  w.code(0, 7).align();
  out.bad("zlib", "dictionary_not_asked_for", join({w.data(), big(1, 4)}), "bad_distance", at, {"", dictionary});
}

}  // namespace sluice::test::vectors
