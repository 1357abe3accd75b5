#pragma once
// One token of a loop: its statements in the forms that the loop's mode allows, and what they read and set.
//
//   read %0 fixed u6        ->   need 6           the buffer surely holds so much from here on
//   emit (shl %0 2)              field %0 look 6
//                                store (shl %0 2)
//
// A statement that no form does leaves the token: where some of them are done it costs them nothing, and a token that
// always leaves makes the loop Checked.
//
// What is where: lower_token.cpp (statements, branches, calls), lower_read.cpp (fields), lower_output.cpp (literals,
// runs, copies), lower_symbol.cpp (prefix codes), lower_inner.cpp (loops inside tokens), lower_lanes.cpp (steps side by
// side).
#include <functional>
#include <map>
#include <set>

#include "compiler/plan/plan.h"
#include "compiler/plan/symbol_arms.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {

// note [token budget]: a fast loop holds its token's rules where they are called, and what follows a symbol once for each
// kind of symbol, so its text could grow exponentially with the description. It gets none when it would hold more than
// this many statements: text, code and time to make them then grow with the number of loops and no faster. About eight
// times the largest token of our formats (deflate's: 30 statements, which make 4 KiB of code), and so much code as still
// fits the 32 KiB of an instruction cache.
inline constexpr unsigned kMaxTokenStatements = 256;

// Bits that are surely in a refilled buffer.
[[nodiscard]] constexpr unsigned refilled_bits(Target target) {
  return target == Target::Lane ? 33 : 56;  // prim::LaneBits
}

// What the lowering of a loop's token is asked for.
struct TokenMode {
  LoopForm form = LoopForm::Token;  // SideBySide, Row where tokens may come in rows, else Token
  Reader reader = Reader::Bytes;
  bool follow = false;                 // Lane, one pass: nothing but limits is tested between two tokens
  bool backward = false;               // bits are read from the end of a region
  bool pairs = false;                  // two symbols that are output as they are may be taken at once
  bool nested = false;                 // tokens may hold counted loops and end at byte boundaries
  bool aligned = false;                // nested: every token starts at a byte boundary
  std::set<std::uint32_t> outer;       // slots of the loop's rule that are set outside it
  std::set<std::uint32_t> set_inside;  // SideBySide: slots that a step sets
  std::uint32_t index = ir::Stmt::kNoSlot;
  const ir::Expr* count = nullptr;     // of steps: told by what no step changes
  std::set<std::uint32_t> guarded;     // arrays that a token may not store to, for it reads them as well
};

// What came of it.
struct LoweredToken {
  Loop loop;  // body, row, hoisted, scopes, locals, captures, carried, globals, tables, cost
  std::set<std::uint32_t> sums;  // SideBySide: slots that are running sums
  bool stuck = false;            // SideBySide: some step can't be done by a lane
  std::optional<Obstacle> obstacle;
  Value values = 0;              // how many the token has: the first one that is free
};

class TokenLowering {
 public:
  // `tables` gets those that the token looks symbols up in.
  TokenLowering(const Ground& ground, std::uint32_t rule, const TokenMode& mode, std::vector<Table>& tables);
  [[nodiscard]] LoweredToken lower(const ir::Stmt& loop);

 private:
  using List = std::vector<const ir::Stmt*>;

  // What is known of the stream's bits at this point of the token.
  struct Stream {
    static constexpr unsigned kUnknownPhase = 8;
    unsigned buffered = 0;            // bits that are in the buffer, whatever the data
    unsigned beyond = 0;              // bits that it shows behind those: of a CPU
    unsigned likely = 0;              // bits that are in the buffer most often: of a CPU, where fields alone have been read since the refill
    unsigned phase = kUnknownPhase;   // bits past a byte boundary
    Value word = kNoValue;            // that holds the stream from a point before the position on
    unsigned word_bits = 0, word_used = 0;  // how many of its bits are valid, how many stand before the position

    void forget_word() { word = kNoValue; }
    void forget_phase() { phase = kUnknownPhase; }
    void forget() { *this = Stream(); }
  };
  // Where in the token this point is.
  struct Depth {
    unsigned conditional = 0;  // branches and loops around it; 0: every token passes here
    unsigned loops = 0;        // of its rule, around it
    bool at_start = true;      // nothing of the token has been done
    bool ends_token = true;    // nothing follows the call of its rule
  };
  // A counted loop inside the token, in which nothing may go wrong.
  struct Inner {
    std::size_t calls = 0;            // stack_.size() where it stands
    std::set<std::uint32_t> written;  // slots of that rule that its steps set
    unsigned conditional = 0;         // of what every step does
    std::vector<Width> widths;        // that are the same in every step
  };
  // Steps that are done side by side: the token's own loop, or one inside it.
  struct Lanes {
    std::set<std::uint32_t> outer, set_inside;
    std::uint32_t index = ir::Stmt::kNoSlot;
    std::size_t calls = 1;
    unsigned conditional = 0;
    std::set<std::uint32_t> sums;
    bool stuck = false;
    bool in_order = false;  // lanes do none of it
    std::map<std::uint32_t, const ir::Expr*> stored;  // of arrays: the element that each step stores to
  };
  // Rows of symbols: what the next token begins with.
  struct Ahead {
    unsigned conditional = 0;  // of an arm's end
    bool copy_ends_arm = false, done = false;
  };

  const ir::Module& module() const { return ground_.module; }
  bool bytes() const { return mode_.reader == Reader::Bytes; }
  const ir::Rule& rule() const { return module().rules[loop_.scopes[stack_.back()].rule]; }

  // ---- lower_token.cpp
  bool list(const List&);  // false: control has left the token
  bool each_of(const List&);  // likewise
  bool statement(const ir::Stmt&, const List& rest, bool& rest_done);
  bool leave(const char* why);  // always false
  bool over_budget();           // likewise, and the loop is Checked
  bool branch(const ir::Stmt&, const List& tail, bool chained);
  bool holds_but_last(const ir::Expr&) const;
  bool other_arm(const ir::Block&, const List& tail, If&);
  Body arm(const ir::Block&, const List& tail, bool& falls);
  bool call(const ir::Stmt&, bool last);
  bool returns(const ir::Stmt&, const List& rest);
  bool set_element(const ir::Stmt&);
  // The body that `f` makes.
  Body collect(const std::function<void()>& f);
  void add(Statement what, Cost cost = {});
  Value number(unsigned count = 1);
  Local define(std::uint32_t slot);
  bool until(const ir::Stmt& loop);  // false: the token leaves
  // Empty: it needs the input's exact position.
  std::optional<Operand> operand(const ir::Expr&);
  bool known(const ir::Expr&);
  void collect_captures();

  // ---- lower_read.cpp
  bool read(const ir::ReadSpec&, Field);
  bool fixed(const ir::ReadSpec&, Field);
  bool computed(const ir::ReadSpec&, Field);
  bool in_stream_order(const ir::ReadSpec&) const;
  bool varint(const ir::ReadSpec&, Field);
  bool ranges(const ir::ReadSpec&, Field);
  bool in_word(Field);
  bool at_position(Field, bool whole);
  void hoist_or_add(const ir::ReadSpec&, Width);
  void need(unsigned bits);
  bool raise_need(unsigned bits);
  void consume(unsigned most, unsigned likely);
  bool shows(unsigned bits) const { return ground_.target == Target::Cpu && stream_.buffered + stream_.beyond >= bits; }
  void refill();
  bool same_in_every_token(const ir::Expr&) const;
  bool same_in_every_step(const ir::Expr&) const;
  bool align(const ir::Stmt&);
  bool skip(const ir::Stmt&);

  // ---- lower_output.cpp
  bool literals(const ir::Stmt&);
  bool each_literal(const ir::Stmt&, Literals);
  bool run(const ir::Stmt&);
  bool copy(const ir::Stmt&);
  bool slice(const ir::Stmt&);
  bool symbol_bytes(const ir::Stmt&);

  // ---- lower_symbol.cpp
  bool symbol(const ir::Stmt&, const List& rest, bool& rest_done);
  std::uint32_t table_for(const SymbolArms&, bool pairs);
  void row_of_symbols(const Symbol&, unsigned most, bool several);
  Cost symbols_again(Symbol&, unsigned most);
  bool symbol_arms(Symbol&, const SymbolArms&);
  bool symbol_arm(const Symbol&, SymbolArm&, const SymbolArms&, const ArmOfSymbols&);
  void look_ahead();
  void need_for(Symbol& y, unsigned most);

  // ---- lower_inner.cpp
  bool inner_loop(const ir::Stmt&);
  bool fills(const ir::Stmt&);
  bool repeat(const ir::Stmt&);
  bool unchecked(const ir::Stmt&);
  Body steps_of(const ir::Stmt&, Inner&, bool& falls);

  // ---- lower_lanes.cpp
  bool lane_does(const ir::Stmt&);
  bool running_sum(const ir::Stmt&);
  bool own_index(const ir::Expr&) const;
  bool own_element(const ir::Stmt&);
  bool side_by_side(const ir::Stmt&);
  std::optional<SideBySide> shared_steps(const ir::Stmt&, bool in_order);

  const Ground& ground_;
  const TokenMode& mode_;
  std::vector<Table>& tables_;
  Loop loop_;  // the result
  std::optional<Obstacle> obstacle_;

  Body* body_ = &loop_.body;        // that is being made
  std::vector<ScopeId> stack_{0};   // calls
  const ir::Stmt* current_ = nullptr;  // that is being lowered: whose span steps get
  Stream stream_;
  Depth depth_;
  Inner* inner_ = nullptr;
  Lanes own_lanes_;
  Lanes* lanes_ = nullptr;
  Ahead ahead_;
  bool gone_ = false;  // the statements just made end by leaving, whatever happens
  unsigned needs_ = 0;       // that were no refill
  struct LastNeed {
    std::size_t at = 0;   // in the body that is being made, with nothing but fields and values behind it
    unsigned likely = 0;  // bits that are there most often
  };
  std::optional<LastNeed> last_need_;  // of a CPU
  unsigned statements_ = 0;  // note [token budget]
  Value numbers_ = 0;
  std::set<Local> declared_;
  std::set<std::uint32_t> reads_, writes_, carried_, globals_, set_globals_;
};

// A loop on its own, its path and number still to be filled in (lower.cpp). `plan` gets the tables that it needs.
[[nodiscard]] Loop lower_loop(const Ground& ground, Plan& plan, std::uint32_t rule, const ir::Stmt& loop);

// A node of an expression that may be computed before a loop that then makes no step. A divisor may be known not to be
// 0 because there is a step.
[[nodiscard]] bool safe_without_steps(const ir::Expr& e);
// Slots of the rule that the block sets.
void collect_set(const ir::Block& block, std::set<std::uint32_t>& slots);
[[nodiscard]] std::vector<const ir::Stmt*> pointers(const ir::Block& block);
[[nodiscard]] inline bool is_constant(const ir::Expr& e, std::uint64_t v) {
  return e.op == ir::Op::Const && e.imm == v;
}

}  // namespace sluice::plan
