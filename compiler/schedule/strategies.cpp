#include "compiler/schedule/strategies.h"

#include <array>

namespace sluice::schedule {

std::span<const StrategyRow* const> strategies() {
  static const std::array<const StrategyRow*, 4> rows{&warp_strategy(), &leader_strategy(), &block_strategy(),
                                                      &split_strategy()};
  return rows;
}

const StrategyRow& row_of(Strategy strategy) { return *strategies()[static_cast<std::size_t>(strategy)]; }

}  // namespace sluice::schedule
