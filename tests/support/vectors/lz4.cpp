// Vectors of the LZ4 block format (lz4_Block_format.md) and frame format 1.6 (lz4_Frame_format.md), by hand; the ones
// called liblz4 are written by it.
#include <lz4.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/support/control.h"
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

std::uint64_t bits(const Bytes& data) { return 8 * data.size(); }

Bytes token(unsigned literals, unsigned copy) { return {static_cast<std::uint8_t>(literals << 4 | (copy - 4))}; }

std::uint32_t hash(const Bytes& data) { return XXH32(data.data(), data.size(), 0); }

Bytes repeat(const Bytes& what, std::size_t times) {
  Bytes out;
  for (std::size_t i = 0; i < times; ++i) out.insert(out.end(), what.begin(), what.end());
  return out;
}

// "abcdefgh", then 9 bytes from 4 back, then the last literals.
Bytes small_block() {
  return join({token(8, 9), text("abcdefgh"), little(4, 2), token(12, 4), text("last literal")});
}
Bytes small_output() { return text("abcdefghefghefghelast literal"); }

Bytes descriptor(const Bytes& fields) {
  return join({little(0x184d2204, 4), fields, {static_cast<std::uint8_t>(hash(fields) >> 8)}});
}

Bytes data_block(const Bytes& block) { return join({little(block.size(), 4), block}); }
Bytes plain_block(const Bytes& raw) { return join({little(raw.size() | 0x80000000u, 4), raw}); }

const Bytes kEnd = little(0, 4);

// FLG: version 01, independent, block checksum, content size, content checksum, reserved, dictionary id. BD: 64 KiB.
constexpr std::uint8_t kVersion = 0x40, kIndependent = 0x20, kBlockSum = 0x10, kSize = 8, kSum = 4, kDictionary = 1;
constexpr std::uint8_t k64K = 0x40;

void frame_descriptors(Writer& out) {
  const Bytes block = data_block(small_block());
  const auto bad_fields = [&](const std::string& name, std::uint8_t flags, std::uint8_t sizes, const std::string& reason,
                              std::uint64_t position) {
    out.bad("lz4_frame", name, join({descriptor({flags, sizes}), block, kEnd}), reason, position);
  };
  bad_fields("version_2", 0x80 | kIndependent, k64K, "unknown_version", 40);
  bad_fields("reserved_flag", kVersion | 2, k64K, "reserved_bit", 40);
  bad_fields("reserved_size_bit", kVersion, k64K | 1, "reserved_bit", 48);
  bad_fields("block_size_code_3", kVersion, 0x30, "bad_block_size", 48);
  Bytes wrong = join({descriptor({kVersion | kIndependent, k64K}), block, kEnd});
  wrong[6] ^= 1;
  out.bad("lz4_frame", "header_checksum_wrong", wrong, "bad_header_checksum", 56);
  out.bad("lz4_frame", "magic_wrong", little(0x184d2205, 4), "bad_magic", 32);
  out.bad("lz4_frame", "magic_cut", {0x04, 0x22}, "end_of_input", 0);
}

void frame_bodies(Writer& out) {
  const Bytes plain = descriptor({kVersion | kIndependent, k64K});
  const Bytes block = data_block(small_block());
  const Bytes raw = small_output();
  out.good("lz4_frame", "no_input", {}, {});
  out.good("lz4_frame", "liblz4_prose", *control_compress("lz4_frame", prose(), 0), prose());
  out.good("lz4_frame", "plain", join({plain, block, plain_block(text("uncompressed")), kEnd}),
           join({raw, text("uncompressed")}));
  out.good("lz4_frame", "every_field",
           join({descriptor(join({{kVersion | kBlockSum | kSize | kSum | kDictionary, k64K}, little(raw.size(), 8), little(7, 4)})),
                 block, little(hash(small_block()), 4), kEnd, little(hash(raw), 4)}),
           raw);
  // The second block copies from the first: 8 bytes from 17 back.
  const Bytes linked = join({token(0, 8), little(raw.size(), 2), token(12, 4), text("second block")});
  out.good("lz4_frame", "linked_blocks", join({descriptor({kVersion, k64K}), block, data_block(linked), kEnd}),
           join({raw, text("abcdefgh"), text("second block")}));
  out.bad("lz4_frame", "independent_blocks_linked", join({plain, block, data_block(linked), kEnd}), "bad_distance",
          bits(join({plain, block})) + 32 + 24);
  out.good("lz4_frame", "skippable_legacy_frame",
           join({little(0x184d2a57, 4), little(3, 4), text("abc"), little(0x184c2102, 4), block, block, plain, block, kEnd}),
           repeat(raw, 3));
  out.bad("lz4_frame", "skippable_cut", join({little(0x184d2a50, 4), little(9, 4), text("abc")}), "end_of_input", 64);
  out.bad("lz4_frame", "no_end_mark", join({plain, block}), "end_of_input", bits(join({plain, block})));
  out.bad("lz4_frame", "block_too_large", join({plain, little(65537, 4)}), "block_too_large", bits(plain) + 32);
  out.bad("lz4_frame", "block_cut", join({plain, little(9, 4), text("abc")}), "end_of_input", bits(plain) + 32);
  const Bytes summed = descriptor({kVersion | kIndependent | kBlockSum, k64K});
  out.bad("lz4_frame", "block_checksum_wrong", join({summed, block, little(1, 4), kEnd}), "bad_block_checksum",
          bits(join({summed, block})) + 32);
  const Bytes whole = descriptor({kVersion | kIndependent | kSum, k64K});
  out.bad("lz4_frame", "content_checksum_wrong", join({whole, block, kEnd, little(1, 4)}), "bad_content_checksum",
          bits(join({whole, block, kEnd})) + 32);
  const Bytes sized = descriptor(join({{kVersion | kIndependent | kSize, k64K}, little(raw.size() + 1, 8)}));
  out.bad("lz4_frame", "content_size_wrong", join({sized, block, kEnd}), "bad_content_size", bits(join({sized, block, kEnd})));
  // After a frame: the lz4 program takes what starts no frame for garbage, and fewer than four bytes for a cut magic.
  const Bytes frame = join({plain, block, kEnd}), legacy = join({little(0x184c2102, 4), block});
  const Writer::Extra strict{"ignore_garbage=false", {}};
  out.good("lz4_frame", "garbage_ignored", join({frame, text("garbage")}), raw);
  out.good("lz4_frame", "garbage_after_skippable", join({little(0x184d2a50, 4), little(3, 4), text("abcgarbage")}), {});
  out.good("lz4_frame", "garbage_after_legacy", join({legacy, text("garbage")}), raw);
  out.bad("lz4_frame", "three_bytes_of_garbage", join({frame, text("abc")}), "end_of_input", bits(frame));
  out.bad("lz4_frame", "legacy_size_is_no_garbage", join({legacy, little(8421520, 4), text("abc")}), "end_of_input",
          bits(legacy) + 32);
  out.bad("lz4_frame", "strict_garbage", join({frame, text("garbage")}), "bad_magic", bits(frame) + 32, strict);
  out.bad("lz4_frame", "strict_garbage_after_legacy", join({legacy, text("garbage")}), "end_of_input", bits(legacy) + 32,
          strict);
  out.good("lz4_frame", "strict_two_frames", join({frame, legacy, frame}), repeat(raw, 3), strict);
  const Bytes short_end = join({token(8, 9), text("abcdefgh"), little(4, 2), token(1, 4), text("z")});
  out.good("lz4_frame", "last_literals_short", join({plain, data_block(short_end), kEnd}), text("abcdefghefghefghez"));
  // With a dictionary: "dictionary" is 10 bytes; copy all of it and go on.
  const Bytes preset = join({token(0, 10), little(10, 2), token(12, 4), text("second block")});
  out.good("lz4_frame", "dictionary", join({plain, data_block(preset), data_block(preset), kEnd}),
           repeat(text("dictionarysecond block"), 2), {"", text("dictionary")});
}

}  // namespace

void make_lz4_block(Writer& out) {
  out.good("lz4_block", "empty", {0}, {});
  out.good("lz4_block", "literals_extended", join({{0xf0, 3}, text("eighteen literals!")}), text("eighteen literals!"));
  out.good("lz4_block", "small", small_block(), small_output());
  out.good("lz4_block", "liblz4_prose", *control_compress("lz4_block", prose(), 0), prose());
  // Distances 1, 2 and 3 with lengths that need 0, 1 and 2 extension bytes.
  out.good("lz4_block", "overlaps_1_2_3",
           join({token(1, 18), text("a"), little(1, 2), token(2, 19), text("bc"), little(2, 2), {0}, {0x3f}, text("def"),
                 little(3, 2), {255, 11}, token(12, 4), text("last literal")}),
           join({repeat(text("a"), 19), text("bc"), repeat(text("bc"), 9), text("b"), text("def"), repeat(text("def"), 95),
                 text("last literal")}));
  const Bytes preset = join({token(0, 10), little(10, 2), token(12, 4), text("last literal")});
  out.good("lz4_block", "dictionary", preset, text("dictionarylast literal"), {"", text("dictionary")});
  // The dictionary's end and the block's start are one: 14 bytes from 6 back with 4 made.
  out.good("lz4_block", "dictionary_straddled", join({token(4, 14), text("1234"), little(6, 2), token(12, 4), text("last literal")}),
           text("1234" "ry1234ry1234ry" "last literal"), {"", text("dictionary")});
  out.good("lz4_block", "last_literals_short", join({token(8, 9), text("abcdefgh"), little(4, 2), token(1, 4), text("z")}),
           text("abcdefghefghefghez"));
  out.bad("lz4_block", "no_input", {}, "end_of_input", 0);
  out.bad("lz4_block", "distance_0", join({token(8, 9), text("abcdefgh"), little(0, 2), token(12, 4), text("last literal")}),
          "bad_distance", 88);
  out.bad("lz4_block", "distance_before_start",
          join({token(8, 9), text("abcdefgh"), little(9, 2), token(12, 4), text("last literal")}), "bad_distance", 88);
  out.bad("lz4_block", "dictionary_too_short", preset, "bad_distance", 24, {"", text("ictionary")});
  out.bad("lz4_block", "literals_cut", join({token(9, 4), text("abc")}), "end_of_input", 32);
  out.bad("lz4_block", "extension_cut", {0xf0, 255, 255}, "end_of_input", 24);
  out.bad("lz4_block", "ends_after_copy", join({token(8, 9), text("abcdefgh"), little(4, 2)}), "end_of_input", 88);
  out.bad("lz4_block", "distance_cut", join({token(8, 9), text("abcdefgh"), {4}}), "end_of_input", 72);
}

void make_lz4_frame(Writer& writer) {
  frame_descriptors(writer);
  frame_bodies(writer);
}

}  // namespace sluice::test::vectors
