// Compile-time parameters: each is a symbol of its instance, a type or a constant, with the value that somebody gave it.
//
//   format column(T: integer = i64, strict: bool = true)
//     --set T=u16             T: u16, from text; strict: true, its default
//     use column(T = u16)     the same, from an expression of the format that uses it, which sees that format's parameters
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {
namespace {

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

// What a parameter takes, for messages; `type` of one that is not `integer`.
std::string wanted(const ast::Param& p, Type type) {
  const std::string& kind = p.type_name.text;
  return kind == "integer" ? "an integer type such as i64" : kind == "bool" ? "true or false" : fmt::format("a number that fits `{}`", type_text(type));
}

// One parameter of an instance, while its value is looked for.
class Binder {
 public:
  Binder(Context& context, Instance& instance, const ast::Param& param, Symbol& symbol)
      : context_(context), instance_(instance), param_(param), symbol_(symbol), is_type_(param.type_name.text == "integer") {}

  // False after an error.
  bool run() {
    symbol_.kind = is_type_ ? Symbol::Kind::Type : Symbol::Kind::Const;
    if (!is_type_) {
      const auto type = scalar_type(context_, instance_, param_.type_name);
      if (!type) return false;
      symbol_.type = *type;
    }
    if (instance_.given.text != nullptr)
      for (const Param& g : *instance_.given.text)
        if (g.name == param_.name.text) return from_text(g.value);
    if (instance_.given.use != nullptr)
      for (const ast::Setting& s : instance_.given.use->settings)
        if (s.name.text == param_.name.text) return from_expression(*instance_.given.user, *s.value, true);
    if (param_.initial) return from_expression(instance_, *param_.initial, false);
    missing();
    return false;
  }

 private:
  void missing() {
    const ast::Use* use = instance_.given.use;
    if (use == nullptr) {
      context_.sink.error(Code::ParamNeedsValue, param_.name.span, fmt::format("parameter `{}` has no value", param_.name.text))
          .help(fmt::format("give it one (`--set {0}=VALUE`), or a default: `{0}: {1} = VALUE`", param_.name.text, param_.type_name.text));
      return;
    }
    context_.sink
        .error(Code::ParamNeedsValue, use->name.span, fmt::format("parameter `{}` of `{}` has no value", param_.name.text, use->name.text))
        .note(param_.name.span, "declared here, without a default")
        .help(fmt::format("give it one: `use {}({} = VALUE)`", use->name.text, param_.name.text));
  }

  bool from_text(const std::string& given) {
    if (is_type_) {
      std::uint64_t width = 0;
      const auto spelled = spell_type(given, &width);
      if (!spelled || spelled->has_order || width < 2 || width > 64) return bad_text(given);
      symbol_.type = spelled->type;
      return true;
    }
    if (param_.type_name.text == "bool") {
      if (given != "true" && given != "false") return bad_text(given);
      symbol_.value = given == "true" ? 1 : 0;
      return true;
    }
    return (is_text_number(given, &symbol_.value) && fits(symbol_.value)) || bad_text(given);
  }

  bool bad_text(const std::string& given) {
    context_.sink.error(Code::BadParam, param_.name.span,
                        fmt::format("parameter `{}` is {}, but was given `{}`", param_.name.text, wanted(param_, symbol_.type), given));
    return false;
  }

  bool fits(i128 value) const { return model::within({value, value}, model::range_of(symbol_.type)); }

  // A default, which sees the parameters before it; or, `set`, what a user says, which sees that user's parameters.
  bool from_expression(Instance& scope, const ast::Expr& e, bool set) {
    if (e.kind == ast::Expr::Kind::Error) return false;
    if (is_type_) {
      if (e.kind != ast::Expr::Kind::Ref) return bad_expression(e, set);
      const auto type = scalar_type(context_, scope, e.name);
      symbol_.type = type.value_or(model::kI64);
      return type.has_value();
    }
    if (set && names_a_type(scope, e)) return bad_expression(e, set);
    const auto known = Body(context_, scope, nullptr).known(&e, set ? kSetValue : "a default");
    if (!known) return false;
    symbol_.value = known->value;
    const bool no_truth_value = set && param_.type_name.text == "bool" && known->type != model::kBool;
    return (!no_truth_value && fits(known->value)) || bad_expression(e, set, number_text(known->value));
  }

  static bool names_a_type(Instance& scope, const ast::Expr& e) {
    if (e.kind != ast::Expr::Kind::Ref) return false;
    std::uint64_t width = 0;
    const Symbol* found = find_declared(scope, e.name.text);
    return found != nullptr ? found->kind == Symbol::Kind::Type : spell_type(e.name.text, &width).has_value();
  }

  // `value`: of an expression that is a number, which its text may not show.
  bool bad_expression(const ast::Expr& e, bool set, const std::string& value = "") {
    if (set) {
      const std::string text = context_.text(e.span);
      const std::string given = value.empty() || value == text ? fmt::format("`{}`", text) : fmt::format("`{}`, which is {}", text, value);
      context_.sink
          .error(Code::BadParam, e.span,
                 fmt::format("parameter `{}` of `{}` is {}, but is given {}", param_.name.text, instance_.file->format.text,
                             wanted(param_, symbol_.type), given))
          .note(param_.name.span, "declared here");
    } else if (is_type_) {
      context_.sink.error(Code::BadParam, e.span, "the default of an `integer` parameter is a type").help("write `i64`, for example");
    } else {
      context_.sink.error(Code::BadParam, e.span, fmt::format("the default does not fit `{}`", param_.type_name.text));
    }
    return false;
  }

  Context& context_;
  Instance& instance_;
  const ast::Param& param_;
  Symbol& symbol_;
  bool is_type_;
};

// Values for parameters that the format has not, and a second value for one.
void check_settings(Context& context, const Instance& instance) {
  const ast::File& file = *instance.file;
  const auto check = [&](const std::string& name, Span span) {
    if (std::ranges::any_of(file.params, [&](const ast::Param& p) { return p.name.text == name; })) return;
    std::vector<std::string> names;
    for (const ast::Param& p : file.params) names.push_back(p.name.text);
    context.sink.error(Code::UnknownParam, span, fmt::format("format `{}` has no parameter `{}`", file.format.text, name))
        .help(names.empty() ? "it has no parameters at all" : fmt::format("its parameters are: {}", fmt::join(names, ", ")));
  };
  if (instance.given.text != nullptr)
    for (const Param& g : *instance.given.text) check(g.name, file.format.span);
  if (instance.given.use == nullptr) return;
  const std::vector<ast::Setting>& settings = instance.given.use->settings;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const ast::Name& name = settings[i].name;
    const auto first = std::ranges::find(settings, name.text, [](const ast::Setting& s) { return s.name.text; });
    if (first == settings.begin() + static_cast<std::ptrdiff_t>(i)) {
      check(name.text, name.span);
      continue;
    }
    context.sink.error(Code::ParamTwice, name.span, fmt::format("parameter `{}` is set twice", name.text))
        .note(first->name.span, "the first value is here");
  }
}

}  // namespace

void bind_params(Context& context, Instance& instance) {
  for (const ast::Param& p : instance.file->params) {
    Symbol symbol;
    symbol.name = p.name.text;
    symbol.span = p.name.span;
    symbol.is_param = true;
    if (!Binder(context, instance, p, symbol).run()) {  // declared all the same: no errors about its uses
      symbol.kind = p.type_name.text == "integer" ? Symbol::Kind::Type : Symbol::Kind::Const;
      symbol.type = p.type_name.text == "bool" ? model::kBool : model::kI64;
      symbol.value = 1;  // no size of 0 either
    }
    add_symbol(context, instance, std::move(symbol));
  }
  check_settings(context, instance);
}

void note_settings(Context& context, const Instance& instance, std::size_t first) {
  for (const Instance* at = &instance; at->given.use != nullptr; at = at->given.user)
    if (!at->given.use->settings.empty()) context.sink.note_from(first, at->given.use->span, "with the parameters that are set here");
}

}  // namespace sluice::sema
