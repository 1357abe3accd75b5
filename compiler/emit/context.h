#pragma once
// What every part of the emitters shares: the module and its target, and C identifiers for its things.
#include <algorithm>
#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "compiler/emit/dialect.h"
#include "compiler/emit/form.h"
#include "compiler/emit/names.h"
#include "compiler/ir/ir.h"
#include "compiler/plan/kernel.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/target.h"
#include "dsl/source/source.h"

namespace sluice::emit {

// Where the extra bits stand in a word that is an index's base and its extra bits, of which there are at most 31.
inline constexpr unsigned kRangeShift = 27;

struct Context : plan::Ground {
  Context(const ir::Module& m, embed::PrimitiveNames& used, plan::Target t = plan::Target::Cpu, const Dialect& d = kCpu)
      : Ground{m, t}, dialect(d), names(&used) {}

  const Dialect& dialect;
  embed::PrimitiveNames* names;  // of the primitives that what is written uses
  bool pairs = false;         // loops that can do two chunks at once do so: note [pairs] of runtime/prim/pair.h
  bool asks_strings = false;  // a loop makes a table of its codes: note [codes] of runtime/prim/code_table.h
  bool keeps_tokens = false;  // a stream keeps tokens that a tile's walks have found: note [other tokens] of speculate_values.h
  bool own = false;  // lanes make the values of short tokens alone: note [own tokens] of own_tokens.h
  bool alike_ranges = false;  // bases and extra bits are looked up by walks most often, all lanes alike
  bool lends_room = false;  // stages that permute have their room over the codes: note [lent room] of plan/memory.h
  bool entries = false;  // parts leave entries of what they make: the kernel's way to resolve copies is Steps
  plan::Objects objects = {};         // of the kernel's text, and whether a kernel decodes or counts:
  std::vector<bool> kernels = {};
  std::vector<const ir::Stmt*> moves = {};  // analysis::Uses, as sums_in_buffers
  bool sums_in_buffers = false;
  const SourceSet* sources = nullptr;  // what spans refer to; none: the text does not say where it comes from

  bool cuda() const { return plan::on_gpu(target); }  // a kernel: the same text, with primitives that a warp does together
  bool thread() const { return target == plan::Target::Lane; }  // what one lane does alone, beside others (strategy split)
  Notes notes() const { return {names, thread()}; }
  // The same, of what a lane of the warp does by itself.
  Context of_lane() const {
    Context context = *this;
    context.target = plan::Target::Lane;
    return context;
  }
  // The same, of a loop whose outputs may be elements of another size.
  Context of_loop(const plan::Loop& loop) const {
    Context context = *this;
    if (loop.element_bytes) context.element = {static_cast<std::uint8_t>(8 * *loop.element_bytes), false};
    return context;
  }
  bool in_pairs(const plan::Loop& loop) const { return pairs && loop.paired; }
  bool own_tokens(const plan::Loop& loop) const { return own && loop.has_records() && loop.records->values && !loop.records->values->two_bytes.empty(); }
  // A device function: functions are templates of the chunk's state, which holds the caller's sink.
  bool sink() const { return outputs == plan::Outputs::Sink; }
  // In front of a function of that state. `counts`: one that may be asked for the size alone.
  std::string_view head(bool counts) const {
    if (counts) return sink() ? "template <bool Write, typename State>" : "template <bool Write>";
    return sink() ? "template <typename State>" : "";
  }
  // The type of a place in the output.
  std::string_view address() const { return sink() ? "auto" : "u8*"; }
  bool msb() const { return module.input == ir::Input::BitsMsb; }
  // Are there regions that are read from their end? Positions are then those of note [turned] of runtime/prim/turned.h.
  bool turns() const { return directions.turns(); }
  // The word of prim::Input for a chunk's stream.
  const char* stream_kind() const { return bytes() ? "Bytes" : msb() ? "Msb" : turns() ? "Turning" : "Lsb"; }
  // A position as a bit of the input, in a stream of bits.
  std::string bit_of(std::string_view pos) const { return turns() ? format("prim::bit_of({})", pos) : std::string(pos); }
  unsigned look_bits() const { return plan::look_bits(target); }
  unsigned table_bits(const ir::Code& code) const { return plan::table_bits(target, code, asked_table_bits); }

  // Where a clause stands, for a comment: "lz4_block.sluice:18", or "line 18" of a text without a name. The file's own
  // name: where it lies on somebody's machine changes no text.
  std::string place(Span span) const;

  // A piece of a text, with the primitives that it uses noted.
  template <typename... A>
  std::string format(Form<std::type_identity_t<A>...> form, A&&... a) const {
    return notes().fill(form, std::forward<A>(a)...);
  }

  // C identifiers: names.h.
  std::string rule(std::uint32_t r) const;
  std::string local(std::uint32_t rule, std::uint32_t slot) const;
  std::string global(std::uint32_t g) const;
  std::string array(std::uint32_t a) const;
  std::string table(std::uint32_t t) const;
  std::string ranges(std::uint32_t r) const;
  std::string extras(std::uint32_t s) const;  // of state code s
  // What an index says, as a text that looks it up: the extra bits, and the base. Of ranges that a kernel has as one word each, the
  // word is declared first, and is called `name`.
  struct RangeText {
    std::string declared, extra, base;
  };
  RangeText range_at(std::uint32_t r, const std::string& name, const std::string& index) const;
  bool packs(std::uint32_t r) const;  // are they one word each?
  std::string code(std::uint32_t c) const;
  std::string buffer(std::uint32_t b) const;
  bool has_views() const { return std::ranges::find(views, true) != views.end(); }
  // Which of `moves` this is.
  std::size_t elsewhere(const ir::Stmt& within) const;
  // The first byte of a buffer, wherever its bytes stand; and element `index`, 0 past its count. `scratch`: "m" or "s.m".
  std::string buffer_start(std::uint32_t b, std::string_view scratch) const;
  std::string buffer_element(std::uint32_t b, std::string_view scratch, std::string_view index) const;
  std::string symbols(std::uint32_t s) const;
  std::string site(ir::SiteId s) const;  // constant: the site's error word at bit 0
  std::string lookup(std::uint32_t c, std::size_t number) const;  // look-up table `number`, of code c
  std::string entry_type(plan::EntryForm) const;  // of a look-up table
  std::string entry_that_leaves(plan::EntryForm) const;
};

// "u64" or "i64": how a value of this type is held.
inline const char* held(ir::Type t) { return t.is_signed ? "i64" : "u64"; }

// `text` times or over a number that 1 says nothing for: "n_2 * 8", "n_2".
inline std::string times(std::string text, std::uint64_t n) { return n == 1 ? text : fmt::format("{} * {}", text, n); }
inline std::string over(std::string text, std::uint64_t n) { return n == 1 ? text : fmt::format("{} / {}", text, n); }

// The narrowest C type that stores t: u8, i16, ...
std::string stored(ir::Type t);
inline unsigned stored_bytes(ir::Type t) { return t.bits <= 8 ? 1 : t.bits <= 16 ? 2 : t.bits <= 32 ? 4 : 8; }

}  // namespace sluice::emit
