// Writes the vectors of codecs/<codec>/vectors: small inputs with their expected output or expected refusal.
//
// Every vector is made here, by a control library or bit by bit, so that nothing but this text stands behind them. The
// expected results are stated by hand beside each input; nothing in this program decodes.
//
//   NAME.in    the compressed bytes           NAME.set   compile-time parameters, "T=u16" (optional)
//   NAME.out   the expected output, or        NAME.dict  preset dictionary (optional)
//   NAME.err   "reason position": the refusing site's name and its bit position
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::test::vectors {

using Bytes = std::vector<std::uint8_t>;

Bytes text(std::string_view characters);
Bytes join(std::initializer_list<Bytes> parts);
Bytes little(std::uint64_t value, unsigned bytes);
Bytes big(std::uint64_t value, unsigned bytes);

// About 230 bytes of our own prose with repeats in it.
Bytes prose();

// Bits as Deflate packs them: values least significant bit first, codes most significant bit first.
class BitWriter {
 public:
  BitWriter& bits(std::uint64_t value, unsigned count);
  BitWriter& code(std::uint32_t value, unsigned count);
  BitWriter& align();
  BitWriter& bytes(std::span<const std::uint8_t> data);  // needs alignment
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] const Bytes& data() const { return data_; }

 private:
  Bytes data_;
  std::uint64_t position_ = 0;
};

class Writer {
 public:
  explicit Writer(std::filesystem::path codecs) : codecs_(std::move(codecs)) {}

  struct Extra {
    std::string set;
    Bytes dictionary;
  };
  // A vector that decodes to `out`.
  void good(const std::string& codec, const std::string& name, const Bytes& in, const Bytes& out, const Extra& extra = {});
  // What one that decodes well puts into a further output.
  void further(const std::string& codec, const std::string& name, const std::string& output, const Bytes& out);
  // A vector that is refused by the site called `reason` at bit `position`: of the input, or of its dictionary.
  void bad(const std::string& codec, const std::string& name, const Bytes& in, const std::string& reason,
           std::uint64_t position, const Extra& extra = {});
  void bad_dictionary(const std::string& codec, const std::string& name, const Bytes& in, const std::string& reason,
                      std::uint64_t position, const Bytes& dictionary);
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] unsigned count() const { return count_; }

 private:
  void common(const std::string& codec, const std::string& name, const Bytes& in, const Extra& extra);
  void write(const std::string& codec, const std::string& file, std::span<const std::uint8_t> content);
  std::filesystem::path codecs_;
  bool ok_ = true;
  unsigned count_ = 0;
};

void make_deflate(Writer& writer);
void make_gzip(Writer& writer);
void make_zlib(Writer& writer);
void make_lz4_block(Writer& writer);
void make_lz4_frame(Writer& writer);
void make_snappy(Writer& writer);
void make_orc(Writer& writer);
void make_orc_streams(Writer& writer);
void make_orc_chunks(Writer& writer);
void make_parquet(Writer& writer);
void make_fsst(Writer& writer);
void make_bzip2(Writer& writer);
void make_gompresso_byte(Writer& writer);
void make_gompresso_bit(Writer& writer);
void make_patel(Writer& writer);
void make_zstd(Writer& writer);
void make_fse(Writer& writer);
void make_huff0(Writer& writer);

}  // namespace sluice::test::vectors
