// Loops whose tokens fill an array (compiler/plan/fills.h), in kernels whose lanes guess where tokens begin: what is left when a
// token's start is known before its place in the array. Tokens that are not taken so are the checked path's.
//
//   struct Fills_rule3_lengths_3 {
//     static constexpr u32 kMostBits = 14;      of one token
//     Scratch* m;                               and what is known before the loop
//     template <typename Index> u32 round(u32 lane, u32 src, u32 left, Index& first) const {
//       Bits b = {src, 0};
//       bool bad = false;
//       do {
//         ... the token, `bad = true; break;` where it is none ...
//       } while (false);
//       const prim::FillPlaces places = ...      which tokens follow each other, and what they fill
//       const u32 v7_done = first + places.before;
//       do {
//         ... tests that wait for that ...
//       } while (false);
//       return prim::fill_round<true>(places, bad, m->array1_lengths, first, count, value);
#include "compiler/emit/loop_text.h"
#include "compiler/emit/token_text.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/fills.h"
#include "compiler/plan/late.h"

namespace sluice::emit {

using plan::Local;
using plan::Reading;

std::string write_fills_loop(const Context& context, const plan::Plan& plan, const plan::Loop& loop) {
  const Context lane = context.of_lane();
  const plan::Fills& fills = *loop.fills;
  const plan::SideBySide& fill = plan::fill_of(loop);
  plan::Loop token = loop;
  token.body = plan::token_of_fills(loop);
  TokenText own(lane, plan, token, Reading::Token), late(lane, plan, token, Reading::Late);
  own.of_fills = late.of_fills = true;
  const std::string name = fmt::format("Fills_{}_{}", context.rule(loop.rule), loop.number), next = own.name(fills.next);
  const std::string array = context.array(fills.array);
  const std::vector<Local> captured = plan::captured_of(loop);

  Writer w(lane.notes());
  w.line("// Tokens of `{}` that fill an array, one for each lane; see note [fills].", context.module.rules[loop.rule].name);
  w.line("namespace thread {");
  w.open("struct {} {{", name);
  w.line("static constexpr u32 kMostBits = {};  // of one token", fills.most_bits);
  w.line("Scratch* m;");
  for (const Local l : captured) w.line("const {} {};", own.held_as(l), own.name(l));
  w.line("template <typename Index>");
  w.open("SLUICE_METHOD u32 round(u32 lane, u32 src, u32 left, Index& first) const {");
  w.line("typedef prim::Window<{}> Bits;", context.msb());
  w.line("const prim::Cursor in = 0;  // nowhere");
  w.line("Bits b = {src, 0};");
  w.line("bool bad = false;");
  for (const std::uint32_t t : loop.tables)
    w.line("const {1}* const {0} = m->{0}[0];", context.lookup(plan.tables[t].code, t), context.entry_type(plan.tables[t].entry));
  own.write_locals(w);
  w.open("do {");
  own.write(w, token.body);
  w.close("} while (false);");
  w.at("");
  w.line("const u32 count = {}, value = {};", own.text(fill.count), own.text(std::get<plan::SetElement>(fill.body[0].what).value));
  w.line("const prim::FillPlaces places = prim::fill_places(lane, bad, b.count, count, left);");
  w.line("const {} {} = first + places.before;", own.held_as(fills.next), next);
  w.open("do {");
  late.write(w, token.body);
  w.close("} while (false);");
  w.at("");
  w.line("return prim::fill_round<{}>(places, bad, m->{}, first, count, value);", fills.repeats, array);
  w.close();
  w.close("};");
  w.line("}  // namespace thread");
  w.line("");

  Writer of_warp(context.notes());
  const LoopSlots slots = loop_slots(context, plan, loop);
  of_warp.line("{}", context.head(true));
  of_warp.open("SLUICE_INLINE void {}(State& s{}) {{", loop_name(context, loop), slots.parameters);
  std::string known = context.format("prim::in_register(s.m.operator->())");
  for (const Local l : captured) known += ", " + own.name(l);
  of_warp.line("const thread::{} tokens = {{{}}};", name, known);
  of_warp.line("prim::take_fills<{}>(s, tokens, {});", context.msb(), belonging("ref", next));
  of_warp.close();
  of_warp.line("");
  return w.take() + of_warp.take();
}

}  // namespace sluice::emit
