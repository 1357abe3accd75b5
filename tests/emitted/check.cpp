#include "tests/emitted/parse.h"
#include "tests/emitted/rules.h"

namespace sluice::emitted {

Report check(const Text& text) {
  Report report;
  check_lines(text, report);
  std::string errors;
  const auto unit = parse(text, errors);
  if (!unit) {
    report.add(0, "parse", errors);
    return report;
  }
  clang::ASTContext& context = unit->getASTContext();
  check_memory(context, report);
  check_loops(context, report);
  check_shadowing(context, report);
  check_widths(text, context, report);
  return report;
}

}  // namespace sluice::emitted
