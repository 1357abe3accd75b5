// Does every step of a loop consume input, produce output, or leave?
//
//   repeat                        repeat until done
//     c: u8       proven            when x == 0: c: u8      not proven: a run-time check
//     if c == 0: stop               else: y := y + 1
//
// A walk over all paths with one bit: has this path moved since the step's start? Rules are summarised callees first.
//
// Output made inside `into` moves the loops inside the block, which the buffer's limit ends, but not the loops around
// it: for these the buffer starts empty in every step. So the block is walked twice, the second time for its reads
// only.
#include <fmt/format.h>

#include <set>

#include "dsl/sema/context.h"
#include "dsl/sema/idle.h"
#include "dsl/sema/visit.h"

namespace sluice::sema {
namespace {

using model::ReadSpec;
using model::Stmt;
using Kind = Stmt::Kind;

// Of all paths that come here: Yes, every one moved; No, some may not have; Never, there is none.
enum class Moved : std::uint8_t { Never, Yes, No };

Moved join(Moved a, Moved b) { return a > b ? a : b; }

// A path that had come to `at`, and from there does what `more` says of a path that starts.
Moved after(Moved at, Moved more) {
  if (at == Moved::Never || more == Moved::Never) return Moved::Never;
  return at == Moved::Yes ? at : more;
}

// What a rule does on every path that returns, and whether it may do anything at all.
struct Summary {
  Moved moved = Moved::No;
  bool may_act = false;  // reads, writes, or ends the chunk, on some path
};

bool is_loop(Kind k) {
  return k == Kind::Forever || k == Kind::UntilEnd || k == Kind::UntilOutputs || k == Kind::UntilCond ||
         k == Kind::Times;
}
constexpr std::string_view kIdleHelp =
    "limit the count with `require COUNT <= LIMIT else reject NAME`, or read or write something in every step; a "
    "variable that is assigned elsewhere is named first: `n = counter`, then `require n <= LIMIT ...` and `for i < n`";

bool positive(const model::ExprPtr& e) { return e && e->range.lo >= 1; }

class Walker {
 public:
  Walker(model::Format& format, DiagSink& sink)
      : format_(format), sink_(sink), summaries_(2 * format.rules.size()), known_(2 * format.rules.size()) {}

  const Summary& rule(std::uint32_t id) {
    const std::size_t place = 2 * id + (output_moves_ ? 0 : 1);
    if (!known_[place]) {
      known_[place] = true;  // no recursion: order_rules saw to it
      const Moved outer_return = returned_, outer_stop = stopped_;
      returned_ = stopped_ = Moved::Never;
      const Moved end = block(format_.rules[id].body, Moved::No);
      summaries_[place] = {join(end, returned_), may_act(format_.rules[id].body)};
      returned_ = outer_return;
      stopped_ = outer_stop;
    }
    return summaries_[place];
  }

  const std::set<const Stmt*>& idle() const { return idle_; }

 private:
  Moved block(model::Block& body, Moved at) {
    for (auto& s : body) at = stmt(*s, at);
    return at;
  }

  // Some statement in the block reads, writes, or leaves the loop or the chunk.
  bool may_act(const model::Block& body) {
    bool acts = false;
    for_each_stmt(body, [&](const Stmt& s) {
      switch (s.kind) {
        case Kind::Set:
        case Kind::SetGlobal:
        case Kind::SetElem:
        case Kind::Build:
        case Kind::BuildStates:
        case Kind::Choose:
        case Kind::Mark:
        case Kind::NewWindow:
        case Kind::Require:
        case Kind::Within:
        case Kind::Producing:
        case Kind::Into:
        case Kind::Stage:
        case Kind::Align:
        case Kind::Forever:
        case Kind::UntilEnd:
        case Kind::UntilOutputs:
        case Kind::UntilCond:
        case Kind::Times:
          break;
        case Kind::Call:
          acts = acts || rule(s.ref).may_act;
          break;
        case Kind::Read:
          acts = acts || s.read.kind != ReadSpec::Kind::Rule || rule(s.read.ref).may_act;
          break;
        default:
          acts = true;
      }
    });
    return acts;
  }

  bool read_moves(const Stmt& s) {
    const ReadSpec& r = s.read;
    switch (r.kind) {
      case ReadSpec::Kind::Fixed:
      case ReadSpec::Kind::Varint:
      case ReadSpec::Kind::Code:
        return true;
      case ReadSpec::Kind::Computed:
        return positive(r.width);
      case ReadSpec::Kind::Ranges: {
        for (const std::uint8_t extra : format_.ranges[r.ref].extra)
          if (extra == 0) return false;
        return true;
      }
      case ReadSpec::Kind::Rule:
        return rule(r.ref).moved != Moved::No;
    }
    return false;
  }

  // One walk, for the step alone: does each step that goes on move? What the same walk gives from `at` follows.
  Moved loop(Stmt& s, Moved at) {
    const Moved outer = stopped_, returned = returned_;
    stopped_ = returned_ = Moved::Never;
    const Moved step = block(s.body, Moved::No);
    if (step == Moved::No && output_moves_) judge(s);
    const Moved end = after(at, step);
    Moved exit = after(at, stopped_);
    returned_ = join(returned, after(at, returned_));
    if (s.kind == Kind::Times)
      exit = join(exit, positive(s.a) ? end : join(at, end));
    else if (s.kind != Kind::Forever)
      exit = join(exit, join(at, end));
    stopped_ = outer;
    return exit;
  }

  // `stop` and `return` do not cross an `into`: what ends there comes out below it.
  Moved into(Stmt& s, Moved at) {
    const bool outer = output_moves_;
    if (outer) block(s.body, Moved::No);
    output_moves_ = false;
    const Moved end = block(s.body, at);
    output_moves_ = outer;
    return end;
  }

  // A step of this loop may go on without having moved.
  void judge(Stmt& s) {
    if (s.kind == Kind::Times) {
      idle_.insert(&s);
      if (s.a->range.hi <= static_cast<i128>(kMaxIdleSteps)) return;
      report(s, Code::IdleLoop, fmt::format("this loop may take more than {} steps that do nothing", kMaxIdleSteps),
             std::string(kIdleHelp));
      return;
    }
    if (!may_act(s.body)) {
      report(s, Code::NoProgress, "no step of this loop reads, writes or stops",
             "read or write something in it, or bound it: `for i < 64`, with `if CONDITION: stop` where it is done");
      return;
    }
    s.needs_progress = true;
  }

  void report(const Stmt& s, Code code, std::string message, std::string help) {
    for (const Span& told : told_)
      if (told == s.span) return;  // walked more than once
    told_.push_back(s.span);
    sink_.error(code, s.span, std::move(message)).help(std::move(help));
  }

  Moved stmt(Stmt& s, Moved at) {
    if (is_loop(s.kind)) return loop(s, at);
    const auto moving = [&](bool yes) { return at == Moved::No && yes ? Moved::Yes : at; };
    switch (s.kind) {
      case Kind::Read: {
        if (s.read.kind == ReadSpec::Kind::Rule && rule(s.read.ref).moved == Moved::Never) return Moved::Never;
        return moving(read_moves(s));
      }
      case Kind::Literals:
        return moving(positive(s.a) && read_moves(s));
      case Kind::ReadSymbol:
        return moving(true);
      case Kind::Emit:
      case Kind::EmitSymbol:
        return moving(output_moves_);
      case Kind::Run:
      case Kind::Copy:
        return moving(output_moves_ && positive(s.b));
      case Kind::Into:
        return into(s, at);
      case Kind::Skip:
        return moving(positive(s.a));
      case Kind::Call: {
        const Moved callee = rule(s.ref).moved;
        return callee == Moved::Never ? Moved::Never : moving(callee == Moved::Yes);
      }
      case Kind::Choose: {
        Moved out = Moved::Never;
        bool total = false;
        for (model::Arm& arm : s.arms) {
          total = total || !arm.condition;
          out = join(out, block(arm.body, at));
        }
        return total ? out : join(out, at);
      }
      case Kind::Within:
      case Kind::Producing: {
        const Moved end = block(s.body, at);
        if (s.dictionary) return end == Moved::Never ? end : at;  // the input stays where it is
        const bool moves = positive(s.a) && (output_moves_ || s.kind == Kind::Within);
        return end == Moved::No && moves ? Moved::Yes : end;
      }
      case Kind::Stop:
        stopped_ = join(stopped_, at);
        return Moved::Never;
      case Kind::Return:
        returned_ = join(returned_, at);
        return Moved::Never;
      case Kind::Reject:
      case Kind::Accept:
        return Moved::Never;
      default:
        return at;
    }
  }

  model::Format& format_;
  DiagSink& sink_;
  std::vector<Summary> summaries_;
  std::vector<char> known_;
  std::vector<Span> told_;
  std::set<const Stmt*> idle_;  // counted loops whose steps may do nothing
  Moved stopped_ = Moved::Never, returned_ = Moved::Never;
  bool output_moves_ = true;  // false: only reading counts
};

}  // namespace

void prove_progress(model::Format& format, DiagSink& sink) {
  Walker walker(format, sink);
  const std::size_t errors = sink.error_count();
  for (std::uint32_t r = 0; r < format.rules.size(); ++r) walker.rule(r);
  if (sink.error_count() != errors) return;
  bound_idle_work(format, walker.idle(), [&](std::uint32_t rule) { return walker.rule(rule).moved != Moved::No; }, sink);
}

}  // namespace sluice::sema
