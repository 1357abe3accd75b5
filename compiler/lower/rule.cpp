#include "compiler/lower/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "compiler/lower/expr.h"

namespace sluice::lower {

using Kind = model::Stmt::Kind;
using ir::Reason;
using Out = ir::Stmt::Kind;

namespace {

ir::LoopKind loop_kind(Kind k) {
  switch (k) {
    case Kind::UntilEnd:
      return ir::LoopKind::UntilEnd;
    case Kind::UntilOutputs:
      return ir::LoopKind::UntilOutputs;
    case Kind::UntilCond:
      return ir::LoopKind::UntilCond;
    case Kind::Times:
      return ir::LoopKind::Times;
    default:
      return ir::LoopKind::Forever;
  }
}

// Does the value hang on where the input or the output stands?
bool moves_with_the_streams(const ir::Expr& e) {
  switch (e.op) {
    case ir::Op::Remaining:
    case ir::Op::AtEnd:
    case ir::Op::Aligned:
    case ir::Op::Peek:
    case ir::Op::PeekBits:
    case ir::Op::Produced:
    case ir::Op::ProducedSince:
    case ir::Op::ConsumedSince:
    case ir::Op::Checksum:
      return true;
    default:
      return std::ranges::any_of(e.kids, [](const ir::ExprPtr& kid) { return moves_with_the_streams(*kid); });
  }
}

}  // namespace

void RuleLowering::body(const model::Block& in, ir::Block& out) {
  for (const auto& s : in) statement(*s, out);
}

void RuleLowering::trailing(ir::Block& out) {
  const model::Trailing& t = format_.trailing;
  if (t.policy != model::Trailing::Policy::Reject) return;
  Stmt at;
  at.span = t.span;
  if (format_.input != model::Input::Bytes) add(out, Out::Align, at);
  ir::ExprPtr left = node(ir::Op::Remaining, ir::kU64, ir::range_of(ir::kU64), t.span);
  check(out, truth(ir::Op::Eq, t.span, std::move(left), constant(0, t.span)), Reason::TrailingBytes, t.span, t.name);
}

ir::Stmt& RuleLowering::add(ir::Block& out, Out kind, const Stmt& from) {
  auto s = std::make_unique<ir::Stmt>();
  s->kind = kind;
  s->span = from.span;
  s->name = from.name;
  out.push_back(std::move(s));
  return *out.back();
}

void RuleLowering::statement(const Stmt& s, ir::Block& out) {
  switch (s.kind) {
    case Kind::Read:
      return read(s, out);
    case Kind::Set: {
      const model::Slot& slot = format_.rules[rule_].slots[s.slot];
      fitting(*s.a, slot.type, slot.declared, out, "`" + s.name + "`");
      ir::Stmt& to = add(out, Out::SetLocal, s);
      to.slot = s.slot;
      to.a = plain(*s.a);
      return;
    }
    case Kind::SetGlobal: {
      fitting(*s.a, format_.globals[s.ref].type, format_.globals[s.ref].declared, out, "`" + s.name + "`");
      ir::Stmt& to = add(out, Out::SetGlobal, s);
      to.ref = s.ref;
      to.a = plain(*s.a);
      return;
    }
    case Kind::SetElem: {
      const model::Array& array = format_.arrays[s.ref];
      checks(s.a.get(), out);
      checks(s.b.get(), out);
      if (s.a->range.hi >= static_cast<model::i128>(array.count))
        in_range(out, truth(ir::Op::Lt, s.a->span, plain(*s.a), constant(array.count, s.a->span)), s.a->span,
                 no_index(array.name, array.count));
      if (!model::within(s.b->range, model::range_of(array.elem)))
        in_range(out, fits(*s.b, array.elem), s.b->span, misfit(array.elem, "an element of `" + array.name + "`"));
      ir::Stmt& to = add(out, Out::SetElem, s);
      to.ref = s.ref;
      to.a = plain(*s.a);
      to.b = plain(*s.b);
      return;
    }
    case Kind::Emit:
    case Kind::Run:
    case Kind::Copy:
      return output(s, out);
    case Kind::Literals:
      return literals(s, out);
    case Kind::Build:
    case Kind::BuildStates:
      return build(s, out);
    case Kind::Choose:
      return choose(s, 0, out);
    case Kind::Forever:
    case Kind::UntilEnd:
    case Kind::UntilOutputs:
    case Kind::UntilCond:
    case Kind::Times:
      return loop(s, out);
    case Kind::Stop:
      add(out, Out::Stop, s);
      return;
    case Kind::Return: {
      if (s.a) fitting(*s.a, *format_.rules[rule_].result, out, "the rule's result");
      ir::Stmt& to = add(out, Out::Return, s);
      if (s.a) to.a = plain(*s.a);
      return;
    }
    case Kind::Reject: {
      ir::Stmt& to = add(out, Out::Reject, s);
      to.sites[0] = site(Reason::Reject, s.span, s.name);
      return;
    }
    case Kind::Accept:
      add(out, Out::Accept, s);
      return;
    case Kind::Require:
      checks(s.a.get(), out);
      check(out, plain(*s.a), Reason::Reject, s.span, s.name);
      return;
    case Kind::Within:
    case Kind::Producing: {
      const bool bytes = s.kind == Kind::Within;
      fitting(*s.a, model::kU64, out, bytes ? "the size of `within`" : "the size of `producing`");
      if (s.b) fitting(*s.b, model::kU64, out, "the offset of `within`");
      ir::Stmt& to = add(out, bytes ? Out::Within : Out::Producing, s);
      to.a = fitted_word(*s.a);
      if (s.b) to.b = fitted_word(*s.b);
      to.ref = s.ref;
      to.flag = s.flag;
      // Without a dictionary its region is an empty one, wherever that is.
      to.dictionary = s.dictionary && format_.has_dictionary;
      if (!to.dictionary) to.sites[0] = site(bytes ? Reason::EndOfInput : Reason::OutputFull, s.span);
      to.backward = s.backward;
      to.sites[1] = site(bytes ? Reason::BytesLeft : Reason::OutputShort, s.span);
      if (s.backward) to.sites[2] = site(Reason::BadPadding, s.span);
      body(s.body, to.body);
      return;
    }
    case Kind::Mark:
      add(out, Out::Mark, s).ref = s.ref;
      return;
    // A module's dictionary is its user's; with none there it is as if empty.
    case Kind::NewWindow: {
      if (s.a) fitting(*s.a, model::kU64, out, "the bytes of the dictionary");
      ir::Stmt& to = add(out, Out::NewWindow, s);
      to.flag = s.flag && format_.has_dictionary;
      if (s.a && to.flag) to.a = fitted_word(*s.a);
      return;
    }
    case Kind::Align: {
      ir::Stmt& to = add(out, Out::Align, s);
      to.flag = s.flag;
      if (s.flag) to.sites[0] = site(Reason::Reject, s.span, s.name);
      return;
    }
    case Kind::Skip: {
      fitting(*s.a, model::kU64, out, "the size of `skip`");
      ir::Stmt& to = add(out, Out::Skip, s);
      to.a = fitted_word(*s.a);
      to.sites[0] = site(Reason::EndOfInput, s.span);
      return;
    }
    case Kind::Call:
      return call(s, s.ref, s.args, out);
    case Kind::Into: {
      ir::Stmt& to = add(out, Out::Into, s);
      to.ref = s.ref;
      to.further = s.further;
      const ir::Type outer = std::exchange(element_, s.further ? format_.outputs[s.ref].type : format_.output);
      body(s.body, to.body);
      element_ = outer;
      return;
    }
    case Kind::EmitBuffer:
      return emit_buffer(s, out);
    case Kind::Stage:
      return stage(s, out);
    case Kind::ReadSymbol:
    case Kind::EmitSymbol:
      return symbol(s, out);
  }
}

ir::ReadSpec RuleLowering::read_spec(const model::ReadSpec& r, ir::Block& out) {
  ir::ReadSpec to;
  to.type = r.type;
  to.ref = r.ref;
  to.order = r.order;
  checks(r.width.get(), out);
  checks(r.index.get(), out);
  switch (r.kind) {
    case model::ReadSpec::Kind::Fixed:
      to.kind = ir::ReadSpec::Kind::Fixed;
      break;
    case model::ReadSpec::Kind::Computed: {
      to.kind = ir::ReadSpec::Kind::Computed;
      const Span span = r.width->span;
      if (r.width->range.hi > 64)
        in_range(out, truth(ir::Op::Le, span, plain(*r.width), constant(64, span)), span,
                 "is not a width of 0 to 64 bits");
      if (r.width_may_split_bytes) {
        ir::ExprPtr rest = node(ir::Op::BitAnd, ir::kU64, {0, 7}, span);
        rest->kids.push_back(plain(*r.width));
        rest->kids.push_back(constant(7, span));
        in_range(out, truth(ir::Op::Eq, span, std::move(rest), constant(0, span)), span,
                 "is not a whole number of bytes");
      }
      to.width = plain(*r.width);
      break;
    }
    case model::ReadSpec::Kind::Varint:
      to.kind = ir::ReadSpec::Kind::Varint;
      break;
    case model::ReadSpec::Kind::Code:
    case model::ReadSpec::Kind::Ranges: {
      const bool code = r.kind == model::ReadSpec::Kind::Code;
      to.kind = code ? ir::ReadSpec::Kind::Code : ir::ReadSpec::Kind::Ranges;
      if (!r.index) break;
      const std::uint64_t count = code ? format_.codes[r.ref].copies : format_.ranges[r.ref].base.size();
      const Span span = r.index->span;
      if (r.index->range.hi >= static_cast<model::i128>(count))
        in_range(out, truth(ir::Op::Lt, span, plain(*r.index), constant(count, span)), span,
                 no_index(code ? format_.codes[r.ref].name : format_.ranges[r.ref].name, count));
      to.index = plain(*r.index);
      break;
    }
    case model::ReadSpec::Kind::Rule:
      break;  // a call
  }
  return to;
}

void RuleLowering::read_sites(const model::ReadSpec& r, Span span, ir::Stmt& to) {
  to.sites[0] = site(Reason::EndOfInput, span);
  if (r.kind == model::ReadSpec::Kind::Varint) to.sites[1] = site(Reason::VarintTooLong, span);
  if (r.kind == model::ReadSpec::Kind::Code) to.sites[1] = site(Reason::NoSuchCode, span);
}

void RuleLowering::read(const Stmt& s, ir::Block& out) {
  if (s.read.kind == model::ReadSpec::Kind::Rule) return call(s, s.read.ref, s.read.args, out);
  ir::ReadSpec spec = read_spec(s.read, out);
  ir::Stmt& to = add(out, Out::Read, s);
  to.read = std::move(spec);
  to.slot = s.slot;
  read_sites(s.read, s.span, to);
  if (s.needs_alignment) to.sites[2] = site(Reason::Unaligned, s.span);
}

// A value that literals would find changed from element to element is computed once, as it was checked:
//
//   literals code[produced][n]   ->   set %3 (produced); literals code ref 0 index %3 count %n
void RuleLowering::once(ir::ExprPtr& value, const Stmt& s, ir::Block& out) {
  if (!value || !moves_with_the_streams(*value)) return;
  std::vector<ir::Slot>& slots = module_.rules[rule_].slots;
  const auto slot = static_cast<std::uint32_t>(slots.size());
  const ir::Type type = value->type.is_signed ? ir::kI64 : ir::kU64;
  slots.push_back({"once", type, value->range});
  auto local = std::make_unique<ir::Expr>();
  local->op = ir::Op::Local;
  local->type = type;
  local->range = value->range;
  local->ref = slot;
  local->span = value->span;
  ir::Stmt& to = add(out, Out::SetLocal, s);
  to.slot = slot;
  to.a = std::exchange(value, std::move(local));
}

void RuleLowering::literals(const Stmt& s, ir::Block& out) {
  fitting(*s.a, model::kU64, out, "the count of `literals`");
  ir::ReadSpec spec = read_spec(s.read, out);
  once(spec.width, s, out);
  once(spec.index, s, out);
  if (s.needs_alignment)
    check(out, truth(ir::Op::Aligned, s.span, nullptr), Reason::Unaligned, s.span, {}, kUnaligned);
  ir::Stmt& to = add(out, Out::Literals, s);
  to.read = std::move(spec);
  to.a = fitted_word(*s.a);
  read_sites(s.read, s.span, to);
  to.sites[2] = site(Reason::OutputFull, s.span);
}

void RuleLowering::output(const Stmt& s, ir::Block& out) {
  if (s.kind == Kind::Copy) {
    // A negative distance, as a word, is past every window: BadDistance refuses it.
    checks(s.a.get(), out);
    fitting(*s.b, model::kU64, out, "the length of `copy`");
    ir::Stmt& to = add(out, Out::Copy, s);
    to.a = unsigned_word(*s.a);
    to.b = fitted_word(*s.b);
    to.sites[0] = site(Reason::BadDistance, s.span);
    to.sites[1] = site(Reason::OutputFull, s.span);
    return;
  }
  fitting(*s.a, element_, out, "the output");
  if (s.b) fitting(*s.b, model::kU64, out, "the count of `run`");
  checks(s.c.get(), out);
  ir::Stmt& to = add(out, s.kind == Kind::Emit ? Out::Emit : Out::Run, s);
  to.a = plain(*s.a);
  if (s.b) to.b = fitted_word(*s.b);
  if (s.c) to.c = plain(*s.c);
  to.sites[0] = site(Reason::OutputFull, s.span);
}

// Lengths or counts, `what`, and the code's name and number of symbols.
ir::Stmt& RuleLowering::build_from(Out kind, const Stmt& s, const char* what, const std::string& name, std::uint32_t symbols, ir::Block& out) {
  const std::uint64_t size = s.from_table ? format_.tables[s.array].values.size() : format_.arrays[s.array].count;
  const std::string& source = s.from_table ? format_.tables[s.array].name : format_.arrays[s.array].name;
  const std::string elements = fmt::format("`{}`, which has {} elements", source, size);
  const auto at_most = [&](const model::Expr& e, std::uint64_t most, std::string wrong) {
    if (e.range.hi > static_cast<model::i128>(most))
      in_range(out, truth(ir::Op::Le, e.span, fitted_word(e), constant(most, e.span)), e.span, std::move(wrong));
  };
  fitting(*s.a, model::kU64, out, fmt::format("the start of the {}", what));
  fitting(*s.b, model::kU64, out, fmt::format("the count of the {}", what));
  checks(s.c.get(), out);
  at_most(*s.b, symbols, fmt::format("is more {} than `{}` has symbols, {}", what, name, symbols));
  at_most(*s.a, size, "is past the end of " + elements);
  if (s.a->range.hi + s.b->range.hi > static_cast<model::i128>(size)) {
    // Both are small by now: the sum can't wrap.
    const ir::i128 most = static_cast<ir::i128>(size) + symbols;
    ir::ExprPtr sum = node(ir::Op::Add, ir::kU64, {0, most}, s.span);
    sum->kids.push_back(fitted_word(*s.a));
    sum->kids.push_back(fitted_word(*s.b));
    in_range(out, truth(ir::Op::Le, s.span, std::move(sum), constant(size, s.span)), s.span,
             "reaches past the end of " + elements);
  }
  if (kind == Out::BuildCode && s.c && s.c->range.hi >= static_cast<model::i128>(format_.codes[s.ref].copies))
    in_range(out, truth(ir::Op::Lt, s.c->span, plain(*s.c), constant(format_.codes[s.ref].copies, s.c->span)), s.c->span,
             no_index(name, format_.codes[s.ref].copies));
  ir::Stmt& to = add(out, kind, s);
  to.ref = s.ref;
  to.array = s.array;
  to.from_table = s.from_table;
  to.a = fitted_word(*s.a);
  to.b = fitted_word(*s.b);
  // Constant lengths at a constant place have been judged by sema.
  if (!s.from_table || s.a->op != model::Op::Const || s.b->op != model::Op::Const) to.sites[0] = site(Reason::Oversubscribed, s.span);
  return to;
}

void RuleLowering::build(const Stmt& s, ir::Block& out) {
  if (s.kind == Kind::BuildStates) {
    const model::StateCode& code = format_.states[s.ref];
    ir::Stmt& to = build_from(Out::BuildStates, s, "counts", code.name, code.symbols, out);
    if (to.sites[0] != ir::kNoSite) to.sites[1] = site(Reason::Incomplete, s.span);
    return;
  }
  const model::Code& code = format_.codes[s.ref];
  ir::Stmt& to = build_from(Out::BuildCode, s, "lengths", code.name, code.symbols, out);
  if (s.c) to.d = plain(*s.c);
  if (to.sites[0] != ir::kNoSite && code.incomplete != model::Incomplete::Accept) to.sites[1] = site(Reason::Incomplete, s.span);
}

void RuleLowering::call(const Stmt& s, std::uint32_t callee, const std::vector<model::ExprPtr>& args, ir::Block& out) {
  const model::Rule& rule = format_.rules[callee];
  for (std::size_t i = 0; i < args.size(); ++i)
    fitting(*args[i], rule.slots[i].type, out, "the parameter `" + rule.slots[i].name + "`");
  ir::Stmt& to = add(out, Out::Call, s);
  to.ref = callee;
  to.slot = s.slot;
  for (const auto& arg : args) to.args.push_back(plain(*arg));
}

// when A: x    when B: y    else: z        if A { x } else { if B { y } else { z } }
void RuleLowering::choose(const Stmt& s, std::size_t index, ir::Block& out) {
  if (index == s.arms.size()) return;
  const model::Arm& arm = s.arms[index];
  if (!arm.condition) return body(arm.body, out);
  checks(arm.condition.get(), out);
  ir::Stmt& to = add(out, Out::If, s);
  to.span = arm.span;
  to.a = plain(*arm.condition);
  body(arm.body, to.body);
  choose(s, index + 1, to.orelse);
}

// repeat until COND, with checks to make in COND:     loop forever { checks; if COND { stop } ... }
void RuleLowering::loop(const Stmt& s, ir::Block& out) {
  const bool counted = s.kind == Kind::Times || s.kind == Kind::UntilOutputs;
  if (counted) fitting(*s.a, model::kU64, out, "the count of a loop");
  ir::Stmt& to = add(out, Out::Loop, s);
  to.loop = loop_kind(s.kind);
  to.slot = s.slot;
  if (s.needs_progress) to.sites[0] = site(Reason::NoProgress, s.span);
  if (counted) to.a = fitted_word(*s.a);
  if (s.kind == Kind::UntilCond) {
    checks(s.a.get(), to.body);
    if (to.body.empty()) {
      to.a = plain(*s.a);
    } else {
      to.loop = ir::LoopKind::Forever;
      ir::Stmt& leave = add(to.body, Out::If, s);
      leave.a = plain(*s.a);
      add(leave.body, Out::Stop, s);
    }
  }
  body(s.body, to.body);
}

}  // namespace sluice::lower
