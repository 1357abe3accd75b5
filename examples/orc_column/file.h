// An ORC file in memory: its tail, its types, and the bytes of the streams of each stripe.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "examples/orc_column/decoders.h"
#include "orc.pb.h"

namespace orc_column {

// Deepest nesting of types that is read; also bounds the recursion of everything that walks them.
constexpr unsigned kDeepestType = 100;

class File {
 public:
  // Parses the tail (ORC specification v1, "File Tail") and checks that types form a tree. Throws Refused.
  // `content` and `decoders` must outlive the file.
  File(View content, Decoders& decoders);

  [[nodiscard]] const proto::Footer& footer() const { return footer_; }
  // File version 1.9999, the draft of version 2: decimals of up to 18 digits are integers in run-length coding.
  [[nodiscard]] bool decimals_as_integers() const;
  [[nodiscard]] Decoders& decoders() const { return decoders_; }

  // `size` bytes from `offset` on, with the file's compression undone. Throws Refused.
  [[nodiscard]] Bytes expand(std::uint64_t offset, std::uint64_t size) const;

 private:
  [[nodiscard]] View part(std::uint64_t offset, std::uint64_t size) const;
  void check_types() const;
  View content_;
  Decoders& decoders_;
  proto::PostScript postscript_;
  proto::Footer footer_;
  std::string codec_;  // undoes the chunks; empty when there are none
};

// One stripe: a footer that says which streams lie where, and how each column is encoded.
class Stripe {
 public:
  Stripe(const File& file, const proto::StripeInformation& place);

  [[nodiscard]] const File& file() const { return file_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::string timezone() const { return footer_.writer_timezone(); }
  [[nodiscard]] const proto::ColumnEncoding& encoding(std::uint32_t column) const;
  [[nodiscard]] bool has(std::uint32_t column, proto::Stream::Kind kind) const;
  // The stream's bytes, decompressed; empty when there is no such stream, which writers leave out when it is empty.
  [[nodiscard]] Bytes stream(std::uint32_t column, proto::Stream::Kind kind) const;

 private:
  struct Place {
    std::uint64_t offset, size;
  };
  const File& file_;
  std::uint64_t rows_;
  proto::StripeFooter footer_;
  std::map<std::pair<std::uint32_t, int>, Place> streams_;
};

}  // namespace orc_column
