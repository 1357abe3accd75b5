#pragma once
// What a loop says of its tokens where they are values: see value_records.h.
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::plan {

// The values that end a token.
struct ValueList {
  bool varints = false;  // numbers in groups of seven bits; or fields of whole bytes
  unsigned bits = 0;
  bool is_signed = false;
  bool big = false;      // a field's most significant byte comes first, or its most significant bit
  bool packed = false;   // fields of as many bits as the token says, zigzag-coded if they are signed
  friend bool operator==(const ValueList&, const ValueList&) = default;
};

// What a loop of a token is to its list of values: the list itself; likewise, of sums; or one that goes through an array, which a
// loop fills, others change, and one puts out.
enum class ListPart : unsigned char { None, Values, Sums, Array, Amends, Offset };

struct Values {
  bool numbers = false;  // some field or list is of numbers in groups of seven bits
  bool left = false;     // some tokens are none: they are the checked path's
  bool sums = false;     // some list is of sums
  bool arrays = false;   // some list goes through an array
  bool apart = false;    // sizes are told without what numbers hold: see numbers_apart.h
  std::optional<ValueList> list;
  std::vector<std::uint64_t> two_bytes;  // of each first byte, what it tells of a token: see two_bytes.h
  friend bool operator==(const Values&, const Values&) = default;
};

}  // namespace sluice::plan
