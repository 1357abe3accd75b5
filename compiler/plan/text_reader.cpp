// Reads the text that text_printer.cpp writes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/ir/line_cursor.h"
#include "compiler/ir/names.h"
#include "compiler/ir/printer.h"
#include "compiler/plan/describe.h"
#include "compiler/plan/describe_checked.h"
#include "compiler/plan/text.h"

namespace sluice::plan {
namespace {

// Bodies nested deeper than this are refused, so that hostile text cannot exhaust the stack.
constexpr unsigned kMaxNesting = 500;

template <typename Variant, std::size_t... I>
Variant alternative_number(std::size_t n, std::index_sequence<I...>) {
  Variant s;
  ((n == I ? (s = std::variant_alternative_t<I, Variant>(), 0) : 0), ...);
  return s;
}
// The alternative whose word it is.
template <typename Variant, typename Words>
std::optional<Variant> alternative_named(const Words& words, std::string_view word) {
  const auto at = std::ranges::find(words, word);
  if (at == words.end()) return std::nullopt;
  return alternative_number<Variant>(static_cast<std::size_t>(at - words.begin()),
                                     std::make_index_sequence<std::variant_size_v<Variant>>());
}

// An `io` of describe.h. After a failure its methods leave what they are given; the first failure is kept.
class TextReader {
 public:
  TextReader(const ir::Module& module, std::string_view text) : module_(module), lines_(ir::split_lines(text)) {}

  std::optional<Plan> run() {
    if (!next("plan")) return std::nullopt;
    choice(plan_.target);
    plan_.checksums = take("no_checksums") ? Checksums::Off : Checksums::On;
    plan_.outputs = take("to_sink") ? Outputs::Sink : Outputs::Memory;
    end_line();
    while (more() && next_is("table")) {
      std::uint64_t ignored = 0;
      Table t;
      number("", ignored);
      index("code", t.code);
      flag("backward", t.backward);
      flag("pairs", t.pairs);
      t.entry = take("narrow") ? EntryForm::Narrow : take("tiny") ? EntryForm::Tiny : EntryForm::Wide;
      flag("starts_empty", t.starts_empty);
      numbers("info", t.info);
      end_line();
      plan_.tables.push_back(std::move(t));
    }
    while (more() && next_is("extras")) {
      StateExtras& e = plan_.extras.emplace_back();
      number("", e.code);
      numbers("bits", e.bits);
      end_line();
    }
    if (more() && next_is("rules")) {
      numbers("", plan_.rules);
      end_line();
    }
    while (more() && next_is("loop")) loop();
    while (more() && next("checked")) checked();
    if (failed()) return std::nullopt;
    return std::move(plan_);
  }
  const std::string& error() const { return error_; }

  // ---- io

  template <typename N>
  void number(std::string_view word, N& n) {
    if (word.empty() || take(word)) n = unsigned_number<N>();
  }
  void index(std::string_view word, std::uint32_t& n) {
    if (!take(word)) return fail(fmt::format("expected `{}`", word));
    n = unsigned_number<std::uint32_t>();
  }
  void optional_number(std::string_view word, std::optional<std::uint32_t>& n) {
    if (take(word)) n = unsigned_number<std::uint32_t>();
  }
  template <typename Number> void numbers(std::string_view word, std::vector<Number>& list) {
    if (!word.empty() && !take(word)) return;
    if (!cursor_.take('[')) fail("expected `[`");
    while (!failed() && !cursor_.take(']')) list.push_back(unsigned_number<Number>());
  }
  void flag(std::string_view word, bool& on) { on = take(word); }
  void value(std::string_view word, Value& v) {
    if (!word.empty() && !take(word)) return;
    const ir::LineCursor before = cursor_;
    const std::string_view text = cursor_.word();
    const bool named = text.size() > 1 && text.size() < 10 && text[0] == 't' &&
                       std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (named) {
      v = static_cast<Value>(std::stoul(std::string(text.substr(1))));
    } else if (word.empty()) {
      cursor_ = before;  // a scope's, which may have none
    } else {
      fail("expected a value, tN");
    }
  }
  void type(std::string_view, ir::Type& t) {
    const std::optional<ir::Type> named = ir::type_named(cursor_.word());
    if (!named) fail("expected a type");
    t = named.value_or(ir::kU64);
  }
  void text(std::string_view word, std::string& s) {
    if (!word.empty() && !take(word)) return;
    std::optional<std::string> quoted = cursor_.quoted();
    if (!quoted) fail("expected a \"text\"");
    s = quoted.value_or("");
  }
  template <typename Enum>
  void choice(Enum& e) {
    const std::string_view word = cursor_.word();
    const auto& all = Words<Enum>::kAll;
    const auto at = std::ranges::find(all, word);
    if (at == all.end()) return fail(fmt::format("unknown word `{}`", word));
    e = static_cast<Enum>(at - all.begin());
  }
  void choice(ir::LoopKind& kind) {
    const auto named = ir::named<ir::LoopKind>(cursor_.word());
    if (!named) fail("expected a kind of loop");
    kind = named.value_or(kind);
  }
  void local(std::string_view word, Local& l) {
    if (!word.empty() && !take(word)) return;
    const bool global = cursor_.take('$');
    l.scope = global ? kGlobalScope : scope();
    if (!global && !cursor_.take('%')) fail("expected %N");
    l.slot = unsigned_number<std::uint32_t>();
  }
  void local(std::string_view word, std::optional<Local>& l) {
    const ir::LineCursor before = cursor_;
    if (!take(word)) return;
    cursor_ = before;
    local(word, l.emplace());
  }
  void locals(std::string_view word, std::vector<Local>& list) {
    if (!take(word)) return;
    if (!cursor_.take('[')) fail("expected `[`");
    while (!failed() && !cursor_.take(']')) local("", list.emplace_back());
  }
  void operand(std::string_view word, Operand& o) {
    if (!word.empty() && !take(word)) return;
    o.scope = scope();
    if (o.scope >= loop_.scopes.size()) return fail("no such scope");
    std::string error;
    o.expr = ir::read_expr(cursor_, module_, &module_.rules[loop_.scopes[o.scope].rule], error);
    if (!error.empty()) fail(error);
    numbers("wide", o.wide);
  }
  void operands(std::string_view word, std::vector<Operand>& list) {
    if (!take(word)) return;
    if (!cursor_.take('[')) fail("expected `[`");
    while (!failed() && !cursor_.take(']')) operand("", list.emplace_back());
  }
  void cost(std::string_view word, Cost& c) {
    if (!take(word)) return;
    number("in", c.in);
    number("out", c.out);
    number("bits", c.bits);
  }

  void body(Body& steps) { body(scope_, steps); }
  void body(ScopeId scope, Body& steps) {
    end_line();
    if (++nesting_ > kMaxNesting) fail("nested too deeply");
    const ScopeId outer = std::exchange(scope_, scope);
    const std::size_t indent = indent_;
    while (more() && lines_[at_].indent > indent) step(steps.emplace_back());
    indent_ = indent;
    scope_ = outer;
    --nesting_;
  }
  void alternative(std::string_view word, std::optional<Body>& steps) {
    end_line();
    if (more() && lines_[at_].indent == indent_ && next_is(word)) body(steps.emplace());
  }
  void arms(std::vector<SymbolArm>& list) {
    end_line();
    while (more() && lines_[at_].indent == indent_ && next_is("arm")) {
      describe(*this, list.emplace_back(SymbolArm{Take::Output, {}, {}, {}, false, {}}));
      end_line();
    }
  }
  void widths(std::vector<Width>& list) {
    end_line();
    const std::size_t indent = indent_;
    while (more() && lines_[at_].indent > indent && next_is("same")) {
      describe(*this, list.emplace_back());
      end_line();
    }
    indent_ = indent;
  }

 private:
  bool failed() const { return !error_.empty(); }
  void fail(std::string_view what) {
    if (failed()) return;
    const std::size_t line = at_ < lines_.size() ? lines_[at_].number : lines_.empty() ? 1 : lines_.back().number;
    error_ = fmt::format("line {}: {}", line, what);
  }

  // ---- lines

  bool more() const { return !failed() && at_ < lines_.size(); }
  // Enters the line when that is its first word.
  bool next_is(std::string_view word) {
    ir::LineCursor cursor(lines_[at_].text);
    if (!cursor.take_word(word)) return false;
    cursor_ = cursor;
    indent_ = lines_[at_].indent;
    open_ = true;
    return true;
  }
  bool next(std::string_view word) {
    if (more() && next_is(word)) return true;
    fail(fmt::format("expected `{}`", word));
    return false;
  }
  void end_line() {
    if (!std::exchange(open_, false)) return;
    if (Step* s = std::exchange(step_, nullptr)) {
      cost("cost", s->cost);
      for (const Reading r : {Reading::Late, Reading::Both, Reading::Own, Reading::Round})
        if (take(word(r))) s->reading = r;
    }
    if (!failed() && !cursor_.at_end()) fail(fmt::format("unexpected text: `{}`", cursor_.rest()));
    ++at_;
  }
  bool take(std::string_view word) { return !failed() && cursor_.take_word(word); }

  void step(Step& s) {
    ir::LineCursor cursor(lines_[at_].text);
    const std::string_view word = cursor.word();
    std::optional<Statement> named = alternative_named<Statement>(kStatementWords, word);
    if (!named) return fail(fmt::format("unknown statement `{}`", word));
    s.what = *std::move(named);
    static_cast<void>(next_is(word));
    step_ = &s;
    std::visit([&](auto& what) { describe(*this, what); }, s.what);
    end_line();
  }

  void checked() {
    CheckedRule& rule = plan_.checked.emplace_back();
    describe(*this, rule);
    const std::size_t indent = indent_;
    end_line();
    while (more() && lines_[at_].indent > indent) {
      const std::string_view word = ir::LineCursor(lines_[at_].text).word();
      auto named = alternative_named<decltype(CheckedStep::what)>(kCheckedWords, word);
      if (!named) return fail(fmt::format("unknown statement `{}`", word));
      static_cast<void>(next_is(word));
      CheckedStep& step = rule.steps.emplace_back();
      step.what = *std::move(named);
      describe(*this, step);
      end_line();
    }
  }

  void loop() {
    loop_ = Loop();
    describe_head(*this, loop_);
    const std::size_t indent = indent_;
    end_line();
    while (more() && lines_[at_].indent > indent) {
      if (next_is("steps")) {
        body(0, loop_.body);
      } else {
        part();
        end_line();
      }
    }
    plan_.loops.push_back(std::move(loop_));
  }

  void part() {
    if (next_is("because")) return describe(*this, loop_.obstacles.emplace_back());
    if (next_is("scope")) {
      Scope s;
      describe(*this, s);
      if (s.rule >= module_.rules.size()) return fail("no such rule");
      loop_.scopes.push_back(s);
      return;
    }
    if (next_is("locals")) {
      while (!failed() && !cursor_.at_end()) local("", loop_.locals.emplace_back());
      return;
    }
    if (next_is("u32")) return narrow();
    if (next_is("captures")) return numbers("", loop_.captures);
    if (next_is("carried")) return numbers("", loop_.carried);
    if (next_is("globals")) return numbers("", loop_.globals);
    if (next_is("set_globals")) return numbers("", loop_.set_globals);
    if (next_is("tables")) return numbers("", loop_.tables);
    if (next_is("part")) return describe(*this, loop_.part.emplace());
    if (next_is("records")) return describe(*this, loop_.records.emplace());
    if (next_is("codes")) return describe(*this, loop_.codes.emplace());
    if (next_is("fills")) return describe(*this, loop_.fills.emplace());
    if (next_is("told")) return describe(*this, loop_.told.emplace());
    if (next_is("plain")) return describe(*this, loop_.plain.emplace());
    if (next_is("streams")) return describe(*this, loop_.streams.emplace_back());
    if (next_is("values")) {
      if (!loop_.records) return fail("values of no records");
      return describe(*this, loop_.records->values.emplace());
    }
    if (next_is("value_list")) {
      if (!loop_.records || !loop_.records->values) return fail("a list of no values");
      return describe(*this, loop_.records->values->list.emplace());
    }
    if (next_is("first_byte")) {
      if (!loop_.records) return fail("the first byte of no records");
      return describe(*this, loop_.records->first_byte.emplace());
    }
    if (next_is("first_parts")) {
      if (!loop_.records || !loop_.records->first_byte) return fail("parts of no first byte");
      return describe(*this, loop_.records->first_byte->parts.emplace());
    }
    if (next_is("first_field")) {
      const bool parts = loop_.records && loop_.records->first_byte && loop_.records->first_byte->parts;
      if (!parts) return fail("a field of no parts");
      return describe(*this, loop_.records->first_byte->parts->fields.emplace_back());
    }
    if (!next("before")) return;
    if (take("width")) return describe(*this, std::get<Width>(loop_.hoisted.emplace_back(Width())));
    if (take("view")) return describe(*this, std::get<View>(loop_.hoisted.emplace_back(View())));
    if (!take("row")) return fail("expected `width`, `view` or `row`");
    Row row;
    describe(*this, row);
    loop_.row = row;
    loop_.hoisted.emplace_back(row);
  }

  void narrow() {
    while (!failed() && !cursor_.at_end()) {
      Value v = kNoValue;
      value("", v);
      if (v != kNoValue)
        loop_.narrow_values.push_back(v);
      else
        local("", loop_.narrow.emplace_back());
    }
  }

  // ---- words

  template <typename N>
  N unsigned_number() {
    const std::optional<ir::i128> n = cursor_.number();
    if (n && *n >= 0 && *n <= static_cast<ir::i128>(std::numeric_limits<N>::max())) return static_cast<N>(*n);
    fail("expected a number that fits");
    return 0;
  }
  static std::string_view word(Reading r) { return Words<Reading>::kAll[static_cast<std::size_t>(r)]; }
  ScopeId scope() { return cursor_.take('@') ? unsigned_number<ScopeId>() : scope_; }

  const ir::Module& module_;
  const std::vector<ir::Line> lines_;
  std::size_t at_ = 0, indent_ = 0;
  ir::LineCursor cursor_{""};
  bool open_ = false;
  Step* step_ = nullptr;
  unsigned nesting_ = 0;
  ScopeId scope_ = 0;
  Loop loop_;
  Plan plan_;
  std::string error_;
};

}  // namespace

std::optional<Plan> read(const ir::Module& module, std::string_view text, std::string* error) {
  TextReader reader(module, text);
  std::optional<Plan> plan = reader.run();
  if (!plan && error != nullptr) *error = reader.error();
  return plan;
}

}  // namespace sluice::plan
