#pragma once
// A header of primitives cut into pieces of whole lines, by what Clang sees in it.
//
//   // n bytes, no overlap.                          PIECE(Declaration, 4, "copy_bytes", "kWorkers worker copy_words", "")
//   SLUICE_INLINE void copy_bytes(...) {
//     ...
//   }
//
// A piece begins behind the one before it, so comments in front of a declaration are the declaration's.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sluice::primitives {

// One thing at the header's top level, as one way of compiling it shows it.
struct Seen {
  enum class Kind { Declaration, Statement, Open, Close, Macro, Always, If, Else, Endif };
  Kind kind = Kind::Declaration;
  unsigned first = 0, last = 0;    // lines
  std::set<std::string> names;     // that it declares
  std::set<std::string> needs;     // that it names itself; "::x" where a lane's header means the warp's x
  std::set<std::string> operands;  // classes of a function's parameters
};

struct Header {
  std::string path, text;
  std::map<unsigned, Seen> seen;          // by first line
  std::vector<unsigned> never_compiled;  // lines that every way of compiling skips
  bool parsed = false;
};

// Adds what is new in `more`; the same thing seen in another way needs what both ways need.
void add(Header&, const Seen& more);

// The header's lines of the index. `known`: names that stand in it for something, of all headers. Nothing, with `problem`
// set, where something does not fit into whole lines.
[[nodiscard]] std::string index_of(const Header&, const std::set<std::string>& known, std::string& problem);

}  // namespace sluice::primitives
