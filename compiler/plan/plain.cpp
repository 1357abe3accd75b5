#include "compiler/plan/plain.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/analysis/eval.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Expr;
using ir::Op;

constexpr unsigned kFirstBytes = 256;
// Were fewer plain, the test whether one is would be one more that nobody foresees.
constexpr unsigned kMustBe = kFirstBytes / 4;
// prim::kPlainLiterals and prim::kPlainCopy: literals and a copy are moved as 8 and 16 bytes, and the next token's first byte
// is in the 8 bytes from the end of a token without literals on.
constexpr std::uint64_t kPlainLiterals = 7, kPlainCopy = 16;
constexpr std::uint64_t kMoved = 8, kWord = 8, kField = 4;  // bytes that are loaded
constexpr std::uint64_t kOffTheEnd = 8;  // that are left of the margin, so that no token ends where the region does

// A number that may be a field's, behind the first byte.
struct Number {
  std::uint64_t added = 0;
  const Field* field = nullptr;
  std::uint64_t at = 0;  // of the field, from the token's start on, as if there were no literals
  bool behind = false;   // it stands behind them
};

// What one first byte says of a token.
struct Token {
  std::uint64_t literals = 0, from = 0, length = 0, size = 0;  // size: without the literals
  Number distance;
  // May one primitive take both?
  bool fits(const Token& o) const {
    return from == o.from && size == o.size && distance.field == o.distance.field && distance.at == o.distance.at &&
           distance.behind == o.distance.behind && distance.added == o.distance.added;
  }
};

// Follows the steps of a token that begins with that byte.
class Follower {
 public:
  Follower(const ir::Module& module, std::uint64_t first) : module_(module), first_(first) {}

  // None: it is not plain.
  std::optional<Token> run(const Body& body) {
    each(body);
    if (!plain_ || !copied_ || token_.length == 0 || token_.length > kPlainCopy || token_.literals > kPlainLiterals) return std::nullopt;
    if (!seen_literals_) token_.from = 1;
    token_.size = at_;
    return token_;
  }

 private:
  void refuse() { plain_ = false; }

  void each(const Body& body) {
    for (const Step& step : body) {
      if (!plain_ || exit_) return;
      std::visit([&](const auto& what) { (*this)(what); }, step.what);
    }
  }

  std::optional<Number> number(const Operand& o) const { return number(*o, o.scope); }
  std::optional<Number> number(const Expr& e, ScopeId scope) const {
    const auto known = analysis::evaluate(module_, e, [&](const Expr& leaf) -> std::optional<std::uint64_t> {
      if (leaf.op != Op::Local) return std::nullopt;
      const auto value = values_.find({scope, leaf.ref});
      return value == values_.end() || !value->second || value->second->field != nullptr ? std::nullopt : std::optional(value->second->added);
    });
    if (known) return Number{*known};
    if (e.op == Op::Local) {
      const auto value = values_.find({scope, e.ref});
      return value == values_.end() ? std::nullopt : value->second;
    }
    if (e.op != Op::Add) return std::nullopt;
    const auto a = number(*e.kids[0], scope), b = number(*e.kids[1], scope);
    if (!a || !b || (a->field != nullptr) == (b->field != nullptr)) return std::nullopt;
    Number sum = a->field != nullptr ? *a : *b;
    sum.added = a->added + b->added;
    return sum;
  }
  std::optional<std::uint64_t> known(const Operand& o) const {
    const auto n = number(o);
    return n && n->field == nullptr ? std::optional(n->added) : std::nullopt;
  }

  void operator()(const Field& s) {
    const bool kept = s.into == Field::Into::Local, begins = at_ == 0;
    if (s.form != FieldForm::Load || s.width != kNoValue || (begins && (!kept || s.bits != 8 || s.type.is_signed))) return refuse();
    // The first byte is known; of others, those are that a distance may be made of.
    if (kept) values_[s.local] = begins ? std::optional(Number{first_}) : s.type.is_signed ? std::nullopt : std::optional(Number{0, &s, at_, seen_literals_});
    at_ += s.bits / 8;
  }
  void operator()(const Drop& s) { each(s.read); }
  void operator()(const Let& s) { values_[s.local] = number(s.value); }
  void operator()(const Literals& s) {
    const auto n = known(s.count);
    if (!n || seen_literals_ || copied_ || at_ == 0 || (s.form != LiteralsForm::Short && s.form != LiteralsForm::Fixed)) return refuse();
    seen_literals_ = true;
    token_.literals = *n;
    token_.from = at_;
  }
  void operator()(const Copy& s) {
    const auto n = known(s.length);
    const auto distance = number(s.distance);
    const bool far = distance && distance->field != nullptr && distance->added < kNearest &&
                     distance->field->bits <= 16 && distance->added + (std::uint64_t{1} << distance->field->bits) <= kNearest;
    if (!n || !far || copied_ || s.tests_window || s.late_distance || !s.group.empty()) return refuse();
    copied_ = true;
    token_.length = *n;
    token_.distance = *distance;
  }
  void operator()(const If& s) {
    const auto condition = known(s.condition);
    if (!condition) return refuse();
    if (*condition != 0) each(s.then);
    else if (s.orelse) each(*s.orelse);
  }
  void operator()(const Check& s) {
    const auto condition = known(s.condition);
    if (!condition || *condition == 0) refuse();
  }
  void operator()(const Inline& s) {
    for (std::uint32_t i = 0; i < s.args.size(); ++i) values_[{s.scope, i}] = number(s.args[i]);
    each(s.body);
    if (exit_ == s.scope) exit_.reset();
  }
  void operator()(const Exit& s) { exit_ = s.scope; }
  template <typename Other> void operator()(const Other&) { refuse(); }

  const ir::Module& module_;
  const std::uint64_t first_;
  std::map<Local, std::optional<Number>> values_;  // none: unknown
  std::uint64_t at_ = 0;                           // bytes from the token's start on, without literals
  Token token_;
  bool plain_ = true, seen_literals_ = false, copied_ = false;
  std::optional<ScopeId> exit_;  // that is being left
};

using Tokens = std::array<std::optional<Token>, kFirstBytes>;

// Those of which the most are alike; the others are not plain.
void keep_alike(Tokens& tokens) {
  const auto alike = [&](const Token& with) { return std::ranges::count_if(tokens, [&](const auto& t) { return t && t->fits(with); }); };
  std::optional<Token> best;
  for (const auto& t : tokens)
    if (t && (!best || alike(*t) > alike(*best))) best = t;
  for (auto& t : tokens)
    if (t && !t->fits(*best)) t.reset();
}

// The bits, and what they are below, by which the most are told to be plain, and none that is not.
bool find_test(const Tokens& tokens, Plain& plain) {
  unsigned most = 0;
  for (std::uint64_t mask = 1; mask < kFirstBytes; ++mask) {
    std::uint64_t below = kFirstBytes;
    for (std::uint64_t first = 0; first < kFirstBytes; ++first)
      if (!tokens[first]) below = std::min(below, first & mask);
    unsigned told = 0;
    for (std::uint64_t first = 0; first < kFirstBytes; ++first) told += (first & mask) < below ? 1 : 0;
    if (told <= most) continue;
    most = told;
    plain.mask = mask;
    plain.below = below;
  }
  return most >= kMustBe;
}

// Bits of the first byte, and a sum, which are that number of each token that is told to be plain. The bits that are tested first:
// then there is nothing more to cut out; or all of them.
template <typename Of>
std::optional<FirstByteBits> find_bits(const Tokens& tokens, const Plain& plain, const Of& of) {
  const auto is = [&](const FirstByteBits& bits) {
    for (std::uint64_t first = 0; first < kFirstBytes; ++first)
      if ((first & plain.mask) < plain.below && of(*tokens[first]) != (first >> bits.shift & bits.mask) + bits.added) return false;
    return true;
  };
  const std::uint64_t least = of(*tokens[0]);  // told to be plain wherever anything is
  for (unsigned shift = 0; shift < 8; ++shift) {
    std::vector<std::uint64_t> masks{shift == 0 ? plain.mask : kFirstBytes - 1};
    for (std::uint64_t mask = kFirstBytes - 1; mask != 0; mask >>= 1) masks.push_back(mask);
    masks.push_back(0);
    for (const std::uint64_t mask : masks)
      if (const FirstByteBits bits{shift, mask, least}; is(bits)) return bits;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Plain> plain_of(const ir::Module& module, const Loop& loop) {
  const bool alone = loop.kind == ir::LoopKind::Forever || loop.kind == ir::LoopKind::UntilEnd;
  if (loop.form != LoopForm::Token || loop.reader != Reader::Bytes || !alone || loop.element_bits(module) != 8) return std::nullopt;
  if (!loop.carried.empty() || !loop.set_globals.empty() || loop.told || loop.joined || loop.has_codes()) return std::nullopt;
  const Field* const begins = loop.body.empty() ? nullptr : std::get_if<Field>(&loop.body.front().what);
  if (begins == nullptr || begins->bits != 8 || begins->form != FieldForm::Load) return std::nullopt;  // the loop has it at hand
  Tokens tokens;
  for (std::uint64_t first = 0; first < kFirstBytes; ++first) tokens[first] = Follower(module, first).run(loop.body);
  keep_alike(tokens);
  Plain plain;
  if (!find_test(tokens, plain)) return std::nullopt;
  const auto literals = find_bits(tokens, plain, [](const Token& t) { return t.literals; });
  const auto length = find_bits(tokens, plain, [](const Token& t) { return t.length; });
  if (!literals || !length) return std::nullopt;
  const Token& any = *tokens[0];
  plain.literals = *literals;
  plain.length = *length;
  plain.size = any.size;
  plain.from = any.from;
  plain.at = any.distance.at;
  plain.behind = any.distance.behind;
  plain.bits = any.distance.field->bits;
  plain.big = any.distance.field->big;
  plain.added = any.distance.added;
  return plain;
}

std::uint64_t plain_in_margin(const Plain& p) {
  return std::max({p.from + kMoved, p.at + kPlainLiterals + kField, p.size + kWord, p.size + kPlainLiterals + kOffTheEnd});
}

std::uint64_t plain_out_margin() { return kPlainLiterals + kPlainCopy + kSlack; }

}  // namespace sluice::plan
