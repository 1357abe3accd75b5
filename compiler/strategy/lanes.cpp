// A warp a chunk, whose lanes take tokens side by side where a byte tells what each of them makes: a table says which string a
// byte stands for, an automaton of two states which bytes are literals behind an escape, and strings are put together in
// words by the lanes that have them. What is no such token, and regions of few, are done as under strategy `warp`.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/lower.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

// Some loop's tokens are codes.
Legality legal(const Subject& subject) {
  Legality legality{false, {}};
  for (const plan::Loop& loop : subject.tokens.warp.loops) {
    const ir::Stmt& stmt = plan::statement_at(subject.module.rules[loop.rule], loop.path);
    if (loop.has_codes())
      return {true, {{fmt::format("a token of this loop is a byte that stands for a string{}", loop.codes->escapes ? ", or one and a literal" : ""),
                      stmt.span}}};
    if (loop.codes) legality.why.push_back({loop.codes->against, loop.codes->span.length != 0 ? loop.codes->span : stmt.span});
  }
  if (legality.why.empty()) legality.why.push_back({"no loop has a form for tokens", {}});
  return legality;
}

// Shared memory of a warp: strings of all bytes and their sizes, a multiple of that (prim::code_tables), a tile's output and
// what of the one before is left (prim::string_stages).
constexpr std::uint64_t kCodes = 256, kTable = (1 + 8) * kCodes, kStage = 8 * 8 * schedule::kLanes + 16;
constexpr std::uint32_t kBlockWarps = 4, kResidentWarps = 32;

void apply(const ir::Module&, const plan::TokenPlans&, plan::Kernel& kernel) {
  kernel.codes = true;
  kernel.blocks = plan::Blocks::Small;
  kernel.block_warps = kBlockWarps;
  kernel.resident_warps = kResidentWarps;
  kernel.staging_bytes = kTable + kStage;
}

std::vector<std::string> explain(const schedule::Schedule&, const Subject& subject) {
  const bool escapes = std::ranges::any_of(subject.tokens.warp.loops, [](const plan::Loop& loop) { return loop.has_codes() && loop.codes->escapes; });
  return {fmt::format("one warp a chunk: 256 bytes of input at a time, 8 a lane; a table tells what each stands for{}",
                      escapes ? ", two states which of them are literals" : ""),
          "output: lanes put their strings together in words, which leave shared memory 16 bytes a lane"};
}

}  // namespace

const StrategyRow& lanes_strategy() {
  static const StrategyRow row{schedule::Strategy::Lanes, "one warp a chunk, lanes take codes side by side", legal,
                               apply, nullptr, explain};
  return row;
}

}  // namespace sluice::strategy
