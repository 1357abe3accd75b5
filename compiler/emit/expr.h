#pragma once
// IR expressions as C text.
//
//   (add %2 (shl %0 3))   ->   count_2 + (tag_0 << 3)
//
// A value is a u64, or an i64 when its type is signed; where the view holds words, one that fits may be a u32 (note
// [widths] in plan/width.h). What depends on where the decoder stands (checked path or fast loop) is asked of a StreamView.
#include <optional>
#include <string>

#include "compiler/emit/context.h"

namespace sluice::emit {

struct ExprText {
  std::string text;
  bool atom = false;   // needs no parentheses as an operand
  bool minus = false;  // begins with a minus
};

// How the surrounding code holds the stream. An empty answer: this loop can't say (a fast loop then isn't built).
struct StreamView {
  virtual ~StreamView() = default;
  virtual std::optional<ExprText> stream(const ir::Expr&) const = 0;  // Remaining, AtEnd, Produced, Peek, Checksum...
  virtual std::string local(std::uint32_t slot) const = 0;
  virtual std::string global(std::uint32_t) const = 0;
  virtual const char* scratch() const { return "s.m"; }  // pointer to the chunk's arrays
  virtual bool words() const { return false; }           // numbers may be held in 32 bits
  virtual bool wide(const ir::Expr&) const { return false; }  // the operator is to be given 64 bits
};

class ExprPrinter {
 public:
  ExprPrinter(const Context& context, const StreamView& view) : context_(context), view_(view) {}

  // The whole expression; empty when the view can't say.
  std::optional<std::string> print(const ir::Expr&) const;
  // The same, held as u64 whatever its sign.
  std::optional<std::string> print_u64(const ir::Expr&) const;

 private:
  std::optional<ExprText> text(const ir::Expr&) const;
  std::optional<std::string> operand(const ir::Expr&, bool is_signed, bool wide = false) const;
  std::optional<ExprText> operand_text(const ir::Expr&, bool is_signed, bool wide) const;
  std::optional<std::string> first_operand(const ir::Expr&, bool is_signed, bool wide) const;
  std::optional<ExprText> binary(const ir::Expr&, const char* op) const;
  std::string literal(std::uint64_t value, bool is_signed, bool wide) const;
  const char* element_type(const ir::Expr&) const;
  const Context& context_;
  const StreamView& view_;
};

// A constant of that signedness; `wide`: with its 64-bit suffix even where int would do.
std::string constant(std::uint64_t value, bool is_signed, bool wide);

}  // namespace sluice::emit
