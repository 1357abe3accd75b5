// A kernel's counted loop whose steps are done side by side, one a lane: see plan/lower_lanes.cpp.
#include <algorithm>

#include "compiler/emit/loop_text.h"
#include "compiler/emit/token_text.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/walk.h"

namespace sluice::emit {
namespace {

class LanesText {
 public:
  LanesText(const Context& context, const plan::Plan& plan, const plan::Loop& loop)
      : context_(context), loop_(loop), token_(context, plan, loop) {
    tests_ = plan::holds<plan::Check, plan::Leave>(loop.body);
    together_ = plan::holds<plan::Sum>(loop.body);  // all lanes stay, for the prefix sum
  }

  std::string write() {
    if (loop_.packed) return packed(loop_name(context_, loop_));
    head(loop_name(context_, loop_));
    rounds();
    w_.at("");
    w_.line("step_ref = first_step;");
    w_.line("s.pos = first_bit;");
    if (!loop_.counts) w_.line("s.produced = {};", over("(u64)(first_out - s.out)", context_.elem_bytes()));
    w_.line("prim::sync();");
    w_.close();
    w_.line("");
    return w_.take();
  }

 private:
  // All steps that have input and room at once; a step is a function of its field and its element: runtime/prim/cuda/packed.h.
  std::string packed(const std::string& name) {
    open(name, "template <bool Write>");
    w_.line("const u64 first_step = step_ref;");
    before();
    w_.at(context_.place(plan::statement_at(context_.module.rules[loop_.rule], loop_.path).span));
    w_.line("const u64 unchecked = prim::packed_steps(s, steps - first_step, stride);");
    w_.open("if constexpr (Write) {");
    w_.open("const auto step = [&](const prim::OneField src, [[maybe_unused]] const u64 k, u64 bit, prim::OneElement out) {");
    w_.line("constexpr bool on = true;");
    fields();
    w_.close("};");
    w_.at("");
    w_.line("prim::packed_fields<{}, {}>(s, unchecked, stride, step);", context_.msb(), context_.elem_bytes());
    w_.close();
    w_.line("s.pos += unchecked * stride;");
    w_.line("s.produced += unchecked;");
    w_.line("step_ref = first_step + unchecked;");
    w_.line("prim::sync();");
    w_.close();
    w_.line("");
    return w_.take();
  }

  void open(const std::string& name, std::string_view as) {
    const ir::Module& m = context_.module;
    const auto& slots = m.rules[loop_.rule].slots;
    std::string params;
    for (const std::uint32_t slot : loop_.captures)
      params += fmt::format(", const {} {}", token_.held_as(plan::Local{0, slot}), local(slot));
    for (const std::uint32_t slot : loop_.carried)
      params += fmt::format(", {}& {}", held(slots[slot].type), belonging("sum", local(slot)));
    w_.line("// Steps of `{}` side by side, a lane each; see note [{}].", m.rules[loop_.rule].name,
            loop_.packed ? "packed units" : "fast-loop margin");
    if (!as.empty()) w_.line("{}", as);
    w_.open("SLUICE_INLINE void {}(State& s{}, u64& step_ref, const u64 steps) {{", name, params);
  }

  // What steps read that is the same in all of them.
  void before() {
    if (plan::any_step(loop_.body, [&](const plan::Step& s) { return plan::reads_memory(s, context_.views); }))
      w_.line("const auto m = s.m;");
    for (const std::uint32_t g : loop_.globals)
      w_.line("const {0} {1} = s.{1};", held(context_.module.globals[g].type), context_.global(g));
    token_.write_hoisted(w_);
    w_.line("const u32 stride = {};", token_.stride(loop_.body));
    w_.line("prim::sync();  // what the lanes store, nobody reads any more");
  }

  void head(const std::string& name) {
    open(name, context_.head(loop_.counts));
    if (!loop_.counts) w_.line("constexpr u64 kTokenBytes = {};  // of one step, at most", loop_.cost.out);
    if (reads()) {
      w_.line("constexpr u64 kTokenBits = {};  // of one step, at most", std::max<std::uint64_t>(loop_.cost.bits, 1));
      w_.line("constexpr u64 kInMargin = kTokenBits / 8 + 1 + prim::kLaneAfter;");
      w_.line("const u64 in_end = s.end >> 3;");
      w_.line("if (!prim::lanes_may_load(s) || in_end < s.byte() + kInMargin) return;");
      w_.line("const auto& src = s;");
      w_.line("const u64 bit_limit = 8 * (in_end - kInMargin);");
    }
    w_.line("u64 first_bit = s.pos, first_step = step_ref{};", loop_.cost.out ? ", room = s.out_end - s.produced" : "");
    if (!loop_.counts) w_.line("{} first_out = prim::global(s.out) + {};", context_.address(), times("s.produced", context_.elem_bytes()));
    before();
  }

  // As many steps as surely fit, dealt out to the lanes.
  void rounds() {
    const std::uint64_t outputs = loop_.cost.out / context_.elem_bytes();
    w_.at(context_.place(plan::statement_at(context_.module.rules[loop_.rule], loop_.path).span));
    w_.open("while (first_step < steps{}{}) {{", reads() ? " && first_bit <= bit_limit" : "", outputs ? fmt::format(" && room >= {}", outputs) : "");
    w_.line("{}u64 unchecked = steps - first_step;", reads() || outputs ? "" : "const ");
    if (reads())
      w_.line(
          "if (unchecked > (bit_limit - first_bit) / kTokenBits + 1) unchecked = (bit_limit - first_bit) / kTokenBits + "
          "1;");
    if (outputs) w_.line("if (unchecked > {0}) unchecked = {0};", over("room", outputs));
    if (tests_) w_.line("bool bad = false;");
    w_.line("SLUICE_ROLLED");
    if (together_) sums();
    else each();
    if (tests_) w_.line("if (prim::any_worker(bad)) break;");
    w_.line("first_bit += unchecked * stride;");
    if (!loop_.counts) w_.line("first_out += unchecked * kTokenBytes;");
    w_.line("first_step += unchecked;");
    if (outputs) w_.line("room -= {};", times("unchecked", outputs));
    w_.close();
  }

  void sums() {
    const auto type = [&](std::uint32_t slot) { return held(context_.module.rules[loop_.rule].slots[slot].type); };
    w_.open("for ({} base = 0; base < {}; base += prim::kLanes) {{", counts(), dealt());
    w_.line("const bool in_time = base + prim::lane() < {}, on = in_time && prim::worker() < prim::kLanes;", dealt());
    w_.line("const {} k = in_time ? base + prim::lane() : {} - 1;", counts(), dealt());
    w_.line("const u32 last = (u32)({0} - base > prim::kLanes ? prim::kLanes : {0} - base) - 1;", dealt());
    for (const std::uint32_t slot : loop_.carried)
      w_.line("{} {} = {};", type(slot), local(slot), belonging("sum", local(slot)));
    step();
    for (const std::uint32_t slot : loop_.carried)
      w_.line("{} = ({})prim::shfl64((u64){}, last);", belonging("sum", local(slot)), type(slot), local(slot));
    w_.close();
  }

  void each() {
    w_.open("for ({} k = prim::worker(); k < {}; k += prim::kWorkers) {{", counts(), dealt());
    w_.line("const bool on = true;");
    w_.open("do {");
    step();
    w_.close("} while (false);");
    w_.close();
  }

  void step() {
    // kTokenBytes is of 64 bits, and so is what it is multiplied with.
    w_.line("[[maybe_unused]] u64 bit = first_bit + {} * stride;", loop_.few_steps ? "(u64)k" : "k");
    if (!loop_.counts) w_.line("[[maybe_unused]] {} out = first_out + k * kTokenBytes;", context_.address());
    fields();
  }

  void fields() {
    token_.write_locals(w_);
    if (loop_.index && token_.reads({0, *loop_.index}))
      w_.line("const {} {} = first_step + k;", token_.held_as(plan::Local{0, *loop_.index}), local(*loop_.index));
    token_.write(w_, loop_.body);
  }

  bool reads() const { return !plan::fields_of(loop_.body).empty(); }  // be it fields of no bits
  // The steps of a round: what counts them, and how many there are.
  const char* counts() const { return loop_.few_steps ? "u32" : "u64"; }
  const char* dealt() const { return loop_.few_steps ? "(u32)unchecked" : "unchecked"; }
  std::string local(std::uint32_t slot) const { return context_.local(loop_.rule, slot); }

  const Context& context_;
  const plan::Loop& loop_;
  TokenText token_;
  bool tests_ = false, together_ = false;
  Writer w_{context_.notes()};
};

}  // namespace

std::string write_lanes_loop(const Context& context, const plan::Plan& plan, const plan::Loop& loop) {
  return LanesText(context, plan, loop).write();
}

}  // namespace sluice::emit
