#include "runtime/cli/explain_cuda.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/ir/count_mode.h"
#include "compiler/schedule/directives.h"
#include "compiler/strategy/alternatives.h"
#include "compiler/strategy/choose.h"
#include "compiler/strategy/device_function.h"
#include "compiler/strategy/model.h"
#include "compiler/strategy/resolve.h"
#include "compiler/strategy/strategies.h"
#include "runtime/jit/cuda_code.h"
#include "runtime/launch/occupancy.h"

namespace sluice::cli {
namespace {

using nlohmann::ordered_json;

// Reasons that are shown for one strategy; the JSON has all.
constexpr std::size_t kShownReasons = 8;

bool resolves_copies(const schedule::Schedule& s) {
  return schedule::find_directive("resolve")->strategies & schedule::set_of(s.strategy);
}

std::string place(const SourceSet& sources, Span span) {
  if (span.file >= sources.size() || span.length == 0) return {};
  const LineCol at = sources.line_col(span);
  return fmt::format("{}:{}:{}", sources.name(span.file), at.line, at.column);
}

std::string bytes_text(std::uint64_t bytes, std::string_view what) {
  return bytes == 0 ? fmt::format("no {}", what) : fmt::format("{} bytes of {}", bytes, what);
}

// Whether the format has a device function, and by which strategy.
struct DeviceFunction {
  strategy::Legality legality;
  schedule::Strategy strategy = schedule::Strategy::Warp;
};
DeviceFunction device_function_of(const strategy::Subject& subject, const schedule::Device& device) {
  const plan::TokenPlans tokens = plan::token_plans(subject.module, subject.facts.splits.loops, {.outputs = plan::Outputs::Sink});
  const strategy::Subject handing{subject.module, subject.facts, tokens};
  DeviceFunction of{strategy::device_function_legal(handing, device)};
  if (of.legality.legal) of.strategy = strategy::device_function_default(handing, device).strategy;
  return of;
}

class Text {
 public:
  Text(const CudaPage& page, const SourceSet& sources, bool colour) : page_(page), sources_(sources), colour_(colour) {}

  std::string write(const strategy::Subject& subject) {
    heading(page_.arch.empty() ? "On the cuda target" : "On the cuda target, " + page_.arch);
    const schedule::Schedule& s = *page_.scheduled.schedule;
    row("schedule", strategy::choices_text(subject, device(), s));
    row("", "from " + page_.scheduled.origin);
    for (const strategy::Alternative& one : page_.scheduled.alternatives) row(one.name, strategy::explain_alternative(one));
    bool first = true;
    for (const std::string& line : strategy::row_of(s.strategy).explain(s, subject)) {
      row(first ? "strategy" : "", line);
      first = false;
    }
    const plan::LaunchPlan& plan = page_.plan;
    row("block", fmt::format("{} threads, {} chunk{}", plan.threads_per_block, plan.chunks_per_block,
                             plan.chunks_per_block == 1 ? "" : "s"));
    row("temporary", plan.temp_bytes_per_slot == 0
                         ? std::string("no global memory")
                         : fmt::format("{} bytes of global memory for each chunk in flight", plan.temp_bytes_per_slot));
    if (plan.dynamic_shared_bytes != 0)
      row("shared", fmt::format("{} bytes of a block, asked for at launch", plan.dynamic_shared_bytes));
    if (plan.carve_out != schedule::kAnyCarveOut)
      row("carve-out", fmt::format("{} % of a multiprocessor's fast memory for shared memory", plan.carve_out));
    if (page_.objects > 1) row("objects", fmt::format("{}, which a decoder that is to start quickly compiles side by side", page_.objects));
    row("alignment", schedule::explain_alignment(plan.input_alignment, plan.output_alignment));
    kernel("decode", plan.decode);
    kernel("count", plan.count);
    if (page_.kernels.empty()) row("kernels", page_.unknown);

    heading("Strategies of the cuda target");
    for (const strategy::StrategyRow* row : strategy::strategies()) {
      const strategy::Legality legality = row->legal(subject);
      const bool in_force = row->strategy == s.strategy;
      text_ += fmt::format("  {:<20}{}{}: {}{}\n", schedule::name(row->strategy),
                           styled(legality.legal ? "32" : "31", legality.legal ? "legal" : "not legal"),
                           in_force ? ", in force" : "", row->what, legality.legal ? expectation(*row, subject) : "");
      reasons(legality.why);
    }
    resolves(subject);
    function(subject);
    return std::move(text_);
  }

 private:
  std::string styled(std::string_view code, std::string_view text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
  void heading(const std::string& title) { text_ += "\n" + styled("1", title) + "\n"; }
  void row(std::string_view label, std::string_view value) { text_ += fmt::format("  {:<13} {}\n", label, value); }

  // "; expected to be 4.7 times as fast as `warp` on tokens that copy"
  static std::string expectation(const strategy::StrategyRow& row, const strategy::Subject& subject) {
    const std::string text = strategy::explain_level(row.strategy, row.works(subject));
    return text.empty() ? text : "; " + text;
  }

  void resolves(const strategy::Subject& subject) {
    if (!subject.facts.copies.any) return;
    heading("Ways to resolve copies");
    const schedule::Schedule& s = *page_.scheduled.schedule;
    const strategy::Legality collecting = strategy::collecting_legal(subject);
    for (const strategy::ResolveRow& row : strategy::resolves()) {
      const bool legal = strategy::resolve_legal(subject, row.resolve).legal;
      const bool in_force = resolves_copies(s) && s.resolve == row.resolve;
      text_ += fmt::format("  {:<20}{}{}: {}\n", schedule::name(row.resolve),
                           styled(legal ? "32" : "31", legal ? "legal" : "not legal"), in_force ? ", in force" : "",
                           row.what);
    }
    reasons(collecting.why);
  }

  void function(const strategy::Subject& subject) {
    heading("Device function");
    const DeviceFunction of = device_function_of(subject, device());
    const bool legal = of.legality.legal;
    text_ += fmt::format("  {:<20}{}{}\n", "emit", styled(legal ? "32" : "31", legal ? "legal" : "not legal"),
                         legal ? fmt::format(", by `{}`: outputs go to a sink of the caller's kernel", schedule::name(of.strategy)) : std::string());
    reasons(of.legality.why);
  }

  void reasons(const analysis::ReasonChain& why) {
    std::size_t shown = 0;
    for (const analysis::Reason& step : why) {
      if (++shown > kShownReasons) {
        text_ += fmt::format("      ... and {} more\n", why.size() - kShownReasons);
        return;
      }
      const std::string where = place(sources_, step.span);
      text_ += fmt::format("      {}{}{}\n", where, where.empty() ? "" : ": ", step.text);
    }
  }

  void kernel(std::string_view label, const std::string& name) {
    const runtime::KernelResources* k = runtime::find_kernel(page_.kernels, name);
    if (!k) return;
    row(label, fmt::format("{} registers a thread, {}, {}, {}", k->registers, bytes_text(runtime::shared_of(page_.plan, *k), "shared memory"),
                           bytes_text(k->stack, "stack"),
                           k->spill_stores + k->spill_loads == 0
                               ? std::string("no spills")
                               : fmt::format("spills {} bytes, reloads {}", k->spill_stores, k->spill_loads)));
    const schedule::Device* device = schedule::find_device(page_.arch);
    if (!device) return;
    const runtime::Occupancy o = runtime::occupancy_of(*device, page_.plan, *k);
    row("", fmt::format("{} blocks on a multiprocessor, {:.0f} % of its threads, limited by {}", o.blocks,
                        o.share * 100, o.limit));
  }

  const schedule::Device& device() const { return schedule::device_for(page_.arch); }

  const CudaPage& page_;
  const SourceSet& sources_;
  bool colour_;
  std::string text_;
};

}  // namespace

CudaPage explain_cuda(driver::Compiled& compiled, const driver::Request& request, const analysis::Facts& facts,
                      const std::string& target, const std::string& directives) {
  CudaPage page;
  const std::size_t colon = target.find(':');
  if (colon != std::string::npos) page.arch = target.substr(colon + 1);
  page.scheduled = driver::schedule_for(compiled, request, facts, target, directives);
  if (!page.scheduled.schedule) return page;
  page.tokens = plan::token_plans(*compiled.module, facts.splits.loops, plan::asked_of(*page.scheduled.schedule));
  emit::CudaOptions options;
  options.schedule = *page.scheduled.schedule;
  options.count = ir::count_plan(*compiled.module).countable;
  options.device = schedule::device_for(page.arch);
  options.sources = &compiled.sources;
  emit::CudaUnit unit = emit::emit_cuda(*compiled.module, options);
  page.plan = std::move(unit.plan);
  page.objects = unit.objects.count;
  if (page.arch.empty()) {
    page.unknown = "not compiled: name an architecture, as cuda:sm_90, for registers, shared memory and occupancy";
    return page;
  }
  auto code = runtime::compile_cuda(unit.text, page.arch, runtime::ObjectCache::standard());
  if (code)
    page.kernels = std::move(code->code.kernels);
  else if (runtime::kernel_refused(code.error()))
    page.refused = code.error();
  else
    page.unknown = "not compiled, so registers, shared memory and occupancy are not known: " + code.error().text;
  return page;
}

std::string cuda_page_text(const CudaPage& page, const driver::Compiled& compiled, const analysis::Facts& facts,
                           bool colour) {
  return Text(page, compiled.sources, colour).write({*compiled.module, facts, page.tokens});
}

ordered_json cuda_page_json(const CudaPage& page, const driver::Compiled& compiled, const analysis::Facts& facts) {
  const schedule::Schedule& s = *page.scheduled.schedule;
  const strategy::Subject subject{*compiled.module, facts, page.tokens};
  ordered_json json;
  json["arch"] = page.arch.empty() ? ordered_json(nullptr) : ordered_json(page.arch);
  json["schedule"] = schedule::to_text(s);
  json["origin"] = page.scheduled.origin;
  json["alternatives"] = ordered_json::array();
  const auto bound = [](std::uint32_t number) { return number == 0 ? ordered_json(nullptr) : ordered_json(number); };
  for (const strategy::Alternative& one : page.scheduled.alternatives)
    json["alternatives"].push_back({{"name", one.name},
                                    {"schedule", schedule::to_text(one.schedule)},
                                    {"chunks_below_per_multiprocessor", bound(one.when.chunks_below)},
                                    {"output_from_per_input_byte", bound(one.when.output_from)},
                                    {"input_bits_from_per_element", bound(one.when.bits_from)}});
  json["strategy"] = schedule::name(s.strategy);
  json["threads_per_block"] = page.plan.threads_per_block;
  json["chunks_per_block"] = page.plan.chunks_per_block;
  json["temp_bytes_per_chunk"] = page.plan.temp_bytes_per_slot;
  json["dynamic_shared_bytes"] = page.plan.dynamic_shared_bytes;
  json["carve_out"] =
      page.plan.carve_out == schedule::kAnyCarveOut ? ordered_json(nullptr) : ordered_json(page.plan.carve_out);
  json["objects"] = page.objects;
  json["input_alignment"] = page.plan.input_alignment;
  json["output_alignment"] = page.plan.output_alignment;
  json["kernels"] = ordered_json::array();
  for (const runtime::KernelResources& k : page.kernels) {
    if (!k.kernel) continue;
    ordered_json kernel{{"name", k.name},   {"registers", k.registers},       {"shared", runtime::shared_of(page.plan, k)},
                        {"stack", k.stack}, {"spill_stores", k.spill_stores}, {"spill_loads", k.spill_loads}};
    if (const schedule::Device* device = schedule::find_device(page.arch)) {
      const auto o = runtime::occupancy_of(*device, page.plan, k);
      kernel["occupancy"] = {{"blocks", o.blocks}, {"share", o.share}, {"limit", o.limit}};
    }
    json["kernels"].push_back(std::move(kernel));
  }
  json["unknown"] = page.unknown;
  json["strategies"] = ordered_json::array();
  for (const strategy::StrategyRow* row : strategy::strategies()) {
    const strategy::Legality legality = row->legal(subject);
    ordered_json why = ordered_json::array();
    for (const analysis::Reason& step : legality.why)
      why.push_back({{"text", step.text}, {"place", place(compiled.sources, step.span)}});
    ordered_json work, level;
    if (legality.legal) {
      const strategy::Works of = row->works(subject);
      work = strategy::names(of);
      if (const std::optional<double> known = strategy::level(row->strategy, of)) level = *known;
    }
    json["strategies"].push_back({{"name", schedule::name(row->strategy)},
                                  {"what", row->what},
                                  {"legal", legality.legal},
                                  {"work", std::move(work)},
                                  {"expected_of_warp", std::move(level)},
                                  {"in_force", row->strategy == s.strategy},
                                  {"why", std::move(why)}});
  }
  const DeviceFunction function = device_function_of(subject, schedule::device_for(page.arch));
  ordered_json against = ordered_json::array();
  for (const analysis::Reason& step : function.legality.why)
    against.push_back({{"text", step.text}, {"place", place(compiled.sources, step.span)}});
  json["device_function"] = {{"legal", function.legality.legal},
                             {"strategy", function.legality.legal ? ordered_json(schedule::name(function.strategy)) : ordered_json(nullptr)},
                             {"why", std::move(against)}};
  json["resolves"] = ordered_json::array();
  for (const strategy::ResolveRow& row : strategy::resolves())
    if (facts.copies.any)
      json["resolves"].push_back({{"name", schedule::name(row.resolve)},
                                  {"what", row.what},
                                  {"legal", strategy::resolve_legal(subject, row.resolve).legal},
                                  {"in_force", resolves_copies(s) && s.resolve == row.resolve}});
  return json;
}

}  // namespace sluice::cli
