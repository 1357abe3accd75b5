#pragma once
// The structure of the text, once for printer and reader: what stands in a statement's line, in which order and under
// which word. `io` is either of them; its methods print a member or read it back:
//
//   index(word, n)  number(word, n)  flag(word, b)  value(word, v)  operand(word, o)  local(word, l)  type(word, t)  choice(e)
//   body(b)  alternative(word, b)  arms(list)  widths(list)  cost(word, c)  numbers(word, list)  locals(word, list)
//
// Members that have their default are left out, but for an index and what has no word of its own.
#include <array>
#include <string_view>
#include <tuple>

#include "compiler/plan/plan.h"

namespace sluice::plan {

template <typename Enum>
struct Words;
#define SLUICE_PLAN_WORDS(Enum, ...)                                      \
  template <>                                                            \
  struct Words<Enum> {                                                   \
    static constexpr auto kAll = std::to_array<std::string_view>({__VA_ARGS__}); \
  };
SLUICE_PLAN_WORDS(Target, "cpu", "warp", "lane")
SLUICE_PLAN_WORDS(LoopForm, "side_by_side", "parts", "unchecked", "burst", "row", "token", "checked")
SLUICE_PLAN_WORDS(Reader, "bytes", "buffer", "position", "lane")
SLUICE_PLAN_WORDS(Field::Into, "local", "dropped", "element")
SLUICE_PLAN_WORDS(FieldForm, "load", "look", "look_wide", "in_word", "at", "at_wide", "at_bytes", "varint", "ranges")
SLUICE_PLAN_WORDS(LiteralsForm, "fixed", "short", "varints", "each", "none")
SLUICE_PLAN_WORDS(RunForm, "flat", "wide", "stepped")
SLUICE_PLAN_WORDS(LongCode, "no_long_codes", "second_level", "search")
SLUICE_PLAN_WORDS(Take, "output", "drop", "extra", "payload")
SLUICE_PLAN_WORDS(Reading, "token", "late", "both", "own", "round")
SLUICE_PLAN_WORDS(Together, "bytes", "fields", "varints")
#undef SLUICE_PLAN_WORDS

// By the order of the alternatives of Statement.
inline constexpr auto kStatementWords = std::to_array<std::string_view>(
    {"refill",  "need",     "width",   "word",   "field",       "drop",   "let",        "sum",  "set_global", "set_element",
     "store",   "literals", "run",     "copy",   "slice", "symbol_bytes", "pick_table", "symbol", "look_ahead", "if",  "inline",
     "exit",    "repeat",   "unchecked", "side_by_side", "check", "leave",  "break",      "align", "skip"});
static_assert(kStatementWords.size() == std::variant_size_v<Statement>);

template <typename Io>
void describe(Io&, Refill&) {}
template <typename Io>
void describe(Io& io, Need& s) {
  io.number("", s.bits);
}
template <typename Io>
void describe(Io& io, Width& s) {
  io.value("", s.value);
  io.operand("", s.bits);
}
template <typename Io>
void describe(Io& io, Word& s) {
  io.value("", s.value);
  io.flag("whole", s.whole);
}
template <typename Io>
void describe(Io& io, Field& s) {
  io.choice(s.into);
  if (s.into == Field::Into::Local)
    io.local("", s.local);
  else
    io.value("", s.target);
  io.choice(s.form);
  io.type("", s.type);
  io.flag("big", s.big);
  io.number("bits", s.bits);
  io.value("width", s.width);
  io.flag("or_none", s.may_be_empty);
  io.value("with", s.value);
  io.number("offset", s.offset);
  io.flag("checks_boundary", s.checks_boundary);
  io.flag("placed", s.placed);
  io.flag("ahead", s.ahead);
  io.value("at_once", s.once);
  io.flag("opens", s.opens);
  io.flag("closes", s.closes);
  io.flag("looked", s.looked);
  if (s.form != FieldForm::Ranges) return;
  io.number("of", s.ref);
  io.operand("index", s.index);
}
template <typename Io>
void describe(Io& io, Drop& s) {
  io.value("", s.value);
  io.type("", s.type);
  io.body(s.read);
}
template <typename Io>
void describe(Io& io, Let& s) {
  io.local("", s.local);
  io.operand("", s.value);
  io.flag("before", s.before);
}
template <typename Io>
void describe(Io& io, Sum& s) {
  io.local("", s.local);
  io.operand("", s.term);
}
template <typename Io>
void describe(Io& io, SetGlobal& s) {
  io.number("", s.global);
  io.operand("value", s.value);
}
template <typename Io>
void describe(Io& io, SetElement& s) {
  io.number("", s.array);
  io.operand("index", s.index);
  io.operand("value", s.value);
  io.value("undo", s.undo);
}
template <typename Io>
void describe(Io& io, Store& s) {
  io.operand("", s.value);
}
template <typename Io>
void describe(Io& io, Literals& s) {
  io.choice(s.form);
  io.type("", s.type);
  io.operand("count", s.count);
  io.value("with", s.value);
  io.flag("placed", s.placed);
  io.body(s.read);
}
template <typename Io>
void describe(Io& io, Run& s) {
  io.choice(s.form);
  io.operand("first", s.first);
  io.operand("count", s.count);
  io.operand("step", s.step);
  io.value("with", s.value);
  io.flag("tested", s.tested);
  io.number("most", s.most);
  io.flag("placed", s.placed);
}
template <typename Io>
void describe(Io& io, Copy& s) {
  io.operand("distance", s.distance);
  io.operand("length", s.length);
  io.value("with", s.value);
  io.flag("tests_window", s.tests_window);
  io.flag("tested", s.tested);
  io.flag("stepwise", s.stepwise);
  io.flag("ahead", s.ahead);
  io.flag("shown", s.shown);
  io.operands("group", s.group);
  io.flag("late_distance", s.late_distance);
  io.value("look", s.look);
}
template <typename Io>
void describe(Io& io, Slice& s) {
  io.number("", s.buffer);
  io.operand("from", s.from);
  io.operand("count", s.count);
  io.value("with", s.value);
  io.flag("late_from", s.late_from);
}
template <typename Io>
void describe(Io& io, SymbolBytes& s) {
  io.number("", s.table);
  io.operand("index", s.index);
  io.value("with", s.value);
}
template <typename Io>
void describe(Io& io, PickTable& s) {
  io.value("", s.value);
  io.number("", s.table);
  io.operand("copy", s.copy);
}
template <typename Io>
void describe(Io& io, Symbol& s) {
  io.value("", s.value);
  io.index("table", s.table);
  io.operand("copy", s.copy);
  io.value("in", s.picked);
  io.flag("row", s.in_row);
  io.flag("pairs", s.pairs);
  io.number("first", s.first);
  io.number("longest", s.longest);
  io.number("again", s.again);
  io.number("refill", s.refill);
  io.number("needs", s.needs);
  io.number("needs_long", s.needs_long);
  io.choice(s.long_code);
  io.arms(s.arms);
}
template <typename Io>
void describe(Io& io, SymbolArm& s) {
  io.choice(s.take);
  if (s.take == Take::Extra || s.take == Take::Payload) io.local("", s.local);
  io.flag("falls", s.falls);
  io.cost("cost", s.cost);
  io.body(s.body);
}
template <typename Io>
void describe(Io&, LookAhead&) {}
template <typename Io>
void describe(Io& io, If& s) {
  io.operand("", s.condition);
  io.flag("flat", s.flat);
  io.body(s.then);
  io.alternative("else", s.orelse);
}
template <typename Io>
void describe(Io& io, Inline& s) {
  io.number("", s.scope);
  io.flag("exits", s.exits);
  io.operands("with", s.args);
  io.body(s.scope, s.body);
}
template <typename Io>
void describe(Io& io, Exit& s) {
  io.number("", s.scope);
}
template <typename Io>
void describe(Io& io, Repeat& s) {
  io.operand("count", s.count);
  io.operand("until", s.until);
  io.value("with", s.value);
  io.local("index", s.index);
  io.body(s.body);
}
template <typename Io>
void describe_unpacked(Io& io, Unpacked& unpacked) {
  for (const auto& [word, is] : {std::pair{"stored", Unpacked::Stored}, std::pair{"summed", Unpacked::Summed}, std::pair{"kept_sums", Unpacked::Kept}}) {
    bool on = unpacked == is;
    io.flag(word, on);
    if (on) unpacked = is;
  }
}
template <typename Io>
void describe(Io& io, Unchecked& s) {
  io.operand("count", s.count);
  io.value("with", s.value);
  io.local("index", s.index);
  io.cost("each", s.step);
  io.value("only", s.only_field);
  io.flag("exact", s.exact);
  describe_unpacked(io, s.unpacked);
  io.widths(s.widths);
  io.body(s.body);
}
template <typename Io>
void describe_list(Io& io, ListPart& part) {
  for (const auto& [word, is] : {std::pair{"listed", ListPart::Values}, std::pair{"sums", ListPart::Sums}, std::pair{"array", ListPart::Array},
                                 std::pair{"amends", ListPart::Amends}, std::pair{"offset", ListPart::Offset}}) {
    bool on = part == is;
    io.flag(word, on);
    if (on) part = is;
  }
}
template <typename Io>
void describe(Io& io, SideBySide& s) {
  io.operand("count", s.count);
  io.value("with", s.value);
  io.local("index", s.index);
  io.cost("each", s.step);
  io.flag("in_order", s.in_order);
  describe_list(io, s.list);
  io.flag("passed", s.passed);
  io.value("only", s.only_field);
  describe_unpacked(io, s.unpacked);
  io.widths(s.widths);
  io.body(s.body);
}
template <typename Io>
void describe(Io& io, Check& s) {
  io.operand("", s.condition);
}
template <typename Io>
void describe(Io&, Leave&) {}
template <typename Io>
void describe(Io&, Break&) {}
template <typename Io>
void describe(Io&, Align&) {}
template <typename Io>
void describe(Io& io, Skip& s) {
  io.operand("", s.bytes);
}

// ---- Around the statements

template <typename Io>
void describe(Io& io, Scope& s) {
  io.index("rule", s.rule);
  io.value("", s.value);
  io.local("result", s.result);
}
template <typename Io>
void describe(Io& io, Row& s) {
  io.value("", s.entry);
  io.index("table", s.table);
  io.number("first", s.first);
  io.number("symbols", s.symbols);
}
template <typename Io>
void describe(Io& io, View& s) {
  io.index("buffer", s.buffer);
}
template <typename Io>
void describe(Io& io, Part& s) {
  io.numbers("core", s.core);
  io.flag("counted", s.counted);
  io.flag("placeless", s.placeless);
  io.flag("reads", s.reads);
  io.flag("summed", s.summed);
  io.number("distance_bits", s.distance_bits);
  io.numbers("step", s.step);
  io.numbers("with", s.reads_slots);
  io.numbers("own", s.own);
}
template <typename Io>
void describe(Io& io, FirstByte& s) {
  io.local("", s.local);
  io.number("most", s.most);
  io.operand("told", s.told);
  io.operand("size", s.size);
}
template <typename Io>
void describe(Io& io, FirstByteParts& s) {
  io.operand("literals", s.literals);
  io.operand("from", s.from);
  io.operand("distance", s.distance);
  io.operand("length", s.length);
}
template <typename Io>
void describe(Io& io, FieldAt& s) {
  io.local("", s.local);
  io.number("offset", s.offset);
  io.number("bits", s.bits);
  io.flag("big", s.big);
}
template <typename Io>
void describe(Io& io, Codes& s) {
  io.flag("escapes", s.escapes);
  io.number("bytes", s.bytes);
  io.number("strings", s.strings);
  io.text("against", s.against);
}
template <typename Io>
void describe(Io& io, Fills& s) {
  io.index("array", s.array);
  io.local("next", s.next);
  io.flag("repeats", s.repeats);
  io.number("bits", s.most_bits);
  io.locals("kept", s.kept);
}
template <typename Io>
void describe(Io& io, Told& s) {
  io.number("at", s.at);
  io.number("from", s.from);
  io.numbers("entries", s.entries);
  io.numbers("sizes", s.sizes);
}
template <typename Io>
void describe(Io& io, Plain& s) {
  io.number("mask", s.mask);
  io.number("below", s.below);
  io.number("literals_shift", s.literals.shift);
  io.number("literals_mask", s.literals.mask);
  io.number("literals_added", s.literals.added);
  io.number("length_shift", s.length.shift);
  io.number("length_mask", s.length.mask);
  io.number("length_added", s.length.added);
  io.number("size", s.size);
  io.number("from", s.from);
  io.number("at", s.at);
  io.number("bits", s.bits);
  io.number("added", s.added);
  io.flag("behind", s.behind);
  io.flag("big", s.big);
}
template <typename Io>
void describe(Io& io, Streams& s) {
  io.index("rule", s.rule);
  io.numbers("at", s.first);
  io.number("of", s.count);
  io.number("look_ups", s.look_ups);
  io.text("against", s.against);
}
template <typename Io>
void describe(Io& io, Records& s) {
  io.number("min", s.min_token);
  io.number("max", s.max_token);
  io.flag("bits", s.bits);
  io.number("reach", s.reach);
  io.number("longest", s.longest);
  io.flag("one_part", s.one_part);
  io.flag("each_part", s.each_part);
  io.flag("to_end", s.to_end);
  io.flag("runs", s.runs);
  io.flag("chained", s.chained);
  io.optional_number("slices", s.slices);
  io.locals("walked", s.walked);
  io.numbers("state_walk", s.state_walk);
  io.text("no_state_walk", s.no_state_walk);
  io.locals("turned", s.turned);
  io.flag("moves", s.moves);
  io.locals("moved", s.moved);
  io.locals("counted", s.counted);
  io.flag("of_outputs", s.of_outputs);
  io.locals("counters", s.counters);
  io.locals("added", s.added);
  io.locals("latched", s.latched);
  io.locals("late", s.late);
  io.locals("kept", s.kept);
  io.numbers("kinds", s.kept_symbols);
  io.locals("sums", s.sums);
  io.text("against", s.against);
}
template <typename Io>
void describe(Io& io, Values& s) {
  io.flag("numbers", s.numbers);
  io.flag("left", s.left);
  io.flag("sums", s.sums);
  io.flag("arrays", s.arrays);
  io.flag("apart", s.apart);
  io.numbers("two_bytes", s.two_bytes);
}
template <typename Io>
void describe(Io& io, ValueList& s) {
  io.flag("varints", s.varints);
  io.number("bits", s.bits);
  io.flag("signed", s.is_signed);
  io.flag("big", s.big);
  io.flag("packed", s.packed);
}
template <typename Io>
void describe(Io& io, Obstacle& s) {
  io.choice(s.form);
  io.text("", s.reason);
  io.text("help", s.cure);
}

// ---- Loops

// A loop's own line; the lines below it are the printer's and the reader's.
template <typename Io>
void describe_head(Io& io, Loop& s) {
  io.index("rule", s.rule);
  io.numbers("at", s.path);
  io.choice(s.kind);
  io.optional_number("index", s.index);
  io.choice(s.form);
  if (s.form == LoopForm::Checked) return;
  if (s.form == LoopForm::Parts) {
    io.flag("counts", s.counts);
    return io.index("number", s.number);
  }
  io.choice(s.reader);
  io.optional_number("element", s.element_bytes);
  io.flag("backward", s.backward);
  io.flag("nested", s.nested);
  io.flag("aligned", s.aligned);
  io.flag("counts", s.counts);
  io.flag("progress", s.progress);
  io.flag("asks_end", s.asks_end);
  io.flag("few_steps", s.few_steps);
  io.flag("but_last", s.but_last);
  io.flag("packed", s.packed);
  io.flag("direct", s.direct);
  io.optional_number("joined", s.joined);
  io.flag("paired", s.paired);
  io.flag("alone", s.alone);
  io.index("number", s.number);
  io.number("margin", s.in_margin);
  io.value("only", s.only_field);
  describe_unpacked(io, s.unpacked);
  io.cost("cost", s.cost);
}

}  // namespace sluice::plan
