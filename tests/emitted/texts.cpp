#include "tests/emitted/texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "compiler/analysis/split_loops.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/library.h"
#include "compiler/emit/context.h"
#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "compiler/ir/count_mode.h"
#include "compiler/plan/lower.h"
#include "compiler/schedule/directives.h"
#include "compiler/strategy/strategies.h"
#include "tests/fuzz/specs/generate.h"
#include "tests/fuzz/specs/known.h"
#include "tests/fuzz/specs/mend.h"
#include "tests/fuzz/specs/schedules.h"
#include "tests/support/vectors.h"

namespace sluice::emitted {
namespace {

void lines_of(const SourceSet& sources, Span span, Clauses& clauses) {
  if (span.file >= sources.size() || span.length == 0) return;
  std::string name = sources.name(span.file);
  name.erase(0, name.find_last_of('/') + 1);
  const unsigned first = sources.line_col(span).line;
  const unsigned last = sources.line_col({span.file, span.offset + span.length - 1, 0}).line;
  for (unsigned line = first; line <= last; ++line) clauses[name].insert(line);
}

void lines_of(const SourceSet& sources, const ir::Block& block, Clauses& clauses) {
  for (const auto& s : block) {
    lines_of(sources, s->span, clauses);
    lines_of(sources, s->body, clauses);
    lines_of(sources, s->orelse, clauses);
  }
}

Clauses clauses_of(const driver::Compiled& compiled) {
  Clauses clauses;
  for (const ir::Rule& rule : compiled.module->rules) lines_of(compiled.sources, rule.body, clauses);
  for (const ir::Site& site : compiled.module->sites) lines_of(compiled.sources, site.span, clauses);
  return clauses;
}

std::vector<RuleLines> rules_of(const driver::Compiled& compiled) {
  std::vector<RuleLines> rules;
  for (const ir::Rule& rule : compiled.module->rules)
    lines_of(compiled.sources, rule.body, rules.emplace_back(RuleLines{rule.name, {}}).lines);
  return rules;
}

struct Variant {
  std::string codec, set;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const std::string& name : driver::builtin_codecs()) all.push_back({name, ""});
  for (const test::Vector& vector : test::all_vectors()) {
    const auto same = [&](const Variant& v) { return v.codec == vector.codec && v.set == vector.set; };
    if (std::ranges::none_of(all, same)) all.push_back({vector.codec, vector.set});
  }
  return all;
}

driver::Request request_of(const Variant& variant) {
  driver::Request request;
  request.name = variant.codec;
  if (const auto at = variant.set.find('='); at != std::string::npos)
    request.params.push_back({variant.set.substr(0, at), variant.set.substr(at + 1)});
  return request;
}

// What the plan's loops hold in 32 bits, under the names that their text gives it.
// `kernel`: the loop of a warp has another name where lanes guess where its tokens begin, or look them up.
void words_of(const emit::Context& context, const plan::Plan& plan, const std::string& space, const plan::Kernel* kernel, Words& words) {
  for (const plan::Loop& loop : plan.loops) {
    if (loop.form == plan::LoopForm::Checked || loop.part) continue;
    const bool apart = kernel != nullptr && ((kernel->speculate && loop.has_records()) || (kernel->codes && loop.has_codes()));
    const char* kind = loop.form == plan::LoopForm::SideBySide ? "lanes" : apart ? "warp" : "fast";
    std::set<std::string>& names =
        words[fmt::format("{}{}_{}_{}", space, kind, context.rule(loop.rule), loop.number)];
    for (const plan::Local l : loop.narrow) {
      if (l.scope == plan::kGlobalScope) {
        names.insert(context.global(l.slot));
        continue;
      }
      const plan::Scope& scope = loop.scopes[l.scope];
      const std::string own = context.local(scope.rule, l.slot);
      names.insert(l.scope == 0 ? own : emit::belonging(fmt::format("c{}", scope.value), own));
    }
    for (const plan::Value v : loop.narrow_values)  // a value has one of these
      for (const char* stem : {"width", "n", "i", "first", "far", "at", "extra", "element", "dropped"})
        names.insert(emit::temporary_name(stem, v));
  }
}

Words words_of(const ir::Module& module, const schedule::Schedule& schedule) {
  const plan::TokenPlans plans = plan::token_plans(module, analysis::find_split_loops(module).loops, plan::asked_of(schedule));
  const plan::Kernel kernel = strategy::start(module, plans, schedule, emit::CudaOptions().device);
  embed::PrimitiveNames ignored;
  const emit::Context context(module, ignored, plan::Target::Warp, emit::kCuda);
  Words words;
  words_of(context, plans.of_warp(kernel.parts), "", &kernel, words);
  if (kernel.parts) words_of(context, plans.parts->lane, "thread::", nullptr, words);
  return words;
}

Text decoder(const std::string& name, const driver::Compiled& compiled, emit::CpuEntries entries) {
  return {name, emit::emit_cpu(*compiled.module, {.entries = entries, .sources = &compiled.sources}), false, {}, clauses_of(compiled), rules_of(compiled)};
}

Text kernel(const std::string& name, const driver::Compiled& compiled, const schedule::Schedule& schedule) {
  return {name + ", " + schedule::to_text(schedule),
          emit::emit_cuda(*compiled.module, {.schedule = schedule, .sources = &compiled.sources}).text,
          true,
          {},
          clauses_of(compiled),
          rules_of(compiled),
          words_of(*compiled.module, schedule)};
}

}  // namespace

std::vector<Source> cpu_texts() {
  std::vector<Source> all;
  for (const Variant& variant : variants())
    all.push_back({variant.codec + " " + variant.set, [variant] {
                     const driver::Compiled compiled = driver::compile_spec(request_of(variant));
                     std::vector<Text> texts;
                     if (!compiled.ok()) return texts;
                     const std::string name = variant.codec + " " + variant.set;
                     texts.push_back(decoder(name, compiled, emit::CpuEntries::Both));
                     texts.push_back(decoder(name + ", decode", compiled, emit::CpuEntries::Decode));
                     if (ir::count_plan(*compiled.module).countable) texts.push_back(decoder(name + ", count", compiled, emit::CpuEntries::Count));
                     return texts;
                   }});
  return all;
}

std::vector<Source> cuda_texts(bool every) {
  std::vector<Source> all;
  std::size_t turn = 0;
  for (const Variant& variant : variants()) {
    ++turn;
    all.push_back({variant.codec + " " + variant.set, [variant, every, turn] {
                     const driver::Request request = request_of(variant);
                     driver::Compiled compiled = driver::compile_spec(request);
                     std::vector<Text> texts;
                     if (!compiled.ok()) return texts;
                     const auto legal = fuzz::legal_schedules(request, compiled);
                     for (std::size_t i = 0; i < legal.size(); ++i)
                       if (every || i == 0 || (variant.set.empty() && i == 1 + turn % (legal.size() - 1)))
                         texts.push_back(kernel(variant.codec + " " + variant.set, compiled, legal[i]));
                     return texts;
                   }});
  }
  return all;
}

std::vector<Source> random_texts(std::uint64_t seed, std::uint64_t count) {
  std::vector<Source> all;
  for (std::uint64_t i = 0; i < count; ++i)
    all.push_back({fmt::format("spec {}", i), [seed, i] {
                     std::vector<Text> texts;
                     fuzz::Random random = fuzz::random_of(seed, i);
                     const auto mended =
                         fuzz::mend(fuzz::generate(fuzz::random_of(random.next(), i), "spec", fuzz::leave()));
                     if (!mended) return texts;
                     const driver::Request request = fuzz::request_of(mended->lines, true);
                     driver::Compiled compiled = driver::compile_spec(request);
                     if (!compiled.ok()) return texts;
                     const std::string name = fmt::format("spec {}", i);
                     texts.push_back(decoder(name, compiled, emit::CpuEntries::Both));
                     const auto legal = fuzz::legal_schedules(request, compiled);
                     if (!legal.empty()) texts.push_back(kernel(name, compiled, random.pick(legal)));
                     return texts;
                   }});
  return all;
}

}  // namespace sluice::emitted
