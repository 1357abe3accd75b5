#pragma once
// The one way a spec is laid out.
//
//   format  x( T:integer )        ->  format x(T: integer)
//      input bytes                      input bytes
//
//
//      table t:u8=[1,2 ,  3]            table t: u8 = [1, 2, 3]
//
// Two spaces a level, one space around operators, at most one empty line in a row and none at the start of a block,
// lines of at most kMaxColumns where brackets allow a break (the line goes on four columns deeper). Comments are kept.
#include <cstdint>
#include <string>

#include "dsl/source/source.h"

namespace sluice::ast {

inline constexpr std::size_t kMaxColumns = 120;

// The formatted text; the text as it is when it does not parse. format(format(x)) == format(x), and the parse tree
// does not change.
std::string format(const SourceSet& sources, std::uint32_t file);

}  // namespace sluice::ast
