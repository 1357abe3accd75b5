#pragma once
// Temporary memory of one chunk: what the format's own state takes, whatever the data.
//
//   array lengths u4[320]                          ->  320
//   code litlen(288, 15), read by tokens           ->  2^10 + 288 x 2^5 entries of 4 bytes, 640 of counts and symbols
//   buffer block[900000], with stage inverse_bwt   ->  900000 + 4 x 900000 + 900000
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/analysis/token_budget.h"
#include "compiler/ir/ir.h"
#include "dsl/diag/diag.h"

namespace sluice::analysis {

struct Memory {
  struct Part {
    std::string name;
    std::string formula;  // "320 elements of 1 byte"
    std::uint64_t bytes = 0;
  };
  // Arrays, prefix codes, buffers, symbols in order of declaration, then the temporaries of stages; empty: only registers.
  std::vector<Part> parts;
  std::uint64_t bytes = 0;  // sum: an upper bound
};

// `budgets`: token_budgets of the module. Codes that tokens read have a look-up table.
Memory memory_of(const ir::Module& module, const std::vector<TokenBudget>& budgets);

// The most that a chunk may keep: what lies behind it in one structure is then reached by the 31 bits that x86-64's
// displacements have, look-up tables (which are not counted here, and fill kMaxScratchBytes at most) included.
inline constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 30;

// Reports a module whose arrays, codes, buffers and symbols together are more than that. True: they are not.
bool check_memory(const ir::Module& module, DiagSink& sink);

}  // namespace sluice::analysis
