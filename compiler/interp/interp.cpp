#include "compiler/interp/interp.h"

#include <algorithm>

#include "compiler/interp/machine.h"
#include "compiler/ir/error_text.h"

namespace sluice::interp {
Machine::Machine(const ir::Module& module, const Job& job, const ir::CountPlan* plan, const Tracer& tracer)
    : module_(module), job_(job), plan_(plan), tracer_(tracer), in_(job.in, module.input), out_(job.out), element_(module.output),
      limit_(plan != nullptr
                 ? std::min(job.capacity_elements, ir::kMaxCapacity)
                 : std::min<std::uint64_t>(job.capacity_elements, job.out.size() / (module.output.bits / 8u))),
      promised_(kNoPromise),
      dictionary_before_(module.has_dictionary ? job.dictionary.size() : 0), globals_(module.globals.size(), 0), marks_(module.marks.size()) {
  for (const ir::Array& array : module.arrays) arrays_.emplace_back(array.count, 0);
  for (const ir::Code& code : module.codes) codes_.emplace_back(code.copies, PrefixCode(code.max_bits, code.longest_first));
  buffers_.resize(module.buffers.size());
  for (const ir::Symbols& table : module.symbols) symbols_.emplace_back(table.count);
}

// Fills in what every event has in common; a statement that sets no position starts where the input stands.
void Machine::trace(TraceEvent event, const ir::Stmt* s) {
  using Kind = TraceEvent::Kind;
  const bool has_start = event.kind == Kind::Field || event.kind == Kind::Literals || event.kind == Kind::Align ||
                         event.kind == Kind::Skip || event.kind == Kind::Error ||
                         (event.kind == Kind::Symbol && event.bits != 0);
  if (!has_start) event.bit = in_.position();
  if (event.kind != Kind::Literals) event.output = produced_;
  if (event.kind != Kind::Error) {
    event.rule = rule_;
    event.depth = depth_;
  }
  event.stmt = s;
  event.into = filling_;
  event.further = further_open_;
  if (further_open_ != ir::Stmt::kNoSlot) event.further_out = out_;
  event.element = element_;
  tracer_(event);
}

Result Machine::run() {
  const ir::Rule& main = module_.rules[0];
  slots_.assign(main.slots.size(), 0);
  if (tracer_) trace({.kind = TraceEvent::Kind::Enter, .name = main.name}, nullptr);
  const Flow flow = block(main.body);
  Result result;
  result.produced = produced_;
  result.further = further_;
  if (broken_) {
    result.error = kBrokenModule;
    result.consumed = (in_.position() + 7) / 8;
  } else if (flow == Flow::Fail) {
    const ir::Site& site = module_.sites[failed_site_];
    const std::uint64_t bits = ir::error_bits({failed_bit_, failed_in_dictionary_}, ir::reads_dictionary(module_));
    result.error = no_room_ ? ir::kNoRoom : ir::error_word(site, bits);
    result.site = failed_site_;
    result.consumed = ((failed_in_dictionary_ ? in_.position() : failed_bit_) + 7) / 8;
    if (tracer_) {
      trace({.kind = TraceEvent::Kind::Error, .rule = site.rule, .name = no_room_ ? "no_room" : std::string_view(site.name), .bit = failed_bit_,
             .depth = failed_depth_, .site = failed_site_}, nullptr);
    }
  } else {
    result.consumed = (in_.position() + 7) / 8;
    if (tracer_ && flow != Flow::Accept) trace({.kind = TraceEvent::Kind::Leave, .name = main.name}, nullptr);
  }
  return result;
}

Result interpret(const ir::Module& module, const Job& job, const Tracer& tracer) {
  return Machine(module, job, nullptr, tracer).run();
}

Result count(const ir::Module& module, std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary,
             std::span<const std::uint64_t> args, std::uint64_t limit) {
  const ir::CountPlan plan = ir::count_plan(module);
  if (!plan.countable) return {.error = kBrokenModule};
  const Job job{.in = in, .out = {}, .capacity_elements = limit, .dictionary = dictionary, .args = args};
  const Tracer no_tracer;
  return Machine(module, job, &plan, no_tracer).run();
}

}  // namespace sluice::interp
