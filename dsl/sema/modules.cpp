// `use` lines: one instance, with state of its own, for each use of a module.
//
//   gzip uses deflate     instances: "" (gzip), "deflate." (deflate); rules main, member, deflate.main, deflate.body
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"
#include "dsl/syntax/parse.h"

namespace sluice::sema {
namespace {

const ast::File* load(Context& context, const ast::Use& use) {
  const auto known = context.files.find(use.name.text);
  if (known != context.files.end()) return known->second.get();
  const auto file = context.loader ? context.loader(use.name.text) : std::nullopt;
  if (!file) {
    context.sink
        .error(Code::ModuleNotFound, use.name.span, fmt::format("there is no format `{}` to use", use.name.text))
        .help(fmt::format("modules are found by name, as `{0}.sluice` beside the spec or on the search path",
                          use.name.text));
    return nullptr;
  }
  auto parsed = std::make_unique<ast::File>(ast::parse(context.sources, *file, context.sink));
  if (parsed->ok && parsed->format.text != use.name.text)
    context.sink
        .error(Code::FormatName, parsed->format.span,
               fmt::format("`{}` is looked for here, but the format is named `{}`", use.name.text, parsed->format.text))
        .note(use.name.span, "used here")
        .help(fmt::format("a file holds the format of its name: write `format {}`", use.name.text));
  return context.files.emplace(use.name.text, std::move(parsed)).first->second.get();
}

std::string input_text(model::Input input) {
  return input == model::Input::Bytes ? "bytes" : input == model::Input::BitsLsb ? "bits lsb" : "bits msb";
}

// `use A.B`: the module B that A uses, one and the same, with its state. Null: there is none, and that is reported.
Instance* shared(Context& context, Instance& instance, const ast::Use& use) {
  const auto of = instance.names.find(use.of.text);
  if (of == instance.names.end()) {
    context.sink.error(Code::UndefinedModule, use.of.span, fmt::format("no module `{}` is used here", use.of.text))
        .help(fmt::format("write `use {}` above this line", use.of.text));
    return nullptr;
  }
  if (!use.settings.empty())
    context.sink
        .error(Code::SharedParams, use.settings.front().name.span,
               fmt::format("`{}` is shared with `{}`, which sets its parameters", use.name.text, use.of.text))
        .help(fmt::format("`use {0}.{1}` alone shares it; a value of this format's goes through a parameter of `{0}`", use.of.text,
                          use.name.text));
  Instance* user = instance.modules[of->second.id];
  if (user == nullptr) return nullptr;  // could not be loaded
  of->second.used = true;
  const auto found = user->names.find(use.name.text);
  if (found != user->names.end() && found->second.kind == Symbol::Kind::Module) return user->modules[found->second.id];
  context.sink
      .error(Code::UnknownMember, use.name.span, fmt::format("`{}` uses no module `{}`", use.of.text, use.name.text))
      .help(fmt::format("a module of this format's own is `use {}`", use.name.text));
  return nullptr;
}

// Both work on the same input, output and window, so they must agree on what these are.
void check_agreement(Context& context, const Instance& user, const Instance& used, const ast::Use& use) {
  // Whole bytes are read from a stream of bits, too.
  const bool whole_bytes = used.input == model::Input::Bytes;
  if (user.has_input && used.has_input && user.input != used.input && !whole_bytes) {
    context.sink
        .error(Code::ModuleInput, use.name.span,
               fmt::format("`{}` reads `{}`, this format reads `{}`", use.name.text, input_text(used.input),
                           input_text(user.input)))
        .help(fmt::format("declare `input {}` here too", input_text(used.input)));
  }
  if (!user.has_output || !used.has_output) return;
  if (user.output != used.output) {
    context.sink.error(Code::ModuleOutput, use.name.span,
                       fmt::format("`{}` makes elements of `{}`, this format of `{}`", use.name.text,
                                   type_text(used.output), type_text(user.output)));
  } else if (user.window != used.window && user.window != 0) {  // without one, copies of a module are judged one by one
    const auto text = [](std::uint64_t w) { return w == 0 ? std::string("no window") : fmt::format("window {}", w); };
    context.sink
        .error(Code::ModuleWindow, use.name.span,
               fmt::format("`{}` is declared with {}, this format with {}", use.name.text, text(used.window),
                           text(user.window)))
        .help("copies of both reach into the same output: declare the same window");
  }
}

}  // namespace

Instance* instantiate(Context& context, const ast::File& file, std::string name, std::string prefix, const Given& given,
                      std::vector<std::string>& path) {
  context.instances.push_back(std::make_unique<Instance>());
  Instance& instance = *context.instances.back();
  instance.file = &file;
  instance.prefix = std::move(prefix);
  instance.is_top = path.empty();
  instance.given = given;
  path.push_back(std::move(name));
  bind_params(context, instance);  // before the modules: their parameters may be given what these are
  for (const ast::Use& use : file.uses) {
    Instance* used = nullptr;
    if (!use.of.text.empty()) {
      used = shared(context, instance, use);
    } else if (std::find(path.begin(), path.end(), use.name.text) != path.end()) {
      context.sink
          .error(Code::ModuleCycle, use.name.span,
                 fmt::format("formats use each other in a circle: {} -> {}", fmt::join(path, " -> "), use.name.text))
          .help("move what they share to a third format");
    } else if (context.instances.size() >= kMaxInstances) {
      if (!context.too_many_modules)
        context.sink
            .error(Code::FormatTooLarge, use.name.span,
                   fmt::format("more than {} modules, each with state of its own", kMaxInstances))
            .help("a module used by two others counts twice");
      context.too_many_modules = true;
    } else if (const ast::File* module = load(context, use)) {
      used = instantiate(context, *module, use.name.text, instance.prefix + use.name.text + ".", Given{nullptr, &use, &instance}, path);
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::Module;
    symbol.name = use.name.text;
    symbol.span = use.name.span;
    symbol.id = static_cast<std::uint32_t>(instance.modules.size());
    add_symbol(context, instance, std::move(symbol));
    instance.modules.push_back(used);
  }
  path.pop_back();
  const std::size_t reported = context.sink.diagnostics().size();
  declare(context, instance);
  note_settings(context, instance, reported);
  for (std::size_t i = 0; i < instance.modules.size(); ++i)
    if (instance.modules[i] != nullptr) check_agreement(context, instance, *instance.modules[i], file.uses[i]);
  return &instance;
}

}  // namespace sluice::sema
