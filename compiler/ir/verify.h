#pragma once
// What every module promises its readers: the interpreter, the analyses and the emitters rely on it.
#include <string>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::ir {

// Bounds of the error word and of the run-time code tables.
inline constexpr std::size_t kMaxRules = (std::size_t{1} << kErrorRuleBits) - 1;  // the last number is kCallRule
inline constexpr std::uint32_t kMaxClause = (1u << kErrorClauseBits) - 1;
inline constexpr unsigned kMaxCodeBits = 20;
inline constexpr std::uint32_t kMaxSymbols = 65536;
inline constexpr std::uint32_t kMaxBufferElements = 1u << 24;  // a number of one and a byte share 32 bits
inline constexpr std::uint32_t kMaxSymbolEntries = 65536;

// Empty when the module keeps its promises; otherwise one sentence per broken one, each beginning with where it is
// ("rule body: copy: ..."). Checks references, operand counts and types, ranges inside types, sites where a statement
// can fail, placement of Stop and Return, use of buffers, types of elements, definition before use, recursion, and the sizes above. Whether
// an index or a value is really in range is lowering's promise and is not checked here.
std::vector<std::string> verify(const Module& module);

// Part of verify: what may not happen while a buffer is filled, calls followed. Assumes that references are in range
// and that no rule calls itself.
std::vector<std::string> verify_buffers(const Module& module);

// Part of verify: what may not happen in a region that is read from its end, or of the dictionary, calls followed. Assumes the same.
std::vector<std::string> verify_regions(const Module& module);

// Part of verify: the first use of every slot that some path reaches without a definition, and value-rules that may
// reach their end without a Return. Assumes that references are in range.
std::vector<std::string> verify_definitions(const Rule& rule);

}  // namespace sluice::ir
