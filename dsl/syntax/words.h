#pragma once
// The words of the language. Only words that start a line, or that could not be told from a name otherwise, are
// reserved; the rest (`bytes`, `count`, `length`, `times`, `min`, `crc32`, ...) mean something only where the
// grammar asks for them and may name fields. Types are names to the parser; sema keeps authors from reusing them.
#include <span>
#include <string_view>

namespace sluice::ast {

enum class WordClass : unsigned char {
  Name,         // not reserved
  Declaration,  // starts a declaration: input, table, rule, ...
  Statement,    // starts a statement: emit, when, ...
  Expression,   // and, remaining, true, ...
  Later,        // reserved for the next version of the language
};

WordClass classify(std::string_view word);

std::span<const std::string_view> declaration_words();
std::span<const std::string_view> statement_words();

// Can a word start the next line of a list that goes on in brackets? Statement and declaration keywords can't, so
// meeting one there means the bracket was never closed.
inline bool starts_a_line(WordClass c) { return c == WordClass::Declaration || c == WordClass::Statement; }

}  // namespace sluice::ast
