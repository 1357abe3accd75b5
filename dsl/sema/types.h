#pragma once
// Type names: u1..u64, i2..i64, bool, u16le and the like, and parameters that stand for one.
#include <optional>
#include <string_view>

#include "dsl/sema/context.h"

namespace sluice::sema {

struct TypeName {
  Type type;
  bool has_order = false;
  bool big_endian = false;
};

// Reads a built-in type name. Nothing: not of that shape at all ("litlen"). Widths are not judged:
// "u99" gives `digits` 99 through *width and a type of no meaning.
std::optional<TypeName> spell_type(std::string_view text, std::uint64_t* width);

// The type that a declaration, parameter or `as` names; reports what is wrong with it.
std::optional<Type> scalar_type(Context& context, Instance& instance, const ast::Name& name);

// The width is one that a type of that kind may have; reports otherwise.
bool check_width(Context& context, Span span, std::string_view text, std::uint64_t width, const TypeName& spelled);

// "u8", "i64".
std::string type_text(Type type);

// A number of any size that the language knows.
std::string number_text(i128 v);

// `u8`, or `3..12` for a variable of a range type.
std::string held_text(Type type, const std::optional<Range>& declared);

// The smallest type that holds the interval; nothing when no 64-bit type does.
std::optional<Type> smallest_type(Range r);

}  // namespace sluice::sema
