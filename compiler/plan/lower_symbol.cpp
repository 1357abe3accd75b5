// A symbol of a prefix code inside a token, and what depends on it: see lower_token.h and symbol_arms.h.
//
//   read s code litlen            ->   symbol table 0, 10 of 15 bits              the table, and its row
//   if (lt s 256)  emit s                0: output                                arms
//   else read len ranges ...             1: len := payload + extra bits ...
#include <algorithm>
#include <utility>

#include "compiler/analysis/walk.h"
#include "compiler/plan/lower_token.h"

namespace sluice::plan {
namespace {

constexpr unsigned kRefilled = refilled_bits(Target::Cpu);
constexpr unsigned kMaxRowSymbols = 3;  // of one step before its last token
constexpr unsigned kFollowing = 1;      // of a lane's: none is 10 % slower, two or three up to 2 %

// Would a test that has been passed be so again, behind a symbol that has been output?
bool stays_true(const Step& step) {
  const auto* test = std::get_if<Check>(&step.what);
  bool stays = test != nullptr;
  if (stays)
    analysis::for_each_node(*test->condition, [&](const ir::Expr& e) {
      using ir::Op;
      stays = stays && (e.op <= Op::Arg || e.op == Op::TableElem || (e.op >= Op::Add && e.op <= Op::Fits));
    });
  return stays;
}

unsigned most_extra(const SymbolArms& after) {
  unsigned extra = 0;
  for (const ArmOfSymbols& arm : after.arms) extra = std::max(extra, arm.max_extra);
  return extra;
}

}  // namespace

bool TokenLowering::symbol(const ir::Stmt& s, const List& rest, bool& rest_done) {
  const ir::Code& code = module().codes[s.read.ref];
  const auto after = !bytes() ? arms_of_symbol(module(), s, rest) : std::nullopt;
  if (!after) return leave("it reads a prefix code too large for a table");
  const Target target = ground_.target;
  // Lanes by themselves, and those that guess, take a code's limits as those of its bits: note [longest first] of runtime/prim/codes.h.
  if (on_gpu(target) && code.longest_first && !mode_.backward) return leave("it reads a prefix code whose longest codes come first");
  Symbol y;
  y.in_row = mode_.form == LoopForm::Row && depth_.at_start && code.copies == 1 && after->arms[0].emits_symbol &&
             stack_.size() == 1 && depth_.loops == 0 && depth_.conditional == 0;
  y.first = table_bits(target, code, ground_.asked_table_bits);
  y.longest = on_gpu(target) ? code.max_bits : ir::table_most(code);
  constexpr unsigned kByteSymbols = 256;
  y.pairs = mode_.pairs && y.in_row && after->arms.size() == 1 && after->consumed && code.symbols <= kByteSymbols;
  y.table = table_for(*after, y.pairs);
  const unsigned most = y.longest + most_extra(*after);
  if (most > look_bits(target)) return leave("a symbol with its extra bits is longer than the bit buffer");
  if (code.copies > 1) {
    auto which = s.read.index ? operand(*s.read.index) : std::nullopt;
    if (!which) return leave("which code it reads needs the input's exact position");
    y.copy = *std::move(which);
    y.picked = number();
    add(PickTable{y.picked, y.table, y.copy});
  } else if (std::ranges::find(loop_.tables, y.table) == loop_.tables.end()) {
    loop_.tables.push_back(y.table);
  }
  y.value = number();
  // A second level would cost a kernel more shared memory than long codes are worth: the lanes look for the length.
  y.long_code = y.longest <= y.first ? LongCode::None : on_gpu(target) ? LongCode::Search : LongCode::Second;
  Cost cost;
  if (y.in_row) {
    row_of_symbols(y, most, after->arms.size() > 1);
    cost = {8, loop_.row->symbols * std::uint64_t{ground_.elem_bytes()} * (y.pairs ? 2 : 1)};
  } else {
    const bool follow = mode_.follow && code.copies == 1 && after->arms[0].emits_symbol && after->consumed && stack_.size() == 1 &&
                        depth_.loops == 0 && depth_.conditional == 0 && std::ranges::all_of(*body_, stays_true);
    need_for(y, most);
    if (y.needs != 0) cost = {8};
    if (follow) cost = symbols_again(y, most);
  }
  rest_done = after->consumed;
  const bool goes_on = symbol_arms(y, *after);
  add(std::move(y), cost);
  return goes_on;
}

// The table that holds what the arms need, made once.
std::uint32_t TokenLowering::table_for(const SymbolArms& after, bool pairs) {
  const Table table{after.code, after.info, mode_.backward, pairs};
  const auto at = static_cast<std::uint32_t>(std::ranges::find(tables_, table) - tables_.begin());
  if (at == tables_.size()) tables_.push_back(table);
  return at;
}

// Symbols that stand for themselves come in rows and are short: as many as one refill surely holds, plus whatever comes
// after them. The next look-up always runs ahead, beside the output.
void TokenLowering::row_of_symbols(const Symbol& y, unsigned most, bool several) {
  const Row row{std::min(kMaxRowSymbols, (kRefilled - most) / y.first), y.value, y.table, y.first};
  loop_.row = row;
  loop_.hoisted.emplace_back(row);
  ahead_.conditional = depth_.conditional + (several ? 1 : 0);
  stream_.buffered = kRefilled - row.symbols * y.first;
  stream_.likely = 0;
  stream_.beyond = kShownBeyondRefill;
}

// A row's next look-up comes before the buffer is filled for it, where that shows it: then it waits for no load. And what may
// be looked at already is, before it is asked whether all that the symbol takes is there.
void TokenLowering::need_for(Symbol& y, unsigned most) {
  const bool cpu = ground_.target == Target::Cpu;
  if (cpu && loop_.row) most = std::min(most + loop_.row->first - kShownBeyond, kRefilled);
  if (!cpu || y.copy || stream_.buffered >= most || !shows(y.first) || y.long_code == LongCode::Search) return need(most);
  y.needs_long = most;
  y.needs = most - (y.longest - std::min(y.longest, y.first));
  stream_.buffered = most;
  stream_.beyond = kShownBeyond;
}

// Of a lane: as many come before the loop's head is met again, so that fewer turns of it are made for what few lanes do.
Cost TokenLowering::symbols_again(Symbol& y, unsigned most) {
  y.again = kFollowing;
  y.refill = 1 + (stream_.buffered - most) / y.longest;
  stream_.buffered -= (y.refill - 1) * y.longest;
  return {8 * std::uint64_t{y.again / y.refill}, y.again * std::uint64_t{ground_.elem_bytes()}};
}

void TokenLowering::look_ahead() {
  if (!loop_.row || ahead_.done) return;
  const bool shown = shows(loop_.row->first);
  if (shown) add(LookAhead{});
  refill();
  if (!shown) add(LookAhead{});
}

// What comes after the symbol, each in its branch. False: control never comes out of them.
bool TokenLowering::symbol_arms(Symbol& y, const SymbolArms& after) {
  stream_.likely = 0;
  last_need_.reset();
  const unsigned buffered = stream_.buffered, beyond = stream_.beyond;
  const bool several = after.arms.size() > 1;
  unsigned least_buffered = 64;
  bool goes_on = false;
  for (const ArmOfSymbols& one : after.arms) {
    SymbolArm arm;
    if (several) ++depth_.conditional;
    stream_.buffered = buffered - (y.longest + one.max_extra);
    stream_.beyond = beyond;
    arm.body = collect([&] {
      arm.falls = symbol_arm(y, arm, after, one);
      if (arm.falls && y.in_row) look_ahead();
    });
    if (several) --depth_.conditional;
    // In a row, arms but the last go to the next step by themselves.
    if (arm.falls && !(y.in_row && &one != &after.arms.back())) {
      least_buffered = std::min(least_buffered, stream_.buffered);
      goes_on = true;
    }
    y.arms.push_back(std::move(arm));
  }
  stream_.buffered = least_buffered > kRefilled ? 0 : least_buffered;
  stream_.beyond = std::min(stream_.beyond, kShownBeyond);
  return goes_on || y.in_row;
}

bool TokenLowering::symbol_arm(const Symbol& y, SymbolArm& arm, const SymbolArms& after, const ArmOfSymbols& one) {
  ahead_.done = false;
  arm.span = one.fused ? one.fused->span : one.emits_symbol && after.consumed ? one.rest[0]->span : current_->span;
  if (one.emits_symbol && after.consumed) {
    arm.take = Take::Output;
    arm.cost.out = y.pairs ? 2 : ground_.elem_bytes();
    return true;
  }
  if (one.fused && one.fused->slot == ir::Stmt::kNoSlot) {
    arm.take = Take::Drop;
  } else {
    arm.take = one.fused ? Take::Extra : Take::Payload;
    arm.local = define(one.fused ? one.fused->slot : after.slot);
  }
  depth_.at_start = false;
  return !after.consumed || list(one.rest);
}

}  // namespace sluice::plan
