#pragma once
// What is known of numbers on every path to a place, as far as rule_loops needs it: is this amount 1 or more?
//
//   while (first < steps) {
//     u64 sure = steps - first;                 1 or more, since first < steps
//     if (sure > room / 8) sure = room / 8;     still, if room >= 8 was tested
//     first += sure;                            progress
//
// What holds when a flag is set is kept with the flag: `whole = true;` on one path and `goto stuck;` on another, then
// `if (!whole) return;`. The counter of a `for` is such a flag too, set when it has been stepped: from 0 to a bound of
// 1 or more, or from 1 or more down to 0, it was, so what every round does was done.
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/emitted/tree.h"

namespace sluice::emitted {

struct Known {
  std::map<const clang::VarDecl*, std::int64_t> least;  // of unsigned numbers, where it is 1 or more
  std::set<std::pair<std::string, std::string>> less;   // a < b, as they are spelled
  std::set<const clang::Stmt*> region;                  // the same, once the region that was opened in them is used up
  std::set<const clang::Stmt*> done;                    // loops, and functions, that have made progress since
  void meet(const Known& other);                        // what holds of both
  void also(const Known& other);
  friend bool operator==(const Known&, const Known&) = default;
};

struct Progress {
  Known known;
  std::map<const clang::VarDecl*, bool> flags;  // whether they are set, or stepped, where known
  std::map<const clang::VarDecl*, Known> when;  // what holds besides when a flag is set
  bool dead = false;                            // no run comes here

  bool join(const Progress& other);
};

class Numbers {
 public:
  explicit Numbers(const clang::ASTContext& context) : context_(context) {}
  // Variables that the heads of `for` loops step, and whether down.
  using Counters = std::map<const clang::VarDecl*, bool>;
  void decided(Progress& state, const clang::Expr* atom, bool truth, const Counters& counters) const;
  void assign(Progress& state, const clang::VarDecl* target, const clang::Expr* value, const Counters& counters) const;
  void stepped(Progress& state, const clang::VarDecl* target, const Counters& counters) const;
  void changed(Progress& state, const clang::VarDecl* target) const;
  // The least that the expression can be: 0 when nothing is known.
  [[nodiscard]] std::int64_t least(const Known& known, const clang::Expr* e) const;

 private:
  void decide(Progress& state, const clang::Expr* atom, bool truth) const;
  void at_least(Known& known, const clang::Expr* e, std::int64_t n) const;
  const clang::ASTContext& context_;
};

}  // namespace sluice::emitted
