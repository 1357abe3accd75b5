#pragma once
// The structure of the checked path's text: see describe.h.
#include <array>
#include <string_view>

#include "compiler/plan/describe.h"

namespace sluice::plan {

// By the order of the alternatives of CheckedStep::what.
inline constexpr auto kCheckedWords =
    std::to_array<std::string_view>({"aligned_read", "literals", "output_check", "loop", "view", "build", "symbols", "stream"});
static_assert(kCheckedWords.size() == std::variant_size_v<decltype(CheckedStep::what)>);

template <typename Io>
void describe(Io&, AlignedRead&) {}
template <typename Io>
void describe(Io& io, CheckedLiterals& s) {
  io.choice(s.form);
}
template <typename Io>
void describe(Io& io, OutputCheck& s) {
  io.flag("left_out", s.left_out);
}
template <typename Io>
void describe(Io& io, CheckedLoop& s) {
  io.optional_number("tokens", s.tokens);
  io.flag("watched", s.watched);
  io.flag("started", s.started);
}
template <typename Io>
void describe(Io&, ViewOfInput&) {}
template <typename Io>
void describe(Io& io, ReadSymbols& s) {
  io.number("", s.table);
  io.optional_number("counter", s.counter);
  io.number("most", s.most);
  io.number("sizes", s.sizes);
}
template <typename Io>
void describe(Io& io, StreamCall& s) {
  io.index("loop", s.loop);
  io.index("of", s.count);
  io.index("table", s.table);
  io.number("index", s.index);
}
template <typename Io>
void describe(Io& io, BuiltTables& s) {
  io.numbers("tables", s.tables);
}
template <typename Io>
void describe(Io& io, CheckedStep& s) {
  io.numbers("at", s.path);
  std::visit([&](auto& what) { describe(io, what); }, s.what);
}
// The rule's own line.
template <typename Io>
void describe(Io& io, CheckedRule& s) {
  io.index("rule", s.rule);
  io.numbers("at", s.path);
  io.flag("leaves", s.leaves); io.flag("once", s.once);
}

}  // namespace sluice::plan
