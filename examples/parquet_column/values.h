// Values of a page: the encodings of Parquet.
#pragma once
#include "examples/parquet_column/pages.h"

namespace parquet_column {

// Values as PLAIN has them, without lengths: integers, reals and INT96 as their little-endian bytes, booleans as a
// byte.
class Values {
 public:
  [[nodiscard]] std::size_t size() const { return ends_.size() - 1; }
  [[nodiscard]] View operator[](std::size_t i) const { return View(bytes_).subspan(ends_[i], ends_[i + 1] - ends_[i]); }
  void push_back(View value);
  // All of `bytes`, in values of `width` bytes.
  void append(View bytes, std::size_t width);
  // All of `bytes`, in values of these lengths, which together are as long. Throws Refused.
  void append(View bytes, const std::vector<std::uint64_t>& lengths);

 private:
  Bytes bytes_;
  std::vector<std::uint64_t> ends_{0};  // where each begins; and where the last one ends
};

// The `count` entries of a dictionary page. Throws Refused, as the next one.
Values read_dictionary(Decoders& decoders, const Leaf& leaf, const Page& page);
// Adds the `count` values that stand in `in`. `dictionary` is null when the column chunk has none.
void read_values(Decoders& decoders, const Leaf& leaf, Encoding encoding, View in, std::uint64_t count,
                 const Values* dictionary, Values& out);

}  // namespace parquet_column
