#pragma once
// What has been tested on every path to a place: positions against their limits, counts against the room they take,
// bits of the stream. The facts behind rule_memory.
//
//   in_limit = in_end - 77;                          a limit, with a margin of 77 bytes
//   while (in <= in_limit && ...) {                  in: 77 bytes, none used
//     token = load_byte(src, in);                    needs 1 of them
//     in += 1;                                       1 used
//     if (n <= 32) ... else if (n > in_limit - in) goto leave;      in += n: 32 more at most, or none: it was tested
//
// An amount whose bound does not stand in the text, the length behind a symbol for one, counts as nothing: it is part
// of the token's cost, which the emitter puts into the margin. So what is proven is that a test stands before every
// access, and that the margin holds what is known of what happens between them.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

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
  std::set<Held> held;                                           // by a stream, behind its position
  bool dead = false;                                             // no run comes here
  std::int64_t room = 0;                                         // elements that the output has room for

  bool join(const Facts& other);
};

class Margins {
 public:
  explicit Margins(const clang::ASTContext& context) : context_(context) {}

  void decided(Facts& facts, const clang::Expr* atom, bool truth) const;
  void step(Facts& facts, const clang::Stmt* s) const;

  // The position that an expression names: a variable, or the variable behind `cursor(src, bit >> 3)`.
  [[nodiscard]] const clang::VarDecl* position(const clang::Expr* e) const;
  // Bits that adding the expression moves a position by, as far as the text says it.
  [[nodiscard]] std::int64_t moves(const Facts& facts, const clang::Expr* by, const clang::VarDecl* position) const;
  // The same as a number, in the position's units; kAnything when the text doesn't say.
  [[nodiscard]] std::int64_t value(const Facts& facts, const clang::Expr* e, const clang::VarDecl* position) const;
  // Does the stream hold so much?
  [[nodiscard]] bool holds(const Facts& facts, const clang::VarDecl* stream, const clang::Expr* amount,
                           Unit unit) const;

 private:
  [[nodiscard]] std::optional<std::int64_t> limit(const clang::Expr* e) const;
  [[nodiscard]] std::int64_t step_of(const clang::Expr* room, const clang::VarDecl* position) const;
  [[nodiscard]] const clang::VarDecl* room_for(const clang::Expr* e) const;
  [[nodiscard]] std::set<std::string> at_most(const clang::Expr* e) const;
  [[nodiscard]] const clang::VarDecl* below_same(const clang::Expr* e) const;
  [[nodiscard]] std::optional<Place> stepped(const Facts& facts, const clang::Expr* e) const;
  void assign(Facts& facts, const clang::VarDecl* target, const clang::Expr* value) const;
  void add(Facts& facts, const clang::VarDecl* target, const clang::Expr* by) const;
  void call(Facts& facts, const clang::CallExpr* call) const;
  void not_more(Facts& facts, const clang::Expr* small, const clang::Expr* large, bool less) const;
  void hold(Facts& facts, const clang::VarDecl* stream, const clang::Expr* amount, Unit unit) const;
  [[nodiscard]] std::string text(const clang::Expr* e) const { return spelled(e, context_); }

  const clang::ASTContext& context_;
};

}  // namespace sluice::emitted
