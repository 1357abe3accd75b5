#include "runtime/api/decoder_base.h"

#include <fmt/format.h>

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
  for (const ir::Output& o : module().outputs) further.push_back({o.name, o.type.bits / 8u, o.type.is_signed});
  has_dictionary = module().has_dictionary;
  countable = ir::count_plan(module()).countable;
  arguments = declared_arguments(module());
  return std::nullopt;
}

void DecoderBase::describe(artifact::Format format) {
  name = format.name;
  element_bytes = format.element_bits / 8;
  element_signed = format.element_signed;
  for (const artifact::Output& o : format.outputs) further.push_back({o.name, o.element_bits / 8, o.element_signed});
  has_dictionary = format.has_dictionary;
  countable = format.countable;
  for (const artifact::Argument& a : format.arguments) arguments.push_back({a.name, a.initial, a.bits, a.is_signed});
  built = std::move(format);
}

CallError DecoderBase::rooms(std::span<const Chunk> chunks) const {
  for (std::size_t i = 0; i < chunks.size() && !further.empty(); ++i)
    if (chunks[i].further.size() != further.size())
      return CallError::bad_argument(fmt::format("{} has {} output{} beside its own, and chunk {} gives room for {}", name, further.size(),
                                                 further.size() == 1 ? "" : "s", i, chunks[i].further.size()));
  return {};
}

std::vector<std::uint64_t> DecoderBase::all_element_bytes() const {
  std::vector<std::uint64_t> bytes{element_bytes};
  for (const FurtherOutput& o : further) bytes.push_back(o.element_bytes);
  return bytes;
}

double since(std::chrono::steady_clock::time_point& start) {
  const auto now = std::chrono::steady_clock::now();
  const double ms = std::chrono::duration<double, std::milli>(now - start).count();
  start = now;
  return ms;
}

}  // namespace sluice
