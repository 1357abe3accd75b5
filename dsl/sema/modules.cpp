// `use` lines and compile-time parameters: one instance, with state of its own, for each use of a module.
//
//   gzip uses deflate     instances: "" (gzip), "deflate." (deflate); rules main, member, deflate.main, deflate.body
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

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

bool is_text_number(const std::string& text, i128* value) {
  const bool negative = !text.empty() && text[0] == '-';
  const bool hex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
  const char* first = text.data() + (negative ? 1 : hex ? 2 : 0);
  const char* last = text.data() + text.size();
  std::uint64_t magnitude = 0;
  const auto [end, failed] = std::from_chars(first, last, magnitude, hex ? 16 : 10);
  if (failed != std::errc() || end != last || first == last) return false;
  *value = negative ? -static_cast<i128>(magnitude) : static_cast<i128>(magnitude);
  return true;
}

// Value of one parameter from text given by the caller, or from its default; nothing after an error.
bool bind(Context& context, Instance& instance, const ast::Param& p, const std::string* given, Symbol& symbol) {
  const std::string& kind = p.type_name.text;
  const auto bad = [&](std::string_view wanted) {
    context.sink.error(Code::BadParam, p.name.span,
                       fmt::format("parameter `{}` is {}, but was given `{}`", p.name.text, wanted, *given));
    return false;
  };
  if (given == nullptr && !p.initial) {
    context.sink.error(Code::ParamNeedsValue, p.name.span, fmt::format("parameter `{}` has no value", p.name.text))
        .help(
            instance.is_top
                ? fmt::format("give it one (`--set {0}=VALUE`), or a default: `{0}: {1} = VALUE`", p.name.text, kind)
                : fmt::format("a module's parameters keep their defaults: write `{}: {} = VALUE`", p.name.text, kind));
    return false;
  }
  if (kind == "integer") {
    symbol.kind = Symbol::Kind::Type;
    if (given != nullptr) {
      std::uint64_t width = 0;
      const auto spelled = spell_type(*given, &width);
      if (!spelled || spelled->has_order || width < 2 || width > 64) return bad("an integer type such as i64");
      symbol.type = spelled->type;
      return true;
    }
    if (p.initial->kind != ast::Expr::Kind::Ref) {
      if (p.initial->kind != ast::Expr::Kind::Error)
        context.sink.error(Code::BadParam, p.initial->span, "the default of an `integer` parameter is a type")
            .help("write `i64`, for example");
      return false;
    }
    const auto type = scalar_type(context, instance, p.initial->name);
    symbol.type = type.value_or(model::kI64);
    return type.has_value();
  }
  symbol.kind = Symbol::Kind::Const;
  const auto type = scalar_type(context, instance, p.type_name);
  if (!type) return false;
  symbol.type = *type;
  if (given == nullptr) {
    const auto value = Body(context, instance, nullptr).constant(p.initial.get(), "a default");
    if (!value) return false;
    symbol.value = *value;
    if (model::within({*value, *value}, model::range_of(*type))) return true;
    context.sink.error(Code::BadParam, p.initial->span, fmt::format("the default does not fit `{}`", kind));
    return false;
  }
  if (kind == "bool") {
    if (*given != "true" && *given != "false") return bad("true or false");
    symbol.value = *given == "true" ? 1 : 0;
    return true;
  }
  if (!is_text_number(*given, &symbol.value) || !model::within({symbol.value, symbol.value}, model::range_of(*type)))
    return bad(fmt::format("a number that fits `{}`", kind));
  return true;
}

}  // namespace

void bind_params(Context& context, Instance& instance, const Params* params) {
  for (const ast::Param& p : instance.file->params) {
    const std::string* given = nullptr;
    if (params != nullptr)
      for (const Param& g : *params)
        if (g.name == p.name.text) given = &g.value;
    Symbol symbol;
    symbol.name = p.name.text;
    symbol.span = p.name.span;
    symbol.is_param = true;
    if (!bind(context, instance, p, given, symbol)) {  // declared all the same: no errors about its uses
      symbol.kind = p.type_name.text == "integer" ? Symbol::Kind::Type : Symbol::Kind::Const;
      symbol.type = p.type_name.text == "bool" ? model::kBool : model::kI64;
      symbol.value = 0;
    }
    add_symbol(context, instance, std::move(symbol));
  }
  if (params == nullptr) return;
  for (const Param& g : *params) {
    const auto same = [&](const ast::Param& p) { return p.name.text == g.name; };
    if (std::any_of(instance.file->params.begin(), instance.file->params.end(), same)) continue;
    auto report =
        context.sink.error(Code::UnknownParam, instance.file->format.span,
                           fmt::format("format `{}` has no parameter `{}`", instance.file->format.text, g.name));
    std::vector<std::string> names;
    for (const ast::Param& p : instance.file->params) names.push_back(p.name.text);
    report.help(names.empty() ? "it has no parameters at all"
                              : fmt::format("its parameters are: {}", fmt::join(names, ", ")));
  }
}

Instance* instantiate(Context& context, const ast::File& file, std::string name, std::string prefix,
                      const Params* params, std::vector<std::string>& path) {
  context.instances.push_back(std::make_unique<Instance>());
  Instance& instance = *context.instances.back();
  instance.file = &file;
  instance.prefix = std::move(prefix);
  instance.is_top = path.empty();
  path.push_back(std::move(name));
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
      used = instantiate(context, *module, use.name.text, instance.prefix + use.name.text + ".", nullptr, path);
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
  bind_params(context, instance, params);
  declare(context, instance);
  for (std::size_t i = 0; i < instance.modules.size(); ++i)
    if (instance.modules[i] != nullptr) check_agreement(context, instance, *instance.modules[i], file.uses[i]);
  return &instance;
}

}  // namespace sluice::sema
