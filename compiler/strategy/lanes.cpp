// A warp a chunk, whose lanes take tokens side by side where a byte tells what each of them makes: a table says which string a
// byte stands for, an automaton of two states which bytes are literals behind an escape, and strings are put together in
// words by the lanes that have them. Or tokens have all one size, and lanes take them by their text. What is no such token, and
// regions of few, are done as under strategy `warp`.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/plan/lower.h"
#include "compiler/strategy/strategies.h"

namespace sluice::strategy {
namespace {

// Does a table tell what a byte stands for?
bool has_table(const plan::Loop& loop) { return loop.has_codes() && loop.codes->bytes == 0; }

std::string tokens_of(const plan::Codes& codes) {
  if (codes.bytes == 0) return fmt::format("a token of this loop is a byte that stands for a string{}", codes.escapes ? ", or one and a literal" : "");
  return fmt::format("a token of this loop is {} bytes that stand for {} string{}", codes.bytes, codes.strings, codes.strings == 1 ? "" : "s");
}

// Some loop's tokens are codes.
Legality legal(const Subject& subject) {
  Legality legality{false, {}};
  for (const plan::Loop& loop : subject.tokens.warp.loops) {
    const ir::Stmt& stmt = plan::statement_at(subject.module.rules[loop.rule], loop.path);
    if (loop.has_codes())
      return {true, {{tokens_of(*loop.codes), stmt.span}}};
    if (loop.codes) legality.why.push_back({loop.codes->against, loop.codes->span.length != 0 ? loop.codes->span : stmt.span});
  }
  if (legality.why.empty()) legality.why.push_back({"no loop has a form for tokens", {}});
  return legality;
}

// Shared memory of a warp: strings of all bytes and their sizes, a multiple of that (prim::code_tables), a tile's output and
// what of the one before is left (prim::string_stages).
constexpr std::uint64_t kCodes = 256, kTable = (1 + 8) * kCodes, kStage = 8 * 8 * schedule::kLanes + 16;
// Of a team (prim::team_job, prim::team_lanes_room): its job, and what each of its warps tells of a tile, twice.
constexpr std::uint64_t kJob = 160, kTold = 16;
constexpr std::uint32_t kBlockWarps = 4, kResidentWarps = 32;

void apply(const ir::Module&, const plan::TokenPlans& tokens, plan::Kernel& kernel) {
  const bool tables = std::ranges::any_of(tokens.warp.loops, has_table);
  const std::uint32_t warps = kernel.chunk_warps = kernel.schedule.chunk_warps;
  kernel.codes = true;
  kernel.blocks = warps > 1 ? plan::Blocks::OneChunk : plan::Blocks::Small;
  kernel.block_warps = kBlockWarps;
  kernel.resident_warps = kResidentWarps;
  kernel.staging_bytes = (tables ? kTable : 0) + warps * kStage + (warps > 1 ? kJob + warps * kTold + (tables ? kStage : 0) : 0);
  kernel.defines.push_back({"SLUICE_STRING_WARPS", warps});
  if (warps > 1) kernel.defines.push_back({"SLUICE_TEAM", warps});
}

// A chunk's symbols, at least, that leave a multiprocessor so few chunks that a warp each can't keep it at work; and what any
// device has for a block.
constexpr std::uint64_t kManySymbols = 16 << 10, kAnyBlock = 64 << 10;
constexpr std::uint32_t kTeam = 8;

// Several warps share them, in a block that needs more shared memory than a block has without asking.
void tune(const Subject& subject, schedule::Schedule& schedule) {
  const auto fixed = [](const plan::Loop& loop) { return loop.has_codes() && !has_table(loop); };
  std::uint64_t symbols = 0;
  for (const ir::Symbols& table : subject.module.symbols) symbols += 9 * std::uint64_t{table.count};
  if (symbols < kManySymbols || std::ranges::none_of(subject.tokens.warp.loops, fixed)) return;
  const std::uint64_t block = symbols + kTeam * kStage + kTable + kJob + kTeam * kTold + plan::kBlockRoom;
  if (block > kAnyBlock) return;
  schedule.chunk_warps = kTeam;
  schedule.shared_memory = static_cast<std::uint32_t>((block + 1023) >> 10);
}

Work work_of(const Subject& subject, const plan::Loop& loop) {
  if (!loop.has_codes()) return Work::Tokens;
  if (subject.module.symbols.empty()) return has_table(loop) ? Work::ByteValues : Work::FixedValues;
  return has_table(loop) ? Work::Strings : Work::FixedStrings;
}
Works works(const Subject& subject) { return works_of_loops(subject, work_of); }

std::vector<std::string> explain(const schedule::Schedule& schedule, const Subject& subject) {
  const std::string warps = schedule.chunk_warps == 1 ? "one warp a chunk" : fmt::format("a block of {} warps a chunk", schedule.chunk_warps);
  const bool escapes = std::ranges::any_of(subject.tokens.warp.loops, [](const plan::Loop& loop) { return loop.has_codes() && loop.codes->escapes; });
  if (std::ranges::none_of(subject.tokens.warp.loops, has_table))
    return {warps + ": tokens that make 256 strings at a time, 8 a lane",
            "output: lanes put their strings together in words, which leave shared memory 16 bytes a lane"};
  return {fmt::format("{}: 256 bytes of input at a time, 8 a lane; a table tells what each stands for{}", warps,
                      escapes ? ", two states which of them are literals" : ""),
          "output: lanes put their strings together in words, which leave shared memory 16 bytes a lane"};
}

}  // namespace

const StrategyRow& lanes_strategy() {
  static const StrategyRow row{schedule::Strategy::Lanes, "one warp a chunk, lanes take codes side by side", legal,
                               apply, works, tune, explain};
  return row;
}

}  // namespace sluice::strategy
