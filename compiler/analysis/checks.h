#pragma once
// What a decode may refuse, as a list to read: the run-time checks that were not proven away, and the policy clauses.
//
//   check (le %x 29) !7 (reject too_many)     ->  policy "reject too_many"
//   read %n fixed u16le !3                    ->  run-time check "the input ends inside `n`"
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "dsl/source/source.h"

namespace sluice::analysis {

struct RunTimeCheck {
  ir::SiteId site = ir::kNoSite;
  ir::Reason reason = ir::Reason::EndOfInput;
  std::string text;  // "the input ends inside `n`"
  Span span;
  std::string wrong;  // ir::Site::wrong
};

// `text`, and where it is about an expression of the source, with that: "`n - 4` is negative as the count of `literals`".
std::string said(const RunTimeCheck& check, const SourceSet& sources);

struct Policy {
  bool accept = false;  // accept NAME, else reject NAME
  std::string name;
  std::uint32_t rule = 0;
  Span span;
};

struct Checks {
  std::vector<RunTimeCheck> run_time;  // reachable sites that are no policy, in order of their spans
  std::vector<Policy> policies;        // the same order
};

Checks checks_of(const ir::Module& module);

// What the site refuses, as a clause for people: "copy reaches before its window".
std::string refusal(const ir::Site& site, const ir::Stmt& stmt);

}  // namespace sluice::analysis
