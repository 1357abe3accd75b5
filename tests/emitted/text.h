#pragma once
// A text to check, and what it was made from.
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sluice::emitted {

// Lines of a spec that belong to a statement or a clause, by the spec's file name: what `// gzip.sluice:31` may point
// at.
using Clauses = std::map<std::string, std::set<unsigned>>;

// By a loop's function, "fast_rule0_main_0" or "thread::fast_rule0_main_0": its variables that the plan holds in 32 bits.
using Words = std::map<std::string, std::set<std::string>>;

struct RuleLines {
  std::string name;
  Clauses lines;
};

struct Text {
  std::string name;  // for people
  std::string text;
  bool cuda = false;
  std::map<std::string, std::string> headers;  // that it includes besides runtime/prim's: name -> text
  Clauses clauses;
  std::vector<RuleLines> rules;  // of the spec: some comment `// gzip.sluice:31` names a line of each
  Words narrow = {};
};

}  // namespace sluice::emitted
