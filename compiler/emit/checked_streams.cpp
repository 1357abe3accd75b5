// Streams that calls in a row decode, begun together before the first one: note [streams] of runtime/prim/streams.h.
//
//   call 9 %3 %6              prim::StreamStart starts_2[2] = {};
//   check ...           ->    ...                                                      each is measured, where the stream would stand
//   call 9 (remaining) %6     if (known_5) prim::start_streams<2, 11>(s, starts_2, s.m->lookup0_huffman[0]);
//                             const u64 r_6 = rule9_stream<true>(s, v3_size_1, v6_part, &starts_2[0]);
#include "compiler/emit/checked.h"
#include "compiler/plan/streams.h"

namespace sluice::emit {

using ir::Stmt;
using K = Stmt::Kind;

void CheckedPath::start_streams(const ir::Block& b, std::size_t at, const plan::StreamCall& of) {
  const plan::StreamParameters parameters = plan::stream_parameters(context_.module.rules[b[at]->ref]);
  const ir::Code& code = context_.module.codes[plan_.tables[of.table].code];
  starts_ = temporary("starts");
  const std::string pos = temporary("pos"), made = temporary("made"), known = temporary("known");
  w_.line("{} {}[{}] = {{}};", context_.format("prim::StreamStart"), starts_, of.count);
  w_.line("const u64 {} = s.pos, {} = s.produced;", pos, made);
  w_.line("bool {} = true;", known);
  for (std::uint32_t index = 0; index < of.count; ++at) {
    const Stmt& s = *b[at];
    w_.at(context_.place(s.span));
    if (s.kind == K::Check) {
      w_.line("{0} = {0} && ({1});", known, value(*s.a));
      continue;
    }
    w_.line("{0} = {0} && prim::measure_stream(s, {1}[{2}], {3}, {4});", known, starts_, index++, value_u64(*s.args[parameters.size]),
            value_u64(*s.args[parameters.count]));
  }
  w_.line("s.pos = {}, s.produced = {};", pos, made);
  w_.line("if ({}) prim::start_streams<{}, {}>(s, {}, s.m->{}[0]);", known, of.count, context_.table_bits(code), starts_,
          context_.lookup(plan_.tables[of.table].code, of.table));
}

}  // namespace sluice::emit
