#pragma once
// What the whole-buffer transforms are to a parallel machine.
//
//   stage inverse_mtf b          ->  associative composition: lists of positions compose, strategy `scan`
//   stage inverse_bwt b origin   ->  permutation walk: list ranking, strategy `permute`
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"

namespace sluice::analysis {

struct StageFact {
  enum class Form : std::uint8_t {
    Elementwise,  // every element by itself
    Scan,         // a scan of an associative operation
    Walk,         // a walk along a permutation
  };
  const ir::Stmt* stmt = nullptr;  // a Stage, or an EmitBuffer that does more than copy; owned by the module
  std::uint32_t rule = 0;
  Form form = Form::Elementwise;
};

// "associative composition (scan)"; for people.
std::string_view form_text(const StageFact& stage);

// Reachable ones, rules in order, source order.
std::vector<StageFact> stages_of(const ir::Module& module);

}  // namespace sluice::analysis
