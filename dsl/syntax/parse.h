#pragma once
// The parser's only door: one text to one tree.
#include <cstdint>

#include "dsl/diag/diag.h"
#include "dsl/source/source.h"
#include "dsl/syntax/ast.h"

namespace sluice::ast {

// Bounds on nesting, so that neither this parser nor any later recursive walk over the tree can exhaust the stack.
// 64 blocks of 64-deep expressions are far beyond what anyone writes; generated C stays inside the 256 nested
// brackets compilers accept.
inline constexpr unsigned kMaxBlockDepth = 64;
inline constexpr unsigned kMaxExprDepth = 64;

// Parses one file of `sources`. Errors are reported in source order, one per wrong line; the tree then holds Error
// nodes (or lacks the line) and has ok == false. Names in the tree are copies: the tree outlives the sources.
File parse(const SourceSet& sources, std::uint32_t file, DiagSink& sink);

}  // namespace sluice::ast
