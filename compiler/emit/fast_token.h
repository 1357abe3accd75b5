#pragma once
// The inside of a fast loop: emits one token's statements and sums what they cost.
#include <set>

#include "compiler/emit/expr.h"
#include "compiler/emit/fast_loop.h"
#include "compiler/emit/writer.h"

namespace sluice::emit {

// Bytes a token may take from, or add to, a buffer without a test of its own.
struct Cost {
  std::uint64_t in = 0, out = 0;
  std::uint64_t bits = 0;  // positional loops: bits of input, instead of `in`
};

class FastToken : public StreamView {
 public:
  // `outer`: slots of the rule that are set outside the loop. `rows`: several tokens may be done in one step.
  // `positional`: fields are read at a bit position instead of through the bit buffer.
  FastToken(const Context& context, std::uint32_t rule, std::set<std::uint32_t> outer, bool rows, bool positional,
            std::vector<CodeTable>& tables)
      : context_(context),
        outer_(std::move(outer)),
        rows_(rows),
        positional_(positional),
        tables_(tables),
        printer_(context, *this) {
    scopes_.push_back({rule, "", "", ""});
  }

  // Emits the loop body. False: the loop can't be fast, reason() says why.
  bool emit(const ir::Block& body);

  std::string text() const { return writer_.text(); }
  const std::string& declarations() const { return declarations_; }
  const std::string& prologue() const { return prologue_; }  // before the loop, once the buffer is set up
  // Names in the prologue: widths of fields that are the same in every token.
  const std::vector<std::string>& steady_widths() const { return steady_widths_; }
  const std::string& reason() const { return reason_; }
  Cost cost() const { return cost_; }
  // Slots of the loop's rule: those only read, and those a token changes for the next one.
  std::set<std::uint32_t> captured() const;
  const std::set<std::uint32_t>& carried() const { return carried_; }

  // StreamView
  std::optional<std::string> stream(const ir::Expr&) const override;
  std::string local(std::uint32_t slot) const override;
  const char* scratch() const override { return "m"; }  // a local: no store to the output can change it

 private:
  using List = std::vector<const ir::Stmt*>;
  struct Scope {
    std::uint32_t rule;
    std::string prefix;
    std::string result, done;
  };

  bool list(const List&);  // false: control has left the token
  bool statement(const ir::Stmt&, const List& rest, bool& rest_done);
  bool leave(const std::string& why);  // always false
  bool read(const ir::ReadSpec&, const std::string& target);
  bool symbol(const ir::Stmt&, const List& rest, bool& rest_done);
  bool literals(const ir::Stmt&);
  bool run(const ir::Stmt&);
  bool copy(const ir::Stmt&);
  bool emit_symbol(const ir::Stmt&);
  bool call(const ir::Stmt&);
  bool inner_loop(const ir::Stmt&);
  bool branch(const ir::Stmt&);
  bool is_return_tail(const ir::Stmt&, const List& rest) const;

  void need_bits(unsigned n);  // refill unless n bits are there
  void refill();
  void preload();                          // the next token's first look-up, if the token starts with one
  std::string define(std::uint32_t slot);  // its name, declared once
  std::string temporary(const char* stem);
  std::optional<std::string> value(const ir::Expr& e) { return printer_.print(e); }
  std::optional<std::string> value_u64(const ir::Expr& e) { return printer_.print_u64(e); }
  const char* buffer() const { return context_.msb() ? "prim::BitBuffer<true>" : "prim::BitBuffer<false>"; }

  const char* input_past() const { return positional_ ? "bit > bit_limit" : "in > in_limit"; }
  bool same_in_every_token(const ir::Expr&) const;
  bool read_at(const ir::ReadSpec&, const std::string& target, const std::string& width, unsigned most);
  void mark_token();  // what follows is a token's start: leaving returns here

  const Context& context_;
  const std::set<std::uint32_t> outer_;
  const bool rows_, positional_;
  std::vector<CodeTable>& tables_;
  ExprPrinter printer_;
  Writer writer_;
  std::string declarations_, prologue_;
  std::string preload_;  // statement of the look-up that starts every token; empty: none
  std::vector<std::string> steady_widths_;
  unsigned preload_depth_ = 0;  // conditional_ of the arm that ends with it
  bool last_copy_ = false;      // the copy being emitted ends the token
  bool preloaded_ = false;
  std::set<std::string> declared_;
  mutable std::set<std::uint32_t> reads_;
  std::set<std::uint32_t> writes_, carried_;
  std::vector<Scope> scopes_;
  Cost cost_;
  unsigned sure_bits_ = 0;    // bits surely in the buffer
  unsigned conditional_ = 0;  // depth of if/arm; 0: every token passes here
  unsigned inner_loops_ = 0;
  unsigned counter_ = 0;
  bool at_start_ = true;  // nothing of the token has been done
  bool outputs_ = false;
  bool failed_ = false;
  std::string reason_;
};

}  // namespace sluice::emit
