#include "compiler/emit/unit.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler/emit/expr.h"
#include "compiler/ir/error_text.h"
#include "compiler/plan/chain.h"

namespace sluice::emit {

namespace {

template <typename Range, typename F>
void array_text(Writer& w, const std::string& head, const Range& values, F&& f) {
  w.line("{} = {{", head);
  std::string line;
  for (const auto& v : values) {
    std::string item = f(v) + ",";
    if (line.size() + item.size() > 110) {
      w.line("  {}", line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item;
  }
  w.line("  {}", line);
  w.line("};");
}

}  // namespace

std::vector<std::string> write_loops(const Context& context, const plan::Plan& plan, const plan::Kernel* kernel) {
  const bool guesses = kernel != nullptr && kernel->speculate, codes = kernel != nullptr && kernel->codes;
  std::vector<std::string> loops;
  for (const plan::Loop& loop : plan.loops) {
    if (loop.form == plan::LoopForm::Checked || loop.part) continue;
    if (guesses && loop.has_records() && loop.records->chained) loops.push_back(write_chained_loop(context, plan, loop));
    else if (guesses && loop.has_records()) loops.push_back(write_guessing_loop(context, plan, loop, *kernel));
    else if (guesses && loop.fills) loops.push_back(write_fills_loop(context, plan, loop));
    else if (codes && loop.has_codes()) loops.push_back(write_codes_loop(context, plan, loop, *kernel));
    else loops.push_back(write_loop(context, plan, loop));
  }
  if ((guesses || codes) && kernel->chunk_warps > 1) loops.push_back(write_team(context, plan, *kernel));
  if (guesses && kernel->walker_warps != 0) loops.push_back(write_walker(context, plan));
  return loops;
}

void write_fast_loops(Writer& w, const std::vector<std::string>& loops) {
  if (loops.empty()) return;
  w.line("// note [fast-loop margin]: a token that starts at or below both limits stays inside both buffers. Every statement");
  w.line("// has a static cost that the margins contain, or tests its own size. Whatever is unusual leaves, at the token's start.");
  w.line("");
  for (const std::string& loop : loops) w.raw(loop);
}

void write_constants(Writer& w, const Context& c, const plan::Plan& plan) {
  const ir::Module& m = c.module;
  const std::string_view array = c.dialect.table;
  w.line("// Error words of the clauses that can refuse: rule:10 | clause:14 | bit position:40.");
  for (ir::SiteId i = 0; i < m.sites.size(); ++i) {
    const std::string at = c.place(m.sites[i].span);
    w.line("constexpr u64 {} = 0x{:x}ull;  // {}, clause {}{}", c.site(i), ir::error_word(m.sites[i], 0),
           m.rules[m.sites[i].rule].name, m.sites[i].clause, at.empty() ? at : ", " + at);
  }
  w.line("");
  const bool told = std::ranges::any_of(plan.loops, [&](const plan::Loop& l) { return l.told.has_value() || c.own_tokens(l); });
  if (m.tables.empty() && m.ranges.empty() && plan.tables.empty() && plan.extras.empty() && !told) return;
  const auto number = [](std::uint64_t v) { return fmt::format("{}", v); };
  for (std::uint32_t i = 0; i < m.tables.size(); ++i) {
    const ir::Type t = m.tables[i].elem;
    array_text(w, fmt::format("{} {} {}[{}]", array, stored(t), c.table(i), m.tables[i].values.size()),
               m.tables[i].values, [&](std::uint64_t v) {
                 return t.is_signed ? fmt::format("({}){}", stored(t), constant(v, true, true))
                                    : number(v) + (v > 0x7fffffff ? "ull" : "");
               });
  }
  const std::string_view ranges = c.alike_ranges ? c.dialect.alike_table : array;
  const std::vector<std::uint64_t> entries = plan::range_entries(m, plan);  // those behind a table's own say nothing
  for (std::uint32_t i = 0; i < m.ranges.size(); ++i) {
    if (c.packs(i)) {
      std::vector<std::uint64_t> packed;
      for (std::size_t k = 0; k < m.ranges[i].base.size(); ++k) packed.push_back(m.ranges[i].base[k] | std::uint64_t{m.ranges[i].extra[k]} << kRangeShift);
      packed.resize(entries[i]);
      w.line("// What an index says: extra bits:{} | base:{}.", 32 - kRangeShift, kRangeShift);
      array_text(w, fmt::format("{} u32 {}[{}]", ranges, c.ranges(i), packed.size()), packed, number);
      continue;
    }
    std::vector<std::uint64_t> base = m.ranges[i].base;
    std::vector<std::uint8_t> extra = m.ranges[i].extra;
    base.resize(entries[i]);
    extra.resize(entries[i]);
    array_text(w, fmt::format("{} u64 {}_base[{}]", ranges, c.ranges(i), base.size()), base, number);
    array_text(w, fmt::format("{} u8 {}_extra[{}]", ranges, c.ranges(i), extra.size()), extra,
               [](std::uint8_t v) { return fmt::format("{}", v); });
  }
  for (const plan::StateExtras& e : plan.extras) {
    w.line("// Bits of fields that a token has with each symbol of {}: its states tell them.", m.states[e.code].name);
    array_text(w, fmt::format("{} u8 {}[{}]", array, c.extras(e.code), e.bits.size()), e.bits, [](std::uint32_t v) { return std::to_string(v); });
  }
  for (std::uint32_t i = 0; i < plan.tables.size(); ++i) {
    const plan::Table& t = plan.tables[i];
    w.line("// What an entry of {} says of each symbol: payload:16 | arm:3 | code bits:5 (0 here) | extra bits:8.",
           m.codes[t.code].name);
    array_text(w, fmt::format("{} u32 kInfo_{}[{}]", array, c.lookup(t.code, i), t.info.size()), t.info,
               [](std::uint32_t v) { return fmt::format("0x{:x}", v); });
  }
  for (const plan::Loop& loop : plan.loops) {
    if (!c.own_tokens(loop)) continue;
    w.line("// What a first byte says of a token: values:16 | for each of the second byte's:16 | bits:16 | where numbers stand:4 | how many:4 | bits, likewise:8.");
    array_text(w, fmt::format("{} u64 kShort_{}[{}]", array, loop.number, loop.records->values->two_bytes.size()), loop.records->values->two_bytes,
               [](std::uint64_t v) { return fmt::format("0x{:x}", v); });
  }
  for (const plan::Loop& loop : plan.loops) {
    if (!loop.told) continue;
    w.line("// What a first byte says of a token: added to a distance:16 | bits of that:8 | literals:1 | length:7; and the bytes it takes.");
    array_text(w, fmt::format("{} u64 kTold_{}[{}]", array, loop.number, loop.told->entries.size()), loop.told->entries,
               [](std::uint32_t v) { return fmt::format("0x{:x}", v); });
    array_text(w, fmt::format("{} u8 kToldSize_{}[{}]", array, loop.number, loop.told->sizes.size()), loop.told->sizes,
               [](std::uint32_t v) { return std::to_string(v); });
  }
  w.line("");
}

void write_state(Writer& w, const Context& c, const analysis::Uses& uses) {
  const ir::Module& m = c.module;
  const char* kind = c.stream_kind();
  if (c.sink()) {
    w.line("template <typename Sink>");
    w.open("struct StateOf : prim::SinkStream<prim::Input::{}, kBuffer, Sink, Value> {{", kind);
  } else {
    w.open("struct State : prim::Stream<prim::Input::{}{}> {{", kind, c.cuda() ? ", kBuffer" : "");
  }
  w.line("{} m;", c.cuda() ? "ScratchRef" : "Scratch*");
  w.line("const unsigned long long* args;");
  if (c.pairs) w.line("prim::Pair* pair;  // with the chunk that is decoded beside it");
  if (c.pairs) w.line("bool second;");
  if (c.asks_strings) w.line("u64 strings_from;  // where a table of codes may be made again");
  if (c.keeps_tokens) w.line("prim::KeptTokens kept;");
  if (c.keeps_tokens && c.sink()) w.line("prim::ValueRooms* rooms;");
  for (std::uint32_t i = 0; i < m.globals.size(); ++i) w.line("{} {};", held(m.globals[i].type), c.global(i));
  if (!m.buffers.empty()) w.line("u64 buffer_count[{}];", m.buffers.size());
  if (c.has_views()) w.line("u64 buffer_from[{}];  // of a buffer that is a view of the input: its first byte", m.buffers.size());
  if (!m.outputs.empty()) {
    const std::size_t n = m.outputs.size();
    w.line("u8* further_out[{}];  // of each further output its first element", n);
    w.line("u64 further_room[{}], further_made[{}];  // how many it may have, and has, less what an open `into` has made", n, n);
    w.line("u32 further_open;  // the one that outputs go to, from 1 on; 0: none");
  }
  if (uses.stages) w.line("u64 real_produced;  // outputs of the chunk while a buffer takes them");
  if (uses.stages) w.line("bool diverted;");
  if (uses.sums_in_buffers) w.line("bool counting;  // nobody asks for checksums, not over buffers either");
  if (uses.reads_dictionary) w.line("u64 asked_at;  // while the dictionary is read: the position in the input");
  if (uses.reads_dictionary) w.line("bool in_dictionary;");
  if (!uses.moves.empty())
    w.line("u64 elsewhere[{}];  // of a `within` that moves: the size of all its regions", uses.moves.size());
  if (!m.marks.empty()) w.line("u64 mark_pos[{0}], mark_made[{0}];", m.marks.size());
  w.close("};");
  w.line("");
  w.line("constexpr u64 kOk = 0, kAccepted = 1;  // error words have a clause >= 1, so they are at least 2^40");
  w.line("constexpr u64 kNoRoom = 0x{:x}ull;", ir::kNoRoom);
  w.line("// A check's word without the place, which is `s.pos`: the one who called first adds it, in `outcome`.");
  if (c.sink()) w.line("{}", c.head(false));
  w.open("SLUICE_INLINE u64 fail(State& s, u64 site, u64 at) {");
  w.line("s.pos = at;");
  w.line("return site;");
  w.close();
  w.line("// More output than there is room for: the format's own limit refuses in the clause's name, the caller's in none.");
  if (c.sink()) w.line("{}", c.head(false));
  w.line("SLUICE_INLINE u64 full(State& s, u64 site, u64 at, u64 n = 1) { return fail(s, n > s.promised - s.produced || s.out_end == s.promised ? site : kNoRoom, at); }");
  w.line("// A chunk's error word, from what its main rule returned.");
  if (c.sink()) w.line("{}", c.head(false));
  w.open("SLUICE_INLINE u64 outcome(State& s, u64 r) {");
  w.line("if (r <= kAccepted) return kOk;");
  if (uses.reads_dictionary) {
    // Such a module's words say whose bit it is, note error word of ir.h. What was consumed of the input ends where it was asked for.
    w.line("const u64 at = ({} * State::kStep & 0x{:x}ull) | (s.in_dictionary ? 0x{:x}ull : 0);", c.bit_of("s.pos"), ir::kInDictionary - 1, ir::kInDictionary);
    w.line("if (s.in_dictionary) s.pos = s.asked_at;");
    w.line("return r == kNoRoom ? r : r | at;");
  } else {
    w.line("return r == kNoRoom ? r : r | ({} * State::kStep & ((1ull << 40) - 1));", c.bit_of("s.pos"));
  }
  w.close();
  w.line("");
}

}  // namespace sluice::emit
