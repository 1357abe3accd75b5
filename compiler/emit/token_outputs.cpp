// Output actions and symbols: see token_text.h.
#include <algorithm>
#include <limits>

#include "compiler/emit/token_text.h"

namespace sluice::emit {

using plan::Literals;
using plan::LiteralsForm;
using plan::Local;
using plan::LongCode;
using plan::Symbol;
using plan::SymbolArm;
using plan::Take;

// ---- Literals, runs, copies ----------------------------------------------------------------------------------------

// How far from 0 it may be, above it or on either side.
std::string TokenText::farthest(const plan::Operand& o, bool either_side) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto& [lo, hi] = (*o).range;
  const bool known = hi <= kMost && lo >= (either_side ? -kMost : 0);
  return known ? fmt::format("{}", static_cast<std::uint32_t>(std::max(hi, -lo))) : "~0ull";
}

void TokenText::operator()(const Literals& s) {
  if (reading_ == plan::Reading::Late) return w_->line("out += own.literals;");
  const std::string n = value_u64(s.count), count = number("n", s.value);
  if (values()) return w_->line("in = prim::list_of<List, {}>(out, src, in, {});", farthest(s.count, false), n);
  switch (s.form) {
    case LiteralsForm::Fixed:
      if ((*s.count).imm == 1)
        w_->line("prim::store<1>(out{0}, prim::load_byte(src{0}, in{0}));", ending);
      else
        w_->line("prim::move_short(out{1}, src{1}, in{1}, {0});", (*s.count).imm, ending);
      return w_->line("in{1} += {0}; out{1} += {0};", (*s.count).imm, ending);
    case LiteralsForm::Short:
      w_->line("const {} {} = {};", held_as(s.value), count, n);
      w_->open("if (SLUICE_LIKELY({} <= {})) {{", count, plan::kSlack);
      w_->line("prim::literals_short(out{1}, src{1}, in{1}, {0});", count, ending);
      w_->next("} else {");
      w_->line("if ({0} || {1} > (u64)(in_limit{4} - in{4}) || {2}) {3}", input_past(), count, lacks_output(count, 1), out_of_token(), ending);
      w_->line("prim::literals(out{1}, src{1}, in{1}, {0});", count, ending);
      w_->close();
      return w_->line("in{1} += {0}; out{1} += {0};", count, ending);
    case LiteralsForm::Varints: {
      const std::string used = number("used", s.value + 1), done = number("done", s.value + 2);
      w_->line("{} {} = {};", held_as(s.value), count, n);
      w_->line("SLUICE_ROLLED");
      w_->open("while ({} != 0) {{", count);
      w_->line("if (SLUICE_UNLIKELY({} || out > out_limit)) {}", input_past(), out_of_token());
      w_->line("u32 {} = 0;", used);
      w_->line("const u32 {} = prim::lane_varints<{}, {}, {}>(out, src, in, {}, {});", done, context_.elem_bytes(),
               s.type.bits, s.type.is_signed, count, used);
      w_->line("if (SLUICE_UNLIKELY({} == 0)) {}", done, out_of_token());
      w_->line("in += {}; out += {}; {} -= {};", used, times(done, context_.elem_bytes()), count, done);
      return w_->close();
    }
    case LiteralsForm::Each:
      return literals_each(s, n);
    case LiteralsForm::None:
      return w_->line("if (({}) != 0) {}", n, out_of_token());
  }
}

void TokenText::literals_each(const Literals& s, const std::string& n) {
  if (reading_ && s.placed) {
    const std::string count = number("n", s.value);
    w_->line("const {} {} = {};", held_as(s.value), count, n);
    w_->line("if ({} || {} > {}) {}", input_past(), count, over("(u64)(in_limit - in)", context_.elem_bytes()), out_of_token());
    w_->line("prim::literals(out, src, in, {});", times(count, context_.elem_bytes()));
    return w_->line("in += {};", times(count, context_.elem_bytes()));
  }
  const std::string element = number("element", s.value + 1);
  w_->open("for ({2} {0} = {1}; {0} > 0; --{0}) {{", number("n", s.value), n, held_as(s.value));
  w_->line("if (SLUICE_UNLIKELY({} || out > out_limit)) {}", input_past(), out_of_token());
  w_->line("{} {} = 0;", is_narrow(s.value + 1) ? "u32" : held(s.type), element);
  body(s.read);
  w_->line("prim::store<{}>(out, (u64){});", context_.elem_bytes(), element);
  w_->line("out += {};", context_.elem_bytes());
  w_->close();
}

// A statement's first two values.
void TokenText::declare_both(plan::Value values, const std::string& a, const std::string& of_a, const std::string& b,
                             const std::string& of_b) {
  if (is_narrow(values) == is_narrow(values + 1)) return w_->line("const {} {} = {}, {} = {};", held_as(values), a, of_a, b, of_b);
  w_->line("const {} {} = {};", held_as(values), a, of_a);
  w_->line("const {} {} = {};", held_as(values + 1), b, of_b);
}

void TokenText::operator()(const plan::Run& s) {
  const unsigned size = context_.elem_bytes();
  if (reading_ == plan::Reading::Late) return w_->line("out += own.literals + own.length;");
  if (values())
    return w_->line("prim::run_of_values<{}, {}>(out, {}, {}, {});", farthest(s.count, false), s.step ? farthest(s.step, true) : "0",
                    value_u64(s.first), value_u64(s.count), s.step ? value_u64(s.step) : "0");
  if (reading_)
    return w_->line("prim::run_of<{}>(out, {}, {});", size, belonging("at", name(Local{s.first.scope, (*s.first).ref})),
                    value_u64(s.count));
  const std::string count = number("n", s.value), first = number("first", s.value + 1);
  const std::string v = value_u64(s.first), n = value_u64(s.count), step = s.step ? value_u64(s.step) : "0";
  declare_both(s.value, count, n, first, v);
  if (s.tested) w_->line("if (SLUICE_UNLIKELY({})) {}", lacks_output(count, size), out_of_token());
  switch (s.form) {
    case plan::RunForm::Flat:
      w_->line("prim::fill_flat<{}, {}>(out, {});", size, s.most, first);
      break;
    case plan::RunForm::Wide:
      if (size == 1) w_->line("prim::fill_wide(out, {}, {});", first, count);
      else w_->line("prim::fill_equal<{}>(out, {}, {});", size, first, count);
      break;
    case plan::RunForm::Stepped:
      w_->line("prim::fill<{}>(out, {}, {}, {});", size, first, step, count);
      break;
  }
  w_->line("out += {};", many(count, s.value, size));
}

// Beside a copy.
void TokenText::look_ahead(const plan::Copy& s) {
  if (!s.ahead) return;
  if (s.shown) (*this)(plan::LookAhead{});
  (*this)(plan::Refill{});
  if (!s.shown) (*this)(plan::LookAhead{});
}

void TokenText::operator()(const plan::Copy& s) {
  if (reading_ == plan::Reading::Late) {
    if (s.late_distance) {
      const std::string d = value_u64(s.distance);
      if (s.tests_window) w_->line("if (SLUICE_UNLIKELY({} > {})) {}", d, context_.module.window, out_of_token());
      w_->line("prim::copy_from(own, {});", d);
    }
    return w_->line("out += own.length;");
  }
  const bool may_be_empty = (*s.length).range.lo <= 0;
  if (reading_ && s.late_distance && s.look != plan::kNoValue) look_at_once(s.look);
  if (reading_ && s.late_distance && may_be_empty) return w_->line("prim::copy_any_later(out, {});", value_u64(s.length));
  if (reading_ && s.late_distance) return w_->line("prim::copy_later(out, {});", value_u64(s.length));
  if (!s.group.empty()) return repeat(s);
  const std::string far = number("far", s.value), count = number("n", s.value + 1);
  const std::string d = value_u64(s.distance), n = value_u64(s.length);
  declare_both(s.value, far, d, count, n);
  w_->line("if (SLUICE_UNLIKELY(prim::too_far<{2}>({0}, out{4}, window{4}){1})) {3}", far,
           s.tests_window ? fmt::format(" || {} > {}", far, context_.module.window) : "",
           (*s.distance).range.hi <= 0xffffffff ? "u32" : "u64", out_of_token(), ending);
  if (s.tested)
    w_->line("if (SLUICE_UNLIKELY({} > {}) && ({})) {}", count, plan::kShortCopy, lacks_output(count, 1), out_of_token());
  look_ahead(s);
  if (s.look != plan::kNoValue) look_at_once(s.look);
  if (reading_ && may_be_empty) w_->line("prim::copy_any(pending, out, {}, {});", far, count);
  else if (leaves_entries() && !may_be_empty) w_->line("prim::copy_some(pending, out, {}, {});", far, count);
  else if (s.stepwise) w_->line("prim::copy_steps(pending{2}, out{2}, {0}, {1});", far, count, ending);
  else w_->line("prim::copy_match(pending, out, {}, {});", far, count);
  w_->line("out{} += {};", ending, count);
}

void TokenText::write_held(Writer& w) {
  if (!loop_.joined) return;
  w_ = &w;
  w.line("prim::Held before;  // note [held bytes]");
  w.line("prim::hold(before, out, {}, window);", value_u64(plan::joined_copy(loop_.body[*loop_.joined]).distance));
}

// Where an element stands: its address.
std::string TokenText::address(const plan::ArrayPlace& place) { return fmt::format("{}->{} + ({})", scratch(), context_.array(place.array), value_u64(place.index)); }

// Both by one primitive, or each by itself; or tokens without a prefix, as many as there are: note [alone] of plan/joined.h.
void TokenText::joined(const plan::Step& copies, const plan::Step& literals) {
  const std::string prefix = value_u64(plan::joined_copy(copies).length), rest = value_u64(std::get<Literals>(literals.what).count);
  if (loop_.alone) {
    w_->line("u64 many = 0;");
    w_->open("if ({} == 0 && prim::join_alone(before, out, out_limit, src, in, in_limit, {}, {}, steps - step, many, {})) {{", prefix,
             address(plan::prefix_place(loop_)), address(plan::rest_place(loop_)), name(plan::joined_before(loop_)));
    w_->line("step += {}many;", loop_.few_steps ? "(u32)" : "");
    w_->line("continue;");
    w_->close();
  }
  w_->open("if (SLUICE_UNLIKELY(!prim::join(before, out, src, in, {}, {}))) {{", prefix, rest);
  step(copies);
  w_->at(context_.place(literals.span));
  step(literals);
  w_->line("prim::hold(before, out, out - token_out, window);");
  w_->close();
}

// The group in one register, its first element lowest.
void TokenText::repeat(const plan::Copy& s) {
  const std::string group = number("group", s.value), count = number("n", s.value + 1);
  std::string all;
  for (std::size_t i = 0; i < s.group.size(); ++i)
    all += i == 0 ? fmt::format("(u8)({})", value_u64(s.group[i])) : fmt::format(" | (u64)(u8)({}) << {}", value_u64(s.group[i]), 8 * i);
  w_->line("const u64 {} = {};", group, all);
  w_->line("const u64 {} = {};", count, value_u64(s.length));
  if (s.tested) w_->line("if (SLUICE_UNLIKELY({} > {}) && ({})) {}", count, plan::kShortCopy, lacks_output(count, 1), out_of_token());
  look_ahead(s);
  w_->line("prim::fill_group<{}>(out, {}, {});", s.group.size(), group, count);
  w_->line("out += {};", count);
}

void TokenText::operator()(const plan::Slice& s) {
  const std::string count = number("n", s.value), from = number("from", s.value + 1);
  if (reading_ == plan::Reading::Late) return w_->line("own.from = (u32)({});", value_u64(s.from));
  if (reading_) return w_->line("prim::slice_of(out, {}, {});", s.late_from ? "0" : value_u64(s.from), value_u64(s.count));
  declare_both(s.value, count, value_u64(s.count), from, value_u64(s.from));
  // A CPU's buffers have so many bytes behind them: write_scratch.
  if (context_.cuda()) w_->line("if (SLUICE_UNLIKELY({} + {} > {})) {}", from, count, context_.module.buffers[s.buffer].limit - plan::kSlack, out_of_token());
  const std::string place = fmt::format("{} + {}", context_.cuda() ? start_of(context_, s.buffer) : fmt::format("{}->{}", scratch(), context_.buffer(s.buffer)), from);
  w_->open("if (SLUICE_LIKELY({} <= {})) {{", count, plan::kSlack);
  w_->line("prim::slice_short(out, {}, {});", place, count);
  w_->next("} else {");
  w_->line("if ({}) {}", lacks_output(count, 1), out_of_token());
  w_->line("prim::slice(out, {}, {});", place, count);
  w_->close();
  w_->line("out += {};", count);
}

void TokenText::operator()(const plan::SymbolBytes& s) {
  const std::string at = number("at", s.value), n = number("n", s.value + 1);
  const std::string table = fmt::format("{}->{}", scratch(), context_.symbols(s.table));
  declare_both(s.value, at, value_u64(s.index), n, fmt::format("{}.length[{}]", table, at));
  w_->line("if (SLUICE_UNLIKELY({} == 0)) {}", n, out_of_token());
  w_->line("prim::put(out, {}.text[{}], {});", table, at, n);
  w_->line("out += {};", n);
}

// ---- Symbols of prefix codes ---------------------------------------------------------------------------------------

std::string TokenText::look_up(std::uint32_t table, unsigned bits) const {
  const std::string entry = fmt::format("{}[Bits::look(b, {})]", context_.lookup(plan_.tables[table].code, table), bits);
  return plan_.tables[table].entry != plan::EntryForm::Wide ? context_.format("prim::wide_entry({})", entry) : entry;
}

void TokenText::operator()(const plan::LookAhead&) {
  if (reading_) return;
  w_->line("{} = {};", number("e", loop_.row->entry), look_up(loop_.row->table, loop_.row->first));
}

void TokenText::operator()(const plan::PickTable& s) {
  w_->line("const u32* const {} = {}->{}[{}];", number("table", s.value), scratch(),
           context_.lookup(plan_.tables[s.table].code, s.table), value_u64(s.copy));
}

void TokenText::operator()(const Symbol& s) {
  if (reading_ == plan::Reading::Late)
    return late_arms(s, [&](const SymbolArm& arm) {
      if (arm.take == Take::Output) w_->line("out += own.literals;");
      body(arm.body);
    });
  const std::string e = number("e", s.value);
  if (in_row(s))
    row(s);
  else if (s.copy)
    w_->line("u32 {} = {}[Bits::look(b, {})];", e, number("table", s.picked), s.first);
  else
    w_->line("u32 {} = {};", e, look_up(s.table, s.first));
  if (s.again != 0) again(s);
  if (s.again != 0) w_->open("if (!ended) {");
  long_code(s);
  if (reading_ && std::ranges::find(loop_.records->kept_symbols, s.value) != loop_.records->kept_symbols.end())
    w_->line("{} = {} & prim::kKindMask;", number("kind", s.value), e);
  arms(s);
  if (s.again != 0) w_->close();
}

// What comes after the symbol once more, when the tokens before are known: of which kind it is has been kept.
void TokenText::late_arms(const Symbol& s, const std::function<void(const SymbolArm&)>& print) {
  for (std::size_t k = 0; k < s.arms.size(); ++k) {
    if (k + 1 < s.arms.size())
      w_->open("if ({} == {}u) {{", number("kind", s.value), k << plan::kKindShift);
    print(s.arms[k]);
    if (k + 1 < s.arms.size()) w_->next("} else {");
  }
  for (std::size_t k = 1; k < s.arms.size(); ++k) w_->close();
}

void TokenText::row(const Symbol& s) {
  const std::string e = number("e", s.value);
  for (unsigned k = 0; k < loop_.row->symbols; ++k) {
    const std::string around = w_->place();
    if (s.pairs) w_->open("if (({} & {}u) == 0) {{", e, plan::kKindSpecial);
    else w_->open("if (({} & prim::kKindMask) == 0) {{", e);
    w_->at(context_.place(s.arms[0].span));
    store_symbol(e, s.pairs);
    w_->at(around);
    (*this)(plan::LookAhead{});
  }
  for (unsigned k = 0; k < loop_.row->symbols; ++k) w_->close();
  w_->line("token_in = in; token_out = out; token_count = b.count;");  // leaving returns here
}

// Symbols that are output as they are. What leaves later goes back to the first one: they are done again. A lane whose part ends
// waits for the others: were it to go on with the loop, they would not come together before what follows, and do it in turn.
void TokenText::again(const Symbol& s) {
  const std::string e = number("e", s.value), around = w_->place();
  w_->line("bool ended = false;");
  for (unsigned k = 1; k <= s.again; ++k) {
    if (k == 1) w_->open("if (({} & prim::kKindMask) == 0) {{", e);
    else w_->open("if (!ended && ({} & prim::kKindMask) == 0) {{", e);
    w_->at(context_.place(s.arms[0].span));
    store_symbol(e, false);
    w_->at(around);
    if (k % s.refill == 0) (*this)(plan::Refill{});
    w_->line("ended = b.count >= region_end;");
    w_->line("if (!ended) {} = {};", e, look_up(s.table, s.first));
  }
  for (unsigned k = 0; k < s.again; ++k) w_->close();
}

// The symbol of the entry is the output, or both of them are.
void TokenText::store_symbol(const std::string& e, bool pairs) {
  w_->line("Bits::drop(b, src, in, prim::entry_bits({}));", e);
  if (pairs) {
    w_->line("prim::store<2>(out, prim::entry_payload({}));", e);
    return w_->line("out += prim::entry_symbols({});", e);
  }
  w_->line("prim::store<{}>(out, prim::entry_payload({}));", context_.elem_bytes(), e);
  w_->line("out += {};", context_.elem_bytes());
}

void TokenText::long_code(const Symbol& s) {
  const std::string e = number("e", s.value), table = context_.lookup(plan_.tables[s.table].code, s.table);
  w_->open("if (SLUICE_UNLIKELY({} & {}u)) {{", e, plan::kKindSpecial);
  switch (s.long_code) {
    case LongCode::None:
      w_->line("{}", out_of_token());
      break;
    case LongCode::Search:
      w_->line("{0} = {1}<{2}, {3}>({4}->{5}[{6}], kInfo_{7}, Bits::look(b, {8}), {0});", e,
               reading_ ? context_.format("prim::longer_entry") : context_.format("prim::long_entry"), msb(), s.first, scratch(),
               context_.code(plan_.tables[s.table].code), s.copy ? value_u64(s.copy) : "0", table, s.longest);
      w_->line("if ({} & {}u) {}", e, plan::kKindSpecial, out_of_token());
      break;
    case LongCode::Second:
      w_->line("if (({} & prim::kKindMask) == prim::kKindLeave) {}", e, out_of_token());
      if (s.needs_long != 0) (*this)(plan::Need{s.needs_long});
      w_->line("Bits::drop(b, src, in, {});", s.first);
      w_->line("{0} = {1}[prim::entry_payload({0}) + Bits::look(b, prim::entry_code_bits({0}))];", e,
               s.copy ? number("table", s.picked) : table);
      w_->line("if ({} & {}u) {}", e, plan::kKindSpecial, out_of_token());
      break;
  }
  if (s.needs != 0) {
    w_->next("} else {");
    (*this)(plan::Need{s.needs});
  }
  w_->close();
}

// What comes after the symbol, each in its branch.
void TokenText::arms(const Symbol& s) {
  const std::string e = number("e", s.value);
  unsigned open_elses = 0;
  const bool several = s.arms.size() > 1;
  for (std::size_t k = 0; k < s.arms.size(); ++k) {
    const bool last = k + 1 == s.arms.size();
    if (!last)
      w_->open("if (({} & prim::kKindMask) == {}u) {{", e, k << plan::kKindShift);
    else if (several)
      w_->open("{");
    const std::string around = w_->place();
    w_->at(context_.place(s.arms[k].span));
    take(s, s.arms[k]);
    body(s.arms[k].body);
    w_->at(around);
    if (!last && in_row(s) && s.arms[k].falls) w_->line("continue;");
    if (!last && !in_row(s)) {
      w_->next("} else {");
      ++open_elses;
    } else if (several) {
      w_->close();
    }
  }
  for (; open_elses > 0; --open_elses) w_->close();
}

void TokenText::take(const Symbol& s, const SymbolArm& arm) {
  const std::string e = number("e", s.value);
  switch (arm.take) {
    case Take::Output:
      return store_symbol(e, s.pairs);
    case Take::Drop:
      return w_->line("Bits::drop(b, src, in, prim::entry_bits({}));", e);  // with its extra bits
    case Take::Extra:
      return w_->line("{} = prim::entry_payload({}) + prim::take_entry(b, src, in, {});", name(arm.local), e, e);
    case Take::Payload:
      w_->line("Bits::drop(b, src, in, prim::entry_bits({}));", e);
      return w_->line("{} = prim::entry_payload({});", name(arm.local), e);
  }
}

}  // namespace sluice::emit
