// Loops whose lanes guess where tokens begin (strategy speculate): a token's text once more, over a tile of the input
// and an output that is no place but a record, and a function that has the engine run it. What the engine leaves is
// done by the warp's loop, or by the checked path.
//
//   struct Tokens_rule0_main_0 {
//     const u32 v0_limit;                      what is known before the loop
//     typedef prim::Record Own;                or one that keeps what late steps read: note [late] in plan/late.h
//     static bool told(src, in, in_end, size) {...}    where a token's first byte tells its size: note [first byte] in plan/first_byte.h
//     static bool parts(src, in, in_end, out) {...}    and which parts it has
//     template <typename Source, typename Out>
//     prim::Cursor token(const Source& src, prim::Cursor in, prim::Cursor in_end, Out& out) const {
//       ... limits, as every loop has them; that of the output is nowhere ...
//       if (in > in_limit || out > out_limit) return prim::kCannotTell;
//       ... the token ...
//       return in;
//     leave:;
//       return prim::kCannotTell;
//     }
//     ... what tokens carry, and the late steps ...
//   };
//
// Where tokens are values, the record is another: note [value records] of runtime/prim/cuda/value_steps.h. And where they begin
// at bits, tables are the chunk's:
//
//   struct Tokens_rule2_body_0 {
//     Scratch* m = ...;
//     template <typename Out>
//     u32 token(const prim::BitTile& src, u32 at, Out& out) const {
//       if (in > in_limit) return prim::kCannotTell;     walks know that it never is
//       Bits b = {src.words(), at};
//       ... the token ...
//       return b.count;
#include <algorithm>
#include <set>

#include "compiler/emit/late_text.h"
#include "compiler/emit/loop_text.h"
#include "compiler/emit/objects.h"
#include "compiler/emit/token_text.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/late.h"
#include "compiler/plan/tile_sums.h"
#include "compiler/plan/walk.h"

namespace sluice::emit {
namespace {

using plan::Local;
using plan::Reading;

class GuessText {
 public:
  // `codes`: what a token's first byte stands for is asked, and no record is made.
  GuessText(const Context& warp, const plan::Plan& plan, const plan::Loop& loop, bool codes = false)
      : context_(warp.of_lane()),
        plan_(plan),
        loop_(loop),
        records_(*loop.records),
        captured_(plan::captured_of(loop)),
        token_(context_, plan, loop, Reading::Token, codes),
        late_(context_, plan, loop, token_),
        codes_(codes) {}

  std::string write(const std::string& name) {
    w_.line("// A token of `{}` as a lane sees it that guesses where it begins; see note [speculate].",
            context_.module.rules[loop_.rule].name);
    w_.line("namespace thread {");
    w_.open("struct {} {{", name);
    w_.line("static constexpr u64 kInMargin = {};  // bytes of one token and its wide loads", loop_.in_margin);
    if (records_.bits) w_.line("Scratch* m = prim::in_register(ScratchRef().operator->());");
    if (records_.values) {
      values();
      return finish();
    }
    w_.line("static constexpr bool kOnePart = {}, kEachPart = {};", records_.one_part, records_.each_part);
    if (!records_.bits) to_end();
    w_.line("static constexpr bool kLate = {};  // a token waits for those before it: note [late]",
            records_.has_late());
    for (const Local l : captured_) w_.line("const {} {};", held_as(l), token_.name(l));
    if (records_.has_late())
      late_.write_own(w_);
    else
      w_.line("typedef prim::Record Own;");
    token();
    if (records_.has_late()) late_.write_late(w_);
    return finish();
  }

  // Of tokens that are codes: what a byte stands for. See note [codes].
  std::string write_codes(const std::string& name) {
    w_.line("// A token of `{}`, asked what its first byte tells; see note [codes].", context_.module.rules[loop_.rule].name);
    w_.line("namespace thread {");
    w_.open("struct {} {{", name);
    w_.line("static constexpr u64 kInMargin = {};  // bytes of one token and its wide loads", loop_.in_margin);
    w_.line("Scratch* m = prim::in_register(ScratchRef().operator->());");
    if (loop_.codes->bytes != 0) w_.line("static constexpr u32 kBytes = {}, kStrings = {};  // of one token", loop_.codes->bytes, loop_.codes->strings);
    for (const Local l : captured_) w_.line("const {} {};", held_as(l), token_.name(l));
    w_.line("SLUICE_METHOD void own() { m = prim::in_register(ScratchRef().operator->()); }");
    at_bytes();
    body();
    return finish();
  }

  // An object of that type, in the function that the loop is.
  std::string made() const {
    std::string text;
    if (records_.bits || codes_) text = context_.format("prim::in_register(ScratchRef().operator->())");
    for (const Local l : captured_) text += (text.empty() ? "" : ", ") + (in_state(l) ? fmt::format("({}){}", held_as(l), home_of(token_, l)) : token_.name(l));
    if (!records_.has_late()) return "{" + text + "}";
    return fmt::format("{{{}{}{{{}}}, 0}}", text, text.empty() ? "" : ", ", late_.made(late_.carried()));
  }
  // Gives back what tokens carry.
  void give_back(Writer& w) const {
    late_.give_back(w, late_.carried(), "tokens.carried");
  }

 private:
  const char* held_as(Local l) const { return token_.held_as(l); }

  std::string finish() {
    w_.close("};");
    w_.line("}  // namespace thread");
    w_.line("");
    return w_.take();
  }

  void to_end() { w_.line("static constexpr bool kToEnd = {};  // a token may end where the input does", records_.to_end); }
  // Note [value records].
  void values() {
    for (const Local l : captured_) w_.line("const {} {};", held_as(l), token_.name(l));
    w_.line("typedef prim::ValueRecord Own;");
    w_.line("typedef {} List;", list_type());
    w_.line("static constexpr u32 kLoop = {};", loop_.number + 1);
    w_.line("static constexpr u32 kToldMost = 0;");
    w_.line("static constexpr bool kApart = {};  // sizes are told without what numbers hold", records_.values->apart);
    const bool own = context_.own_tokens(loop_);
    w_.line("static constexpr bool kOwn = {};  // where they are short, each lane makes its own", own);
    if (own) w_.line("static SLUICE_METHOD u64 size_of(u32 first) {{ return kShort_{}[first]; }}", loop_.number);
    to_end();
    at_bytes();
    body();
  }
  std::string list_type() const {
    if (!records_.values->list) return context_.format("prim::NoList");
    const plan::ValueList& list = *records_.values->list;
    if (list.packed) return context_.format("prim::PackedList<{}, {}, {}, {}>", list.big, list.is_signed, records_.values->sums, records_.values->arrays);
    if (list.varints) return context_.format("prim::VarintList<{}, {}>", list.bits, list.is_signed);
    return context_.format("prim::FieldList<{}, {}, {}>", list.bits / 8, list.big, list.is_signed);
  }

  void token() {
    if (records_.bits)
      at_bits();
    else
      at_bytes();
    body();
  }

  void body() {
    w_.open("{");
    token_.write_locals(w_);
    late_.declare_kinds(w_);
    token_.write(w_, loop_.body);
    if (records_.has_late()) late_.write_keep(w_);
    w_.close();
    w_.at("");
    w_.line("return {};", records_.bits ? "b.count" : positional() ? "bit >> 3" : "in");
    if (token_.leaves()) {
      w_.label("leave");
      w_.line("return prim::kCannotTell;");
    }
    w_.close();
  }

  // Note [first byte].
  void first_byte() {
    const std::optional<plan::FirstByte>& first = records_.first_byte;
    w_.line("static constexpr u32 kToldMost = {};  // bytes of a token whose first byte tells its size{}", first ? first->most : 0,
            first ? "" : ": there is none");
    const bool parts = first && first->parts;
    w_.line("static constexpr bool kToldParts = {};  // so are its parts", parts);
    if (!first) return;
    w_.line("static_assert(kToldMost + kInMargin <= prim::kTileAhead, \"behind it no step's bytes are tested\");");
    w_.line("template <typename Source>");
    w_.open("static SLUICE_METHOD bool told(const Source& src, prim::Cursor in, prim::Cursor in_end, u32& size) {");
    limit();
    token_.write_size_by_first_byte(w_, *first);
    w_.close();
    if (!parts) return;
    w_.line("template <typename Source>");
    w_.open("static SLUICE_METHOD bool parts(const Source& src, prim::Cursor in, prim::Cursor in_end, prim::Record& out) {");
    limit();
    token_.write_parts_by_first_byte(w_, *first);
    w_.close();
  }

  // Walks know that it never is behind it.
  void limit() {
    w_.line("const prim::Cursor in_limit = in_end - (prim::Cursor)kInMargin;");
    w_.line("if (SLUICE_UNLIKELY(in > in_limit)) return false;");
  }

  void at_bytes() {
    if (!records_.sums.empty())
      w_.line("static_assert(prim::kTileRoom <= {}, \"what its bytes add up to has 32 bits\");", plan::kMostOfTile);
    if (!records_.values && !codes_) first_byte();
    w_.line("template <typename Source, typename Out>");
    w_.open("SLUICE_METHOD prim::Cursor token(const Source& src, prim::Cursor in, prim::Cursor in_end, Out& out) const {");
    if (!positional()) w_.line("const prim::Cursor in_limit = in_end - (prim::Cursor)kInMargin;");
    nowhere();
    if (positional()) w_.line("u32 bit = 8 * in;");
    if (positional()) w_.line("const u32 bit_limit = 8 * (in_end - (prim::Cursor)kInMargin);");
    w_.line("if (SLUICE_UNLIKELY({} || out > out_limit)) return prim::kCannotTell;", positional() ? "bit > bit_limit" : "in > in_limit");
    if (records_.values && records_.values->arrays) listed_arrays();
  }
  // What stands in the chunk's memory, as a token sees it: arrays that its list goes through.
  void listed_arrays() {
    std::set<std::uint32_t> arrays;
    plan::for_each_step(loop_.body, [&](const plan::Step& s) {
      const auto* each = std::get_if<plan::SideBySide>(&s.what);
      if (each != nullptr && each->list == plan::ListPart::Array) arrays.insert(std::get<plan::SetElement>(each->body.back().what).array);
    });
    w_.open("struct Through {");
    for (const std::uint32_t array : arrays) w_.line("prim::ListedArray<List, Out> {};", context_.array(array));
    w_.close("};");
    w_.line("Through through = {};");
    w_.line("Through* const m = &through;");
  }
  bool positional() const { return loop_.reader == plan::Reader::Position; }

  void at_bits() {
    w_.line("static constexpr u64 kMostBits = {};  // of one token", records_.max_token != 0 ? std::to_string(records_.max_token) : "~0ull");
    w_.line("template <typename Out>");
    w_.open("SLUICE_METHOD u32 token(const prim::BitTile& src, u32 at, Out& out) const {");
    w_.line("typedef prim::TileBits<{}> Bits;", context_.msb());
    if (plan::holds<plan::Copy>(loop_.body)) nowhere();
    w_.line("const prim::Cursor in = at >> 3, in_limit = prim::kBitTileRoom - (prim::Cursor)kInMargin;");
    w_.line("if (SLUICE_UNLIKELY(in > in_limit)) return prim::kCannotTell;");
    w_.line("Bits b = {src.words(), at};");
    for (const std::uint32_t t : loop_.tables)
      w_.line("const {1}* const {0} = m->{0}[0];", context_.lookup(plan_.tables[t].code, t), context_.entry_type(plan_.tables[t].entry));
  }

  // The output's limits.
  void nowhere() {
    w_.line("const auto out_limit = prim::end_of(out), window = out_limit;  // nowhere");
    w_.line("const prim::NoCopy pending{};");
  }

  const Context context_;
  const plan::Plan& plan_;
  const plan::Loop& loop_;
  const plan::Records& records_;
  const std::vector<Local> captured_;
  TokenText token_;
  LateText late_;
  const bool codes_;
  Writer w_{context_.notes()};
};

std::string tokens_name(const Context& context, const plan::Loop& loop) {
  return fmt::format("Tokens_{}_{}", context.rule(loop.rule), loop.number);
}

// The number by which other warps know the loop, from 1 on.
std::size_t job_of(const plan::Plan& plan, const plan::Loop& loop) { return 1 + static_cast<std::size_t>(&loop - plan.loops.data()); }

// Do all warps of a chunk take this loop's tokens?
bool is_job(const plan::Loop& loop, const plan::Kernel& kernel) {
  return kernel.codes ? loop.has_codes() && loop.codes->bytes != 0 : loop.has_records();
}

// The walks that find the tokens of a loop that makes values, of which there is one form.
Apart walks_of(const Context& c, std::uint32_t object, const std::string& tokens) {
  return {object, "void", c.format("prim::find_tokens"),
          c.format("const thread::{}& tokens, prim::TokenList& list, prim::ValueTile& tile, prim::Cursor from", tokens), "tokens, list, tile, from",
          {{"walks_of_" + tokens, c.format("false, prim::kGuessesAgain && !thread::{}::List::kNone", tokens)}}};
}

// What decodes a loop's tokens, and says whether some are left to the loop that takes them one by one. Of a stream of bits, are they read
// as whole bytes?
bool write_engine(Writer& w, const Context& context, const plan::Plan& plan, const plan::Loop& loop, const plan::Kernel& kernel,
                  const Apart& engine, const std::string& tokens, bool given) {
  w.line("{}", context.head(true));
  w.open("SLUICE_INLINE bool {}({}) {{", engine.name, engine.parameters);
  const unsigned element = context.elem_bytes();
  const bool whole = !loop.records->bits && !loop.records->values && !context.bytes();
  const std::string stream = whole ? "bytes" : "s";
  if (whole) w.line("prim::WholeBytes bytes(s);");
  const bool elements = element != 1 && !loop.records->values && (given || !loop.records->bits);
  if (elements) w.line("const prim::InBytes<{}> elements({});", element, stream);
  if (context.own_tokens(loop))
    w.line("const bool left = prim::decode_values<Write>(s, tokens);");
  else if (loop.records->values)
    w.line("const bool left = prim::as_values<Write>(s, tokens);");
  else if (kernel.chunk_warps > 1 && (given || !loop.records->bits))
    w.line("const bool left = prim::team_speculate<Write>({}, tokens, {});", stream, job_of(plan, loop));
  else if (loop.records->bits)
    w.line("const bool left = prim::speculate_bits<Write, thread::{}>({});", tokens, engine.arguments);
  else if (kernel.walker_warps != 0)
    w.line("const bool left = prim::speculate<Write, prim::Walked<Write, {}>>({}, tokens);", job_of(plan, loop), stream);
  else
    w.line("const bool left = prim::speculate<Write>({}, tokens);", stream);
  if (elements) w.line("elements.back({});", stream);
  if (whole) w.line("bytes.back(s);");
  w.line("return left;");
  w.close();
  std::vector<Apart> functions{engine};
  if (const std::uint32_t object = engine_of(context, plan, loop).walks; object != 0) functions.push_back(walks_of(context, object, tokens));
  for (const Apart& one : functions) {
    write_elsewhere(w, context, {&one, 1});
    write_linked(w, context, {&one, 1});
  }
  w.line("");
  return whole;
}

}  // namespace

std::string write_guessing_loop(const Context& context, const plan::Plan& plan, const plan::Loop& loop, const plan::Kernel& kernel) {
  const std::string stem = fmt::format("{}_{}", context.rule(loop.rule), loop.number);
  const std::string tokens = tokens_name(context, loop), warp = "warp_" + stem;
  const LoopSlots slots = loop_slots(context, plan, loop);
  GuessText text(context, plan, loop);
  Writer w(context.notes());
  w.raw(text.write(tokens));
  w.raw(write_loop(context, plan, loop, warp));
  const bool given = loop.records->has_late() || !plan::captured_of(loop).empty();
  const bool takes = given || !loop.records->bits;  // its tokens hold more than what all share
  const Apart engine = {engine_of(context, plan, loop).object, "bool", "tokens_" + stem,
                        takes ? fmt::format("State& s, thread::{}& tokens", tokens) : "State& s", takes ? "s, tokens" : "s"};
  const bool whole = write_engine(w, context, plan, loop, kernel, engine, tokens, given);
  w.line("{}", context.head(true));
  w.open("SLUICE_INLINE void {}(State& s{}) {{", loop_name(context, loop), slots.parameters);
  if (takes) w.line("thread::{} tokens = {};", tokens, text.made());
  if (whole) w.line("if (s.pos & 7) return;");
  w.line("const bool left = {}<Write>({});", engine.name, engine.arguments);
  if (takes && !loop.records->values) text.give_back(w);
  w.line("if (left) {}<Write>(s{});", warp, slots.arguments);
  w.close();
  w.line("");
  return w.take();
}

std::string write_codes_loop(const Context& context, const plan::Plan& plan, const plan::Loop& loop, const plan::Kernel& kernel) {
  const std::string stem = fmt::format("{}_{}", context.rule(loop.rule), loop.number), warp = "warp_" + stem;
  const std::string tokens = tokens_name(context, loop);
  const LoopSlots slots = loop_slots(context, plan, loop);
  GuessText text(context, plan, loop, true);
  Writer w(context.notes());
  w.raw(text.write_codes(tokens));
  w.raw(write_loop(context, plan, loop, warp));
  w.line("{}", context.head(true));
  w.open("SLUICE_INLINE void {}(State& s{}) {{", loop_name(context, loop), slots.parameters);
  w.line("const thread::{} tokens = {};", tokens, text.made());
  if (kernel.chunk_warps > 1 && is_job(loop, kernel))
    w.line("if (prim::team_fixed<Write>(s, tokens, {})) {}<Write>(s{});", job_of(plan, loop), warp, slots.arguments);
  else
    w.line("if ({}<Write>(s, tokens)) {}<Write>(s{});",
           loop.codes->bytes != 0 ? context.format("prim::decode_fixed") : context.format("prim::decode_codes"), warp, slots.arguments);
  w.close();
  w.line("");
  return w.take();
}

std::string write_team(const Context& context, const plan::Plan& plan, const plan::Kernel& kernel) {
  Writer w(context.notes());
  w.line("// What the other warps of a chunk's block do: see note [team].");
  w.line("template <bool Write>");
  w.open("SLUICE_COLD void team() {");
  w.open("for (;;) {");
  w.line("const u32 job = prim::next_job();");
  w.line("if (job == 0) return;");
  for (const plan::Loop& loop : plan.loops)
    if (is_job(loop, kernel)) {
      if (kernel.codes) w.line("if (job == {}) prim::decode_fixed_together<Write, thread::{}>();", job_of(plan, loop), tokens_name(context, loop));
      else w.line("if (job == {}) prim::decode_together<Write, thread::{}>();", job_of(plan, loop), tokens_name(context, loop));
    }
  w.close();
  w.close();
  w.line("");
  return w.take();
}

std::string write_walker(const Context& context, const plan::Plan& plan) {
  Writer w(context.notes());
  w.line("// What the warp does that walks the input ahead: see note [walker].");
  w.open("SLUICE_COLD void walker() {");
  w.line("prim::Walker w = {0, 0, 0};");
  w.open("for (;;) {");
  w.line("const u32 job = prim::next_walk(w);");
  w.line("if (job == 0) return;");
  for (const plan::Loop& loop : plan.loops)
    if (loop.has_records())
      w.line("if (job == {}) w = prim::walk_ahead<thread::{}>(w);", job_of(plan, loop), tokens_name(context, loop));
  w.close();
  w.close();
  w.line("");
  return w.take();
}

}  // namespace sluice::emit
