// The facts as JSON.
#include <nlohmann/json.hpp>

#include "compiler/analysis/assertions.h"
#include "compiler/analysis/eligibility.h"
#include "compiler/analysis/explain.h"
#include "compiler/ir/names.h"

namespace sluice::analysis {
namespace {

using nlohmann::ordered_json;

ordered_json amount(const std::optional<std::uint64_t>& bound) {
  return bound ? ordered_json(*bound) : ordered_json(nullptr);
}

class Writer {
 public:
  Writer(const ir::Module& module, const Facts& facts, const SourceSet& sources)
      : module_(module), facts_(facts), sources_(sources) {}

  ordered_json write() const {
    ordered_json page;
    page["format"] = module_.name;
    page["input"] = std::string(ir::name(module_.input));
    page["output"] = {{"type", ir::name(module_.output)}, {"window", module_.window}};
    page["further_outputs"] = ordered_json::array();
    for (const ir::Output& o : module_.outputs) page["further_outputs"].push_back({{"name", o.name}, {"type", ir::name(o.type)}});
    page["dictionary"] = module_.has_dictionary;
    page["tokens"] = ordered_json::array();
    for (const LoopFacts* loop : facts_.tokens()) page["tokens"].push_back(token(*loop));
    page["output_size_known"] = {{"holds", facts_.output_size_known}, {"why", chain(facts_.output_size_why)}};
    page["copies"] = copies();
    page["sub_streams"] = ordered_json::array();
    for (const SubStream& part : facts_.sub_streams)
      page["sub_streams"].push_back({{"place", place(part.within->span)},
                                     {"max_bytes", amount(part.max_bytes)},
                                     {"repeated", part.repeated},
                                     {"independent", part.independent},
                                     {"why", chain(part.why)}});
    page["stages"] = ordered_json::array();
    for (const StageFact& stage : facts_.stages) page["stages"].push_back(stage_of(stage));
    page["strategies"] = ordered_json::array();
    for (const StrategyEligibility& one : eligibility_of(facts_))
      page["strategies"].push_back({{"name", one.strategy},
                                    {"what", one.what},
                                    {"legal", one.legal},
                                    {"to_come", one.to_come},
                                    {"why", chain(one.why)}});
    page["memory"] = {{"bytes", facts_.memory.bytes}, {"parts", ordered_json::array()}};
    for (const Memory::Part& part : facts_.memory.parts)
      page["memory"]["parts"].push_back({{"name", part.name}, {"bytes", part.bytes}, {"formula", part.formula}});
    page["prefix_codes"] = ordered_json::array();
    for (std::size_t c = 0; c < module_.codes.size(); ++c) page["prefix_codes"].push_back(prefix_code(c));
    page["run_time_checks"] = ordered_json::array();
    for (const RunTimeCheck& check : facts_.checks.run_time)
      page["run_time_checks"].push_back({{"reason", std::string(ir::name(check.reason))},
                                         {"text", said(check, sources_)},
                                         {"place", place(check.span)}});
    page["policies"] = ordered_json::array();
    for (const Policy& policy : facts_.checks.policies)
      page["policies"].push_back(
          {{"kind", policy.accept ? "accept" : "reject"}, {"name", policy.name}, {"place", place(policy.span)}});
    page["assertions"] = ordered_json::array();
    for (const ir::Assertion& assertion : module_.assertions)
      page["assertions"].push_back({{"fact", assertion.fact},
                                    {"op", assertion.op},
                                    {"bound", amount(assertion.bound)},
                                    {"place", place(assertion.span)}});
    return page;
  }

 private:
  ordered_json place(Span span) const {
    if (span.file >= sources_.size() || span.length == 0) return nullptr;
    const LineCol at = sources_.line_col(span);
    return {{"file", sources_.name(span.file)}, {"line", at.line}, {"column", at.column}};
  }

  ordered_json chain(const ReasonChain& why) const {
    ordered_json steps = ordered_json::array();
    for (const Reason& step : why) steps.push_back({{"text", step.text}, {"place", place(step.span)}});
    return steps;
  }

  ordered_json token(const LoopFacts& loop) const {
    const TokenBudget& budget = loop.budget;
    const Dependence& dependence = loop.dependence;
    ordered_json page;
    page["rule"] = module_.rules[budget.rule].name;
    page["place"] = place(budget.loop->span);
    page["min_bits"] = budget.min_bits;
    page["max_bits"] = amount(budget.max_bits);
    page["max_bits_why"] = chain(budget.max_bits_why);
    page["scalar_bits"] = budget.scalar_bits;
    page["min_outputs"] = budget.min_outputs;
    page["max_outputs"] = amount(budget.max_outputs);
    page["max_outputs_why"] = chain(budget.max_outputs_why);
    page["position_only"] = {{"holds", dependence.position_only}, {"why", chain(dependence.position_only_why)}};
    page["outputs_position_only"] = {{"holds", dependence.outputs_position_only},
                                     {"why", chain(dependence.outputs_why)}};
    page["deferred_checks"] = chain(dependence.deferred_checks);
    static constexpr const char* kKinds[] = {"fixed", "first_byte", "first_byte_varint", "scan", "none"};
    page["boundaries"] = {{"kind", kKinds[static_cast<int>(loop.boundaries.kind)]},
                          {"states", loop.boundaries.states},
                          {"why", chain(loop.boundaries.why)}};
    return page;
  }

  ordered_json stage_of(const StageFact& stage) const {
    static constexpr const char* kForms[] = {"elementwise", "scan", "permutation_walk"};
    const bool emits = stage.stmt->kind == ir::Stmt::Kind::EmitBuffer;
    return {{"stage", emits ? "emit_" + std::string(ir::name(stage.stmt->form)) : std::string(ir::name(stage.stmt->stage))},
            {"buffer", module_.buffers[stage.stmt->ref].name},
            {"form", kForms[static_cast<int>(stage.form)]},
            {"text", std::string(form_text(stage))},
            {"place", place(stage.stmt->span)}};
  }

  ordered_json prefix_code(std::size_t c) const {
    const BuiltCode& code = facts_.built.codes[c];
    return {{"name", module_.codes[c].name},
            {"copies", module_.codes[c].copies},
            {"read", code.read},
            {"always_built_before", code.always_built},
            {"starts_without_codewords", code.read && !code.always_built},
            {"why", chain(code.why)}};
  }

  ordered_json copies() const {
    const Copies& found = facts_.copies;
    return {{"sites", found.sites},
            {"distance", found.any ? amount(found.reach) : ordered_json(0)},
            {"length", found.any ? amount(found.longest) : ordered_json(0)},
            {"may_overlap", found.may_overlap},
            {"dictionary", found.dictionary},
            {"why", chain(found.why)}};
  }

  const ir::Module& module_;
  const Facts& facts_;
  const SourceSet& sources_;
};

}  // namespace

std::string explain_json(const ir::Module& module, const Facts& facts, const SourceSet& sources) {
  return Writer(module, facts, sources).write().dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sluice::analysis
