#include "tests/fuzz/specs/schedules.h"

#include "compiler/analysis/facts.h"
#include "compiler/driver/schedule.h"

namespace sluice::fuzz {
namespace {

constexpr const char* kSchedules[]{"",
                                   "strategy warp, input registers",
                                   "strategy leader",
                                   "strategy block, block_threads 64",
                                   "strategy block, block_threads 64, prefetch on",
                                   "strategy split",
                                   "strategy split, split_buffer 16",
                                   "strategy split, resolve sequential",
                                   "strategy split, resolve rounds",
                                   "strategy split, resolve independent",
                                   "strategy warp, resolve sequential",
                                   "strategy warp, resolve rounds",
                                   "strategy warp, resolve independent"};

}  // namespace

std::vector<schedule::Schedule> legal_schedules(const driver::Request& request, driver::Compiled& compiled) {
  const analysis::Facts facts = analysis::analyse(*compiled.module);
  std::vector<schedule::Schedule> legal;
  for (const char* directives : kSchedules)
    if (auto scheduled = driver::schedule_for(compiled, request, facts, "cuda:sm_90", directives).schedule)
      legal.push_back(*scheduled);
  return legal;
}

}  // namespace sluice::fuzz
