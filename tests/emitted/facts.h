#pragma once
// What is known at a place of a text: where positions stand to their limits, what counts were tested to fit, how much a
// stream holds. Tests add to it (margins.h), writes take away; where paths meet, what both know is left.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/emitted/tree.h"

namespace sluice::emitted {

// Bits of a buffer that a position may look at, and how many of them it may have used since it was tested; less than
// none at a step that was itself tested to fit.
struct Place {
  std::int64_t margin = 0, used = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// What adding a number moves a position by, in the position's units: `other`, or less where it was tested to fit. So
// many steps of `each` bits were.
struct Amount {
  std::int64_t other = 0;
  std::map<const clang::VarDecl*, std::int64_t> of, each;
  friend bool operator==(const Amount&, const Amount&) = default;
  [[nodiscard]] std::int64_t at(const clang::VarDecl* position) const;
  [[nodiscard]] std::int64_t step(const clang::VarDecl* position) const;
};
inline constexpr std::int64_t kAnything = INT64_MAX;

// Units of what a stream holds: bits, bytes, or steps of its position.
enum class Unit : std::uint8_t { Bits, Bytes, Steps };

// "The stream holds so much": which one, the amount's text, its number if it is one, and what it speaks of.
struct Held {
  const clang::VarDecl* stream = nullptr;
  Unit unit = Unit::Bits;
  std::string text;
  std::optional<std::int64_t> number;
  std::set<const clang::VarDecl*> names;
  friend auto operator<=>(const Held&, const Held&) = default;
};

struct Facts {
  std::map<const clang::VarDecl*, Place> places;
  std::map<const clang::VarDecl*, Amount> amounts;
  std::map<const clang::VarDecl*, const clang::VarDecl*> below;  // k -> n: k < n
  std::map<const clang::VarDecl*, std::string> above;            // n -> text: n is more than that
  std::map<const clang::VarDecl*, std::pair<const clang::VarDecl*, std::int64_t>> to_go;  // k -> n, x: n - k is x or more
  std::set<Held> held;                                           // by a stream, behind its position
  bool dead = false;                                             // no run comes here
  std::int64_t room = 0;                                         // elements that the output has room for

  bool join(const Facts& other);
  void forget(const clang::VarDecl* changed);
  // A stream's position moved on by so many bits, or nobody knows where to. Null: some stream's.
  void moved(const clang::VarDecl* stream, std::optional<std::int64_t> bits);
  // What fits `from` fits `to`, which stands at the same place.
  void same_place(const clang::VarDecl* to, const clang::VarDecl* from);
  // One more of so many that were tested to fit together: what the last one used was meant for it.
  void next_of(const clang::VarDecl* count);
};

}  // namespace sluice::emitted
