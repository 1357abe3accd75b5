// Statements other than loops and chains.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/sema/body.h"
#include "dsl/sema/types.h"

namespace sluice::sema {

using model::Op;
using AstKind = ast::Stmt::Kind;
using Kind = model::Stmt::Kind;

namespace {

std::unique_ptr<model::Stmt>& append(model::Block& out, std::unique_ptr<model::Stmt> s) {
  out.push_back(std::move(s));
  return out.back();
}

}  // namespace

void Body::block(const ast::Block& in, model::Block& out) {
  bool told = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!facts_.reachable && !told && i > 0 && in[i]->kind != AstKind::Error) {
      context_.sink.error(Code::Unreachable, in[i]->span, "this statement is never reached")
          .note(in[i - 1]->span, "nothing goes on after this");
      told = true;
    }
    statement(*in[i], out);
  }
}

void Body::statement(const ast::Stmt& s, model::Block& out) {
  switch (s.kind) {
    case AstKind::Error:
    case AstKind::Pass:
      return;
    case AstKind::Read:
      return read(s, out);
    case AstKind::Let:
      return let(s, out);
    case AstKind::Var:
      return var(s, out);
    case AstKind::Assign:
      return assign(s, expr(s.a.get()), out);
    case AstKind::AssignElem:
      return assign_element(s, expr(s.b.get()), out);
    case AstKind::ReadInto:
      return read_into(s, out);
    case AstKind::Emit:
      return emit(s, out);
    case AstKind::Run:
      return run(s, out);
    case AstKind::Literals:
      return literals(s, out);
    case AstKind::Copy:
      return copy(s, out);
    case AstKind::Build:
      return build(s, out);
    case AstKind::When:
      return chain(s, out);
    case AstKind::If:
      return optional_part(s, out);
    case AstKind::RepeatForever:
    case AstKind::RepeatUntilEnd:
    case AstKind::RepeatTimes:
    case AstKind::RepeatUntilOutputs:
    case AstKind::RepeatUntil:
    case AstKind::For:
      return loop(s, out);
    case AstKind::Stop:
    case AstKind::Return:
    case AstKind::Reject:
    case AstKind::Accept:
      return leave(s, out);
    case AstKind::Require:
      return require(s, out);
    case AstKind::Within:
    case AstKind::Producing:
      return region(s, out);
    case AstKind::Mark: {
      const auto id = mark_id(s.name);
      if (!id) return;
      append(out, make_stmt(Kind::Mark, s))->ref = *id;
      return;
    }
    case AstKind::NewWindow:
      return new_window(s, out);
    case AstKind::Align:
      append(out, make_stmt(Kind::Align, s))->flag = s.flag;
      return;
    case AstKind::Skip: {
      auto stmt = make_stmt(Kind::Skip, s);
      stmt->a = amount(s.a.get(), "this number of bytes");
      if (stmt->a) append(out, std::move(stmt));
      return;
    }
    case AstKind::Call:
      return call(s, out);
    case AstKind::Into:
      return into(s, out);
    case AstKind::Stage:
      return stage(s, out);
    case AstKind::EmitBuffer:
      return emit_buffer(s, out);
    case AstKind::ReadSymbol:
      return read_symbol(s, out);
    case AstKind::EmitSymbol:
      return emit_symbol(s, out);
  }
}

void Body::read(const ast::Stmt& s, model::Block& out) {
  if (const Symbol* code = state_code(s.read.name)) return read_state(s, *code, out);
  auto stmt = make_stmt(Kind::Read, s);
  const bool ok = read_type(s.read, stmt->read);
  if (ok && stmt->read.kind == model::ReadSpec::Kind::Rule) after_call();
  const bool drop = s.name.text == "_";
  // A read that went wrong still declares its name, so that its uses are not reported as undefined.
  if (!drop)
    stmt->slot =
        declare_local(s.name, stmt->read.type, ok ? stmt->read.range : model::range_of(stmt->read.type), false, true);
  if (ok) {
    note_field(stmt->slot, stmt->read);
    append(out, std::move(stmt));
    return;
  }
  const auto broken = scopes_.back().find(s.name.text);
  if (broken != scopes_.back().end()) broken->second.is_broken = true;
}

void Body::let(const ast::Stmt& s, model::Block& out) { let(s, expr(s.a.get()), out); }

// A value that keeps its name. Null: wrong, and reported.
void Body::let(const ast::Stmt& s, ExprPtr value, model::Block& out) {
  const Type type = !value                        ? model::kU64
                    : value->type == model::kBool ? model::kBool
                    : value->type.is_signed       ? model::kI64
                                                  : model::kU64;
  const std::uint32_t slot =
      declare_local(s.name, type, value ? value->range : model::range_of(type), false, value == nullptr);
  if (!value || slot == Stmt::kNoSlot) return;
  auto stmt = make_stmt(Kind::Set, s);
  stmt->slot = slot;
  stmt->a = std::move(value);
  append(out, std::move(stmt));
}

// emit a, b        is emit a, then emit b
void Body::emit(const ast::Stmt& s, model::Block& out) {
  const auto one = [&](const ast::ExprPtr& value) {
    auto stmt = make_stmt(Kind::Emit, s);
    if (!s.args.empty()) stmt->span = value->span;
    stmt->a = expr(value.get());
    if (stmt->a && fits(*stmt->a, element_, "this output")) append(out, std::move(stmt));
  };
  one(s.a);
  for (const ast::ExprPtr& value : s.args) one(value);
}

void Body::run(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::Run, s);
  stmt->a = expr(s.a.get());
  const bool fitting = stmt->a && fits(*stmt->a, element_, "this output");
  stmt->b = amount(s.b.get(), "this count");
  if (s.c) stmt->c = expr(s.c.get());
  if (!stmt->b || (s.c && !stmt->c)) return;
  if (fitting) append(out, std::move(stmt));
}

void Body::literals(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::Literals, s);
  const bool readable = read_type(s.read, stmt->read);
  stmt->a = amount(s.a.get(), "this count");
  if (!readable || !stmt->a) return;
  if (stmt->read.kind == model::ReadSpec::Kind::Rule) {
    context_.sink
        .error(Code::LiteralsMismatch, s.read.span, "literals are fields of the stream; a rule's result is not one")
        .help("write a loop: read a value, then `emit` it");
    return;
  }
  if (!model::within(stmt->read.range, model::range_of(element_))) {
    context_.sink
        .error(Code::LiteralsMismatch, s.read.span,
               fmt::format("values of `{}` do not all fit the output's `{}`", context_.text(s.read.span),
                           type_text(element_)))
        .help("read each value, check it, then `emit` it");
    return;
  }
  append(out, std::move(stmt));
}

void Body::copy(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::Copy, s);
  stmt->a = amount(s.a.get(), "this distance");
  stmt->b = amount(s.b.get(), "this length");
  if (!stmt->a || !stmt->b) return;
  const i128 far = instance_.window != 0 ? static_cast<i128>(instance_.window) : kU64Range.hi;
  if (model::disjoint(stmt->a->range, {1, far})) {
    auto report = context_.sink.error(Code::BadCopyDistance, stmt->a->span, "no value of this distance is ever valid");
    if (instance_.window != 0)
      report.help(fmt::format("distances are 1 to {}, the format's window", instance_.window));
    else
      report.help("the last output stands at distance 1");
    return;
  }
  // A module's window where the format has none: the distance itself has to keep it.
  if (context_.format.window == 0 && instance_.window != 0 && stmt->a->range.hi > far) {
    context_.sink
        .error(Code::ModuleWindow, stmt->a->span,
               fmt::format("this distance may pass the window of {}, and the format that uses `{}` has none", far,
                           instance_.file->format.text))
        .help("declare the same window there, or give the distance a type that is no wider");
    return;
  }
  append(out, std::move(stmt));
}

void Body::leave(const ast::Stmt& s, model::Block& out) {
  switch (s.kind) {
    case AstKind::Stop:
      if (loops_.empty()) {
        context_.sink.error(Code::StopOutsideLoop, s.span, "`stop` stands in no loop")
            .help("it leaves the innermost `repeat` or `for`; a rule is left with `return`");
        break;
      }
      if (loops_.back().regions != regions_) {
        context_.sink
            .error(Code::CrossesRegion, s.span, "`stop` would leave a `within`, `producing` or `into` half done")
            .help("put the loop inside, or decide after the region");
        break;
      }
      loops_.back().stopped = true;
      append(out, make_stmt(Kind::Stop, s));
      break;
    case AstKind::Return: {
      if (is_main_) {
        context_.sink.error(Code::ReturnOutsideRule, s.span, "`return` stands in no rule")
            .help("`accept NAME` ends the chunk here; `stop` leaves a loop");
        break;
      }
      if (regions_ != 0) {
        context_.sink
            .error(Code::CrossesRegion, s.span, "`return` would leave a `within`, `producing` or `into` half done")
            .help("return after the region");
        break;
      }
      auto stmt = make_stmt(Kind::Return, s);
      if (s.a) stmt->a = expr(s.a.get());
      if (is_broken_) break;  // its header was wrong: who knows what it returns
      if (s.a && !result_) {
        context_.sink.error(Code::ResultMismatch, s.a->span, "this rule has no result")
            .help("declare it: `rule NAME(...) -> TYPE`");
        break;
      }
      if (!s.a && result_) {
        context_.sink.error(Code::ResultMismatch, s.span, "the rule's result is missing").help("write `return VALUE`");
        break;
      }
      if (s.a && (!stmt->a || !fits(*stmt->a, *result_, "the result"))) break;
      append(out, std::move(stmt));
      break;
    }
    default:
      append(out, make_stmt(s.kind == AstKind::Reject ? Kind::Reject : Kind::Accept, s));
  }
  facts_.reachable = false;
}

void Body::require(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(Kind::Require, s);
  stmt->a = condition(s.a.get());
  if (!stmt->a) return;
  warn_constant(*s.a, *stmt->a);
  facts_.assume(*stmt->a, true);
  append(out, std::move(stmt));
}

// May this region be read from its end?
bool Body::turns(const ast::Stmt& s) {
  if (s.flag) {
    context_.sink.error(Code::ReadBackward, s.span, "a region of bits can't be read from its end")
        .help("its last byte says where its bits end: write `within N bytes, backward`");
    return false;
  }
  if (context_.format.input == model::Input::BitsLsb && instance_.input == model::Input::BitsLsb) return true;
  context_.sink.error(Code::ReadBackward, s.span, "only a stream of bits, lowest first, has regions that are read from their end")
      .help("declare `input bits lsb`");
  return false;
}

void Body::new_window(const ast::Stmt& s, model::Block& out) {
  if (s.flag && !has_dictionary(s.span, ", or write `new window`")) return;
  auto stmt = make_stmt(Kind::NewWindow, s);
  stmt->flag = s.flag;
  if (s.a) stmt->a = amount(s.a.get(), "this number of bytes");
  if (!s.a || stmt->a) append(out, std::move(stmt));
}

void Body::region(const ast::Stmt& s, model::Block& out) {
  auto stmt = make_stmt(s.kind == AstKind::Within ? Kind::Within : Kind::Producing, s);
  stmt->dictionary = s.dictionary;
  stmt->a = s.dictionary ? dictionary_size(s.span) : amount(s.a.get(), "this size");
  stmt->flag = s.flag;
  stmt->backward = s.backward;
  if (s.flag && !needs_bits(s.span, "a region of bits")) stmt->a = nullptr;
  if (s.backward && !turns(s)) stmt->a = nullptr;
  if (s.b) {
    stmt->b = amount(s.b.get(), "this offset");
    const auto mark = mark_id(s.name);
    stmt->name.clear();  // the mark's is not its own
    if (mark) stmt->ref = *mark;
    if (!stmt->b || !mark) stmt->a = nullptr;
  }
  ++regions_;
  block(s.body, stmt->body);
  --regions_;
  if (stmt->a) append(out, std::move(stmt));
}

void Body::call(const ast::Stmt& s, model::Block& out) {
  const auto rule = find_rule(s.name);
  if (!rule) return;
  const RuleHead& head = context_.rules[*rule];
  if (head.broken) return;
  auto stmt = make_stmt(Kind::Call, s);
  stmt->ref = *rule;
  if (!arguments(s.span, head, s.args, stmt->args)) return;
  after_call();
  append(out, std::move(stmt));
}

}  // namespace sluice::sema
