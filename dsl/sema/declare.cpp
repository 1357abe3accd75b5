// Declarations of one instance: input and output, constants, tables, state, codes, rule headers. Constant
// expressions see what is declared above them; rule bodies, checked later, see everything.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using ast::Decl;

namespace {

class Declarer {
 public:
  Declarer(Context& context, Instance& instance) : context_(context), instance_(instance) {}

  void run() {
    for (const Decl& d : instance_.file->decls)
      if (d.kind == Decl::Kind::Dictionary) dictionary(d);
    for (const Decl& d : instance_.file->decls)
      if (d.kind == Decl::Kind::Input) input(d);
    for (const Decl& d : instance_.file->decls) declaration(d);
    if (input_ == nullptr && instance_.file->ok)
      context_.sink.error(Code::MissingInput, instance_.file->format.span, "the format does not say what its input is")
          .help("add `input bytes`, `input bits lsb` (Deflate, zstd) or `input bits msb` (bzip2, JPEG)");
    if (output_ == nullptr && instance_.file->ok)
      context_.sink
          .error(Code::MissingOutput, instance_.file->format.span, "the format does not say what its output is")
          .help("add `output bytes`, or `output u32[]` for elements of 32 bits");
    if (dictionary_ != nullptr && instance_.has_output && instance_.output.bits != 8)
      context_.sink
          .error(Code::DictionaryNeedsBytes, dictionary_->span,
                 fmt::format("a preset dictionary is bytes, but the output is `{}`", type_text(instance_.output)))
          .note(output_->name.span, "the output is declared here");
    if (symbols_ != nullptr && instance_.has_output && instance_.output.bits != 8)
      context_.sink
          .error(Code::SymbolsNeedBytes, symbols_->span,
                 fmt::format("symbols are strings of bytes, but the output is `{}`", type_text(instance_.output)))
          .note(output_->name.span, "the output is declared here");
    if (instance_.is_top) top_level();
    marks(instance_.file->body);
    for (const Decl& d : instance_.file->decls) marks(d.body);
    instance_.main = head("main", nullptr, false);
  }

 private:
  std::optional<i128> constant(const ast::ExprPtr& e, std::string_view what) {
    return Body(context_, instance_, nullptr).constant(e.get(), what);
  }
  // A constant between the bounds, which are named in the message.
  std::optional<std::uint64_t> bounded(const ast::ExprPtr& e, std::string_view what, std::uint64_t lo, std::uint64_t hi,
                                       Code code) {
    const auto v = constant(e, what);
    if (!v) return std::nullopt;
    if (*v < static_cast<i128>(lo) || *v > static_cast<i128>(hi)) {
      context_.sink.error(code, e->span, fmt::format("{} must be {} to {}", what, lo, hi));
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(*v);
  }
  bool fits_type(i128 v, Type type, Span span, std::string_view what) {
    if (model::within({v, v}, model::range_of(type))) return true;
    context_.sink.error(Code::NeverFits, span, fmt::format("{} does not fit `{}`", what, type_text(type)));
    return false;
  }
  Symbol* symbol(Symbol::Kind kind, const ast::Name& name, std::size_t id, Type type = {}) {
    Symbol s;
    s.kind = kind;
    s.name = name.text;
    s.span = name.span;
    s.id = static_cast<std::uint32_t>(id);
    s.type = type;
    return add_symbol(context_, instance_, std::move(s));
  }
  bool only_one(const Decl*& slot, const Decl& d, std::string_view what) {
    if (slot != nullptr) {
      context_.sink.error(Code::Duplicate, d.span, fmt::format("a format has one `{}`", what))
          .note(slot->span, "the first is here");
      return false;
    }
    slot = &d;
    return true;
  }

  void declaration(const Decl& d) {
    switch (d.kind) {
      case Decl::Kind::Error:
      case Decl::Kind::Input:
      case Decl::Kind::Dictionary:
        return;
      case Decl::Kind::Output:
        return output(d);
      case Decl::Kind::FurtherOutput:
        return further_output(d);
      case Decl::Kind::Argument:
        return argument(d);
      case Decl::Kind::Const:
        return constant_name(d);
      case Decl::Kind::Table:
        return table(d);
      case Decl::Kind::Ranges:
        return ranges(d);
      case Decl::Kind::Array:
        return array(d);
      case Decl::Kind::Var:
        return global(d);
      case Decl::Kind::PrefixCode:
        return prefix_code(d);
      case Decl::Kind::StateCode:
        return state_code(d);
      case Decl::Kind::Buffer:
        return buffer(d);
      case Decl::Kind::Symbols:
        return symbols(d);
      case Decl::Kind::Trailing:
        only_one(trailing_, d, "trailing");
        return;
      case Decl::Kind::Assert:
        return assertion(d);
      case Decl::Kind::Rule:
        return rule(d);
    }
  }

  void input(const Decl& d) {
    if (!only_one(input_, d, "input")) return;
    instance_.has_input = true;
    instance_.input = d.name.text == "bytes" ? model::Input::Bytes
                      : d.order == "msb"     ? model::Input::BitsMsb
                                             : model::Input::BitsLsb;
  }

  void dictionary(const Decl& d) {
    if (only_one(dictionary_, d, "dictionary")) instance_.has_dictionary = true;
  }

  void output(const Decl& d) {
    if (!only_one(output_, d, "output")) return;
    const auto type = element(d.name);
    if (!type) return;
    instance_.output = *type;
    instance_.has_output = true;
    if (d.a) instance_.window = bounded(d.a, "the window", 1, kMaxWindow, Code::BadSize).value_or(0);
  }

  // The type of an output's elements; nothing and reported: it can't be.
  std::optional<Type> element(const ast::Name& name) {
    if (name.text == "bytes") return Type{8, false};
    const auto named = scalar_type(context_, instance_, name);
    if (!named || named->bits == 8 || named->bits == 16 || named->bits == 32 || named->bits == 64) return named;
    context_.sink.error(Code::BadWidth, name.span, fmt::format("output elements can't be `{}`", name.text))
        .help("elements have 8, 16, 32 or 64 bits");
    return std::nullopt;
  }

  // Declared with whatever type, so that nothing more is said of its uses.
  void further_output(const Decl& d) {
    std::vector<model::Output>& outputs = context_.format.outputs;
    const auto type = element(d.type_name);
    if (outputs.size() == model::kMaxFurtherOutputs)
      context_.sink
          .error(Code::FormatTooLarge, d.name.span,
                 fmt::format("more than {} outputs beside the format's own", model::kMaxFurtherOutputs))
          .help("those of modules count, too");
    symbol(Symbol::Kind::Output, d.name, outputs.size(), type.value_or(Type{8, false}));
    outputs.push_back({instance_.prefix + d.name.text, type.value_or(Type{8, false})});
  }

  void argument(const Decl& d) {
    const auto type = scalar_type(context_, instance_, d.type_name);
    std::optional<i128> initial = 0;
    if (d.a) initial = constant(d.a, "the default");
    if (!type || !initial || !fits_type(*initial, *type, d.a ? d.a->span : d.span, "the default")) return;
    if (!instance_.is_top) {  // a module gets no arguments: the default stands
      if (Symbol* s = symbol(Symbol::Kind::Const, d.name, 0, *type)) s->value = *initial;
      return;
    }
    symbol(Symbol::Kind::Argument, d.name, context_.format.args.size(), *type);
    context_.format.args.push_back({d.name.text, *type, static_cast<std::uint64_t>(*initial)});
  }

  void constant_name(const Decl& d) {
    Body body(context_, instance_, nullptr);
    const auto value = body.constant(d.a.get(), "a constant");
    const i128 v = value.value_or(0);
    Symbol* s = symbol(Symbol::Kind::Const, d.name, 0, v < 0 ? model::kI64 : model::kU64);
    if (s != nullptr) s->value = v;
  }

  // Values of a list with its repetitions; nothing after an error.
  std::optional<std::vector<i128>> list(const std::vector<ast::ListItem>& items, Span span) {
    std::vector<i128> values;
    for (const ast::ListItem& item : items) {
      const auto v = constant(item.value, "an element");
      if (!v) return std::nullopt;
      std::uint64_t times = 1;
      if (item.times) {
        const auto n = bounded(item.times, "the number of repetitions", 1, kMaxTableElements, Code::BadSize);
        if (!n) return std::nullopt;
        times = *n;
      }
      if (values.size() + times > kMaxTableElements) {
        context_.sink.error(Code::BadSize, span, fmt::format("a table has at most {} elements", kMaxTableElements));
        return std::nullopt;
      }
      values.insert(values.end(), times, *v);
    }
    if (values.empty()) {
      context_.sink.error(Code::BadSize, span, "a table needs at least one element");
      return std::nullopt;
    }
    return values;
  }

  void table(const Decl& d) {
    const auto type = scalar_type(context_, instance_, d.type_name);
    const auto values = list(d.items, d.span);
    model::Table t;
    t.name = instance_.prefix + d.name.text;
    if (type && values && !fits_all(*values, *type, d)) return;
    if (type && values) {
      t.elem = *type;
      const auto [low, high] = std::minmax_element(values->begin(), values->end());
      t.range = {*low, *high};
      for (const i128 v : *values) t.values.push_back(static_cast<std::uint64_t>(v));
    }
    symbol(Symbol::Kind::Table, d.name, context_.format.tables.size());
    context_.format.tables.push_back(std::move(t));
  }

  bool fits_all(const std::vector<i128>& values, Type type, const Decl& d) {
    std::size_t at = 0;
    for (const ast::ListItem& item : d.items) {
      if (!fits_type(values[at], type, item.value->span, "this element")) {
        symbol(Symbol::Kind::Table, d.name, context_.format.tables.size());
        context_.format.tables.emplace_back();
        return false;
      }
      at += item.times ? static_cast<std::size_t>(constant(item.times, "").value_or(1)) : 1;
    }
    return true;
  }

  void ranges(const Decl& d) {
    const auto base = list(d.items, d.span), extra = list(d.items2, d.span);
    model::Ranges r;
    r.name = instance_.prefix + d.name.text;
    if (base && extra) r = make_ranges(d, *base, *extra);
    symbol(Symbol::Kind::Ranges, d.name, context_.format.ranges.size());
    context_.format.ranges.push_back(std::move(r));
  }

  // Empty lists after an error.
  model::Ranges make_ranges(const Decl& d, const std::vector<i128>& base, const std::vector<i128>& extra) {
    model::Ranges r;
    r.name = instance_.prefix + d.name.text;
    if (base.size() != extra.size()) {
      context_.sink
          .error(Code::RangesMismatch, d.name.span,
                 fmt::format("`{}` has {} bases but {} widths of extra bits", d.name.text, base.size(), extra.size()))
          .help("both lists have one element for each range; `0 x 4` stands for four zeros");
      return r;
    }
    r.range = {kU64Range.hi, 0};
    for (std::size_t i = 0; i < base.size(); ++i) {
      const bool width_ok = extra[i] >= 0 && extra[i] <= 63;
      const i128 last = base[i] + (static_cast<i128>(1) << (width_ok ? static_cast<int>(extra[i]) : 0)) - 1;
      if (!width_ok || base[i] < 0 || last > kU64Range.hi) {
        context_.sink
            .error(Code::RangesMismatch, d.name.span,
                   fmt::format("range {} of `{}` does not fit 64 bits", i, d.name.text))
            .help("bases are 0 or more, extra bits 0 to 63");
        return model::Ranges{r.name, {}, {}, {}};
      }
      r.range = {std::min(r.range.lo, base[i]), std::max(r.range.hi, last)};
    }
    for (const i128 b : base) r.base.push_back(static_cast<std::uint64_t>(b));
    for (const i128 e : extra) r.extra.push_back(static_cast<std::uint8_t>(e));
    return r;
  }

  void array(const Decl& d) {
    const auto type = scalar_type(context_, instance_, d.type_name);
    const auto count = bounded(d.a, "the size of an array", 1, kMaxArrayElements, Code::BadSize);
    symbol(Symbol::Kind::Array, d.name, context_.format.arrays.size());
    context_.format.arrays.push_back({instance_.prefix + d.name.text, type.value_or(model::kU64),
                                      static_cast<std::uint32_t>(type ? count.value_or(0) : 0)});
  }

  void buffer(const Decl& d) {
    const auto limit = bounded(d.a, "the limit of a buffer", 1, kMaxBufferElements, Code::BadSize);
    symbol(Symbol::Kind::Buffer, d.name, context_.format.buffers.size());
    context_.format.buffers.push_back({instance_.prefix + d.name.text, static_cast<std::uint32_t>(limit.value_or(0))});
  }

  void symbols(const Decl& d) {
    const auto count = bounded(d.a, "the number of symbols", 1, kMaxSymbols, Code::BadSize);
    symbol(Symbol::Kind::Symbols, d.name, context_.format.symbols.size());
    context_.format.symbols.push_back({instance_.prefix + d.name.text, static_cast<std::uint32_t>(count.value_or(0))});
    if (symbols_ == nullptr) symbols_ = &d;
  }

  void global(const Decl& d) {
    const auto known = Body(context_, instance_, nullptr).held(d.type_name, d.b.get(), d.c.get());
    const Body::Held held = known.value_or(Body::Held{model::kI64, std::nullopt});
    std::optional<i128> initial = 0;
    if (d.a) initial = constant(d.a, "the initial value");
    const bool ok = known && initial && starts_in(held, *initial, d.a ? d.a->span : d.span);
    symbol(Symbol::Kind::Global, d.name, context_.format.globals.size(), held.type);
    context_.format.globals.push_back({instance_.prefix + d.name.text, held.type,
                                       ok ? static_cast<std::uint64_t>(*initial) : 0, d.name.span, held.declared});
  }

  bool starts_in(const Body::Held& held, i128 initial, Span span) {
    if (model::within({initial, initial}, held.range())) return true;
    context_.sink.error(Code::NeverFits, span,
                        fmt::format("the initial value does not fit `{}`", held_text(held.type, held.declared)));
    return false;
  }

  void prefix_code(const Decl& d) {
    const auto symbols = bounded(d.a, "the number of symbols", 1, kMaxCodeSymbols, Code::PrefixCodeLimits);
    const auto bits = bounded(d.b, "the longest code, in bits,", 1, kMaxCodeBits, Code::PrefixCodeLimits);
    std::optional<std::uint64_t> copies = 1;
    if (d.c) copies = bounded(d.c, "the number of copies", 1, kMaxCodeCopies, Code::PrefixCodeLimits);
    model::Code code;
    code.name = instance_.prefix + d.name.text;
    if (symbols && bits && copies) {
      if (*symbols > (std::uint64_t{1} << *bits)) {
        context_.sink.error(Code::PrefixCodeLimits, d.b->span,
                            fmt::format("codes of at most {} bits can't tell {} symbols apart", *bits, *symbols));
      } else {
        code.symbols = static_cast<std::uint32_t>(*symbols);
        code.max_bits = static_cast<std::uint8_t>(*bits);
        code.copies = static_cast<std::uint32_t>(*copies);
      }
    }
    code.incomplete = d.policy == "single"   ? model::Incomplete::Single
                      : d.policy == "accept" ? model::Incomplete::Accept
                                             : model::Incomplete::Refuse;
    code.longest_first = d.order == "longest";
    symbol(Symbol::Kind::Code, d.name, context_.format.codes.size());
    context_.format.codes.push_back(std::move(code));
  }

  void state_code(const Decl& d) {
    const auto symbols = bounded(d.a, "the number of symbols", 1, model::kMaxStateSymbols, Code::StateCodeLimits);
    const auto log = bounded(d.b, "the logarithm of the largest number of states", 1, model::kMaxStateLog, Code::StateCodeLimits);
    model::StateCode code;
    code.name = instance_.prefix + d.name.text;
    if (symbols && log) {
      if (*symbols > (std::uint64_t{1} << *log)) {
        context_.sink.error(Code::StateCodeLimits, d.b->span,
                            fmt::format("{} states are too few for {} symbols", std::uint64_t{1} << *log, *symbols));
      } else {
        code.symbols = static_cast<std::uint32_t>(*symbols);
        code.max_log = static_cast<std::uint8_t>(*log);
      }
    }
    model::Format& format = context_.format;
    code.entries = static_cast<std::uint32_t>(format.arrays.size());
    format.arrays.push_back({code.name, Type{32, false}, 1u << code.max_log});
    code.log = static_cast<std::uint32_t>(format.globals.size());
    format.globals.push_back({code.name + ".log", Type{4, false}, 0, d.name.span, Range{0, code.max_log}});
    symbol(Symbol::Kind::State, d.name, format.states.size());
    format.states.push_back(std::move(code));
  }

  void assertion(const Decl& d) {
    if (!instance_.is_top) return;
    std::optional<std::uint64_t> bound;
    if (d.a && d.a->kind != ast::Expr::Kind::Ref)
      bound = bounded(d.a, "the bound", 0, ~std::uint64_t{0}, Code::BadSize);
    context_.format.assertions.push_back({d.name.text, d.op, bound, d.span});
  }

  std::uint32_t head(std::string name, const Decl* decl, bool broken) {
    const auto id = static_cast<std::uint32_t>(context_.rules.size());
    RuleHead h;
    h.name = name;
    h.decl = decl;
    h.owner = &instance_;
    h.broken = broken;
    context_.rules.push_back(std::move(h));
    model::Rule r;
    r.name = instance_.prefix + name;
    r.span = decl != nullptr ? decl->name.span : instance_.file->format.span;
    context_.format.rules.push_back(std::move(r));
    return id;
  }

  void rule(const Decl& d) {
    if (d.name.text == "main") {
      context_.sink.error(Code::NameIsType, d.name.span, "`main` is the name of the format's own statements")
          .help("choose another name");
      return;
    }
    const std::uint32_t id = head(d.name.text, &d, false);
    RuleHead& h = context_.rules[id];
    for (const ast::Param& p : d.params) {
      const auto type = scalar_type(context_, instance_, p.type_name);
      h.broken = h.broken || !type;
      h.params.push_back(type.value_or(model::kI64));
    }
    if (!d.type_name.text.empty()) {
      h.result = scalar_type(context_, instance_, d.type_name);
      h.broken = h.broken || !h.result;
    }
    context_.format.rules[id].result = h.result;
    symbol(Symbol::Kind::Rule, d.name, id);
  }

  void marks(const ast::Block& block) {
    for (const auto& s : block) {
      if (s->kind == ast::Stmt::Kind::Mark && !s->name.text.empty() && !instance_.marks.contains(s->name.text)) {
        instance_.marks.emplace(s->name.text, static_cast<std::uint32_t>(context_.format.marks.size()));
        context_.format.marks.push_back(instance_.prefix + s->name.text);
      }
      marks(s->body);
      for (const ast::Arm& arm : s->arms) marks(arm.body);
    }
  }

  void top_level() {
    model::Format& f = context_.format;
    f.name = instance_.file->format.text;
    f.input = instance_.input;
    f.output = instance_.output;
    f.window = instance_.window;
    f.has_dictionary = instance_.has_dictionary;
    if (trailing_ == nullptr) return;
    f.trailing.policy =
        trailing_->policy == "accept" ? model::Trailing::Policy::Accept : model::Trailing::Policy::Reject;
    f.trailing.name = trailing_->name.text;
    f.trailing.span = trailing_->span;
  }

  Context& context_;
  Instance& instance_;
  const Decl *input_ = nullptr, *output_ = nullptr, *dictionary_ = nullptr, *trailing_ = nullptr, *symbols_ = nullptr;
};

}  // namespace

void declare(Context& context, Instance& instance) { Declarer(context, instance).run(); }

}  // namespace sluice::sema
