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
#include <optional>
#include <string>

#include "tests/emitted/bounds.h"
#include "tests/emitted/facts.h"

namespace sluice::emitted {

class Margins {
 public:
  explicit Margins(const clang::ASTContext& context) : context_(context), bounds_(context) {}

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
  [[nodiscard]] std::optional<Place> stepped(const Facts& facts, const clang::Expr* e) const;
  [[nodiscard]] std::optional<Amount> some_of(const Facts& facts, const clang::Expr* e) const;
  void assign(Facts& facts, const clang::VarDecl* target, const clang::Expr* value) const;
  void add(Facts& facts, const clang::VarDecl* target, const clang::Expr* by) const;
  void call(Facts& facts, const clang::CallExpr* call) const;
  void not_more(Facts& facts, const clang::Expr* small, const clang::Expr* large, bool less) const;
  void hold(Facts& facts, const clang::VarDecl* stream, const clang::Expr* amount, Unit unit) const;
  [[nodiscard]] std::string text(const clang::Expr* e) const { return spelled(e, context_); }

  const clang::ASTContext& context_;
  const Bounds bounds_;
};

}  // namespace sluice::emitted
