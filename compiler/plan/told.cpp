#include "compiler/plan/told.h"

#include <algorithm>

#include "compiler/analysis/eval.h"
#include "compiler/plan/first_byte.h"
#include "compiler/plan/plain.h"
#include "compiler/plan/unpacked_steps.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Expr;
using ir::Op;

constexpr std::uint64_t kFirstBytes = 256;
// Were fewer told, the test whether one is would be one more that nobody foresees.
constexpr std::uint64_t kMustTell = kFirstBytes - kFirstBytes / 32;
// prim::kToldBytes: literals, or those of a copy, are moved as so many whatever they are.
constexpr std::uint64_t kToldBytes = 64;
// Distances from which on they are moved in order; such a one stands in the entries of literals, which pass its test.
constexpr std::uint64_t kFarEnough = 16;
constexpr std::uint64_t kLoaded = 4;  // bytes, for the field
constexpr std::uint64_t kOffTheEnd = 8;  // that are left of the margin, so that no token ends where the region does
constexpr std::uint64_t kMostAdded = 0xffff, kMostSize = 0xff;
constexpr std::uint32_t kLiteralsBit = 1u << 7, kFieldShift = 8, kAddedShift = 16;
static_assert(kToldBytes < kLiteralsBit, "a length is the bits below");

// A distance: what the first byte says of it, and a field.
struct Far {
  std::uint64_t added = 0;
  const FieldAt* field = nullptr;
};

class Entries {
 public:
  Entries(const ir::Module& module, const FirstByte& byte) : module_(module), byte_(byte), parts_(*byte.parts) {}

  std::optional<Told> run() {
    std::uint64_t told = 0;
    for (first_ = 0; first_ < kFirstBytes; ++first_) {
      made_.sizes.push_back(0);
      made_.entries.push_back(entry());
      if (made_.entries.back() == 0) made_.sizes.back() = 0;
      else ++told;
    }
    if (told < kMustTell || !at_) return std::nullopt;
    made_.at = *at_;
    made_.from = from_.value_or(0);
    return made_;
  }

 private:
  std::optional<std::uint64_t> value(const Expr& e) const {
    return analysis::evaluate(module_, e, [&](const Expr& leaf) {
      return leaf.op == Op::Local && leaf.ref == byte_.local.slot ? std::optional(first_) : std::nullopt;
    });
  }

  std::optional<Far> far(const Expr& e) const {
    if (const auto known = value(e)) return Far{*known, nullptr};
    if (e.op == Op::Select) {
      const auto condition = value(*e.kids[0]);
      return condition ? far(*e.kids[*condition != 0 ? 1 : 2]) : std::nullopt;
    }
    if (e.op == Op::Local) {
      const auto field = std::ranges::find(parts_.fields, e.ref, [](const FieldAt& f) { return f.local.slot; });
      return field == parts_.fields.end() ? std::nullopt : std::optional(Far{0, &*field});
    }
    if (e.op != Op::Add) return std::nullopt;
    const auto a = far(*e.kids[0]), b = far(*e.kids[1]);
    if (!a || !b || (a->field != nullptr && b->field != nullptr)) return std::nullopt;
    return Far{a->added + b->added, a->field != nullptr ? a->field : b->field};
  }

  // One place for all of them.
  static bool same(std::optional<std::uint64_t>& place, std::uint64_t at) { return *(place ? place : place = at) == at; }

  // 0: it is not told.
  std::uint32_t entry() {
    const auto told = value(*byte_.told);
    if (!told || *told == 0) return 0;
    const auto size = value(*byte_.size), literals = value(*parts_.literals), copied = value(*parts_.length);
    if (!size || !literals || !copied || *size == 0 || *size > kMostSize || (*literals == 0) == (*copied == 0)) return 0;
    if (std::max(*literals, *copied) > kToldBytes) return 0;
    made_.sizes.back() = static_cast<std::uint32_t>(*size);
    const auto made = [](std::uint64_t added, std::uint64_t bits, std::uint64_t length) {
      return static_cast<std::uint32_t>(added << kAddedShift | bits << kFieldShift | length);
    };
    if (*literals != 0) {
      const auto from = value(*parts_.from);
      return from && same(from_, *from) ? made(kFarEnough, 0, *literals | kLiteralsBit) : 0;
    }
    const auto back = far(*parts_.distance);
    if (!back || back->added > kMostAdded) return 0;
    if (back->field == nullptr) return made(back->added, 0, *copied);
    const bool little = !back->field->big || back->field->bits == 8;
    return little && same(at_, back->field->offset) ? made(back->added, back->field->bits, *copied) : 0;
  }

  const ir::Module& module_;
  const FirstByte& byte_;
  const FirstByteParts& parts_;
  Told made_;
  std::optional<std::uint64_t> at_, from_;
  std::uint64_t first_ = 0;
};

}  // namespace

std::optional<Told> told_of(const ir::Module& module, const Loop& loop) {
  const bool alone = loop.kind == ir::LoopKind::Forever || loop.kind == ir::LoopKind::UntilEnd;
  if (loop.form != LoopForm::Token || loop.reader != Reader::Bytes || !alone || loop.element_bits(module) != 8) return std::nullopt;
  if (!loop.carried.empty() || !loop.set_globals.empty()) return std::nullopt;
  const std::optional<FirstByte> byte = first_byte_tells(module, loop);
  if (!byte || !byte->parts || !byte->parts->distance) return std::nullopt;
  return Entries(module, *byte).run();
}

bool in_pairs(const Loop& loop) {
  // What a token's text may hold of two streams: fields of whole bytes, numbers, branches, literals and copies.
  const auto other = [](const Step& step) {
    const auto* literals = std::get_if<Literals>(&step.what);
    const auto* copy = std::get_if<Copy>(&step.what);
    if (literals != nullptr) return literals->form != LiteralsForm::Short && literals->form != LiteralsForm::Fixed;
    if (copy != nullptr) return !copy->stepwise || !copy->group.empty();
    return !(std::holds_alternative<Field>(step.what) || std::holds_alternative<Width>(step.what) || std::holds_alternative<Let>(step.what) ||
             std::holds_alternative<If>(step.what) || std::holds_alternative<Check>(step.what) || std::holds_alternative<Leave>(step.what) ||
             std::holds_alternative<Inline>(step.what) || std::holds_alternative<Exit>(step.what));
  };
  return loop.told && loop.captures.empty() && loop.globals.empty() && !any_step(loop.body, other) && !any_step(loop.body, asks_output);
}

std::uint64_t told_margin(const Told& told) {
  const std::uint64_t longest = *std::ranges::max_element(told.sizes);
  return std::max({told.from + kToldBytes, told.at + kLoaded, longest + kOffTheEnd});
}

std::uint64_t out_margin(const Loop& loop) {
  return std::max({loop.cost.out, loop.told ? kToldBytes + kSlack : 0, loop.plain ? plain_out_margin() : 0, unpacks(loop) && loop.unpacked != Unpacked::Kept ? kUnpackSlack : 0});
}

}  // namespace sluice::plan
