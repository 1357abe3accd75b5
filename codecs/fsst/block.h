#pragma once
// Parts of FSST blocks: the symbol table as FSST's programs store it, and codes.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "codecs/fsst/symbols.h"
#include "codecs/fsst/train.h"
#include "runtime/encode/encoder.h"

namespace sluice::encode::fsst {

using Bytes = std::vector<std::uint8_t>;
using Code = std::uint16_t;

constexpr Code kEscape = 255;  // of kCodes8: the next code is a byte that stands for itself
constexpr unsigned kBlockSizeBytes = 3;

void put_big(Bytes& out, std::uint64_t value, unsigned bytes);

// The symbols of one block, numbered.
class Coder {
 public:
  Coder(std::span<const std::uint8_t> block, const CodeSet& set);

  // Appends the table in the layout of the README of fsst, or fsst12.
  void put_table(Bytes& out) const;

  // Codes of `piece`. Of kCodes8 an escape is two elements, kEscape and the byte.
  [[nodiscard]] std::vector<Code> codes(std::span<const std::uint8_t> piece) const;

  // How many bytes of output the code makes. Not for kEscape.
  [[nodiscard]] unsigned output_of(Code code) const;

  [[nodiscard]] const CodeSet& set() const { return set_; }

 private:
  CodeSet set_;
  std::vector<Symbol> symbols_;  // in the order of their codes
  unsigned lone_ = 0;            // of kCodes8: how many symbols of two bytes begin no longer one; they come first
  Matcher matcher_;
};

// Appends codes: a byte each, or 12 bits each from the low bits of a byte up, zeros in the last half byte.
void put_codes(Bytes& out, std::span<const Code> codes, const CodeSet& set);

// Appends one block to `out`. False when the block can't be that large; what was appended is then dropped.
using BlockEncoder = std::function<bool(Bytes& out, std::span<const std::uint8_t> block)>;

// Encodes `in` in blocks of `block_size` bytes, each with its size in front (3 bytes big-endian, counting themselves).
// A block that is too large is encoded in two halves.
Result<Bytes> encode_blocks(std::span<const std::uint8_t> in, std::size_t block_size, const BlockEncoder& encode,
                            const Progress& progress);

}  // namespace sluice::encode::fsst
