#include "dsl/sema/types.h"

#include <fmt/format.h>

namespace sluice::sema {

std::optional<TypeName> spell_type(std::string_view text, std::uint64_t* width) {
  TypeName spelled;
  if (text == "bool") {
    *width = 1;
    spelled.type = model::kBool;
    return spelled;
  }
  if (text.size() < 2 || (text[0] != 'u' && text[0] != 'i')) return std::nullopt;
  spelled.type.is_signed = text[0] == 'i';
  std::size_t at = 1;
  std::uint64_t bits = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at < 6)
    bits = bits * 10 + static_cast<std::uint64_t>(text[at++] - '0');
  if (at == 1) return std::nullopt;
  const std::string_view rest = text.substr(at);
  if (rest == "le" || rest == "be") {
    spelled.has_order = true;
    spelled.big_endian = rest == "be";
  } else if (!rest.empty()) {
    return std::nullopt;
  }
  *width = bits;
  spelled.type.bits = static_cast<std::uint8_t>(bits >= 1 && bits <= 64 ? bits : 64);
  return spelled;
}

bool check_width(Context& context, Span span, std::string_view text, std::uint64_t width, const TypeName& spelled) {
  const std::uint64_t least = spelled.type.is_signed ? 2 : 1;
  if (width < least || width > 64) {
    context.sink.error(Code::BadWidth, span, fmt::format("there is no type `{}`", text))
        .help(spelled.type.is_signed ? "signed integers are i2 to i64" : "unsigned integers are u1 to u64");
    return false;
  }
  if (spelled.has_order && (width % 8 != 0 || width < 16)) {
    const char sign = spelled.type.is_signed ? 'i' : 'u';
    const std::string_view order = text.substr(text.size() - 2);
    context.sink
        .error(Code::BadByteOrder, span,
               fmt::format("`{}` has a byte order but is not made of several whole bytes", text))
        .help(width >= 2 && width <= 8
                  ? fmt::format("write `{0}{1}` for {1} bits; {1} bytes are `{0}{2}{3}`", sign, width, 8 * width, order)
                  : fmt::format("write `{}{}`, or a width of 16, 24, ... 64 bits", sign, width));
    return false;
  }
  return true;
}

std::optional<Type> scalar_type(Context& context, Instance& instance, const ast::Name& name) {
  if (name.text.empty()) return std::nullopt;
  Symbol* found = find_declared(instance, name.text);
  if (found != nullptr && found->kind == Symbol::Kind::Type) {
    found->used = true;
    return found->type;
  }
  std::uint64_t width = 0;
  const auto spelled = spell_type(name.text, &width);
  if (!spelled) {
    context.sink.error(Code::UnknownType, name.span, fmt::format("`{}` is not a type", name.text))
        .help("types of values are u1 to u64, i2 to i64, bool, and the format's type parameters");
    return std::nullopt;
  }
  if (!check_width(context, name.span, name.text, width, *spelled)) return std::nullopt;
  if (spelled->has_order) {
    context.sink
        .error(Code::UnknownType, name.span,
               fmt::format("`{}` says how bytes are read, not how a value is held", name.text))
        .help(
            fmt::format("write `{}` here; the byte order belongs to the field that is read", type_text(spelled->type)));
    return std::nullopt;
  }
  return spelled->type;
}

std::string type_text(Type type) { return fmt::format("{}{}", type.is_signed ? 'i' : 'u', type.bits); }

std::string number_text(i128 v) {
  if (v < 0) return "-" + std::to_string(static_cast<std::uint64_t>(-v));
  return std::to_string(static_cast<std::uint64_t>(v));
}

std::string held_text(Type type, const std::optional<Range>& declared) {
  if (!declared) return type_text(type);
  return number_text(declared->lo) + ".." + number_text(declared->hi);
}

std::optional<Type> smallest_type(Range r) {
  const bool is_signed = r.lo < 0;
  for (unsigned bits = is_signed ? 2 : 1; bits <= 64; ++bits) {
    const Type type{static_cast<std::uint8_t>(bits), is_signed};
    if (model::within(r, model::range_of(type))) return type;
  }
  return std::nullopt;
}

}  // namespace sluice::sema
