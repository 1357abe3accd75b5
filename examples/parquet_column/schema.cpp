#include "examples/parquet_column/schema.h"

#include <string_view>

#include "examples/parquet_column/refused.h"

namespace parquet_column {
namespace {

// Deepest nesting that is read; also bounds the recursion.
constexpr unsigned kDeepestGroup = 100;
constexpr std::size_t kMostDecimalBytes = 16;
constexpr std::int64_t kMostDecimalDigits = 38;

// parquet.thrift, SchemaElement's fields, enum FieldRepetitionType, enum ConvertedType.
enum : int {
  kType = 1,
  kTypeLength = 2,
  kRepetition = 3,
  kName = 4,
  kChildren = 5,
  kConverted = 6,
  kScale = 7,
  kPrecision = 8,
  kLogical = 10
};
enum : int { kRequired = 0, kOptional = 1, kRepeated = 2 };
enum : int {
  kUtf8 = 0,
  kDecimal = 5,
  kDate = 6,
  kTimeMillis = 7,
  kTimeMicros = 8,
  kTimestampMillis = 9,
  kTimestampMicros = 10,
  kUint8 = 11,
  kInt8 = 15,
  kInt64 = 18,
  kJson = 19
};

constexpr unsigned kMillis = 3, kMicros = 6, kNanos = 9;

void be_decimal(Leaf& leaf, std::int64_t precision, std::int64_t scale) {
  if (precision < 1 || precision > kMostDecimalDigits) throw Refused("its precision is not in 1..38");
  if (scale < 0 || scale > precision) throw Refused("its scale is not in 0..its precision");
  if (leaf.width > kMostDecimalBytes) throw Refused("its digits are more than 16 bytes");
  leaf.logical = Logical::Decimal;
  leaf.scale = static_cast<unsigned>(scale);
}

void be_integer(Leaf& leaf, std::int64_t bits, bool is_signed) {
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    throw Refused("its integers are not of 8, 16, 32 or 64 bits");
  leaf.logical = Logical::Integer;
  leaf.bits = static_cast<unsigned>(bits);
  leaf.is_signed = is_signed;
}

// Of the unit's union the member that is there.
unsigned digits_of(const Thrift& unit) {
  if (unit.has(1)) return kMillis;
  if (unit.has(2)) return kMicros;
  if (unit.has(3)) return kNanos;
  throw Refused("its unit of time is not known");
}

void be_time(Leaf& leaf, Logical logical, unsigned digits, bool is_utc) {
  leaf.logical = logical;
  leaf.scale = digits;
  leaf.is_utc = is_utc;
}

// parquet.thrift, union LogicalType. What is not named here is printed as its physical type.
bool read_logical(Leaf& leaf, const Thrift& type) {
  if (type.has(1) || type.has(12)) {  // STRING, JSON
    leaf.logical = Logical::Text;
  } else if (type.has(5)) {
    be_decimal(leaf, type.record(5).integer(2), type.record(5).integer(1));
  } else if (type.has(6)) {
    leaf.logical = Logical::Date;
  } else if (type.has(7)) {
    be_time(leaf, Logical::Time, digits_of(type.record(7).record(2)), false);
  } else if (type.has(8)) {
    be_time(leaf, Logical::Timestamp, digits_of(type.record(8).record(2)), type.record(8).truth(1));
  } else if (type.has(10)) {
    be_integer(leaf, type.record(10).integer(1), type.record(10).truth(2));
  } else if (type.has(11)) {
    leaf.logical = Logical::Null;
  } else if (type.has(15)) {
    leaf.logical = Logical::Half;
  }
  return leaf.logical != Logical::Plain;
}

// Older files have this instead; their times and timestamps are UTC's.
void read_converted(Leaf& leaf, const Thrift& element) {
  const std::int64_t type = element.integer_or(kConverted, -1);
  if (type == kUtf8 || type == kJson) leaf.logical = Logical::Text;
  if (type == kDecimal) be_decimal(leaf, element.integer(kPrecision), element.integer_or(kScale, 0));
  if (type == kDate) leaf.logical = Logical::Date;
  if (type == kTimeMillis || type == kTimeMicros)
    be_time(leaf, Logical::Time, type == kTimeMillis ? kMillis : kMicros, true);
  if (type == kTimestampMillis || type == kTimestampMicros)
    be_time(leaf, Logical::Timestamp, type == kTimestampMillis ? kMillis : kMicros, true);
  if (type >= kUint8 && type <= kInt64) be_integer(leaf, 8 << ((type - kUint8) % 4), type >= kInt8);
}

// Each meaning goes with some physical types only.
bool fits(const Leaf& leaf) {
  const bool integer = leaf.physical == Physical::Int32 || leaf.physical == Physical::Int64;
  const bool bytes = leaf.physical == Physical::ByteArray || leaf.physical == Physical::FixedLenByteArray;
  switch (leaf.logical) {
    case Logical::Plain:
    case Logical::Null:
      return true;
    case Logical::Text:
      return leaf.physical == Physical::ByteArray;
    case Logical::Integer:
      return integer && (leaf.bits == 64) == (leaf.width == 8);
    case Logical::Decimal:
      return integer || bytes;
    case Logical::Date:
      return leaf.physical == Physical::Int32;
    case Logical::Time:
      return integer && (leaf.scale == kMillis) == (leaf.width == 4);
    case Logical::Timestamp:
      return leaf.physical == Physical::Int64;
    case Logical::Half:
      return leaf.physical == Physical::FixedLenByteArray && leaf.width == 2;
  }
  return false;
}

void read_type(Leaf& leaf, const Thrift& element) {
  constexpr std::size_t kWidths[] = {1, 4, 8, 12, 4, 8, 0};
  const std::int64_t type = element.integer(kType);
  if (type < 0 || type > static_cast<int>(Physical::FixedLenByteArray)) throw Refused("its type is not known");
  leaf.physical = static_cast<Physical>(type);
  if (leaf.physical == Physical::FixedLenByteArray) {
    leaf.width = element.count(kTypeLength);
    if (leaf.width == 0 || leaf.width > INT32_MAX) throw Refused("its values have no length");
  } else {
    leaf.width = kWidths[type];
  }
  if (!element.has(kLogical) || !read_logical(leaf, element.record(kLogical))) read_converted(leaf, element);
  if (!fits(leaf)) throw Refused("its logical type does not go with its physical type");
}

class Walk {
 public:
  explicit Walk(const std::vector<Thrift>& elements) : elements_(elements) {}

  std::vector<Leaf> all() {
    const std::int64_t columns = next().integer_or(kChildren, 0);
    for (std::int64_t i = 0; i < columns; ++i) visit(Leaf{}, 0);
    if (at_ != elements_.size()) throw Refused("its schema is not one tree");
    return std::move(leaves_);
  }

 private:
  const Thrift& next() {
    if (at_ == elements_.size()) throw Refused("its schema lacks elements");
    return elements_[at_++];
  }

  // `leaf` is what the groups above make of it.
  void visit(Leaf leaf, unsigned depth) {
    if (depth == kDeepestGroup) throw Refused("its schema is nested too deeply");
    const Thrift& element = next();
    leaf.path += (depth == 0 ? "" : ".") + std::string(element.text(kName));
    const std::int64_t repetition = element.integer(kRepetition);
    if (repetition < kRequired || repetition > kRepeated)
      throw Refused("column " + leaf.path + ": its repetition is not known");
    if (repetition != kRequired) ++leaf.top_definition;
    if (repetition == kRepeated) ++leaf.top_repetition;
    leaf.is_nested = depth > 0 || repetition == kRepeated;
    const std::int64_t children = element.integer_or(kChildren, 0);
    for (std::int64_t i = 0; i < children; ++i) visit(leaf, depth + 1);
    if (children > 0) return;
    try {
      read_type(leaf, element);
    } catch (const Refused& refused) {
      throw Refused("column " + leaf.path + ": " + refused.what());
    }
    leaves_.push_back(std::move(leaf));
  }

  const std::vector<Thrift>& elements_;
  std::size_t at_ = 0;
  std::vector<Leaf> leaves_;
};

}  // namespace

std::vector<Leaf> leaves_of(const std::vector<Thrift>& elements) { return Walk(elements).all(); }

}  // namespace parquet_column
