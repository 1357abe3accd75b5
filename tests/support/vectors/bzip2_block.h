// A bzip2 block laid out field by field, right by default, so that a vector can make one field wrong.
#pragma once
#include <bitset>

#include "tests/support/vectors/writer.h"

namespace sluice::test::vectors {

// Bits from the most significant one of each byte down.
class MsbWriter {
 public:
  MsbWriter& bits(std::uint64_t value, unsigned count);
  MsbWriter& bytes(const Bytes& data);
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] const Bytes& data() const { return data_; }

 private:
  Bytes data_;
  std::uint64_t position_ = 0;
};

// bzip2's CRC: polynomial 0x04c11db7, most significant bit first.
std::uint32_t bzip2_crc(const Bytes& data);

// Four equal bytes and the number of more of them, wherever four or more are equal.
Bytes bzip2_runs(const Bytes& raw);

struct Bzip2Block {
  std::uint32_t crc = 0;
  bool randomised = false;
  std::uint32_t origin = 0;
  std::bitset<256> used;
  unsigned tables = 2;
  std::vector<unsigned> selectors;             // table numbers, written as positions in the move-to-front list
  std::vector<std::vector<unsigned>> lengths;  // one list for each table
  std::vector<unsigned> symbols;               // the end included

  // The block that decodes to `raw`; `tables` of them are used in turn.
  static Bzip2Block of(const Bytes& raw, unsigned tables = 2);
  // The block whose text, runs not yet expanded, is `text`; the checksum stays 0.
  static Bzip2Block of_text(const Bytes& text, unsigned tables = 2);
  // The block with this last column, which need not be that of any text.
  static Bzip2Block of_column(const Bytes& column, std::uint32_t origin, unsigned tables = 2);

  // Fits selectors and code lengths to `symbols` and the number of values used.
  void fit();
};

// Bit positions of a block's parts.
struct Bzip2Places {
  std::uint64_t crc = 0, used = 0, tables = 0, selectors = 0, lengths = 0, codes = 0, end = 0;
  std::vector<std::uint64_t> after_lengths;  // of each table
};

// Appends the block, its magic number first.
Bzip2Places write_block(MsbWriter& out, const Bzip2Block& block);

// The header of a stream, and its end with the checksum over those of its blocks.
void write_header(MsbWriter& out, unsigned level);
void write_end(MsbWriter& out, std::uint32_t combined_crc);

// A stream of these blocks with right checksums over them, padded to whole bytes.
Bytes bzip2_stream(unsigned level, std::span<const Bzip2Block> blocks);

}  // namespace sluice::test::vectors
