#include "codecs/gsst_blocks/layouts.h"

#include <algorithm>
#include <utility>

#include "codecs/fsst/block.h"

namespace sluice::encode::gsst {
namespace {

using fsst::Bytes;
using fsst::Code;
using fsst::Coder;
using fsst::put_big;
using Piece = std::span<const std::uint8_t>;

constexpr unsigned kOutSizeBytes = 4, kSplitCountBytes = 1, kSplitBytes = 3;
constexpr std::uint64_t kFiller = std::uint64_t{1} << (8 * kSplitBytes - 1);  // in a split's recorded output

void blocks(Bytes& out, Piece block, const Coder& coder) {
  put_big(out, block.size(), kOutSizeBytes);
  coder.put_table(out);
  put_codes(out, coder.codes(block), coder.set());
}

// Every split is encoded by itself, so that no code lies in two.
void splits(Bytes& out, Piece block, std::size_t count, const Coder& coder) {
  const std::size_t each = (block.size() + count - 1) / count;
  Bytes coded;
  put_big(out, block.size(), kOutSizeBytes);
  put_big(out, count, kSplitCountBytes);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t begin = std::min(n * each, block.size());
    const std::size_t before = coded.size();
    put_codes(coded, coder.codes(block.subspan(begin, std::min(each, block.size() - begin))), coder.set());
    put_big(out, coded.size() - before, kSplitBytes);
  }
  coder.put_table(out);
  out.insert(out.end(), coded.begin(), coded.end());
}

// Codes taken from a list of them one split at a time.
struct Dealt {
  std::vector<Code> codes;             // with filler
  std::vector<std::uint64_t> outputs;  // [split], plus kFiller where the split ends with filler
};

bool is_escape(Code code, const Coder& coder) { return !coder.set().bytes_are_codes && code == fsst::kEscape; }

// Splits of `each` codes. Where an escape would be the last code of a split, filler stands in its place and the next
// split begins with it.
//   each 3:  a E x b E y c  ->  a E x | b F | E y c       (E escape, F filler: here the split has 2 codes and filler)
Dealt deal(std::span<const Code> codes, std::size_t each, const Coder& coder) {
  Dealt dealt;
  std::size_t room = 0;
  for (std::size_t i = 0; i < codes.size();) {
    const bool escape = is_escape(codes[i], coder);
    if (escape && room == 1) {
      dealt.codes.push_back(fsst::kEscape);
      dealt.outputs.back() += kFiller;
      room = 0;
    }
    if (room == 0) {
      dealt.outputs.push_back(0);
      room = each;
    }
    const unsigned size = escape ? 2 : 1;
    dealt.codes.insert(dealt.codes.end(), codes.begin() + static_cast<std::ptrdiff_t>(i),
                       codes.begin() + static_cast<std::ptrdiff_t>(i + size));
    dealt.outputs.back() += escape ? 1 : coder.output_of(codes[i]);
    room -= size;
    i += size;
  }
  return dealt;
}

void code_splits(Bytes& out, Piece block, std::size_t count, const Coder& coder) {
  const std::vector<Code> codes = coder.codes(block);
  // An even number: an escape has room, and 12-bit codes fill whole bytes.
  std::size_t each = (codes.size() + count - 1) / count;
  each += each % 2;
  Dealt dealt = deal(codes, each, coder);
  while (dealt.outputs.size() > count) {
    each += 2;
    dealt = deal(codes, each, coder);
  }
  dealt.outputs.resize(count);
  put_big(out, block.size(), kOutSizeBytes);
  put_big(out, count, kSplitCountBytes);
  put_big(out, each, kSplitBytes);
  for (const std::uint64_t outputs : dealt.outputs) put_big(out, outputs, kSplitBytes);
  coder.put_table(out);
  put_codes(out, dealt.codes, coder.set());
}

// Bytes that the codes make, of which the first may be what an escape before them announced; `escaped` says so, and
// then whether the last code is an escape.
std::uint64_t outputs_of(std::span<const Code> codes, const Coder& coder, bool& escaped) {
  std::uint64_t outputs = 0;
  for (const Code code : codes) {
    const bool is_byte = escaped;
    escaped = !is_byte && is_escape(code, coder);
    if (!escaped) outputs += is_byte ? 1 : coder.output_of(code);
  }
  return outputs;
}

// Splits whose code counts differ by one at most, the first ones longer: then code x of split n has the place
// n + x * count and no place stays empty. An escape may be the last code of a split, its byte the first of the next.
bool interleaved(Bytes& out, Piece block, std::size_t count, const Coder& coder) {
  const std::vector<Code> codes = coder.codes(block);
  std::vector<Code> placed(codes.size());
  put_big(out, block.size(), kOutSizeBytes);
  put_big(out, count, kSplitCountBytes);
  std::size_t at = 0;
  bool escaped = false;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t size = (codes.size() + count - 1 - n) / count;
    const std::span<const Code> split = std::span(codes).subspan(at, size);
    for (std::size_t x = 0; x < size; ++x) placed[n + x * count] = split[x];
    put_big(out, outputs_of(split, coder, escaped), kSplitBytes);
    at += size;
  }
  coder.put_table(out);
  const std::size_t header = out.size();
  put_codes(out, placed, coder.set());
  return out.size() - header <= kInterleavedMost;
}

}  // namespace

Result<Bytes> encode(Layout layout, const fsst::CodeSet& set, Piece in, const Settings& settings,
                     const Progress& progress) {
  const std::size_t count = layout == Layout::Blocks ? 0 : settings["splits"];
  const auto one_block = [&](Bytes& out, Piece block) {
    const Coder coder(block, set);
    switch (layout) {
      case Layout::Blocks:
        blocks(out, block, coder);
        break;
      case Layout::Splits:
        splits(out, block, count, coder);
        break;
      case Layout::Codes:
        code_splits(out, block, count, coder);
        break;
      case Layout::Interleaved:
        return interleaved(out, block, count, coder);
    }
    return true;
  };
  return fsst::encode_blocks(in, settings["block_size"], one_block, progress);
}

}  // namespace sluice::encode::gsst
