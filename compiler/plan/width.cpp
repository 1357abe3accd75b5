#include "compiler/plan/width.h"

#include <algorithm>
#include <set>

#include "compiler/plan/first_byte.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Expr;
using ir::Op;

constexpr ir::i128 kMostOfWord = 0xffffffff;
// Lanes that do steps side by side count past the last one, by as many as there are workers.
constexpr ir::i128 kMostSteps = 1u << 31;

// How C holds what an operator is given.
enum class Word : std::uint8_t {
  Small,   // an int: a constant, what a comparison says. Two of them would be computed as int
  Narrow,  // a u32
  Wide,    // 64 bits
};

// Finds the nodes of an operand that must compute in 64 bits.
class Nodes {
 public:
  explicit Nodes(const Loop& loop, ScopeId scope) : narrow_(loop.narrow), scope_(scope) {}

  Word visit(const Expr& e) {
    const std::uint32_t own = count_++;
    std::vector<Word> kids;
    for (const auto& kid : e.kids) {
      const Word word = visit(*kid);
      kids.push_back(kid->type.is_signed && kid->op != Op::Const ? Word::Wide : word);
    }
    if (!must_be_wide(e, kids)) return word(e, kids);
    wide.push_back(own);
    return Word::Wide;
  }

  std::vector<std::uint32_t> wide;

 private:
  static bool must_be_wide(const Expr& e, const std::vector<Word>& kids) {
    switch (e.op) {
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::BitAnd:
      case Op::BitOr:
      case Op::BitXor:
        if (kids[0] == Word::Wide || kids[1] == Word::Wide) return false;
        return (kids[0] == Word::Small && kids[1] == Word::Small) || !fits_word(e);
      case Op::Shl:
      case Op::Shr: {
        if (kids[0] == Word::Wide) return false;
        const bool word = kids[0] == Word::Narrow || e.kids[0]->op == Op::Const;
        return !word || !fits_word(e) || e.kids[1]->range.hi > 31;
      }
      case Op::BitNot:
      case Op::Neg:
        return kids[0] != Word::Wide;
      default:
        return false;
    }
  }

  Word word(const Expr& e, const std::vector<Word>& kids) const {
    switch (e.op) {
      case Op::Const:
        return e.imm <= kMostOfWord ? Word::Small : Word::Wide;
      case Op::Local:
      case Op::Global:
        return std::ranges::find(narrow_, Local{e.op == Op::Local ? scope_ : kGlobalScope, e.ref}) != narrow_.end() ? Word::Narrow : Word::Wide;
      case Op::Elem:
      case Op::TableElem:
      case Op::BufferCount:
        return fits_word(e) ? Word::Narrow : Word::Wide;
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::BitAnd:
      case Op::BitOr:
      case Op::BitXor:
      case Op::Div:
      case Op::Rem:
        return std::max(kids[0], kids[1]);
      case Op::Shl:
      case Op::Shr:
        return kids[0] == Word::Small ? Word::Narrow : kids[0];
      case Op::Select:
        return std::max(kids[1], kids[2]);
      case Op::Min:
      case Op::Max:
        return std::max(kids[0], kids[1]);
      case Op::Cast:
        if (e.type.is_signed) return Word::Wide;
        if (e.type.bits == 8 || e.type.bits == 16 || e.type.bits == 32) return Word::Narrow;
        return e.type.bits > 32 && e.type.bits < 64 ? Word::Wide : kids[0];
      case Op::Eq:
      case Op::Ne:
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
      case Op::LogAnd:
      case Op::LogOr:
      case Op::LogNot:
      case Op::AddOk:
      case Op::SubOk:
      case Op::MulOk:
      case Op::Fits:
      case Op::AtEnd:
      case Op::Aligned:
        return Word::Small;
      default:
        return Word::Wide;
    }
  }

  const std::vector<Local>& narrow_;
  const ScopeId scope_;
  std::uint32_t count_ = 0;
};

bool few(const ir::Expr& count) { return fits_word(count) && count.range.hi <= kMostSteps; }

// Values of a statement, by what they hold.
struct ValuesOf {
  const Loop& loop;
  std::vector<Value> narrow = {};

  // Computed in 32 bits: to cut a number of 64 off costs more than it saves, but for what counts a loop's steps.
  bool word(const Operand& o) const { return fits_word(*o) && Nodes(loop, o.scope).visit(*o) != Word::Wide; }
  void add(Value v, bool fits) {
    if (fits && v != kNoValue) narrow.push_back(v);
  }
  void operator()(const Width& s) { add(s.value, true); }
  void operator()(const Drop& s) { add(s.value, fits_word(s.type, ir::range_of(s.type))); }
  void operator()(const Field& s) {
    if (s.form != FieldForm::Ranges) return;
    add(s.value, word(s.index));
    add(s.value + 1, true);
  }
  void operator()(const Literals& s) {
    const bool has_count = s.form != LiteralsForm::Fixed && s.form != LiteralsForm::None;
    add(s.value, has_count && word(s.count));
    if (s.form == LiteralsForm::Each) add(s.value + 1, fits_word(s.type, ir::range_of(s.type)));
  }
  void operator()(const Run& s) {
    add(s.value, word(s.count));
    add(s.value + 1, word(s.first));
  }
  void operator()(const Copy& s) {
    add(s.value, word(s.distance));
    add(s.value + 1, word(s.length));
  }
  void operator()(const Slice& s) {
    add(s.value, word(s.count));
    add(s.value + 1, word(s.from));
  }
  void operator()(const SymbolBytes& s) {
    add(s.value, word(s.index));
    add(s.value + 1, true);
  }
  void operator()(const Repeat& s) {
    if (!s.count) return;
    add(s.value, fits_word(*s.count));
    add(s.value + 1, fits_word(*s.count));
  }
  void operator()(const Unchecked& s) { counted(s); }
  void operator()(const SideBySide& s) { counted(s); }
  template <typename Counted>
  void counted(const Counted& s) {
    add(s.value, few(*s.count));
    for (const Width& w : s.widths) (*this)(w);
  }
  template <typename Other>
  void operator()(const Other&) {}
};

void number_nodes(const Expr& e, std::vector<const Expr*>& nodes) {
  nodes.push_back(&e);
  for (const auto& kid : e.kids) number_nodes(*kid, nodes);
}

}  // namespace

bool fits_word(ir::Type type, ir::Range range) { return !type.is_signed && range.lo >= 0 && range.hi <= kMostOfWord; }

std::vector<Local> narrow_locals(const ir::Module& module, const Loop& loop) {
  // A sum over lanes is made of 64 bits.
  std::set<Local> sums;
  for_each_step(loop.body, [&](const Step& s) {
    if (const auto* sum = std::get_if<Sum>(&s.what)) sums.insert(sum->local);
  });
  std::set<Local> all(loop.locals.begin(), loop.locals.end());
  for (const auto* list : {&loop.captures, &loop.carried})
    for (const std::uint32_t slot : *list) all.insert({0, slot});
  if (loop.index) all.insert({0, *loop.index});
  for (const std::uint32_t g : loop.globals) all.insert({kGlobalScope, g});
  std::erase_if(all, [&](Local l) {
    if (l.scope == kGlobalScope) return !fits_word(module.globals[l.slot].type, ir::range_of(module.globals[l.slot].type));
    const ir::Slot& slot = module.rules[loop.scopes[l.scope].rule].slots[l.slot];
    return sums.contains(l) || !fits_word(slot.type, slot.range);
  });
  return {all.begin(), all.end()};
}

std::vector<Value> narrow_values(const Loop& loop, const Step& step) {
  ValuesOf values{loop};
  std::visit(values, step.what);
  return std::move(values.narrow);
}

bool few_steps(const ir::Module& module, const Loop& loop) {
  if (loop.form != LoopForm::SideBySide && (loop.form != LoopForm::Token || loop.kind != ir::LoopKind::Times)) return false;
  const auto& count = statement_at(module.rules[loop.rule], loop.path).a;
  return count != nullptr && few(*count);
}

std::vector<std::uint32_t> wide_nodes(const Loop& loop, const Operand& operand) {
  Nodes nodes(loop, operand.scope);
  nodes.visit(*operand);
  std::ranges::sort(nodes.wide);
  return std::move(nodes.wide);
}

std::vector<const Expr*> nodes_at(const Operand& operand, const std::vector<std::uint32_t>& numbers) {
  std::vector<const Expr*> all, named;
  if (numbers.empty()) return named;
  number_nodes(*operand, all);
  for (const std::uint32_t n : numbers)
    if (n < all.size()) named.push_back(all[n]);
  return named;
}

void set_widths(const ir::Module& module, Target target, Loop& loop) {
  if (!on_gpu(target) || loop.form == LoopForm::Checked || loop.part) return;
  loop.narrow = narrow_locals(module, loop);
  loop.few_steps = few_steps(module, loop);
  const auto operand = [&](Operand& o) { o.wide = wide_nodes(loop, o); };
  for (Hoisted& h : loop.hoisted)
    if (auto* width = std::get_if<Width>(&h)) {
      loop.narrow_values.push_back(width->value);
      operand(width->bits);
    }
  if (loop.records && loop.records->first_byte) for_each_operand(*loop.records->first_byte, operand);
  for_each_step(loop.body, [&](Step& s) {
    for (const Value v : narrow_values(loop, s)) loop.narrow_values.push_back(v);
    for_each_operand(s, operand);
  });
}

}  // namespace sluice::plan
