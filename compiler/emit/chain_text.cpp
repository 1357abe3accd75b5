// Loops whose tokens each begin as the one before leaves off (strategy speculate): a token's text over a place and what tokens
// carry, and a function that has the engine walk them. What the engine leaves is done by the checked path.
//
//   struct Tokens_rule10_sequences_1 {
//     const u32 v1_count;                      what is known before the loop
//     ... what tokens carry, and the late steps: late_text.h ...
//     struct Walked { u32 v12_literal_state; ... };   of what tokens carry, what walking takes
//     Walked walked;
//     void walk(const prim::ChainWords& src, u32& at, Walked& c) const {...}   of tokens that states tell: compiler/plan/state_walk.h
//     template <bool Whole, typename Out>
//     bool token(const prim::ChainWords& src, u32& at, u32 step, Walked& c, Out& out) const {
//       if (in > in_limit) return false;     walks know that it never is
//       prim::ChainBits b = {src.words(), at};
//       u32& v12_literal_state = c.v12_literal_state;
//       ... the token ...
//       at = b.count;
//       return true;
//     leave:;
//       return false;
//     }
//   };
#include <algorithm>
#include <set>

#include "compiler/emit/late_text.h"
#include "compiler/emit/loop_text.h"
#include "compiler/emit/objects.h"
#include "compiler/emit/token_text.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/late.h"
#include "compiler/plan/walk.h"

namespace sluice::emit {
namespace {

using plan::Local;

class ChainText {
 public:
  ChainText(const Context& warp, const plan::Plan& plan, const plan::Loop& loop)
      : context_(warp.of_lane()),
        plan_(plan),
        loop_(loop),
        records_(*loop.records),
        captured_(plan::captured_of(loop)),
        counts_(plan::counts_asked(loop.body)),
        token_(context_, plan, loop, plan::Reading::Token),
        late_(context_, plan, loop, token_) {
    token_.counts_at_hand = true;
  }

  std::string write(const std::string& name) {
    w_.line("// A token of `{}`, which begins as the one before it leaves off; see note [chain].", context_.module.rules[loop_.rule].name);
    w_.line("namespace thread {");
    w_.open("struct {} {{", name);
    w_.line("static constexpr u64 kInMargin = {};  // bytes of one token and its wide loads", loop_.in_margin);
    w_.line("static constexpr bool kOnePart = {}, kEachPart = false;", records_.one_part);
    w_.line("static constexpr bool kLate = {};  // a token waits for those before it: note [late]", records_.has_late());
    w_.line("Scratch* m;");
    w_.line("SLUICE_METHOD void attach() { m = prim::in_register(ScratchRef().operator->()); }");
    for (const Local l : captured_) w_.line("const {} {};", token_.held_as(l), token_.name(l));
    for (const std::uint32_t b : counts_) w_.line("const u32 {};", TokenText::count_of(context_, b));
    if (records_.has_late()) {
      late_.write_own(w_);
      late_.write_late(w_);
    } else {
      w_.line("typedef prim::Record Own;");
    }
    w_.open("struct Walked {");
    for (const Local l : records_.walked) w_.line("{} {};", token_.held_as(l), token_.name(l));
    w_.close("};");
    w_.line("Walked walked;  // of the next token");
    write_walk();
    w_.line("template <bool Whole, typename Out>  // walked, it is not");
    w_.open("SLUICE_METHOD bool token(const prim::ChainWords& src, u32& at, {} step, Walked& c, Out& out) const {{", loop_.few_steps ? "u32" : "u64");
    w_.line("{}", context_.format("typedef prim::ChainBits Bits;"));
    w_.line("const prim::Cursor in = at >> 3, in_limit = prim::kChainRoom - (prim::Cursor)kInMargin;");
    w_.line("if (SLUICE_UNLIKELY(in > in_limit)) return false;");
    w_.line("Bits b = {src.words(), at};");
    w_.line("const auto out_limit = prim::end_of(out), window = out_limit;  // nowhere");
    w_.line("const prim::NoCopy pending{};");
    for (const Local l : records_.walked) w_.line("{0}& {1} = c.{1};", token_.held_as(l), token_.name(l));
    w_.open("{");
    token_.write_locals(w_);
    late_.declare_kinds(w_);
    if (loop_.index && token_.reads({0, *loop_.index}))
      w_.line("const {} {} = step;", token_.held_as(Local{0, *loop_.index}), token_.name({0, *loop_.index}));
    token_.write(w_, loop_.body);
    if (records_.has_late()) late_.write_keep(w_);
    w_.close();
    w_.at("");
    w_.line("at = b.count;");
    w_.line("return true;");
    if (token_.leaves()) {
      w_.label("leave");
      w_.line("return false;");
    }
    w_.close();
    w_.close("};");
    w_.line("}  // namespace thread");
    w_.line("");
    return w_.take();
  }

  // An object of that type, in the function that the loop is.
  std::string made() const {
    std::string text = "s.m.operator->()";
    for (const Local l : captured_) text += in_state(l) ? fmt::format(", ({})s.{}", token_.held_as(l), token_.name(l)) : ", " + token_.name(l);
    for (const std::uint32_t b : counts_) text += fmt::format(", (u32)s.buffer_count[{}]", b);
    if (records_.has_late()) text += fmt::format(", {{{}}}, 0", late_.made(late_.carried()));
    return fmt::format("{{{}, {{{}}}}}", text, late_.made(records_.walked));
  }
  // Note [state walk] of chain.h.
  void write_walk() {
    const std::vector<std::uint32_t>& codes = records_.state_walk;
    w_.line("static constexpr bool kStateWalk = {};", !codes.empty());
    if (codes.empty()) return;
    w_.open("SLUICE_METHOD void walk(const prim::ChainWords& src, u32& at, Walked& c) const {");
    const auto entry = [](std::size_t k) { return temporary_name("entry", static_cast<unsigned>(k)); };
    std::string all;
    std::uint64_t extra = 0, following = 0;
    for (std::size_t k = 0; k < codes.size(); ++k) {
      extra += std::ranges::max(std::ranges::find(plan_.extras, codes[k], &plan::StateExtras::code)->bits);
      following += context_.module.states[codes[k]].max_log;
      w_.line("const u32 {} = m->{}[c.{}];", entry(k), context_.array(context_.module.states[codes[k]].entries), token_.name(records_.walked[k]));
      all += (k == 0 ? "" : " + ") + entry(k);
    }
    w_.line("static_assert({} <= {} && {} <= 32, \"six bits hold the sum of what entries tell, and a word the bits of all states\");", extra,
            context_.format("prim::kStateExtraMask"), following);
    w_.line("const u32 told = {}, from = at + {};", all, context_.format("prim::told_extras(told)"));
    w_.line("const {} b = {{src.words(), from}};", context_.format("prim::ChainBits"));
    w_.line("{}", context_.format("u32 bits = prim::ChainBits::bits(b);"));
    for (std::size_t k = 0; k < codes.size(); ++k) w_.line("c.{} = {};", token_.name(records_.walked[k]), context_.format("prim::next_state({}, bits)", entry(k)));
    w_.line("at = from + {};", context_.format("prim::told_bits(told)"));
    w_.close("}");
  }
  // Gives back what tokens carry.
  void give_back(Writer& w) const {
    late_.give_back(w, late_.carried(), "tokens.carried");
    late_.give_back(w, records_.walked, "tokens.walked");
  }

 private:
  const Context context_;
  const plan::Plan& plan_;
  const plan::Loop& loop_;
  const plan::Records& records_;
  const std::vector<Local> captured_;
  const std::set<std::uint32_t> counts_;  // buffers whose counts are asked
  TokenText token_;
  LateText late_;
  Writer w_{context_.notes()};
};

}  // namespace

std::string write_chained_loop(const Context& context, const plan::Plan& plan, const plan::Loop& loop) {
  const std::string tokens = fmt::format("Tokens_{}_{}", context.rule(loop.rule), loop.number);
  const bool counted = loop.kind == ir::LoopKind::Times;
  ChainText text(context, plan, loop);
  Writer w(context.notes());
  w.raw(text.write(tokens));
  w.line("// Tokens of `{}` walked one after the other, 32 at a time; see note [chain].", context.module.rules[loop.rule].name);
  const Apart engine = {engine_of(context, plan, loop).object, "void", fmt::format("tokens_{}_{}", context.rule(loop.rule), loop.number),
                        fmt::format("State& s, thread::{}& tokens, u64& step_ref, u64 steps", tokens), "s, tokens, step_ref, steps"};
  const auto& slices = loop.records->slices;
  w.line("{}", context.head(true));
  w.open("SLUICE_INLINE void {}({}) {{", engine.name, engine.parameters);
  w.line("prim::decode_chain_tokens<Write>(s, tokens, {}, {}, step_ref, steps);", slices ? "tokens.m->" + context.buffer(*slices) : "nullptr",
         slices ? fmt::format("(u32)s.buffer_count[{}]", *slices) : "0");
  w.close();
  write_elsewhere(w, context, {&engine, 1});
  write_linked(w, context, {&engine, 1});
  w.line("");
  w.line("{}", context.head(true));
  w.open("SLUICE_INLINE void {}(State& s{}{}) {{", loop_name(context, loop), loop_slots(context, plan, loop).parameters,
         counted ? ", u64& step_ref, const u64 steps" : "");
  if (!counted) w.line("u64 step_ref = 0;");
  w.line("thread::{} tokens = {};", tokens, text.made());
  w.line("{}<Write>(s, tokens, step_ref, {});", engine.name, counted ? "steps" : "~0ull");
  text.give_back(w);
  w.close();
  w.line("");
  return w.take();
}

}  // namespace sluice::emit
