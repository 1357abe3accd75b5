// Parts whose output has no recorded size (Gompresso/Bit's sub-blocks): each lane goes through its part twice, first to
// find out how much it makes, then to write that where a prefix sum has put it.
//
//   for n < count                  ->   places of the next parts in the input, as for every split
//     within size[n] bits               makes = thread::part, writing nothing          what is it worth?
//       tokens                          place = s.produced + the sum of those before       where does it go?
//                                       thread::part                                   literals; copies wait
//                                       prim::resolve_parts                            copies, in their order
//
// Counting starts at a made-up place, so what a part says of its place counts for nothing then: the second pass looks at
// everything again, and a part that makes another number of outputs than it did is not sound. The loop goes back to the
// first part that isn't, for the checked path. Both passes are one function, which is half to compile.
//
// Where parts leave entries (prim::write_parts), each lane goes through its part once, at the made-up place: the plan says
// that a part would do the same at any (plan::Part::placeless). What the place decides is asked when it is known: is there
// room, and do copies stay inside the window? Parts that do not fit their slots are taken again, fewer at a time.
#include "compiler/emit/split_part.h"

namespace sluice::emit {

std::string write_counted_loop(const Part& part, CheckedPath& checked) {
  const bool copies = part.plan().distance_bits != 0;
  Writer w = open_part_loop(part, checked);
  write_view(w, part.context);
  w.line("u64 makes = 0;");
  w.line("bool sound = false;");
  w.open("if (prim::lane() < count) {");
  w.line("const u64 room = s.out_end - s.produced;");
  w.line("t.pos = part_pos, t.end = part_end, t.window = 0, t.dictionary_bytes = 0, t.writes = false;");
  w.line("t.produced = thread::prim::kAnyPlace;");
  w.line("t.out_end = t.produced + (room < thread::prim::kMaxOfPart ? room : thread::prim::kMaxOfPart);");
  w.line("sound = thread::{}<Write>(t{}) == kOk && t.pos == part_end;", part.name, part.args);
  w.line("makes = t.produced - thread::prim::kAnyPlace;");
  w.close();
  w.line("prim::sync();");
  w.line("const u64 above = prim::scan_add64(makes), place = s.produced + (above - makes);");
  w.line("sound = sound && above <= s.out_end - s.produced && above <= thread::prim::kMaxOfPart;");
  w.line("u32 good = prim::leading(sound);");
  w.open("if (prim::lane() < good) {");
  w.line("t.pos = part_pos, t.end = part_end, t.window = s.window, t.dictionary_bytes = s.dictionary_bytes, t.writes = Write;");
  w.line("t.produced = place, t.out_end = s.out_end;");
  w.line("t.copy_base = s.out + s.produced, t.copies = 0;");
  w.line("sound = thread::{}<Write>(t{}) == kOk && t.pos == part_end && t.produced == place + makes{};", part.name, part.args,
         copies ? part.context.format(" && t.copies <= prim::kPartCopies") : "");
  w.close();
  w.line("prim::sync();");
  w.line("good = prim::leading(prim::lane() < good && sound);");
  if (copies)
    w.line("if (Write) prim::resolve_parts<kPartResolve>(s.out + s.produced, prim::lane() < good ? t.copies : 0);");
  w.open("if (good < count) {  // what is right before the first bad one stays");
  w.line("s.pos = prim::shfl64(start_pos, good);");
  w.line("s.produced = prim::shfl64(place, good);");
  w.line("step_ref += good;");
  w.line("return;");
  w.close();
  w.line("s.pos = next_pos;");
  w.line("s.produced += prim::shfl64(above, prim::kLanes - 1);  // a lane without a part makes nothing");
  w.line("step_ref += count;");
  return close_part_loop(std::move(w));
}

std::string write_entries_loop(const Part& part, CheckedPath& checked) {
  Writer w = open_part_loop(part, checked);
  write_view(w, part.context);
  w.line("u64 makes = 0;");
  w.line("bool sound = false;");
  w.line("if (Write) prim::clear_slots();");
  w.open("if (prim::lane() < count) {");
  w.line("const u64 room = s.out_end - s.produced;");
  w.line("t.pos = part_pos, t.end = part_end, t.window = 0, t.dictionary_bytes = 0;");
  w.line("t.produced = thread::prim::kAnyPlace;");
  w.line("t.out_end = t.produced + (room < thread::prim::kMaxOfPart ? room : thread::prim::kMaxOfPart);");
  w.line("thread::prim::open_part<Write>(t, width);");
  w.line("sound = thread::{}<Write>(t{}) == kOk && t.pos == part_end;", part.name, part.args);
  w.line("makes = t.produced - thread::prim::kAnyPlace;");
  w.close();
  w.line("prim::sync();");
  w.line("const u64 above = prim::scan_add64(makes), place = s.produced + (above - makes);");
  w.line("sound = sound && above <= s.out_end - s.produced && above <= thread::prim::kMaxOfPart && (t.reach <= 0 || (u64)t.reach <= place - s.window);");
  w.line("u32 good = prim::leading(sound);");
  w.line("bool tight = false;  // is the first one that stays out sound, and does not fit?");
  w.open("if (Write) {");
  w.line("const u32 fit = prim::leading(prim::lane() < good && thread::prim::part_fits(t));");
  w.line("tight = fit < good;");
  w.line("good = fit;");
  w.line("prim::write_parts(s, width, good, t.entries, (u32)makes);");
  w.close();
  w.open("if (good < count) {  // what is right before the first bad one stays");
  w.line("s.pos = prim::shfl64(start_pos, good);");
  w.line("s.produced = prim::shfl64(place, good);");
  w.line("step_ref += good;");
  w.line("if (!tight || width == 1) return;");
  w.line("width /= 2;");
  w.line("continue;");
  w.close();
  w.line("s.pos = next_pos;");
  w.line("s.produced += prim::shfl64(above, prim::kLanes - 1);  // a lane without a part makes nothing");
  w.line("step_ref += count;");
  w.line("if (width < prim::kLanes) width *= 2;");
  return close_part_loop(std::move(w));
}

}  // namespace sluice::emit
