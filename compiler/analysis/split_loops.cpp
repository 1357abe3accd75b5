#include "compiler/analysis/split_loops.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "compiler/analysis/effects.h"
#include "compiler/analysis/loop_state.h"
#include "compiler/analysis/placeless.h"
#include "compiler/analysis/walk.h"
#include "compiler/ir/elements.h"

namespace sluice::analysis {
namespace {

using ir::Op;
using ir::Stmt;
using K = Stmt::Kind;

// One that stands where it is read: a lane could find another one, but reads its part from its start to its end, in that order.
bool is_region(const Stmt& s) { return (s.kind == K::Within && !s.b && !s.backward && !s.dictionary) || s.kind == K::Producing; }

// Slots of its rule that a block writes, those of called rules not among them.
void collect_sets(const ir::Block& block, std::set<std::uint32_t>& slots) {
  for_each_stmt(block, [&](const Stmt& s) {
    if (s.slot != Stmt::kNoSlot) slots.insert(s.slot);
  });
}

void collect_reads(const Stmt& s, std::set<std::uint32_t>& slots) {
  for_each_expr(s, [&](const ir::Expr& e) {
    for_each_node(e, [&](const ir::Expr& node) {
      if (node.op == Op::Local) slots.insert(node.ref);
    });
  });
}

// One loop under examination.
class Examiner {
 public:
  Examiner(const ir::Module& module, ReasonChain& why) : module_(module), elements_(module), why_(why), entered_(module.rules.size()) {}

  std::optional<SplitLoop> loop(const Stmt& loop, std::uint32_t rule) {
    SplitLoop found;
    found.loop = &loop;
    found.rule = rule;
    if (elements_.of(loop).bits != module_.output.bits) return refuse("its elements are not of the size that the format's own output has", loop);
    if (!step(loop.body, found)) return std::nullopt;
    const auto has = [&](K kind) {
      return std::ranges::any_of(found.regions, [&](const Stmt* s) { return s->kind == kind; });
    };
    found.core = &found.regions.back()->body;
    if (!has(K::Within) && EffectsOf(module_).block(*found.core, rule).consumes)
      return refuse("the input of a step has no size", loop);
    found.counted = !has(K::Producing);
    if (!core(*found.core, 0, true)) return std::nullopt;
    found.copies = copies_;
    // Parts are counted where their input is read bit by bit, as everything with prefix codes is.
    if (!found.counted && module_.input != ir::Input::Bytes) return refuse("its input is a stream of bits", loop);
    if (found.counted && module_.input == ir::Input::Bytes) return refuse("the output of a step has no size", loop);
    if (!found.counted && copies_.distance != 0) return refuse("a part of stated size copies", loop);
    collect_sets(*found.core, found.core_sets);
    sets_around(loop.body, found.core, found.step_sets);
    if (loop.slot != Stmt::kNoSlot) found.step_sets.insert(loop.slot);
    for_each_stmt(*found.core, [&](const Stmt& s) { collect_reads(s, found.core_reads); });
    for (const std::uint32_t slot : found.core_sets) found.core_reads.erase(slot);
    if (!own_slots(found)) return refuse("a step changes what the next one reads", loop);
    if (found.counted && !found.carried.empty()) return refuse("how much a step makes depends on the one before", loop);
    found.placeless = is_placeless(module_, rule, *found.core);
    found.summed = loop.body.size() == 1 && found.regions.front()->kind == K::Within && &found.regions.front()->body == found.core &&
                   told(*found.regions.front()->a);
    return found;
  }

 private:
  // Does it depend on variables, arrays and arguments alone?
  static bool told(const ir::Expr& e) {
    bool good = true;
    for_each_node(e, [&](const ir::Expr& node) { good = good && node.op < Op::Remaining; });
    return good;
  }
  std::nullopt_t refuse(const char* text, const Stmt& at) {
    why_.push_back({text, at.span});
    return std::nullopt;
  }
  bool no(const char* text, const Stmt& at) {
    why_.push_back({text, at.span});
    return false;
  }

  // Around the core: what the warp does for each step, in order, before any core is decoded. Behind a region that holds
  // a core nothing may stand but at the step's own level: only there the position is known again.
  bool step(const ir::Block& block, SplitLoop& found) {
    const Stmt* region = nullptr;
    for (const auto& s : block) {
      if (is_region(*s) && region == nullptr)
        region = s.get();
      else if (!plain_one(*s))
        return no("a step does more than measure and test its parts", *s);
    }
    if (region == nullptr) return no("a step has no region", *block.front());
    if (!found.regions.empty() && block.back().get() != region)
      return no("a step goes on behind its part", *block.back());
    found.regions.push_back(region);
    const auto nested = std::ranges::count_if(region->body, [](const auto& s) { return is_region(*s); });
    const auto plain_ones = std::ranges::count_if(region->body, [](const auto& s) { return plain_one(*s); });
    return nested != 1 || nested + plain_ones != std::ssize(region->body) || step(region->body, found);
  }

  static bool plain_one(const Stmt& s) {
    const auto all_plain = [](const ir::Block& b) {
      return std::ranges::all_of(b, [](const auto& inner) { return plain_one(*inner); });
    };
    return s.kind == K::SetLocal || s.kind == K::Check || s.kind == K::Read || s.kind == K::Skip ||
           s.kind == K::Reject || (s.kind == K::If && all_plain(s.body) && all_plain(s.orelse));
  }

  bool core(const ir::Block& block, unsigned loops, bool outermost) {
    for (const auto& owned : block) {
      const Stmt& s = *owned;
      bool sees_others = false;
      for_each_expr(s, [&](const ir::Expr& e) {
        for_each_node(e, [&](const ir::Expr& node) {
          sees_others |= node.op == Op::ProducedSince || node.op == Op::ConsumedSince || node.op == Op::Checksum || node.op == Op::OutputCount;
        });
      });
      if (sees_others) return no("a part looks at more than itself", s);
      switch (s.kind) {
        case K::Copy:
          if (!waits(s)) return no("a copy is too long or reaches too far to wait in 32 bits", s);
          break;
        case K::Read:
        case K::Literals:
        case K::SetLocal:
        case K::Emit:
        case K::Run:
        case K::If:
        case K::Check:
        case K::Reject:
        case K::Within:
          if (s.b) return no("a part reads elsewhere in the input", s);
          if (s.dictionary) return no("a part reads the dictionary", s);
          if (s.backward) return no("a part reads a region from its end", s);
          break;
        case K::Producing:
        case K::EmitSymbol:
        case K::Skip:
        case K::Align:  // bits of the part's own region: what it moves is the part's position
        case K::Loop:
          break;
        case K::Stop:
          if (loops == 0) return no("a part ends the loop", s);
          break;
        case K::Return:
          if (outermost) return no("a part ends the loop", s);
          break;
        case K::Call:
          if (!entered_[s.ref]) {
            entered_[s.ref] = true;
            if (!core(module_.rules[s.ref].body, 0, false)) return false;
          }
          break;
        default:
          return no("a part leaves something for the next one", s);
      }
      if (!core(s.body, loops + (s.kind == K::Loop ? 1 : 0), outermost) || !core(s.orelse, loops, outermost))
        return false;
    }
    return true;
  }

  // Bits of the largest value up to `most`.
  static unsigned bits_of(ir::i128 most) {
    constexpr auto kMost = ~std::uint64_t{0};
    if (most < 0 || most > ir::i128{kMost}) return 64;
    return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(most)));
  }
  bool waits(const Stmt& copy) {
    ir::i128 farthest = copy.a->range.hi;
    if (module_.window != 0) farthest = std::min(farthest, ir::i128{module_.window});
    copies_.distance = std::max(copies_.distance, bits_of(farthest));
    if (copies_.distance < 64) copies_.reach = std::max(copies_.reach, static_cast<std::uint64_t>(farthest));
    copies_.length = std::max(copies_.length, bits_of(copy.b->range.hi));
    return module_.output.bits == 8 && !module_.has_dictionary && copies_.distance + copies_.length <= kCopyBits;
  }

  // What a step writes is its own: nothing outside of the loop writes it too, and no core what the step around it does.
  // What a core writes and the rest of the rule too is carried from core to core; the step around it doesn't look at
  // it.
  bool own_slots(SplitLoop& found) {
    const std::set<std::uint32_t> outside = set_outside(module_, found.rule, *found.loop);
    const auto apart = [&](const std::set<std::uint32_t>& slots) {
      return std::ranges::none_of(slots, [&](std::uint32_t slot) { return outside.contains(slot); });
    };
    for (const std::uint32_t slot : found.core_sets)
      if (outside.contains(slot)) found.carried.insert(slot);
    for (const std::uint32_t slot : found.carried) found.core_sets.erase(slot);
    return apart(found.step_sets) && !reads_around(*found.loop, found.core, found.carried) &&
           std::ranges::none_of(found.core_sets, [&](std::uint32_t slot) { return found.step_sets.contains(slot); });
  }

  static bool reads_around(const Stmt& s, const ir::Block* core, const std::set<std::uint32_t>& slots) {
    std::set<std::uint32_t> reads;
    collect_reads(s, reads);
    if (std::ranges::any_of(reads, [&](std::uint32_t slot) { return slots.contains(slot); })) return true;
    if (&s.body == core) return false;
    const auto in = [&](const ir::Block& b) {
      return std::ranges::any_of(b, [&](const auto& inner) { return reads_around(*inner, core, slots); });
    };
    return in(s.body) || in(s.orelse);
  }

  static void sets_around(const ir::Block& block, const ir::Block* core, std::set<std::uint32_t>& slots) {
    if (&block == core) return;
    for (const auto& s : block) {
      if (s->slot != Stmt::kNoSlot) slots.insert(s->slot);
      sets_around(s->body, core, slots);
      sets_around(s->orelse, core, slots);
    }
  }

  const ir::Module& module_;
  const ir::Elements elements_;
  ReasonChain& why_;
  std::vector<bool> entered_;
  CopyBits copies_;
};

}  // namespace

unsigned copy_distance_bits(std::span<const SplitLoop> loops) {
  unsigned bits = 0;
  for (const SplitLoop& split : loops)
    if (split.counted) bits = std::max({bits, split.copies.distance, 1u});
  return bits;
}

SplitLoops find_split_loops(const ir::Module& module) {
  SplitLoops found;
  const std::vector<bool> reached = reachable_rules(module);
  for (std::uint32_t rule = 0; rule < module.rules.size(); ++rule) {
    if (!reached[rule]) continue;
    for_each_stmt(module.rules[rule].body, [&](const Stmt& s) {
      if (s.kind != K::Loop || s.loop != ir::LoopKind::Times || s.body.empty()) return;
      bool regions = false;
      for_each_stmt(s.body, [&](const Stmt& inner) { regions |= is_region(inner); });
      if (!regions) return;
      ReasonChain why;
      if (auto loop = Examiner(module, why).loop(s, rule)) found.loops.push_back(std::move(*loop));
      append(found.why_not, why);
    });
  }
  if (found.loops.empty() && found.why_not.empty())
    found.why_not.push_back({"no counted loop has a region for each of its steps", {}});
  return found;
}

}  // namespace sluice::analysis
