#include "compiler/plan/records.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/analysis/reason.h"
#include "compiler/plan/state_walk.h"
#include "compiler/plan/chain.h"
#include "compiler/plan/first_byte.h"
#include "compiler/plan/late.h"
#include "compiler/plan/part_order.h"
#include "compiler/plan/placed.h"
#include "compiler/plan/tile_sums.h"
#include "compiler/plan/two_bytes.h"
#include "compiler/plan/value_records.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

class Shape : private PartOrder {
 public:
  Shape(const ir::Module& module, const Loop& loop)
      : PartOrder(loop.reader != Reader::Bytes ? "it makes one value and then one copy, at most" : "it makes literals once and then one copy, at most",
                  loop.reader != Reader::Bytes ? "it makes output that is neither one value nor a copy" : "it makes output that is neither literals nor a copy"),
        module_(module),
        loop_(loop),
        bits_(loop.reader != Reader::Bytes),
        placed_(bits_ ? std::set<const Step*>() : placed_of(loop, loop.element_bits(module))) {}

  // Once against() has found nothing.
  bool one_part() const { return !both_; }
  // Elements that copies reach back at most, and that the longest one has.
  std::uint64_t reach() const { return module_.window != 0 ? std::min<std::uint64_t>(farthest(), module_.window) : farthest(); }
  std::uint64_t longest() const { return longest_copy(); }
  bool runs() const { return runs_; }
  const std::set<const Step*>& placed() const { return placed_; }

  std::optional<analysis::Reason> against() {
    const unsigned element = loop_.element_bits(module_);
    if (bits_ && loop_.reader == Reader::Position)
      return analysis::Reason{"its tokens are fields at places of bits: lanes that guess read whole bytes, or symbols", {}};
    if (bits_ && element != 8) return analysis::Reason{"its elements are not bytes", {}};
    if (element != 8 && element != 16 && element != 32 && element != 64)
      return analysis::Reason{"its elements are not of 1, 2, 4 or 8 bytes", {}};
    const bool alone = bits_ ? loop_.reader == Reader::Buffer && (loop_.form == LoopForm::Token || loop_.form == LoopForm::Row)
                             : loop_.reader == Reader::Bytes && loop_.form == LoopForm::Token;
    if (!alone || !loop_.counts) return analysis::Reason{"its tokens are not read by themselves", {}};
    if (loop_.kind != ir::LoopKind::Forever && loop_.kind != ir::LoopKind::UntilEnd)
      return analysis::Reason{ends_otherwise(loop_.kind), {}};
    // A row is what the warp makes of symbols that follow each other; of a lane's tokens each has one.
    const bool hoists = std::ranges::any_of(loop_.hoisted, [](const Hoisted& h) { return !std::holds_alternative<Row>(h); });
    if (hoists) return analysis::Reason{"a token reads what was computed before the loop", {}};
    Made made = Made::Nothing;
    body(loop_.body, made);
    if (!found_ && !bits_ && !holds<Copy, Run>(loop_.body)) return analysis::Reason{"it copies nothing", {}};
    return found_;
  }

 private:
  bool step_of(const Step& s, Made& made) override { return bits_ ? step_of_bits(s, made) : step_of_bytes(s, made); }

  // False: it is the same for bits.
  bool step_of_bytes(const Step& s, Made& made) {
    if (const auto* literals = std::get_if<Literals>(&s.what)) {
      // A literal by itself goes from input to output as a value.
      const bool one = literals->form == LiteralsForm::Fixed && (*literals->count).imm == 1;
      const bool bytes = (literals->form == LiteralsForm::Fixed && !one) || literals->form == LiteralsForm::Short;
      if (!bytes && !placed_.contains(&s))
        refuse(s, loop_.element_bits(module_) == 8 ? "its literals are no run of bytes" : "its literals are no elements out of the input");
      make(s, Made::Literals, made);
      return true;
    }
    if (const auto* run = std::get_if<Run>(&s.what)) {
      if (!placed_.contains(&s))
        refuse(s, of_equal_values(*run) ? "a run's value is no element out of the input" : "the values of a run differ");
      make(s, Made::Literals, made);
      make(s, Made::Copy, made);
      runs_ = true;
      return true;
    }
    if (const auto* field = std::get_if<Field>(&s.what)) {
      if (field->form != FieldForm::Load) refuse(s, "a field's end is not where its width says");
      return true;
    }
    if (const auto* repeat = std::get_if<Repeat>(&s.what)) {
      const Made before = made;
      body(repeat->body, made);
      if (made != before) refuse(s, "a loop inside a token makes output");
      return true;
    }
    return std::holds_alternative<SetGlobal>(s.what) || std::holds_alternative<Break>(s.what) ||
           std::holds_alternative<Skip>(s.what);
  }

  // Symbols are looked up in the chunk's tables, and fields stand behind them: a token's bits are those of its margin.
  bool step_of_bits(const Step& s, Made& made) {
    if (std::holds_alternative<Store>(s.what)) {
      make(s, Made::Literals, made);
      return true;
    }
    if (const auto* symbol = std::get_if<Symbol>(&s.what)) {
      Made most = made;
      for (const SymbolArm& arm : symbol->arms) {
        Made of_arm = made;
        if (arm.take == Take::Output) make(s, Made::Literals, of_arm);
        body(arm.body, of_arm);
        most = std::max(most, of_arm);
      }
      made = most;
      return true;
    }
    if (const auto* field = std::get_if<Field>(&s.what)) {
      const bool plain = field->form == FieldForm::Look || field->form == FieldForm::LookWide || field->form == FieldForm::Ranges;
      if (!plain) refuse(s, "a field's end is not where its width says");
      return true;
    }
    if (std::holds_alternative<Repeat>(s.what)) {
      refuse(s, "there is a loop inside a token");
      return true;
    }
    return std::holds_alternative<Refill>(s.what) || std::holds_alternative<Need>(s.what) ||
           std::holds_alternative<SetGlobal>(s.what) || std::holds_alternative<PickTable>(s.what) || std::holds_alternative<LookAhead>(s.what);
  }

  // A lane that guesses knows what the token reads itself, and what was known before the loop; where the output stands only
  // late, which late_of() sees to.
  void operand(const Step& s, const Operand& o) override {
    for_each_node(*o, [&](const ir::Expr& e) {
      const bool own = e.op == ir::Op::Const || e.op == ir::Op::Local || e.op == ir::Op::Global || e.op == ir::Op::TableElem ||
                       e.op == ir::Op::AtEnd || e.op == ir::Op::Produced || (e.op >= ir::Op::Add && e.op <= ir::Op::Fits);
      if (!own) refuse(s, bits_ ? "it asks for more than its own bits" : "it asks for more than its own bytes");
    });
  }

  const ir::Module& module_;
  const Loop& loop_;
  const bool bits_;
  const std::set<const Step*> placed_;
  bool runs_ = false;
};

struct Found {
  Records records = {};
  Late late = {};
  std::set<const Step*> placed = {};
  std::map<const SideBySide*, ListPart> listed = {};
  std::set<const SideBySide*> passed = {};
  [[nodiscard]] ListPart list(const SideBySide* each) const { return listed.contains(each) ? listed.at(each) : ListPart::None; }
  [[nodiscard]] bool copies() const { return records.against.empty() && !records.values; }
};

// Of tokens of bytes: values, which wait for no token before them.
Found values_of(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget) {
  Records records;
  ValueTokens tokens = value_tokens(module, loop);
  if (tokens.against) {
    records.against = std::move(tokens.against->text);
    records.span = tokens.against->span;
  } else if (loop.in_margin > kMaxValueMargin) {
    records.against = fmt::format("a token and its loads may take {} bytes, and a lane sees {}", loop.in_margin, kMaxValueMargin);
  } else if (budget.min_bits < 8) {
    records.against = "a token may take no input";
  } else {
    records.values = tokens.values;
    records.runs = holds<Run>(loop.body);
    records.min_token = static_cast<std::uint32_t>(std::min<std::uint64_t>(budget.min_bits / 8, kMaxValueMargin));
    records.to_end = !loop.asks_end;
    records.values->two_bytes = two_bytes_tell(module, loop, tokens, records.min_token);
  }
  return {records, {}, {}, std::move(tokens.listed), std::move(tokens.passed)};
}

void take_late(Records& records, const Late& late) {
  records.counters = late.counters;
  records.added = late.added;
  records.latched = late.latched;
  records.turned = late.turned;
  records.moves = late.moves;
  records.moved = late.moved;
  records.counted = late.counted;
  records.late = late.late;
  records.kept = late.kept;
  records.kept_symbols = late.kept_symbols;
  const bool waits = !late.late_distances.empty() || std::ranges::find(late.readings, Reading::Late) != late.readings.end();
  records.of_outputs = waits && !records.has_late();
}

Found copies_of(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget) {
  const Late late = late_of(loop);
  Records records;
  records.bits = loop.reader != Reader::Bytes;
  const std::uint64_t most = records.bits ? kMaxBitRecordMargin : kMaxRecordMargin, unit = records.bits ? 1 : 8;
  Shape shape(module, loop);
  auto against = shape.against();
  if (!against) against = late.against;
  if (against) {
    records.against = std::move(against->text);
    records.span = against->span;
  } else if (loop.in_margin > most) {
    records.against = fmt::format("a token and its loads may take {} bytes, and a lane sees {}", loop.in_margin, most);
  } else if (budget.min_bits < unit) {
    records.against = "a token may take no input";
  } else {
    records.min_token = static_cast<std::uint32_t>(std::min<std::uint64_t>(budget.min_bits / unit, most));
    if (records.bits) records.max_token = budget.max_bits.value_or(0);
    if (records.bits) records.reach = shape.reach();
    records.longest = shape.longest();
    records.one_part = shape.one_part();
    records.each_part = records.one_part && budget.min_outputs_any != 0;
    records.to_end = !records.bits && !loop.asks_end;
    records.runs = shape.runs();
    take_late(records, late);
  }
  return {records, late, shape.placed()};
}

// Of tokens that lanes can't guess.
Found chained_of(const ir::Module& module, const Loop& loop) {
  Chain chain = chain_of(module, loop);
  Found found;
  Records& records = found.records;
  if (!chain.against && loop.in_margin > kMaxChainMargin)
    chain.against = analysis::Reason{fmt::format("a token and its loads may take {} bytes, and a lane sees {}", loop.in_margin, kMaxChainMargin), {}};
  if (chain.against) {
    records.bits = true;
    records.against = std::move(chain.against->text);
    records.span = chain.against->span;
    return found;
  }
  records.chained = true;
  records.slices = chain.slices;
  records.longest = chain.longest;
  records.one_part = chain.one_part;
  records.walked = chain.walked;
  StateWalk walk = state_walk_of(module, loop, chain.walked);
  if (walk.against.empty()) records.walked = std::move(walk.walked);
  records.state_walk = std::move(walk.codes);
  records.no_state_walk = std::move(walk.against);
  take_late(records, chain.late);
  found.late = std::move(chain.late);
  return found;
}

// A kernel's tiles and records are of elements of one size.
Found of_other_elements(const Loop& loop) {
  Found found;
  found.records.bits = loop.reader != Reader::Bytes;
  found.records.against = "its elements are not of the size that the format's own output has";
  return found;
}

// Tokens that copy nothing are values where they may be: a run is a record then, and no copies that lead back to its start.
Found records_of(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget) {
  if (loop.element_bytes) return of_other_elements(loop);
  if (loop.backward) return chained_of(module, loop);
  if ((loop.reader != Reader::Bytes && loop.reader != Reader::Position) || holds<Copy>(loop.body)) return copies_of(module, loop, budget);
  Found values = values_of(module, loop, budget), copies = copies_of(module, loop, budget);
  return values.records.against.empty() || !copies.records.against.empty() ? values : copies;
}

bool copies(const Loop& loop) { return loop.has_records() && !loop.records->values; }
bool copies_bytes(const Loop& loop) { return copies(loop) && !loop.records->bits; }
bool copies_bits(const Loop& loop) { return copies(loop) && loop.records->bits; }

constexpr const char* kBytesBeside = "a kernel's tiles are of bytes or of bits, and another loop's tokens are bytes";

Records beside_bytes() {
  Records records;
  records.bits = true;
  records.against = kBytesBeside;
  return records;
}

// Where a statement says that where it takes from is known late.
bool* late_flag(Statement& what) {
  if (auto* copy = std::get_if<Copy>(&what)) return &copy->late_distance;
  if (auto* slice = std::get_if<Slice>(&what)) return &slice->late_from;
  return nullptr;
}

// Where a statement says that it is placed.
bool* placed_flag(Statement& what) {
  if (auto* field = std::get_if<Field>(&what)) return &field->placed;
  if (auto* literals = std::get_if<Literals>(&what)) return &literals->placed;
  if (auto* run = std::get_if<Run>(&what)) return &run->placed;
  return nullptr;
}

// Whether each of the loops in a token is its list, or one that walks pass: says so, or asks whether it is said.
void say_lists(Loop& loop, const Found& found) {
  for_each_step(loop.body, [&](Step& s) {
    auto* each = std::get_if<SideBySide>(&s.what);
    if (each == nullptr) return;
    each->list = found.list(each);
    each->passed = found.passed.contains(each);
  });
}
bool says_lists(const Loop& loop, const Found& found) {
  const bool values = found.records.against.empty();
  bool right = true;
  for_each_step(loop.body, [&](const Step& s) {
    const auto* each = std::get_if<SideBySide>(&s.what);
    if (each != nullptr) right &= each->list == (values ? found.list(each) : ListPart::None) && each->passed == (values && found.passed.contains(each));
  });
  return right;
}

bool same(const ir::Module& module, const Loop& loop, const std::optional<FirstByte>& a, const std::optional<FirstByte>& b) {
  return a && b ? says_the_same(module, loop, *a, *b) : !a && !b;
}

}  // namespace

void set_records(const ir::Module& module, Loop& loop, const analysis::TokenBudget& budget) {
  Found found = records_of(module, loop, budget);
  loop.records = std::move(found.records);
  if (!loop.has_records()) return;
  if (loop.records->values) return say_lists(loop, found);
  std::size_t at = 0;
  for_each_step(loop.body, [&](Step& s) {
    s.reading = found.late.readings[at];
    if (bool* late = late_flag(s.what)) *late = found.late.late_distances.contains(at);
    if (bool* placed = placed_flag(s.what)) *placed = found.placed.contains(&s);
    ++at;
  });
  if (loop.records->bits || loop.records->chained) return;
  loop.records->first_byte = first_byte_of(module, loop);
  loop.records->sums = tile_sums(module, loop);
}

void keep_one_kind(std::vector<Loop>& loops) {
  if (std::ranges::none_of(loops, copies_bytes)) return;
  for (Loop& loop : loops) {
    if (!copies_bits(loop)) continue;
    loop.records = beside_bytes();
    for_each_step(loop.body, [](Step& s) {
      s.reading = Reading::Token;
      if (bool* late = late_flag(s.what)) *late = false;
    });
  }
}

bool begin_at_bits(std::span<const Loop> loops) {
  return std::ranges::any_of(loops, [](const Loop& loop) { return loop.has_records() && loop.records->bits; });
}

bool of_one_kind(std::span<const Loop> loops) {
  const bool bytes = std::ranges::any_of(loops, copies_bytes);
  return std::ranges::none_of(loops, [&](const Loop& loop) {
    return bytes ? copies_bits(loop) : loop.records && loop.records->against == kBytesBeside;
  });
}

bool says_its_records(const ir::Module& module, const Loop& loop, const analysis::TokenBudget& budget) {
  Found found = records_of(module, loop, budget);
  const Records& said = *loop.records;
  if (said.against == kBytesBeside && found.copies() && found.records.bits) found = {beside_bytes(), {}, {}};
  const Records& records = found.records;
  bool read = says_lists(loop, found);
  std::size_t at = 0;
  for_each_step(loop.body, [&](const Step& s) {
    read &= loop.fills || s.reading == (found.copies() ? found.late.readings[at] : Reading::Token);
    if (const bool* late = late_flag(const_cast<Statement&>(s.what)))
      read &= *late == (found.copies() && found.late.late_distances.contains(at));
    if (const bool* placed = placed_flag(const_cast<Statement&>(s.what)))
      read &= *placed == (found.copies() && found.placed.contains(&s));
    ++at;
  });
  const bool one = found.copies() && !records.bits && !records.chained;
  return read && same(module, loop, said.first_byte, one ? first_byte_of(module, loop) : std::nullopt) &&
         said.sums == (one ? tile_sums(module, loop) : std::vector<Local>()) && said.against == records.against &&
         said.min_token == records.min_token && said.max_token == records.max_token && said.bits == records.bits && said.reach == records.reach &&
         said.longest == records.longest &&
         said.one_part == records.one_part && said.each_part == records.each_part && said.to_end == records.to_end && said.runs == records.runs && said.values == records.values &&
         said.chained == records.chained && said.slices == records.slices && said.walked == records.walked &&
         (said.state_walk == records.state_walk || said.state_walk.empty()) && said.turned == records.turned && said.moves == records.moves && said.moved == records.moved && said.counted == records.counted && said.counters == records.counters &&
         said.of_outputs == records.of_outputs && said.added == records.added && said.latched == records.latched && said.late == records.late &&
         said.kept == records.kept && said.kept_symbols == records.kept_symbols;
}

}  // namespace sluice::plan
