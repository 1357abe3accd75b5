#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "compiler/ir/names.h"
#include "compiler/ir/printer.h"
#include "compiler/plan/describe.h"
#include "compiler/plan/describe_checked.h"
#include "compiler/plan/text.h"

namespace sluice::plan {
namespace {

// An `io` of describe.h. Works on a copy of the plan: what is described may be changed by a reader, so it is not const.
class Printer {
 public:
  Printer(const ir::Module& module, Plan plan) : module_(module), plan_(std::move(plan)) {}

  std::string run() {
    begin("plan");
    choice(plan_.target);
    flag("no_checksums", plan_.checksums == Checksums::Off);
    flag("to_sink", plan_.outputs == Outputs::Sink);
    end_line();
    for (std::size_t i = 0; i < plan_.tables.size(); ++i) {
      begin("table");
      index("", i);
      index("code", plan_.tables[i].code);
      flag("backward", plan_.tables[i].backward);
      flag("pairs", plan_.tables[i].pairs);
      flag("narrow", plan_.tables[i].entry == EntryForm::Narrow);
      flag("tiny", plan_.tables[i].entry == EntryForm::Tiny);
      flag("starts_empty", plan_.tables[i].starts_empty);
      numbers("info", plan_.tables[i].info);
      end_line();
    }
    for (const StateExtras& e : plan_.extras) {
      begin("extras");
      index("", e.code);
      numbers("bits", e.bits);
      end_line();
    }
    list("rules", plan_.rules);
    for (Loop& l : plan_.loops) loop(l);
    for (CheckedRule& r : plan_.checked) checked(r);
    return std::move(out_);
  }

  // ---- io

  void number(std::string_view word, std::uint64_t n) {
    if (word.empty() || n != 0) item(word, fmt::format("{}", n));
  }
  void index(std::string_view word, std::uint64_t n) { item(word, fmt::format("{}", n)); }
  void optional_number(std::string_view word, std::optional<std::uint32_t> n) {
    if (n) item(word, fmt::format("{}", *n));
  }
  template <typename Number> void numbers(std::string_view word, const std::vector<Number>& list) {
    if (!list.empty()) item(word, fmt::format("[{}]", fmt::join(list, " ")));
  }
  void flag(std::string_view word, bool on) {
    if (on) item(word, "");
  }
  void value(std::string_view word, Value v) {
    if (v != kNoValue) item(word, fmt::format("t{}", v));
  }
  void type(std::string_view word, ir::Type t) { item(word, ir::name(t)); }
  void text(std::string_view word, const std::string& s) {
    if (!word.empty() && s.empty()) return;
    std::string quoted = "\"";
    for (const char c : s) quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    item(word, quoted + '"');
  }
  template <typename Enum>
  void choice(Enum e) {
    item("", Words<Enum>::kAll[static_cast<std::size_t>(e)]);
  }
  void choice(ir::LoopKind kind) { item("", ir::name(kind)); }
  void local(std::string_view word, Local l) { item(word, local_text(l)); }
  void local(std::string_view word, const std::optional<Local>& l) {
    if (l) local(word, *l);
  }
  void locals(std::string_view word, const std::vector<Local>& all) {
    if (all.empty()) return;
    std::string text;
    for (const Local l : all) text += (text.empty() ? "" : " ") + local_text(l);
    item(word, "[" + text + "]");
  }
  void operand(std::string_view word, const Operand& o) {
    if (!o) return;
    item(word, operand_text(o));
    numbers("wide", o.wide);
  }
  void operands(std::string_view word, const std::vector<Operand>& list) {
    if (list.empty()) return;
    std::string text;
    for (const Operand& o : list) {
      text += (text.empty() ? "" : " ") + operand_text(o);
      if (!o.wide.empty()) text += fmt::format(" wide [{}]", fmt::join(o.wide, " "));
    }
    item(word, "[" + text + "]");
  }
  void cost(std::string_view word, const Cost& c) {
    if (c == Cost()) return;
    item(word, "");
    number("in", c.in);
    number("out", c.out);
    number("bits", c.bits);
  }

  void body(Body& steps) { body(scope_, steps); }
  void body(ScopeId scope, Body& steps) {
    end_line();
    const ScopeId outer = std::exchange(scope_, scope);
    ++depth_;
    for (Step& s : steps) step(s);
    --depth_;
    scope_ = outer;
  }
  void alternative(std::string_view word, std::optional<Body>& steps) {
    if (!steps) return;
    begin(word);
    body(*steps);
  }
  void arms(std::vector<SymbolArm>& list) {
    end_line();
    for (SymbolArm& arm : list) {
      begin("arm");
      describe(*this, arm);
      end_line();
    }
  }
  void widths(std::vector<Width>& list) {
    end_line();
    ++depth_;
    for (Width& w : list) {
      begin("same");
      describe(*this, w);
      end_line();
    }
    --depth_;
  }

 private:
  void begin(std::string_view word) {
    line_ = word;
    open_ = true;
  }
  void item(std::string_view word, std::string_view text) {
    for (const std::string_view part : {word, text})
      if (!part.empty()) line_ += ' ' + std::string(part);
  }
  void end_line() {
    if (!open_) return;
    if (const Step* s = std::exchange(step_, nullptr)) {
      cost("cost", s->cost);
      if (s->reading != Reading::Token) choice(s->reading);
    }
    open_ = false;
    out_.append(2 * depth_, ' ');
    out_ += line_ + '\n';
  }

  void step(Step& s) {
    begin(kStatementWords[s.what.index()]);
    step_ = &s;
    std::visit([&](auto& what) { describe(*this, what); }, s.what);
    end_line();
  }

  void loop(Loop& l) {
    loop_ = &l;
    begin("loop");
    describe_head(*this, l);
    end_line();
    ++depth_;
    const auto line = [&](std::string_view word, auto& member) {
      begin(word);
      describe(*this, member);
      end_line();
    };
    for (Obstacle& o : l.obstacles) line("because", o);
    for (Scope& s : l.scopes) line("scope", s);
    locals_line("locals", l.locals);
    narrow(l);
    list("captures", l.captures);
    list("carried", l.carried);
    list("globals", l.globals);
    list("set_globals", l.set_globals);
    list("tables", l.tables);
    for (Hoisted& h : l.hoisted) {
      static constexpr std::string_view kWords[] = {"before width", "before view", "before row"};
      std::visit([&](auto& what) { line(kWords[h.index()], what); }, h);
    }
    if (l.part) line("part", *l.part);
    if (l.records) line("records", *l.records);
    if (l.records && l.records->values) {
      line("values", *l.records->values);
      if (l.records->values->list) line("value_list", *l.records->values->list);
    }
    if (l.records && l.records->first_byte) {
      FirstByte& first = *l.records->first_byte;
      line("first_byte", first);
      if (first.parts) line("first_parts", *first.parts);
      if (first.parts)
        for (FieldAt& field : first.parts->fields) line("first_field", field);
    }
    if (l.codes) line("codes", *l.codes);
    if (l.fills) line("fills", *l.fills);
    if (l.told) line("told", *l.told);
    if (l.plain) line("plain", *l.plain);
    for (Streams& s : l.streams) line("streams", s);
    if (l.form != LoopForm::Checked && !l.part) {
      begin("steps");
      body(0, l.body);
    }
    --depth_;
  }
  void checked(CheckedRule& r) {
    begin("checked");
    describe(*this, r);
    end_line();
    ++depth_;
    for (CheckedStep& s : r.steps) {
      begin(kCheckedWords[s.what.index()]);
      describe(*this, s);
      end_line();
    }
    --depth_;
  }
  void list(std::string_view word, const std::vector<std::uint32_t>& all) {
    begin(word);
    numbers("", all);
    if (!all.empty()) end_line();
    open_ = false;
  }
  void locals_line(std::string_view word, const std::vector<Local>& all) {
    if (all.empty()) return;
    begin(word);
    for (const Local l : all) local("", l);
    end_line();
  }

  // What is held in 32 bits.
  void narrow(const Loop& l) {
    if (l.narrow.empty() && l.narrow_values.empty()) return;
    begin("u32");
    for (const Local n : l.narrow) local("", n);
    for (const Value v : l.narrow_values) value("", v);
    end_line();
  }

  std::string local_text(Local l) const {
    if (l.scope == kGlobalScope) return fmt::format("${}", l.slot);
    return l.scope == scope_ ? fmt::format("%{}", l.slot) : fmt::format("@{}%{}", l.scope, l.slot);
  }
  std::string operand_text(const Operand& o) const {
    const std::string text = ir::print(module_, &module_.rules[loop_->scopes[o.scope].rule], *o);
    return o.scope == scope_ ? text : fmt::format("@{} {}", o.scope, text);
  }

  const ir::Module& module_;
  Plan plan_;
  const Loop* loop_ = nullptr;
  ScopeId scope_ = 0;
  unsigned depth_ = 0;
  std::string out_, line_;
  bool open_ = false;
  const Step* step_ = nullptr;
};

}  // namespace

std::string print(const ir::Module& module, const Plan& plan) { return Printer(module, plan).run(); }

std::string_view name(Target t) { return Words<Target>::kAll[static_cast<std::size_t>(t)]; }
std::string_view name(LoopForm f) { return Words<LoopForm>::kAll[static_cast<std::size_t>(f)]; }
std::string_view name(Reader r) { return Words<Reader>::kAll[static_cast<std::size_t>(r)]; }

}  // namespace sluice::plan
