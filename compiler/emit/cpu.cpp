#include "compiler/emit/cpu.h"

#include <algorithm>
#include <map>

#include "compiler/driver/embedded.h"
#include "compiler/emit/careful.h"

namespace sluice::emit {
namespace {

using ir::Stmt;

void find_loops(const Context& context, std::uint32_t rule, const ir::Block& b, std::map<const Stmt*, FastLoop>& fast,
                std::vector<const Stmt*>& order, std::vector<CodeTable>& tables, std::vector<LoopReport>* report) {
  for (const auto& s : b) {
    if (s->kind == Stmt::Kind::Loop) {
      NoFastLoop why;
      auto f = make_fast_loop(context, rule, *s, fast.size(), tables, why);
      if (report) report->push_back({rule, s.get(), f.has_value(), why.reason});
      if (f) {
        fast.emplace(s.get(), std::move(*f));
        order.push_back(s.get());
        continue;
      }
    }
    find_loops(context, rule, s->body, fast, order, tables, report);
    find_loops(context, rule, s->orelse, fast, order, tables, report);
  }
}

// Which primitives the module's text needs.
struct Uses {
  bool checksums = false, stages = false, bwt = false;
};

Uses find_uses(const ir::Module& m) {
  Uses uses;
  uses.stages = !m.buffers.empty() || !m.symbols.empty();
  const auto look = [&](const ir::Expr& e) { uses.checksums |= e.op == ir::Op::Checksum; };
  const std::function<void(const ir::Block&)> scan = [&](const ir::Block& b) {
    for (const auto& s : b) {
      uses.bwt |= s->kind == Stmt::Kind::Stage && s->stage == ir::StageKind::InverseBwt;
      for (const auto* e : {&s->a, &s->b, &s->c, &s->d, &s->read.width, &s->read.index})
        if (*e) for_each(**e, look);
      for (const auto& e : s->args) for_each(*e, look);
      scan(s->body);
      scan(s->orelse);
    }
  };
  for (const auto& r : m.rules) scan(r.body);
  return uses;
}

// A primitive's text without what only makes sense in the source tree.
void primitive(Writer& w, std::string_view path) {
  std::string_view text = driver::embedded(path);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (!line.starts_with("#pragma once") && !line.starts_with("#include")) w.raw(line);
  }
}

template <typename Range, typename F>
void array_text(Writer& w, const std::string& head, const Range& values, F&& f) {
  w.line("{} = {{", head);
  std::string line;
  for (const auto& v : values) {
    std::string item = f(v) + ",";
    if (line.size() + item.size() > 110) {
      w.line("  " + line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item;
  }
  w.line("  " + line);
  w.line("};");
}

void constants(Writer& w, const Context& c, const std::vector<CodeTable>& tables) {
  const ir::Module& m = c.module;
  w.line("// Error words of the clauses that can refuse: rule:10 | clause:14 | bit position:40.");
  for (ir::SiteId i = 0; i < m.sites.size(); ++i)
    w.line("constexpr u64 {} = 0x{:x}ull;  // {}, clause {}", c.site(i), ir::error_word(m.sites[i], 0),
           m.rules[m.sites[i].rule].name, m.sites[i].clause);
  w.line("");
  const auto number = [](std::uint64_t v) { return fmt::format("{}", v); };
  for (std::uint32_t i = 0; i < m.tables.size(); ++i) {
    const ir::Type t = m.tables[i].elem;
    array_text(w, fmt::format("constexpr {} {}[{}]", stored(t), c.table(i), m.tables[i].values.size()),
               m.tables[i].values, [&](std::uint64_t v) {
                 return t.is_signed ? fmt::format("({}){}", stored(t), constant(v, true, true))
                                    : number(v) + (v > 0x7fffffff ? "ull" : "");
               });
  }
  for (std::uint32_t i = 0; i < m.ranges.size(); ++i) {
    array_text(w, fmt::format("constexpr u64 {}_base[{}]", c.ranges(i), m.ranges[i].base.size()), m.ranges[i].base,
               number);
    array_text(w, fmt::format("constexpr u8 {}_extra[{}]", c.ranges(i), m.ranges[i].extra.size()), m.ranges[i].extra,
               [](std::uint8_t v) { return fmt::format("{}", v); });
  }
  for (const CodeTable& t : tables) {
    w.line("// What an entry of {} says of each symbol: payload:16 | arm:3 | code bits:5 (0 here) | extra bits:8.",
           m.codes[t.plan.code].name);
    array_text(w, fmt::format("constexpr u32 kInfo_{}[{}]", t.name, t.plan.info.size()), t.plan.info,
               [](std::uint32_t v) { return fmt::format("0x{:x}", v); });
  }
  w.line("");
}

void state(Writer& w, const Context& c, const std::vector<CodeTable>& tables, const Uses& uses) {
  const ir::Module& m = c.module;
  w.line("// Chunk state of fixed size. All but the tables is zero at the start of a chunk.");
  w.open("struct Scratch {");
  for (std::uint32_t i = 0; i < m.arrays.size(); ++i)
    w.line("{} {}[{}];", stored(m.arrays[i].elem), c.array(i), m.arrays[i].count);
  for (std::uint32_t i = 0; i < m.codes.size(); ++i)
    w.line("prim::Code<{}, {}> {}[{}];", m.codes[i].symbols, m.codes[i].max_bits, c.code(i), m.codes[i].copies);
  for (std::uint32_t i = 0; i < m.symbols.size(); ++i)
    w.line("prim::Symbols<{}> {};", m.symbols[i].count, c.symbols(i));
  w.line("u8 zeroed_up_to_here;");
  for (const CodeTable& t : tables) {
    const ir::Code& code = m.codes[t.plan.code];
    w.line("u32 {}[{}][prim::table_size({}, {}, {})];", t.name, code.copies, code.symbols, ir::table_bits(code),
           ir::table_most(code));
  }
  std::uint64_t longest = 0;
  for (std::uint32_t i = 0; i < m.buffers.size(); ++i) {
    w.line("u8 {}[{}];", c.buffer(i), std::uint64_t{m.buffers[i].limit} * c.elem_bytes());
    longest = std::max<std::uint64_t>(longest, m.buffers[i].limit);
  }
  if (uses.bwt) {
    w.line("u32 bwt_links[{}];", longest);
    w.line("u8 bwt_text[{}];", longest);
  }
  w.close("};");
  w.line("");
  const char* kind = c.bytes() ? "prim::Input::Bytes" : c.msb() ? "prim::Input::Msb" : "prim::Input::Lsb";
  w.open("struct State : prim::Stream<{}> {{", kind);
  w.line("Scratch* m;");
  w.line("const unsigned long long* args;");
  for (std::uint32_t i = 0; i < m.globals.size(); ++i) w.line("{} {};", held(m.globals[i].type), c.global(i));
  if (!m.buffers.empty()) w.line("u64 buffer_count[{}];", m.buffers.size());
  if (uses.stages) w.line("u64 real_made;  // outputs of the chunk while a buffer takes them");
  if (uses.stages) w.line("bool diverted;");
  if (!m.marks.empty()) w.line("u64 mark_pos[{0}], mark_made[{0}];", m.marks.size());
  w.close("};");
  w.line("");
  w.line("constexpr u64 kOk = 0, kAccepted = 1;  // error words have a clause >= 1, so they are at least 2^40");
  w.open("SLUICE_INLINE u64 fail(State& s, u64 site, u64 at) {");
  w.line("const u64 bit = at * State::kStep;");
  w.line("s.pos = at;");
  w.line("return site | (bit & ((1ull << 40) - 1));");
  w.close();
  w.line("");
}

void exports(Writer& w, const Context& c, const CpuOptions& options, const Uses& uses) {
  w.open("template <bool Write> SLUICE_INLINE u64 decode_chunk(sluice_job* job) {");
  w.line("State s;");
  w.line("__builtin_memset((void*)&s, 0, sizeof s);");
  w.line("s.in = job->in;");
  w.line("s.size = job->in_size;");
  w.line("s.end = prim::steps<State::kInput>(job->in_size);");
  w.line("s.out = (u8*)job->out;");
  w.line("s.limit = Write ? job->out_capacity : 1ull << 62;");
  w.line("s.dictionary = job->dictionary;");
  w.line("s.dictionary_size = {};", c.module.has_dictionary ? "job->dictionary_size" : "0");
  w.line("s.reach = s.dictionary_size;");
  w.line("s.args = job->args;");
  w.line("s.m = (Scratch*)job->scratch;");
  w.line("__builtin_memset((void*)s.m, 0, __builtin_offsetof(Scratch, zeroed_up_to_here));");
  w.line("const u64 r = {}<Write>(s);", c.rule(0));
  w.line("job->produced = {};", uses.stages ? "s.diverted ? s.real_made : s.made" : "s.made");
  w.line("job->consumed = (s.pos * State::kStep + 7) / 8;");
  w.line("return r == kAccepted ? kOk : r;");
  w.close();
  w.line("");
  w.line("}  // namespace");
  w.line("");
  w.line("extern \"C\" {");
  const std::string& p = options.prefix;
  w.line("extern const unsigned {}_abi_version;", p);
  w.line("extern const unsigned long long {}_scratch_bytes;", p);
  w.line("const unsigned {}_abi_version = SLUICE_ABI_VERSION;", p);
  w.line("const unsigned long long {}_scratch_bytes = sizeof(Scratch);", p);
  w.line("unsigned long long {}_decode(sluice_job* job);", p);
  w.line("unsigned long long {}_count(sluice_job* job);", p);
  w.line("unsigned long long {}_decode(sluice_job* job) {{ return decode_chunk<true>(job); }}", p);
  w.line("unsigned long long {}_count(sluice_job* job) {{ return decode_chunk<false>(job); }}", p);
  w.line("}");
}

}  // namespace

std::string emit_cpu(const ir::Module& m, const CpuOptions& options, std::vector<LoopReport>* report) {
  const Context context{m};
  std::vector<CodeTable> tables;
  std::map<const Stmt*, FastLoop> fast;
  std::vector<const Stmt*> order;
  if (options.fast_loops)
    for (std::uint32_t r = 0; r < m.rules.size(); ++r)
      find_loops(context, r, m.rules[r].body, fast, order, tables, report);

  const Uses uses = find_uses(m);
  Writer w;
  w.line("// Decoder for {}, written by the Sluice compiler.", m.name);
  w.raw(driver::embedded("runtime/api/abi.h"));
  w.line("namespace {");
  w.line("");
  primitive(w, "runtime/prim/base.h");
  for (const std::string_view name : {"bits", "copy", "codes", "varint", "checksum", "stream", "stages"}) {
    if ((name == "checksum" && !uses.checksums) || (name == "stages" && !uses.stages)) continue;
    primitive(w, fmt::format("runtime/prim/{}.h", name));
  }
  if (!context.bytes()) {
    primitive(w, "runtime/prim/bitbuffer.h");
    w.line("typedef prim::BitBuffer<{}> Bits;", context.msb());
  }
  w.line("");
  constants(w, context, tables);
  state(w, context, tables, uses);
  const ir::CountPlan count = ir::count_plan(m);
  Careful careful(context, count, fast, tables);
  for (const Stmt* s : order) w.raw(fast.at(s).text);
  for (std::uint32_t r = 0; r < m.rules.size(); ++r) w.line("{};", careful.prototype(r));
  w.line("");
  for (std::uint32_t r = 0; r < m.rules.size(); ++r) w.raw(careful.definition(r));
  exports(w, context, options, uses);
  return w.take();
}

}  // namespace sluice::emit
