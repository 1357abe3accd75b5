#pragma once
// What a chunk is to a strategy: the facts by which the cost model (model.h) tells how fast it is. A strategy's file says which of
// these a format is to it (StrategyRow::works).
//
//   lz4_block     ->  speculate: tokens that copy             warp, leader, block: tokens
//   gsst_splits   ->  lanes: bytes that are strings           split: parts of known size
//   parquet_plain ->  block: no tokens
//   copies in one loop, a byte a value in another
//                 ->  speculate: tokens that copy, tokens that are values      lanes: tokens, bytes that are values
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::strategy {

enum class Work : std::uint8_t {
#define WORK(Name, name) Name,
#include "compiler/strategy/work.def"
#undef WORK
};

[[nodiscard]] constexpr std::string_view name(Work work) {
  constexpr std::string_view kNames[] = {
#define WORK(Name, name) name,
#include "compiler/strategy/work.def"
#undef WORK
  };
  return kNames[static_cast<std::size_t>(work)];
}

// None twice, in the order of loops. Beside others `Tokens` are those that the strategy takes as `warp` does.
using Works = std::vector<Work>;
// "tokens that copy, bytes that are values"
[[nodiscard]] std::string names(const Works& works);

}  // namespace sluice::strategy
