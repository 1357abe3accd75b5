#include "compiler/emit/late_text.h"

#include <algorithm>

#include "compiler/plan/late.h"

namespace sluice::emit {

using plan::Local;

namespace {

std::vector<Local> late_carried(const plan::Loop& loop) {
  std::vector<Local> carried = plan::carried_of(loop);
  std::erase_if(carried, [&](Local l) { return std::ranges::find(loop.records->walked, l) != loop.records->walked.end(); });
  return carried;
}

}  // namespace

bool in_state(Local l) { return l.scope == plan::kGlobalScope; }
std::string home_of(const TokenText& token, Local l) { return in_state(l) ? "s." + token.name(l) : belonging("ref", token.name(l)); }

LateText::LateText(const Context& lane, const plan::Plan& plan, const plan::Loop& loop, const TokenText& token)
    : loop_(loop), records_(*loop.records), carried_(late_carried(loop)), token_(token), late_(lane, plan, loop, plan::Reading::Late), tagged_(lane, plan, loop, plan::Reading::Late) {
  late_.counts_at_hand = true;
  tagged_.tagged = true;
}

// The record, with what late steps read of the token.
void LateText::write_own(Writer& w) const {
  w.open("struct Own : prim::Record {");
  for (const Local l : records_.kept) w.line("{} {};", held_as(l), token_.name(l));
  for (const plan::Value v : records_.kept_symbols) w.line("u32 {};", kind(v));
  w.close("};");
  std::string values, types;
  for (const Local l : records_.kept) {
    values += fmt::format(", {} {}", held_as(l), belonging("is", token_.name(l)));
    types += fmt::format(", {}", held_as(l));
  }
  for (const plan::Value v : records_.kept_symbols) {
    values += ", u32 " + belonging("is", kind(v));
    types += ", u32";
  }
  w.line("static SLUICE_METHOD void keep(prim::NoOutput&{}) {{}}", types);
  w.open("static SLUICE_METHOD void keep(Own& own{}) {{", values);
  for (const Local l : records_.kept) w.line("own.{} = {};", token_.name(l), belonging("is", token_.name(l)));
  for (const plan::Value v : records_.kept_symbols) w.line("own.{} = {};", kind(v), belonging("is", kind(v)));
  w.close();
}

void LateText::declare_kinds(Writer& w) const {
  for (const plan::Value v : records_.kept_symbols) w.line("u32 {} = 0;", kind(v));
}

void LateText::write_keep(Writer& w) const {
  std::string values;
  for (const Local l : records_.kept) values += ", " + token_.name(l);
  for (const plan::Value v : records_.kept_symbols) values += ", " + kind(v);
  w.line("keep(out{});", values);
}

// What tokens carry, and what is done when those before are known.
void LateText::write_late(Writer& w) {
  w.open("struct Carried {");
  for (const Local l : carried_) w.line("{} {};", held_as(l), token_.name(l));
  for (const Local l : records_.latched) w.line("bool {};", belonging("set", token_.name(l)));
  w.close("};");
  w.line("Carried carried;  // for the next token");
  w.line("u64 outputs;      // before the engine's position 0, modulo 2^64");

  w.open("SLUICE_METHOD void count(Carried& c) const {");
  for (const Local l : records_.counters) w.line("{0}& {1} = c.{1};", held_as(l), token_.name(l));
  std::vector<Local> counted = records_.counters;
  counted.insert(counted.end(), records_.counted.begin(), records_.counted.end());
  late_.write_carried(w, counted);
  w.close();
  w.line("static constexpr bool kCounts = {}, kAdds = {}, kLatches = {}, kTurns = {};", !records_.counters.empty(), !records_.added.empty(),
         !records_.latched.empty(), !records_.turned.empty() && !records_.moves);
  w.line("static constexpr u32 kMoves = {};  // of what is handed on in turn", records_.moves ? records_.turned.size() : 0);
  if (!records_.added.empty()) write_added(w);
  if (records_.moves) write_moved(w);
  else if (!records_.turned.empty()) write_turned(w);
  w.line("// What a lane's token finds, when each lane has made `c` of its own.");
  w.open("static SLUICE_METHOD void latch(Carried& at, const Carried& c, bool have) {");
  for (const Local l : records_.latched)
    w.line("at.{0} = prim::latched(have && c.{1}, c.{0}, at.{0});", token_.name(l), belonging("set", token_.name(l)));
  w.close();
  w.open("static SLUICE_METHOD void take(Carried& c, u32 lane) {");
  for (const Local l : carried_) w.line("c.{0} = prim::of_lane(c.{0}, lane);", token_.name(l));
  w.close();

  w.line("template <bool Checks>");
  w.open("SLUICE_METHOD bool late(Own& own, u64 out, Carried& c) const {");
  read_kept(w);
  for (const Local l : carried_) w.line("{0}& {1} = c.{1};", held_as(l), token_.name(l));
  for (const Local l : records_.latched) w.line("c.{} = false;", belonging("set", token_.name(l)));
  w.open("{");
  late_.write_locals(w);
  late_.write(w, loop_.body);
  w.close();
  w.at("");
  w.line("return true;");
  if (late_.leaves()) {
    w.label("leave");
    w.line("return false;");
  }
  w.close();
}

void LateText::read_kept(Writer& w) const {
  for (const Local l : records_.kept) w.line("const {0} {1} = own.{1};", held_as(l), token_.name(l));
  for (const plan::Value v : records_.kept_symbols) w.line("const u32 {0} = own.{0};", kind(v));
}

// What a token adds, and what lanes find of it.
void LateText::write_added(Writer& w) {
  w.open("SLUICE_METHOD void add(const Own& own, Carried& c) const {");
  read_kept(w);
  for (const Local l : records_.added) w.line("{0}& {1} = c.{1};", held_as(l), token_.name(l));
  late_.write_carried(w, records_.added);
  w.close();
  w.open("static SLUICE_METHOD void sum(Carried& at, const Carried& c, bool have) {");
  for (const Local l : records_.added) w.line("at.{0} = prim::added(have, c.{0} - at.{0}, at.{0});", token_.name(l));
  w.close();
}

// What is handed on in turn: note [in turn].
void LateText::write_turned(Writer& w) const {
  w.open("static SLUICE_METHOD void take_turned(Carried& at, const Carried& c) {");
  for (const Local l : records_.turned) w.line("at.{0} = c.{0};", token_.name(l));
  w.close();
  w.line("// What late steps read of the token of that lane.");
  w.open("static SLUICE_METHOD void own_of_lane(Own& one, const Own& own, u32 lane) {");
  for (const Local l : records_.kept) w.line("one.{0} = prim::of_lane(own.{0}, lane);", token_.name(l));
  for (const plan::Value v : records_.kept_symbols) w.line("one.{0} = prim::of_lane(own.{0}, lane);", kind(v));
  w.close();
}

// Likewise: note [moves].
void LateText::write_moved(Writer& w) {
  w.open("SLUICE_METHOD void move(const Own& own, u64 (&c)[kMoves]) const {");
  read_kept(w);
  std::vector<Local> all = records_.turned;
  all.insert(all.end(), records_.moved.begin(), records_.moved.end());
  std::size_t k = 0;
  for (const Local l : records_.turned) w.line("u64& {} = prim::handed_on(c, {});", token_.name(l), k++);
  tagged_.write_carried(w, all);
  w.at("");
  w.close();
  w.open("static SLUICE_METHOD void take_moved(Carried& at, const u32 (&c)[kMoves]) {");
  k = 0;
  for (const Local l : records_.turned) w.line("at.{} = prim::handed_on(c, {});", token_.name(l), k++);
  w.close();
  w.open("static SLUICE_METHOD void moved_of(u32 (&c)[kMoves], const Carried& of) {");
  k = 0;
  for (const Local l : records_.turned) w.line("prim::handed_on(c, {}) = (u32)of.{};", k++, token_.name(l));
  w.close();
}

std::string LateText::made(const std::vector<Local>& of) const {
  std::string text;
  for (const Local l : of) text += fmt::format("{}({}){}", text.empty() ? "" : ", ", held_as(l), home_of(token_, l));
  return text;
}

void LateText::give_back(Writer& w, const std::vector<Local>& of, const std::string& from) const {
  for (const Local l : of) w.line("{} = {}.{};", home_of(token_, l), from, token_.name(l));
}

}  // namespace sluice::emit
