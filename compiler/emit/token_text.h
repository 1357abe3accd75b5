#pragma once
// Steps of a plan as C text.
//
//   field %0 look 6               ->   v0_x = Bits::look(b, 6);
//                                      Bits::drop(b, src, in, 6);
//   store (shl %0 2)                   prim::store<1>(out, v0_x << 2);
//   out of the token                   goto leave;
//
// What stands around the text provides src, in or bit, out, the limits, and `leave` (loop_text.cpp). What is where:
// token_text.cpp (statements, control), token_fields.cpp (fields), token_outputs.cpp (literals, runs, copies, symbols),
// token_loops.cpp (loops inside tokens).
#include <algorithm>
#include <functional>
#include <map>

#include "compiler/emit/expr.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/joined.h"
#include "compiler/plan/locals.h"
#include "compiler/plan/plan.h"

namespace sluice::emit {

class TokenText : public StreamView {
 public:
  // `side_by_side`: the loop's steps are.
  // `reading`: only the steps of that one, of a token that is taken as a record; none: the token decoded whole.
  // `code`: it is asked what its first byte stands for, whatever its records are.
  TokenText(const Context& context, const plan::Plan& plan, const plan::Loop& loop,
            std::optional<plan::Reading> reading = std::nullopt, bool code = false);

  // Writes the steps where the writer stands.
  void write(Writer&, const plan::Body&);
  // What stands before the loop.
  void write_hoisted(Writer&);
  // The token's own variables.
  void write_locals(Writer&) const;
  // What stores to arrays are put back by when the token is left, and where it is: see plan/redo.h. The first returns what is done
  // where a token starts.
  std::string write_undo(Writer&) const;
  void undo(Writer&) const;
  // What is held of the token before the first one, where tokens begin as those before them: see plan/joined.h.
  void write_held(Writer&);
  // Does what has been written go to `leave`?
  bool leaves() const { return leaves_; }
  // What a token does to those of what it carries, and nothing else.
  void write_carried(Writer&, const std::vector<plan::Local>&);
  // How many bytes a token has, where its first one tells; and its record.
  void write_size_by_first_byte(Writer&, const plan::FirstByte&);
  void write_parts_by_first_byte(Writer&, const plan::FirstByte&);

  // For as many steps as `unchecked` says, a name in scope, all of which fit: loops that test their count and nothing else.
  // `before` and `after` write what a step begins and ends with.
  struct UncheckedSteps {
    const plan::Body& body;
    std::vector<plan::Value> widths;  // the same in every step
    plan::Value only_field = plan::kNoValue;
    std::function<void(Writer&)> before, after;
    plan::Value count = plan::kNoValue;  // that `unchecked` names; none: a number of 64 bits
  };
  void write_unchecked_steps(Writer&, const UncheckedSteps&, const std::string& unchecked);
  // All of them by one primitive: see plan/unpacked_steps.h.
  void write_unpacked(Writer&, const UncheckedSteps&, plan::Unpacked, const std::string& unchecked);

  // Likewise, where they keep sums in an array, with steps one by one beside: see plan/kept_sums.h.
  void write_kept_sums(Writer&, const UncheckedSteps&, const std::string& unchecked);

  std::string first_out;  // where the output begins: a pointer's name, or none, then it is asked of the stream
  // Of the warp's or a CPU's loop, which has at hand how many elements buffers hold: it changes none.
  bool counts_at_hand = false;
  std::string ending;         // what the names of the stream's variables end in: of two chunks', which are done in turn (plan/told.h)
  bool of_fills = false;  // the token fills an array, and is asked for a round: plan/fills.h
  bool own_ = false;    // the step is one of note [own] of plan/chain.h
  bool tagged = false;  // all is of 64 bits: note [moves] of runtime/prim/cuda/late.h
  static std::string count_of(const Context& context, std::uint32_t b) { return "count_of_" + context.buffer(b); }
  static std::string start_of(const Context& context, std::uint32_t b) { return "start_of_" + context.buffer(b); }
  // May `out` be a place that nothing is stored at (runtime/prim/place.h)?
  bool counting() const { return loop_.counts && loop_.reader != plan::Reader::Lane; }
  // Is it a count of what a part has made, and where that is noted?
  bool leaves_entries() const { return context_.entries && loop_.reader == plan::Reader::Lane; }
  // How many bytes of output lie before that place.
  std::string bytes_of(std::string_view out) const {
    if (reading_ == plan::Reading::Late) return std::string(out);
    if (leaves_entries()) return context_.format("prim::made({})", out);
    if (!first_out.empty()) return counting() ? fmt::format("Output::bytes({}, {})", first_out, out) : fmt::format("(u64)({} - {})", out, first_out);
    return counting() ? fmt::format("Output::bytes(s, {})", out) : fmt::format("(u64)({} - s.out)", out);
  }
  // Bits that a step of a lane takes, as a sum.
  std::string stride(const plan::Body&) const;
  std::string name(plan::Local) const;
  ir::Type type_of(plan::Local) const;
  // The C type that holds it: the plan says where a word is enough (note [widths] in plan/width.h).
  const char* held_as(plan::Local) const;
  const char* held_as(plan::Value value) const { return is_narrow(value) ? "u32" : "u64"; }
  bool reads(plan::Local local) const { return use_.read.contains(local); }
  std::string text(const plan::Operand& o) { return value(o); }

  // StreamView
  std::optional<ExprText> stream(const ir::Expr&) const override;
  std::string local(std::uint32_t slot) const override { return name(plan::Local{scope_, slot}); }
  std::string global(std::uint32_t g) const override { return context_.global(g); }
  const char* scratch() const override { return "m"; }  // a local: no store to the output can change it
  bool words() const override { return !tagged && plan::on_gpu(plan_.target); }
  bool wide(const ir::Expr& e) const override { return tagged || std::ranges::find(wide_, &e) != wide_.end(); }

 private:
  [[nodiscard]] std::vector<const plan::SetElement*> stores_to_undo() const;
  void step(const plan::Step&);
  void operator()(const plan::Refill&);
  void operator()(const plan::Need&);
  void operator()(const plan::Width&);
  void operator()(const plan::Word&);
  void operator()(const plan::Field&);
  void operator()(const plan::Drop&);
  void operator()(const plan::Let&);
  void operator()(const plan::Sum&);
  void operator()(const plan::SetGlobal&);
  void operator()(const plan::SetElement&);
  void operator()(const plan::Store&);
  void operator()(const plan::Literals&);
  void operator()(const plan::Run&);
  void operator()(const plan::Copy&);
  void operator()(const plan::Slice&);
  void operator()(const plan::SymbolBytes&);
  void operator()(const plan::PickTable&);
  void operator()(const plan::Symbol&);
  void operator()(const plan::LookAhead&);
  void operator()(const plan::If&);
  void operator()(const plan::Inline&);
  void operator()(const plan::Exit&);
  void operator()(const plan::Repeat&);
  void operator()(const plan::Unchecked&);
  void operator()(const plan::SideBySide&);
  void operator()(const plan::Check&);
  void operator()(const plan::Leave&);
  void operator()(const plan::Break&);
  void operator()(const plan::Align&);
  void operator()(const plan::Skip&);

  // Is the token taken as a record of values?
  static bool surely_left(const plan::Body& steps);
  static std::uint32_t array_read(const plan::Body& steps);
  void listed(const plan::SideBySide& s);
  bool values() const { return reading_ && !code_ && loop_.records->values.has_value(); }
  void body(const plan::Body&);
  void joined(const plan::Step& copies, const plan::Step& literals);
  std::string address(const plan::ArrayPlace& place);
  static std::string farthest(const plan::Operand& o, bool either_side);
  void load(const plan::Field&);
  std::string load_name(unsigned bytes, bool big) const;
  void look(const plan::Field&);
  void open_look(const plan::Field&);
  void look_at_once(plan::Value once);
  std::string looked_at(const plan::Field&, const std::string& n) const;
  void drop_looked_at(const plan::Field&, const std::string& n);
  void at_position(const plan::Field&);
  void varint(const plan::Field&);
  void take(const plan::Symbol&, const plan::SymbolArm&);
  void long_code(const plan::Symbol&);
  void row(const plan::Symbol&);
  void again(const plan::Symbol&);
  // A lane that guesses takes symbols one by one.
  bool in_row(const plan::Symbol& s) const { return s.in_row && !reading_; }
  void arms(const plan::Symbol&);
  void declare_both(plan::Value values, const std::string& a, const std::string& of_a, const std::string& b,
                    const std::string& of_b);
  void literals_each(const plan::Literals&, const std::string& n);
  void store_symbol(const std::string& entry, bool pairs);
  void look_ahead(const plan::Copy&);
  void repeat(const plan::Copy&);
  void write_widths(const std::vector<plan::Width>&);
  void write_sums(Writer&, const plan::Body&);
  void each_unchecked_step(Writer&, const UncheckedSteps&, const std::string& unchecked);
  void unchecked_step(Writer&, const UncheckedSteps&);
  void unpacked_steps(Writer&, const UncheckedSteps&, const std::string& unchecked);

  // Is a field's first bit its highest?
  bool msb() const { return context_.msb() || loop_.backward; }
  bool is_narrow(plan::Value) const;
  // That value so many times: of 64 bits, as what it is added to.
  std::string many(const std::string& name, plan::Value value, std::uint64_t n) const {
    return times(is_narrow(value) && n != 1 ? "(u64)" + name : name, n);
  }
  void read(const plan::Operand&);
  std::string value(const plan::Operand&);
  std::string value_u64(const plan::Operand&);
  std::string target(const plan::Field&) const;
  std::string width(const plan::Field&) const;  // its number, or its name
  std::string look_up(std::uint32_t table, unsigned bits) const;
  std::string out_of_token() {
    if (lanes_ || of_fills) return "{ bad = true; break; }";
    leaves_ = true;
    return reading_ == plan::Reading::Late ? "{ if (Checks) goto leave; }" : fmt::format("goto leave{};", ending);
  }
  bool is_known(const std::vector<plan::Local>& list, plan::Local local) const {
    return std::ranges::find(list, local) != list.end();
  }
  // Is it set in this reading?
  bool is_set(plan::Local local) const {
    return !reading_ || is_known(loop_.records->late, local) == (*reading_ == plan::Reading::Late);
  }
  bool carried(const plan::Body&, const std::vector<plan::Local>& of, bool print);
  void late_arms(const plan::Symbol&, const std::function<void(const plan::SymbolArm&)>& print);
  void set(plan::Local, const plan::Operand& to);
  std::string input_past() const { return positional_ ? "bit > bit_limit" : fmt::format("in{0} > in_limit{0}", ending); }
  std::string lacks_output(const std::string& n, std::uint64_t bytes) const;  // for n times so many
  static std::string number(const char* stem, plan::Value value) { return temporary_name(stem, value); }

  const Context& context_;
  const plan::Plan& plan_;
  const plan::Loop& loop_;
  const plan::LocalUse use_;
  const bool positional_;
  const std::optional<plan::Reading> reading_;
  const bool code_;
  ExprPrinter printer_;
  Writer* w_ = nullptr;
  plan::ScopeId scope_ = 0;    // of the operand being printed
  std::vector<const ir::Expr*> wide_;  // of it: its nodes that are given 64 bits
  bool leaves_ = false;
  bool lanes_ = false;         // the steps being printed are done side by side
  std::map<plan::Value, unsigned> whole_;  // widths that are known to be so many whole bytes here
  std::vector<plan::Value> narrow_;        // widths that are known to need one load only
  plan::Value unpacked_ = plan::kNoValue;  // the width of fields that stand in an array here
  mutable unsigned views_ = 0;
};

}  // namespace sluice::emit
