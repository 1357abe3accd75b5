#include "tests/emitted/margins.h"

#include <algorithm>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "tests/emitted/contracts.h"

namespace sluice::emitted {

using namespace clang;

namespace {

// The variable that a member belongs to: `s` of `s.pos`.
const VarDecl* owner(const Expr* e) {
  const auto* m = dyn_cast<MemberExpr>(plain(e));
  return m == nullptr ? nullptr : variable(m->getBase());
}

// A pointer to the output's next element: `s.out + s.produced * size`.
bool start_of_output(const VarDecl* v) {
  if (!v->hasInit() || !v->getType()->isPointerType()) return false;
  const Names names = names_in(v->getInit());
  return names.members.contains("out") && names.members.contains("produced");
}

// The stream of which an expression tells how much is left.
const VarDecl* stream_in(const Expr* e) {
  if (const Expr* start = start_of(e)) e = start;
  for (const VarDecl* v : names_in(e).variables)
    if (v->getType().getNonReferenceType()->isRecordType()) return v;
  return nullptr;
}

// A bit buffer and the like: what a reference to it changes is no stream.
bool is_buffer(QualType t) {
  const CXXRecordDecl* r = t->getAsCXXRecordDecl();
  for (const FieldDecl* field : r->fields())
    if (field->getName() == "pos") return false;
  for (const CXXBaseSpecifier& base : r->bases())
    if (!is_buffer(base.getType())) return false;
  return true;
}

}  // namespace

// `first + k * stride` where k is below a number of steps that were tested to fit at `first`; or all of them.
std::optional<Place> Margins::stepped(const Facts& facts, const Expr* e) const {
  const auto sum = binary(e);
  const VarDecl* first = sum && sum->op == BO_Add ? variable(sum->left) : nullptr;
  if (first == nullptr) return std::nullopt;
  for (const VarDecl* k : names_in(sum->right).variables) {
    const auto below = facts.below.find(k);
    const auto amount = facts.amounts.find(below == facts.below.end() ? k : below->second);
    if (amount == facts.amounts.end()) continue;
    if (const auto place = facts.places.find(first); place != facts.places.end() && amount->second.at(first) == 0)
      return Place{place->second.margin, below == facts.below.end() ? 0 : -amount->second.step(first)};
    // Steps that fit the output's room, from where that begins.
    const auto times = binary(sum->right);
    const auto size = times && times->op == BO_Mul ? constant(times->right, context_) : std::nullopt;
    for (const auto& [room, by] : amount->second.of)
      if (by == 0 && size && !room->getType()->isPointerType() && start_of_output(first)) return Place{8 * *size, 0};
  }
  return std::nullopt;
}

// `k + x` where n - k is x or more: that many steps fit, as n of them do.
std::optional<Amount> Margins::some_of(const Facts& facts, const Expr* e) const {
  const auto sum = binary(e);
  const VarDecl* k = sum && sum->op == BO_Add ? variable(sum->left) : nullptr;
  const auto more = k != nullptr ? constant(sum->right, context_) : std::nullopt;
  const auto left = facts.to_go.find(k);
  if (!more || left == facts.to_go.end() || left->second.second < *more) return std::nullopt;
  const auto amount = facts.amounts.find(left->second.first);
  return amount == facts.amounts.end() ? std::nullopt : std::optional(amount->second);
}

std::int64_t Margins::value(const Facts& facts, const Expr* e, const VarDecl* position) const {
  const std::int64_t number = constant(e, context_).value_or(kAnything);
  if (const VarDecl* v = variable(e)) {  // a constant one may have been tested to fit, too
    const auto amount = facts.amounts.find(v);
    return amount == facts.amounts.end() ? number : std::min(number, amount->second.at(position));
  }
  if (number != kAnything) return number;
  if (const auto* call = dyn_cast<CallExpr>(plain(e))) {
    constexpr std::int64_t kSymbols = 2;  // note [pairs] of runtime/prim/codes.h
    const FunctionDecl* f = call->getDirectCallee();
    return f != nullptr && is_primitive(*f) && f->getNameAsString() == "entry_symbols" ? kSymbols : kAnything;
  }
  const auto b = binary(e);
  if (!b || (b->op != BO_Mul && b->op != BO_Add)) return kAnything;
  const std::int64_t left = value(facts, b->left, position), right = value(facts, b->right, position);
  if (b->op == BO_Mul && (left == 0 || right == 0)) return 0;
  std::int64_t both = 0;
  const bool over =
      left == kAnything || right == kAnything ||
      (b->op == BO_Mul ? __builtin_mul_overflow(left, right, &both) : __builtin_add_overflow(left, right, &both));
  return over ? kAnything : both;
}

std::int64_t Margins::moves(const Facts& facts, const Expr* by, const VarDecl* position) const {
  const std::int64_t most = value(facts, by, position);
  constexpr std::int64_t kMuch = std::int64_t{1} << 40;
  return most == kAnything ? 0 : std::min(most, kMuch) * unit_of(position);
}

const VarDecl* Margins::position(const Expr* e) const {
  if (const auto* call = dyn_cast<CallExpr>(plain(e))) {
    const FunctionDecl* f = call->getDirectCallee();
    if (f == nullptr || !is_primitive(*f) || f->getNameAsString() != "cursor" || call->getNumArgs() != 2)
      return nullptr;
    const Names names = names_in(call->getArg(1));
    return names.variables.size() == 1 && names.members.empty() ? *names.variables.begin() : nullptr;
  }
  // The byte of a bit that is counted as cursors count bytes.
  if (const auto byte = binary(e); byte && byte->op == BO_Shr && constant(byte->right, context_) == 3) return variable(byte->left);
  return variable(e);
}

bool Margins::holds(const Facts& facts, const VarDecl* stream, const Expr* amount, Unit unit) const {
  const auto number = constant(amount, context_);
  const std::string wanted = text(amount);
  const std::set<std::string> most = bounds_.at_most(amount);
  if (unit == Unit::Steps && most.contains("left")) return true;
  return std::ranges::any_of(facts.held, [&](const Held& h) {
    if (h.stream != stream) return false;
    if (h.unit != unit && !(h.unit == Unit::Steps && unit == Unit::Bits)) return false;
    return number && h.number ? *h.number >= *number : h.text == wanted;
  });
}

void Margins::hold(Facts& facts, const VarDecl* stream, const Expr* amount, Unit unit) const {
  facts.held.insert({stream, unit, text(amount), constant(amount, context_), names_in(amount).variables});
}

// small <= large, or small < large
void Margins::not_more(Facts& facts, const Expr* small, const Expr* large, bool less) const {
  const VarDecl* n = variable(small);
  const auto number = constant(small, context_);
  if (const auto margin = bounds_.limit(large); margin && n != nullptr) facts.places[n] = {*margin, 0};
  if (const auto both = bounds_.part_end(large); both && less) facts.places[both->first] = {both->second, 0};
  if (const auto b = binary(large); b && b->op == BO_Sub && number) {
    if (member(b->left) == "out_end" && member(b->right) == "produced") facts.room = *number;
    const VarDecl* at = variable(b->right);
    const Place tested{8 * (less ? *number + 1 : *number), 0};
    if (at != nullptr && variable(b->left) != nullptr && unit_of(at) == 8) {
      const auto [place, first] = facts.places.try_emplace(at, tested);
      if (!first && place->second.margin - place->second.used < tested.margin) place->second = tested;
    }
  }
  if (const auto b = binary(large); b && b->op == BO_Sub && number)
    if (const VarDecl *of = variable(b->left), *done = variable(b->right); of != nullptr && done != nullptr && facts.amounts.contains(of)) {
      facts.to_go[done] = {of, less ? *number + 1 : *number};
      facts.next_of(of);
    }
  if (const VarDecl* more = variable(large)) facts.above[more] = text(small);
  if (const VarDecl* at = bounds_.room_for(large)) {
    const auto place = facts.places.find(at);
    if (place == facts.places.end() || place->second.used == 0)
      for (const VarDecl* x : names_in(small).variables) {
        Amount& amount = facts.amounts.try_emplace(x, Amount{kAnything, {}, {}}).first->second;
        amount.of[at] = 0;
        amount.each[at] = x == n ? bounds_.step_of(large, at) : 0;
      }
  }
  if (n != nullptr)
    if (const auto most = constant(large, context_)) {
      Amount& amount = facts.amounts.try_emplace(n, Amount{kAnything, {}, {}}).first->second;
      amount.other = std::min(amount.other, less ? *most - 1 : *most);
    }
  if (const VarDecl* count = variable(large); count != nullptr && less) {
    if (n != nullptr) facts.below[n] = count;
    facts.next_of(count);
  }
  if (difference(large, "end", "pos")) hold(facts, owner(binary(large)->left), small, Unit::Steps);
  const Expr* left = large;
  Unit unit = Unit::Bits;
  if (const auto shift = binary(large); shift && shift->op == BO_Shr && constant(shift->right, context_) == 3)
    left = shift->left, unit = Unit::Bytes;
  const auto* call = dyn_cast<CXXMemberCallExpr>(plain(left));
  if (call != nullptr && call->getDirectCallee()->getNameAsString() == "left_bits")
    hold(facts, variable(call->getImplicitObjectArgument()), small, unit);
}

void Margins::decided(Facts& facts, const Expr* atom, bool truth) const {
  if (const auto* call = dyn_cast<CallExpr>(plain(atom))) {
    const FunctionDecl* f = call->getDirectCallee();
    if (!truth && f != nullptr && is_primitive(*f) && f->getNameAsString() == "lacks")
      hold(facts, variable(call->getArg(0)), call->getArg(1), Unit::Bits);
    if (const auto contract = truth && f != nullptr && is_primitive(*f) ? contract_of(*f) : std::nullopt; contract && contract->taken)
      for (const Expr* moved : call->arguments())
        if (const VarDecl* v = variable(moved); v != nullptr && facts.places.contains(v)) facts.forget(v);
    if (truth && f != nullptr && is_primitive(*f) && f->getNameAsString() == "join")  // by no more than it asks for
      for (const Expr* moved : call->arguments())
        if (const auto place = facts.places.find(variable(moved)); place != facts.places.end()) place->second.used += 8 * contract_of(*f)->in_bytes;
    return;
  }
  const auto b = binary(atom);
  if (!b) return;
  switch (b->op) {
    case BO_LE:
    case BO_GT:
      if ((b->op == BO_LE) == truth) return not_more(facts, b->left, b->right, false);
      return not_more(facts, b->right, b->left, true);
    case BO_LT:
    case BO_GE:
      if ((b->op == BO_LT) == truth) return not_more(facts, b->left, b->right, true);
      return not_more(facts, b->right, b->left, false);
    case BO_NE: {
      const Expr* counted = plain(b->left);
      if (const auto* down = dyn_cast<UnaryOperator>(counted); down != nullptr && down->getOpcode() == UO_PreDec)
        counted = down->getSubExpr();
      if (const VarDecl* n = variable(counted); truth && n != nullptr && constant(b->right, context_) == 0)
        facts.next_of(n);
      return;
    }
    default:
      return;
  }
}

void Margins::assign(Facts& facts, const VarDecl* target, const Expr* value) const {
  std::optional<Place> place = stepped(facts, value);
  const VarDecl* same = position(value);
  const VarDecl* fits = bounds_.room_for(value);
  const VarDecl* below = bounds_.below_same(value);
  const auto number = constant(value, context_);
  const Names names = names_in(value);
  const std::optional<Amount> some = some_of(facts, value);
  // The next byte boundary.
  if (const auto mask = binary(value); mask && mask->op == BO_And && names.variables == std::set{target})
    if (const auto at = facts.places.find(target); at != facts.places.end())
      place = Place{at->second.margin, at->second.used + 7};
  if (names.members.contains("out") && names.members.contains("produced") && facts.room > 0) {
    std::int64_t size = 1;
    if (const auto sum = binary(value)) {
      const auto times = binary(sum->right);
      if (times && times->op == BO_Mul) size = constant(times->right, context_).value_or(1);
    }
    place = Place{8 * facts.room * size, 0};
  }
  const bool left = bounds_.at_most(value).contains("left");
  // n = x where n > x, or n = x + 1: what n was tested to fit, that fits too.
  const auto above = facts.above.find(target);
  const auto fitting = facts.amounts.find(target);
  Amount kept{kAnything, {}, {}};
  if (above != facts.above.end() && (above->second == text(value) || "(" + above->second + "+1)" == text(value)) &&
      fitting != facts.amounts.end())
    kept = fitting->second;
  // A copy of a stream holds what the stream holds.
  std::set<Held> copies;
  for (Held h : facts.held)
    if (same != nullptr && h.stream == same) h.stream = target, copies.insert(std::move(h));
  if (same != target) facts.forget(target);
  facts.held.merge(copies);
  if (kept.other != kAnything || !kept.of.empty()) facts.amounts[target] = kept;
  if (same != nullptr && same != target) {
    facts.same_place(target, same);
    const auto amount = facts.amounts.find(same);
    if (amount != facts.amounts.end()) facts.amounts[target] = Amount(amount->second);
  }
  if (place) facts.places[target] = *place;
  if (fits != nullptr && fits != target)
    facts.amounts.try_emplace(target, Amount{kAnything, {}, {}}).first->second.of[fits] = 0;
  if (number) facts.amounts[target] = {*number, {}, {}};
  if (some) facts.amounts[target] = *some;
  if (below != nullptr) facts.below[target] = below;
  if (left) facts.held.insert({stream_in(value), Unit::Steps, target->getNameAsString(), std::nullopt, {target}});
  // n = packed_steps(s, k, width): n times width bits are there.
  const auto* call = dyn_cast<CallExpr>(plain(value));
  const FunctionDecl* f = call == nullptr ? nullptr : call->getDirectCallee();
  if (f != nullptr && is_primitive(*f) && f->getNameAsString() == "packed_steps") {
    const Expr* width = call->getArg(2);
    std::set<const VarDecl*> of = names_in(width).variables;
    of.insert(target);
    facts.held.insert({variable(call->getArg(0)), Unit::Bits, "(" + target->getNameAsString() + "*" + text(width) + ")",
                       std::nullopt, std::move(of)});
  }
}

void Margins::add(Facts& facts, const VarDecl* target, const Expr* by) const {
  const auto place = facts.places.find(target);
  if (place == facts.places.end()) return facts.forget(target);
  Place moved = place->second;
  moved.used += moves(facts, by, target);
  // What was tested to fit all steps is used up step by step.
  const std::map<const VarDecl*, Amount> amounts = facts.amounts;
  facts.forget(target);
  facts.amounts = amounts;
  facts.amounts.erase(target);
  facts.places[target] = moved;
}

void Margins::call(Facts& facts, const CallExpr* call) const {
  const FunctionDecl* f = call->getDirectCallee();
  if (f == nullptr) return;
  const auto contract = is_primitive(*f) ? contract_of(*f) : std::nullopt;
  // Of a member function's operators the object comes first.
  const unsigned skip = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(f) ? 1 : 0;
  if (skip != 0) return;
  for (unsigned i = 0; i < call->getNumArgs() && i < f->getNumParams(); ++i) {
    const QualType t = f->getParamDecl(i)->getType();
    if (!t->isReferenceType() || t->getPointeeType().isConstQualified()) continue;
    const VarDecl* v = variable(call->getArg(i));
    const QualType object = t->getPointeeType();
    if (object->isRecordType()) {
      const bool counts = contract && contract->asks == Asks::Bits;
      const bool stream = object->getAsCXXRecordDecl()->hasDefinition() && !is_buffer(object);
      if (stream)
        facts.moved(v,
              counts ? constant(call->getArg(static_cast<unsigned>(contract->amount)), context_) : std::nullopt);
      continue;
    }
    if (v == nullptr) continue;
    if (contract && contract->in == static_cast<int>(i)) {
      if (const auto place = facts.places.find(v); place != facts.places.end() && contract->moves)
        place->second.used += 8 * bytes_of(contract->in_bytes, *f);
      continue;
    }
    if (contract && (contract->taken || contract->name == "join")) continue;  // it moves where it says that it has: decided()
    facts.forget(v);
    // The length of a number that was read is not more than the bytes that were looked at.
    if (contract && contract->name == "varint" && i + 1 == call->getNumArgs())
      if (const auto most = constant(call->getArg(static_cast<unsigned>(contract->length)), context_))
        facts.amounts[v] = {*most, {}, {}};
  }
}

void Margins::step(Facts& facts, const Stmt* s) const {
  if (const auto* declaration = dyn_cast<DeclStmt>(s)) {
    for (const Decl* d : declaration->decls())
      if (const auto* v = dyn_cast<VarDecl>(d); v != nullptr && v->hasInit()) assign(facts, v, v->getInit());
    return;
  }
  if (const auto* count = dyn_cast<UnaryOperator>(s); count != nullptr && count->isIncrementDecrementOp()) {
    const VarDecl* v = variable(count->getSubExpr());
    if (v == nullptr) return;
    const auto amount = facts.amounts.find(v);
    const Amount kept = amount == facts.amounts.end() ? Amount{kAnything, {}, {}} : amount->second;
    facts.forget(v);
    if (count->isDecrementOp() && (kept.other != kAnything || !kept.of.empty())) facts.amounts[v] = kept;
    return;
  }
  const auto* e = dyn_cast<Expr>(s);
  if (e == nullptr) return;
  if (const auto* c = dyn_cast<CallExpr>(e)) call(facts, c);
  const auto* b = dyn_cast<BinaryOperator>(e);
  const auto* overloaded = dyn_cast<CXXOperatorCallExpr>(e);
  if ((b == nullptr || !b->isAssignmentOp()) && (overloaded == nullptr || !overloaded->isAssignmentOp())) return;
  const Expr* left = b != nullptr ? b->getLHS() : overloaded->getArg(0);
  const Expr* right = b != nullptr ? b->getRHS() : overloaded->getArg(1);
  const bool plus = b != nullptr ? b->getOpcode() == BO_AddAssign : overloaded->getOperator() == OO_PlusEqual;
  const bool sets = b != nullptr ? b->getOpcode() == BO_Assign : overloaded->getOperator() == OO_Equal;
  if (const llvm::StringRef m = member(left); m == "pos" || m == "end") facts.moved(owner(left), std::nullopt);
  if (const llvm::StringRef m = member(left); m == "out_end" || m == "produced" || m == "out") facts.room = 0;
  const VarDecl* v = variable(left);
  if (v == nullptr) return;
  if (sets)
    assign(facts, v, right);
  else if (plus)
    add(facts, v, right);
  else if (b != nullptr && b->getOpcode() == BO_SubAssign) {  // a count that goes down still fits
    const auto amount = facts.amounts.find(v);
    const Amount kept = amount == facts.amounts.end() ? Amount{kAnything, {}, {}} : amount->second;
    facts.forget(v);
    if (kept.other != kAnything || !kept.of.empty()) facts.amounts[v] = kept;
  } else
    facts.forget(v);
}

}  // namespace sluice::emitted
