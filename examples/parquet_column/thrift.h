// Thrift's compact protocol, reading: Parquet's footer and page headers are structs in it.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "examples/parquet_column/decoders.h"

namespace parquet_column {

// What one field holds. Numbers of fields are those of parquet.thrift; what this program has no use for is kept and
// never looked at, so newer files are read, too.
class Thrift {
 public:
  enum class Kind : std::uint8_t { Boolean, Integer, Real, Binary, List, Struct };

  // One struct from the start of `in`; `size` becomes its bytes. Throws Refused, with the byte it is about. Binary
  // values point into `in`.
  static Thrift read_struct(View in, std::size_t& size);

  [[nodiscard]] bool has(int field) const { return find(field) != nullptr; }
  // A field that has to be there, and be of that kind: else Refused, saying which field.
  [[nodiscard]] const Thrift& record(int field) const { return get(field, Kind::Struct); }
  [[nodiscard]] const std::vector<Thrift>& list(int field) const { return get(field, Kind::List).items_; }
  [[nodiscard]] std::int64_t integer(int field) const { return get(field, Kind::Integer).number_; }
  [[nodiscard]] std::string_view text(int field) const { return get(field, Kind::Binary).text_; }
  [[nodiscard]] bool truth(int field) const { return get(field, Kind::Boolean).number_ != 0; }
  // An integer that is not negative.
  [[nodiscard]] std::uint64_t count(int field) const;
  // A field that may be missing.
  [[nodiscard]] std::int64_t integer_or(int field, std::int64_t other) const {
    return has(field) ? integer(field) : other;
  }
  [[nodiscard]] bool truth_or(int field, bool other) const { return has(field) ? truth(field) : other; }

 private:
  friend class ThriftReader;
  [[nodiscard]] const Thrift* find(int field) const;
  [[nodiscard]] const Thrift& get(int field, Kind kind) const;

  Kind kind_ = Kind::Struct;
  std::int64_t number_ = 0;
  std::string_view text_;
  std::vector<Thrift> items_;  // of a list; of a struct the fields that are there
  std::vector<int> fields_;    // the fields' numbers
};

}  // namespace parquet_column
