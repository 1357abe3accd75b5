#include "tests/emitted/tree.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/raw_ostream.h"

namespace sluice::emitted {

using namespace clang;

bool is_primitive(const Decl& decl) {
  for (const DeclContext* c = decl.getDeclContext(); c != nullptr; c = c->getParent())
    if (const auto* space = dyn_cast<NamespaceDecl>(c); space != nullptr && space->getName() == "prim") return true;
  return false;
}

namespace {

class OwnFunctions : public RecursiveASTVisitor<OwnFunctions> {
 public:
  OwnFunctions(const SourceManager& sources, std::vector<const FunctionDecl*>& found)
      : sources_(sources), found_(found) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl* f) {
    if (f->doesThisDeclarationHaveABody() && !f->isDependentContext() && !f->isImplicit() && !is_primitive(*f) &&
        sources_.isInMainFile(sources_.getExpansionLoc(f->getLocation())))
      found_.push_back(f);
    return true;
  }

 private:
  const SourceManager& sources_;
  std::vector<const FunctionDecl*>& found_;
};

class NameCollector : public RecursiveASTVisitor<NameCollector> {
 public:
  explicit NameCollector(Names& names) : names_(names) {}
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    if (const auto* v = dyn_cast<VarDecl>(e->getDecl())) names_.variables.insert(v);
    return true;
  }
  bool VisitMemberExpr(MemberExpr* e) {
    if (isa<FieldDecl>(e->getMemberDecl())) names_.members.insert(e->getMemberDecl()->getNameAsString());
    return true;
  }

 private:
  Names& names_;
};

}  // namespace

std::vector<const FunctionDecl*> own_functions(const ASTContext& context) {
  std::vector<const FunctionDecl*> found;
  OwnFunctions(context.getSourceManager(), found).TraverseDecl(context.getTranslationUnitDecl());
  return found;
}

const Expr* plain(const Expr* e) {
  for (;;) {
    const Expr* next = e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (const auto* call = dyn_cast<CallExpr>(next)) {
      const FunctionDecl* f = call->getDirectCallee();
      if (f != nullptr && f->getBuiltinID() != 0 && f->getName() == "__builtin_expect") next = call->getArg(0);
      if (f != nullptr && is_primitive(*f) && f->getNameAsString() == "alike") next = call->getArg(0);
      // A position that is an object, where a pointer is asked for.
      if (const auto* method = dyn_cast<CXXMemberCallExpr>(call);
          method != nullptr && isa_and_nonnull<CXXConversionDecl>(f))
        next = method->getImplicitObjectArgument();
    }
    if (const auto* no = dyn_cast<UnaryOperator>(next); no != nullptr && no->getOpcode() == UO_LNot)
      if (const auto* again = dyn_cast<UnaryOperator>(no->getSubExpr()->IgnoreParenImpCasts());
          again != nullptr && again->getOpcode() == UO_LNot)
        next = again->getSubExpr();
    if (next == e) return e;
    e = next;
  }
}

const VarDecl* variable(const Expr* e) {
  const auto* name = dyn_cast<DeclRefExpr>(plain(e));
  return name == nullptr ? nullptr : dyn_cast<VarDecl>(name->getDecl());
}

llvm::StringRef member(const Expr* e) {
  const auto* m = dyn_cast<MemberExpr>(plain(e));
  return m != nullptr && isa<FieldDecl>(m->getMemberDecl()) ? m->getMemberDecl()->getName() : llvm::StringRef();
}

std::optional<std::int64_t> constant(const Expr* e, const ASTContext& context) {
  Expr::EvalResult result;
  if (e->isValueDependent() || !e->getType()->isIntegralOrEnumerationType() || !e->EvaluateAsInt(result, context))
    return std::nullopt;
  return static_cast<std::int64_t>(result.Val.getInt().getLimitedValue(INT64_MAX));
}

std::string spelled(const Expr* e, const ASTContext& context) {
  if (const auto value = constant(e, context)) return std::to_string(*value);
  e = plain(e);
  if (const auto value = constant(e, context)) return std::to_string(*value);
  if (const auto* m = dyn_cast<MemberExpr>(e))
    return spelled(m->getBase(), context) + "." + m->getMemberDecl()->getNameAsString();
  if (const auto b = binary(e))
    return "(" + spelled(b->left, context) + BinaryOperator::getOpcodeStr(b->op).str() + spelled(b->right, context) +
           ")";
  if (const auto* c = dyn_cast<ConditionalOperator>(e))
    return "(" + spelled(c->getCond(), context) + "?" + spelled(c->getTrueExpr(), context) + ":" +
           spelled(c->getFalseExpr(), context) + ")";
  if (const auto* call = dyn_cast<CallExpr>(e); call != nullptr && call->getDirectCallee() != nullptr) {
    std::string text = call->getDirectCallee()->getNameAsString() + "(";
    if (const auto* method = dyn_cast<CXXMemberCallExpr>(call))
      text += spelled(method->getImplicitObjectArgument(), context) + ";";
    for (const Expr* a : call->arguments()) text += spelled(a, context) + ",";
    return text + ")";
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  e->printPretty(stream, nullptr, PrintingPolicy(context.getLangOpts()));
  return text;
}

Names names_in(const Stmt* e) {
  Names names;
  NameCollector(names).TraverseStmt(const_cast<Stmt*>(e));
  return names;
}

std::optional<Binary> binary(const Expr* e) {
  e = plain(e);
  if (const auto* b = dyn_cast<BinaryOperator>(e)) return Binary{b->getOpcode(), b->getLHS(), b->getRHS()};
  const auto* call = dyn_cast<CXXOperatorCallExpr>(e);
  if (call == nullptr || call->getNumArgs() != 2 || call->getOperator() == OO_Subscript) return std::nullopt;
  return Binary{BinaryOperator::getOverloadedOpcode(call->getOperator()), call->getArg(0), call->getArg(1)};
}

unsigned line_of(SourceLocation at, const ASTContext& context) {
  return context.getSourceManager().getExpansionLineNumber(at);
}

}  // namespace sluice::emitted
