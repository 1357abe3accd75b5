#include "compiler/emit/objects.h"

#include <algorithm>

namespace sluice::emit {
namespace {

std::vector<std::pair<std::string, std::string>> forms_of(const Context& c, const Apart& of) {
  auto forms = of.forms;
  if (forms.empty())
    for (const bool decodes : c.kernels) forms.emplace_back(fmt::format("{}_{}", decodes ? "decode" : "count", of.name), decodes ? "true" : "false");
  return forms;
}

}  // namespace

void write_elsewhere(Writer& w, const Context& c, std::span<const Apart> functions) {
  if (functions.empty() || functions[0].object == 1) return;
  w.line("#if SLUICE_ELSEWHERE({})", functions[0].object);
  for (const Apart& of : functions)
    for (const auto& [linked, form] : forms_of(c, of)) {
      w.line("SLUICE_LINKED {} {}({});", of.result, linked, of.parameters);
      w.line("template <> SLUICE_METHOD {} {}<{}>({}) {{ return {}({}); }}", of.result, of.name, form, of.parameters, linked, of.arguments);
    }
  w.line("#endif");
}

void write_linked(Writer& w, const Context& c, std::span<const Apart> functions) {
  if (functions.empty() || functions[0].object == 1) return;
  w.line("#if SLUICE_OBJECT == {}", functions[0].object);
  for (const Apart& of : functions)
    for (const auto& [linked, form] : forms_of(c, of))
      w.line("SLUICE_LINKED {} {}({}) {{ return {}<{}>({}); }}", of.result, linked, of.parameters, of.name, form, of.arguments);
  w.line("#endif");
}

plan::Objects::Engine engine_of(const Context& c, const plan::Plan& plan, const plan::Loop& loop) {
  const auto number = static_cast<std::uint32_t>(&loop - plan.loops.data());
  const auto found = std::ranges::find(c.objects.engines, number, &plan::Objects::Engine::loop);
  return found == c.objects.engines.end() ? plan::Objects::Engine{number, 1, 0} : *found;
}

void open_namespace(Writer& w, const Context& c) {
  if (c.objects.count == 1) return w.line("namespace {");
  w.line("// One of {} objects, or the whole: note [objects] of compiler/emit/objects.h.", c.objects.count);
  w.line("#if defined(SLUICE_OBJECT)");
  w.line("#define SLUICE_ELSEWHERE(object) (SLUICE_OBJECT != (object))");
  w.line("#define SLUICE_LINKED {}", c.dialect.function);
  w.line("#if SLUICE_OBJECT != 1");
  w.line("#define SLUICE_ROOM extern {}", c.dialect.room);
  w.line("#endif");
  w.line("namespace sluice_objects {}");
  w.line("using namespace sluice_objects;");
  w.line("#define SLUICE_NAMESPACE sluice_objects");
  w.line("#else");
  w.line("#define SLUICE_ELSEWHERE(object) 0");
  w.line("#define SLUICE_NAMESPACE");
  w.line("#endif");
  w.line("namespace SLUICE_NAMESPACE {");
}

}  // namespace sluice::emit
