// Loops inside tokens, and steps that need no test: see token_text.h.
#include <set>

#include "compiler/emit/token_text.h"
#include "compiler/plan/kept_sums.h"
#include "compiler/plan/unpacked_steps.h"
#include "compiler/plan/walk.h"

namespace sluice::emit {
namespace {

constexpr unsigned kMaxWholeBytes = 4;  // widths of 8, 16, 24 and 32 bits have a loop of their own
constexpr unsigned kMinWhole = 16;      // from so many steps on it pays to look for them

// May a field of that width need two loads?
bool is_wide(const plan::Body& body, plan::Value width) {
  for (const plan::Field* f : plan::fields_of(body))
    if (f->width == width && f->form == plan::FieldForm::AtWide) return true;
  return false;
}

}  // namespace

// The array that it reads an element of.
std::uint32_t TokenText::array_read(const plan::Body& steps) {
  std::uint32_t array = 0;
  plan::for_each_step(steps, [&](const plan::Step& s) {
    plan::for_each_operand(s, [&](const plan::Operand& o) {
      plan::for_each_node(*o, [&](const ir::Expr& e) { array = e.op == ir::Op::Elem ? e.ref : array; });
    });
  });
  return array;
}

std::string TokenText::stride(const plan::Body& steps) const {
  std::string sum;
  for (const plan::Field* f : plan::fields_of(steps)) sum += (sum.empty() ? "" : " + ") + width(*f);
  return sum.empty() ? "0" : sum;
}

// ---- Steps that need no test ---------------------------------------------------------------------------------------
//
//   field %0 at #1, store (zigzag %0)   ->   if (unchecked >= 16 && ((bit & 7) | (width_1 ^ 16)) == 0) {
//                                              for (k ...) { v = prim::whole_at<true, 2>(src, field, k); ... }
//                                              bit += 16 * unchecked;
//                                            } else if (width_1 <= 57) {
//                                              for (32 at a time) { prim::unpack(..., fields); for (k ...) { v = fields[k - first]; ... } }
//                                              for (k ...) { v = prim::bits_at<true>(src, bit, width_1); ... }
//                                            } else ...
//
// A field whose width is the same in every step is what decides: whole bytes from a byte boundary are plain loads,
// which compilers turn into vector code; up to 57 bits are unpacked by vectors, note [unpack], or are one load and two shifts;
// more are two loads.

void TokenText::each_unchecked_step(Writer& w, const UncheckedSteps& steps, const std::string& unchecked) {
  w.open("for ({} k = 0; k < {}; ++k) {{", steps.count == plan::kNoValue ? "u64" : held_as(steps.count), unchecked);
  unchecked_step(w, steps);
  w.close();
}

void TokenText::unchecked_step(Writer& w, const UncheckedSteps& steps) {
  if (steps.before) steps.before(w);
  body(steps.body);
  if (steps.after) steps.after(w);
}

// An array of what an element holds: fields of more bits are read one by one.
void TokenText::unpacked_steps(Writer& w, const UncheckedSteps& steps, const std::string& unchecked) {
  const std::string bits = number("width", steps.only_field);
  const char* const type = context_.elem_bytes() > 4 ? "u64" : "u32";
  w.line("{} k = 0;", steps.count == plan::kNoValue ? "u64" : held_as(steps.count));
  w.open("if (prim::kUnpacks && {} >= prim::kUnpacked && {}) {{", unchecked, context_.format("prim::unpackable<{}>({})", type, bits));
  w.line("static_assert(kInMargin >= prim::kUnpackBytes, \"what is loaded with a field lies inside the input\");");
  w.line("const auto unpacker = {};", context_.format("prim::unpacker<{}>(bit, {})", msb(), bits));
  w.open("while ({} - k >= prim::kUnpacked) {{", unchecked);
  w.line("{} fields[prim::kUnpacked];", type);
  w.line("prim::unpack(unpacker, prim::cursor(src, bit >> 3), fields);");
  w.line("const {0} first = k, behind = k + prim::kUnpacked;", steps.count == plan::kNoValue ? "u64" : held_as(steps.count));
  w.open("do {");
  unpacked_ = steps.only_field;
  unchecked_step(w, steps);
  unpacked_ = plan::kNoValue;
  w.close("} while (++k < behind);");
  w.close();
  w.close();
  w.open("for (; k < {}; ++k) {{", unchecked);
  unchecked_step(w, steps);
  w.close();
}

void TokenText::write_unpacked(Writer& w, const UncheckedSteps& steps, plan::Unpacked how, const std::string& unchecked) {
  w_ = &w;
  const std::string bits = number("width", steps.only_field);
  const unsigned size = context_.elem_bytes();
  if (context_.cuda()) w.line("static_assert(kInMargin >= prim::kUnpackReach, \"a field's words lie inside the input\");");
  else w.line("static_assert(kInMargin >= prim::kUnpackReach && kOutMargin >= prim::kUnpackSlack, \"what vectors hold lies inside\");");
  if (how == plan::Unpacked::Stored) {
    w.line("prim::unpack_out<{}, {}>(out, src, bit, {}, {});", msb(), size, bits, unchecked);
  } else {
    const auto& [sum, value] = plan::summing(steps.body);
    const std::string to = name(sum), before = belonging("before", to);
    w.open("{");
    if (steps.before) steps.before(w);
    w.line("const u64 {} = (u64){};", before, to);
    w.line("{} = 0, {} = 0;", to, name(std::get<plan::Field>(steps.body[0].what).local));
    // A warp is told whether elements are all that is meant of the sum.
    const std::string whole = !context_.cuda() ? "" : type_of(sum).bits <= 32 ? ", true" : "";
    const ir::Type type = type_of(sum);
    const std::string cut = type.bits == 64 ? "" : fmt::format("({})", stored(type));
    w.line("{} = ({}){}prim::unpack_sums<{}, {}{}>(out, src, bit, {}, {}, {}, {});", to, held_as(sum), cut, msb(), size, whole, bits, unchecked,
           before, value_u64(value));
    w.close();
  }
  const std::string n = steps.count != plan::kNoValue && is_narrow(steps.count) ? "(u64)" + unchecked : unchecked;
  w.line("out += {};", times(n, size));
  w.line("bit += {} * {}{};", bits, context_.cuda() ? "(u32)" : "", unchecked);
}

void TokenText::write_kept_sums(Writer& w, const UncheckedSteps& steps, const std::string& unchecked) {
  w_ = &w;
  const plan::KeptSums kept = *plan::kept_sums(context_.module, loop_);
  const auto wrapped = [&](plan::Local to) { return fmt::format("({})({})", held_as(to), stored(type_of(to))); };
  const ir::Type element = context_.module.arrays[kept.array].elem;
  const std::string sum = name(kept.sum), array = fmt::format("{}->{}", scratch(), context_.array(kept.array));
  w.line("static_assert(kInMargin >= prim::kUnpackReach, \"what vectors hold lies inside\");");
  w.line("u64 sums = (u64){}, any = 0;", sum);
  w.line("bool kept = false;");
  w.open("{");
  steps.before(w);
  w.line("{} = 0, {} = 0;", sum, name(std::get<plan::Field>(steps.body[0].what).local));
  w.line("const u64 term = (u64){}, at = {};", value_u64(kept.value), value_u64(kept.first));
  w.line("kept = prim::keep_sums<{}>({}, at, {}ull, src, bit, {}, {}, sums, term, any, {}u);", msb(), array, kept.last.value_or(~std::uint64_t{0}),
         number("width", steps.only_field), unchecked, (std::uint64_t{1} << element.bits) - 1);
  w.line("{} = {}sums;", sum, wrapped(kept.sum));
  w.close();
  w.open("if (kept) {");
  if (kept.any) w.line("{0} = {1}((u64){0} | any);", name(*kept.any), wrapped(*kept.any));
  w.line("bit += {} * {};", number("width", steps.only_field), unchecked);
  w.line("step += {};", unchecked);
  w.next("} else {");
  write_unchecked_steps(w, steps, unchecked);
  w.close();
}

void TokenText::write_unchecked_steps(Writer& w, const UncheckedSteps& steps, const std::string& unchecked) {
  w_ = &w;
  unsigned open = 0;
  const auto choose = [&](const std::string& condition) {
    if (open++ == 0)
      w.open("if ({}) {{", condition);
    else
      w.next("}} else if ({}) {{", condition);
  };
  const bool one_by_one = steps.only_field == plan::kNoValue || context_.cuda() || loop_.backward;
  // Where steps go in turn, no vectors come of plain loads. (ORC's, which make output of them, are left as they were measured.)
  if (!one_by_one && (plan::holds<plan::Store>(steps.body) || !plan::goes_in_turn(steps.body))) {
    const std::string bits = number("width", steps.only_field);
    w.line("const prim::Cursor field = prim::cursor(src, bit >> 3);");
    for (unsigned bytes = 1; bytes <= kMaxWholeBytes; ++bytes) {
      choose(fmt::format("{} >= {} && ((bit & 7) | ({} ^ {})) == 0", unchecked, kMinWhole, bits, 8 * bytes));
      whole_[steps.only_field] = bytes;
      each_unchecked_step(w, steps, unchecked);
      whole_.erase(steps.only_field);
      w.line("bit += {} * {};", 8 * bytes, unchecked);
    }
  }
  const auto write = [&](bool each) { each ? each_unchecked_step(w, steps, unchecked) : unpacked_steps(w, steps, unchecked); };
  std::string narrow;
  for (const plan::Value width : steps.widths)
    if (is_wide(steps.body, width))
      narrow += fmt::format("{}{} <= 57", narrow.empty() ? "" : " && ", number("width", width));
  if (!narrow.empty()) {
    choose(narrow);
    narrow_ = steps.widths;
    write(one_by_one);
    narrow_.clear();
  }
  if (open > 0) w.next("} else {");
  write(one_by_one || !narrow.empty());
  if (open > 0) w.close();
}

// ---- Loops inside tokens -------------------------------------------------------------------------------------------

void TokenText::operator()(const plan::Repeat& s) {
  if (s.count) {
    const std::string i = number("i", s.value), n = number("n", s.value + 1);
    w_->line("const {} {} = {};", held_as(s.value + 1), n, value_u64(s.count));
    w_->open("for ({2} {0} = 0; {0} < {1}; ++{0}) {{", i, n, held_as(s.value));
    if (s.index) w_->line("{} = {};", name(*s.index), i);
  } else {
    w_->open("for (;;) {");
  }
  w_->line("if (SLUICE_UNLIKELY({} || out > out_limit)) {}", input_past(), out_of_token());
  if (s.until) w_->line("if ({}) break;", value(s.until));
  body(s.body);
  w_->close();
}

void TokenText::operator()(const plan::Unchecked& s) {
  Writer& w = *w_;
  const std::string n = number("n", s.value);
  w.open("{");
  w.line("const {} {} = {};", held_as(s.value), n, value_u64(s.count));
  std::vector<plan::Value> same;
  write_widths(s.widths);
  for (const plan::Width& width : s.widths) same.push_back(width.value);
  // All steps fit when as many of the longest do; a lone field's width tells it exactly.
  std::string lacks;
  if (s.exact)
    lacks = fmt::format("bit > bit_limit || {}{} * {} > bit_limit - bit", is_narrow(s.value) ? "(u64)" : "", n,
                        number("width", s.only_field));
  else if (s.step.bits > 0)
    lacks = fmt::format("bit > bit_limit || {} > {}", n, over("(bit_limit - bit)", s.step.bits));
  if (s.step.out > 0) lacks += (lacks.empty() ? "" : " || ") + lacks_output(n, s.step.out);
  if (!lacks.empty()) w.line("if (SLUICE_UNLIKELY({})) {}", lacks, out_of_token());
  if (s.unpacked != plan::Unpacked::No) {
    write_unpacked(w, {s.body, std::move(same), s.only_field, {}, {}, s.value}, s.unpacked, n);
    return w.close();
  }
  const auto count = [&](Writer& out) {
    if (s.index) out.line("{} = k;", name(*s.index));
  };
  write_unchecked_steps(w, {s.body, std::move(same), s.only_field, count, {}, s.value}, n);
  w.close();
}

// Every lane holds the sums up to its own step: those of the last one are the loop's.
void TokenText::write_sums(Writer& w, const plan::Body& steps) {
  std::set<plan::Local> sums;
  plan::for_each_step(steps, [&](const plan::Step& s) {
    if (const auto* sum = std::get_if<plan::Sum>(&s.what)) sums.insert(sum->local);
  });
  for (const plan::Local local : sums)
    w.line("{0} = ({1})prim::shfl64((u64){0}, last);", name(local), held_as(local));
}

// As part of a token's list, or as steps that a walk passes.
void TokenText::listed(const plan::SideBySide& s) {
  using plan::ListPart;
  Writer& w = *w_;
  if (s.list == ListPart::None && !s.passed) return w.line("{}", out_of_token());
  const std::string n = number("n", s.value);
  const auto unless = [&](const std::string& done) { w.line("if (SLUICE_UNLIKELY(!{})) {}", done, out_of_token()); };
  const auto array_of = [&](const plan::Body& steps) {
    return fmt::format("{}->{}", scratch(), context_.array(std::get<plan::SetElement>(steps.back().what).array));
  };
  w.open("{");
  w.line("const {} {} = {};", held_as(s.value), n, value_u64(s.count));
  write_widths(s.widths);
  const std::string others = context_.format("prim::other_steps(out, bit, bit_limit, {}, {})", n, stride(s.body));
  switch (s.list) {
    case ListPart::None:
      unless(others);
      break;
    case ListPart::Values:
      unless(context_.format("prim::packed_list<List>(out, src, bit, {}, {})", n, stride(s.body)));
      break;
    case ListPart::Sums: {  // what a field of 1 adds tells what any does
      const auto& sum = std::get<plan::Sum>(s.body[1].what);
      w.line("{} = 1;", name(std::get<plan::Field>(s.body[0].what).local));
      unless(context_.format("prim::sum_list<List>(out, src, bit, {}, {}, (u64){}, {} != 1)", n, stride(s.body), name(sum.local), value_u64(sum.term)));
      break;
    }
    case ListPart::Array:
      unless(context_.format("prim::fill_array(out, src, bit, bit_limit, {}, {}, {})", n, stride(s.body), array_of(s.body)));
      break;
    case ListPart::Amends:
      w.open("if (prim::OnlyWalks<Out>::kYes) {");
      unless(others);
      w.next("} else {");
      w.line("SLUICE_ROLLED");
      w.open("for (u32 k = 0; k < {}; ++k) {{", n);
      w.line("if (bit > bit_limit) {}", out_of_token());
      if (s.index) w.line("{} = k;", name(*s.index));
      body(s.body);
      w.line("if ({}.wrong) {}", array_of(s.body), out_of_token());
      w.close();
      w.close();
      break;
    case ListPart::Offset: {  // what is put out where the array holds 0 is added to all
      const std::string array = fmt::format("{}->{}", scratch(), context_.array(array_read(s.body)));
      w.line("{}.nothing = true;", array);
      if (s.index) w.line("{} = 0;", name(*s.index));
      unless(context_.format("prim::put_array(out, {}, {}, {})", array, n, value_u64(std::get<plan::Store>(s.body[0].what).value)));
      break;
    }
  }
  w.close();
}

void TokenText::operator()(const plan::SideBySide& s) {
  Writer& w = *w_;
  if (s.in_order && !values()) return w.line("{}", out_of_token());
  if (values()) return listed(s);
  const std::string n = number("n", s.value), k = is_narrow(s.value) ? "(u64)k" : "k", steps = is_narrow(s.value) ? "k" : "(u32)k";
  const char* const counts = held_as(s.value);
  const bool tests = plan::holds<plan::Check, plan::Leave>(s.body), sets = plan::holds<plan::SetElement>(s.body);
  const bool stores = sets || plan::holds<plan::Store>(s.body);
  const bool together = plan::holds<plan::Sum>(s.body);  // all lanes stay, for the prefix sum
  const bool fills = !together && !tests && s.step == plan::Cost{};
  w.open("{");
  w.line("const {} {} = {};", held_as(s.value), n, value_u64(s.count));
  const bool moves = !plan::fields_of(s.body).empty();
  std::string lacks;
  if (s.step.bits > 0) lacks += fmt::format("bit > bit_limit || {} > {}", n, over("(bit_limit - bit)", s.step.bits));
  if (s.step.out > 0) lacks += (lacks.empty() ? "" : " || ") + lacks_output(n, s.step.out);
  if (!lacks.empty()) w.line("if (SLUICE_UNLIKELY({})) {}", lacks, out_of_token());
  write_widths(s.widths);
  if (s.unpacked != plan::Unpacked::No) {
    write_unpacked(w, {s.body, plan::values_of(s.widths), s.only_field, {}, {}, s.value}, s.unpacked, n);
    return w.close();
  }
  if (moves) w.line("const u32 first_bit = bit;");
  if (moves) w.line("const u32 stride = {};", stride(s.body));
  if (s.step.out > 0) w.line("const auto first_out = out;");
  if (sets) w.line("prim::sync();  // what the lanes store, nobody reads any more");
  if (tests) w.line("bool bad = false;");
  w.line("SLUICE_ROLLED");
  if (together) {
    w.open("for ({} base = 0; base < {}; base += prim::kLanes) {{", counts, n);
    w.line("const bool in_time = base + prim::lane() < {}{};", n,
           stores ? ", on = in_time && prim::worker() < prim::kLanes" : "");
    w.line("const {} k = in_time ? base + prim::lane() : {} - 1;", counts, n);
    w.line("const u32 last = (u32)({0} - base > prim::kLanes ? prim::kLanes : {0} - base) - 1;", n);
  } else if (fills) {  // few, most often: one round, without a branch at which lanes part
    w.open("for ({} base = 0; base < {}; base += prim::kWorkers) {{", counts, n);
    w.line("const {} k = base + prim::worker();", counts);
    w.line("const bool on = true;");
    w.open("if (k < {}) {{", n);
  } else {
    w.open("for ({} k = prim::worker(); k < {}; k += prim::kWorkers) {{", counts, n);
    if (stores) w.line("const bool on = true;");
    w.open("do {");
  }
  // The token's own positions, which are not needed where it began: behind the loop they are set to its end.
  if (moves) w.line("bit = first_bit + {} * stride;", steps);
  if (s.step.out > 0) w.line("out = first_out + {};", times(s.step.out == 1 ? "k" : k, s.step.out));
  if (s.index) w.line("{} = k;", name(*s.index));
  lanes_ = true;
  body(s.body);
  lanes_ = false;
  if (fills) w.close();
  else if (!together) w.close("} while (false);");
  write_sums(w, s.body);
  w.close();
  if (tests) w.line("if (prim::any_worker(bad)) {}", out_of_token());
  if (s.step.bits > 0) w.line("bit = first_bit + {}{} * stride;", is_narrow(s.value) ? "" : "(u32)", n);
  if (s.step.out > 0) w.line("out = first_out + {};", many(n, s.value, s.step.out));
  if (sets) w.line("prim::sync();");
  w.close();
}

}  // namespace sluice::emit
