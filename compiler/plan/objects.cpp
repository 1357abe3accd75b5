#include "compiler/plan/objects.h"

#include <algorithm>
#include <span>
#include <utility>

#include "compiler/plan/lower.h"

namespace sluice::plan {
namespace {

// Rules that weigh less together are compiled sooner than an object's primitives are read.
constexpr std::size_t kWorthAnObject = 24;
// What a rule's loop that has a fast form weighs, in statements.
constexpr std::size_t kFastLoop = 24;

// From so many statements of a token on, the walks of a loop that makes values are compiled apart, which costs them a sixth of the speed: RLE
// v2 has 58, and its engine takes 0.49 s instead of 0.69; byte RLE has 5, RLE v1 6.
constexpr std::size_t kLargeToken = 32;

constexpr std::uint32_t kMostRegisters = 255;  // that an instruction can name

std::size_t statements_of(const ir::Block& block) {
  std::size_t n = block.size();
  for (const auto& s : block) n += statements_of(s->body) + statements_of(s->orelse);
  return n;
}

// Counts the statements of a token of a loop, with those of the rules that it calls, which stand in it, until there are `wanted` less: rules
// that call each other may have more than can be counted.
void count_token(const ir::Module& module, const ir::Block& block, std::size_t& wanted) {
  for (const auto& s : block) {
    if (wanted == 0) return;
    --wanted;
    count_token(module, s->body, wanted);
    count_token(module, s->orelse, wanted);
    if (s->kind == ir::Stmt::Kind::Call) count_token(module, module.rules[s->ref].body, wanted);
  }
}
bool is_large(const ir::Module& module, const ir::Block& token) {
  std::size_t wanted = kLargeToken;
  count_token(module, token, wanted);
  return wanted == 0;
}

// About what a compiler takes for a rule.
std::size_t weight_of(const ir::Module& module, const Plan& plan, std::uint32_t rule) {
  const auto fast = std::ranges::count_if(plan.loops, [&](const Loop& loop) { return loop.rule == rule && loop.form != LoopForm::Checked; });
  return statements_of(module.rules[rule].body) + kFastLoop * static_cast<std::size_t>(fast);
}

// The rules that are functions, as one object, and as another one about half of the weight of those that stand in the kernel.
void give_rules(const ir::Module& module, const Plan& plan, Objects& objects) {
  objects.rules.assign(module.rules.size(), 1);
  std::vector<std::pair<std::size_t, std::uint32_t>> once;
  std::vector<std::uint32_t> functions, moved;
  std::size_t weight_of_functions = 0, kept = 0, away = 0;
  for (const CheckedRule& rule : plan.checked) {
    if (!rule.path.empty()) continue;
    const std::size_t weight = weight_of(module, plan, rule.rule);
    if (!rule.once) {
      functions.push_back(rule.rule);
      weight_of_functions += weight;
    } else if (rule.rule == 0) {
      kept = weight;
    } else {
      once.emplace_back(weight, rule.rule);
    }
  }
  std::ranges::sort(once, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (const auto& [weight, rule] : once) {
    const bool stays = kept <= away;
    (stays ? kept : away) += weight;
    if (!stays) moved.push_back(rule);
  }
  const auto give = [&](std::span<const std::uint32_t> rules, std::size_t weight) {
    if (weight < kWorthAnObject) return;
    ++objects.count;
    for (const std::uint32_t rule : rules) objects.rules[rule] = objects.count;
  };
  give(functions, weight_of_functions);
  give(moved, away);
}

}  // namespace

Objects objects_of(const ir::Module& module, const Plan& plan, const Kernel& kernel) {
  Objects objects;
  const bool alone = kernel.speculate && kernel.chunk_warps == 1 && kernel.walker_warps == 0;
  if (!alone || kernel.outputs == Outputs::Sink) return objects;
  for (std::uint32_t i = 0; i < plan.loops.size(); ++i) {
    if (!plan.loops[i].has_records()) continue;
    const std::uint32_t object = ++objects.count;
    const ir::Block& token = statement_at(module.rules[plan.loops[i].rule], plan.loops[i].path).body;
    const bool apart = plan.loops[i].records->values && is_large(module, token);
    objects.engines.push_back({i, object, apart ? ++objects.count : 0});
  }
  if (objects.engines.empty()) return objects;
  give_rules(module, plan, objects);
  return objects;
}

std::uint32_t registers_of(std::uint32_t threads, std::uint32_t blocks) {
  using schedule::kLanes, schedule::kRegisterUnit, schedule::kWarpUnit;
  const std::uint32_t warps = std::max<std::uint32_t>(1, blocks) * ((threads + kLanes - 1) / kLanes);
  const std::uint32_t of_warp = schedule::kRegisters / ((warps + kWarpUnit - 1) / kWarpUnit * kWarpUnit);
  return std::min(of_warp / kRegisterUnit * kRegisterUnit / kLanes, kMostRegisters);
}

}  // namespace sluice::plan
