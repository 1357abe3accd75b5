#pragma once
// What a schedule is expected to make of a format: a cost model, fitted to kernels that were measured on an H200
// (tests/bench/fit_schedules.py, which also says how far off it is). It chooses what a format gets that nobody chooses for (choose.h), and
// among schedules where no such GPU is there to measure on (`sluice tune --predict`).
//
//   lz4_block, tokens that copy        speculate   ->  4.7 times `strategy warp`
//   lz4_block, tokens                  block       ->  0.35
//   deflate, tokens of bits that copy, speculate, 22 chunks on a multiprocessor   ->  3.7
//   the same with `table_bits 8` (0.95), 30 chunks                                ->  3.7
//
// Three things multiply: what the strategy makes of such work, beside `warp` of the same samples; a factor for the value of each
// directive; and where chunks on a multiprocessor are known, a power of what c of them make, c / (1 + c / kHalfChunks), beside what those did
// that were measured. Registers and shared memory, and by them such chunks, come from the kernel's own compiler. A format that is several works
// is taken to be as much of each: their times add up.
#include <optional>
#include <string>

#include "compiler/schedule/schedule.h"
#include "compiler/strategy/work.h"

namespace sluice::strategy {

// Chunks with which a multiprocessor makes half of what it would with any number: HALF of the script.
inline constexpr double kHalfChunks = 16;

// As a multiple of what `warp` makes, directives as they come. Nothing where for one of the works no format was measured that is such
// work to the strategy.
[[nodiscard]] std::optional<double> level(schedule::Strategy strategy, const Works& works);
// By what factor measured kernels were off their level: where a strategy is in force, another one should promise as much.
[[nodiscard]] double spread_of_levels();
// Likewise of directives of one strategy: kErrors of the errors that its fit leaves.
[[nodiscard]] double spread_of_schedules(schedule::Strategy strategy);
inline constexpr double kErrors = 2;
// "expected to be 4.7 times as fast as `warp` on tokens that copy", or that nothing was measured on these. Nothing of `warp`, which is
// the measure.
[[nodiscard]] std::string explain_level(schedule::Strategy strategy, const Works& works);

// Of two schedules of one format the one of which more is expected should be the faster one. `chunks`: that a multiprocessor holds at
// once; 0: as many as of those that were measured. Nothing where level() says nothing, or no kernel of such work had a value that the schedule has.
[[nodiscard]] std::optional<double> expected(const schedule::Schedule& schedule, const Works& works, double chunks = 0);

}  // namespace sluice::strategy
