#pragma once
// `assert FACT` and `assert FACT OP BOUND`: facts by name, so that a spec can hold on to them.
//
//   assert position_only          ->  error[SL0592] with the chain of reasons when some token loop is not
//   assert max_token_bits <= 48   ->  error[SL0592]: `max_token_bits` is 63
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/analysis/facts.h"
#include "dsl/diag/diag.h"

namespace sluice::analysis {

struct FactName {
  std::string_view name;
  bool is_number = false;
  std::string_view meaning;  // one line
};

// Every fact that can be asserted, in the order of an explain page.
std::span<const FactName> all_facts();

struct Answer {
  bool holds = false;                   // of a fact that is no number
  std::optional<std::uint64_t> number;  // of one that is; nullopt: without bound
  ReasonChain why;                      // what decides it
};

// nullopt when no fact has this name.
std::optional<Answer> ask(const Facts& facts, std::string_view name);

// Reports each assertion of the module that names no fact, has the wrong form, or fails. Returns true when all hold.
bool check_assertions(const ir::Module& module, const Facts& facts, DiagSink& sink);

}  // namespace sluice::analysis
