// A warp a chunk: every lane decodes the same token, the lanes share the writing (CODAG, section IV).
#include "compiler/emit/cuda.h"
#include "compiler/schedule/resolve.h"
#include "compiler/schedule/strategies.h"

namespace sluice::schedule {
namespace {

// Tokens are decoded in order by one warp: nothing of a format can forbid that.
Legality legal(const ir::Module&, const analysis::Facts&) { return {}; }

std::vector<std::string> explain(const Schedule& schedule, const analysis::Facts& facts) {
  std::vector<std::string> lines;
  lines.push_back("one warp a chunk: all 32 lanes decode the same token, and share the writing of runs and copies");
  lines.push_back(schedule.input == InputBuffer::Shared
                      ? "input: two lines of 128 bytes in shared memory, loaded on demand by all lanes at once"
                      : "input: two lines of 128 bytes in two registers of each lane, read by shuffles");
  if (std::string copies = explain_resolve(schedule, facts); !copies.empty()) lines.push_back(std::move(copies));
  return lines;
}

}  // namespace

// The emitter knows what a chunk takes; it takes warps off a block until the rest fits.
std::uint32_t warps_that_fit(const ir::Module& module, const Schedule& schedule) {
  emit::CudaOptions options;
  options.schedule = schedule;
  options.count = false;
  return emit::emit_cuda(module, options).plan.chunks_per_block;
}

const StrategyRow& warp_strategy() {
  static const StrategyRow row{Strategy::Warp, "one warp a chunk, all lanes decode the same token", legal, explain};
  return row;
}

}  // namespace sluice::schedule
