// Each rule is measured once, callees first. Nothing here is exact: a choice costs its dearest arm, and what a loop that
// moves does in one of its steps is counted as if it made but one.
#include "dsl/sema/idle.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace sluice::sema {
namespace {

using model::Stmt;
using Kind = Stmt::Kind;

// Sums and products of these fit 64 bits.
constexpr std::uint64_t kMost = kMaxIdleWork + 1;
static_assert(kMost < std::uint64_t{1} << 33);

std::uint64_t capped(std::uint64_t work) { return std::min(work, kMost); }
std::uint64_t product(model::i128 count, std::uint64_t work) {
  const auto most = static_cast<model::i128>(kMost);
  return static_cast<std::uint64_t>(std::min(std::min(count, most) * static_cast<model::i128>(work), most));
}

class Meter {
 public:
  Meter(const model::Format& format, const std::set<const Stmt*>& idle,
        const std::function<bool(std::uint32_t)>& moves, DiagSink& sink)
      : format_(format), idle_(idle), moves_(moves), sink_(sink), rules_(format.rules.size()) {}

  // Calls, and steps and elements. Both: a rule that is called but once may well transform large buffers.
  struct Work {
    std::uint64_t calls = 0, all = 0;
  };

  Work rule(std::uint32_t id) {
    if (!rules_[id]) rules_[id] = block(format_.rules[id].body);
    return *rules_[id];
  }

 private:
  Work block(const model::Block& body) {
    Work sum;
    for (const auto& s : body) {
      const Work one = stmt(*s);
      sum = {capped(sum.calls + one.calls), capped(sum.all + one.all)};
      if (sum.calls <= kMaxIdleWork) continue;
      report(*s, "these calls");
      sum.calls = sum.all = 0;
    }
    return sum;
  }

  Work stmt(const Stmt& s) {
    Work work = block(s.body);
    for (const model::Arm& arm : s.arms) {
      const Work one = block(arm.body);
      work = {std::max(work.calls, one.calls), std::max(work.all, one.all)};
    }
    if (s.kind == Kind::Times && idle_.contains(&s)) {
      work = {product(s.a->range.hi, work.calls), product(s.a->range.hi, capped(work.all + 1))};
      if (work.all <= kMaxIdleWork) return work;
      report(s, "this loop and what is in it");
      return {};
    }
    std::optional<std::uint32_t> callee;
    if (s.kind == Kind::Call) callee = s.ref;
    if (s.kind == Kind::Read && s.read.kind == model::ReadSpec::Kind::Rule) callee = s.read.ref;
    if (callee) {
      const Work inner = rule(*callee);
      // What a rule that moves does is paid for by that; it has been judged by itself.
      if (moves_(*callee)) return {1, 1};
      return {capped(inner.calls + 1), capped(inner.all + 1)};
    }
    // Of a slice all that is looked at is output.
    const bool whole = s.kind == Kind::EmitBuffer && s.form != model::BufferForm::Slice;
    // What goes to a further output stays there, so the room that a caller gives bounds it, as it does the main one.
    if ((s.kind == Kind::Into && !s.further) || s.kind == Kind::Stage || whole)
      work.all = capped(work.all + format_.buffers[s.ref].limit);
    if (s.kind == Kind::Build) work.all = capped(work.all + format_.codes[s.ref].symbols);
    if (s.kind == Kind::BuildStates) work.all = capped(work.all + (std::uint64_t{1} << format_.states[s.ref].max_log));
    return work;
  }

  void report(const Stmt& s, const char* what) {
    sink_
        .error(Code::IdleLoop, s.span,
               fmt::format("{} may take more than {} steps that read and make nothing", what, kMaxIdleWork))
        .help("limit the counts, or read or write something in every step");
  }

  const model::Format& format_;
  const std::set<const Stmt*>& idle_;
  const std::function<bool(std::uint32_t)>& moves_;
  DiagSink& sink_;
  std::vector<std::optional<Work>> rules_;
};

}  // namespace

void bound_idle_work(const model::Format& format, const std::set<const Stmt*>& idle,
                     const std::function<bool(std::uint32_t)>& moves, DiagSink& sink) {
  Meter meter(format, idle, moves, sink);
  for (std::uint32_t r = 0; r < format.rules.size(); ++r) meter.rule(r);
}

}  // namespace sluice::sema
