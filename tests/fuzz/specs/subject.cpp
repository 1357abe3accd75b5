#include "tests/fuzz/specs/subject.h"

#include <fmt/format.h>

#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "compiler/ir/printer.h"
#include "compiler/schedule/directives.h"
#include "tests/fuzz/specs/facts.h"
#include "tests/fuzz/specs/mend.h"
#include "tests/fuzz/specs/schedules.h"

namespace sluice::fuzz {
namespace {

std::string first_lines(const std::string& text) {
  std::size_t end = 0;
  for (int i = 0; i < 6 && end != std::string::npos; ++i) end = text.find('\n', end == 0 ? 0 : end + 1);
  return text.substr(0, end);
}

Finding round_trip(const ir::Module& module, const char* what) {
  const std::string text = ir::print(module);
  std::string error;
  const auto again = ir::read(text, &error);
  if (!again) return {"ir reader", fmt::format("{}: the printed IR can't be read: {}", what, error)};
  if (ir::print(*again) != text) return {"ir reader", fmt::format("{}: the IR read back prints differently", what)};
  return {};
}

}  // namespace

std::optional<Subject> make_subject(Lines lines, driver::Compiled compiled, Finding& finding) {
  if (compiled.failure == driver::Failure::Internal) {
    finding = {"internal error", compiled.failure_text};
    return std::nullopt;
  }
  if (!compiled.ok()) {
    finding = {"refused", driver::failure_message(compiled, false)};
    return std::nullopt;
  }
  Subject subject{std::move(lines), std::move(compiled), {}};
  subject.passed = driver::compile_spec(request_of(subject.lines, true));
  if (!subject.passed.ok()) {
    finding = {"internal error", "with passes: " + driver::failure_message(subject.passed, false)};
    return std::nullopt;
  }
  finding = round_trip(subject.lowered(), "as lowered");
  if (!finding.any()) finding = round_trip(subject.module(), "after passes");
  if (finding.any()) return std::nullopt;
  return subject;
}

std::optional<Kernel> make_kernel(Subject& subject, Random random, std::string& schedule, Finding& finding) {
  const auto legal = legal_schedules(request_of(subject.lines, true), subject.passed);
  if (legal.empty()) {
    finding = {"schedule", "no default schedule"};
    return std::nullopt;
  }
  // Splits are legal for few, and have most of what can go wrong.
  schedule::Schedule chosen = random.pick(legal);
  if (chosen.strategy != schedule::Strategy::Split && random.percent(50)) chosen = random.pick(legal);
  schedule = schedule::to_text(chosen);
  Kernel kernel = compile_kernel(emit::emit_cuda(subject.module(), {chosen}));
  if (!kernel.code) {
    finding = {"kernel does not compile", fmt::format("schedule `{}`: {}", schedule, first_lines(kernel.problem))};
    return std::nullopt;
  }
  return kernel;
}

Finding check_all(const Lines& lines, const std::vector<Bytes>& inputs, Random random, bool simt, Effort effort) {
  Finding finding;
  auto subject = make_subject(lines, driver::compile_spec(request_of(lines, false)), finding);
  if (!subject) return finding;
  const Unit unit{emit::emit_cpu_body(subject->module(), {}), "sluice"};
  const Decoders made = compile_decoders({&unit, 1}, effort);
  if (!made.code) return {"decoder does not compile", first_lines(made.problem)};
  Checker checker;
  for (const Bytes& input : inputs)
    for (int i = 0; i < 4; ++i) {
      bool slow = false;
      finding = checker.cpu(subject->lowered(), made.decoders.front(), input, Random(random.next()), slow);
      if (finding.any()) return finding;
    }
  finding = check_facts(subject->module(), inputs, Random(random.next()));
  if (finding.any() || !simt) return finding;
  for (int i = 0; i < 6; ++i) {
    std::string schedule;
    auto kernel = make_kernel(*subject, Random(random.next()), schedule, finding);
    if (!kernel) return finding;
    finding = checker.simt(subject->lowered(), *kernel, inputs, Random(random.next()));
    if (finding.any()) {
      finding.detail = "schedule `" + schedule + "`, " + finding.detail;
      return finding;
    }
  }
  return {};
}

}  // namespace sluice::fuzz
