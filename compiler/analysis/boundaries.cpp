#include "compiler/analysis/boundaries.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/analysis/effects.h"
#include "compiler/analysis/eval.h"
#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

// A token longer than this is no automaton worth composing.
constexpr std::uint64_t kMaxStates = 1024;

struct Length {
  std::uint64_t bits = 0;  // outside varints
  std::uint64_t varints = 0;
  friend bool operator==(const Length&, const Length&) = default;
};

// Runs one step with the first byte known, everything else unknown, and adds up the lengths.
class Ruler {
 public:
  Ruler(const ir::Module& module, std::uint32_t rule)
      : module_(module), number_(rule), rule_(module.rules[rule]), effects_(module) {}

  // nullopt: the length needs more than is known; `blocked` says where.
  std::optional<Length> measure(const ir::Block& step, std::optional<std::uint64_t> first_byte) {
    known_.clear();
    length_ = {};
    first_ = first_byte;
    return block(step) == Flow::Unknown ? std::nullopt : std::optional(length_);
  }

  const Stmt* blocked = nullptr;

 private:
  enum class Flow { Next, Left, Failed, Unknown };

  std::optional<std::uint64_t> value(const ir::Expr& expr) {
    return evaluate(module_, expr, [&](const ir::Expr& leaf) -> std::optional<std::uint64_t> {
      if (leaf.op != ir::Op::Local) return std::nullopt;
      const auto found = known_.find(leaf.ref);
      return found == known_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Flow unknown(const Stmt& stmt) {
    if (blocked == nullptr) blocked = &stmt;
    return Flow::Unknown;
  }

  // Adds `count` values of the spec; false when their length is unknown.
  bool fields(const ir::ReadSpec& read, std::uint64_t count) {
    if (count > 8 * kMaxStates) return false;
    if (read.kind == ir::ReadSpec::Kind::Varint) {
      length_.varints += count;
      return true;
    }
    std::uint64_t bits = read.type.bits;
    if (read.kind == ir::ReadSpec::Kind::Computed) {
      const auto width = value(*read.width);
      if (!width) return false;
      bits = *width;
    } else if (read.kind != ir::ReadSpec::Kind::Fixed) {
      return false;
    }
    length_.bits += count * bits;
    return true;
  }

  Flow block(const ir::Block& statements) {
    for (const auto& stmt : statements)
      if (const Flow flow = statement(*stmt); flow != Flow::Next) return flow;
    return Flow::Next;
  }

  Flow branch(const Stmt& stmt) {
    if (const auto taken = value(*stmt.a)) return block(*taken != 0 ? stmt.body : stmt.orelse);
    // Unknown, but harmless when both sides are equally long and end alike.
    const auto locals = known_;
    const Length before = length_;
    const Flow left = block(stmt.body);
    auto after_left = std::move(known_);
    const Length left_length = length_;
    known_ = locals;
    length_ = before;
    const Flow right = block(stmt.orelse);
    if (left == Flow::Failed) return right;
    if (right == Flow::Failed) {
      known_ = std::move(after_left);
      length_ = left_length;
      return left;
    }
    if (left != right || left_length != length_) return unknown(stmt);
    std::erase_if(known_, [&](const auto& entry) {
      const auto other = after_left.find(entry.first);
      return other == after_left.end() || other->second != entry.second;
    });
    return left;
  }

  // A loop that only spreads what the token has read takes nothing, however often it runs.
  Flow loop(const Stmt& stmt) {
    for_each_stmt(stmt.body, [&](const Stmt& inner) {
      if (inner.slot != Stmt::kNoSlot) known_.erase(inner.slot);
    });
    if (stmt.slot != Stmt::kNoSlot) known_.erase(stmt.slot);
    const Effects effects = effects_.block(stmt.body, number_);
    return effects.consumes || effects.leaves || effects.accepts ? unknown(stmt) : Flow::Next;
  }

  Flow statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case K::Read:
        if (!fields(stmt.read, 1)) return unknown(stmt);
        if (stmt.slot != Stmt::kNoSlot) known_.erase(stmt.slot);
        if (first_) {
          if (stmt.slot != Stmt::kNoSlot)
            known_[stmt.slot] = extend(extend(*first_, stmt.read.type), rule_.slots[stmt.slot].type);
          first_.reset();
        }
        return Flow::Next;
      case K::SetLocal:
        if (const auto word = value(*stmt.a))
          known_[stmt.slot] = extend(*word, rule_.slots[stmt.slot].type);
        else
          known_.erase(stmt.slot);
        return Flow::Next;
      case K::Literals: {
        const auto count = value(*stmt.a);
        return count && fields(stmt.read, *count) ? Flow::Next : unknown(stmt);
      }
      case K::Check:
        return value(*stmt.a) == 0u ? Flow::Failed : Flow::Next;
      case K::If:
        return branch(stmt);
      case K::Skip: {
        const auto bytes = value(*stmt.a);
        if (!bytes || *bytes > kMaxStates) return unknown(stmt);
        length_.bits += 8 * *bytes;
        return Flow::Next;
      }
      case K::ReadSymbol: {
        const auto bytes = value(*stmt.b);
        if (!bytes || *bytes > ir::kMaxSymbolBytes) return unknown(stmt);
        length_.bits += 8 * *bytes;
        return Flow::Next;
      }
      case K::Into:
        return block(stmt.body);
      case K::Stop:
      case K::Return:
      case K::Accept:
        return Flow::Left;
      case K::Reject:
        return Flow::Failed;
      case K::Align:
        return module_.input == ir::Input::Bytes ? Flow::Next : unknown(stmt);
      case K::Loop:
        return loop(stmt);
      case K::Call: {
        // A rule that takes nothing from the input adds nothing to the length.
        const Effects& effects = effects_.rule(stmt.ref);
        if (effects.consumes || effects.accepts) return unknown(stmt);
        if (stmt.slot != Stmt::kNoSlot) known_.erase(stmt.slot);
        return Flow::Next;
      }
      case K::Within:
      case K::Producing:
        return unknown(stmt);
      case K::SetGlobal:
      case K::SetElem:
      case K::Emit:
      case K::Run:
      case K::Copy:
      case K::BuildCode:
      case K::BuildStates:
      case K::Mark:
      case K::NewWindow:
      case K::Stage:
      case K::EmitBuffer:
      case K::EmitSymbol:
        return Flow::Next;
    }
    return unknown(stmt);
  }

  const ir::Module& module_;
  const std::uint32_t number_;
  const ir::Rule& rule_;
  EffectsOf effects_;
  std::map<std::uint32_t, std::uint64_t> known_;
  std::optional<std::uint64_t> first_;
  Length length_;
};

bool starts_with_a_byte(const ir::Block& step) {
  return !step.empty() && step.front()->kind == K::Read && step.front()->slot != Stmt::kNoSlot &&
         step.front()->read.kind == ir::ReadSpec::Kind::Fixed && step.front()->read.type.bits == 8;
}

}  // namespace

Boundaries boundaries_of(const ir::Module& module, const ir::Stmt& loop, std::uint32_t rule) {
  Boundaries result;
  EffectsOf effects(module);
  const auto reads = [&](const Stmt& stmt) {
    return stmt.kind == K::Loop ? effects.block(stmt.body, rule).consumes
                                : stmt.kind != K::Call || effects.rule(stmt.ref).consumes;
  };
  if (!effects.block(loop.body, rule).consumes) {
    result.kind = Boundaries::Kind::None;
    result.why.push_back({"a step of this loop reads nothing: it is no token of the input", loop.span});
    return result;
  }
  Ruler ruler(module, rule);
  if (const auto all = ruler.measure(loop.body, std::nullopt); all && all->varints == 0 && all->bits > 0) {
    result.kind = Boundaries::Kind::Fixed;
    result.max_bits = all->bits;
    result.states = (all->bits + 7) / 8;
    return result;
  }
  const Stmt* blocked = ruler.blocked;
  if (starts_with_a_byte(loop.body)) {
    ruler.blocked = nullptr;
    for (std::uint64_t byte = 0; byte < 256; ++byte) {
      const auto length = ruler.measure(loop.body, byte);
      if (!length || length->bits % 8 != 0) break;
      result.max_bits = std::max(result.max_bits, length->bits);
      result.varints = std::max(result.varints, length->varints);
      result.states = std::max(result.states, length->bits / 8 + length->varints);
      if (result.states > kMaxStates) break;
      if (byte == 255)
        result.kind = result.varints == 0 ? Boundaries::Kind::FirstByte : Boundaries::Kind::FirstByteVarint;
    }
    blocked = ruler.blocked;
  }
  if (result.kind == Boundaries::Kind::Scan) {
    result = {};
    if (blocked != nullptr)
      result.why.push_back({spell(*blocked) + (reads(*blocked)
                                                   ? ": its length is not told by the token's first byte"
                                                   : ": it may end the step, which the token's first byte does not tell"),
                            blocked->span});
    else
      result.why.push_back({"a token does not start with a byte that tells its length", loop.span});
  }
  return result;
}

}  // namespace sluice::analysis
