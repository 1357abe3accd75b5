// Reads the text that printer.cpp writes.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/ir/line_cursor.h"
#include "compiler/ir/names.h"
#include "compiler/ir/printer.h"

namespace sluice::ir {
namespace {

// Blocks and operands nested deeper than this are refused, so that hostile text cannot exhaust the stack.
constexpr unsigned kMaxNesting = 500;

// Parsing methods return a neutral value after a failure; the first failure is kept and ends the parse.
class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(split_lines(text)) {}
  Reader(const LineCursor& cursor, const Module& module, const Rule* rule)
      : cursor_(cursor), known_(&module), rule_(rule) {}

  // One expression; the cursor behind it.
  std::pair<ExprPtr, LineCursor> run_expr() {
    ExprPtr e = expr(0);
    return {std::move(e), cursor_};
  }

  std::optional<Module> run() {
    while (at_ < lines_.size() && !failed()) declaration();
    if (failed()) return std::nullopt;
    return std::move(m_);
  }
  const std::string& error() const { return error_; }

 private:
  bool failed() const { return !error_.empty(); }

  void fail(std::string_view what) {
    if (failed()) return;
    const std::size_t line = at_ < lines_.size() ? lines_[at_].number : lines_.empty() ? 1 : lines_.back().number;
    error_ = known_ == &m_ ? fmt::format("line {}: {}", line, what) : std::string(what);
  }

  // ---- words and numbers

  std::string word() {
    std::string text(cursor_.word());
    if (text.empty()) fail("expected a word");
    return text;
  }
  std::string string() {
    std::optional<std::string> text = cursor_.quoted();
    if (!text) fail("expected a \"name\"");
    return text.value_or("");
  }
  template <typename T = std::uint64_t>
  T number() {
    const std::optional<i128> value = cursor_.number();
    if (!value || *value < 0 || *value > static_cast<i128>(std::numeric_limits<T>::max())) {
      fail("expected a number that fits");
      return 0;
    }
    return static_cast<T>(*value);
  }
  Type type() {
    const std::string text = word();
    const std::optional<Type> t = type_named(text);
    if (!t) fail("expected a type, not `" + text + "`");
    return t.value_or(kU64);
  }
  template <typename T>
  T one_of() {
    const std::string text = word();
    const std::optional<T> value = named<T>(text);
    if (!value) fail("unknown word `" + text + "`");
    return value.value_or(T{});
  }
  template <typename T>
  std::vector<T> list() {
    std::vector<T> values;
    if (!cursor_.take('[')) fail("expected `[`");
    while (!failed() && !cursor_.take(']')) values.push_back(number<T>());
    return values;
  }
  std::optional<Range> range() {
    if (!cursor_.take('{')) return std::nullopt;
    const std::optional<i128> lo = cursor_.number();
    const bool dots = cursor_.take('.') && cursor_.take('.');
    const std::optional<i128> hi = cursor_.number();
    if (!lo || !dots || !hi || !cursor_.take('}')) fail("expected a range {LO..HI}");
    return Range{lo.value_or(0), hi.value_or(0)};
  }
  void end_of_line() {
    if (failed() || cursor_.at_end()) return;
    fail("unexpected text at the end of the line: `" + std::string(cursor_.rest()) + "`");
  }

  // ---- declarations

  void declaration() {
    const Line& line = lines_[at_];
    cursor_ = LineCursor(line.text);
    if (line.indent != 0) return fail("unexpected indentation");
    const std::string kind = word();
    if (kind == "rule") return rule();
    if (kind == "module") m_.name = string();
    else if (kind == "input") m_.input = one_of<Input>();
    else if (kind == "output") m_.output = type();
    else if (kind == "further") m_.outputs.emplace_back().type = type(), m_.outputs.back().name = string();
    else if (kind == "window") m_.window = number();
    else if (kind == "dictionary") m_.has_dictionary = true;
    else if (kind == "arg") argument();
    else if (kind == "global") m_.globals.push_back(slot());
    else if (kind == "array") array();
    else if (kind == "table") table();
    else if (kind == "ranges") ranges();
    else if (kind == "code") code();
    else if (kind == "states") states();
    else if (kind == "buffer") buffer();
    else if (kind == "symbols") symbols();
    else if (kind == "mark") m_.marks.push_back(string());
    else if (kind == "assert") assertion();
    else if (kind == "site") site();
    else return fail("unknown declaration `" + kind + "`");
    end_of_line();
    if (!failed()) ++at_;
  }

  void argument() {
    Argument a;
    a.type = type(), a.name = string();
    a.initial = number();
    m_.args.push_back(std::move(a));
  }

  void array() {
    Array a;
    a.elem = type();
    a.name = string();
    a.count = number<std::uint32_t>();
    m_.arrays.push_back(std::move(a));
  }

  void table() {
    Table t;
    t.elem = type();
    t.name = string();
    t.values = list<std::uint64_t>();
    m_.tables.push_back(std::move(t));
  }

  void ranges() {
    Ranges r;
    r.name = string();
    r.base = list<std::uint64_t>();
    r.extra = list<std::uint8_t>();
    m_.ranges.push_back(std::move(r));
  }

  void code() {
    Code c;
    c.name = string();
    c.symbols = number<std::uint32_t>();
    c.max_bits = number<std::uint8_t>();
    c.copies = number<std::uint32_t>();
    c.incomplete = one_of<Incomplete>();
    c.longest_first = cursor_.take_word("longest_first");
    m_.codes.push_back(std::move(c));
  }

  void states() {
    StateCode c;
    c.name = string();
    c.symbols = number<std::uint32_t>();
    c.max_log = number<std::uint8_t>();
    if (!cursor_.take_word("array")) fail("expected `array`");
    c.entries = number<std::uint32_t>();
    if (!cursor_.take_word("log")) fail("expected `log`");
    c.log = place('$');
    m_.states.push_back(std::move(c));
  }

  void buffer() {
    Buffer b;
    b.name = string();
    b.limit = number<std::uint32_t>();
    m_.buffers.push_back(std::move(b));
  }

  void symbols() {
    Symbols y;
    y.name = string();
    y.count = number<std::uint32_t>();
    m_.symbols.push_back(std::move(y));
  }

  void assertion() {
    Assertion a;
    a.fact = string();
    a.op = string();
    if (!cursor_.at_end()) a.bound = number();
    m_.assertions.push_back(std::move(a));
  }

  void site() {
    Site s;
    s.rule = number<std::uint32_t>();
    s.clause = number<std::uint32_t>();
    s.reason = one_of<Reason>();
    s.name = string();
    m_.sites.push_back(std::move(s));
  }

  Slot slot() {
    Slot s;
    s.type = type();
    s.range = range().value_or(range_of(s.type));
    s.name = string();
    s.is_mutable = cursor_.take_word("mutable");
    return s;
  }

  void rule() {
    Rule r;
    r.name = string();
    r.params = number<std::uint32_t>();
    if (cursor_.take_word("->")) r.result = type();
    end_of_line();
    rule_ = &r;
    const std::size_t outer = lines_[at_].indent;
    for (++at_; at_ < lines_.size() && lines_[at_].indent > outer && !failed(); ++at_) {
      cursor_ = LineCursor(lines_[at_].text);
      if (!cursor_.take_word("slot")) break;
      r.slots.push_back(slot());
      end_of_line();
      if (failed()) return;
    }
    if (!failed()) r.body = block(outer, 0);
    rule_ = nullptr;
    m_.rules.push_back(std::move(r));
  }

  // ---- statements

  // The lines below `outer`, all indented alike.
  Block block(std::size_t outer, unsigned nesting) {
    Block statements;
    if (nesting > kMaxNesting) fail("nested too deeply");
    if (failed() || at_ >= lines_.size() || lines_[at_].indent <= outer) return statements;
    const std::size_t indent = lines_[at_].indent;
    while (!failed() && at_ < lines_.size() && lines_[at_].indent > outer) {
      if (lines_[at_].indent != indent) {
        fail("this line is indented unlike its neighbours");
        break;
      }
      cursor_ = LineCursor(lines_[at_].text);
      if (cursor_.take_word("else")) {
        end_of_line();
        if (statements.empty() || statements.back()->kind != Stmt::Kind::If || !statements.back()->orelse.empty()) {
          fail("`else` without `if`");
          break;
        }
        ++at_;
        statements.back()->orelse = block(indent, nesting + 1);
        continue;
      }
      auto s = std::make_unique<Stmt>();
      statement(*s);
      end_of_line();
      if (failed()) break;
      ++at_;
      s->body = block(indent, nesting + 1);
      const bool has_body = s->kind == Stmt::Kind::If || s->kind == Stmt::Kind::Loop ||
                            s->kind == Stmt::Kind::Within || s->kind == Stmt::Kind::Producing ||
                            s->kind == Stmt::Kind::Into;
      if (!s->body.empty() && !has_body) {
        fail("the statement above takes no block");
        break;
      }
      statements.push_back(std::move(s));
    }
    return statements;
  }

  std::uint32_t place(char sigil) {
    if (sigil == '%' && cursor_.take_word("_")) return Stmt::kNoSlot;
    if (!cursor_.take(sigil)) fail(fmt::format("expected {}N", sigil));
    return number<std::uint32_t>();
  }

  // An operand introduced by a word; absent when the word is.
  ExprPtr after(std::string_view introducer) { return cursor_.take_word(introducer) ? expr(0) : nullptr; }

  void statement(Stmt& s) {
    s.kind = one_of<Stmt::Kind>();
    switch (s.kind) {
      case Stmt::Kind::Read: s.slot = place('%'); spec(s.read); break;
      case Stmt::Kind::SetLocal: s.slot = place('%'); s.a = expr(0); break;
      case Stmt::Kind::SetGlobal: s.ref = place('$'); s.a = expr(0); break;
      case Stmt::Kind::SetElem: s.ref = number<std::uint32_t>(); s.a = expr(0); s.b = expr(0); break;
      case Stmt::Kind::Literals: spec(s.read); s.a = after("count"); break;
      case Stmt::Kind::Run: s.a = expr(0); s.b = after("count"); s.c = after("step"); break;
      case Stmt::Kind::Copy: s.a = after("distance"); s.b = after("length"); break;
      case Stmt::Kind::BuildCode:
      case Stmt::Kind::BuildStates:
        s.ref = number<std::uint32_t>();
        if (s.kind == Stmt::Kind::BuildCode) s.d = after("index");
        s.from_table = cursor_.take_word("table");
        if (!s.from_table && !cursor_.take_word("array")) fail("expected `table` or `array`");
        s.array = number<std::uint32_t>();
        s.a = after("start");
        s.b = after("count");
        break;
      case Stmt::Kind::Loop:
        s.loop = one_of<LoopKind>();
        if (s.loop != LoopKind::Forever && s.loop != LoopKind::UntilEnd) s.a = expr(0);
        if (cursor_.take_word("->")) s.slot = place('%');
        break;
      case Stmt::Kind::Call:
        s.ref = number<std::uint32_t>();
        while (!failed() && cursor_.at_operand()) s.args.push_back(expr(0));
        if (cursor_.take_word("->")) s.slot = place('%');
        break;
      case Stmt::Kind::Return:
        if (cursor_.at_operand()) s.a = expr(0);
        break;
      case Stmt::Kind::Mark: s.ref = number<std::uint32_t>(); break;
      case Stmt::Kind::NewWindow: 
        s.flag = cursor_.take_word("after_dictionary");
        s.a = after("last");
        break;
      case Stmt::Kind::Align: s.flag = cursor_.take_word("zero"); break;
      case Stmt::Kind::Within:
        s.flag = cursor_.take_word("bits");
        s.backward = cursor_.take_word("backward");
        s.dictionary = cursor_.take_word("of_dictionary");
        s.a = expr(0);
        s.b = after("at");
        if (!s.b) break;
        if (!cursor_.take_word("since")) fail("expected `since`");
        s.ref = number<std::uint32_t>();
        break;
      case Stmt::Kind::Into: s.further = cursor_.take_word("further"), s.ref = number<std::uint32_t>(); break;
      case Stmt::Kind::Stage: stage(s); break;
      case Stmt::Kind::EmitBuffer:
        s.ref = number<std::uint32_t>();
        for (const BufferForm form : {BufferForm::Runs, BufferForm::Unshuffled, BufferForm::BitUnshuffled, BufferForm::Slice})
          if (cursor_.take_word(name(form))) s.form = form;
        s.a = after(s.form == BufferForm::Slice ? "from" : "size");
        s.b = after("count");
        break;
      case Stmt::Kind::ReadSymbol:
        s.ref = number<std::uint32_t>();
        s.a = after("index");
        s.b = after("bytes");
        break;
      case Stmt::Kind::EmitSymbol:
        s.ref = number<std::uint32_t>();
        s.a = after("index");
        break;
      case Stmt::Kind::Emit:
      case Stmt::Kind::If:
      case Stmt::Kind::Check:
      case Stmt::Kind::Producing:
      case Stmt::Kind::Skip: s.a = expr(0); break;
      case Stmt::Kind::Stop:
      case Stmt::Kind::Reject:
      case Stmt::Kind::Accept: break;
    }
    if (cursor_.peek() == '"') s.name = string();
    if (cursor_.take('!')) {
      std::size_t used = 0;
      do {
        if (used == s.sites.size()) return fail("a statement has at most three sites");
        s.sites[used++] = cursor_.take_word("_") ? kNoSite : number<std::uint32_t>();
      } while (!failed() && cursor_.take(','));
    }
  }

  void stage(Stmt& s) {
    s.stage = one_of<StageKind>();
    s.ref = number<std::uint32_t>();
    switch (s.stage) {
      case StageKind::InverseMtf:
        s.array = Stmt::kNoSlot;
        if (!cursor_.take_word("array")) break;
        s.array = number<std::uint32_t>();
        s.b = after("count");
        break;
      case StageKind::InverseBwt: s.a = after("origin"); break;
      case StageKind::PrefixSum: s.a = after("start"); break;
      case StageKind::Add: s.a = expr(0); break;
      case StageKind::Gather:
        if (!cursor_.take_word("from")) fail("expected `from`");
        s.array = number<std::uint32_t>();
        break;
    }
  }

  void spec(ReadSpec& r) {
    r.kind = one_of<ReadSpec::Kind>();
    r.type = type();
    if (cursor_.take_word("le")) r.order = ReadSpec::Order::Little;
    else if (cursor_.take_word("be")) r.order = ReadSpec::Order::Big;
    if (cursor_.take_word("of")) r.ref = number<std::uint32_t>();
    r.width = after("width");
    r.index = after("index");
  }

  // ---- expressions

  // `:TYPE` and `{RANGE}` after an operator or operand.
  void typing(Expr& e, Typing usual) {
    e.type = usual.type;
    e.range = usual.range;
    if (cursor_.take_here(':')) {
      e.type = type();
      if (e.op != Op::Const) e.range = range_of(e.type);
    }
    if (cursor_.peek_here() == '{') e.range = range().value_or(e.range);
  }

  ExprPtr expr(unsigned nesting) {
    auto e = std::make_unique<Expr>();
    if (nesting > kMaxNesting) fail("nested too deeply");
    if (failed()) return e;
    if (cursor_.peek() == '%' || cursor_.peek() == '$') {
      e->op = cursor_.peek() == '%' ? Op::Local : Op::Global;
      e->ref = place(cursor_.peek());
      typing(*e, usual_typing(*known_, rule_, *e));
      return e;
    }
    if (!cursor_.take('(')) {
      const std::optional<i128> value = cursor_.number();
      if (!value || *value < range_of(kI64).lo || *value > range_of(kU64).hi) fail("expected an operand");
      e->imm = static_cast<std::uint64_t>(value.value_or(0));
      typing(*e, {kU64, {value.value_or(0), value.value_or(0)}});
      return e;
    }
    const std::string text(cursor_.name());
    const std::optional<Op> op = op_named(text);
    if (!op || *op == Op::Const || *op == Op::Local || *op == Op::Global) {
      fail("unknown operator `" + text + "`");
      return e;
    }
    e->op = *op;
    // What the usual typing depends on stands after the suffix: read the suffix again once it is known.
    const LineCursor suffix = cursor_;
    typing(*e, {kU64, {}});
    if (*op == Op::Fits) e->cast_type = type();
    if (*op == Op::Peek) {
      e->imm = number();
      e->flag = cursor_.take_word("big");
      if (!e->flag && !cursor_.take_word("little")) fail("expected `big` or `little`");
    }
    if (*op == Op::Checksum) {
      e->algo = one_of<Algo>();
      e->stream = one_of<Stream>();
    }
    if (info(*op).ref != RefKind::None) e->ref = number<std::uint32_t>();
    if (*op == Op::PeekBits) e->imm = number();
    if (*op == Op::ConsumedSince || *op == Op::Remaining) e->flag = cursor_.take_word("bits");
    const LineCursor operands = std::exchange(cursor_, suffix);
    typing(*e, usual_typing(*known_, rule_, *e));
    cursor_ = operands;
    while (!failed() && !cursor_.take(')')) e->kids.push_back(expr(nesting + 1));
    return e;
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
  LineCursor cursor_{""};
  Module m_;
  const Module* known_ = &m_;  // whose names operands use
  const Rule* rule_ = nullptr;
  std::string error_;
};

}  // namespace

std::optional<Module> read(std::string_view text, std::string* error) {
  Reader reader(text);
  std::optional<Module> module = reader.run();
  if (!module && error != nullptr) *error = reader.error();
  return module;
}

ExprPtr read_expr(LineCursor& cursor, const Module& module, const Rule* rule, std::string& error) {
  Reader reader(cursor, module, rule);
  auto [e, behind] = reader.run_expr();
  error = reader.error();
  cursor = behind;
  return std::move(e);
}

}  // namespace sluice::ir
