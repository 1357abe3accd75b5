// The page of `sluice explain`.
#include <fmt/format.h>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/eligibility.h"
#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using Limit = std::optional<std::uint64_t>;

// Reasons of one fact that are shown; the rest is counted. A page is for reading; the JSON has all.
constexpr std::size_t kShownReasons = 8;

// Largest token that facts_line gives in bits: 64 KiB.
constexpr std::uint64_t kListedBits = std::uint64_t{1} << 19;

std::string per_token(std::uint64_t lo, Limit hi, std::string_view unit) {
  if (!hi) return count_of(lo, unit) + " a token, or more";
  if (lo == *hi) return count_of(lo, unit) + " a token";
  return fmt::format("{} to {} a token", lo, count_of(*hi, unit));
}

std::string type_text(ir::Type type) { return fmt::format("{}{}", type.is_signed ? "i" : "u", type.bits); }

class Page {
 public:
  Page(const ir::Module& module, const Facts& facts, const SourceSet& sources, bool colour)
      : module_(module), facts_(facts), sources_(sources), colour_(colour) {}

  std::string write() {
    summary();
    for (const LoopFacts* loop : facts_.tokens()) token(*loop);
    if (facts_.tokens().empty()) heading("Tokens: no loop makes output");
    output();
    sub_streams();
    stages();
    strategies();
    memory();
    prefix_codes();
    checks();
    policies();
    return std::move(text_);
  }

 private:
  std::string place(Span span) const {
    if (span.file >= sources_.size() || span.length == 0) return {};
    const LineCol at = sources_.line_col(span);
    return fmt::format("{}:{}:{}", sources_.name(span.file), at.line, at.column);
  }

  std::string styled(std::string_view code, std::string_view text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  void heading(const std::string& title, Span span = {}) {
    const std::string where = place(span);
    text_ += "\n" + styled("1", title) + (where.empty() ? "" : " at " + where) + "\n";
  }

  // "  label        value"
  void row(std::string_view label, std::string_view value) { text_ += fmt::format("  {:<13} {}\n", label, value); }

  // A label of a row that a reader looks for first: yes is green, no is red.
  void verdict(std::string_view label, bool holds, std::string_view value) {
    row(label, styled(holds ? "32" : "31", holds ? "yes" : "no") + (value.empty() ? "" : ", ") + std::string(value));
  }

  void reasons(const ReasonChain& why) {
    std::size_t shown = 0;
    for (const Reason& step : why) {
      if (++shown > kShownReasons) {
        text_ += fmt::format("      ... and {} more\n", why.size() - kShownReasons);
        return;
      }
      const std::string where = place(step.span);
      text_ += fmt::format("      {}{}{}\n", where, where.empty() ? "" : ": ", step.text);
    }
  }

  void summary() {
    static constexpr std::string_view kInputs[] = {"bytes", "bits, least significant first",
                                                   "bits, most significant first"};
    text_ += styled("1", "format " + module_.name) + "\n";
    row("input", kInputs[static_cast<int>(module_.input)]);
    row("output", module_.output == ir::Type{8, false} ? "bytes" : type_text(module_.output) + " elements");
    for (const ir::Output& o : module_.outputs)
      row("output", fmt::format("`{}`: {}", o.name, o.type == ir::Type{8, false} ? "bytes" : type_text(o.type) + " elements"));
    if (module_.window != 0) row("window", count_of(module_.window, "element"));
    if (module_.has_dictionary) row("dictionary", "a preset dictionary may stand before the output");
    for (const ir::Argument& arg : module_.args)
      row("argument", fmt::format("{}: {} = {}", arg.name, type_text(arg.type), arg.initial));
  }

  void token(const LoopFacts& loop) {
    const TokenBudget& budget = loop.budget;
    heading(fmt::format("Token loop in `{}`", module_.rules[budget.rule].name), budget.loop->span);
    row("input", per_token(budget.min_bits, budget.max_bits, "bit"));
    reasons(budget.max_bits_why);
    if (budget.max_bits != budget.scalar_bits)
      row("", fmt::format("of it {} in fields; runs, copies, literals and inner loops are counted apart",
                          count_of(budget.scalar_bits, "bit")));
    row("output", per_token(budget.min_outputs, budget.max_outputs, "element"));
    reasons(budget.max_outputs_why);
    const Dependence& dependence = loop.dependence;
    verdict("position-only", dependence.position_only,
            dependence.position_only ? "lengths and branches of a token follow from where it starts" : "");
    reasons(dependence.position_only_why);
    if (dependence.position_only && !dependence.outputs_position_only) {
      row("", "but the number of its outputs does not:");
      reasons(dependence.outputs_why);
    }
    if (!dependence.deferred_checks.empty()) {
      row("", "checks that have to wait for the tokens before:");
      reasons(dependence.deferred_checks);
    }
    boundaries(loop.boundaries);
  }

  void boundaries(const Boundaries& found) {
    using Kind = Boundaries::Kind;
    switch (found.kind) {
      case Kind::Fixed:
        row("boundaries", "every token has " + count_of(found.max_bits, "bit"));
        return;
      case Kind::FirstByte:
        row("boundaries", "the first byte of a token tells its length; " + count_of(found.states, "state"));
        return;
      case Kind::FirstByteVarint:
        row("boundaries",
            fmt::format("the first byte of a token tells its fields, varints end by their continuation bits; {}",
                        count_of(found.states, "state")));
        return;
      case Kind::None:
        row("boundaries", "none");
        break;
      case Kind::Scan:
        row("boundaries", "only decoding a token tells where it ends");
        break;
    }
    reasons(found.why);
  }

  void output() {
    heading("Output");
    verdict("size known", facts_.output_size_known,
            facts_.output_size_known ? "without the values of the output" : "it depends on the values of the output");
    reasons(facts_.output_size_why);
    const Copies& copies = facts_.copies;
    if (!copies.any) {
      row("copies", "none");
      return;
    }
    row("copies", copies.reach ? "backward, at most " + count_of(*copies.reach, "element")
                               : std::string("backward, any distance"));
    row("",
        copies.longest ? "at most " + count_of(*copies.longest, "element") + " long" : std::string("of any length"));
    row("", copies.may_overlap ? "may overlap what they write" : "never overlap what they write");
    if (copies.dictionary) row("", "may reach into the preset dictionary");
    reasons(copies.why);
  }

  void sub_streams() {
    if (facts_.sub_streams.empty()) return;
    heading("Sub-streams of recorded size");
    for (const SubStream& part : facts_.sub_streams) {
      const std::string size =
          part.max_bytes ? "up to " + count_of(*part.max_bytes, "byte") : std::string("of any size");
      row("within", fmt::format("{}: {}{}, {}", place(part.within->span), size, part.repeated ? ", repeated" : "",
                                part.independent ? "independent of the ones before" : "depends on the ones before"));
      reasons(part.why);
    }
  }

  void stages() {
    if (facts_.stages.empty()) return;
    heading("Stages");
    for (const StageFact& stage : facts_.stages) {
      const std::string where = place(stage.stmt->span);
      text_ += fmt::format("  {}{}{} of {}: {}\n", where, where.empty() ? "" : ": ", spell(*stage.stmt),
                           module_.buffers[stage.stmt->ref].name, form_text(stage));
    }
  }

  void strategies() {
    heading("Strategies the facts allow");
    for (const StrategyEligibility& one : eligibility_of(facts_)) {
      text_ += fmt::format("  {:<20}{}{}: {}\n", one.strategy,
                           styled(one.legal ? "32" : "31", one.legal ? "legal" : "not legal"),
                           one.legal && one.to_come ? ", but no target has it yet" : "", one.what);
      reasons(one.why);
    }
  }

  void memory() {
    heading("Temporary memory of one chunk: " +
            (facts_.memory.bytes == 0 ? std::string("none") : "at most " + count_of(facts_.memory.bytes, "byte")));
    for (const Memory::Part& part : facts_.memory.parts)
      row(part.name, fmt::format("{}: {}", count_of(part.bytes, "byte"), part.formula));
  }

  void prefix_codes() {
    if (module_.codes.empty()) return;
    heading("Prefix codes: built before they are read?");
    for (std::size_t c = 0; c < module_.codes.size(); ++c) {
      const BuiltCode& code = facts_.built.codes[c];
      row(module_.codes[c].name, !code.read            ? std::string("never read")
                                 : code.always_built ? styled("32", "yes") + ", on every path"
                                                       : styled("33", "not proven") + ": starts without codewords");
      reasons(code.why);
    }
  }

  void checks() {
    heading(facts_.checks.run_time.empty() ? "Checked at run time: nothing" : "Checked at run time");
    for (const RunTimeCheck& check : facts_.checks.run_time) {
      const std::string where = place(check.span);
      text_ += fmt::format("  {}{}{}\n", where, where.empty() ? "" : ": ", said(check, sources_));
    }
  }

  void policies() {
    heading(facts_.checks.policies.empty() ? "Policies: none" : "Policies");
    for (const Policy& policy : facts_.checks.policies) {
      const std::string where = place(policy.span);
      text_ += fmt::format("  {}{}{} {}\n", where, where.empty() ? "" : ": ", policy.accept ? "accept" : "reject",
                           policy.name);
    }
  }

  const ir::Module& module_;
  const Facts& facts_;
  const SourceSet& sources_;
  bool colour_;
  std::string text_;
};

}  // namespace

std::string explain_text(const ir::Module& module, const Facts& facts, const SourceSet& sources, bool colour) {
  return Page(module, facts, sources, colour).write();
}

std::string facts_line(const Facts& facts) {
  std::string line;
  const auto add = [&](const std::string& part) { line += (line.empty() ? "" : ", ") + part; };
  const LoopFacts* widest = nullptr;
  bool position_only = !facts.tokens().empty();
  for (const LoopFacts* loop : facts.tokens()) {
    if (widest == nullptr ||
        (widest->budget.max_bits && (!loop->budget.max_bits || *loop->budget.max_bits > *widest->budget.max_bits)))
      widest = loop;
    position_only &= loop->dependence.position_only;
  }
  // No bits: such tokens read at recorded places, not on in the stream.
  if (widest != nullptr && widest->budget.max_bits != std::uint64_t{0}) {
    const TokenBudget& budget = widest->budget;
    // A bound that one literal count alone makes huge says nothing to a reader of a list.
    if (budget.max_bits && *budget.max_bits <= kListedBits)
      add(budget.min_bits == *budget.max_bits
              ? count_of(budget.min_bits, "bit") + " a token"
              : fmt::format("{}..{} bits a token", budget.min_bits, *budget.max_bits));
    else
      add(fmt::format("{}+ bits a token", budget.min_bits));
  }
  if (position_only) add("position-only");
  if (!facts.copies.any)
    add("no copies");
  else
    add(facts.copies.reach ? fmt::format("copies within {}", *facts.copies.reach) : "copies of any distance");
  for (const StrategyEligibility& one : eligibility_of(facts))
    if (one.legal && one.strategy == "split") add(one.strategy);
  return line;
}

}  // namespace sluice::analysis
