// BuildStates: the table of a state code from the counts of its symbols, as ir.md says.
#include <bit>
#include <span>
#include <vector>

#include "compiler/interp/machine.h"

namespace sluice::interp {

Machine::Flow Machine::build_states(const ir::Stmt& s) {
  const std::vector<std::uint64_t>& source = s.from_table ? module_.tables[s.array].values : arrays_[s.array];
  const bool is_signed = (s.from_table ? module_.tables[s.array].elem : module_.arrays[s.array].elem).is_signed;
  const std::uint64_t first = s.a ? eval(s.a) : 0;
  const std::uint64_t count = s.b ? eval(s.b) : source.size() - std::min<std::uint64_t>(first, source.size());
  const ir::StateCode& code = module_.states[s.ref];
  if (count > code.symbols || count > source.size() || first > source.size() - count) {
    broken();
    return Flow::Fail;
  }
  const auto counts = std::span(source).subspan(first, count);
  const auto less_than_one = [&](std::uint64_t n) { return is_signed && static_cast<std::int64_t>(n) < 0; };
  const std::uint64_t most = std::uint64_t{1} << code.max_log;
  std::uint64_t size = 0;
  for (const std::uint64_t n : counts) {
    const std::uint64_t states = less_than_one(n) ? 1 : n;
    if (states > most || size + states > most) return fail(s.sites[0], in_.position());
    size += states;
  }
  if (!std::has_single_bit(size)) return fail(s.sites[1], in_.position());

  std::vector<std::uint64_t> symbols(size);
  std::uint64_t end = size;
  for (std::uint64_t symbol = 0; symbol < count; ++symbol)
    if (less_than_one(counts[symbol])) symbols[--end] = symbol;
  const std::uint64_t step = size / 2 + size / 8 + 3;
  std::uint64_t place = 0;
  const auto next_place = [&] { place = (place + (step % 2 != 0 ? step : 1)) % size; };
  for (std::uint64_t symbol = 0; symbol < count; ++symbol) {
    const std::uint64_t states = less_than_one(counts[symbol]) ? 0 : counts[symbol];
    for (std::uint64_t k = 0; k < states; ++k) {
      while (place >= end) next_place();
      symbols[place] = symbol;
      next_place();
    }
  }

  const auto log = static_cast<unsigned>(std::bit_width(size)) - 1;
  std::vector<std::uint64_t> next(count);
  for (std::uint64_t symbol = 0; symbol < count; ++symbol) next[symbol] = less_than_one(counts[symbol]) ? 1 : counts[symbol];
  for (std::uint64_t state = 0; state < size; ++state) {
    const std::uint64_t x = next[symbols[state]]++, bits = log + 1 - static_cast<unsigned>(std::bit_width(x));
    arrays_[code.entries][state] = ((x << bits) - size) << model::kStateBaseShift | symbols[state] << model::kStateSymbolShift | bits;
  }
  globals_[code.log] = log;
  if (tracer_) trace({.kind = TraceEvent::Kind::Build, .name = code.name, .value = size, .count = count}, &s);
  return Flow::Next;
}

}  // namespace sluice::interp
