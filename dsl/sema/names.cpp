// Symbols of a format: adding, missing, unused.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/sema/context.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

std::string_view kind_name(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::Type:
      return "a type parameter";
    case Symbol::Kind::Const:
      return "a constant";
    case Symbol::Kind::Argument:
      return "an argument";
    case Symbol::Kind::Table:
      return "a table";
    case Symbol::Kind::Ranges:
      return "a list of ranges";
    case Symbol::Kind::Array:
      return "an array";
    case Symbol::Kind::Global:
      return "a variable of the format";
    case Symbol::Kind::Code:
      return "a prefix code";
    case Symbol::Kind::State:
      return "a state code";
    case Symbol::Kind::Rule:
      return "a rule";
    case Symbol::Kind::Local:
      return "a value";
    case Symbol::Kind::Module:
      return "a module";
    case Symbol::Kind::Buffer:
      return "a buffer";
    case Symbol::Kind::Output:
      return "an output";
    case Symbol::Kind::Symbols:
      return "a list of symbols";
  }
  return "a name";
}

Symbol* find_declared(Instance& instance, std::string_view name) {
  const std::size_t dot = name.find('.');
  const auto found = instance.names.find(std::string(name.substr(0, dot)));
  if (found == instance.names.end()) return nullptr;
  if (dot == std::string_view::npos) return &found->second;
  if (found->second.kind != Symbol::Kind::Module) return nullptr;
  found->second.used = true;
  Instance* module = instance.modules[found->second.id];
  Symbol* member = module == nullptr ? nullptr : find_declared(*module, name.substr(dot + 1));
  return member == nullptr || member->kind == Symbol::Kind::Module ? nullptr : member;
}

Symbol* add_symbol(Context& context, Instance& instance, Symbol symbol) {
  if (symbol.name.empty()) return nullptr;
  std::uint64_t width = 0;
  if (spell_type(symbol.name, &width)) {
    context.sink.error(Code::NameIsType, symbol.span, fmt::format("`{}` is the name of a type", symbol.name))
        .help("choose another name");
    return nullptr;
  }
  const auto [place, added] = instance.names.emplace(symbol.name, symbol);
  if (!added) {
    DiagBuilder report = context.sink.error(Code::Duplicate, symbol.span,
                                            fmt::format("`{}` is already {}", symbol.name, kind_name(place->second.kind)));
    report.note(place->second.span, "first declared here");
    if (symbol.kind == Symbol::Kind::Module && place->second.kind == Symbol::Kind::Module)
      report.help("a format uses a module of one name once, with one set of values for its parameters");
    return nullptr;
  }
  return &place->second;
}

void warn_unused_in_blocks(Context& context) {
  for (const ast::Name& name : context.unused)
    if (!context.missed.contains(name.text))
      context.sink.warning(Code::Unused, name.span, fmt::format("`{}` is never used", name.text))
          .help("remove it, or start its name with `_`");
}

void warn_unused(Context& context, const Instance& top) {
  std::vector<const Symbol*> unused;
  for (const auto& [name, symbol] : top.names)
    if (!symbol.used && name[0] != '_') unused.push_back(&symbol);
  std::sort(unused.begin(), unused.end(),
            [](const Symbol* a, const Symbol* b) { return a->span.offset < b->span.offset; });
  for (const Symbol* s : unused) {
    if (s->kind == Symbol::Kind::Module)
      context.sink.warning(Code::UnusedModule, s->span, fmt::format("module `{}` is never used", s->name))
          .help("remove the `use` line");
    else
      context.sink.warning(Code::Unused, s->span, fmt::format("`{}` is never used", s->name))
          .help("remove it, or start its name with `_`");
  }
}

}  // namespace sluice::sema
