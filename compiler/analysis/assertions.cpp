#include "compiler/analysis/assertions.h"

#include <algorithm>
#include <array>
#include <vector>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

constexpr std::array<FactName, 16> kFacts{{
    {"position_only", false, "the parse of a token depends on its bit position and region constants only"},
    {"output_size_known", false, "output sizes do not depend on output values"},
    {"bounded_tokens", false, "the input and output of one token have bounds"},
    {"fixed_tokens", false, "every token has the same number of bits"},
    {"first_byte_tokens", false, "the first byte of a token tells its length"},
    {"no_overlap", false, "no copy reads what it writes"},
    {"independent_sub_streams", false, "some repeated `within` can be decoded without the ones before"},
    {"max_token_bits", true, "most input bits of one token"},
    {"min_token_bits", true, "fewest input bits of one token"},
    {"max_token_outputs", true, "most outputs of one token"},
    {"copies", true, "`copy` statements"},
    {"copy_distance", true, "largest distance of a copy, in elements"},
    {"copy_length", true, "longest copy, in elements"},
    {"temporary_bytes", true, "temporary memory of one chunk"},
    {"run_time_checks", true, "checks that could not be proven away"},
    {"progress_checks", true, "loops that are checked for progress at run time"},
}};

// The chain of each token loop for which `holds` is false, or a step that says there is no token.
template <typename Holds, typename Why>
Answer for_all_tokens(const Facts& facts, const Holds& holds, const Why& why) {
  Answer answer;
  const auto tokens = facts.tokens();
  answer.holds = !tokens.empty();
  if (tokens.empty()) answer.why.push_back({"no loop of the format makes output", {}});
  for (const LoopFacts* loop : tokens) {
    if (holds(*loop)) continue;
    answer.holds = false;
    append(answer.why, why(*loop));
  }
  return answer;
}

using Amounts = std::optional<std::uint64_t> TokenBudget::*;

Answer largest(const Facts& facts, Amounts amount, ReasonChain TokenBudget::*why) {
  Answer answer;
  answer.number = 0;
  for (const LoopFacts* loop : facts.tokens()) {
    const auto& bound = loop->budget.*amount;
    if (!answer.number || (bound && *bound <= *answer.number)) continue;
    answer.number = bound;
    answer.why = loop->budget.*why;
  }
  return answer;
}

Answer smallest_token(const Facts& facts) {
  Answer answer;
  answer.number = 0;
  bool first = true;
  for (const LoopFacts* loop : facts.tokens()) {
    if (!first && loop->budget.min_bits >= *answer.number) continue;
    answer.number = loop->budget.min_bits;
    answer.why = {{"this loop has the shortest token", loop->budget.loop->span}};
    first = false;
  }
  return answer;
}

Answer boundary(const Facts& facts, bool fixed_only) {
  using Kind = Boundaries::Kind;
  return for_all_tokens(
      facts,
      [&](const LoopFacts& loop) {
        const Kind kind = loop.boundaries.kind;
        return kind == Kind::Fixed || (!fixed_only && kind == Kind::FirstByte);
      },
      [](const LoopFacts& loop) {
        if (!loop.boundaries.why.empty()) return loop.boundaries.why;
        return ReasonChain{{"tokens of this loop differ in length", loop.budget.loop->span}};
      });
}

Answer checks(const Facts& facts, bool progress_only) {
  Answer answer;
  answer.number = 0;
  for (const RunTimeCheck& check : facts.checks.run_time) {
    if (progress_only && check.reason != ir::Reason::NoProgress) continue;
    ++*answer.number;
    answer.why.push_back({check.text, check.span});
  }
  return answer;
}

bool compare(const std::string& op, std::optional<std::uint64_t> number, std::uint64_t bound) {
  if (!number) return op == ">" || op == ">=" || op == "!=";
  if (op == "==") return *number == bound;
  if (op == "!=") return *number != bound;
  if (op == "<") return *number < bound;
  if (op == "<=") return *number <= bound;
  if (op == ">") return *number > bound;
  return *number >= bound;
}

}  // namespace

std::span<const FactName> all_facts() { return kFacts; }

std::optional<Answer> ask(const Facts& facts, std::string_view name) {
  if (name == "position_only")
    return for_all_tokens(
        facts, [](const LoopFacts& loop) { return loop.dependence.position_only; },
        [](const LoopFacts& loop) { return loop.dependence.position_only_why; });
  if (name == "output_size_known") return Answer{facts.output_size_known, {}, facts.output_size_why};
  if (name == "bounded_tokens")
    return for_all_tokens(
        facts, [](const LoopFacts& loop) { return loop.budget.max_bits && loop.budget.max_outputs; },
        [](const LoopFacts& loop) {
          ReasonChain why;
          if (!loop.budget.max_bits) append(why, loop.budget.max_bits_why);
          if (!loop.budget.max_outputs) append(why, loop.budget.max_outputs_why);
          return why;
        });
  if (name == "fixed_tokens") return boundary(facts, true);
  if (name == "first_byte_tokens") return boundary(facts, false);
  if (name == "no_overlap") return Answer{!facts.copies.may_overlap, {}, facts.copies.why};
  if (name == "independent_sub_streams") {
    Answer answer;
    for (const SubStream& part : facts.sub_streams) {
      answer.holds |= part.repeated && part.independent;
      append(answer.why, part.why);
    }
    if (facts.sub_streams.empty()) answer.why.push_back({"the format has no `within`", {}});
    return answer;
  }
  if (name == "max_token_bits") return largest(facts, &TokenBudget::max_bits, &TokenBudget::max_bits_why);
  if (name == "min_token_bits") return smallest_token(facts);
  if (name == "max_token_outputs") return largest(facts, &TokenBudget::max_outputs, &TokenBudget::max_outputs_why);
  if (name == "copies") return Answer{false, facts.copies.sites, facts.copies.why};
  if (name == "copy_distance") return Answer{false, facts.copies.reach, facts.copies.why};
  if (name == "copy_length") return Answer{false, facts.copies.longest, facts.copies.why};
  if (name == "temporary_bytes") return Answer{false, facts.memory.bytes, {}};
  if (name == "run_time_checks") return checks(facts, false);
  if (name == "progress_checks") return checks(facts, true);
  return std::nullopt;
}

bool check_assertions(const ir::Module& module, const Facts& facts, DiagSink& sink) {
  bool all_hold = true;
  for (const ir::Assertion& assertion : module.assertions) {
    const auto known =
        std::find_if(kFacts.begin(), kFacts.end(), [&](const FactName& fact) { return fact.name == assertion.fact; });
    if (known == kFacts.end()) {
      all_hold = false;
      std::vector<std::string_view> names;
      for (const FactName& fact : kFacts) names.push_back(fact.name);
      auto diagnostic = sink.error(Code::UnknownFact, assertion.span, "no fact is called `" + assertion.fact + "`");
      if (const auto meant = did_you_mean(assertion.fact, std::span<const std::string_view>(names))) {
        diagnostic.help("did you mean `" + *meant + "`?");
      } else {
        std::string list;
        for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
        diagnostic.help("the facts are " + list);
      }
      continue;
    }
    const bool compared = !assertion.op.empty() && assertion.bound.has_value();
    if (compared != known->is_number) {
      all_hold = false;
      sink.error(Code::AssertionForm, assertion.span,
                 known->is_number ? "`" + assertion.fact + "` is a number: compare it"
                                  : "`" + assertion.fact + "` holds or does not: nothing to compare")
          .help(known->is_number ? "write `assert " + assertion.fact + " <= 64`"
                                 : "write `assert " + assertion.fact + "`");
      continue;
    }
    const Answer answer = *ask(facts, assertion.fact);
    const bool holds = compared ? compare(assertion.op, answer.number, *assertion.bound) : answer.holds;
    if (holds) continue;
    all_hold = false;
    std::string message = "`" + assertion.fact + "` ";
    if (!compared)
      message += "does not hold";
    else
      message += answer.number ? "is " + std::to_string(*answer.number) : std::string("has no bound");
    auto diagnostic = sink.error(Code::AssertionFails, assertion.span, std::move(message));
    for (const Reason& step : answer.why)
      diagnostic.note(step.span.length != 0 ? step.span : assertion.span, step.text);
  }
  return all_hold;
}

}  // namespace sluice::analysis
