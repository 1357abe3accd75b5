// Vectors of Zstandard frames (RFC 8878), by hand; the ones called libzstd are written by it.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

#include "tests/support/control.h"
#include "tests/support/vectors/backward.h"
#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {
namespace {

std::uint64_t bits(const Bytes& data) { return 8 * data.size(); }

const Bytes kMagic = little(0xfd2fb528, 4);

// Frame_Header_Descriptor: a single segment, a checksum, a reserved bit; the form of the content's size in the top bits.
constexpr std::uint8_t kSingle = 0x20, kChecksum = 4, kReserved = 8, kSize2 = 0x40, kSize4 = 0x80, kSize8 = 0xc0;
constexpr std::uint8_t kWindow1K = 0;  // Window_Descriptor of 1 KiB

Bytes frame(const Bytes& blocks) { return join({kMagic, {0, kWindow1K}, blocks}); }

enum Kind : std::uint8_t { kRaw = 0, kRle = 1, kCompressed = 2, kReservedKind = 3 };

Bytes block(Kind kind, const Bytes& content, std::size_t size, bool last = true) {
  return join({little(size << 3 | kind << 1 | (last ? 1 : 0), 3), content});
}
Bytes raw_block(const Bytes& content, bool last = true) { return block(kRaw, content, content.size(), last); }
Bytes compressed(const std::vector<Bytes>& parts, bool last = true) {
  Bytes content;
  for (const Bytes& part : parts) content.insert(content.end(), part.begin(), part.end());
  return block(kCompressed, content, content.size(), last);
}

// Literals as they are, up to 31 of them, and one byte repeated.
Bytes raw_literals(const Bytes& literals) { return join({{static_cast<std::uint8_t>(literals.size() << 3)}, literals}); }
Bytes rle_literals(char value, std::size_t count) {
  return {static_cast<std::uint8_t>(count << 3 | 1), static_cast<std::uint8_t>(value)};
}
const Bytes kNoSequences = {0};

constexpr std::uint64_t kEndOfThatStream = 344;

// A frame that libzstd 1.5.4 wrote, damaged: the code of its weights has counts for thirteen of them, and codes of literals are no
// longer than 11 bits.
const Bytes kThirteenWeights = {
    0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x82, 0x00, 0xa5, 0x03, 0x00, 0x26, 0x18, 0x1c, 0x06, 0xc0, 0x1e, 0x65, 0x25,
    0xc1, 0x3a, 0x19, 0x00, 0x19, 0x00, 0x19, 0x00, 0x24, 0xea, 0xb9, 0xb3, 0x7b, 0x67, 0x59, 0xfc, 0x8e, 0x8f,
    0x89, 0x3c, 0x2f, 0xac, 0xe8, 0x73, 0x12, 0xe5, 0x64, 0x16, 0xfc, 0x6b, 0xe8, 0xf8, 0x05, 0x8a, 0x9d, 0xae,
    0xf6, 0x61, 0x8f, 0xde, 0xed, 0x00, 0xf8, 0x95, 0x51, 0x01, 0x6c, 0xb4, 0x77, 0x64, 0xdb, 0x54, 0xd8, 0x51,
    0x4f, 0xcd, 0xfa, 0x04, 0x6f, 0x72, 0x65, 0x81, 0xee, 0xfe, 0x92, 0x6a, 0x4c, 0x84, 0x17, 0xf7, 0x08, 0x03,
    0x4d, 0x20, 0x3c, 0x8d, 0xa6, 0x27, 0x6f, 0x8a, 0x47, 0xae, 0x07, 0xea, 0x8a, 0x4a, 0x00, 0xde, 0x73, 0xf5,
    0xe8, 0xff, 0xa4, 0xb0, 0xc4, 0x49, 0x7d, 0xb1, 0x54, 0x03, 0x32, 0x47, 0xe1, 0x8c, 0xbd, 0xc3, 0x5b, 0x00};
constexpr std::uint64_t kThirteenthWeight = 148;

// States of the predefined codes (RFC 8878, appendix A): the number of one that means the length or offset code.
constexpr unsigned kLiterals0 = 0, kLiterals1 = 2, kLiterals3 = 3;
constexpr unsigned kOffset0 = 0, kOffset1 = 23, kOffset2 = 14, kOffset3 = 5;
constexpr unsigned kMatch3 = 0, kMatch6 = 3;
constexpr std::uint8_t kPredefined = 0, kRleModes = 0x54, kRepeatModes = 0xfc;

Bytes one_sequence(std::uint8_t modes, const Backward& stream) { return join({{1, modes}, stream.data()}); }
Backward start(unsigned literals, unsigned offset, unsigned match) {
  return Backward().take(literals, 6).take(offset, 5).take(match, 6);
}

// "abc", and 6 bytes from 3 back: the offset is written as 3 more, 4 and two bits for the rest.
Bytes three_and_six() { return one_sequence(kPredefined, start(kLiterals3, kOffset2, kMatch6).take(2, 2)); }

void frames(Writer& out) {
  const Bytes abc = raw_block(text("abc"));
  out.good("zstd", "no_input", {}, {});
  out.good("zstd", "raw_block", frame(abc), text("abc"));
  out.good("zstd", "rle_block", frame(block(kRle, text("z"), 70)), Bytes(70, 'z'));
  out.good("zstd", "empty_block", frame(raw_block({})), {});
  out.good("zstd", "three_blocks", frame(join({raw_block(text("a"), false), block(kRle, text("b"), 3, false), raw_block(text("c"))})),
           text("abbbc"));
  out.good("zstd", "skippable_frames", join({little(0x184d2a50, 4), little(2, 4), text("??"), frame(abc), little(0x184d2a5f, 4),
           little(0, 4), frame(abc)}), text("abcabc"));
  out.good("zstd", "size_of_a_byte", join({kMagic, {kSingle, 3}, abc}), text("abc"));
  out.good("zstd", "size_of_two_bytes", join({kMagic, {kSize2 | kSingle}, little(300 - 256, 2), block(kRle, text("r"), 300)}), Bytes(300, 'r'));
  out.good("zstd", "size_of_four_bytes", join({kMagic, {kSize4, kWindow1K}, little(3, 4), abc}), text("abc"));
  out.good("zstd", "size_of_eight_bytes", join({kMagic, {kSize8, kWindow1K}, little(3, 8), abc}), text("abc"));
  const auto sum = static_cast<std::uint32_t>(XXH64("abc", 3, 0));
  out.good("zstd", "checksum", join({kMagic, {kChecksum, kWindow1K}, abc, little(sum, 4)}), text("abc"));
  const Bytes wrong = join({kMagic, {kChecksum, kWindow1K}, abc, little(sum ^ 1, 4)});
  out.bad("zstd", "checksum_wrong", wrong, "bad_checksum", bits(wrong));
  out.bad("zstd", "magic_wrong", little(0xfd2fb529, 4), "bad_magic", 32);
  out.bad("zstd", "magic_cut", {0x28, 0xb5}, "end_of_input", 0);
  out.bad("zstd", "skippable_cut", join({little(0x184d2a50, 4), little(3, 4), text("??")}), "end_of_input", 64);
  out.bad("zstd", "reserved_header_bit", join({kMagic, {kReserved, kWindow1K}, abc}), "reserved_bits", 40);
  out.bad("zstd", "dictionary_wanted", join({kMagic, {1, kWindow1K, 7}, abc}), "dictionary_needed", 56);
  // A window of 144 MiB, which is the first above the limit, and content of 2^60 bytes in a single segment.
  out.bad("zstd", "window_too_large", join({kMagic, {0, 17 << 3 | 1}, abc}), "window_too_large", 48);
  out.bad("zstd", "content_too_large", join({kMagic, {kSize8 | kSingle}, little(1ULL << 60, 8), abc}), "window_too_large", 104);
  out.bad("zstd", "content_too_short", join({kMagic, {kSingle, 4}, abc}), "bad_content_size", bits(join({kMagic, {0, 0}, abc})));
  const Bytes empty_last = join({kMagic, {kSingle, 4}, raw_block(text("abc"), false), raw_block({})});
  out.bad("zstd", "content_too_short_for_empty_block", empty_last, "bad_content_size", bits(empty_last));
  out.bad("zstd", "compressed_block_of_nothing", frame(block(kCompressed, {}, 0)), "end_of_input", 72);
  out.bad("zstd", "block_larger_than_content", join({kMagic, {kSingle, 2}, abc}), "block_too_large", 72);
  out.bad("zstd", "rle_larger_than_window", frame(block(kRle, text("z"), 1025)), "block_too_large", 72);
  out.bad("zstd", "run_in_no_content", join({kMagic, {kSingle, 0}, block(kRle, text("z"), 0)}), "block_too_large", 72);
  out.good("zstd", "run_of_nothing", frame(block(kRle, text("z"), 0)), {});
  out.bad("zstd", "reserved_block", frame(block(kReservedKind, {}, 0)), "reserved_block", 72);
  out.bad("zstd", "no_last_block", frame(raw_block(text("abc"), false)), "end_of_input", bits(frame(abc)));
}

void literals(Writer& out) {
  out.good("zstd", "raw_literals", frame(compressed({raw_literals(text("abc")), kNoSequences})), text("abc"));
  out.good("zstd", "rle_literals", frame(compressed({rle_literals('x', 30), kNoSequences})), Bytes(30, 'x'));
  // Weights 1 and 1 of 'a' and 'b' after 97 symbols without a code, each in four bits: a is 0, b is 1.
  Bytes weights(1 + 49, 0);
  weights[0] = 127 + 98;
  weights[49] = 0x01;
  const auto header = [](std::size_t count, std::size_t size) { return little(2 | count << 4 | size << 14, 3); };
  const auto coded = [&](const Bytes& stream) { return join({header(5, weights.size() + stream.size()), weights, stream}); };
  const Bytes ab = Backward().take(0b01101, 5).data();
  out.good("zstd", "weights_of_four_bits", frame(compressed({coded(ab), kNoSequences})), text("abbab"));
  const Bytes treeless = join({little(3 | 5 << 4 | ab.size() << 14, 3), ab});
  out.good("zstd", "same_code_again", frame(join({compressed({coded(ab), kNoSequences}, false), compressed({treeless, kNoSequences})})),
           text("abbababbab"));
  const std::uint64_t content = bits(frame(little(0, 3)));
  out.bad("zstd", "no_code_before", frame(compressed({treeless, kNoSequences})), "no_code_before", content + 24);
  const std::uint64_t stream = content + 24 + bits(weights);
  out.bad("zstd", "literals_left", frame(compressed({coded(Backward().take(0b011010, 6).data()), kNoSequences})), "output_full", stream);
  out.bad("zstd", "literals_cut", frame(compressed({coded(Backward().take(0b0110, 4).data()), kNoSequences})), "output_short", stream + 8);
  out.bad("zstd", "no_padding", frame(compressed({coded({0}), kNoSequences})), "bad_padding", stream + 8);
  out.bad("zstd", "no_padding_of_four_streams", kStreamWithoutPadding, "bad_padding", kEndOfThatStream);
  // More than a block holds: as they are, in 20 bits, and coded, in 18.
  constexpr std::uint64_t kTooMany = 131073;
  out.bad("zstd", "raw_literals_too_many", frame(compressed({little(3 << 2 | kTooMany << 4, 3)})), "too_many_literals", content + 24);
  out.bad("zstd", "coded_literals_too_many", frame(compressed({little(2 | 3 << 2 | kTooMany << 4 | 9ULL << 22, 5)})), "too_many_literals",
          content + 40);
  // Four streams: of five literals, and of more bytes than there are.
  const auto four = [&](std::size_t count, const Bytes& sizes) {
    return frame(compressed({little(2 | 1 << 2 | count << 4 | (weights.size() + sizes.size()) << 14, 3), weights, sizes}));
  };
  out.bad("zstd", "four_streams_of_five", four(5, {1, 0, 1, 0, 1, 0, 1, 1, 1, 1}), "too_few_literals", stream);
  out.bad("zstd", "four_streams_too_large", four(6, {1, 0, 1, 0, 3, 0, 1, 1, 1, 1}), "bad_stream_sizes", stream + 48);
  // All 32 states of the weights' code mean 0 and take no bits: they never end.
  const Bytes endless = join({{4}, little(31 << 4 | 1 << 9, 2), Backward().take(0, 10).data()});
  out.bad("zstd", "counts_of_thirteen_weights", kThirteenWeights, "too_many_symbols", kThirteenthWeight);
  out.bad("zstd", "weights_without_end", frame(compressed({header(5, endless.size()), endless})), "too_many_weights", content + 48);
  weights[49] = 0x02;  // the sum of the weights leaves 2 of 4: no symbol has the longest code's length twice
  out.bad("zstd", "no_pair_of_longest_codes", frame(compressed({coded(ab), kNoSequences})), "bad_weights", stream);
  weights[49] = 0x0c;
  out.bad("zstd", "weight_12", frame(compressed({coded(ab), kNoSequences})), "bad_weight", stream);
  weights[49] = 0;
  out.bad("zstd", "no_weights", frame(compressed({coded(ab), kNoSequences})), "bad_weights", stream);
}

// A dictionary of tables: of literals a is 0 and b is 1, and each state code has one symbol, 0, in 32 states of no bits: no literals,
// the last offset, a copy of 3.
struct Dictionary {
  std::uint8_t weight = 0x01;  // two of the code's weights
  std::vector<std::uint32_t> offsets{5, 7, 9};
  std::string content = "0123456789";

  [[nodiscard]] Bytes data() const {
    Bytes weights(1 + 49, 0);
    weights[0] = 127 + 98;
    weights[49] = weight;
    const Bytes states = little(31 << 4 | 1 << 9, 2);
    return join({little(0xec30a437, 4), little(77, 4), weights, states, states, states, little(offsets[0], 4), little(offsets[1], 4),
                 little(offsets[2], 4), text(content)});
  }
};

void dictionaries(Writer& out) {
  const Bytes ab = Backward().take(0b01101, 5).data();
  const Bytes last_codes = compressed({join({little(3 | 5 << 4 | ab.size() << 14, 3), ab}),  // literals, and one sequence
                                       join({{1, kRepeatModes}, Backward().take(0, 15).data()})});
  const auto named = [&](std::uint8_t id) { return join({kMagic, {1, kWindow1K, id}, last_codes}); };
  const std::uint64_t at = bits(join({kMagic, {1, kWindow1K, 77}}));
  // Without literals the last offset means the one before it, 7.
  out.good("zstd", "dictionary", named(77), text("345abbab"), {"", Dictionary().data()});
  out.good("zstd", "dictionary_not_named", frame(last_codes), text("345abbab"), {"", Dictionary().data()});
  out.good("zstd", "dictionary_twice", join({named(77), frame(last_codes)}), text("345abbab345abbab"), {"", Dictionary().data()});
  out.bad("zstd", "dictionary_other", named(78), "dictionary_needed", at, {"", Dictionary().data()});
  out.bad("zstd", "dictionary_raw_named", named(77), "dictionary_needed", at, {"", text("0123456789")});
  // What is wrong in a dictionary is told with the place there, by rules that read blocks, too.
  const Bytes whole = Dictionary().data();
  constexpr std::uint64_t kStates = 8 * 58, kOffsets = 8 * 64, kContent = 8 * 76;
  out.bad_dictionary("zstd", "dictionary_cut", named(77), "end_of_input", kOffsets, Bytes(whole.begin(), whole.begin() + 66));
  out.bad_dictionary("zstd", "dictionary_weight_12", named(77), "bad_weight", kStates, Dictionary{0x0c}.data());
  Bytes large = whole;
  large[58] |= 15;
  out.bad_dictionary("zstd", "dictionary_too_many_states", named(77), "state_code_too_large", kStates + 4, large);
  out.bad_dictionary("zstd", "dictionary_offset_0", named(77), "bad_dictionary_offset", kContent, Dictionary{0x01, {5, 0, 9}}.data());
  out.bad_dictionary("zstd", "dictionary_offset_too_far", named(77), "bad_dictionary_offset", kContent, Dictionary{0x01, {5, 7, 11}}.data());
  // "abc", and a copy of 6 from 4 and 5 back: what comes before the content is out of reach.
  const auto reach = [&](unsigned code, unsigned bits, unsigned count) {
    return frame(compressed({raw_literals(text("abc")), one_sequence(kPredefined, start(kLiterals3, code, kMatch6).take(bits, count))}));
  };
  const Bytes near = reach(kOffset2, 3, 2), far = reach(kOffset3, 0, 3);
  out.good("zstd", "dictionary_raw", near, text("abcZabcZa"), {"", text("the content is as it is: Z")});
  out.good("zstd", "dictionary_of_a_byte", near, text("abcZabcZa"), {"", text("Z")});
  out.good("zstd", "dictionary_reached", near, text("abcZabcZa"), {"", Dictionary{0x01, {1, 1, 1}, "Z"}.data()});
  out.bad("zstd", "dictionary_not_reached", far, "bad_distance", bits(far) - 24, {"", Dictionary{0x01, {1, 1, 1}, "Z"}.data()});
  out.good("zstd", "libzstd_dictionary", zstd_compress(prose(), 19, prose()).value(), prose(), {"", prose()});
}

void sequences(Writer& out) {
  const auto lone = [](const Bytes& text, const Bytes& sequence) { return frame(compressed({raw_literals(text), sequence})); };
  out.good("zstd", "one_sequence", lone(text("abc"), three_and_six()), text("abcabcabc"));
  out.good("zstd", "literals_behind", lone(text("abcd"), three_and_six()), text("abcabcabcd"));
  // The first three offsets are 1, 4 and 8. Without literals 1 means the second of them, 2 the third, 3 one less than the first.
  const Bytes before = text("12345678");
  const auto recent = [&](unsigned literals, unsigned code, unsigned bit) {
    const Bytes stream = one_sequence(kPredefined, start(literals, code, kMatch3).take(bit, code == kOffset1 ? 1 : 0));
    return frame(join({raw_block(before, false), compressed({raw_literals(literals == kLiterals0 ? Bytes{} : text("9")), stream})}));
  };
  out.good("zstd", "offset_1_of_1", recent(kLiterals1, kOffset0, 0), text("123456789999"));
  out.good("zstd", "offset_2_of_4", recent(kLiterals1, kOffset1, 0), text("123456789678"));
  out.good("zstd", "offset_3_of_8", recent(kLiterals1, kOffset1, 1), text("123456789234"));
  out.good("zstd", "offset_1_without_literals", recent(kLiterals0, kOffset0, 0), text("12345678567"));
  out.good("zstd", "offset_2_without_literals", recent(kLiterals0, kOffset1, 0), text("12345678123"));
  const Bytes zero = recent(kLiterals0, kOffset1, 1);
  out.bad("zstd", "offset_0", zero, "zero_offset", bits(zero) - 24);
  // Codes of one symbol: three literals, an offset of 4 + 2 - 3, a length of 6. The stream holds the offset's bits alone.
  const Bytes single = join({{1, kRleModes, 3, 2, 3}, Backward().take(2, 2).data()});
  out.good("zstd", "codes_of_one_symbol", lone(text("abc"), single), text("abcabcabc"));
  const Bytes again = join({{1, kRepeatModes}, Backward().take(2, 2).data()});
  out.good("zstd", "same_codes_again", frame(join({compressed({raw_literals(text("abc")), single}, false),
           compressed({raw_literals(text("def")), again})})), text("abcabcabcdefdefdef"));
  const std::uint64_t modes = bits(lone(text("abc"), {}));
  out.bad("zstd", "no_state_code_before", lone(text("abc"), again), "no_state_code_before", modes + 16);
  out.bad("zstd", "reserved_mode_bits", lone(text("abc"), one_sequence(1, start(kLiterals3, kOffset2, kMatch6).take(2, 2))), "reserved_bits", modes + 16);
  out.bad("zstd", "no_such_symbol", lone(text("abc"), {1, kRleModes, 36}), "too_many_symbols", modes + 24);
  out.bad("zstd", "state_code_too_large", lone(text("abc"), {1, 0x80, 5, 0}), "state_code_too_large", modes + 20);
  const Bytes few = lone(text("ab"), three_and_six());
  out.bad("zstd", "literals_too_few", few, "out_of_range", bits(few) - 24);
  const Bytes far = lone(text("abc"), one_sequence(kPredefined, start(kLiterals3, kOffset2, kMatch6).take(3, 2)));
  out.bad("zstd", "offset_before_start", far, "bad_distance", bits(far) - 24);
  const Bytes left = lone(text("abc"), one_sequence(kPredefined, start(kLiterals3, kOffset2, kMatch6).take(2, 2).take(0, 1)));
  out.bad("zstd", "sequence_bits_left", left, "bytes_left", bits(left) - 24 + 1);
  out.bad("zstd", "bytes_behind_no_sequences", lone(text("abc"), {0, 0}), "bytes_left", modes + 8);
  out.bad("zstd", "output_of_block_too_large", join({kMagic, {kSingle, 8}, compressed({rle_literals('x', 30), kNoSequences})}),
          "block_too_large", 72 + 24);
}

// Literals in four streams, long enough to be decoded side by side, that libzstd writes: where they lie in its frame.
struct FourStreams {
  Bytes frame, raw;
  std::size_t sizes = 0;                 // their three sizes
  std::array<std::size_t, 5> begin{};    // of each stream, and the end of the last

  FourStreams() {
    std::uint32_t state = 1;
    while (raw.size() < 3000) {
      state = state * 1664525 + 1013904223;
      raw.push_back(static_cast<std::uint8_t>('a' + (state >> 27) * (state >> 8 & 31) / 40));
    }
    frame = *control_compress("zstd", raw, 1);
    constexpr std::size_t kLiterals = 4 + 1 + 2 + 3, kTree = kLiterals + 4;  // behind the frame's header and the block's; 14 bits a size
    const std::size_t size = (frame[kLiterals + 2] >> 2 | frame[kLiterals + 3] << 6) & 0x3fff;
    sizes = kTree + 1 + frame[kTree];
    begin[0] = sizes + 6;
    for (std::size_t k = 0; k < 3; ++k) begin[k + 1] = begin[k] + frame[sizes + 2 * k] + 256U * frame[sizes + 2 * k + 1];
    begin[4] = kTree + size;
  }
  [[nodiscard]] std::uint64_t bit(std::size_t stream) const { return 8 * begin[stream]; }
  // With so much added to a byte.
  [[nodiscard]] Bytes with(std::size_t at, int more) const {
    Bytes changed = frame;
    changed[at] = static_cast<std::uint8_t>(changed[at] + more);
    return changed;
  }
};

// What is wrong is named as the streams come, one after the other, however many of them are decoded at a time.
void streams(Writer& out) {
  const FourStreams four;
  out.good("zstd", "four_streams", four.frame, four.raw);
  for (std::size_t k = 0; k < 4; ++k) {
    const std::string name = "four_streams_" + std::to_string(k + 1);
    Bytes no_padding = four.frame;
    no_padding[four.begin[k + 1] - 1] = 0;
    out.bad("zstd", name + "_without_padding", no_padding, "bad_padding", four.bit(k + 1));
    // In the first byte stands what is decoded last: there a bit is turned, and the last code is longer than what is left.
    Bytes tail = four.frame;
    tail[four.begin[k]] ^= 4;
    out.bad("zstd", name + "_with_another_tail", tail, "end_of_input", four.bit(k) + (k < 2 ? 1 : 2));
  }
  // Another size: the stream begins in another byte, at another bit of it, and comes to fewer or more symbols. A position in a stream
  // that is read from its end stands where the next bit ends.
  out.bad("zstd", "four_streams_3_cut", four.with(four.sizes + 4, -1), "output_short", four.bit(3) - 8);
  out.bad("zstd", "four_streams_3_longer", four.with(four.sizes + 4, 1), "output_full", four.bit(2) + 8);
}

// Numbers that are each alike some times in a row, as columns have them: of which a sequence is a byte or two and then what is alike.
Bytes column(unsigned width) {
  Bytes all;
  std::uint64_t value = 0x0102030405060708, random = 1;
  for (unsigned run = 0; run < 70; ++run) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    value += 1 + (random >> 40) % 900;
    for (std::uint64_t n = 1 + (random >> 33) % 6; n != 0; --n)
      for (unsigned k = 0; k < width; ++k) all.push_back(static_cast<std::uint8_t>(value >> 8 * k));
  }
  return all;
}

}  // namespace

void make_zstd(Writer& out) {
  frames(out);
  literals(out);
  streams(out);
  sequences(out);
  dictionaries(out);
  // What the library makes of more: Huffman codes with weights of their own, four streams, state codes.
  const Bytes twice = join({prose(), prose()});
  out.good("zstd", "libzstd_prose", *control_compress("zstd", prose(), 3), prose());
  out.good("zstd", "libzstd_twice", *control_compress("zstd", twice, 19), twice);
  Bytes numbers;
  for (unsigned i = 0; i < 400; ++i) numbers = join({numbers, text(std::to_string(i * i % 1009) + (i % 3 == 0 ? " of " : ", "))});
  for (const int level : {1, 19}) out.good("zstd", "libzstd_numbers_" + std::to_string(level), *control_compress("zstd", numbers, level), numbers);
  for (const unsigned width : {2u, 4u, 8u}) out.good("zstd", "libzstd_column_" + std::to_string(width), *control_compress("zstd", column(width), 3), column(width));
}

}  // namespace sluice::test::vectors
