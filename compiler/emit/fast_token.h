#pragma once
// The inside of a fast loop: emits one token's statements and sums what they cost.
#include <algorithm>
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

// What a token's text needs around it: kept as it is written, for the text itself is nobody's to read.
struct TokenNeeds {
  bool leaves = false;   // it jumps to `leave`
  bool window = false;   // `window`, where copies may reach back to
  bool copies = false;   // `later`, which takes them
  bool limits = false;   // it tests a limit itself
  bool scratch = false;  // `m`, the chunk's arrays and tables
  unsigned gotos = 0, breaks = 0;  // jumps out of the statement that is being written
};

// note [token budget]: a fast loop holds its token's rules where they are called, and what follows a symbol once for each
// kind of symbol, so its text could grow exponentially with the description. It gets none when it would hold more than
// this many statements: text, code and time to make them then grow with the number of loops and no faster. About eight
// times the largest token of our formats (deflate's: 30 statements, which make 4 KiB of code), and so much code as still
// fits the 32 KiB of an instruction cache.
inline constexpr unsigned kMaxTokenStatements = 256;

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

  // Tokens of a kernel's loop that its lanes take side by side: every token has the same shape, none needs what another
  // did but for running sums. See lanes_loop.h.
  void side_by_side(std::uint32_t loop_slot, std::set<std::uint32_t> set_in_loop) {
    own_lanes_.outer = outer_;
    own_lanes_.loop_slot = loop_slot;
    own_lanes_.set_in_loop = std::move(set_in_loop);
    lanes_ = &own_lanes_;
  }
  // Tokens that hold counted loops of their own, which make output: see deep_token.cpp. `aligned`: every token starts
  // at a byte boundary. A token that would store to one of `guarded` (it also reads them) is left.
  void deep(bool aligned, std::set<std::uint32_t> guarded) {
    deep_ = true;
    phase_ = aligned ? 0 : kUnknownPhase;
    guarded_ = std::move(guarded);
  }
  // Bits that a token takes, as terms of a sum; the slots that are running sums; does a token test anything?
  const std::vector<std::string>& strides() const { return own_lanes_.strides; }
  const std::set<std::uint32_t>& sums() const { return own_lanes_.sums; }
  bool tests() const { return own_lanes_.tests; }
  bool stores_elements() const { return own_lanes_.stores_elements; }

  // Emits the loop body. False: the loop can't be fast, reason() says why.
  bool emit(const ir::Block& body);

  std::string text() const { return writer_.text(); }
  const TokenNeeds& needs() const { return uses_; }
  const std::string& declarations() const { return declarations_; }  // in each token
  const std::string& tables() const { return table_pointers_; }      // before the loop
  const std::string& prologue() const { return prologue_; }  // before the loop, once the buffer is set up
  // Names in the prologue: widths of fields that are the same in every token.
  const std::vector<std::string>& steady_widths() const { return steady_widths_; }
  // Outputs that a step may make before its last token.
  unsigned row() const { return row_; }
  const std::string& reason() const { return reason_; }
  Cost cost() const { return cost_; }
  // Slots of the loop's rule: those only read, and those a token changes for the next one.
  std::set<std::uint32_t> captured() const;
  const std::set<std::uint32_t>& carried() const { return carried_; }
  // Globals that it reads or sets, and those that it sets. They are locals of the loop, for a store to the output might
  // change the chunk's state for all that a compiler knows.
  const std::set<std::uint32_t>& globals() const { return globals_; }
  const std::set<std::uint32_t>& set_globals() const { return set_globals_; }
  // A side-by-side token that jumps to `leave` is none: there is nothing to go back to.
  bool leaves_lanes() const { return own_lanes_.leaves; }
  const ir::Stmt* culprit() const { return culprit_; }  // the statement that reason() is about, if it is one

  // StreamView
  std::optional<std::string> stream(const ir::Expr&) const override;
  std::string local(std::uint32_t slot) const override;
  std::string global(std::uint32_t) const override;
  const char* scratch() const override {  // a local: no store to the output can change it
    uses_.scratch = true;
    return "m";
  }

 private:
  using List = std::vector<const ir::Stmt*>;
  struct Scope {
    std::uint32_t rule;
    std::string prefix;
    std::string result, done;
    bool returns = false;  // it jumps to `done`
  };

  // A counted loop inside a token in which nothing can go wrong, while it is being emitted.
  struct Inner {
    std::size_t scope = 0;            // it stands in scopes_[scope - 1]
    std::set<std::uint32_t> written;  // slots of that rule that its steps set
    std::string prologue;             // widths that are the same in every step
    std::vector<std::string> widths;  // their names
    unsigned conditional = 0;         // conditional_ of what every step does
  };

  // A symbol being read: see fast_symbol.cpp.
  struct Symbol {
    const SymbolPlan& plan;
    const ir::Code& code;
    bool chain = false;               // it begins the token, and tokens come in rows
    unsigned first = 0, longest = 0;  // bits: of a look-up, of the longest code
    std::string member = {}, table = {}, copy = {};  // Scratch's table; the local that points to it; which of the code's copies
    std::string entry = {};           // local: the table's entry

    unsigned most() const {  // bits, with the extra bits of its arms
      unsigned extra = 0;
      for (const SymbolArm& arm : plan.arms) extra = std::max(extra, arm.max_extra);
      return longest + extra;
    }
  };

  bool list(const List&);  // false: control has left the token
  bool statement(const ir::Stmt&, const List& rest, bool& rest_done);
  bool leave(const std::string& why);  // always false
  bool over_budget();                  // likewise, and the loop gets no fast form
  bool read(const ir::ReadSpec&, const std::string& target);
  bool symbol(const ir::Stmt&, const List& rest, bool& rest_done);
  bool choose_table(const ir::Stmt&, Symbol&);  // false: it has left
  void row_of_symbols(const Symbol&, const std::string& look);
  void store_symbol(const Symbol&);
  void long_code(const Symbol&);
  bool symbol_arms(const Symbol&);
  bool symbol_arm(const Symbol&, const SymbolArm&);
  bool literals(const ir::Stmt&);
  bool run(const ir::Stmt&);
  bool copy(const ir::Stmt&);
  bool emit_symbol(const ir::Stmt&);
  bool call(const ir::Stmt&, bool last);  // `last`: nothing follows it in its block
  bool inner_loop(const ir::Stmt&);
  bool branch(const ir::Stmt&, const List& tail, bool chained = false);
  bool other_arm(const ir::Block&, const List& tail);
  // Where the text stands, to take back what is written from here on.
  struct Mark {
    std::size_t size;
    Cost cost;
    bool outputs, returns;
    TokenNeeds uses;
  };
  Mark mark() const { return {writer_.text().size(), cost_, outputs_, scopes_.back().returns, uses_}; }
  void back_to(const Mark& m) {
    writer_.cut(m.size);
    cost_ = m.cost;
    outputs_ = m.outputs;
    scopes_.back().returns = m.returns;
    uses_ = m.uses;
  }
  bool arm(const ir::Block&, const List& tail);
  bool sure_loop(const ir::Stmt&);
  bool same_in_every_step(const ir::Expr&) const;
  static bool safe_without_steps(const ir::Expr&);
  bool align(const ir::Stmt&);
  bool aligned_varint(const ir::ReadSpec&, const std::string& target);
  void fixed_field(const ir::ReadSpec&, const std::string& target);
  bool is_return_tail(const ir::Stmt&, const List& rest) const;

  void need_bits(unsigned n);  // refill unless n bits are there
  void refill();
  void preload();                          // the next token's first look-up, if the token starts with one
  std::string define(std::uint32_t slot);  // its name, declared once
  std::string temporary(const char* stem);
  std::optional<std::string> value(const ir::Expr& e) { return printer_.print(e); }
  std::optional<std::string> value_u64(const ir::Expr& e) { return printer_.print_u64(e); }
  const char* buffer() const { return context_.msb() ? "prim::BitBuffer<true>" : "prim::BitBuffer<false>"; }

  // Text that the loop around must provide something for.
  const char* go_leave() {
    uses_.leaves = true;
    ++uses_.gotos;
    if (lanes_) lanes_->leaves = true;
    return "goto leave;";
  }
  const char* go_bad() {  // of a lane among others
    lanes_->tests = true;
    ++uses_.breaks;
    return "{ bad = true; break; }";
  }
  const char* input_past() {
    uses_.limits = true;
    return positional_ ? "bit > bit_limit" : "in > in_limit";
  }
  std::string lacks_output(const std::string& bytes) {
    uses_.limits = true;
    return fmt::format("out > out_limit || {} > (u64)(out_limit - out)", bytes);
  }
  bool same_in_every_token(const ir::Expr&) const;
  // `whole`: width and position are known to be multiples of 8.
  bool read_at(const ir::ReadSpec&, const std::string& target, const std::string& width, unsigned most,
               bool whole = false);
  bool lanes_statement(const ir::Stmt&);  // false: lanes can't do it; otherwise the caller emits it as ever
  bool running_sum(const ir::Stmt&);
  bool lanes_inner(const ir::Stmt&);  // a loop inside a token
  bool own_index(const ir::Expr&) const;
  void mark_token();  // what follows is a token's start: leaving returns here

  const Context& context_;
  const std::set<std::uint32_t> outer_;
  const bool rows_, positional_;
  std::vector<CodeTable>& tables_;
  ExprPrinter printer_;
  Writer writer_;
  std::string declarations_, table_pointers_;
  mutable TokenNeeds uses_;
  mutable std::set<std::uint32_t> globals_;
  std::set<std::uint32_t> set_globals_;
  const ir::Stmt* current_ = nullptr;  // the statement being written
  const ir::Stmt* culprit_ = nullptr;
  mutable std::string prologue_;
  mutable unsigned views_ = 0;
  std::string preload_;  // statement of the look-up that starts every token; empty: none
  std::vector<std::string> steady_widths_;
  unsigned row_ = 0;
  unsigned preload_depth_ = 0;  // conditional_ of the arm that ends with it
  bool last_copy_ = false;      // the copy being emitted ends the token
  bool token_ends_ = true;      // with the rule being emitted: nothing follows its call
  bool preloaded_ = false;
  std::set<std::string> declared_;
  mutable std::set<std::uint32_t> reads_;
  std::set<std::uint32_t> writes_, carried_;
  std::vector<Scope> scopes_;
  Cost cost_;
  static constexpr unsigned kLaneBits = 33;  // that prim::LaneBits has behind a refill
  unsigned sure_bits_ = 0;                   // bits surely in the buffer
  unsigned needs_ = 0;        // need_bits() that were no refill
  unsigned conditional_ = 0;  // depth of if/arm; 0: every token passes here
  unsigned inner_loops_ = 0;
  unsigned counter_ = 0;
  unsigned statements_ = 0;  // emitted: note [token budget]
  static constexpr unsigned kUnknownPhase = 8;
  bool deep_ = false;
  bool gone_ = false;               // the statements just emitted end by leaving, whatever happens
  unsigned phase_ = kUnknownPhase;  // deep: bits past a byte boundary
  std::string word_;                // deep: local that holds the stream from a point before `bit` on; empty: none does
  unsigned word_bits_ = 0, word_used_ = 0;  // how many of its bits are valid, how many stand before `bit`
  std::set<std::uint32_t> guarded_;
  Inner* inner_ = nullptr;
  struct Lanes {
    std::set<std::uint32_t> outer, set_in_loop;  // slots of the loop's rule
    std::uint32_t loop_slot = ir::Stmt::kNoSlot;
    std::size_t scope = 1;     // scopes_.size() of the loop
    unsigned conditional = 0;  // conditional_ of its body
    std::vector<std::string> strides;
    std::set<std::uint32_t> sums;
    bool tests = false, stores_elements = false;
    bool leaves = false;  // it jumps to `leave`
  };
  Lanes own_lanes_;
  Lanes* lanes_ = nullptr;  // the loop whose steps are being emitted goes side by side
  bool at_start_ = true;    // nothing of the token has been done
  bool outputs_ = false;
  bool failed_ = false;
  std::string reason_;
};

}  // namespace sluice::emit
