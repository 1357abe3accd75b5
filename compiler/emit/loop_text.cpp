#include "compiler/emit/loop_text.h"

#include <algorithm>
#include <set>

#include "compiler/emit/token_text.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/told.h"
#include "compiler/plan/walk.h"

namespace sluice::emit {
namespace {

using plan::LoopForm;
using plan::Reader;

class LoopText {
 public:
  LoopText(const Context& context, const plan::Plan& plan, const plan::Loop& loop)
      : context_(context), plan_(plan), loop_(loop), token_(context, plan, loop), slots_(loop_slots(context, plan, loop)), tables_(plan.tables) {
    const auto any = [&](auto f) { return plan::any_step(loop.body, f); };
    leaves_ = loop.progress || any(plan::may_leave);
    token_.counts_at_hand = true;
    // Of a group, which the token has at hand, nothing is looked for.
    copies_ = loop.told || any([](const plan::Step& s) {
      const auto* copy = std::get_if<plan::Copy>(&s.what);
      return copy != nullptr && copy->group.empty();
    });
    memory_ = any([&](const plan::Step& s) { return plan::reads_memory(s, context.views); });
  }

  std::string write(const std::string& name) {
    collect_carried();
    if (tables_strings()) strings(name);
    head(name);
    margins();
    limits();
    start();
    variables();
    if (tables_strings()) take_strings(name);
    if (loop_.form == LoopForm::Unchecked)
      unchecked();
    else
      tokens();
    end();
    if (context_.in_pairs(loop_)) w_.raw(write_pair(context_, plan_, loop_));
    return w_.take();
  }

 private:
  std::string place() const {
    return context_.place(plan::statement_at(context_.module.rules[loop_.rule], loop_.path).span);
  }

  // What one token leaves for the next travels in a copy; a token that is left undone must not have changed it.
  void collect_carried() {
    params_ = slots_.parameters;
    for (const std::uint32_t slot : loop_.carried) carry(local(slot), belonging("ref", local(slot)));
    for (const std::uint32_t g : loop_.set_globals) carry(context_.global(g), "s." + context_.global(g));
    if (counted()) {
      params_ += ", u64& step_ref, const u64 steps";
      keep_ += " token_step = step;";
      give_back("step_ref", "token_step");
    }
    if (until_outputs()) params_ += ", const u64 target";
  }
  void carry(const std::string& name, const std::string& home) {
    keep_ += fmt::format(" {} = {};", belonging("token", name), name);
    give_back(home, belonging("token", name));
  }
  void give_back(const std::string& home, const std::string& name) {
    give_back_ += fmt::format("{}{} = {};", give_back_.empty() ? "" : " ", home, name);
  }

  void head(const std::string& name) {
    w_.line("// Many tokens of `{}` without a bounds check; see note [fast-loop margin].",
            context_.module.rules[loop_.rule].name);
    if (!context_.head(loop_.counts).empty()) w_.line("{}", context_.head(loop_.counts));
    // A kernel has it where it is entered: note [once] of plan/checked.h.
    // Plain tokens take few clocks: that they do is a matter of where in a line of the cache their code begins, too.
    w_.open("{}{} void {}(State& s{}) {{", loop_.plain ? "__attribute__((aligned(64))) " : "", context_.cuda() ? "SLUICE_INLINE" : "SLUICE_COLD", name, params_);
  }

  // A CPU asks what each byte stands for: note [codes] of runtime/prim/code_table.h.
  bool tables_strings() const { return context_.asks_strings && loop_.has_codes(); }
  static std::string of_strings(const std::string& name) { return "strings_" + name; }
  void strings(const std::string& name) {
    TokenText token(context_, plan_, loop_);
    w_.line("// What each byte stands for as the first one of a token of `{}`; see note [codes].", context_.module.rules[loop_.rule].name);
    w_.open("SLUICE_COLD void {}(State& s{}, prim::CodeStrings& strings) {{", of_strings(name), params_);
    w_.line("const auto src = prim::source(s);");
    for (const std::uint32_t g : loop_.globals) w_.line("const {0} {1} = s.{1};", held(context_.module.globals[g].type), context_.global(g));
    if (memory_) w_.line("const auto m = s.m;");
    w_.line("constexpr u64 kInMargin = {}, kOutMargin = {};  // of one token", loop_.in_margin, plan::out_margin(loop_));
    w_.line("u8 taken[kInMargin] = {{}}, made[kOutMargin + prim::kStringBytes] = {{}};");
    w_.line("const prim::Cursor in_limit = taken + sizeof taken - kInMargin;");
    w_.line("u8* const out_limit = made + sizeof made - kOutMargin;");
    w_.open("for (u32 byte = 0; byte < prim::kFirstBytes; ++byte) {");
    w_.line("taken[0] = (u8)byte;");
    w_.line("prim::Cursor in = taken;");
    w_.line("u8* out = made;");
    w_.open("if (in <= in_limit && out <= out_limit) {");
    token.write_locals(w_);
    token.write(w_, loop_.body);
    w_.close();
    w_.at("");
    w_.line("prim::tell_string(strings, byte, (u64)(in - taken), (u64)(out - made), made);");
    if (token.leaves()) {
      w_.line("continue;");
      w_.label("leave");
      w_.line("prim::tell_string(strings, byte, 0, 0, made);");
    }
    w_.close();
    w_.close();
    w_.line("");
  }
  void take_strings(const std::string& name) {
    w_.open("if ((u64)(in_end - in) >= prim::kLeastCodes && s.pos >= s.strings_from) {");
    w_.line("prim::CodeStrings strings;");
    w_.line("{}(s{}, strings);", of_strings(name), slots_.arguments);
    w_.line("s.strings_from = s.pos + prim::kLeastCodes;");
    w_.line("prim::take_strings(strings, out, out_limit, in, in_end);");
    w_.close();
  }

  void margins() {
    w_.line(
        "constexpr u64 kInMargin = {};  // bytes of one token and its wide loads, and some that keep it off the end",
        loop_.in_margin);
    w_.line("constexpr u64 kOutMargin = {};  // bytes of one token and its wide stores", plan::out_margin(loop_));
    if (loop_.reader == Reader::Position)
      w_.line("static_assert(kInMargin > prim::kPositionBytes, \"a field's load stays inside the input\");");
    else if (loop_.reader == Reader::Lane)
      w_.line("static_assert(kInMargin >= prim::kWordsAhead, \"words on their way lie inside the input\");");
    else if (loop_.reader == Reader::Buffer)
      w_.line(
          "static_assert(kInMargin >= 2 * prim::kRefillBytes, \"two refills before the first test stay inside the "
          "input\");");
    if (loop_.told)
      w_.line("static_assert(kInMargin >= {} + prim::kToldBytes && kOutMargin >= prim::kToldBytes + prim::kCopySlack, \"a token that is told\");",
              loop_.told->from);
    if (loop_.plain)
      w_.line("static_assert(kInMargin > {} + prim::kPlainLiterals && kOutMargin >= prim::kPlainLiterals + prim::kPlainCopy + prim::kCopySlack, \"a plain token\");",
              loop_.plain->size);
    if (loop_.joined) w_.line("static_assert(kInMargin >= prim::kJoinedBytes && kOutMargin >= prim::kJoinedBytes, \"a token that is put together\");");
    if (loop_.cost.out > 0) w_.line("static_assert(kOutMargin >= {}, \"one element fits\");", size_);
  }

  // Source and sink, and how far tokens may go.
  void limits() {
    const bool idle = context_.thread() && bytes() && loop_.cost.in == 0;
    if (loop_.backward && !positional()) w_.line("typedef {} Bits;  // the first bit is the highest", context_.cuda() ? context_.format("prim::BackBits") : context_.format("prim::BitBuffer<true>"));
    w_.line("auto src = {}(s);", idle       ? context_.format("prim::idle_source")
                                 : bursts() ? context_.format("prim::burst_source")
                                 : loop_.backward ? context_.format("prim::back_source")
                                 : loop_.direct   ? context_.format("prim::direct_source")
                                            : context_.format("prim::source"));
    // Parts are short: a lane may look behind its own, and sees afterwards whether it has taken anything of that.
    w_.line("const {} in_end = prim::cursor(src, {});", cursor(), lane()    ? "s.size"
                                                                  : bytes() && context_.bytes() ? "s.end"
                                                                               : "s.end >> 3");
    w_.line("{} in = prim::cursor(src, {});", cursor(), bytes() && context_.bytes() ? "s.pos" : "s.pos >> 3");
    w_.line("if (in_end < in || (u64)(in_end - in) < kInMargin || s.out_end - s.produced < {}) return;",
            size_ == 1 ? "kOutMargin" : fmt::format("(kOutMargin + {}) / {}", size_ - 1, size_));
    if (loop_.aligned || (bytes() && !context_.bytes())) w_.line("if (s.pos & 7) return;");
    if (loop_.direct) w_.line("if (s.byte() < prim::kLaneBefore) return;  // the words of lanes begin inside the input");
    if (positional() && context_.cuda())
      w_.line("const u32 bit_limit = {};  // note [bits]", alike("8 * (in_end - (prim::Cursor)kInMargin)"));
    else if (positional())
      w_.line("const u64 bit_limit = 8 * (prim::byte_of(src, in_end) - kInMargin);");
    else
      w_.line("const {} in_limit = in_end - kInMargin;", cursor());
    output();
  }

  void output() {
    if (!token_.leaves_entries() && plan::any_step(loop_.body, plan::asks_output)) {
      token_.first_out = "start_of_out";
      w_.line("{} const start_of_out = s.out;  // a local: no store to the output can change it", context_.sink() ? "auto" : "const u8*");
    }
    if (token_.counting()) {
      w_.line("typedef prim::Output<Write> Output;");
      w_.line("auto out = {};", alike(fmt::format("Output::template element<{}>(s, s.produced)", size_)));
      w_.line("const auto out_limit = {};", alike(fmt::format("Output::template end<{}>(s) - kOutMargin", size_)));
      if (copies_) w_.line("const auto window = Output::template element<{}>(s, s.window);", size_);
      if (loop_.plain) w_.line("if constexpr (Write) if ((u64)window < prim::kNearest) return;  // sources are compared as addresses");
      if (until_outputs()) w_.line("const auto stop = Output::template element<{}>(s, target);", size_);
      return;
    }
    if (token_.leaves_entries()) {
      w_.line("auto out = prim::part_output<Write>(s);");
      w_.line("const u32 out_limit = prim::part_place(s.out_end) - kOutMargin;");
      if (copies_) w_.line("const auto window = prim::any_window();");
      if (until_outputs()) w_.line("const u32 stop = prim::part_place(target);");
      return;
    }
    const std::string made = times("s.produced", size_);
    if (lane())
      w_.line("auto out = prim::direct_output<Write>(s, s.out + {});", made);
    else if (context_.thread())
      w_.line("auto out = {}(s.out + {});",
              bursts() ? context_.format("prim::burst_output") : context_.format("prim::output"), made);
    else
      w_.line("{} out = prim::global(s.out) + {};", context_.address(), made);
    w_.line("{} const out_limit = s.out + {} - kOutMargin;", context_.address(), times("s.out_end", size_));
    if (copies_) w_.line("const u8* const window = s.out + {};", times("s.window", size_));
    if (until_outputs()) w_.line("{} const stop = s.out + {};", context_.sink() ? "auto" : "const u8*", times("target", size_));
  }

  // Where a token starts.
  void start() {
    w_.line("{} token_out = out;  // where a token starts: what leaves it goes back there", token_.counting() || token_.leaves_entries() ? "auto" : context_.address());
    if (copies_ && lane())
      w_.line("auto pending = prim::pending_copies<Write>(s);");
    else if (copies_)
      w_.line("{} pending{{}};", context_.cuda() ? "Copies" : context_.format("prim::PendingCopy"));
    start_ = "token_out = out;";
    if (positional()) {
      w_.line("{} bit = {}, token_bit = bit;", context_.cuda() ? "u32" : "u64", context_.cuda() ? alike(context_.format("prim::bit_at(src, s.pos)")) : "s.pos");
      start_ += " token_bit = bit;";
    } else {
      if (!bytes()) w_.line("Bits b = Bits::at(src, s.pos, in);");
      if (token_.leaves_entries()) w_.line("const u32 region_end = prim::part_end(Bits::place(src, s.end), in, in_limit);");
      else if (lane()) w_.line("const u32 region_end = Bits::place(src, s.end);");
      w_.line("{} token_in = in;", cursor());
      if (!bytes()) w_.line("auto token_count = b.count;");
      start_ += bytes() ? " token_in = in;" : " token_in = in; token_count = b.count;";
    }
    start_ += keep_;
  }

  void variables() {
    for (const std::uint32_t slot : loop_.carried) {
      const std::string name = local(slot);
      w_.line("{} {} = {}, {} = {};", token_.held_as(plan::Local{0, slot}), name, alike_as(token_.held_as(plan::Local{0, slot}), belonging("ref", name)),
              belonging("token", name), name);
    }
    if (loop_.direct)
      for (const std::uint32_t slot : loop_.captures) w_.line("{} = {};", local(slot), alike(local(slot)));
    for (const std::uint32_t g : loop_.globals) {
      const std::string name = context_.global(g);
      if (std::ranges::find(loop_.set_globals, g) != loop_.set_globals.end())
        w_.line("{0} {1} = {3}, {2} = {1};", token_.held_as(plan::Local{plan::kGlobalScope, g}), name, belonging("token", name),
                alike_as(token_.held_as(plan::Local{plan::kGlobalScope, g}), "s." + name));
      else
        w_.line("const {0} {1} = {2};", token_.held_as(plan::Local{plan::kGlobalScope, g}), name, alike_as(token_.held_as(plan::Local{plan::kGlobalScope, g}), "s." + name));
    }
    if (counted()) w_.line("{0} step = {1}, token_step = step;", loop_.few_steps ? "u32" : "u64", alike(loop_.few_steps ? "(u32)step_ref" : "(u64)step_ref"));
    if (loop_.few_steps) w_.line("const u32 most_steps = {};", alike("(u32)steps"));
    if (memory_)
    {
      if (context_.cuda()) w_.line("Scratch* const m = prim::in_register(s.m.operator->());");
      else w_.line("const auto m = s.m;");
    }
    counts();
    for (const std::uint32_t t : loop_.tables)
      w_.line("const {1}* const {0} = m->{0}[0];", context_.lookup(tables_[t].code, t), context_.entry_type(tables_[t].entry));
    start_ += token_.write_undo(w_);
    token_.write_hoisted(w_);
    token_.write_held(w_);
  }

  // They would be read anew behind each store otherwise.
  void counts() {
    std::set<std::uint32_t> sliced;
    plan::for_each_step(loop_.body, [&](const plan::Step& s) {
      if (const auto* slice = std::get_if<plan::Slice>(&s.what)) sliced.insert(slice->buffer);
    });
    if (!context_.cuda()) sliced.clear();
    for (const std::uint32_t b : sliced) w_.line("const u8* const {} = m->{};", TokenText::start_of(context_, b), context_.buffer(b));
    for (const std::uint32_t b : plan::counts_asked(loop_.body)) w_.line("const {} {} = (u32)s.buffer_count[{}];", context_.cuda() ? "u32" : "u64", TokenText::count_of(context_, b), b);
  }

  // Nothing in a token can go wrong: as many as surely fit are done in a loop that tests only its count.
  void unchecked() {
    w_.line("constexpr u64 kTokenBits = {}, kTokenBytes = {};", std::max<std::uint64_t>(loop_.cost.bits, 1),
            std::max<std::uint64_t>(loop_.cost.out, 1));
    w_.at(place());
    w_.open("while (step < steps && bit <= bit_limit && out <= out_limit) {");
    w_.line("u64 unchecked = steps - step;");
    w_.line("if (unchecked > (bit_limit - bit) / kTokenBits + 1) unchecked = (bit_limit - bit) / kTokenBits + 1;");
    w_.line("if (unchecked > (u64)(out_limit - out) / kTokenBytes + 1) unchecked = (u64)(out_limit - out) / kTokenBytes + 1;");
    const auto before = [&](Writer& w) { step_variables(w); };
    const auto after = [](Writer& w) { w.line("++step;"); };
    const TokenText::UncheckedSteps steps{loop_.body, plan::hoisted_widths(loop_), loop_.only_field, before, after};
    if (loop_.unpacked == plan::Unpacked::Kept) {
      token_.write_kept_sums(w_, steps, "unchecked");
    } else if (loop_.unpacked != plan::Unpacked::No) {
      token_.write_unpacked(w_, steps, loop_.unpacked, "unchecked");
      w_.line("step += unchecked;");
    } else {
      token_.write_unchecked_steps(w_, steps, "unchecked");
    }
    w_.close();
  }

  void tokens() {
    // The loop's test stands before each token: before the last one of a row, too, the goal must not be reached.
    const unsigned row = loop_.row ? loop_.row->symbols : 0;
    const std::string until = row == 0 ? " && out < stop" : fmt::format(" && stop - out > {}", row * size_);
    w_.at(place());
    if (loop_.plain) return plain_tokens();
    w_.open("while (SLUICE_LIKELY({} && out <= out_limit{})) {{",
            positional()   ? "bit <= bit_limit"
            : token_.leaves_entries() ? "b.count < region_end"
            : lane()                  ? "b.count < region_end && in <= in_limit"
                           : "in <= in_limit",
            counted()         ? loop_.few_steps ? " && step < most_steps" : " && step < steps"
            : until_outputs() ? until
                              : "");
    if (bursts()) open_burst();
    if (loop_.told) w_.line("if ({}) continue;", take_told(context_, loop_));
    w_.line("{}", start_);
    if (loop_.direct) w_.line("prim::ask_ahead(src, bit);");
    step_variables(w_);
    token_.write(w_, loop_.body);
    if (counted()) w_.line("++step;");
    if (loop_.progress) progress();
    if (bursts()) close_burst();
    w_.close();
  }

  // Plain ones at once, others by the body. The limits are two branches: neither waits for the other.
  void plain_tokens() {
    const plan::Plain& plain = *loop_.plain;
    const auto bits = [](std::uint64_t shift, std::uint64_t mask) {
      const std::string low = shift == 0 ? "ahead" : fmt::format("ahead >> {}", shift);
      return mask >= 0xffu >> shift ? low : fmt::format("{} & 0x{:x}", low, mask);
    };
    const std::string literals = bits(plain.literals.shift, plain.literals.mask);
    w_.at("");
    w_.line("u64 ahead = prim::load_byte(src, in);  // the first byte of the token at `in`");
    w_.at(place());
    w_.open("while (SLUICE_LIKELY(in <= in_limit)) {");
    w_.line("if (SLUICE_UNLIKELY(out > out_limit)) break;");
    w_.line("{}", start_);
    w_.open("if constexpr (Write) {");
    w_.open("if (SLUICE_LIKELY(({}) < {})) {{", bits(0, plain.mask), plain.below);
    w_.line("if (prim::take_plain<{}, {}, {}, {}, {}, {}, {}, {}>(out, window, src, in, ahead, {}, {})) continue;", plain.from, plain.at, plain.behind,
            plain.bits, plain.big, plain.added, plain.size, plain.length.added,
            plain.literals.added == 0 ? literals : fmt::format("({}) + {}", literals, plain.literals.added), bits(plain.length.shift, plain.length.mask));
    w_.line("goto leave;");
    w_.close();
    w_.close();
    step_variables(w_);
    token_.write(w_, loop_.body);
    w_.line("ahead = prim::load_byte(src, in);");
    if (loop_.progress) progress();
    w_.close();
  }

  void step_variables(Writer& w) {
    token_.write_locals(w);
    if (!counted() || !loop_.index || !token_.reads({0, *loop_.index})) return;
    w.line("const {} {} = step;", token_.held_as(plan::Local{0, *loop_.index}), local(*loop_.index));
  }

  // A step that does nothing would be done for ever.
  void progress() {
    if (positional())
      w_.line("if (SLUICE_UNLIKELY(bit == token_bit && out == token_out)) goto leave;");
    else if (bytes())
      w_.line("if (SLUICE_UNLIKELY(in == token_in && out == token_out)) goto leave;");
    else
      w_.line(
          "if (SLUICE_UNLIKELY(out == token_out && Bits::position(src, in, b.count) == Bits::position(src, token_in, "
          "token_count))) goto leave;");
  }

  // As many tokens as the margins surely hold, without a test between them.
  void open_burst() {
    w_.line("u32 tokens = prim::burst_tokens(kInMargin, kOutMargin);  // between two tests of the limits");
    const auto at_most = [&](const char* left, const char* margin) {
      w_.line("if (tokens > {0} / {1}) tokens = (u32)({0} / {1}) + 1;", left, margin);
    };
    if (loop_.in_margin) at_most("(u64)(in_limit - in)", "kInMargin");
    if (loop_.cost.out) at_most("(u64)(out_limit - out)", "kOutMargin");
    if (counted()) w_.line("if (tokens > steps - step) tokens = (u32)(steps - step);");
    if (loop_.cost.in) w_.line("prim::ready(src, in);");  // a source that is idle has nothing to wait for
    w_.line("SLUICE_ROLLED");
    w_.open("do {");
  }
  void close_burst() {
    w_.close("} while (--tokens != 0);");
    w_.line("prim::settle(out);");
  }

  void end() {
    w_.at("");
    if (lane()) w_.line("if (b.count > region_end) goto leave;");
    w_.line("{}", start_);
    if (leaves_ || lane()) w_.label("leave");
    token_.undo(w_);
    if (!give_back_.empty()) w_.line("{}", give_back_);
    if (token_.leaves_entries())
      w_.line("prim::give_back(s, {}, out, token_out);", copies_ ? "pending" : context_.format("prim::pending_copies<Write>(s)"));
    else if (copies_ && lane())
      w_.line("prim::give_back(s, pending, token_out);");
    else if (copies_) w_.line("prim::flush(pending);");
    if (context_.thread()) w_.line("prim::flush(out);");
    w_.line("prim::give_back(s, src);");
    if (context_.sink()) w_.line("prim::handed(s, out);  // note [once] of the sink");
    if (positional())
      w_.line("s.pos = {};", context_.cuda() ? context_.format("prim::position(src, token_bit)") : "token_bit");
    else if (bytes())
      w_.line("s.pos = {};", times(context_.format("prim::byte_of(src, token_in)"), context_.bytes() ? 1 : 8));
    else
      w_.line("s.pos = Bits::position(src, token_in, token_count);  // note [position] of the bit buffer");
    w_.line("s.produced = {};", over(token_.bytes_of("token_out"), size_));
    w_.close();
    w_.line("");
  }

  // What a loop of note [direct] (runtime/prim/cuda/direct.h) begins with, in a way that tells the compiler that all lanes go one way.
  std::string alike(const std::string& value) const { return loop_.direct ? context_.format("prim::alike({})", value) : value; }
  std::string alike_as(std::string_view type, const std::string& value) const {
    return loop_.direct ? context_.format("prim::alike(({}){})", type, value) : value;
  }

  std::string local(std::uint32_t slot) const { return context_.local(loop_.rule, slot); }
  // The type of a place in the input.
  std::string cursor() const { return loop_.backward ? context_.format("prim::BackCursor") : context_.format("prim::Cursor"); }
  bool bytes() const { return loop_.reader == Reader::Bytes; }
  bool lane() const { return loop_.reader == Reader::Lane; }
  bool positional() const { return loop_.reader == Reader::Position; }
  bool bursts() const { return loop_.form == LoopForm::Burst; }
  bool counted() const { return loop_.kind == ir::LoopKind::Times; }
  bool until_outputs() const { return loop_.kind == ir::LoopKind::UntilOutputs; }

  const Context& context_;
  const plan::Plan& plan_;
  const plan::Loop& loop_;
  TokenText token_;
  const LoopSlots slots_;
  const std::vector<plan::Table>& tables_;
  const unsigned size_ = context_.elem_bytes();
  bool leaves_ = false, copies_ = false, memory_ = false;
  Writer w_{context_.notes()};
  std::string params_, keep_, give_back_, start_;
};

}  // namespace

std::string loop_name(const Context& context, const plan::Loop& loop) {
  const char* kind = loop.form == LoopForm::Parts ? "split" : loop.form == LoopForm::SideBySide ? "lanes" : "fast";
  return fmt::format("{}_{}_{}", kind, context.rule(loop.rule), loop.number);
}

LoopSlots loop_slots(const Context& context, const plan::Plan& plan, const plan::Loop& loop) {
  const TokenText token(context, plan, loop);
  LoopSlots slots;
  for (const std::uint32_t slot : loop.captures) {
    const std::string name = context.local(loop.rule, slot);
    slots.parameters += fmt::format(", {}{} {}", loop.direct ? "" : "const ", token.held_as(plan::Local{0, slot}), name);
    slots.arguments += ", " + name;
  }
  for (const std::uint32_t slot : loop.carried) {
    const std::string name = belonging("ref", context.local(loop.rule, slot));
    slots.parameters += fmt::format(", {}& {}", held(context.module.rules[loop.rule].slots[slot].type), name);
    slots.arguments += ", " + name;
  }
  return slots;
}

std::string write_loop(const Context& context, const plan::Plan& plan, const plan::Loop& loop, const std::string& name) {
  const Context own = context.of_loop(loop);
  if (loop.form == LoopForm::SideBySide) return write_lanes_loop(own, plan, loop);
  return LoopText(own, plan, loop).write(name.empty() ? loop_name(own, loop) : name);
}

}  // namespace sluice::emit
