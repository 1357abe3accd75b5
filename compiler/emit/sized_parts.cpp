#include "compiler/emit/split_part.h"

namespace sluice::emit {

std::string write_sized_loop(const Part& part, CheckedPath& checked) {
  const auto& carried = part.loop.carried;
  const auto name = [&](std::uint32_t slot) { return part.local(slot); };
  const auto type = [&](std::uint32_t slot) { return part.type(slot); };
  std::string wrong;
  for (const std::uint32_t slot : carried)
    wrong += fmt::format("{0}before_{1} != guess_{1}", wrong.empty() ? "" : " || ", name(slot));

  Writer w = open_part_loop(part, checked);
  w.line("bool sound = true;");
  const bool carries = !carried.empty();
  for (const std::uint32_t slot : carried)
    w.line("{0} guess_{1} = {1}, left_{1} = {1};  // what the step before leaves: what was there before all",
           type(slot), name(slot));
  if (carries) {
    w.line("bool on = prim::lane() < count;");
    w.line("SLUICE_ROLLED");
    w.line("// A lane whose guess was wrong starts again. After each round one more lane's is right for good.");
    w.open("for (u32 round = 0; round < prim::kLanes; ++round) {");
  }
  if (carries) w.open("if (on) {");
  else w.open("if (prim::lane() < count) {");
  for (const std::uint32_t slot : carried) w.line("left_{0} = guess_{0};", name(slot));
  write_view(w, part.context);
  w.line("t.pos = part_pos, t.end = part_end, t.produced = part_made, t.out_end = part_limit;");
  w.line("sound = thread::{}<Write>(t{}) == kOk && t.pos == {} && t.produced == t.out_end;", part.name, part.args,
         part.plan().reads ? "t.end" : "part_pos");
  w.close();
  w.line("prim::sync();");
  if (carries) {
    for (const std::uint32_t slot : carried) {
      w.line("{0} before_{1} = ({0})prim::shfl64((u64)left_{1}, prim::lane() - 1 & (prim::kLanes - 1));", type(slot),
             name(slot));
      w.line("if (prim::lane() == 0) before_{0} = {0};", name(slot));
    }
    w.line("on = prim::lane() < count && ({});", wrong);
    w.line("if (prim::ballot(on) == 0) break;");
    for (const std::uint32_t slot : carried) w.line("if (on) guess_{0} = before_{0};", name(slot));
    w.close();
  }
  w.line("const u32 bad = prim::ballot(!sound);");
  w.open("if (bad != 0) {  // what is right before the first bad one stays");
  w.line("const u32 first = {};", Dialect::fill(part.context.dialect.lowest_bit, "bad"));
  w.line("s.pos = prim::shfl64(start_pos, first);");
  w.line("s.produced = prim::shfl64(start_made, first);");
  for (const std::uint32_t slot : carried)
    w.line("{1} = ({0})prim::shfl64((u64)guess_{1}, first);", type(slot), name(slot));
  w.line("step_ref += first;");
  w.line("return;");
  w.close();
  w.line("s.pos = next_pos, s.produced = next_made;");
  for (const std::uint32_t slot : carried)
    w.line("if (count > 0) {1} = ({0})prim::shfl64((u64)left_{1}, count - 1);", type(slot), name(slot));
  w.line("step_ref += count;");
  return close_part_loop(std::move(w));
}

}  // namespace sluice::emit
