// No name hides another: neither a variable one of a block around it or of the file, nor a parameter one of the file.
// What the text says of a name is then true of all of it.
//
//   u64 bit = s.pos;
//   for (...) { u64 bit = first + k; ... }     found
#include <vector>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "tests/emitted/rules.h"
#include "tests/emitted/tree.h"

namespace sluice::emitted {

using namespace clang;

namespace {

class Shadows : public RecursiveASTVisitor<Shadows> {
 public:
  Shadows(const ASTContext& context, Report& report) : context_(context), report_(report) {}

  // A function's body is looked at once, as it is written.
  bool TraverseFunctionDecl(FunctionDecl* f) { return function(f); }
  bool TraverseCXXMethodDecl(CXXMethodDecl* f) { return function(f); }

  bool TraverseCompoundStmt(CompoundStmt* s) {
    return scope([&] { return RecursiveASTVisitor::TraverseCompoundStmt(s); });
  }
  bool TraverseForStmt(ForStmt* s) {
    return scope([&] { return RecursiveASTVisitor::TraverseForStmt(s); });
  }
  bool VisitVarDecl(VarDecl* v) {
    if (!scopes_.empty() && v->getDeclName()) declare(*v);
    return true;
  }

 private:
  bool function(FunctionDecl* f) {
    const SourceManager& sources = context_.getSourceManager();
    if (!f->doesThisDeclarationHaveABody() || is_primitive(*f) ||
        !sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
      return true;
    return scope([&] {
      for (ParmVarDecl* p : f->parameters())
        if (p->getDeclName()) declare(*p);
      return TraverseStmt(f->getBody());
    });
  }
  template <typename F>
  bool scope(const F& f) {
    scopes_.emplace_back();
    const bool go_on = f();
    scopes_.pop_back();
    return go_on;
  }
  void declare(const VarDecl& v) {
    for (const auto& names : scopes_)
      for (const VarDecl* other : names)
        if (other->getDeclName() == v.getDeclName()) return found(v, *other);
    for (const DeclContext* c = v.getDeclContext(); c != nullptr; c = c->getLookupParent()) {
      if (!c->isNamespace() && !c->isTranslationUnit() && !c->isRecord()) continue;
      for (const NamedDecl* other : c->lookup(v.getDeclName()))
        if (isa<VarDecl>(other) || isa<FunctionDecl>(other) || isa<FunctionTemplateDecl>(other) ||
            isa<TypeDecl>(other) || isa<FieldDecl>(other))
          return found(v, *other);
    }
    scopes_.back().push_back(&v);
  }
  void found(const VarDecl& v, const NamedDecl& other) {
    report_.add(line_of(v.getLocation(), context_), "shadow",
                "`" + v.getNameAsString() + "` hides the one of line " +
                    std::to_string(line_of(other.getLocation(), context_)));
  }
  const ASTContext& context_;
  Report& report_;
  std::vector<std::vector<const VarDecl*>> scopes_;
};

}  // namespace

void check_shadowing(ASTContext& context, Report& report) {
  Shadows(context, report).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace sluice::emitted
