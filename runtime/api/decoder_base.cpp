#include "runtime/api/decoder_base.h"

#include "compiler/ir/count_mode.h"
#include "dsl/diag/render.h"
#include "runtime/api/arguments.h"

namespace sluice {

std::optional<Error> DecoderBase::describe(const driver::Request& request, bool colour) {
  compiled.emplace(driver::compile_spec(request));
  if (!compiled->ok()) return error_of(*compiled, colour);
  warnings = render_all(compiled->sources, compiled->diags.diagnostics(), colour);
  name = module().name;
  element_bytes = module().output.bits / 8u;
  element_signed = module().output.is_signed;
  has_dictionary = module().has_dictionary;
  countable = ir::count_plan(module()).countable;
  arguments = declared_arguments(module());
  return std::nullopt;
}

void DecoderBase::describe(artifact::Format format) {
  name = format.name;
  element_bytes = format.element_bits / 8;
  element_signed = format.element_signed;
  has_dictionary = format.has_dictionary;
  countable = format.countable;
  for (const artifact::Argument& a : format.arguments) arguments.push_back({a.name, a.initial, a.bits, a.is_signed});
  built = std::move(format);
}

double since(std::chrono::steady_clock::time_point& start) {
  const auto now = std::chrono::steady_clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return ms;
}

}  // namespace sluice
