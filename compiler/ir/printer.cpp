#include "compiler/ir/printer.h"

#include <fmt/format.h>

#include <iterator>

#include "compiler/ir/names.h"

namespace sluice::ir {
namespace {

std::string decimal(i128 value) {
  const bool negative = value < 0;
  std::string digits;
  do {
    const int digit = static_cast<int>(value % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  return negative ? "-" + digits : digits;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class Printer {
 public:
  explicit Printer(const Module& m) : m_(m) {}

  std::string module() {
    line(0, "module {}", quoted(m_.name));
    line(0, "input {}", name(m_.input));
    line(0, "output {}", name(m_.output));
    for (const Output& o : m_.outputs) line(0, "further {} {}", name(o.type), quoted(o.name));
    if (m_.window != 0) line(0, "window {}", m_.window);
    if (m_.has_dictionary) line(0, "dictionary");
    for (const Argument& a : m_.args) line(0, "arg {} {} {}", name(a.type), quoted(a.name), a.initial);
    for (const Slot& g : m_.globals) line(0, "global {}", slot(g));
    for (const Array& a : m_.arrays) line(0, "array {} {} {}", name(a.elem), quoted(a.name), a.count);
    for (const Table& t : m_.tables) line(0, "table {} {} {}", name(t.elem), quoted(t.name), list(t.values));
    for (const Ranges& r : m_.ranges) line(0, "ranges {} {} {}", quoted(r.name), list(r.base), list(r.extra));
    for (const Code& c : m_.codes) {
      line(0, "code {} {} {} {} {}{}", quoted(c.name), c.symbols, c.max_bits, c.copies, name(c.incomplete),
           c.longest_first ? " longest_first" : "");
    }
    for (const StateCode& c : m_.states)
      line(0, "states {} {} {} array {} log ${}", quoted(c.name), c.symbols, c.max_log, c.entries, c.log);
    for (const Buffer& b : m_.buffers) line(0, "buffer {} {}", quoted(b.name), b.limit);
    for (const Symbols& y : m_.symbols) line(0, "symbols {} {}", quoted(y.name), y.count);
    for (const std::string& mark : m_.marks) line(0, "mark {}", quoted(mark));
    for (const Assertion& a : m_.assertions) {
      line(0, "assert {} {}{}", quoted(a.fact), quoted(a.op), a.bound ? " " + std::to_string(*a.bound) : "");
    }
    for (const Rule& r : m_.rules) rule(r);
    for (const Site& s : m_.sites) line(0, "site {} {} {} {}", s.rule, s.clause, name(s.reason), quoted(s.name));
    return std::move(out_);
  }

  std::string expression(const Rule* rule, const Expr& e) {
    rule_ = rule;
    return expr(e);
  }

 private:
  template <typename... Args>
  void line(unsigned indent, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(2 * indent, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  template <typename T>
  static std::string list(const std::vector<T>& values) {
    return fmt::format("[{}]", fmt::join(values, " "));
  }

  static std::string range(Range r) { return "{" + decimal(r.lo) + ".." + decimal(r.hi) + "}"; }

  static std::string slot(const Slot& s) {
    return name(s.type) + (s.range == range_of(s.type) ? "" : range(s.range)) + ' ' + quoted(s.name) +
           (s.is_mutable ? " mutable" : "");
  }

  void rule(const Rule& r) {
    rule_ = &r;
    line(0, "rule {} {}{}", quoted(r.name), r.params, r.result ? " -> " + name(*r.result) : "");
    for (const Slot& s : r.slots) line(1, "slot {}", slot(s));
    block(1, r.body);
  }

  std::string expr(const Expr& e) {
    if (e.op == Op::Const) {
      const i128 exact = e.type.is_signed ? i128{static_cast<std::int64_t>(e.imm)} : i128{e.imm};
      return decimal(exact) + typing(e, {kU64, {exact, exact}});
    }
    const std::string suffix = typing(e, usual_typing(m_, rule_, e));
    if (e.op == Op::Local) return "%" + std::to_string(e.ref) + suffix;
    if (e.op == Op::Global) return "$" + std::to_string(e.ref) + suffix;
    const OpInfo& op = info(e.op);
    std::string text = "(" + std::string(op.name) + suffix;
    if (e.op == Op::Fits) text += " " + name(e.cast_type);
    if (e.op == Op::Peek) text += " " + std::to_string(e.imm) + (e.flag ? " big" : " little");
    if (e.op == Op::Checksum) text += fmt::format(" {} {}", name(e.algo), name(e.stream));
    if (op.ref != RefKind::None) text += " " + std::to_string(e.ref);
    if (e.op == Op::PeekBits) text += " " + std::to_string(e.imm);
    if ((e.op == Op::ConsumedSince || e.op == Op::Remaining) && e.flag) text += " bits";
    for (const ExprPtr& kid : e.kids) text += " " + expr(*kid);
    return text + ")";
  }

  static std::string typing(const Expr& e, Typing usual) {
    // A type that is not the usual one brings its own usual range; a constant's is its value.
    if (e.op != Op::Const && e.type != usual.type) usual.range = range_of(e.type);
    return (e.type == usual.type ? "" : ":" + name(e.type)) + (e.range == usual.range ? "" : range(e.range));
  }

  std::string spec(const ReadSpec& r) {
    std::string text = fmt::format("{} {}", name(r.kind), name(r.type));
    if (r.order != ReadSpec::Order::Stream) text += r.order == ReadSpec::Order::Little ? " le" : " be";
    if (r.kind == ReadSpec::Kind::Code || r.kind == ReadSpec::Kind::Ranges) text += fmt::format(" of {}", r.ref);
    if (r.width) text += " width " + expr(*r.width);
    if (r.index) text += " index " + expr(*r.index);
    return text;
  }

  static std::string place(std::uint32_t slot) { return slot == Stmt::kNoSlot ? "_" : "%" + std::to_string(slot); }

  void block(unsigned indent, const Block& statements) {
    for (const auto& s : statements) {
      line(indent, "{}{}{}", head(*s), s->name.empty() ? "" : " " + quoted(s->name), sites(*s));
      block(indent + 1, s->body);
      if (!s->orelse.empty()) {
        line(indent, "else");
        block(indent + 1, s->orelse);
      }
    }
  }

  static std::string sites(const Stmt& s) {
    std::size_t used = s.sites.size();
    while (used > 0 && s.sites[used - 1] == kNoSite) --used;
    std::string text;
    for (std::size_t i = 0; i < used; ++i) {
      text += (i == 0 ? " !" : ",") + (s.sites[i] == kNoSite ? "_" : std::to_string(s.sites[i]));
    }
    return text;
  }

  std::string operand(std::string_view word, const ExprPtr& e) {
    return e ? fmt::format(" {}{}{}", word, word.empty() ? "" : " ", expr(*e)) : "";
  }

  // Everything of a statement's line but its name and sites.
  std::string head(const Stmt& s) {
    const std::string word(name(s.kind));
    switch (s.kind) {
      case Stmt::Kind::Read: return fmt::format("{} {} {}", word, place(s.slot), spec(s.read));
      case Stmt::Kind::SetLocal: return fmt::format("{} {}{}", word, place(s.slot), operand("", s.a));
      case Stmt::Kind::SetGlobal: return fmt::format("{} ${}{}", word, s.ref, operand("", s.a));
      case Stmt::Kind::SetElem: return fmt::format("{} {}{}{}", word, s.ref, operand("", s.a), operand("", s.b));
      case Stmt::Kind::Literals: return fmt::format("{} {}{}", word, spec(s.read), operand("count", s.a));
      case Stmt::Kind::Run: return word + operand("", s.a) + operand("count", s.b) + operand("step", s.c);
      case Stmt::Kind::Copy: return word + operand("distance", s.a) + operand("length", s.b);
      case Stmt::Kind::BuildCode:
        return fmt::format("{} {}{} {} {}{}{}", word, s.ref, operand("index", s.d), s.from_table ? "table" : "array",
                           s.array, operand("start", s.a), operand("count", s.b));
      case Stmt::Kind::BuildStates:
        return fmt::format("{} {} {} {}{}{}", word, s.ref, s.from_table ? "table" : "array", s.array, operand("start", s.a), operand("count", s.b));
      case Stmt::Kind::Loop:
        return fmt::format("{} {}{}{}", word, name(s.loop), operand("", s.a),
                           s.slot == Stmt::kNoSlot ? "" : " -> " + place(s.slot));
      case Stmt::Kind::Call: {
        std::string text = fmt::format("{} {}", word, s.ref);
        for (const ExprPtr& arg : s.args) text += " " + expr(*arg);
        return text + (s.slot == Stmt::kNoSlot ? "" : " -> " + place(s.slot));
      }
      case Stmt::Kind::Mark: return fmt::format("{} {}", word, s.ref);
      case Stmt::Kind::NewWindow: return word + (s.flag ? " after_dictionary" : "") + operand("last", s.a);
      case Stmt::Kind::Align: return word + (s.flag ? " zero" : "");
      case Stmt::Kind::Within:
        return word + (s.flag ? " bits" : "") + (s.backward ? " backward" : "") + (s.dictionary ? " of_dictionary" : "") + operand("", s.a) + operand("at", s.b) +
               (s.b ? fmt::format(" since {}", s.ref) : "");
      case Stmt::Kind::Into: return fmt::format("{}{} {}", word, s.further ? " further" : "", s.ref);
      case Stmt::Kind::Stage: return word + stage(s);
      case Stmt::Kind::EmitBuffer:
        return fmt::format("{} {}{}{}{}", word, s.ref, s.form == BufferForm::All ? "" : " " + std::string(name(s.form)),
                           operand(s.form == BufferForm::Slice ? "from" : "size", s.a), operand("count", s.b));
      case Stmt::Kind::ReadSymbol:
        return fmt::format("{} {}{}{}", word, s.ref, operand("index", s.a), operand("bytes", s.b));
      case Stmt::Kind::EmitSymbol: return fmt::format("{} {}{}", word, s.ref, operand("index", s.a));
      case Stmt::Kind::Emit:
      case Stmt::Kind::If:
      case Stmt::Kind::Check:
      case Stmt::Kind::Return:
      case Stmt::Kind::Producing:
      case Stmt::Kind::Skip: return word + operand("", s.a);
      case Stmt::Kind::Stop:
      case Stmt::Kind::Reject:
      case Stmt::Kind::Accept: return word;
    }
    return word;
  }

  // What follows the word of a Stage: kind, buffer, operands.
  std::string stage(const Stmt& s) {
    std::string text = fmt::format(" {} {}", name(s.stage), s.ref);
    switch (s.stage) {
      case StageKind::InverseMtf:
        if (s.array != Stmt::kNoSlot) text += fmt::format(" array {}{}", s.array, operand("count", s.b));
        return text;
      case StageKind::InverseBwt: return text + operand("origin", s.a);
      case StageKind::PrefixSum: return text + operand("start", s.a);
      case StageKind::Add: return text + operand("", s.a);
      case StageKind::Gather: return text + fmt::format(" from {}", s.array);
    }
    return text;
  }

  const Module& m_;
  const Rule* rule_ = nullptr;
  std::string out_;
};

}  // namespace

std::string print(const Module& module) { return Printer(module).module(); }

std::string print(const Module& module, const Rule* rule, const Expr& e) { return Printer(module).expression(rule, e); }

}  // namespace sluice::ir
