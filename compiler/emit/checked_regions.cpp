// Regions of the checked path: where reading ends, what has to be made, and where copies begin to see.
//
//   within 4              ->   const u64 n_0 = 4ull;
//     ...                      if (s.left_bits() >> 3 < n_0) return fail(s, kSite0_end_of_input, s.pos);
//                              const u64 outer_1 = s.end;
//                              s.end = s.pos + prim::steps<State::kInput>(n_0);
//                              ...
//                              if (s.pos != s.end) return fail(s, kSite1_bytes_left, s.pos);
//                              s.end = outer_1;
#include <fmt/format.h>

#include <string>

#include "compiler/emit/checked.h"

namespace sluice::emit {

using K = ir::Stmt::Kind;
using ir::Stmt;

void CheckedPath::new_window(const Stmt& s) {
  const bool before = s.flag && context_.module.has_dictionary;
  if (before && s.a) {
    const std::string n = temporary("n");
    w_.line("const u64 {} = {};", n, value_u64(*s.a));
    return w_.line("s.window = s.produced; s.dictionary_bytes = {0} < s.dictionary_size ? {0} : s.dictionary_size;", n);
  }
  w_.line("s.window = s.produced; s.dictionary_bytes = {};", before ? "s.dictionary_size" : "0");
}

// The dictionary is the input meanwhile, for what is told of errors, too.
void CheckedPath::region_of_dictionary(const Stmt& s) {
  const std::string size = temporary("size"), in = temporary("in"), end = temporary("end");
  const std::string opened = context_.cuda() ? " prim::open(s);" : "";
  w_.open("{");
  w_.line("const u8* const {} = s.in;", in);
  w_.line("const u64 {} = s.size, {} = s.end;", size, end);
  w_.line("s.asked_at = s.pos, s.in_dictionary = true;");
  w_.line("s.in = s.dictionary, s.size = s.dictionary_size, s.pos = 0, s.end = {};{}", context_.format("prim::steps<State::kInput>(s.size)"), opened);
  block(s.body);
  w_.line("if (s.pos != s.end) {}", fail(s.sites[1]));
  w_.line("s.in = {}, s.size = {}, s.pos = s.asked_at, s.end = {}, s.in_dictionary = false;{}", in, size, end, opened);
  w_.close();
}

void CheckedPath::region(const Stmt& s) {
  if (s.dictionary) return region_of_dictionary(s);
  const std::string n = temporary("n"), outer = temporary("outer");
  w_.open("{");
  w_.line("const u64 {} = {};", n, value_u64(*s.a));
  if (s.kind == K::Within) {
    const std::string back = s.b ? temporary("back") : "";
    if (s.b) elsewhere(s, n, back);
    else if (!s.backward) w_.line("if (s.left_bits(){} < {}) {}", s.flag ? "" : " >> 3", n, fail(s.sites[0]));
    w_.line("const u64 {} = s.end;", outer);
    if (s.backward) {
      const std::string behind = temporary("behind");
      w_.line("const u64 {} = s.pos + {};", behind, context_.format("prim::steps<State::kInput>({})", n));
      const std::string r = temporary("r");
      w_.line("const u32 {} = {};", r, context_.format("prim::turn(s, {})", n));
      if (!s.b) w_.line("if ({} == 1) {}", r, fail(s.sites[0]));
      w_.line("if ({}) {}", r, fail(s.sites[2], behind));
      inside(s.body);
      w_.line("if (s.pos != s.end) {}", fail(s.sites[1]));
      w_.line("s.end = {}, s.pos = {};", outer, s.b ? back : behind);
      return w_.close();
    }
    w_.line("s.end = s.pos + {};", s.flag ? n : context_.format("prim::steps<State::kInput>({})", n));
    inside(s.body);
    w_.line("if (s.pos != s.end) {}", fail(s.sites[1]));
    w_.line("s.end = {};", outer);
    if (s.b) w_.line("s.pos = {};", back);
  } else {
    const std::string promised = temporary("promised");
    w_.line("if (s.promised - s.produced < {}) {}", n, fail(s.sites[0]));
    w_.line("const u64 {} = s.out_end, {} = s.promised;", outer, promised);
    w_.line("s.promised = s.produced + {};", n);
    w_.line("if (s.promised < s.out_end) s.out_end = s.promised;");
    inside(s.body);
    w_.line("if (s.produced != s.promised) {}", fail(s.sites[1]));
    w_.line("s.out_end = {}, s.promised = {};", outer, promised);
  }
  w_.close();
}

// To a region that starts behind a mark. All that one statement makes are together no longer than the input, so that nobody can
// have the same bytes read over and over.
void CheckedPath::elsewhere(const Stmt& s, const std::string& n, const std::string& back) {
  const std::string offset = temporary("offset"), mark = fmt::format("s.mark_pos[{}]", s.ref);
  const auto steps = [&](const std::string& of) { return s.flag ? of : context_.format("prim::steps<State::kInput>({})", of); };
  const std::string unit = s.flag ? "1" : context_.format("prim::steps<State::kInput>(1)");
  const std::string read = fmt::format("s.elsewhere[{}]", context_.elsewhere(s));
  w_.line("const u64 {} = {};", offset, value_u64(*s.b));
  w_.line("if ({0} > s.end || (s.end - {0}) / {1} < {2}) {3}", mark, unit, offset, fail(s.sites[0]));
  w_.line("if (({} - {}) / {} < {}) {}", context_.format("prim::steps<State::kInput>({})", "s.size"), read, unit, n, fail(s.sites[0]));
  w_.line("{} += {};", read, steps(n));
  w_.line("const u64 {} = s.pos;", back);
  w_.line("s.pos = {} + {};", mark, steps(offset));
  w_.line("if (s.left_bits(){} < {}) {}", s.flag ? "" : " >> 3", n, fail(s.sites[0], back));
}

void CheckedPath::inside(const ir::Block& b) {
  if (&b != core_) return block(b);
  for (const std::string& line : at_core_) w_.line("{}", line);
}

// As into a buffer, but behind what is there, and the room is the caller's: nothing is promised of it.
void CheckedPath::into_output(const Stmt& s) {
  const std::string outer = temporary("outer"), made = fmt::format("s.further_made[{}]", s.ref);
  const ir::Type around = context_.element;
  context_.element = ir::filled_type(context_.module, s);
  w_.open("{");
  w_.line("const prim::Sink {0} = prim::divert(s, {1} ? s.further_out[{2}] + {3} : nullptr, s.further_room[{2}] - {4});", outer, write_, s.ref,
          times(made, context_.elem_bytes()), made);
  w_.line("s.promised = ~0ull, s.further_open = {};", s.ref + 1);
  block(s.body);
  w_.line("{} += s.produced, s.further_open = 0;", made);
  w_.line("prim::restore(s, {});", outer);
  w_.close();
  context_.element = around;
}

}  // namespace sluice::emit
