#include "dsl/syntax/words.h"

#include <algorithm>

namespace sluice::ast {
namespace {

// `var` is a declaration and a statement; it is listed with the statements, and the format's level takes both.
constexpr std::string_view kDeclarations[] = {"format",      "use",      "input",  "output", "dictionary",
                                              "argument",    "const",    "table",  "ranges", "array",
                                              "prefix_code", "trailing", "assert", "rule",   "buffer", "state_code"};
constexpr std::string_view kStatements[] = {"var",    "emit",    "literals", "run",       "copy",  "build",  "when",
                                            "else",   "if",      "repeat",   "for",       "stop",  "return", "reject",
                                            "accept", "require", "within",   "producing", "mark",  "new",    "align",
                                            "skip",   "pass",    "into",     "stage",     "symbol"};
constexpr std::string_view kExpressions[] = {"or",    "and",       "not",      "in",       "as",   "true",
                                             "false", "remaining", "produced", "consumed", "until"};
constexpr std::string_view kLater[] = {"limit", "split", "interleaved", "reverse"};

bool has(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

WordClass classify(std::string_view word) {
  if (has(kDeclarations, word)) return WordClass::Declaration;
  if (has(kStatements, word)) return WordClass::Statement;
  if (has(kExpressions, word)) return WordClass::Expression;
  if (has(kLater, word)) return WordClass::Later;
  return WordClass::Name;
}

std::span<const std::string_view> declaration_words() { return kDeclarations; }
std::span<const std::string_view> statement_words() { return kStatements; }

}  // namespace sluice::ast
