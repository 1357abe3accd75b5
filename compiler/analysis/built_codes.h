#pragma once
// Is a prefix code always built before it is read? What was built is followed along every path: through branches, loops
// and calls, and for each copy of an array of codes.
//
//   if $final                                  litlen: proven, every path to `s` goes through one of its builds
//     build litlen from table 0
//   else
//     build litlen from array 0
//   loop until_end
//     read s code litlen
//
//   loop times tables, t                       code: not proven, `s` may read a copy that was not built. In every
//     build code[t] from array 0                     chunk it starts without codewords
//   read s code code[which]
//
// A code that is proven needs no tables before its first `build`; others need tables that have no codewords.
#include <cstdint>
#include <vector>

#include "compiler/analysis/reason.h"
#include "compiler/ir/ir.h"
#include "dsl/diag/diag.h"

namespace sluice::analysis {

struct BuiltCode {
  bool read = false;         // somewhere that a chunk can get to
  bool always_built = true;  // every read comes behind a `build` of the copy that it reads
  ReasonChain why;           // always built: the builds, then the reads; else the reads that none may come before
};

// A read that no `build` comes before, on any path; of symbols: that no entry is read before.
struct EmptyRead {
  const ir::Stmt* stmt = nullptr;       // Read or Literals of a code, or EmitSymbol
  const ir::Stmt* elsewhere = nullptr;  // what fills it on other paths; null: nothing does
};

struct BuiltCodes {
  std::vector<BuiltCode> codes;        // by Module::codes
  std::vector<EmptyRead> empty_reads;  // the first of each code and of each symbol table
};

// The module must have passed ir::verify.
[[nodiscard]] BuiltCodes built_codes(const ir::Module& module);

// Reports empty reads as errors. False when there was one.
bool check_built(const ir::Module& module, const BuiltCodes& built, DiagSink& sink);

}  // namespace sluice::analysis
