#pragma once
// The state of one decode, shared by the parts of the interpreter: eval.cpp (expressions), read.cpp (fields),
// exec.cpp (statements), output.cpp (emit, run, copy), buffers.cpp (into, stages, symbols).
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/interp/bit_reader.h"
#include "compiler/interp/interp.h"
#include "compiler/interp/prefix_code.h"
#include "compiler/ir/count_mode.h"
#include "compiler/ir/ir.h"

namespace sluice::interp {

// More than any output: nothing is promised.
inline constexpr std::uint64_t kNoPromise = ~std::uint64_t{0};

// Keeps the low t.bits bits of `word` and extends them to 64.
constexpr std::uint64_t extend(std::uint64_t word, ir::Type t) {
  const unsigned drop = 64u - t.bits;
  if (t.is_signed) return static_cast<std::uint64_t>(static_cast<std::int64_t>(word << drop) >> drop);
  return (word << drop) >> drop;
}

class Machine {
 public:
  // `plan` null: store the output. Otherwise count, up to job.capacity_elements.
  Machine(const ir::Module& module, const Job& job, const ir::CountPlan* plan, const Tracer& tracer);
  Result run();

 private:
  // How a statement ended.
  enum class Flow : std::uint8_t { Next, Stop, Return, Accept, Fail };

  // ---- expressions (eval.cpp)
  std::uint64_t eval(const ir::Expr& e);
  std::uint64_t eval(const ir::ExprPtr& e) { return eval(*e); }
  std::uint64_t binary(const ir::Expr& e);
  std::uint64_t element(const ir::Expr& e);
  std::uint64_t peek(const ir::Expr& e);
  std::uint64_t peek_bits(std::uint64_t wanted) const;
  std::uint64_t checksum_of(const ir::Expr& e);
  std::uint64_t output_bytes() const { return element_.bits / 8u; }

  // ---- fields (read.cpp)
  // One value at the current position. On failure the position is where the field starts, the failure is recorded
  // with sites[0] (EndOfInput) or sites[1] (malformed), and nullopt returned.
  std::optional<std::uint64_t> read_value(const ir::ReadSpec& spec, const std::array<ir::SiteId, 3>& sites);
  std::optional<std::uint64_t> read_width(const ir::ReadSpec& spec, unsigned width, ir::SiteId end_of_input);
  std::optional<std::uint64_t> read_varint(const ir::ReadSpec& spec, const std::array<ir::SiteId, 3>& sites);
  std::optional<std::uint64_t> read_code(const ir::ReadSpec& spec, const std::array<ir::SiteId, 3>& sites);
  std::optional<std::uint64_t> read_ranges(const ir::ReadSpec& spec, ir::SiteId end_of_input);

  // ---- output (output.cpp)
  bool stores() const { return plan_ == nullptr || filling_ != nullptr; }  // a count still fills buffers
  bool has_room(std::uint64_t elements) const { return elements <= limit_ - produced_; }
  void put(std::uint64_t value);
  std::uint64_t stored(std::uint64_t element) const;
  Flow emit(const ir::Stmt& s);
  Flow literals(const ir::Stmt& s);
  Flow run_values(const ir::Stmt& s);
  Flow copy(const ir::Stmt& s);

  // ---- buffers, stages and symbols (buffers.cpp)
  using Elements = std::vector<std::uint64_t>;  // values of the output type, extended
  Flow into(const ir::Stmt& s);
  Flow into_output(const ir::Stmt& s);
  Flow redirected(const ir::Stmt& s, std::string_view name, std::uint64_t limit, std::uint64_t promised, const std::function<void()>& close);
  Flow stage(const ir::Stmt& s);
  // An element as a position, an index or a count: unsigned.
  std::uint64_t unsigned_of(std::uint64_t element) const { return extend(element, {module_.output.bits, false}); }
  bool inverse_mtf(const ir::Stmt& s, Elements& elements);
  bool inverse_bwt(std::uint64_t origin, Elements& elements) const;
  Flow emit_buffer(const ir::Stmt& s);
  Flow read_symbol(const ir::Stmt& s);
  Flow emit_symbol(const ir::Stmt& s);

  // ---- statements (exec.cpp)
  Flow block(const ir::Block& statements);
  Flow statement(const ir::Stmt& s);
  Flow read(const ir::Stmt& s);
  Flow assign(const ir::Stmt& s);
  Flow build_code(const ir::Stmt& s);
  Flow build_states(const ir::Stmt& s);
  Flow loop(const ir::Stmt& s);
  Flow call(const ir::Stmt& s);
  Flow within(const ir::Stmt& s);
  Flow within_dictionary(const ir::Stmt& s);
  Flow producing(const ir::Stmt& s);
  Flow align(const ir::Stmt& s);
  Flow skip(const ir::Stmt& s);

  Flow fail(ir::SiteId site, std::uint64_t bit);
  // There is no room for the `n` elements that an action makes at once; the fewest where that is not told.
  Flow full(ir::SiteId site, std::uint64_t bit, std::uint64_t n = 1);
  void broken() { broken_ = true; }
  std::uint64_t& local(std::uint32_t slot) { return slots_[frame_ + slot]; }
  void set_local(std::uint32_t slot, std::uint64_t value);
  void trace(TraceEvent event, const ir::Stmt* s);

  struct Mark {
    std::uint64_t bit = 0, output = 0;
    bool backward = false;  // set in a region that is read from its end
  };

  const ir::Module& module_;
  const Job& job_;
  const ir::CountPlan* plan_;
  const Tracer& tracer_;

  BitReader in_;
  std::span<std::uint8_t> out_;     // where outputs go that go to no buffer: those of the chunk, or of an Into, from their first on
  ir::Type element_;                // of what is output here
  std::uint64_t produced_ = 0;
  std::uint64_t limit_;             // produced_ never passes it: the nearer of the capacity and promised_
  std::uint64_t promised_;          // the end of the Producing around, or the limit of the buffer being filled
  std::uint64_t window_start_ = 0;  // output position copies reach back to...
  std::uint64_t dictionary_before_;  // ...and into the preset dictionary, of which the last so many bytes stand before it

  std::vector<std::uint64_t> globals_;
  std::vector<std::vector<std::uint64_t>> arrays_;
  std::vector<std::vector<PrefixCode>> codes_;  // [code][copy]
  std::vector<Elements> buffers_;
  Elements* filling_ = nullptr;  // the buffer outputs go to; null: the chunk's output, or a further one
  std::array<std::uint64_t, ir::kMaxFurtherOutputs> further_{};  // elements of each
  std::uint32_t further_open_ = ir::Stmt::kNoSlot;  // the one that outputs go to
  std::vector<std::vector<std::vector<std::uint8_t>>> symbols_;  // [table][entry]: its bytes; empty: never read
  std::vector<Mark> marks_;
  std::map<const ir::Stmt*, std::uint64_t> elsewhere_;  // by Within that moves: bits of all its regions

  std::vector<std::uint64_t> slots_;  // of all running rules, innermost last
  std::size_t frame_ = 0;
  std::uint32_t rule_ = 0, depth_ = 0;
  std::uint64_t result_ = 0;          // of the last Return

  bool broken_ = false;
  bool no_room_ = false;              // it is the caller's room that does not suffice
  ir::SiteId failed_site_ = ir::kNoSite;
  std::uint64_t failed_bit_ = 0;
  bool failed_in_dictionary_ = false;  // the bit is one there
  std::uint32_t failed_depth_ = 0;
};

}  // namespace sluice::interp
