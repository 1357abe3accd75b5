#pragma once
// Spellings of other languages, and what to write here instead: one table (foreign.cpp), looked up where a line, an
// operand or the end of a statement turns out wrong.
//
//   n++                 Line "NAME + +"   ->  "write `n := n + 1`; ..."
//   for i in 0..n       ForHead "NAME in" ->  "write `for i < n`; ..."
//   x: uint8_t          Type "uint8_t"    ->  "write `u8`"
//
// A pattern is tokens with blanks between them: NAME is any name, TYPE a name of a type of this or another language,
// OWN one of this language, OP an operator, ANY any token, NL the line's end; everything else stands for itself. `{0}`, `{1}`, ... in the texts are its tokens.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dsl/syntax/lexer.h"

namespace sluice::ast {

enum class Place : unsigned char {
  File,        // a line at the left margin that is neither `use` nor `format`
  Line,        // the start of a statement or declaration
  ForHead,     // after `for`
  AfterRead,   // after NAME: TYPE
  AfterRule,   // after rule NAME(...)
  AfterTable,  // after table NAME: TYPE
  AfterArray,  // after array NAME: TYPE[SIZE]
  After,       // after a complete statement or condition
  Brackets,    // where a bracket in an expression should close
  Operand,     // where an expression should start
  InSet,       // after EXPR in
  InEnd,       // after EXPR in EXPR ..
  Type,        // a name where a type should stand
  Value,       // a name that is not declared, or a function that does not exist
  Character,   // a character that is no part of the language
};

struct Foreign {
  std::string message;  // what is wrong
  std::string help;     // what to write
  bool hides_block;     // what stands below is as foreign as the line: not worth reporting
};

// What `token(0)`, `token(1)`, ... at this place would be in another language. `token` gives an End after the last.
std::optional<Foreign> find_foreign(Place place, const std::function<Token(std::size_t)>& token);
// The same for a single word (or character).
std::optional<Foreign> find_foreign(Place place, std::string_view word);

// How a statement or declaration of this language that starts with `word` goes on; empty: nothing to add to "expected".
std::string_view shape_of(std::string_view word);

// u8, i64le, bool, or a type of another language.
bool looks_like_type(std::string_view word);

}  // namespace sluice::ast
