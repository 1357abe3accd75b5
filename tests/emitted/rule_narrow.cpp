// No 64-bit arithmetic where the plan says 32: note [widths] in compiler/plan/width.h.
//
//   a variable that the plan holds in 32 bits is declared so, wherever a function of its loop declares it
//   an operator that is given a number of 32 bits and another, or a constant that 32 bits hold, computes in 32, unless
//   the text widens the one: `(u64)v2_n + 1`
//
//   const u64 width_3 = ...;      found, when the plan has t3 among its words
//   v2_n + 1ull                   found
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "tests/emitted/rules.h"
#include "tests/emitted/tree.h"

namespace sluice::emitted {

using namespace clang;

namespace {

constexpr unsigned kWord = 32;

class Widths : public RecursiveASTVisitor<Widths> {
 public:
  Widths(const ASTContext& context, const std::set<std::string>* narrow, Report& report)
      : context_(context), narrow_(narrow), report_(report) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitVarDecl(VarDecl* v) {
    // What the checked path gives and takes back is of 64 bits: references have names of their own.
    if (narrow_ != nullptr && narrow_->contains(v->getNameAsString()) && bits(v->getType()) != kWord)
      report_.add(line_of(v->getLocation(), context_), "narrow",
                  "`" + v->getNameAsString() + "` is a word by its plan, and is " + v->getType().getAsString());
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator* e) {
    if (!computes(e->getOpcode())) return true;
    const Expr *left = written(e->getLHS()), *right = written(e->getRHS());
    const bool wide = bits(e->getLHS()->getType()) > kWord || bits(e->getRHS()->getType()) > kWord;
    if (wide && ((is_word(left) && (is_word(right) || is_small(right))) || (is_small(left) && is_word(right))))
      report_.add(line_of(e->getOperatorLoc(), context_), "narrow",
                  "`" + spelled(e, context_) + "` is computed in 64 bits, of numbers of 32");
    return true;
  }

 private:
  // A shift computes in its first operand's type, whatever it is given.
  static bool computes(BinaryOperatorKind op) {
    return BinaryOperator::isAdditiveOp(op) || BinaryOperator::isMultiplicativeOp(op) || BinaryOperator::isBitwiseOp(op) ||
           BinaryOperator::isComparisonOp(op);
  }
  // As the text has it, without what the language converts by itself. A template's parameter stands for its value.
  static const Expr* written(const Expr* e) { return e->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts(); }
  unsigned bits(QualType t) const {
    t = t.getNonReferenceType();
    return t->isIntegerType() && !t->isBooleanType() ? static_cast<unsigned>(context_.getIntWidth(t)) : 0;
  }
  bool is_constant(const Expr* e) const {
    return !e->isValueDependent() && !e->isTypeDependent() && e->getType()->isIntegerType() && constant(e, context_).has_value();
  }
  bool is_word(const Expr* e) const {
    return !is_constant(e) && bits(e->getType()) == kWord && e->getType()->isUnsignedIntegerType();
  }
  bool is_small(const Expr* e) const {
    if (!is_constant(e) || !isa<IntegerLiteral>(e)) return false;
    const std::int64_t value = *constant(e, context_);
    return value >= 0 && value <= 0xffffffff;
  }

  const ASTContext& context_;
  const std::set<std::string>* const narrow_;
  Report& report_;
};

}  // namespace

void check_widths(const Text& text, ASTContext& context, Report& report) {
  for (const FunctionDecl* f : own_functions(context)) {
    const auto* space = dyn_cast<NamespaceDecl>(f->getDeclContext());
    const bool thread = space != nullptr && space->getName() == "thread";
    const auto loop = text.narrow.find((thread ? "thread::" : "") + f->getNameAsString());
    if (loop == text.narrow.end()) continue;  // checked paths compute in 64 bits
    Widths widths(context, &loop->second, report);
    for (ParmVarDecl* p : f->parameters()) widths.TraverseDecl(p);
    widths.TraverseStmt(f->getBody());
  }
}

}  // namespace sluice::emitted
