// The call graph: no recursion, and rules in order of first call.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dsl/sema/context.h"
#include "dsl/sema/visit.h"

namespace sluice::sema {
namespace {

std::uint64_t nodes(const model::Expr* e) {
  if (e == nullptr) return 0;
  std::uint64_t n = 1;
  for (const auto& kid : e->kids) n += nodes(kid.get());
  return n;
}

// No fewer than the clauses the rule will have: a statement has at most 8 of its own (`build` the most), an
// operation one.
std::uint64_t clause_bound(const model::Rule& rule) {
  std::uint64_t n = 2;
  for_each_stmt(rule.body, [&](const model::Stmt& s) {
    n += 8 + nodes(s.a.get()) + nodes(s.b.get()) + nodes(s.c.get()) + nodes(s.read.width.get()) +
         nodes(s.read.index.get());
    for (const auto& arg : s.args) n += 1 + nodes(arg.get());
    for (const auto& arg : s.read.args) n += 1 + nodes(arg.get());
    for (const auto& arm : s.arms) n += nodes(arm.condition.get());
  });
  return n;
}

struct Order {
  Context& context;
  std::vector<std::uint32_t> stack;     // being visited, outermost first
  std::vector<std::uint32_t> sequence;  // visited, by first call
  bool recursive = false;

  void visit(std::uint32_t rule, Span call) {
    const auto again = std::find(stack.begin(), stack.end(), rule);
    if (again != stack.end()) {
      recursive = true;
      std::vector<std::string> names;
      for (auto r = again; r != stack.end(); ++r) names.push_back(context.format.rules[*r].name);
      names.push_back(context.format.rules[rule].name);
      context.sink
          .error(Code::Recursion, call, fmt::format("rules call each other in a circle: {}", fmt::join(names, " -> ")))
          .note(context.format.rules[rule].span, "the circle starts here")
          .help("rules can't be recursive: use a loop and an array");
      return;
    }
    if (std::find(sequence.begin(), sequence.end(), rule) != sequence.end()) return;
    sequence.push_back(rule);
    stack.push_back(rule);
    for_each_stmt(context.format.rules[rule].body, [&](const model::Stmt& s) {
      for_each_call(s, [&](std::uint32_t callee) { visit(callee, s.span); });
    });
    stack.pop_back();
  }
};

}  // namespace

bool order_rules(Context& context) {
  const std::uint32_t main = context.instances.front()->main;
  Order order{context, {}, {}, false};
  order.visit(main, {});
  const std::size_t called = order.sequence.size();
  // Rules that nothing calls may be recursive too, and are as wrong.
  for (std::uint32_t r = 0; r < context.format.rules.size(); ++r)
    if (context.rules[r].owner->is_top) order.visit(r, {});
  if (order.recursive) return false;
  order.sequence.resize(called);
  if (called > kMaxRules) {
    context.sink.error(Code::FormatTooLarge, context.format.rules[main].span,
                       fmt::format("the format has {} rules; an error word can name {}", called, kMaxRules));
    return false;
  }
  for (const std::uint32_t r : order.sequence) {
    if (clause_bound(context.format.rules[r]) <= kMaxClauses) continue;
    context.sink
        .error(Code::FormatTooLarge, context.format.rules[r].span,
               fmt::format("this rule may have more than {} clauses", kMaxClauses))
        .help("move parts of it to rules of their own");
    return false;
  }
  std::vector<std::uint32_t> place(context.format.rules.size(), 0);
  std::vector<model::Rule> sorted;
  for (std::uint32_t i = 0; i < order.sequence.size(); ++i) place[order.sequence[i]] = i;
  for (const std::uint32_t r : order.sequence) {
    for_each_stmt(context.format.rules[r].body,
                  [&](model::Stmt& s) { for_each_call(s, [&](std::uint32_t& callee) { callee = place[callee]; }); });
    sorted.push_back(std::move(context.format.rules[r]));
  }
  context.format.rules = std::move(sorted);
  return true;
}

}  // namespace sluice::sema
