#include "compiler/plan/two_bytes.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/analysis/eval.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

constexpr std::uint32_t kFirstBytes = 256, kLastByte = 255;
constexpr std::uint32_t kMustTell = kFirstBytes / 2;  // a lane whose token is not told walks it while the others wait
constexpr std::int64_t kMostFirst = (1 << 15) - 1, kMostAdded = 64, kMostValuesAdded = (1 << 16) - 1, kRound = 7;
constexpr unsigned kMostNumbers = 2, kMostBefore = 15;

// A number that is so much, and so much for each of the second byte's.
struct Amount {
  std::int64_t first = 0, second = 0;
  bool known() const { return second == 0; }
};
using Known = std::optional<Amount>;

// The walk of a token with that first byte.
class Token {
 public:
  Token(const ir::Module& module, const ValueTokens& values, std::uint32_t first) : module_(module), values_(values), byte_(first) {}

  std::uint64_t entry(const Body& steps, std::uint32_t min_token) {
    body(steps);
    const std::int64_t bits = at_.first + 8 * std::int64_t{numbers_} + kRound;
    const auto fits = [](const Amount& a, std::int64_t most) { return a.first >= -kMostFirst && a.first <= kMostFirst && a.second >= 0 && a.second <= most; };
    const bool told = told_ && fits({bits, at_.second}, kMostAdded) && fits(values_made_, kMostValuesAdded) && numbers_ <= kMostNumbers && before_ <= kMostBefore &&
                      bits >> 3 >= min_token;
    if (!told) return kNotTold;
    const auto size = static_cast<std::uint32_t>(bits) << 16 | before_ << 12 | numbers_ << 8 | static_cast<std::uint32_t>(at_.second);
    const auto made = static_cast<std::uint32_t>(values_made_.first) << 16 | static_cast<std::uint32_t>(values_made_.second);
    return std::uint64_t{made} << 32 | size;
  }

 private:
  void body(const Body& steps) {
    for (const Step& s : steps)
      if (told_) std::visit([&](const auto& what) { step(what); }, s.what);
  }

  void step(const Word& w) { words_[w.value] = at_; }
  void step(const Width& w) { widths_[w.value] = value(w.bits); }
  void step(const Let& let) { set(let.local, value(let.value)); }
  void step(const Check&) {}  // a token that fails it is none: whoever takes it says so
  void step(const Run& run) { make(value(run.count)); }
  void step(const Store&) { make(Amount{1, 0}); }
  void step(const Drop& drop) { body(drop.read); }
  void step(const Skip& skip) { take(value(skip.bytes), Amount{8, 0}); }
  void step(const Align&) {
    if (at_.known()) at_.first = (at_.first + kRound) / 8 * 8;
    else rounded_ = true;
  }
  void step(const If& branch) {
    const Known condition = value(branch.condition);
    if (!condition || !condition->known()) told_ = false;
    else if (condition->first != 0) body(branch.then);
    else if (branch.orelse) body(*branch.orelse);
  }
  void step(const Inline& call) {
    for (std::size_t i = 0; i < call.args.size(); ++i) set(Local{call.scope, static_cast<std::uint32_t>(i)}, value(call.args[i]));
    body(call.body);
  }
  void step(const Field& field) {
    if (field.form == FieldForm::Varint) return number(field);
    const auto width = field.width == kNoValue ? Known(Amount{field.bits, 0}) : widths_[field.width];
    Known at = at_;
    if (field.form == FieldForm::InWord) at = Amount{words_[field.value].first + field.offset, words_[field.value].second};
    if (field.into == Field::Into::Local) set(field.local, width && width->known() ? bits_at(field, *at, width->first) : Known());
    take(width, Amount{1, 0});
  }
  void step(const SideBySide& each) {
    const auto listed = values_.listed.find(&each);
    const bool list = listed != values_.listed.end() && (listed->second == ListPart::Values || listed->second == ListPart::Sums);
    if (!list || each.widths.size() != 1) return untold();
    make(value(each.count));
    take(value(each.count), value(each.widths.front().bits));
  }
  template <typename Other> void step(const Other&) { untold(); }
  void untold() { told_ = false; }

  void number(const Field& field) {
    if (field.into == Field::Into::Local) set(field.local, {});
    told_ = told_ && at_.known() && at_.first % 8 == 0 && (numbers_ == 0 || 8 * before_ == at_.first);
    before_ = static_cast<std::uint32_t>(at_.first / 8);
    ++numbers_;
  }

  void make(const Known& values) {
    if (!values) return untold();
    values_made_ = {values_made_.first + values->first, values_made_.second + values->second};
  }

  // So many of as many bits; their place is that of what follows.
  void take(const Known& count, const Known& bits) {
    if (!count || !bits || (!count->known() && !bits->known()) || rounded_) return untold();
    at_.first += count->first * bits->first;
    at_.second += count->first * bits->second + count->second * bits->first;
  }

  // A field of the first two bytes, before any number.
  Known bits_at(const Field& field, const Amount& at, std::int64_t bits) const {
    const bool loads = field.form == FieldForm::Load || field.form == FieldForm::InWord || field.form == FieldForm::At || field.form == FieldForm::AtWide ||
                       field.form == FieldForm::AtBytes;
    if (!loads || !at.known() || numbers_ != 0 || at.first < 0 || at.first + bits > 16 || bits < 1) return {};
    const std::int64_t end = at.first + bits;
    const bool msb = module_.input == ir::Input::BitsMsb, wide = bits > 8 && field.form == FieldForm::Load;
    if (at.first >= 8) return bits == 8 && !field.type.is_signed ? Known(Amount{0, 1}) : Known();
    if (end > 8 && (field.type.is_signed || end != 16)) return {};
    // Of the first byte: those behind its first `at`, or from there on. The second one's stand below them where first bits are highest.
    const std::int64_t of_first = std::min<std::int64_t>(end, 8) - at.first;
    const std::uint64_t low = msb ? byte_ >> (8 - at.first - of_first) : byte_ >> at.first, mine = low & ((1ull << of_first) - 1);
    if (end <= 8) return Amount{static_cast<std::int64_t>(analysis::extend(mine, ir::Type{static_cast<std::uint8_t>(bits), field.type.is_signed})), 0};
    const bool second_low = wide ? field.big : msb;
    return second_low ? Amount{static_cast<std::int64_t>(mine << 8), 1} : Amount{static_cast<std::int64_t>(mine), std::int64_t{1} << of_first};
  }

  void set(Local local, const Known& value) { locals_[local] = value; }

  Known value(const Operand& o) const { return value(*o, o.scope); }
  Known value(const ir::Expr& e, ScopeId scope) const {
    const auto leaf = [&](const ir::Expr& x) -> std::optional<std::uint64_t> {
      const Known known = x.op == ir::Op::Local ? of(Local{scope, x.ref}) : Known();
      return known && known->known() ? std::optional(static_cast<std::uint64_t>(known->first)) : std::nullopt;
    };
    if (const auto all = analysis::evaluate(module_, e, leaf)) return Amount{static_cast<std::int64_t>(*all), 0};
    if (e.op == ir::Op::Local) return of(Local{scope, e.ref});
    if (e.op == ir::Op::Cast) return whole(value(*e.kids[0], scope), e.type);
    if (e.op != ir::Op::Add && e.op != ir::Op::Sub && e.op != ir::Op::Mul) return {};
    const Known a = value(*e.kids[0], scope), b = value(*e.kids[1], scope);
    if (!a || !b) return {};
    if (e.op == ir::Op::Add) return Amount{a->first + b->first, a->second + b->second};
    if (e.op == ir::Op::Sub) return Amount{a->first - b->first, a->second - b->second};
    return a->known() || b->known() ? Known(Amount{a->first * b->first, a->first * b->second + a->second * b->first}) : Known();
  }
  Known of(Local local) const {
    const auto found = locals_.find(local);
    return found == locals_.end() ? Known() : found->second;
  }
  // A cast that leaves it as it is.
  static Known whole(const Known& a, ir::Type type) {
    if (!a) return {};
    const ir::Range range = ir::range_of(type);
    const std::int64_t end = a->first + a->second * kLastByte;
    return range.lo <= std::min(a->first, end) && std::max(a->first, end) <= range.hi ? a : Known();
  }

  const ir::Module& module_;
  const ValueTokens& values_;
  const std::uint32_t byte_;
  std::map<Local, Known> locals_;
  std::map<Value, Known> widths_;
  std::map<Value, Amount> words_;
  Amount values_made_;
  Amount at_;  // bits from the token's first one on, without numbers
  std::uint32_t numbers_ = 0, before_ = 0;
  bool told_ = true, rounded_ = false;
};

}  // namespace

std::vector<std::uint64_t> two_bytes_tell(const ir::Module& module, const Loop& loop, const ValueTokens& values, std::uint32_t min_token) {
  if (!values.values.list || !values.values.list->packed || loop.element_bits(module) > 16 || min_token > 2) return {};
  std::vector<std::uint64_t> entries;
  for (std::uint32_t first = 0; first < kFirstBytes; ++first) entries.push_back(Token(module, values, first).entry(loop.body, min_token));
  if (std::ranges::count_if(entries, [](std::uint64_t e) { return e != kNotTold; }) < kMustTell) return {};
  return entries;
}

}  // namespace sluice::plan
