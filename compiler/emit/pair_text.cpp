// Loops that do the tokens of two chunks in turn: note [pairs] of runtime/prim/pair.h.
#include <array>

#include "compiler/emit/loop_text.h"
#include "compiler/emit/token_text.h"
#include "compiler/plan/told.h"

namespace sluice::emit {
namespace {

class PairText {
 public:
  PairText(const Context& context, const plan::Plan& plan, const plan::Loop& loop) : context_(context), plan_(plan), loop_(loop) {}

  std::string write() {
    w_.line("// The same for two chunks, a token in turn, until one has to leave: 1, the first one, or 2; see note [pairs].");
    w_.open("SLUICE_COLD u32 {}(State& first, State& second) {{", pair_name(context_, loop_));
    w_.line("constexpr u64 kInMargin = {}, kOutMargin = {};", loop_.in_margin, plan::out_margin(loop_));
    for (const unsigned chunk : kChunks) stream(chunk);
    w_.line("u32 left = 1;");
    w_.open("while (SLUICE_LIKELY(in_0 <= in_limit_0 && out_0 <= out_limit_0)) {");
    token(0);
    w_.open("if (SLUICE_UNLIKELY(in_1 > in_limit_1 || out_1 > out_limit_1)) {");
    w_.line("left = 2;");
    w_.line("break;");
    w_.close();
    token(1);
    w_.close();
    end();
    return w_.take();
  }

 private:
  static constexpr std::array<unsigned, 2> kChunks{0, 1};

  void stream(unsigned chunk) {
    const char* const s = chunk == 0 ? "first" : "second";
    w_.line("const auto src_{} = prim::source({});", chunk, s);
    w_.line("const prim::Cursor in_end_{0} = prim::cursor(src_{0}, {1}.end);", chunk, s);
    w_.line("prim::Cursor in_{0} = prim::cursor(src_{0}, {1}.pos);", chunk, s);
    w_.line("if (in_end_{0} < in_{0} || (u64)(in_end_{0} - in_{0}) < kInMargin || {1}.out_end - {1}.produced < kOutMargin) return {2};", chunk, s, chunk + 1);
    w_.line("const prim::Cursor in_limit_{0} = in_end_{0} - kInMargin;", chunk);
    w_.line("u8* out_{0} = {1}.out + {1}.produced;", chunk, s);
    w_.line("u8* const out_limit_{0} = {1}.out + {1}.out_end - kOutMargin;", chunk, s);
    w_.line("const u8* const window_{0} = {1}.out + {1}.window;", chunk, s);
    w_.line("u8* token_out_{0} = out_{0};", chunk);
    w_.line("prim::Cursor token_in_{0} = in_{0};", chunk);
    w_.line("prim::PendingCopy pending_{}{{}};", chunk);
  }

  void token(unsigned chunk) {
    TokenText token(context_, plan_, loop_);
    token.ending = fmt::format("_{}", chunk);
    w_.line("token_out_{0} = out_{0}; token_in_{0} = in_{0};", chunk);
    w_.open("if (!{}) {{", take_told(context_, loop_, token.ending));
    token.write_locals(w_);
    token.write(w_, loop_.body);
    w_.at("");
    w_.close();
    leaves_ = token.leaves();
  }

  void end() {
    if (leaves_) {
      w_.line("goto done;");
      for (const unsigned chunk : kChunks) {
        w_.label(chunk == 0 ? "leave_0" : "leave_1");
        w_.line("out_{0} = token_out_{0}; in_{0} = token_in_{0};", chunk);
        w_.line("left = {};", chunk + 1);
        if (chunk == 0) w_.line("goto done;");
      }
      w_.label("done");
    }
    for (const unsigned chunk : kChunks) {
      const char* const s = chunk == 0 ? "first" : "second";
      w_.line("{1}.pos = prim::byte_of(src_{0}, in_{0});", chunk, s);
      w_.line("{1}.produced = (u64)(out_{0} - {1}.out);", chunk, s);
    }
    w_.line("return left;");
    w_.close();
    w_.line("");
  }

  const Context& context_;
  const plan::Plan& plan_;
  const plan::Loop& loop_;
  Writer w_{context_.notes()};
  bool leaves_ = false;
};

}  // namespace

std::string pair_name(const Context& context, const plan::Loop& loop) { return fmt::format("pair_{}_{}", context.rule(loop.rule), loop.number); }

std::string write_pair(const Context& context, const plan::Plan& plan, const plan::Loop& loop) { return PairText(context, plan, loop).write(); }

std::string take_told(const Context& context, const plan::Loop& loop, const std::string& ending) {
  return context.format("prim::take_told<{0}, {1}>(kTold_{2}, kToldSize_{2}, out{3}, window{3}, src{3}, in{3})", loop.told->from, loop.told->at, loop.number, ending);
}

}  // namespace sluice::emit
