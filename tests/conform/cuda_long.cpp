#include "tests/conform/cuda_long.h"

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <lz4frame.h>
#include <snappy.h>
#include <zlib.h>

#include <algorithm>
#include <random>

#include "runtime/encode/encoder.h"
#include "tests/support/parquet.h"
#include "tests/support/vectors.h"

namespace sluice::test {
namespace {

constexpr std::size_t kPlain = 5000;

// Words that come again near and far, and stretches that don't compress.
Bytes plain() {
  std::mt19937_64 random(7);
  Bytes text;
  while (text.size() < kPlain) {
    const std::size_t n = 1 + random() % 40;
    if (text.size() > 100 && random() % 2) {
      std::size_t from = text.size() - 1 - random() % std::min<std::size_t>(text.size() - 1, random() % 3 ? 60 : 3000);
      for (std::size_t i = 0; i < n; ++i) text.push_back(text[from++]);
    } else {
      for (std::size_t i = 0; i < n; ++i) text.push_back(static_cast<std::uint8_t>(32 + random() % (n % 2 ? 90 : 12)));
    }
  }
  return text;
}

Bytes deflated(const Bytes& in, int window_bits, int level, int strategy) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, strategy), Z_OK);
  Bytes out(deflateBound(&stream, in.size()) + 64);
  stream.next_in = const_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// An LZ4 block of which every byte in the middle might begin a sequence of four bytes: whoever starts out of step stays so.
Bytes out_of_step(unsigned more) {
  constexpr unsigned kFar = 0x1111, kExtended = 15, kFull = 255, kSequences = 1500;
  const unsigned literals = kFar + 64 + more;
  Bytes block{0xf1};
  unsigned rest = literals - kExtended;
  for (; rest >= kFull; rest -= kFull) block.push_back(kFull);
  block.push_back(static_cast<std::uint8_t>(rest));
  for (unsigned i = 0; i < literals; ++i) block.push_back(static_cast<std::uint8_t>(i * 37 >> 2));
  block.insert(block.end(), 2 + 4 * kSequences, 0x11);
  block.insert(block.end(), {0x50, 1, 2, 3, 4, 5});
  return block;
}

// Byte RLE, every byte of which behind the literals might begin a token of two bytes; or every byte of its literals.
Bytes runs_out_of_step(unsigned more, bool literals) {
  constexpr unsigned kTokens = 1500, kMostLiterals = 128, kGroups = 12;
  Bytes stream{static_cast<std::uint8_t>(0u - (more + 1))};
  for (unsigned i = 0; i <= more; ++i) stream.push_back(9);
  if (!literals) {
    stream.insert(stream.end(), 2 * kTokens, 5);
    return stream;
  }
  for (unsigned i = 0; i < kGroups; ++i) {
    stream.push_back(static_cast<std::uint8_t>(0u - kMostLiterals));
    for (unsigned k = 0; k < kMostLiterals; ++k) stream.push_back(static_cast<std::uint8_t>(0u - (1 + (i + k) % 5)));
  }
  return stream;
}

// Integer RLE, version 1: so many in ten tokens are runs, of at most so many more than three values; the others are lists of up to
// so many numbers of at most so many groups.
Bytes runs_and_lists(unsigned runs, unsigned longest_run, unsigned longest_list, unsigned groups) {
  constexpr unsigned kTokens = 400, kMost = 6000;
  std::mt19937_64 random(runs + 10 * longest_list + groups);
  Bytes stream;
  const auto number = [&] {
    for (auto more = random() % groups; more > 0; --more) stream.push_back(static_cast<std::uint8_t>(random() | 128));
    stream.push_back(static_cast<std::uint8_t>(random() % 2));
  };
  for (unsigned i = 0; i < kTokens && stream.size() < kMost; ++i) {
    if (random() % 10 < runs) {
      stream.push_back(static_cast<std::uint8_t>(random() % longest_run));
      stream.push_back(static_cast<std::uint8_t>(random()));
      number();
    } else {
      const auto n = 1 + random() % longest_list;
      stream.push_back(static_cast<std::uint8_t>(0u - n));
      for (auto k = n; k > 0; --k) number();
    }
  }
  return stream;
}

// Integer RLE, version 2: tokens of `kinds` (0 short repeat, 1 direct, 2 patched, 3 delta of one step, 4 of several), of at most
// so many values, whose fields have at most so many bits.
Bytes runs_of_kinds(const std::vector<unsigned>& kinds, unsigned longest, unsigned most_bits) {
  constexpr unsigned kTokens = 300, kMost = 3000, kMostValues = 2500;
  std::mt19937_64 random(100 * kinds.size() + 10 * longest + most_bits);
  Bytes stream;
  const auto any = [&](unsigned bits) {  // whole bytes of them
    for (unsigned n = (bits + 7) / 8; n > 0; --n) stream.push_back(static_cast<std::uint8_t>(random()));
  };
  const auto number = [&] {
    for (auto more = random() % 3; more > 0; --more) stream.push_back(static_cast<std::uint8_t>(random() | 128));
    stream.push_back(static_cast<std::uint8_t>(random() % 128));
  };
  unsigned values = 0;
  for (unsigned i = 0; i < kTokens && stream.size() < kMost && values < kMostValues; ++i) {
    const unsigned kind = kinds[random() % kinds.size()], bits = 1 + static_cast<unsigned>(random() % most_bits);
    const unsigned n = 1 + static_cast<unsigned>(random() % longest);
    values += n;
    const auto header = [&](unsigned of, unsigned code, unsigned count) {
      stream.push_back(static_cast<std::uint8_t>(of << 6 | code << 1 | (count - 1) >> 8));
      stream.push_back(static_cast<std::uint8_t>(count - 1));
    };
    if (kind == 0) {
      const unsigned bytes = 1 + static_cast<unsigned>(random() % ((most_bits + 7) / 8));
      stream.push_back(static_cast<std::uint8_t>((bytes - 1) << 3 | random() % 8));
      any(8 * bytes);
    } else if (kind == 1) {
      header(1, bits - 1, n);
      any(n * bits);
    } else if (kind == 2) {  // a base of a byte, a patch of a bit, of a gap of a bit
      header(2, bits - 1, n);
      stream.insert(stream.end(), {0x00, 0x01, static_cast<std::uint8_t>(random())});
      any(n * bits);
      stream.push_back(0x40);  // at the first value
    } else {
      header(3, kind == 3 ? 0 : bits, n + 2);
      number();
      number();
      if (kind == 4) any(n * (bits + 1));
    }
  }
  return stream;
}

// Numbers whose steps have at most so many bits.
std::vector<std::uint64_t> steps_of(unsigned bits, unsigned count) {
  std::mt19937_64 random(bits);
  std::vector<std::uint64_t> values;
  std::uint64_t value = 0;
  while (values.size() < count) values.push_back(value += random() >> (64 - bits));
  return values;
}

// Lengths of strings, some alike and some not.
std::vector<std::uint64_t> lengths_of(unsigned count) {
  std::mt19937_64 random(count);
  std::vector<std::uint64_t> lengths;
  while (lengths.size() < count) lengths.push_back(lengths.size() / 50 % 2 == 0 ? 7 : random() % 16);
  return lengths;
}

void add_control(const std::string& codec, const Bytes& text, std::vector<std::pair<std::string, Bytes>>& all) {
  const auto* const chars = reinterpret_cast<const char*>(text.data());
  const int window = codec == "deflate" ? -15 : codec == "zlib" ? 15 : codec == "gzip" ? 31 : 0;
  if (window != 0) {
    all.emplace_back("zlib level 9", deflated(text, window, 9, Z_DEFAULT_STRATEGY));
    all.emplace_back("zlib, fixed codes", deflated(text, window, 1, Z_FIXED));
    all.emplace_back("zlib, stored", deflated(text, window, 0, Z_DEFAULT_STRATEGY));
  } else if (codec == "lz4_block") {
    Bytes out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
    const int size = LZ4_compress_default(chars, reinterpret_cast<char*>(out.data()), static_cast<int>(text.size()),
                                          static_cast<int>(out.size()));
    out.resize(static_cast<std::size_t>(size));
    all.emplace_back("liblz4", out);
    for (const unsigned more : {0u, 1u, 2u, 3u}) all.emplace_back("never in step " + std::to_string(more), out_of_step(more));
  } else if (codec == "orc_byte_rle") {
    for (const unsigned more : {0u, 1u, 2u, 3u}) {
      all.emplace_back("never in step " + std::to_string(more), runs_out_of_step(more, false));
      all.emplace_back("headers among literals " + std::to_string(more), runs_out_of_step(more, true));
    }
  } else if (codec == "orc_rle_v1") {
    for (const unsigned groups : {1u, 2u, 3u, 5u, 10u}) {  // elements of less bits refuse what is too long
      const std::string what = " of numbers of " + std::to_string(groups) + " bytes at most";
      all.emplace_back("short runs" + what, runs_and_lists(10, 3, 1, groups));
      all.emplace_back("runs and lists" + what, runs_and_lists(5, 128, 40, groups));
      all.emplace_back("lists" + what, runs_and_lists(0, 1, 128, groups));
    }
  } else if (codec == "orc_rle_v2") {
    for (const unsigned bits : {1u, 13u}) {
      const std::string what = " of at most " + std::to_string(bits) + " bits";
      all.emplace_back("short runs" + what, runs_of_kinds({0, 1, 1, 3}, 4, bits));
      all.emplace_back("long lists" + what, runs_of_kinds({1}, 510, bits));
      all.emplace_back("every kind" + what, runs_of_kinds({0, 0, 1, 1, 1, 2, 3, 3, 4}, 40, bits));
      all.emplace_back("what is left" + what, runs_of_kinds({2, 4}, 90, bits));
    }
  } else if (codec == "parquet_delta") {
    for (const unsigned bits : {5u, 31u}) {
      const std::string what = ", steps of " + std::to_string(bits) + " bits";
      all.emplace_back("short miniblocks" + what, encode_delta(steps_of(bits, 900), {32, 128, 4, 0}));
      all.emplace_back("long miniblocks" + what, encode_delta(steps_of(bits, 900), {32, 768, 3, 0}));
    }
  } else if (codec == "parquet_plain_strings" || codec == "parquet_plain_lengths" || codec == "parquet_strings") {
    for (const unsigned more : {0u, 1u, 2u, 3u}) {
      Bytes strings;
      const auto add = [&](std::size_t size, auto byte) {
        for (const unsigned shift : {0u, 8u, 16u, 24u}) strings.push_back(static_cast<std::uint8_t>(size >> shift));
        for (std::size_t i = 0; i < size; ++i) strings.push_back(byte(i));
      };
      std::size_t at = 0;
      const auto of_text = [&](std::size_t) { return text[at++ % text.size()]; };
      const auto of_zeros = [](std::size_t) { return std::uint8_t{0}; };
      for (const std::uint64_t length : lengths_of(300)) add(length + more, of_text);
      all.emplace_back("300 strings, " + std::to_string(more) + " bytes longer", strings);
      // Empty strings for whoever is out of step, for thousands of bytes.
      add(2000 + more, of_zeros);
      for (const std::uint64_t length : lengths_of(100)) add(length, of_zeros);
      all.emplace_back("strings of zeros, " + std::to_string(more) + " bytes longer", strings);
      strings.clear();
      for (const std::size_t length : {3000u, 1u, 900u, 0u, 1500u}) add(length + more, of_text);
      all.emplace_back("long strings, " + std::to_string(more) + " bytes longer", strings);
    }
  } else if (codec == "parquet_delta_length") {
    Bytes strings = encode_delta(lengths_of(300), {32, 128, 4, 0});
    strings.insert(strings.end(), text.begin(), text.end());
    all.emplace_back("300 strings", strings);
  } else if (codec == "parquet_delta_strings") {
    const std::vector<std::uint64_t> rests = lengths_of(300);
    std::vector<std::uint64_t> prefixes(rests.size(), 0);
    for (std::size_t i = 1; i < rests.size(); ++i) prefixes[i] = std::min<std::uint64_t>(prefixes[i - 1] + rests[i - 1], i % 12);
    Bytes strings = encode_delta(prefixes, {32, 128, 4, 0});
    const Bytes second = encode_delta(rests, {32, 256, 2, 0});
    strings.insert(strings.end(), second.begin(), second.end());
    strings.insert(strings.end(), text.begin(), text.end());
    all.emplace_back("300 strings with prefixes", strings);
  } else if (codec == "parquet_rle") {
    for (const unsigned width : {1u, 13u}) {
      Bytes groups = encode_hybrid(steps_of(32, 900), width), runs = encode_hybrid(steps_of(width == 1 ? 3 : 10, 900), width, 2);
      groups.insert(groups.begin(), static_cast<std::uint8_t>(width));
      runs.insert(runs.begin(), static_cast<std::uint8_t>(width));
      all.emplace_back("groups of " + std::to_string(width) + " bits", groups);
      all.emplace_back("few groups at a time, of " + std::to_string(width) + " bits", runs);
    }
  } else if (codec == "lz4_frame") {
    LZ4F_preferences_t how{};
    how.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    Bytes out(LZ4F_compressFrameBound(text.size(), &how));
    out.resize(LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), &how));
    all.emplace_back("liblz4 frame", out);
  } else if (codec == "snappy_raw") {
    std::string out;
    snappy::Compress(chars, text.size(), &out);
    all.emplace_back("libsnappy", Bytes(out.begin(), out.end()));
  } else if (codec == "bzip2") {
    Bytes out(text.size() + text.size() / 100 + 600);
    auto size = static_cast<unsigned>(out.size());
    EXPECT_EQ(BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size, const_cast<char*>(chars),
                                       static_cast<unsigned>(text.size()), 1, 0, 0),
              BZ_OK);
    out.resize(size);
    all.emplace_back("libbz2", out);
  }
}

}  // namespace

std::vector<std::pair<std::string, Bytes>> long_inputs(const std::string& codec, std::span<const Vector> vectors) {
  constexpr std::size_t kLong = 2000;
  std::vector<std::pair<std::string, Bytes>> all;
  const Bytes text = plain();
  add_control(codec, text, all);
  if (const encode::Encoder* encoder = encode::find_encoder(codec)) {
    const auto coded = encoder->encode(text, encode::Settings(encoder->options), [](std::size_t) {});
    EXPECT_TRUE(coded) << codec;
    if (coded) all.emplace_back("own encoder", *coded);
  }
  Bytes joined;
  for (std::size_t before = 1; joined.size() < kLong && before != joined.size();) {
    before = joined.size();
    for (const Vector& vector : vectors) {
      if (vector.codec != codec || !vector.out || !vector.set.empty() || !vector.dictionary.empty()) continue;
      if (joined.size() < kLong) joined.insert(joined.end(), vector.in.begin(), vector.in.end());
    }
  }
  all.emplace_back("good vectors joined", joined);
  return all;
}

}  // namespace sluice::test
