#pragma once
// What a schedule is expected to make of a format beside others of its strategy: a cost model, fitted to kernels that were measured on an
// H200 (tests/bench/fit_schedules.py, which also says how far off it is). Where no such GPU is there to measure on, it chooses among
// schedules; registers and shared memory, and by them the chunks that a multiprocessor holds, come from the kernel's own compiler.
//
//   deflate by `speculate`, 11 chunks on a multiprocessor                           ->  1.47
//   the same with `table_bits 8`: longer look-ups (0.966), room for 24 chunks       ->  1.54
//
// A factor for each directive's value, times a power of what c chunks make of a multiprocessor: c / (1 + c / kHalfChunks).
#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/schedule.h"

namespace sluice::strategy {

// Chunks with which a multiprocessor makes half of what it would with any number: HALF of the script.
inline constexpr double kHalfChunks = 16;

// Of two schedules of one format and strategy the one of which more is expected should be the faster one. `chunks`: that a multiprocessor
// holds at once, above 0. Nothing where no kernels of the strategy were fitted, or none had a value that the schedule has.
[[nodiscard]] std::optional<double> expected(const schedule::Schedule& schedule, double chunks);

// Directives that a choice by it may change, in the order of search.h's axes; none: the strategy was not fitted.
[[nodiscard]] std::vector<std::string> fitted_directives(schedule::Strategy strategy);

}  // namespace sluice::strategy
