// A name that is not declared where it is used. It may well be made elsewhere, out of sight:
//
//   count: u32be                  rule body                      when wide
//   var left: u32 = count           emit count                     length: u16be
//        a constant is needed            rules don't see main    emit length     made in a block that is over
#include <fmt/format.h>

#include <algorithm>

#include "dsl/sema/context.h"
#include "dsl/sema/types.h"
#include "dsl/syntax/foreign.h"

namespace sluice::sema {
namespace {

using AstKind = ast::Stmt::Kind;

// Places shown for one name: more say nothing new.
constexpr std::size_t kMaxShown = 2;

struct Made {
  Span span;
  std::string type;  // a value of this type holds it
};

// The type of a variable for what is read as `type`: without its byte order; `u32` for what is not spelled as a type.
std::string holder(std::string_view type) {
  if (type.ends_with("le") || type.ends_with("be")) type.remove_suffix(2);
  std::uint64_t width = 0;
  return spell_type(type, &width) && width >= 1 && width <= 64 ? std::string(type) : "u32";
}

void made_in(const ast::Block& block, const std::string& name, std::vector<Made>& out) {
  for (const auto& s : block) {
    const bool makes =
        s->kind == AstKind::Read || s->kind == AstKind::Let || s->kind == AstKind::Var || s->kind == AstKind::For;
    if (makes && s->name.text == name)
      out.push_back({s->name.span, holder(s->kind == AstKind::Var ? s->type_name.text : s->read.name.text)});
    made_in(s->body, name, out);
    for (const ast::Arm& arm : s->arms) made_in(arm.body, name, out);
  }
}

void show(DiagBuilder& report, const std::vector<Made>& made, std::string_view note) {
  for (std::size_t i = 0; i < made.size() && i < kMaxShown; ++i) report.note(made[i].span, std::string(note));
}

// Made in the same rule, but in a block that is over, or further down.
bool made_beside(DiagBuilder& report, const ast::Block& body, const ast::Name& name) {
  std::vector<Made> before, after;
  made_in(body, name.text, before);
  while (!before.empty() && before.back().span.offset > name.span.offset) {
    after.insert(after.begin(), before.back());
    before.pop_back();
  }
  if (!before.empty()) {
    show(report, before, "made here, and gone at the end of this block");
    report.help(fmt::format("declare it before the block, `var {0}: {1} = 0`, and assign it there: `{0} := VALUE`",
                            name.text, before.front().type));
    return true;
  }
  if (after.empty()) return false;
  show(report, after, "made here, further down");
  report.help("a name is made before it is used");
  return true;
}

// The variable of the format whose initial value holds the name.
std::string variable_around(const ast::File& file, const ast::Name& name) {
  for (const ast::Decl& d : file.decls)
    if (d.kind == ast::Decl::Kind::Var && d.span.offset <= name.span.offset &&
        name.span.offset < d.span.offset + d.span.length)
      return d.name.text;
  return "NAME";
}

bool made_in_main(DiagBuilder& report, const ast::File& file, const Place& place, const ast::Name& name) {
  std::vector<Made> made;
  made_in(file.body, name.text, made);
  if (made.empty()) return false;
  if (!place.constant.empty()) {
    show(report, made, "made here while a chunk is decoded");
    report.help(place.constant == "the initial value"
                    ? fmt::format("a `var` of the format starts as a constant: write `= 0`, and below the field "
                                  "`{} := {}`; or declare it in a rule",
                                  variable_around(file, name), name.text)
                    : fmt::format("{} is known when the format is compiled: a number, a `const`, or a parameter of "
                                  "the format",
                                  place.constant));
    return true;
  }
  show(report, made, "made here, among the format's own statements");
  report.help(
      fmt::format("rules see the format's `var`, `array`, `const` and `table`, and their parameters: pass it, `rule "
                  "{}({}: {})`",
                  place.rule->name.text, name.text, made.front().type));
  return true;
}

bool made_in_a_rule(DiagBuilder& report, const ast::File& file, const Place& place, const ast::Name& name) {
  for (const ast::Decl& d : file.decls) {
    if (d.kind != ast::Decl::Kind::Rule || &d == place.rule) continue;
    std::vector<Made> made;
    made_in(d.body, name.text, made);
    for (const ast::Param& p : d.params)
      if (p.name.text == name.text) made.push_back({p.name.span, holder(p.type_name.text)});
    if (made.empty()) continue;
    show(report, made, fmt::format("this one belongs to rule `{}`", d.name.text));
    report.help(fmt::format("a rule hands a value on as its result: `rule {}(...) -> {}`, with `return {}` at its end",
                            d.name.text, made.front().type, name.text));
    return true;
  }
  return false;
}

// A `use` line stands above all declarations.
bool declared_below_use(DiagBuilder& report, const ast::File& file, const Place& place, const ast::Name& name) {
  if (place.constant != kSetValue) return false;
  const auto found = std::ranges::find(file.decls, name.text, [](const ast::Decl& d) { return d.name.text; });
  if (found == file.decls.end()) return false;
  report.note(found->name.span, "declared here, below")
      .help("a `use` line sees numbers and the format's parameters: write the number, or make it a parameter");
  return true;
}

// In a place for `what`: a type where a value is wanted, or another language's word.
bool other_word(DiagBuilder& report, const ast::Name& name, std::string_view what) {
  std::uint64_t width = 0;
  if (what == "name" && spell_type(name.text, &width)) {
    report.help(fmt::format("`{0}` is a type: read into a name first, `x: {0}`, then use `x`", name.text));
    return true;
  }
  const auto found = ast::find_foreign(what == "type"   ? ast::Place::Type
                                       : what == "rule" ? ast::Place::Line
                                                        : ast::Place::Value,
                                       name.text);
  if (found)
    report.help(found->help);
  else if (what == "type")
    report.help(
        "types are `u8`, `i16le`, `u32be`, ..., `uint(n)`, `varint(u32)`, and prefix codes, ranges and rules by name");
  return found.has_value();
}

// MODULE.NAME: there is no such module, or nothing of that name in it, or in the place of the module stands something else.
void report_member(Context& context, Instance& instance, const ast::Name& name, std::size_t dot, std::string_view what) {
  const std::string module = name.text.substr(0, dot), member = name.text.substr(dot + 1);
  const auto length = [](std::string_view text) { return static_cast<std::uint32_t>(text.size()); };
  const Span left{name.span.file, name.span.offset, length(module)};
  const Span right{name.span.file, name.span.offset + name.span.length - length(member), length(member)};
  const auto found = instance.names.find(module);
  if (found == instance.names.end()) {
    context.sink.error(Code::UndefinedModule, left, fmt::format("no module `{}` is used here", module))
        .help(what == "rule" || what == "type"
                  ? fmt::format("write `use {}` above the format", module)
                  : fmt::format("a module is named above the format, `use {}`; a value has no parts", module));
    return;
  }
  if (found->second.kind != Symbol::Kind::Module) {
    context.sink
        .error(Code::UndefinedModule, left,
               fmt::format("`{}` is {}, not a module: it has no parts", module, kind_name(found->second.kind)))
        .note(found->second.span, "declared here");
    return;
  }
  const Instance* used = instance.modules[found->second.id];
  if (used == nullptr) return;  // could not be loaded
  const auto inner = used->names.find(member);
  DiagBuilder report = context.sink.error(
      Code::UnknownMember, right,
      inner != used->names.end() ? fmt::format("`{}` is a module that `{}` uses", member, module)
                                 : fmt::format("`{}` has no {} `{}`", module, what == "type" ? "name" : what, member));
  if (inner != used->names.end()) {
    report.help(fmt::format("name it above the format: `use {0}`, then `{1}.NAME`", name.text, member));
    return;
  }
  std::vector<std::string> candidates;
  for (const auto& [text, symbol] : used->names)
    if (symbol.kind != Symbol::Kind::Module && (what != "rule" || symbol.kind == Symbol::Kind::Rule)) candidates.push_back(text);
  if (const auto close = did_you_mean(member, std::span<const std::string>(candidates)))
    report.help(fmt::format("did you mean `{}.{}`?", module, *close));
}

}  // namespace

void report_undefined(Context& context, Instance& instance, const Place& place, const ast::Name& name,
                      std::string_view what, const std::vector<std::string>& more_candidates) {
  if (name.text.empty()) return;
  if (const std::size_t dot = name.text.find('.'); dot != std::string::npos) return report_member(context, instance, name, dot, what);
  context.missed.insert(name.text);
  const ast::File& file = *instance.file;
  DiagBuilder report =
      context.sink.error(Code::Undefined, name.span, fmt::format("there is no {} `{}` here", what, name.text));
  const bool value = what == "name" || what == "variable";
  if (declared_below_use(report, file, place, name)) return;
  if (value && place.constant.empty()) {
    if (made_beside(report, place.rule != nullptr ? place.rule->body : file.body, name)) return;
    if (place.rule != nullptr && made_in_main(report, file, place, name)) return;
    if (made_in_a_rule(report, file, place, name)) return;
  } else if (value && made_in_main(report, file, place, name)) {
    return;
  }
  std::vector<std::string> candidates = more_candidates;
  for (const auto& [text, symbol] : instance.names) candidates.push_back(text);
  if (other_word(report, name, what)) return;
  if (const auto close = did_you_mean(name.text, std::span<const std::string>(candidates)))
    report.help(fmt::format("did you mean `{}`?", *close));
}

}  // namespace sluice::sema
