#pragma once
// Per-symbol specialisation: what follows the reading of a symbol, worked out for every symbol at compile time, so that
// a table entry can say which arm comes next and carry the base and extra bits that the arm reads.
//
//   read s code litlen                        info[65]  = arm 0, payload 65
//   if (lt s 256)  emit s                     info[256] = leave the loop
//   else if (eq s 256)  stop            ->    info[265] = arm 1, payload 11 (base), 1 extra bit
//   else  read len ranges length[s-257] ...   info[287] = leave the loop
//
// The decision tests and their checks vanish from the loop; a symbol whose checks fail leaves to the checked path, which
// names the clause.
#include <optional>
#include <vector>

#include "compiler/plan/plan.h"

namespace sluice::plan {

struct ArmOfSymbols {
  std::vector<const ir::Stmt*> rest;  // what remains to be done
  const ir::Stmt* fused = nullptr;    // the Read of ranges whose base and extra bits the entry holds
  std::uint32_t symbols = 0;          // how many symbols come here
  unsigned max_extra = 0;             // largest number of extra bits in an entry of this arm
  bool emits_symbol = false;          // rest is exactly `emit s`
};

struct SymbolArms {
  std::uint32_t code = 0;           // Module::codes
  std::uint32_t slot = 0;           // of the symbol
  std::vector<std::uint32_t> info;  // table entries with code bits 0 (layout: runtime/prim/codes.h)
  std::vector<ArmOfSymbols> arms;   // at most kMaxArms; an `emits_symbol` arm is first
  bool consumed = false;            // the arms hold everything after the read; else only the symbol is delivered
};

inline constexpr unsigned kMaxArms = 4;  // kinds 0..3; bit 2 of a kind means leave or link

// What follows reading `read` when `rest` stands behind it in the same block. Always succeeds: at worst one arm delivers
// the symbol as payload (`consumed` false). Empty only when the code has too many symbols for a payload of 16 bits.
std::optional<SymbolArms> arms_of_symbol(const ir::Module&, const ir::Stmt& read,
                                         const std::vector<const ir::Stmt*>& rest);

}  // namespace sluice::plan
