// Strings compared with fields.
//
//   magic: u32be     magic == "RIFF"     as it is meant
//   magic: u32le     magic == "RIFF"     warned: its first byte is the lowest of the number, the string's the highest
//   magic: u16be     magic == "RIFF"     warned: two bytes are never four
#include <fmt/format.h>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using model::ReadSpec;

void Body::note_field(std::uint32_t slot, const ReadSpec& r) {
  if (slot == Stmt::kNoSlot || r.kind != ReadSpec::Kind::Fixed) return;
  const bool lowest_first = r.order == ReadSpec::Order::Little ||
                            (r.order == ReadSpec::Order::Stream && instance_.input == model::Input::BitsLsb);
  fields_[slot] = {r.type.bits, lowest_first};
}

void Body::judge_string(const ast::Expr& comparison) {
  for (const std::size_t side : {0u, 1u}) {
    const ast::Expr &string = *comparison.kids[side], &other = *comparison.kids[1 - side];
    if (string.characters == 0) continue;
    std::optional<Field> field;
    if (other.kind == ast::Expr::Kind::Ref) {
      const Symbol* symbol = find(other.name.text);
      const auto known = symbol != nullptr && symbol->kind == Symbol::Kind::Local ? fields_.find(symbol->id) : fields_.end();
      if (known != fields_.end()) field = known->second;
    } else if (other.kind == ast::Expr::Kind::Peek) {
      std::uint64_t width = 0;
      const auto type = spell_type(other.type_name.text, &width);
      const bool in_stream = type && !type->has_order && instance_.input == model::Input::BitsLsb;
      if (type) field = Field{type->type.bits, in_stream || (type->has_order && !type->big_endian)};
    }
    if (!field) continue;
    const unsigned bits = 8 * string.characters;
    const std::string text = context_.text(other.span);
    if (field->bits != bits) {
      context_.sink.warning(Code::StringMismatch, string.span,
                            fmt::format("this string has {} bits, `{}` has {}", bits, text, field->bits))
          .help(fmt::format("a field for it is `u{}{}`", bits, bits > 8 ? "be" : ""));
    } else if (field->reversed && bits > 8) {
      context_.sink
          .warning(Code::StringMismatch, string.span,
                   fmt::format("the first character is compared with the last byte of `{}`", text))
          .help(fmt::format("the first character of a string is the highest byte of its number: read `u{}be`", bits));
    }
  }
}

}  // namespace sluice::sema
