#include "examples/parquet_column/thrift.h"

#include <string>

#include "examples/parquet_column/refused.h"

namespace parquet_column {
namespace {

// Parquet's own structs go six deep; also bounds the recursion.
constexpr unsigned kDeepest = 32;

// Types of the compact protocol. A field's truth is its type; an element's is a byte.
enum : unsigned {
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kStruct = 12
};

}  // namespace

class ThriftReader {
 public:
  explicit ThriftReader(View in) : in_(in) {}
  [[nodiscard]] std::size_t at() const { return at_; }

  Thrift record(unsigned depth) {
    Thrift made;
    std::int64_t field = 0;
    while (const unsigned head = byte()) {
      field = (head >> 4) != 0 ? field + (head >> 4) : signed_number();
      if (field < 0 || field > INT16_MAX) refuse("a field's number is not one");
      if (made.has(static_cast<int>(field))) refuse("a field is there twice");
      made.items_.push_back(value(head & 15, depth, true));
      made.fields_.push_back(static_cast<int>(field));
    }
    return made;
  }

 private:
  [[noreturn]] void refuse(const char* why) const {
    throw Refused(std::string(why) + " at its byte " + std::to_string(at_));
  }

  unsigned byte() {
    if (at_ == in_.size()) refuse("it is cut off");
    return in_[at_++];
  }

  std::uint64_t number() {
    std::uint64_t made = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned part = byte();
      made |= std::uint64_t{part & 127} << shift;
      if (part < 128) return made;
    }
    refuse("a number is too long");
  }

  std::int64_t signed_number() {
    const std::uint64_t folded = number();
    return static_cast<std::int64_t>(folded >> 1 ^ (0 - (folded & 1)));
  }

  View bytes(std::uint64_t size) {
    if (size > in_.size() - at_) refuse("it is cut off");
    at_ += size;
    return in_.subspan(at_ - size, size);
  }

  void list(Thrift& made, unsigned depth) {
    const unsigned head = byte();
    const std::uint64_t count = head >> 4 == 15 ? number() : head >> 4;
    if (count > in_.size() - at_) refuse("a list is longer than what is left");  // every element has a byte at least
    for (std::uint64_t i = 0; i < count; ++i) made.items_.push_back(value(head & 15, depth, false));
  }

  Thrift value(unsigned type, unsigned depth, bool in_field) {
    if (depth == kDeepest) refuse("it is nested too deeply");
    Thrift made;
    made.kind_ = Thrift::Kind::Integer;
    switch (type) {
      case kTrue:
      case kFalse:
        made.kind_ = Thrift::Kind::Boolean;
        made.number_ = static_cast<std::int64_t>(in_field ? type == kTrue : byte() == kTrue);
        return made;
      case kByte:
        made.number_ = static_cast<std::int8_t>(byte());
        return made;
      case kI16:
      case kI32:
      case kI64:
        made.number_ = signed_number();
        return made;
      case kDouble:
        made.kind_ = Thrift::Kind::Real;
        bytes(8);
        return made;
      case kBinary: {
        made.kind_ = Thrift::Kind::Binary;
        const View text = bytes(number());
        made.text_ = {reinterpret_cast<const char*>(text.data()), text.size()};
        return made;
      }
      case kList:
      case kSet:
        made.kind_ = Thrift::Kind::List;
        list(made, depth + 1);
        return made;
      case kStruct:
        return record(depth + 1);
      default:
        refuse("a field's type is not one that Parquet has");
    }
  }

  View in_;
  std::size_t at_ = 0;
};

Thrift Thrift::read_struct(View in, std::size_t& size) {
  ThriftReader reader(in);
  Thrift made = reader.record(0);
  size = reader.at();
  return made;
}

std::uint64_t Thrift::count(int field) const {
  const std::int64_t value = integer(field);
  if (value < 0) throw Refused("its field " + std::to_string(field) + " is negative");
  return static_cast<std::uint64_t>(value);
}

const Thrift* Thrift::find(int field) const {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i] == field) return &items_[i];
  return nullptr;
}

const Thrift& Thrift::get(int field, Kind kind) const {
  const Thrift* found = find(field);
  if (found == nullptr) throw Refused("its field " + std::to_string(field) + " is missing");
  if (found->kind_ != kind) throw Refused("its field " + std::to_string(field) + " is of another type");
  return *found;
}

}  // namespace parquet_column
