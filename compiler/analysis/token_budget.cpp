#include "compiler/analysis/token_budget.h"

#include <algorithm>
#include <set>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Stmt;

// The most that `emit runs` makes of a buffer: every five elements are four equal ones and a count of 255.
constexpr std::uint64_t kRunElements = 5, kRunOutputs = 4 + 255;

class Meter {
 public:
  explicit Meter(const ir::Module& module) : module_(module), rules_(module.rules.size()) {}

  // `region_bits`: an upper bound on the input left in the region the block runs in, when one is known.
  Paths block(const ir::Block& block, Limit region_bits) {
    Paths paths;
    paths.fall = Cost{};
    for (const auto& stmt : block) {
      const std::optional<Cost> before = paths.fall;
      const Paths next = statement(*stmt, region_bits);
      paths.stop = either(pool_, paths.stop, in_sequence(pool_, before, next.stop));
      paths.ret = either(pool_, paths.ret, in_sequence(pool_, before, next.ret));
      paths.accept = either(pool_, paths.accept, in_sequence(pool_, before, next.accept));
      paths.fall = in_sequence(pool_, before, next.fall);
      if (!paths.fall) break;
    }
    return paths;
  }

  std::optional<Cost> any_exit(const Paths& paths) {
    return either(pool_, either(pool_, paths.fall, paths.stop), either(pool_, paths.ret, paths.accept));
  }
  ReasonChain chain(WhyPool::Id id) const { return pool_.chain(id); }

 private:
  struct Width {
    std::uint64_t lo = 0, hi = 0;
  };

  Width width_of(const ir::ReadSpec& read) const {
    using Kind = ir::ReadSpec::Kind;
    switch (read.kind) {
      case Kind::Fixed:
        return {read.type.bits, read.type.bits};
      case Kind::Computed:
        return {std::min<std::uint64_t>(floor_of(read.width->range.lo), 64),
                std::min<std::uint64_t>(floor_of(read.width->range.hi), 64)};
      case Kind::Varint:
        return {8, 8 * ((read.type.bits + 6u) / 7u)};
      case Kind::Code:
        return {1, module_.codes[read.ref].max_bits};  // every code has at least one bit
      case Kind::Ranges: {
        const auto& extra = module_.ranges[read.ref].extra;
        const std::uint64_t first = std::min<std::uint64_t>(floor_of(read.index->range.lo), extra.size() - 1);
        const std::uint64_t last = std::min<std::uint64_t>(floor_of(read.index->range.hi), extra.size() - 1);
        const auto [low, high] = std::minmax_element(extra.begin() + first, extra.begin() + last + 1);
        return {*low, *high};
      }
    }
    return {0, 64};
  }

  Amount fixed(std::uint64_t lo, std::uint64_t hi, const char* unit, const Stmt& stmt) {
    Amount amount{lo, hi, hi, WhyPool::kNone};
    if (hi != 0) amount.why = pool_.one(spell(stmt) + (lo == hi ? ": " : ": at most ") + count_of(hi, unit), stmt.span);
    return amount;
  }

  // A count that the program computes.
  Amount counted(const ir::Expr& count, const char* unit, const Stmt& stmt) {
    Amount amount{floor_of(count.range.lo), limit_of(count.range.hi), 0, WhyPool::kNone};
    if (amount.max)
      amount.why = pool_.one(spell(stmt) + ": at most " + count_of(*amount.max, unit), stmt.span);
    else
      amount.why = pool_.one(spell(stmt) + ": its count may be as large as " + to_text(count.range.hi), stmt.span);
    return amount;
  }

  Amount scaled(const Amount& count, std::uint64_t lo, std::uint64_t hi) const {
    return {multiply(count.min, lo).value_or(kLargestAmount), multiply(count.max, hi), 0, count.why};
  }

  // How many steps a loop makes that are followed by another.
  struct Steps {
    std::uint64_t fewest = 0;
    Limit most;
  };

  static Steps steps_of(const Stmt& stmt, const Paths& step, Limit region_bits) {
    if (!step.fall) return {0, 0};  // the first step leaves
    Steps steps;
    if (stmt.loop == ir::LoopKind::Times) {
      steps = {floor_of(stmt.a->range.lo), limit_of(stmt.a->range.hi)};
    } else if (stmt.loop == ir::LoopKind::UntilOutputs && step.fall->outputs.min > 0) {
      if (const Limit goal = limit_of(stmt.a->range.hi))
        steps.most = (*goal + step.fall->outputs.min - 1) / step.fall->outputs.min;
    }
    if (!steps.most && region_bits && step.fall->bits.min > 0) steps.most = *region_bits / step.fall->bits.min;
    if (step.stop || step.ret || step.accept) steps.fewest = 0;
    return steps;
  }

  Amount repeated(const Amount& one, const Steps& steps, const char* unit, const Stmt& stmt) {
    Amount all{multiply(one.min, steps.fewest).value_or(kLargestAmount), multiply(one.max, steps.most), 0,
               WhyPool::kNone};
    if (all.max && *all.max > 0)
      all.why = pool_.one("the loop: at most " + count_of(*steps.most, "step") + " of " + count_of(*one.max, unit),
                          stmt.span);
    else if (!all.max && one.max)
      all.why = pool_.one("the loop: the number of its steps has no bound", stmt.span);
    else if (!all.max)
      all.why = one.why;
    return all;
  }

  Paths loop(const Stmt& stmt, Limit region_bits) {
    const Paths step = block(stmt.body, region_bits);
    const Steps count = steps_of(stmt, step, region_bits);
    Cost steps;
    if (step.fall) {
      steps.bits = repeated(step.fall->bits, count, "bit", stmt);
      steps.outputs = repeated(step.fall->outputs, count, "output", stmt);
    }
    if (stmt.loop == ir::LoopKind::UntilOutputs && step.fall) {
      // Only the last step may overshoot.
      const Limit goal = limit_of(stmt.a->range.hi);
      const Limit most = add(goal, step.fall->outputs.max);
      if (most && (!steps.outputs.max || *most < *steps.outputs.max)) {
        steps.outputs.max = most;
        steps.outputs.why = pool_.one("the loop: ends at " + count_of(*goal, "output"), stmt.span);
      }
    }
    const auto last = [&](std::optional<Cost> exit) {
      if (exit) exit->bits.scalar = exit->outputs.scalar = 0;  // inner loops check themselves
      return in_sequence(pool_, steps, exit);
    };
    Paths paths;
    if (stmt.loop != ir::LoopKind::Forever) paths.fall = steps;
    paths.fall = either(pool_, paths.fall, last(step.stop));
    paths.ret = last(step.ret);
    paths.accept = last(step.accept);
    return paths;
  }

  Paths call(const Stmt& stmt) {
    auto& known = rules_[stmt.ref];
    if (!known) known = block(module_.rules[stmt.ref].body, std::nullopt);
    Paths paths;
    paths.fall = either(pool_, known->fall, known->ret);
    paths.accept = known->accept;
    return paths;
  }

  Paths within(const Stmt& stmt, Limit region_bits) {
    const std::uint64_t unit = stmt.flag ? 1 : 8;
    const Amount size = scaled(counted(*stmt.a, stmt.flag ? "bit" : "byte", stmt), unit, unit);
    Paths paths = block(stmt.body, size.max && (!region_bits || *size.max < *region_bits) ? size.max : region_bits);
    if (paths.fall) tighten(paths.fall->bits, size);
    if (paths.fall && (stmt.b || stmt.dictionary)) paths.fall->bits = Amount{};  // elsewhere: nothing of what comes next
    return paths;
  }

  Paths producing(const Stmt& stmt, Limit region_bits) {
    Paths paths = block(stmt.body, region_bits);
    if (paths.fall) tighten(paths.fall->outputs, counted(*stmt.a, "output", stmt));
    return paths;
  }

  // What the body outputs stays in the buffer.
  Paths into(const Stmt& stmt, Limit region_bits) {
    Paths paths = block(stmt.body, region_bits);
    for (std::optional<Cost>* exit : {&paths.fall, &paths.accept})
      if (*exit) (*exit)->outputs = Amount{};
    return paths;
  }

  // All of a buffer; its runs at most. Of a slice so many.
  Amount emptied(const Stmt& stmt) {
    if (stmt.form == ir::BufferForm::Slice) {
      Amount some = counted(*stmt.b, "output", stmt);
      some.scalar = 0;
      return some;
    }
    const std::uint64_t elements = module_.buffers[stmt.ref].limit;
    Amount amount = fixed(0, stmt.form == ir::BufferForm::Runs ? elements / kRunElements * kRunOutputs + elements % kRunElements : elements,
                          "output", stmt);
    amount.scalar = 0;  // it checks its own size
    return amount;
  }

  // The body makes exactly `size`, whatever its statements could make.
  static void tighten(Amount& body, const Amount& size) {
    body.min = std::max(body.min, size.min);
    if (size.max && (!body.max || *size.max < *body.max)) {
      body.max = size.max;
      body.why = size.why;
    }
  }

  Paths statement(const Stmt& stmt, Limit region_bits) {
    using K = Stmt::Kind;
    Cost cost;
    switch (stmt.kind) {
      case K::Read: {
        const Width width = width_of(stmt.read);
        cost.bits = fixed(width.lo, width.hi, "bit", stmt);
        break;
      }
      case K::Emit:
        cost.outputs = fixed(1, 1, "output", stmt);
        break;
      case K::EmitSymbol:
        cost.outputs = fixed(1, ir::kMaxSymbolBytes, "output", stmt);
        break;
      case K::EmitBuffer:
        cost.outputs = emptied(stmt);
        break;
      case K::ReadSymbol:
        cost.bits = scaled(counted(*stmt.b, "byte", stmt), 8, 8);
        break;
      case K::Into:
        return into(stmt, region_bits);
      case K::Literals: {
        const Width width = width_of(stmt.read);
        cost.outputs = counted(*stmt.a, "output", stmt);
        cost.bits = scaled(cost.outputs, width.lo, width.hi);
        if (cost.bits.max && *cost.bits.max > 0)
          cost.bits.why = pool_.one(
              "`literals`: at most " + count_of(*cost.outputs.max, "value") + " of " + count_of(width.hi, "bit"),
              stmt.span);
        break;
      }
      case K::Run:
      case K::Copy:
        cost.outputs = counted(*stmt.b, "output", stmt);
        break;
      case K::Align:
        if (module_.input != ir::Input::Bytes) cost.bits = fixed(0, 7, "bit", stmt);
        break;
      case K::Skip:
        cost.bits = scaled(counted(*stmt.a, "byte", stmt), 8, 8);
        break;
      case K::If:
        if (stmt.a->op == ir::Op::Const) return block(stmt.a->imm != 0 ? stmt.body : stmt.orelse, region_bits);
        return either(pool_, block(stmt.body, region_bits), block(stmt.orelse, region_bits));
      case K::Loop:
        return loop(stmt, region_bits);
      case K::Call:
        return call(stmt);
      case K::Within:
        return within(stmt, region_bits);
      case K::Producing:
        return producing(stmt, region_bits);
      case K::Stop:
        return Paths{.fall = {}, .stop = cost, .ret = {}, .accept = {}};
      case K::Return:
        return Paths{.fall = {}, .stop = {}, .ret = cost, .accept = {}};
      case K::Accept:
        return Paths{.fall = {}, .stop = {}, .ret = {}, .accept = cost};
      case K::Reject:
        return {};
      case K::SetLocal:
      case K::SetGlobal:
      case K::SetElem:
      case K::BuildCode:
      case K::BuildStates:
      case K::Check:
      case K::Mark:
      case K::NewWindow:
      case K::Stage:
        break;
    }
    return Paths{.fall = cost, .stop = {}, .ret = {}, .accept = {}};
  }

  const ir::Module& module_;
  WhyPool pool_;
  std::vector<std::optional<Paths>> rules_;  // by rule, once known; rules do not recurse
};

// What a piece of program holds, calls included.
class Finder {
 public:
  struct Contents {
    bool produces = false, reads = false;
    bool producing_loop = false, reading_loop = false;
    std::set<const Stmt*> loops;
  };

  explicit Finder(const ir::Module& module) : module_(module), rules_(module.rules.size()) {}

  Contents look(const ir::Block& block) {
    using K = Stmt::Kind;
    Contents found;
    const auto merge = [&found](const Contents& part) {
      found.produces |= part.produces;
      found.reads |= part.reads;
      found.producing_loop |= part.producing_loop;
      found.reading_loop |= part.reading_loop;
      found.loops.insert(part.loops.begin(), part.loops.end());
    };
    for (const auto& stmt : block) {
      const K kind = stmt->kind;
      found.produces |= kind == K::Emit || kind == K::Literals || kind == K::Run || kind == K::Copy ||
                        kind == K::EmitBuffer || kind == K::EmitSymbol;
      found.reads |= kind == K::Read || kind == K::Literals || kind == K::ReadSymbol || kind == K::Skip ||
                     kind == K::Align || kind == K::Within;
      if (kind == K::Call) {
        auto& known = rules_[stmt->ref];
        if (!known) known = look(module_.rules[stmt->ref].body);
        merge(*known);
      }
      const Contents body = look(stmt->body);
      merge(body);
      merge(look(stmt->orelse));
      if (kind == K::Loop) {
        found.loops.insert(stmt.get());
        found.producing_loop |= body.produces;
        found.reading_loop |= body.reads;
      }
    }
    return found;
  }

 private:
  const ir::Module& module_;
  std::vector<std::optional<Contents>> rules_;
};

// Decides which loops' steps are the tokens: those that make output and hold no loop that does. A loop inside that only
// spreads what the step has read (`for k < n: emit ...`) is part of the token around it, if every step reads something.
void choose_tokens(const ir::Module& module, std::vector<TokenBudget>& budgets) {
  Finder finder(module);
  std::set<const Stmt*> inside;  // of a token
  for (TokenBudget& budget : budgets) {
    const Finder::Contents step = finder.look(budget.loop->body);
    budget.produces = step.produces;
    budget.is_token = step.produces && !step.producing_loop;
    if (!step.producing_loop || step.reading_loop || budget.min_bits == 0) continue;
    budget.is_token = true;
    inside.insert(step.loops.begin(), step.loops.end());
  }
  for (TokenBudget& budget : budgets) budget.is_token &= !inside.contains(budget.loop);
}

}  // namespace

std::vector<TokenBudget> token_budgets(const ir::Module& module) {
  std::vector<TokenBudget> budgets;
  Meter meter(module);
  const std::vector<bool> reached = reachable_rules(module);
  for (std::uint32_t rule = 0; rule < module.rules.size(); ++rule) {
    for_each_stmt(module.rules[rule].body, [&](const Stmt& stmt) {
      if (stmt.kind != Stmt::Kind::Loop) return;
      TokenBudget budget;
      budget.loop = &stmt;
      budget.rule = rule;
      budget.reachable = reached[rule];
      budget.max_bits = budget.max_outputs = 0;  // unless some step does not fail
      const Paths step = meter.block(stmt.body, std::nullopt);
      if (const auto any = meter.any_exit(step)) {
        budget.max_bits = any->bits.max;
        budget.max_outputs = any->outputs.max;
        budget.max_bits_why = meter.chain(any->bits.why);
        budget.max_outputs_why = meter.chain(any->outputs.why);
        budget.min_bits_any = any->bits.min;
        budget.min_outputs_any = any->outputs.min;
        budget.scalar_bits = any->bits.scalar;
        budget.scalar_outputs = any->outputs.scalar;
      }
      if (step.fall) {
        budget.min_bits = step.fall->bits.min;
        budget.min_outputs = step.fall->outputs.min;
      }
      budgets.push_back(std::move(budget));
    });
  }
  choose_tokens(module, budgets);
  return budgets;
}

}  // namespace sluice::analysis
