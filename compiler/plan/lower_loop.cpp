#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/analysis/loop_state.h"
#include "compiler/plan/at_once.h"
#include "compiler/plan/codes.h"
#include "compiler/plan/joined.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/lower_token.h"
#include "compiler/plan/plain.h"
#include "compiler/plan/redo.h"
#include "compiler/plan/suited.h"
#include "compiler/plan/told.h"
#include "compiler/plan/unpacked_steps.h"

namespace sluice::plan {
namespace {

using ir::Stmt;

// Strategy split: tokens of at most so many bytes are done in bursts (prim::kBurstBytes, and a slice's room).
constexpr std::uint64_t kBurstBytes = 16;

// note [once] of runtime/prim/cuda/sink.h: what other lanes have handed over by then nobody knows.
constexpr const char* kHandedOver = "a step that is refused would be done again, when other lanes have handed outputs to the sink";

constexpr const char* kFromTheEnd = "its bits are read from the end of a region";
constexpr const char* kUncounted = "how many steps it makes is not known when it begins";

// The first step that satisfies f, as what stands in the way.
std::optional<Span> first_span(const Body& body, bool (*f)(const Step&)) {
  std::optional<Span> span;
  for_each_step(body, [&](const Step& s) {
    if (!span && f(s)) span = s.span;
  });
  return span;
}

// Does no step change how many there are?
bool has_fixed_count(const Stmt& loop) {
  if (loop.a->op == ir::Op::Const) return true;
  std::set<std::uint32_t> set;
  collect_set(loop.body, set);
  return loop.a->op == ir::Op::Local && !set.contains(loop.a->ref);
}

class LoopLowering {
 public:
  LoopLowering(const Ground& ground, Plan& plan) : ground_(ground), plan_(plan) {}

  Loop loop(std::uint32_t rule, const Stmt& s) {
    std::vector<Obstacle> obstacles;
    std::optional<Loop> made;
    if (const char* why = no_direction(s)) {
      obstacles.push_back({why, {}, ""});
    } else {
      made = side_by_side(rule, s, obstacles);
      if (!made) made = tokens(rule, s, obstacles);
    }
    Loop loop = made ? *std::move(made) : Loop();
    loop.rule = rule;
    loop.kind = s.loop;
    if (s.slot != Stmt::kNoSlot) loop.index = s.slot;
    loop.alone = joined_alone(loop);
    loop.obstacles = std::move(obstacles);
    take_unpacked(ground_.module, ground_.target, loop);
    return loop;
  }

 private:
  // What is wrong with the direction in which its bits are read: null, nothing. The windows of lanes by themselves move forward.
  const char* no_direction(const Stmt& s) const {
    if (!ground_.directions.backward(s)) return nullptr;
    if (ground_.directions.forward(s)) return "its bits are read forward, and from the end of a region";
    return ground_.target == Target::Lane ? kFromTheEnd : nullptr;
  }

  TokenMode mode(std::uint32_t rule, const Stmt& s) const {
    TokenMode mode;
    mode.outer = analysis::set_outside(ground_.module, rule, s);
    mode.index = s.slot;
    return mode;
  }

  std::optional<Loop> side_by_side(std::uint32_t rule, const Stmt& s, std::vector<Obstacle>& obstacles) {
    if (ground_.target != Target::Warp || ground_.bytes() || s.loop != ir::LoopKind::Times) return std::nullopt;
    const auto refuse = [&](Obstacle why) {
      why.form = LoopForm::SideBySide;
      obstacles.push_back(std::move(why));
      return std::nullopt;
    };
    if (ground_.directions.backward(s)) return refuse({kFromTheEnd, {}, ""});
    TokenMode lanes = mode(rule, s);
    lanes.form = LoopForm::SideBySide;
    lanes.reader = Reader::Position;
    collect_set(s.body, lanes.set_inside);
    LoweredToken token = TokenLowering(ground_, rule, lanes, plan_.tables).lower(s);
    if (token.obstacle) return refuse(*std::move(token.obstacle));
    if (token.stuck) return refuse({"a step may need the checked path, which no lane has for itself", {}, ""});
    Loop& loop = token.loop;
    // Every carried slot is a running sum; a token that tests must not need the other lanes' terms.
    const bool tests = holds<Check, Leave>(loop.body);
    if (!std::ranges::equal(token.sums, loop.carried) || (tests && !token.sums.empty()))
      return refuse({"a step needs what the one before it computed", {}, ""});
    if (ground_.outputs == Outputs::Sink && hands_over_early(loop.body)) return refuse({kHandedOver, {}, ""});
    // An array that the loop fills is not read by it.
    if (holds<SetElement>(loop.body) && !fields_of(loop.body).empty() &&
        analysis::stored_and_read(ground_.module, s).first != nullptr)
      return refuse({"a step changes an array that it reads", {}, ""});
    loop.form = LoopForm::SideBySide;
    loop.reader = Reader::Position;
    loop.counts = loop.cost.out == 0 && !any_step(loop.body, asks_output);  // it knows no place in the output
    return std::move(loop);
  }

  std::optional<Loop> tokens(std::uint32_t rule, const Stmt& s, std::vector<Obstacle>& obstacles) {
    const ir::Module& m = ground_.module;
    const Target target = ground_.target;
    // Symbols depend on the bits before them, so a buffer that carries those is best; other fields can be fetched each
    // from where it stands.
    const bool backward = ground_.directions.backward(s);
    const bool bytes = ground_.bytes() || (!backward && reads_whole_bytes(ground_.module, ground_.target, s));
    const BitFields fields = bit_fields(ground_, s);
    // A warp loads words of such a region as the buffer goes through them.
    const bool through = backward && on_gpu(target);
    const bool positional = !bytes && fields.fetched && !fields.buffered && !through;
    const bool nested = positional && target != Target::Lane && fields.nested;
    if (auto why = unsuited(ground_, s, nested)) {
      obstacles.push_back(*std::move(why));
      return std::nullopt;
    }
    const bool counted = s.loop == ir::LoopKind::Times;
    TokenMode tokens = mode(rule, s);
    // One lane of many, reading bits: what it makes is counted first (strategy split, counted parts).
    tokens.reader = bytes                    ? Reader::Bytes
                    : target == Target::Lane ? Reader::Lane
                    : positional             ? Reader::Position
                                             : Reader::Buffer;
    tokens.form = counted || tokens.reader == Reader::Lane ? LoopForm::Token : LoopForm::Row;
    tokens.follow = ground_.passes == PartPasses::Once && tokens.reader == Reader::Lane &&
                    (s.loop == ir::LoopKind::UntilEnd || s.loop == ir::LoopKind::Forever);
    tokens.nested = nested;
    tokens.backward = backward;
    tokens.pairs = backward && target == Target::Cpu && s.loop == ir::LoopKind::UntilEnd && ground_.elem_bytes() == 1;
    // Every token starts at a byte boundary when the first one does and each ends with `align`.
    tokens.aligned = nested && !s.body.empty() && s.body.back()->kind == Stmt::Kind::Align;
    if (counted && target != Target::Lane && has_fixed_count(s)) tokens.count = s.a.get();
    if (nested) tokens.guarded = analysis::stored_and_read(m, s).arrays;
    std::vector<Table> tables = plan_.tables;
    LoweredToken token = TokenLowering(ground_, rule, tokens, tables).lower(s);
    if (token.obstacle) {
      obstacles.push_back(*std::move(token.obstacle));
      return std::nullopt;
    }
    if (auto why = can_not_be_redone(s, token, nested)) {
      obstacles.push_back(*std::move(why));
      return std::nullopt;
    }
    if (ground_.outputs == Outputs::Sink && hands_over_early(token.loop)) {
      obstacles.push_back({kHandedOver, {}, ""});
      return std::nullopt;
    }
    plan_.tables = std::move(tables);
    Loop loop = std::move(token.loop);
    loop.reader = tokens.reader;
    loop.backward = backward;
    loop.nested = nested;
    loop.aligned = tokens.aligned;
    take_at_once(target, loop, token.values);
    loop.counts = counts(loop);
    loop.progress = !counted && s.sites[0] != ir::kNoSite;
    loop.kind = s.loop;
    loop.in_margin = in_margin(loop, counted && !analysis::tests_end(m, s));
    loop.form = form_of(loop);
    loop.direct = lanes_load(loop);
    no_better(loop, obstacles);
    if (target == Target::Cpu) loop.told = told_of(m, loop);
    if (target == Target::Cpu) loop.joined = joined_at(m, loop);
    if (target == Target::Cpu) loop.codes = strings_of(m, loop);
    if (target == Target::Cpu) loop.plain = plain_of(m, loop);
    if (loop.told) loop.in_margin = std::max(loop.in_margin, told_margin(*loop.told));
    loop.paired = in_pairs(loop);
    if (loop.plain) {
      loop.in_margin = std::max(loop.in_margin, plain_in_margin(*loop.plain));
      std::get<Field>(loop.body.front().what).ahead = true;
    }
    if (loop.form == LoopForm::Unchecked) loop.only_field = only_field(loop.body, hoisted_widths(loop));
    return loop;
  }

  // A token that is left is done again: a CPU puts back what it has stored to arrays that it reads, others have no form then.
  std::optional<Obstacle> can_not_be_redone(const Stmt& s, LoweredToken& token, bool nested) const {
    const bool watched = s.loop != ir::LoopKind::Times && s.sites[0] != ir::kNoSite;
    const auto again = analysis::stored_and_read(ground_.module, s);
    if (again.arrays.empty() || (nested && ground_.target != Target::Cpu)) return std::nullopt;  // such a token has been left
    const auto because = [&](const char* why, Span span) { return Obstacle{why, span, ""}; };
    if (watched && ground_.target != Target::Cpu)
      return because("a step changes an array that it reads, and may do nothing else", again.first->span);
    const auto stores = stores_to_redo(token.loop.body, again.arrays, watched);
    if (!stores.empty() && ground_.target != Target::Cpu)
      return because("a step changes an array that it reads, and may be done again after that", again.first->span);
    if (const auto in_loop = std::ranges::find(stores, true, &StoreToRedo::repeated); in_loop != stores.end())
      return because("a loop inside a step changes an array that it reads, and may be done again after that", in_loop->step->span);
    for_each_step(token.loop.body, [&](Step& step) {
      if (std::ranges::find(stores, &step, &StoreToRedo::step) == stores.end()) return;
      std::get<SetElement>(step.what).undo = token.values;
      token.values += 2;
    });
    return std::nullopt;
  }

  // Bursts of a lane store as they go.
  bool counts(const Loop& loop) const { return loop.reader == Reader::Lane || ground_.target != Target::Lane; }

  // More than the token takes, so that a loop never stands at the end of its region. `may_end`: it takes no notice of
  // that end.
  std::uint64_t in_margin(const Loop& loop, bool may_end) const {
    // A bit buffer is filled twice before the first test, a read at a position looks 9 bytes ahead. Loads of a lane
    // stay in units that hold input, and a loop that takes none may stand at the end.
    constexpr std::uint64_t kRefills = 16, kPosition = 9, kRest = 8, kWordsAhead = 16;
    const std::uint64_t taken = taken_bytes(loop.cost, loop.reader);
    switch (loop.reader) {
      case Reader::Position:
        return taken + kPosition + kRest;
      case Reader::Lane:
        return taken + kWordsAhead;
      case Reader::Buffer:
        return std::max(taken + kRest, kRefills);
      case Reader::Bytes:
        break;
    }
    if (ground_.target == Target::Lane) return std::max<std::uint64_t>(taken, may_end ? 0 : 1);
    return taken + kRest;
  }

  static bool small(const Loop& loop) { return loop.in_margin <= kBurstBytes && loop.cost.out <= kBurstBytes; }

  LoopForm form_of(const Loop& loop) const {
    const bool counted = loop.kind == ir::LoopKind::Times;
    if (loop.reader == Reader::Position && counted && !any_step(loop.body, may_leave)) return LoopForm::Unchecked;
    if (loop.row) return LoopForm::Row;
    const bool bursts = ground_.target == Target::Lane && loop.reader == Reader::Bytes &&
                        loop.kind != ir::LoopKind::UntilOutputs && small(loop) && !any_step(loop.body, tests_limits);
    return bursts ? LoopForm::Burst : LoopForm::Token;
  }

  // What keeps a loop of form Token from the better ones that its reader has.
  void no_better(const Loop& loop, std::vector<Obstacle>& obstacles) const {
    if (loop.form != LoopForm::Token) return;
    const bool counted = loop.kind == ir::LoopKind::Times, lane = ground_.target == Target::Lane;
    const auto because = [&](LoopForm form, std::string reason, Span span = {}) {
      obstacles.push_back({std::move(reason), span, "", form});
    };
    if (loop.reader == Reader::Position && !counted) {
      if (ground_.target == Target::Warp) because(LoopForm::SideBySide, kUncounted);
      because(LoopForm::Unchecked, kUncounted);
    } else if (loop.reader == Reader::Position) {
      because(LoopForm::Unchecked, "a token may leave for the checked path", *first_span(loop.body, may_leave));
    } else if (loop.reader == Reader::Buffer) {
      because(LoopForm::Row,
              counted ? "it counts its steps" : "its tokens do not begin with a symbol that is output as it is");
    } else if (lane && loop.reader == Reader::Bytes) {
      if (loop.kind == ir::LoopKind::UntilOutputs)
        because(LoopForm::Burst, "it ends at a number of outputs");
      else if (const auto span = first_span(loop.body, tests_limits))
        because(LoopForm::Burst, "a statement tests the limits itself", *span);
      else
        because(LoopForm::Burst, fmt::format("a token takes or makes more than {} bytes", kBurstBytes));
    }
  }

  const Ground& ground_;
  Plan& plan_;
};

}  // namespace

Loop lower_loop(const Ground& ground, Plan& plan, std::uint32_t rule, const ir::Stmt& loop) {
  return LoopLowering(ground, plan).loop(rule, loop);
}

}  // namespace sluice::plan
