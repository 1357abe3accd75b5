#include "compiler/emit/token_text.h"

#include <algorithm>
#include <ranges>
#include <variant>

#include "compiler/plan/walk.h"
#include "compiler/plan/width.h"

namespace sluice::emit {

using plan::Local;
using plan::Operand;

TokenText::TokenText(const Context& context, const plan::Plan& plan, const plan::Loop& loop,
                     std::optional<plan::Reading> reading, bool code)
    : context_(context),
      plan_(plan),
      loop_(loop),
      use_(plan::local_use(loop.body)),
      positional_(loop.reader == plan::Reader::Position),
      reading_(reading),
      code_(code),
      printer_(context, *this),
      lanes_(loop.form == plan::LoopForm::SideBySide) {}

// ---- Names and operands --------------------------------------------------------------------------------------------

std::string TokenText::name(Local local) const {
  if (local.scope == plan::kGlobalScope) return context_.global(local.slot);
  const plan::Scope& scope = loop_.scopes[local.scope];
  const std::string own = context_.local(scope.rule, local.slot);
  return local.scope == 0 ? own : belonging(fmt::format("c{}", scope.value), own);
}

ir::Type TokenText::type_of(Local local) const {
  if (local.scope == plan::kGlobalScope) return context_.module.globals[local.slot].type;
  return context_.module.rules[loop_.scopes[local.scope].rule].slots[local.slot].type;
}

const char* TokenText::held_as(Local local) const {
  if (tagged) return held(type_of(local));
  return std::ranges::find(loop_.narrow, local) != loop_.narrow.end() ? "u32" : held(type_of(local));
}

bool TokenText::is_narrow(plan::Value value) const {
  return std::ranges::find(loop_.narrow_values, value) != loop_.narrow_values.end();
}

void TokenText::read(const Operand& o) {
  scope_ = o.scope;
  wide_ = plan::nodes_at(o, o.wide);
}

std::string TokenText::value(const Operand& o) {
  read(o);
  return *printer_.print(*o);
}

std::string TokenText::value_u64(const Operand& o) {
  read(o);
  return *printer_.print_u64(*o);
}

std::optional<ExprText> TokenText::stream(const ir::Expr& e) const {
  switch (e.op) {
    case ir::Op::AtEnd:  // a margin of input is left
      return ExprText{"0", true};
    case ir::Op::Produced:
      return ExprText{over(bytes_of("out"), context_.elem_bytes()), context_.elem_bytes() == 1};
    case ir::Op::Aligned:
      return ExprText{"1", true};
    case ir::Op::DictionarySize:
      return ExprText{"s.dictionary_size", true};
    case ir::Op::OutputCount:  // no token adds to it
      return ExprText{fmt::format("s.further_made[{}]", e.ref), true};
    case ir::Op::BufferCount:
      return ExprText{counts_at_hand ? count_of(context_, e.ref) : fmt::format("s.buffer_count[{}]", e.ref), true};
    case ir::Op::BufferElem: {
      const std::string i = *printer_.print_u64(*e.kids[0]);
      if (!context_.views[e.ref]) return ExprText{context_.buffer_element(e.ref, scratch(), i), true};
      return ExprText{context_.format("prim::element(view_{}_{}, {})", e.ref, views_++, i), true};
    }
    default:
      return std::nullopt;
  }
}

std::string TokenText::lacks_output(const std::string& n, std::uint64_t bytes) const {
  return fmt::format("out{0} > out_limit{0} || {1} > {2}", ending, n, over(fmt::format("(u64)(out_limit{0} - out{0})", ending), bytes));
}

// ---- Around the steps ----------------------------------------------------------------------------------------------

void TokenText::write(Writer& w, const plan::Body& steps) {
  w_ = &w;
  body(steps);
}

void TokenText::write_hoisted(Writer& w) {
  unsigned views = 0;
  for (const plan::Hoisted& h : loop_.hoisted) {
    if (const auto* row = std::get_if<plan::Row>(&h)) {
      w.line("Bits::refill(b, src, in);");
      w.line("u32 {} = {};", number("e", row->entry), look_up(row->table, row->first));
    } else if (const auto* same = std::get_if<plan::Width>(&h)) {
      w.at(context_.place(same->span));
      w.line("const {} {} = {};", held_as(same->value), number("width", same->value), value_u64(same->bits));
    } else {
      const std::uint32_t buffer = std::get<plan::View>(h).buffer;
      w.line("auto view_{0}_{1} = prim::view(s, {0});", buffer, views++);
    }
    w.at("");
  }
}

void TokenText::write_locals(Writer& w) const {
  // Of numbers of 64 bits, those that a tile's bytes add up to: note [tile sums] in plan/tile_sums.h.
  const auto declared_as = [&](Local l) {
    const bool sum = reading_ == plan::Reading::Token && is_known(loop_.records->sums, l);
    return sum ? std::string_view("typename Source::Sum") : std::string_view(held_as(l));
  };
  for (const std::string_view type : {"u64", "u32", "i64", "typename Source::Sum"}) {
    std::vector<std::string> names;
    for (const Local& local : loop_.locals) {
      if (!use_.named.contains(local) || !is_set(local) || declared_as(local) != type) continue;
      const bool kept = reading_ && is_known(of_fills ? loop_.fills->kept : loop_.records->kept, local);  // on every way
      names.push_back(name(local) + (use_.early.contains(local) || kept ? " = 0" : ""));
    }
    w.declare(type, names);
  }
}

// In order.
std::vector<const plan::SetElement*> TokenText::stores_to_undo() const {
  std::vector<const plan::SetElement*> stores;
  plan::for_each_step(loop_.body, [&](const plan::Step& s) {
    if (const auto* set = std::get_if<plan::SetElement>(&s.what); set != nullptr && set->undo != plan::kNoValue) stores.push_back(set);
  });
  return stores;
}

std::string TokenText::write_undo(Writer& w) const {
  std::string none;
  for (const plan::SetElement* s : stores_to_undo()) {
    const std::string at = number("at", s->undo);
    w.line("u64 {} = prim::kNotStored;", at);
    w.line("{} {} = 0;", stored(context_.module.arrays[s->array].elem), number("was", s->undo + 1));
    none += fmt::format(" {} = prim::kNotStored;", at);
  }
  return none;
}

// The last one first: two may have been to one element.
void TokenText::undo(Writer& w) const {
  const std::vector<const plan::SetElement*> stores = stores_to_undo();
  for (const plan::SetElement* s : std::views::reverse(stores))
    w.line("if ({0} != prim::kNotStored) prim::set({1}->{2}, {0}, {3});", number("at", s->undo), scratch(), context_.array(s->array),
           number("was", s->undo + 1));
}

// ---- Statements ----------------------------------------------------------------------------------------------------

// Does every way through these steps come to some that are in order?
bool TokenText::surely_left(const plan::Body& steps) {
  return std::ranges::any_of(steps, [](const plan::Step& s) {
    if (const auto* call = std::get_if<plan::Inline>(&s.what)) return surely_left(call->body);
    const auto* each = std::get_if<plan::SideBySide>(&s.what);
    return each != nullptr && each->in_order;
  });
}

void TokenText::body(const plan::Body& steps) {
  if (!values() && surely_left(steps)) return w_->line("{}", out_of_token());
  const std::string around = w_->place();
  for (std::size_t k = 0; k < steps.size(); ++k) {
    w_->at(context_.place(steps[k].span));
    if (&steps == &loop_.body && loop_.joined == k) {
      joined(steps[k], steps[k + 1]);
      ++k;
    } else {
      step(steps[k]);
    }
  }
  w_->at(around);
}

void TokenText::write_carried(Writer& w, const std::vector<Local>& of) {
  w_ = &w;
  for (const Local l : of)
    if (is_known(loop_.locals, l)) w.line("{} {} = 0;", held_as(l), name(l));
  carried(loop_.body, of, true);
}

void TokenText::write_size_by_first_byte(Writer& w, const plan::FirstByte& first) {
  w.line("const {} {} = {}(src, in);", held_as(first.local), name(first.local), context_.format("prim::load_byte"));
  w.line("size = (u32)({});", value(first.size));
  w.line("return {};", value(first.told));
}

void TokenText::write_parts_by_first_byte(Writer& w, const plan::FirstByte& first) {
  const plan::FirstByteParts& parts = *first.parts;
  w.line("const {} {} = {}(src, in);", held_as(first.local), name(first.local), context_.format("prim::load_byte"));
  w.line("const prim::Cursor start = in;");
  std::uint64_t at = 0;
  for (const plan::FieldAt& f : parts.fields) {
    if (f.offset != at) w.line("in += {};", f.offset - at);
    at = f.offset;
    w.line("const {0} {1} = ({0}){2}(src, in);", held_as(f.local), name(f.local), load_name(f.bits / 8, f.big));
  }
  w.line("const auto literals = {};", value_u64(parts.literals));
  w.line("prim::literals_at(out, start + (u32)({}), literals);", value(parts.from));
  if (parts.distance) {
    w.line("const auto far = {};", value_u64(parts.distance));
    w.line("const auto length = {};", value_u64(parts.length));
    w.line("prim::copy_match(prim::NoCopy{}, out, far, length);");
  }
  w.line("return {};", value(first.told));
}

// Whether there are any; `print`: prints them.
bool TokenText::carried(const plan::Body& steps, const std::vector<Local>& of, bool print) {
  bool any = false;
  for (const plan::Step& s : steps) {
    if (const auto* branch = std::get_if<plan::If>(&s.what)) {
      const bool then = carried(branch->then, of, false), otherwise = branch->orelse && carried(*branch->orelse, of, false);
      any |= then || otherwise;
      if (!print || (!then && !otherwise)) continue;
      w_->open("if ({}) {{", value(branch->condition));
      carried(branch->then, of, true);
      if (otherwise) {
        w_->next("} else {");
        carried(*branch->orelse, of, true);
      }
      w_->close();
    } else if (const auto* symbol = std::get_if<plan::Symbol>(&s.what)) {
      bool found = false;
      for (const plan::SymbolArm& arm : symbol->arms) found |= carried(arm.body, of, false);
      any |= found;
      if (print && found) late_arms(*symbol, [&](const plan::SymbolArm& arm) { carried(arm.body, of, true); });
    } else if (const auto local = plan::set_by(s); local && is_known(of, *local)) {
      any = true;
      // Whenever that is done of a token: a constant is no late step's.
      if (print) std::visit([&](const auto& what) { (*this)(what); }, s.what);
    }
  }
  return any;
}

// What is latched, too, says that it has been set.
void TokenText::set(Local local, const Operand& to) {
  w_->line("{} = {};", name(local), value(to));
  if (reading_ == plan::Reading::Late && is_known(loop_.records->latched, local))
    w_->line("c.{} = true;", belonging("set", name(local)));
}

void TokenText::step(const plan::Step& s) {
  own_ = s.reading == plan::Reading::Own;
  const plan::Reading reading = own_ ? plan::Reading::Token : s.reading;
  if (reading_ && reading != *reading_ && reading != plan::Reading::Both) return;
  std::visit([&](const auto& what) { (*this)(what); }, s.what);
}

void TokenText::operator()(const plan::Drop& s) {
  const std::string dropped = number("dropped", s.value);
  w_->line("[[maybe_unused]] {} {} = 0;", is_narrow(s.value) ? "u32" : held(s.type), dropped);
  body(s.read);
}

void TokenText::operator()(const plan::Let& s) {
  if (of_fills && s.before) return w_->line("{} = prim::kElementBefore;", name(s.local));
  set(s.local, s.value);
}

void TokenText::operator()(const plan::Sum& s) {
  w_->line("{0} = ({1})prim::carry_add((u64){0}, {2}, in_time);", name(s.local), held_as(s.local),
           value_u64(s.term));
}

void TokenText::operator()(const plan::SetGlobal& s) { set({plan::kGlobalScope, s.global}, s.value); }

void TokenText::operator()(const plan::SetElement& s) {
  const std::string i = value_u64(s.index), v = value(s.value);
  const std::string element = stored(context_.module.arrays[s.array].elem);
  const std::string array = fmt::format("{}->{}", scratch(), context_.array(s.array));
  if (lanes_) return w_->line("if (on) {}[{}] = ({})({});", array, i, element, v);
  if (s.undo != plan::kNoValue) w_->line("{} = {}; {} = {}[{}];", number("at", s.undo), i, number("was", s.undo + 1), array, i);
  w_->line("prim::set({}, {}, ({})({}));", array, i, element, v);
}

void TokenText::operator()(const plan::Store& s) {
  if (reading_ == plan::Reading::Late) return w_->line("out += own.literals;");
  w_->line("{}<{}>(out, {});", lanes_ ? context_.format("if (on) prim::store_lane") : context_.format("prim::store"),
           context_.elem_bytes(), value_u64(s.value));
  w_->line("out += {};", context_.elem_bytes());
}

// ---- Control -------------------------------------------------------------------------------------------------------

void TokenText::operator()(const plan::If& first) {
  w_->open("if ({}) {{", value(first.condition));
  for (const plan::If* s = &first;;) {
    body(s->then);
    if (!s->orelse) break;
    if (!s->flat) {
      w_->next("} else {");
      body(*s->orelse);
      break;
    }
    const plan::Step& next = s->orelse->front();
    s = &std::get<plan::If>(next.what);
    w_->next_at(context_.place(next.span), "}} else if ({}) {{", value(s->condition));
  }
  w_->close();
}

void TokenText::operator()(const plan::Inline& s) {
  const plan::Scope& scope = loop_.scopes[s.scope];
  std::vector<std::string> args;
  for (std::uint32_t i = 0; i < s.args.size(); ++i)
    args.push_back(is_set({s.scope, i}) ? fmt::format("{} = {};", name({s.scope, i}), value(s.args[i])) : "");
  w_->open("{{  // {}", context_.module.rules[scope.rule].name);
  for (const std::string& arg : args)
    if (!arg.empty()) w_->line("{}", arg);
  body(s.body);
  w_->close();
  if (s.exits) w_->label(fmt::format("c{}_done", scope.value));
}

void TokenText::operator()(const plan::Exit& s) { w_->line("goto c{}_done;", loop_.scopes[s.scope].value); }

void TokenText::operator()(const plan::Check& s) {
  w_->line("if ({}SLUICE_UNLIKELY(!({}))) {}", own_ && reading_ ? "Whole && " : "", value(s.condition), out_of_token());
}

void TokenText::operator()(const plan::Leave&) { w_->line("{}", out_of_token()); }

void TokenText::operator()(const plan::Break&) { w_->line("break;"); }

void TokenText::operator()(const plan::Align&) { w_->line("bit = (bit + 7) & {};", context_.cuda() ? "~7u" : "~7ull"); }

void TokenText::operator()(const plan::Skip& s) {
  const std::string n = value_u64(s.bytes);
  w_->line("if (SLUICE_UNLIKELY({0} || ({1}) > (u64)(in_limit - in))) {2}", input_past(), n, out_of_token());
  w_->line("in += {};", n);
}

}  // namespace sluice::emit
