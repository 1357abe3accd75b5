// Loops whose lanes guess where tokens begin (strategy speculate): a token's text once more, over a tile of the input
// and an output that is no place but a record, and a function that has the engine run it. What the engine leaves is
// done by the warp's loop, or by the checked path.
//
//   struct Tokens_rule0_main_0 {
//     template <typename Out>
//     static prim::Cursor token(prim::Tile& src, prim::Cursor in, prim::Cursor in_end, Out& out) {
//       ... limits, as every loop has them; that of the output is nowhere ...
//       if (in > in_limit || out > out_limit) return prim::kCannotTell;
//       ... the token ...
//       return in;
//     leave:;
//       return prim::kCannotTell;
//     }
//   };
#include "compiler/emit/loop_text.h"
#include "compiler/emit/token_text.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/walk.h"

namespace sluice::emit {
namespace {

std::string write_token(const Context& warp, const plan::Plan& plan, const plan::Loop& loop, const std::string& name) {
  Context context = warp;
  context.target = plan::Target::Lane;
  TokenText token(context, plan, loop);
  Writer w(context.notes());
  w.line("// A token of `{}` as a lane sees it that guesses where it begins; see note [speculate].",
         context.module.rules[loop.rule].name);
  w.line("namespace thread {");
  w.open("struct {} {{", name);
  w.line("static constexpr u64 kInMargin = {};  // bytes of one token and its wide loads", loop.in_margin);
  w.line("template <typename Out>");
  w.open("static SLUICE_METHOD prim::Cursor token(prim::Tile& src, prim::Cursor in, prim::Cursor in_end, Out& out) {");
  w.line("const prim::Cursor in_limit = in_end - (prim::Cursor)kInMargin;");
  w.line("const auto out_limit = prim::end_of(out), window = out_limit;  // nowhere");
  w.line("const prim::NoCopy pending{};");
  w.line("if (SLUICE_UNLIKELY(in > in_limit || out > out_limit)) return prim::kCannotTell;");
  w.open("{");
  token.write_locals(w);
  token.write(w, loop.body);
  w.close();
  w.at("");
  w.line("return in;");
  if (plan::any_step(loop.body, plan::may_leave)) {
    w.label("leave");
    w.line("return prim::kCannotTell;");
  }
  w.close();
  w.close("};");
  w.line("}  // namespace thread");
  w.line("");
  return w.take();
}

}  // namespace

std::string write_guessing_loop(const Context& context, const plan::Plan& plan, const plan::Loop& loop) {
  const std::string stem = fmt::format("{}_{}", context.rule(loop.rule), loop.number);
  const std::string tokens = "Tokens_" + stem, warp = "warp_" + stem;
  Writer w(context.notes());
  w.raw(write_token(context, plan, loop, tokens));
  w.raw(write_loop(context, plan, loop, warp));
  w.line("template <bool Write>");
  w.open("SLUICE_COLD void {}(State& s) {{", loop_name(context, loop));
  w.line("if (prim::speculate<Write, thread::{}>(s)) {}<Write>(s);", tokens, warp);
  w.close();
  w.line("");
  return w.take();
}

}  // namespace sluice::emit
