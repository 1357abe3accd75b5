// Of which type the elements are that a rule outputs.
//
//   output bytes
//   output offsets: u32[]
//   rule step                        called inside `into offsets` first: its elements are u32
//     n: u16le
//     emit n
//   into offsets
//     repeat until end of input: step()
//   step()                           refused: here they would be bytes
//
// A rule's statements are checked against one element type: that of the place from which it is called first.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "dsl/sema/context.h"
#include "dsl/sema/types.h"
#include "dsl/sema/visit.h"

namespace sluice::sema {
namespace {

using Kind = model::Stmt::Kind;

// Goes through rules as they are called, before anything is known of them but their names.
class Placer {
 public:
  explicit Placer(Context& context) : context_(context) {}

  void rule(std::uint32_t id, Type element) {
    RuleHead& head = context_.rules[id];
    if (head.element) return;
    head.element = element;
    block(head.decl == nullptr ? head.owner->file->body : head.decl->body, *head.owner, element);
  }

 private:
  void call(const ast::Name& name, Instance& owner, Type element) {
    const Symbol* symbol = name.text.empty() ? nullptr : find_declared(owner, name.text);
    if (symbol == nullptr) return;
    if (symbol->kind == Symbol::Kind::Rule) rule(symbol->id, element);
    if (symbol->kind == Symbol::Kind::Module && owner.modules[symbol->id] != nullptr) rule(owner.modules[symbol->id]->main, element);
  }

  void block(const ast::Block& body, Instance& owner, Type element) {
    for (const auto& s : body) {
      if (s->kind == ast::Stmt::Kind::Call) call(s->name, owner, element);
      call(s->read.name, owner, element);
      for (const ast::Arm& arm : s->arms) block(arm.body, owner, element);
      if (s->kind != ast::Stmt::Kind::Into) {
        block(s->body, owner, element);
        continue;
      }
      const Symbol* to = s->name.text.empty() ? nullptr : find_declared(owner, s->name.text);
      const bool further = to != nullptr && to->kind == Symbol::Kind::Output;
      block(s->body, owner, further ? to->type : owner.output);
    }
  }

  Context& context_;
};

// Goes through them once more when all is known, each with every type that its callers' outputs have.
class Checker {
 public:
  Checker(const model::Format& format, DiagSink& sink) : format_(format), sink_(sink), first_(format.rules.size()) {}

  void run() { rule(0, format_.output, {}, {}); }

 private:
  // A rule whose elements are of another type, and a call of it from where they would have to be of this one.
  using Other = std::optional<std::pair<std::uint32_t, Span>>;

  // `into`: the statement by which the outputs go where they go; empty: the format's own output.
  void rule(std::uint32_t id, Type element, Span call, Span into) {
    if (!entered_.emplace(id, std::pair(element.bits, element.is_signed)).second) return;
    if (!first_[id]) first_[id] = call;
    const bool other = element != format_.rules[id].element;
    block(format_.rules[id].body, element, into, other ? Other(std::pair(id, call)) : std::nullopt);
  }

  void block(const model::Block& body, Type element, Span into, const Other& other) {
    for (const auto& s : body) statement(*s, element, into, other);
  }

  void statement(const model::Stmt& s, Type element, Span into, const Other& other) {
    bool makes = s.kind == Kind::Emit || s.kind == Kind::Literals || s.kind == Kind::Run || s.kind == Kind::Copy;
    for_own_exprs(s, [&](const model::Expr& e) {
      makes = makes || (e.op == model::Op::Checksum && e.stream == model::Stream::Output);
    });
    if (makes && other) report_rule(s, element, *other);
    if (s.kind == Kind::EmitBuffer && element != format_.output)
      report(s, fmt::format("the elements of `{}` are `{}`, and here the output's are `{}`", format_.buffers[s.ref].name,
                            type_text(format_.output), type_text(element)), into);
    if (s.kind == Kind::EmitSymbol && element.bits != 8)
      report(s, fmt::format("symbols are bytes, and here the output's elements are `{}`", type_text(element)), into);
    for_each_call(s, [&](std::uint32_t callee) { rule(callee, element, s.span, into); });
    for (const model::Arm& arm : s.arms) block(arm.body, element, into, other);
    if (s.kind != Kind::Into) return block(s.body, element, into, other);
    block(s.body, s.further ? format_.outputs[s.ref].type : format_.output, s.span, std::nullopt);
  }

  void report_rule(const model::Stmt& s, Type element, const std::pair<std::uint32_t, Span>& other) {
    const model::Rule& rule = format_.rules[other.first];
    if (!told_.insert(std::pair(rule.span.file, rule.span.offset)).second) return;
    auto found = sink_.error(Code::ElementTypes, other.second,
                             fmt::format("the elements that `{}` makes are `{}`, and here the output's are `{}`", rule.name,
                                         type_text(rule.element), type_text(element)));
    found.note(s.span, "they are made here");
    if (first_[other.first] && *first_[other.first] != other.second)
      found.note(*first_[other.first], "their type is that of the output here, where it is called first");
    found.help("write a rule for each of the types");
  }

  void report(const model::Stmt& s, const std::string& message, Span into) {
    if (!told_.insert(std::pair(s.span.file, s.span.offset)).second) return;
    sink_.error(Code::ElementTypes, s.span, message)
        .note(into, "the output goes there from here on")
        .help("do it where the output is the format's own, or `emit` the elements one by one");
  }

  const model::Format& format_;
  DiagSink& sink_;
  std::set<std::pair<std::uint32_t, std::pair<std::uint8_t, bool>>> entered_;
  std::vector<std::optional<Span>> first_;               // by rule: its first call
  std::set<std::pair<std::uint32_t, std::uint32_t>> told_;  // reported, by where its text begins
};

}  // namespace

void place_rules(Context& context) {
  const Instance& top = *context.instances.front();
  Placer(context).rule(top.main, top.output);
}

void check_elements(const model::Format& format, DiagSink& sink) {
  if (!format.outputs.empty()) Checker(format, sink).run();
}

}  // namespace sluice::sema
