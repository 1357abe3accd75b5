// Names, elements, built-in functions, and the words about input and output.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"
#include "dsl/syntax/foreign.h"

namespace sluice::sema {

using model::Op;

namespace {

constexpr struct {
  std::string_view name;
  std::size_t count;
} kFunctions[] = {{"min", 2}, {"max", 2}, {"select", 3}, {"zigzag", 1}, {"sign_extend", 2}};

constexpr struct {
  std::string_view name;
  model::Algo algo;
} kAlgorithms[] = {{"adler32", model::Algo::Adler32},
                   {"crc32", model::Algo::Crc32},
                   {"crc32c", model::Algo::Crc32c},
                   {"crc32_bzip2", model::Algo::Crc32Bzip2},
                   {"xxh32", model::Algo::XxHash32},
                   {"xxh64", model::Algo::XxHash64}};

// Of the elements that the index may select.
Range range_among(const model::Table& table, Range index) {
  const Range all{0, static_cast<i128>(table.values.size()) - 1};
  const Range some = intersect(index, all).value_or(all);
  if (some == all) return table.range;
  std::optional<Range> found;
  for (i128 i = some.lo; i <= some.hi; ++i) {
    const std::uint64_t bits = table.values[static_cast<std::size_t>(i)];
    const i128 v = table.elem.is_signed ? i128{static_cast<std::int64_t>(bits)} : i128{bits};
    found = found ? hull(*found, {v, v}) : Range{v, v};
  }
  return found.value_or(table.range);
}

}  // namespace

Symbol* Body::find(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found != scope->end()) return &found->second;
  }
  return find_declared(instance_, name);
}

model::ExprPtr Body::name(const ast::Expr& e) {
  Symbol* symbol = find(e.name.text);
  if (symbol == nullptr) {
    std::vector<std::string> locals;
    for (const auto& scope : scopes_)
      for (const auto& [text, unused] : scope) locals.push_back(text);
    undefined(e.name, "name", std::move(locals));
    return nullptr;
  }
  symbol->used = true;
  ExprPtr result;
  switch (symbol->kind) {
    case Symbol::Kind::Const:
      return literal(symbol->value, symbol->type, e.span);
    case Symbol::Kind::Local:
      if (rule_ == nullptr || rule_->slots.size() <= symbol->id) return nullptr;
      result = make(Op::Local, symbol->type, rule_->slots[symbol->id].range, e.span);
      break;
    case Symbol::Kind::Global:
      result = make(Op::Global, symbol->type, context_.format.globals[symbol->id].range(), e.span);
      break;
    case Symbol::Kind::Argument:
      result = make(Op::Arg, symbol->type, model::range_of(symbol->type), e.span);
      break;
    default: {
      auto report = context_.sink.error(Code::NotAValue, e.span,
                                        fmt::format("`{}` is {}, not a value", e.name.text, kind_name(symbol->kind)));
      report.note(symbol->span, "declared here");
      if (symbol->kind == Symbol::Kind::Table || symbol->kind == Symbol::Kind::Array)
        report.help(fmt::format("an element is `{}[INDEX]`", e.name.text));
      else if (symbol->kind == Symbol::Kind::Buffer)
        report.help(fmt::format("an element is `{0}[INDEX]`, their number `count of {0}`; `emit all {0}` outputs it",
                                e.name.text));
      else if (symbol->kind == Symbol::Kind::Output)
        report.help(fmt::format("`into {0}` adds to it, `count of {0}` is the number of its elements so far", e.name.text));
      else if (symbol->kind == Symbol::Kind::State)
        report.help(fmt::format("a state is read with it, `state: {0}`; its symbol is `symbol of {0} at state`", e.name.text));
      else if (symbol->kind == Symbol::Kind::Symbols)
        report.help(fmt::format("`symbol {}[INDEX]` outputs an entry", e.name.text));
      else if (symbol->kind != Symbol::Kind::Type && symbol->kind != Symbol::Kind::Module)
        report.help(fmt::format("read a value with it first: `x: {}`", e.name.text));
      return nullptr;
    }
  }
  result->ref = symbol->id;
  return result;
}

model::ExprPtr Body::checked_index(const ast::Expr* e, std::uint64_t count, const std::string& of, bool* checked) {
  ExprPtr i = expr(e);
  if (!i) return nullptr;
  const Range valid{0, static_cast<i128>(count) - 1};
  if (model::disjoint(i->range, valid)) {
    context_.sink
        .error(Code::IndexOutOfRange, e->span,
               fmt::format("this index is always outside `{}`, which has {} elements", of, count))
        .help(fmt::format("indices are 0 to {}", count - 1));
    return nullptr;
  }
  *checked = !model::within(i->range, valid);
  return as_signed(std::move(i), false);
}

model::ExprPtr Body::index(const ast::Expr& e) {
  Symbol* symbol = find(e.name.text);
  if (symbol == nullptr) {
    undefined(e.name, "table or array");
    return nullptr;
  }
  symbol->used = true;
  const bool table = symbol->kind == Symbol::Kind::Table;
  if (symbol->is_broken) return nullptr;
  if (symbol->kind == Symbol::Kind::Buffer) return buffer_element(e, *symbol);
  if (!table && symbol->kind != Symbol::Kind::Array) {
    auto report =
        context_.sink.error(Code::NotIndexable, e.name.span,
                            fmt::format("`{}` is {}: it has no elements", e.name.text, kind_name(symbol->kind)));
    report.note(symbol->span, "declared here");
    if (symbol->kind == Symbol::Kind::Ranges || symbol->kind == Symbol::Kind::Code)
      report.help(fmt::format("it is read from the input: `x: {}`", context_.text(e.span)));
    if (symbol->kind == Symbol::Kind::Symbols)
      report.help(fmt::format("its bytes are not a value; `symbol {}` outputs them", context_.text(e.span)));
    return nullptr;
  }
  const auto& format = context_.format;
  const std::uint64_t count = table ? format.tables[symbol->id].values.size() : format.arrays[symbol->id].count;
  if (!table && rule_ == nullptr) {
    context_.sink.error(Code::NotConstant, e.span, "an array's elements are known at run time only");
    return nullptr;
  }
  if (e.kids.empty() || count == 0) return nullptr;
  bool checked = false;
  ExprPtr at = checked_index(e.kids[0].get(), count, e.name.text, &checked);
  if (!at) return nullptr;
  const Type type = table ? format.tables[symbol->id].elem : format.arrays[symbol->id].elem;
  if (table && at->op == Op::Const) {
    const std::uint64_t bits = format.tables[symbol->id].values[at->imm];
    return literal(type.is_signed ? i128{static_cast<std::int64_t>(bits)} : i128{bits}, type, e.span);
  }
  const Range range = table ? range_among(format.tables[symbol->id], at->range) : model::range_of(type);
  auto result = std::make_unique<Expr>();
  result->op = table ? Op::TableElem : Op::Elem;
  result->type = type;
  result->range = range;
  result->ref = symbol->id;
  result->checked = checked;
  result->span = e.span;
  result->kids.push_back(std::move(at));
  return result;
}

model::ExprPtr Body::function(const ast::Expr& e) {
  const std::string& f = e.name.text;
  const auto known =
      std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const auto& k) { return k.name == f; });
  if (known == std::end(kFunctions)) {
    const Symbol* symbol = find(f);
    auto report = context_.sink.error(Code::UnknownFunction, e.name.span, fmt::format("there is no function `{}`", f));
    if (symbol != nullptr && symbol->kind == Symbol::Kind::Rule) {
      report.help(fmt::format("a rule is read like a field: `x: {}`", context_.text(e.span)));
    } else {
      std::vector<std::string> names;
      for (const auto& k : kFunctions) names.emplace_back(k.name);
      const auto close = did_you_mean(f, std::span<const std::string>(names));
      const auto other = ast::find_foreign(ast::Place::Value, f);
      report.help(close   ? fmt::format("did you mean `{}`?", *close)
                  : other ? other->help
                          : "functions are min, max, select, zigzag and sign_extend");
    }
    return nullptr;
  }
  if (e.kids.size() != known->count) {
    context_.sink.error(
        Code::ArgumentCount, e.span,
        fmt::format("`{}` takes {} argument{}, not {}", f, known->count, known->count == 1 ? "" : "s", e.kids.size()));
    return nullptr;
  }
  std::vector<ExprPtr> kids;
  for (const auto& kid : e.kids) kids.push_back(expr(kid.get()));
  for (const ExprPtr& kid : kids)
    if (!kid) return nullptr;

  if (f == "min" || f == "max") {
    if (!unify(kids[0], kids[1], e.span)) return nullptr;
    const Type type = kids[0]->type.is_signed ? model::kI64 : model::kU64;
    const Range r = f == "min" ? minimum(kids[0]->range, kids[1]->range) : maximum(kids[0]->range, kids[1]->range);
    return make(f == "min" ? Op::Min : Op::Max, type, r, e.span, std::move(kids));
  }
  if (f == "select") {
    if (!require_bool(*kids[0])) return nullptr;
    const bool both_bool = kids[1]->type == model::kBool && kids[2]->type == model::kBool;
    if (!both_bool && !unify(kids[1], kids[2], e.span)) return nullptr;
    if (kids[0]->op == Op::Const) return std::move(kids[kids[0]->imm != 0 ? 1 : 2]);
    const Type type = both_bool ? model::kBool : kids[1]->type.is_signed ? model::kI64 : model::kU64;
    const Range r = hull(range_if(*kids[0], true, *kids[1]), range_if(*kids[0], false, *kids[2]));
    return make(Op::Select, type, r, e.span, std::move(kids));
  }
  if (f == "zigzag") {
    const Range coded = kids[0]->range;
    if (coded.lo < 0) {
      context_.sink.error(Code::MixedSigns, kids[0]->span, "zigzag takes a value that can't be negative")
          .help("convert it with `as u64`");
      return nullptr;
    }
    if (kids[0]->op == Op::Const) {
      const std::uint64_t v = kids[0]->imm;
      return literal(static_cast<std::int64_t>((v >> 1) ^ (0 - (v & 1))), model::kI64, e.span);
    }
    kids[0] = as_signed(std::move(kids[0]), false);
    return make(Op::ZigZag, model::kI64, {-((coded.hi + 1) / 2), coded.hi / 2}, e.span, std::move(kids));
  }
  const Range widths{1, 64};
  if (model::disjoint(kids[1]->range, widths)) {
    context_.sink.error(Code::BadWidth, kids[1]->span, "a width is 1 to 64 bits");
    return nullptr;
  }
  const Range usable = *intersect(kids[1]->range, widths);
  const bool checked = !model::within(kids[1]->range, widths);
  const Type widest{static_cast<std::uint8_t>(usable.hi), true};
  if (kids[0]->op == Op::Const && kids[1]->op == Op::Const) {
    ExprPtr narrow = cast(std::move(kids[0]), widest, e.span);
    narrow->type = model::kI64;
    return narrow;
  }
  kids[0] = as_signed(std::move(kids[0]), false);
  kids[1] = as_signed(std::move(kids[1]), false);
  ExprPtr result = make(Op::SignExtend, model::kI64, model::range_of(widest), e.span, std::move(kids));
  result->checked = checked;
  return result;
}

// Where a condition has that outcome.
Range Body::range_if(const Expr& condition, bool truth, const Expr& value) const {
  Facts there = facts_;
  there.assume(condition, truth);
  return there.range_of(value);
}

model::ExprPtr Body::peek(const ast::Expr& e) {
  std::uint64_t width = 0;
  const auto spelled = spell_type(e.type_name.text, &width);
  if (!spelled) {
    context_.sink.error(Code::UnknownType, e.type_name.span, fmt::format("`{}` can't be peeked", e.type_name.text))
        .help("peek takes a type with a byte order, like u16le, or bits of the stream, like u3");
    return nullptr;
  }
  if (!check_width(context_, e.type_name.span, e.type_name.text, width, *spelled)) return nullptr;
  const Type word{spelled->type.bits, false};
  const bool bits = !spelled->has_order && instance_.input != model::Input::Bytes;
  if (!bits && !spelled->has_order && width != 8) {
    if (width % 8 != 0) {
      needs_bits(e.type_name.span, fmt::format("`peek({})`", e.type_name.text));
      return nullptr;
    }
    context_.sink
        .error(Code::NeedsByteOrder, e.type_name.span, fmt::format("`peek({})` needs a byte order", e.type_name.text))
        .help(fmt::format("write `peek({0}le)` or `peek({0}be)`", e.type_name.text));
    return nullptr;
  }
  ExprPtr value = make(bits ? Op::PeekBits : Op::Peek, word, model::range_of(word), e.span);
  value->imm = bits ? width : width / 8;
  value->flag = spelled->big_endian;
  return spelled->type.is_signed ? cast(std::move(value), spelled->type, e.span) : std::move(value);
}

std::optional<std::uint32_t> Body::mark_id(const ast::Name& name) {
  const auto found = instance_.marks.find(name.text);
  if (found != instance_.marks.end()) return found->second;
  auto report = context_.sink.error(Code::UndefinedMark, name.span, fmt::format("there is no mark `{}`", name.text));
  std::vector<std::string> names;
  for (const auto& [text, id] : instance_.marks) names.push_back(text);
  const auto close = did_you_mean(name.text, std::span<const std::string>(names));
  report.help(close ? fmt::format("did you mean `{}`?", *close)
                    : fmt::format("set it where counting starts: `mark {}`", name.text));
  return std::nullopt;
}

model::ExprPtr Body::since(Op op, const ast::Expr& e) {
  if (e.mark.text.empty()) return make(op, model::kU64, {0, kMaxOutputs}, e.span);
  const auto mark = mark_id(e.mark);
  if (!mark) return nullptr;
  const bool outputs = op == Op::Produced;
  ExprPtr result = make(outputs ? Op::ProducedSince : Op::ConsumedSince, model::kU64,
                        {0, outputs ? kMaxOutputs : i128{1} << (e.bits ? 40 : 37)}, e.span);
  result->flag = e.bits;
  result->ref = *mark;
  return result;
}

bool Body::has_dictionary(Span span, const char* instead) {
  if (instance_.has_dictionary) return true;
  context_.sink.error(Code::NoDictionary, span, "the format has no preset dictionary")
      .help(fmt::format("declare `dictionary` beside `input` and `output`{}", instead));
  return false;
}

model::ExprPtr Body::dictionary_size(Span span) {
  if (!has_dictionary(span)) return nullptr;
  return make(Op::DictionarySize, model::kU64, {0, i128{1} << 37}, span);
}

model::ExprPtr Body::checksum(const ast::Expr& e) {
  const auto known = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                  [&](const auto& k) { return k.name == e.name.text; });
  if (known == std::end(kAlgorithms)) {
    context_.sink.error(Code::UnknownFunction, e.name.span, fmt::format("there is no checksum `{}`", e.name.text))
        .help("checksums are adler32, crc32, crc32c, crc32_bzip2, xxh32 and xxh64");
    return nullptr;
  }
  std::uint32_t mark = 0;
  if (e.stream == "dictionary") {
    if (!has_dictionary(e.span)) return nullptr;
  } else {
    const auto id = mark_id(e.mark);
    if (!id) return nullptr;
    mark = *id;
  }
  const Type word{static_cast<std::uint8_t>(model::bits_of(known->algo)), false};
  ExprPtr result = make(Op::Checksum, word, model::range_of(word), e.span);
  result->algo = known->algo;
  result->stream = e.stream == "dictionary" ? model::Stream::Dictionary
                   : e.stream == "input"    ? model::Stream::Input
                                            : model::Stream::Output;
  result->ref = mark;
  return result;
}

}  // namespace sluice::sema
