// Read types: what stands right of `NAME:` and after `literals`.
//
//   u16le        Fixed, two bytes, little-endian        uint(n + 1)   Computed, n + 1 bits of the stream
//   varint(T)    Varint of T's width and sign           litlen        Code, a symbol of the prefix code
//   length[i]    Ranges: base[i] + extra[i] bits        text(4)       Rule, the result of a rule
#include <fmt/format.h>

#include <numeric>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using model::Op;
using Kind = model::ReadSpec::Kind;
using Order = model::ReadSpec::Order;

namespace {

// A number that divides every value of the expression; 0 for the value 0.
std::uint64_t known_factor(const model::Expr& e) {
  switch (e.op) {
    case Op::Const:
      return e.type.is_signed ? 1 : e.imm;
    case Op::Mul: {
      const std::uint64_t a = known_factor(*e.kids[0]), b = known_factor(*e.kids[1]);
      return a <= 0xffffffff && b <= 0xffffffff ? a * b : 1;
    }
    case Op::Add:
    case Op::Sub:
      return std::gcd(known_factor(*e.kids[0]), known_factor(*e.kids[1]));
    case Op::Shl:
      return e.kids[1]->op == Op::Const && e.kids[1]->imm < 32 ? std::uint64_t{1} << e.kids[1]->imm : 1;
    case Op::Cast:
      return model::within(e.kids[0]->range, model::range_of(e.type)) ? known_factor(*e.kids[0]) : 1;
    default:
      return 1;
  }
}

// Of the ranges that the index may select.
Range range_among(const model::Ranges& ranges, Range index) {
  const Range all{0, static_cast<i128>(ranges.base.size()) - 1};
  const Range some = intersect(index, all).value_or(all);
  std::optional<Range> found;
  for (auto i = static_cast<std::size_t>(some.lo); i <= static_cast<std::size_t>(some.hi); ++i) {
    const i128 first = ranges.base[i];
    const Range r{first, first + (i128{1} << ranges.extra[i]) - 1};
    found = found ? hull(*found, r) : r;
  }
  return found.value_or(ranges.range);
}

}  // namespace

bool Body::needs_bits(Span span, std::string_view what) {
  if (instance_.input != model::Input::Bytes) return true;
  if (!instance_.has_input) return true;  // already reported
  context_.sink.error(Code::NeedsBitStream, span, fmt::format("{} needs a stream of bits", what))
      .help("declare `input bits lsb` or `input bits msb`; in a stream of bytes read u8 and pick bits with >> and &");
  return false;
}

// Built-in types take no ( ) and no [ ].
bool Body::no_parts(const ast::ReadType& r, bool index_allowed) {
  if (r.has_args) {
    context_.sink.error(Code::ArgumentCount, r.span, fmt::format("`{}` takes no arguments", r.name.text));
    return false;
  }
  if (r.index && !index_allowed) {
    context_.sink.error(Code::NotIndexable, r.span, fmt::format("`{}` takes no index", r.name.text))
        .help(
            fmt::format("a field is one value: `literals {0}[n]` outputs n of them, a loop reads them into an `array`",
                        r.name.text));
    return false;
  }
  return true;
}

bool Body::read_type(const ast::ReadType& r, model::ReadSpec& out) {
  if (r.name.text.empty() || goes_on_from_a_state(r)) return false;
  const std::string& text = r.name.text;
  Symbol* symbol = find(text);
  if (symbol != nullptr) {
    symbol->used = true;
    switch (symbol->kind) {
      case Symbol::Kind::Type:
        return no_parts(r, false) && fixed_read(r, symbol->type.bits, false, false, symbol->type, out);
      case Symbol::Kind::Code:
        return no_parts(r, true) && code_read(r, *symbol, out);
      case Symbol::Kind::Ranges:
        return no_parts(r, true) && ranges_read(r, *symbol, out);
      case Symbol::Kind::Rule: {
        if (r.index) return no_parts(r, false);
        return rule_read(r, symbol->id, out);
      }
      default:
        break;
    }
    const bool states = symbol->kind == Symbol::Kind::State;  // literals of it
    auto report = context_.sink.error(Code::NotReadable, r.name.span,
                                      fmt::format("`{}` is {}: {}", text, kind_name(symbol->kind),
                                                  states ? "its states are no elements of the output" : "it can't be read from the input"));
    report.note(symbol->span, "declared here");
    report.help(states ? fmt::format("its states are read one by one: `state: {}`", text)
                                                    : "`NAME: TYPE` reads; `NAME = VALUE` names a value");
    return false;
  }
  if (text == "varint") return varint_read(r, out);
  for (const std::string_view computed : {"uint", "int", "uint_le", "uint_be", "int_le", "int_be"})
    if (text == computed) return computed_read(r, out);
  std::uint64_t width = 0;
  const auto spelled = spell_type(text, &width);
  if (!spelled) {
    undefined(r.name, "type", {"varint", "uint", "int", "bool"});
    return false;
  }
  return no_parts(r, false) && check_width(context_, r.name.span, text, width, *spelled) &&
         fixed_read(r, width, spelled->has_order, spelled->big_endian, spelled->type, out);
}

bool Body::fixed_read(const ast::ReadType& r, std::uint64_t width, bool has_order, bool big_endian, Type type,
                      model::ReadSpec& out) {
  const std::string& text = r.name.text;
  if (!has_order && instance_.input == model::Input::Bytes && width != 8 && instance_.has_input) {
    if (width % 8 == 0) {
      const std::string name = type_text(type);
      context_.sink
          .error(Code::NeedsByteOrder, r.name.span, fmt::format("`{}` needs a byte order in a stream of bytes", text))
          .help(fmt::format("write `{0}le` (least significant byte first) or `{0}be`", name));
      return false;
    }
    return needs_bits(r.name.span, fmt::format("`{}`", text));
  }
  out.kind = Kind::Fixed;
  out.order = !has_order ? Order::Stream : big_endian ? Order::Big : Order::Little;
  out.type = type;
  out.range = model::range_of(type);
  return true;
}

bool Body::computed_read(const ast::ReadType& r, model::ReadSpec& out) {
  const std::string& text = r.name.text;
  const bool is_signed = text[0] == 'i';
  const bool has_order = text.size() > 4;
  if (r.args.size() != 1 || r.index) {
    context_.sink.error(Code::ArgumentCount, r.span, fmt::format("`{}` takes one argument, the width in bits", text))
        .help(has_order || r.has_args
                  ? fmt::format("write `{}(WIDTH)`", text)
                  : fmt::format("write `{}(WIDTH)`, or a type with its width: `{}32le`", text, text[0]));
    return false;
  }
  if (!has_order && instance_.input == model::Input::Bytes && instance_.has_input) {
    context_.sink
        .error(Code::NeedsByteOrder, r.name.span, fmt::format("`{}` needs a byte order in a stream of bytes", text))
        .help(fmt::format("write `{0}_le(WIDTH)` or `{0}_be(WIDTH)`", text));
    return false;
  }
  ExprPtr width = expr(r.args[0].get());
  if (!width) return false;
  const auto usable = intersect(width->range, {0, 64});
  if (!usable) {
    context_.sink.error(Code::BadWidth, width->span, "a width is 0 to 64 bits");
    return false;
  }
  const std::uint64_t factor = known_factor(*width);
  if (has_order && factor % 8 != 0) {
    if (width->op == Op::Const) {
      context_.sink.error(Code::BadByteOrder, width->span, "a field with a byte order is made of whole bytes")
          .help("write a multiple of 8");
      return false;
    }
    out.width_may_split_bytes = true;
  }
  out.kind = Kind::Computed;
  out.order = !has_order ? Order::Stream : text.substr(text.size() - 2) == "be" ? Order::Big : Order::Little;
  const int least = is_signed ? 2 : 1;  // i1 is no type; a one-bit signed field is 0 or -1 all the same
  out.type = {static_cast<std::uint8_t>(usable->hi < least ? least : usable->hi), is_signed};
  out.range = model::range_of(out.type);
  out.width = as_signed(std::move(width), false);
  return true;
}

bool Body::varint_read(const ast::ReadType& r, model::ReadSpec& out) {
  if (r.args.size() != 1 || r.index || r.args[0] == nullptr) {
    context_.sink.error(Code::ArgumentCount, r.span, "`varint` takes one argument, a type")
        .help("write `varint(u32)`, or `varint(i32)` for zigzag coding");
    return false;
  }
  if (r.args[0]->kind == ast::Expr::Kind::Error) return false;
  if (r.args[0]->kind != ast::Expr::Kind::Ref) {
    context_.sink.error(Code::UnknownType, r.args[0]->span, "`varint` takes a type, not a value")
        .help("write `varint(u32)`, or `varint(i32)` for zigzag coding");
    return false;
  }
  const auto type = scalar_type(context_, instance_, r.args[0]->name);
  if (!type) return false;
  out.kind = Kind::Varint;
  out.type = *type;
  out.range = model::range_of(*type);
  return true;
}

bool Body::code_read(const ast::ReadType& r, const Symbol& symbol, model::ReadSpec& out) {
  const model::Code& code = context_.format.codes[symbol.id];
  if (code.symbols == 0) return false;  // its declaration was wrong
  if ((code.copies > 1) != (r.index != nullptr)) {
    context_.sink
        .error(Code::NotIndexable, r.span,
               code.copies > 1 ? fmt::format("`{}` is {} codes: say which one", symbol.name, code.copies)
                               : fmt::format("`{}` is one code: it takes no index", symbol.name))
        .note(symbol.span, "declared here");
    return false;
  }
  if (!needs_bits(r.name.span, "a prefix code")) return false;
  if (r.index) {
    bool checked = false;
    out.index = checked_index(r.index.get(), code.copies, symbol.name, &checked);
    if (!out.index) return false;
  }
  out.kind = Kind::Code;
  out.ref = symbol.id;
  out.type = {32, false};
  out.range = {0, static_cast<i128>(code.symbols) - 1};
  return true;
}

bool Body::ranges_read(const ast::ReadType& r, const Symbol& symbol, model::ReadSpec& out) {
  const model::Ranges& ranges = context_.format.ranges[symbol.id];
  if (ranges.base.empty()) return false;  // its declaration was wrong
  if (!r.index) {
    context_.sink
        .error(Code::NotIndexable, r.span,
               fmt::format("`{}` has {} ranges: say which one", symbol.name, ranges.base.size()))
        .note(symbol.span, "declared here")
        .help(fmt::format("write `{}[INDEX]`", symbol.name));
    return false;
  }
  if (!needs_bits(r.name.span, "a `ranges` field")) return false;
  bool checked = false;
  out.index = checked_index(r.index.get(), ranges.base.size(), symbol.name, &checked);
  if (!out.index) return false;
  out.kind = Kind::Ranges;
  out.ref = symbol.id;
  out.type = model::kU64;
  out.range = range_among(ranges, out.index->range);
  return true;
}

bool Body::rule_read(const ast::ReadType& r, std::uint32_t rule, model::ReadSpec& out) {
  const RuleHead& head = context_.rules[rule];
  if (head.broken) return false;
  if (!head.result) {
    context_.sink.error(Code::NoResult, r.name.span, fmt::format("`{}` has no result to read", head.name))
        .note(head.decl != nullptr ? head.decl->name.span : r.name.span, "declared without `-> TYPE`")
        .help(fmt::format("call it as a statement: `{}()`", context_.text(r.name.span)));
    return false;
  }
  if (!arguments(r.span, head, r.args, out.args)) return false;
  out.kind = Kind::Rule;
  out.ref = rule;
  out.type = *head.result;
  out.range = model::range_of(*head.result);
  return true;
}

bool Body::arguments(Span span, const RuleHead& head, const std::vector<ast::ExprPtr>& args,
                     std::vector<ExprPtr>& out) {
  if (args.size() != head.params.size()) {
    auto report = context_.sink.error(Code::ArgumentCount, span,
                                      fmt::format("`{}` takes {} argument{}, not {}", head.name, head.params.size(),
                                                  head.params.size() == 1 ? "" : "s", args.size()));
    if (head.decl != nullptr) report.note(head.decl->name.span, "declared here");
    return false;
  }
  bool ok = true;
  for (std::size_t i = 0; i < args.size(); ++i) {
    ExprPtr value = expr(args[i].get());
    ok = ok && value && fits(*value, head.params[i], "this argument");
    out.push_back(std::move(value));
  }
  return ok;
}

std::optional<std::uint32_t> Body::find_rule(const ast::Name& name) {
  Symbol* symbol = find(name.text);
  if (symbol == nullptr) {
    undefined(name, "rule");
    return std::nullopt;
  }
  symbol->used = true;
  if (symbol->kind == Symbol::Kind::Module) {
    const Instance* imported = instance_.modules[symbol->id];
    if (imported == nullptr) return std::nullopt;
    return imported->main;
  }
  if (symbol->kind != Symbol::Kind::Rule) {
    context_.sink
        .error(Code::NotARule, name.span, fmt::format("`{}` is {}, not a rule", name.text, kind_name(symbol->kind)))
        .note(symbol->span, "declared here");
    return std::nullopt;
  }
  return symbol->id;
}

}  // namespace sluice::sema
