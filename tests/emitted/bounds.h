#pragma once
// What an expression says of limits: margins, room, minima.
//
//   in_limit = in_end - 77                     limit(in_limit) is 77 bytes
//   (u64)(out_limit - out) / 8                 room for what is counted from `out`, in steps of 8 bytes
//   n < left ? n : left                        at most n, and at most left
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "clang/AST/ASTContext.h"
#include "tests/emitted/tree.h"

namespace sluice::emitted {

// Bits of one unit of a position.
[[nodiscard]] std::int64_t unit_of(const clang::VarDecl* position);
// What a local variable starts with; null: it is none, or starts with nothing.
[[nodiscard]] const clang::Expr* start_of(const clang::Expr* e);
// `s.end - s.pos`, `s.out_end - s.produced`
[[nodiscard]] bool difference(const clang::Expr* e, llvm::StringRef end, llvm::StringRef from);

class Bounds {
 public:
  explicit Bounds(const clang::ASTContext& context) : context_(context) {}

  [[nodiscard]] std::optional<std::int64_t> limit(const clang::Expr* e) const;
  // The position and the bits of its margin.
  [[nodiscard]] std::optional<std::pair<const clang::VarDecl*, std::int64_t>> part_end(const clang::Expr* e) const;
  [[nodiscard]] std::int64_t step_of(const clang::Expr* room, const clang::VarDecl* position) const;
  [[nodiscard]] const clang::VarDecl* room_for(const clang::Expr* e) const;
  [[nodiscard]] std::set<std::string> at_most(const clang::Expr* e) const;
  [[nodiscard]] const clang::VarDecl* below_same(const clang::Expr* e) const;

 private:
  [[nodiscard]] std::string text(const clang::Expr* e) const { return spelled(e, context_); }

  const clang::ASTContext& context_;
};

}  // namespace sluice::emitted
