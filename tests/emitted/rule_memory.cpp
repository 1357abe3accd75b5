// Input and output are touched by primitives alone, each under the test that its contract asks for (contracts.h).
//
//   x = s.in[i];                      found: not a primitive
//   v = prim::take(s, 8);             found unless, on every path, lacks(s, n) was false for an n >= 8 before, and the
//                                     stream has not moved by more than n - 8 since
//   c = prim::load_byte(src, in);     found unless, on every path, `in` was compared with its limit before, and what
//                                     moved it since, with what is loaded, is inside the limit's margin
//   s.pos += steps(n);                found unless n was tested like an argument of take
//
// A pointer that the text follows itself must come from the chunk's scratch memory, a constant table, or the job. What
// counts as moved is in margins.h.
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "tests/emitted/contracts.h"
#include "tests/emitted/flow.h"
#include "tests/emitted/margins.h"
#include "tests/emitted/rules.h"

namespace sluice::emitted {

using namespace clang;

namespace {

constexpr const char* kRule = "memory";

// ---- Where a pointer comes from ------------------------------------------------------------------------------------

bool in_text(const Decl& d) {
  const SourceManager& sources = d.getASTContext().getSourceManager();
  return sources.isInMainFile(sources.getExpansionLoc(d.getLocation())) && !is_primitive(d);
}

// A structure that the text defines: scratch memory, the job. Not one of integers, which any buffer holds.
bool points_to_own(QualType pointer) {
  const QualType to = pointer->isPointerType() ? pointer->getPointeeType() : pointer;
  const CXXRecordDecl* r = to->getAsCXXRecordDecl();
  return r != nullptr && in_text(*r);
}

// Is it memory of the chunk's own, a table, or the job's description, for sure?
bool is_own(const Expr* e) {
  e = plain(e);
  if (points_to_own(e->getType())) return true;
  if (const auto* m = dyn_cast<MemberExpr>(e)) {
    const auto* field = dyn_cast<FieldDecl>(m->getMemberDecl());
    if (field == nullptr) return false;
    // An array is where its structure is; a pointer leads elsewhere, out of a stream to the buffers.
    if (field->getType()->isArrayType())
      return m->isArrow() ? is_own(m->getBase()) || points_to_own(m->getBase()->getType()) : true;
    return in_text(*field->getParent());
  }
  if (const auto* name = dyn_cast<DeclRefExpr>(e)) {
    const auto* v = dyn_cast<VarDecl>(name->getDecl());
    if (v == nullptr) return false;
    if (v->getType()->isArrayType() || v->isFileVarDecl()) return true;
    return v->isLocalVarDecl() && v->hasInit() && v->getType()->isPointerType() && is_own(v->getInit());
  }
  if (const auto* at = dyn_cast<ArraySubscriptExpr>(e)) return is_own(at->getBase());
  if (const auto* u = dyn_cast<UnaryOperator>(e)) {
    if (u->getOpcode() != UO_AddrOf) return is_own(u->getSubExpr());
    const auto* name = dyn_cast<DeclRefExpr>(plain(u->getSubExpr()));
    return name != nullptr || is_own(u->getSubExpr());
  }
  if (const auto* c = dyn_cast<ConditionalOperator>(e)) return is_own(c->getTrueExpr()) && is_own(c->getFalseExpr());
  if (const auto b = binary(e); b && (b->op == BO_Add || b->op == BO_Sub))
    return is_own(b->left->getType()->isIntegerType() ? b->right : b->left);
  return isa<CXXNullPtrLiteralExpr>(e) || isa<StringLiteral>(e);
}

// Structures of the primitives through which input and output are reached.
bool leads_to_buffers(QualType t) {
  if (t->isReferenceType()) t = t->getPointeeType();
  const CXXRecordDecl* r = t->getAsCXXRecordDecl();
  if (r == nullptr || !r->hasDefinition()) return false;
  for (const CXXBaseSpecifier& base : r->bases())
    if (leads_to_buffers(base.getType())) return true;
  if (!is_primitive(*r)) return false;
  for (const FieldDecl* field : r->fields())
    if (field->getType()->isPointerType() || field->getType()->isReferenceType() || leads_to_buffers(field->getType()))
      return true;
  return false;
}

class Touches : public RecursiveASTVisitor<Touches> {
 public:
  Touches(const ASTContext& context, Report& report) : context_(context), report_(report) {}

  bool VisitArraySubscriptExpr(ArraySubscriptExpr* e) { return follow(e->getBase(), e->getExprLoc()); }
  bool VisitUnaryOperator(UnaryOperator* e) {
    return e->getOpcode() != UO_Deref || follow(e->getSubExpr(), e->getExprLoc());
  }
  bool VisitMemberExpr(MemberExpr* e) {
    return !e->isArrow() || isa<CXXThisExpr>(e->getBase()->IgnoreParenImpCasts()) ||
           follow(e->getBase(), e->getExprLoc());
  }
  bool VisitCallExpr(CallExpr* e) {
    const FunctionDecl* f = e->getDirectCallee();
    if (f == nullptr) return found(e->getExprLoc(), "a call of something that has no name");
    const bool primitive = is_primitive(*f);
    if (isa<CXXConversionDecl>(f) || isa<CXXOperatorCallExpr>(e) || in_text(*f)) return true;
    if (primitive && contract_of(*f)) return true;
    for (const Expr* a : e->arguments()) {
      const bool reaches = a->getType()->isPointerType() ? !is_own(a) : primitive && leads_to_buffers(a->getType());
      if (reaches)
        return found(e->getExprLoc(), "`" + f->getNameAsString() + "` gets input or output, and " +
                                          (primitive ? "states no contract" : "is no primitive"));
    }
    return true;
  }

 private:
  bool follow(const Expr* pointer, SourceLocation at) {
    if (pointer->getType()->isPointerType() && !is_own(pointer))
      return found(at,
                   "`" + spelled(pointer, context_) + "` is followed without a primitive, and is no scratch memory");
    return true;
  }
  bool found(SourceLocation at, std::string text) {
    report_.add(line_of(at, context_), kRule, std::move(text));
    return true;
  }
  const ASTContext& context_;
  Report& report_;
};

// ---- Under which test ----------------------------------------------------------------------------------------------

class Tests {
 public:
  Tests(ASTContext& context, Report& report) : context_(context), margins_(context), report_(report) {}

  void run(const FunctionDecl& f) {
    const auto graph = graph_of(f, context_);
    if (!graph) return found(f.getLocation(), "no control-flow graph could be made");
    const auto step = [&](Facts& facts, const Stmt* s) { margins_.step(facts, s); };
    const auto edge = [&](Facts& facts, const Expr* atom, bool truth) { margins_.decided(facts, atom, truth); };
    const auto at = flow(*graph, Facts{}, step, edge, [](Facts&, const Stmt*) {});
    for (const CFGBlock* block : *graph) {
      if (!at[block->getBlockID()]) continue;
      Facts facts = *at[block->getBlockID()];
      for (const CFGElement& element : *block)
        if (const auto s = element.getAs<CFGStmt>()) {
          look(facts, s->getStmt());
          margins_.step(facts, s->getStmt());
        }
    }
  }

 private:
  void look(const Facts& facts, const Stmt* s) {
    if (const auto* b = dyn_cast<BinaryOperator>(s)) return assignment(facts, *b);
    const auto* call = dyn_cast<CallExpr>(s);
    const FunctionDecl* f = call == nullptr ? nullptr : call->getDirectCallee();
    if (f == nullptr || !is_primitive(*f)) return;
    const auto contract = contract_of(*f);
    if (!contract) return;
    switch (contract->asks) {
      case Asks::Nothing:
        return;
      case Asks::Bits:
        if (!margins_.holds(facts, variable(call->getArg(0)), call->getArg(static_cast<unsigned>(contract->amount)),
                            Unit::Bits))
          found(call->getExprLoc(), "`" + f->getNameAsString() + "` without a test that the stream holds so many bits");
        return;
      case Asks::Span:
        return span(*call);
      case Asks::Margin:
        if (contract->in >= 0 && !was_read(*call->getArg(0))) position(facts, *call, *contract, contract->in, bytes_of(contract->in_bytes, *f), false);
        if (contract->out >= 0 && !stores_nothing(*call->getArg(static_cast<unsigned>(contract->out)))) {
          const std::int64_t element = contract->elements ? template_number(*f, 0) : 1;
          position(facts, *call, *contract, contract->out, bytes_of(contract->out_bytes, *f) * element, true);
        }
    }
  }

  // A loop that only counts is at a prim::Place; lanes that guess where a token begins make a prim::Record of it, with
  // what else they keep of it, a prim::ValueRecord or its ValueAmends, or nothing, and a prim::CodeString of one that they ask what a
  // byte stands for, or prim::TokenStrings; and pieces of a part go to a slot, which tests for itself.
  static bool stores_nothing(const Expr& out) {
    const CXXRecordDecl* type = out.getType()->getAsCXXRecordDecl();
    const auto is = [](const CXXRecordDecl& r) {
      return r.getName() == "Place" || r.getName() == "Record" || r.getName() == "ValueRecord" || r.getName() == "ValueAmends" ||
             r.getName() == "CodeString" || r.getName() == "TokenStrings" || r.getName() == "NoOutput" || r.getName() == "PartOutput" ||
             r.getName() == "OneElement";
    };
    return type != nullptr && (is(*type) || std::ranges::any_of(type->bases(), [&](const CXXBaseSpecifier& base) {
                                 return is(*base.getType()->getAsCXXRecordDecl());
                               }));
  }

  // Packed fields are read before a step is told of them: a prim::OneField, and a prim::OneElement that takes what it makes.
  static bool was_read(const Expr& src) {
    const CXXRecordDecl* type = src.getType()->getAsCXXRecordDecl();
    return type != nullptr && type->getName() == "OneField";
  }

  void position(const Facts& facts, const CallExpr& call, const Contract& contract, int argument, std::int64_t bytes,
                bool output) {
    const std::string name = call.getDirectCallee()->getNameAsString();
    const Expr* e = call.getArg(static_cast<unsigned>(argument));
    const VarDecl* v = margins_.position(e);
    const auto place = v == nullptr ? facts.places.end() : facts.places.find(v);
    const std::string what = output ? "output" : "input";
    if (place == facts.places.end())
      return found(call.getExprLoc(), "`" + name + "` touches " + what + " at `" + spelled(e, context_) +
                                          "`, which was not tested on every path");
    std::int64_t bits = 8 * bytes;
    if (contract.length >= 0) {
      const std::int64_t element = contract.elements ? template_number(*call.getDirectCallee(), 0) : 1;
      bits += element * 8 * length(facts, call.getArg(static_cast<unsigned>(contract.length)), v);
    }
    if (place->second.used + bits > place->second.margin)
      found(call.getExprLoc(), "`" + name + "` touches " + what +
                                   " behind its margin: " + std::to_string(place->second.used) + " bits used and " +
                                   std::to_string(bits) + " touched of " + std::to_string(place->second.margin));
  }

  // Bytes or elements of a length, as far as the text says it.
  std::int64_t length(const Facts& facts, const Expr* e, const VarDecl* v) const {
    const std::int64_t most = margins_.value(facts, e, v);
    return most == kAnything ? 0 : most;
  }

  // (s.in + mark, s.pos - mark): from a mark to where the stream stands. The dictionary is given as a whole.
  void span(const CallExpr& call) {
    const Expr* from = call.getArg(0);
    const Expr* length = call.getArg(1);
    if (member(from) == "dictionary" && member(length) == "dictionary_size") return;
    const auto sum = binary(from);
    const llvm::StringRef buffer = sum && sum->op == BO_Add ? member(sum->left) : llvm::StringRef();
    if (buffer == "in" && behind(length, sum->right, "pos")) return;
    if (buffer == "out" && behind(length, sum->right, "produced")) return;
    found(call.getExprLoc(), "`" + call.getDirectCallee()->getNameAsString() +
                                 "` of something else than what lies between a mark and the position");
  }

  // position - mark, in the mark's units; none where the position is before the mark.
  bool behind(const Expr* length, const Expr* mark, llvm::StringRef position) const {
    if (const auto* choice = dyn_cast<ConditionalOperator>(plain(length))) {
      const auto more = binary(choice->getCond());
      return constant(choice->getFalseExpr(), context_) == 0 && more && more->op == BO_GT &&
             spelled(more->right, context_) == spelled(mark, context_) && behind(choice->getTrueExpr(), mark, position);
    }
    const auto l = binary(length), m = binary(mark);
    if (l && m && l->op == BO_Mul && m->op == BO_Mul && spelled(l->right, context_) == spelled(m->right, context_))
      return behind(l->left, m->left, position);
    if (!l || l->op != BO_Sub || spelled(l->right, context_) != spelled(mark, context_)) return false;
    const auto whole = binary(l->left);
    return member(whole && whole->op == BO_Shr ? whole->left : l->left) == position;
  }

  // s.pos += n, s.end = s.pos + n: as many steps as there are.
  void assignment(const Facts& facts, const BinaryOperator& b) {
    const llvm::StringRef m = member(b.getLHS());
    const Expr* by = nullptr;
    if (m == "pos" && b.getOpcode() == BO_AddAssign) by = b.getRHS();
    const auto sum = binary(b.getRHS());
    if (m == "end" && b.getOpcode() == BO_Assign && sum && sum->op == BO_Add && member(sum->left) == "pos")
      by = sum->right;
    if (by == nullptr) return;
    const VarDecl* stream = variable(cast<MemberExpr>(plain(b.getLHS()))->getBase());
    bool there = margins_.holds(facts, stream, by, Unit::Steps) || margins_.holds(facts, stream, by, Unit::Bits);
    if (const auto* call = dyn_cast<CallExpr>(plain(by));
        call != nullptr && call->getDirectCallee()->getNameAsString() == "steps")
      there = margins_.holds(facts, stream, call->getArg(0), Unit::Bytes);
    if (!there)
      found(b.getExprLoc(), "the stream moves by `" + spelled(by, context_) + "`, which was not tested to be there");
  }

  void found(SourceLocation at, std::string text) { report_.add(line_of(at, context_), kRule, std::move(text)); }

  ASTContext& context_;
  Margins margins_;
  Report& report_;
};

}  // namespace

void check_memory(ASTContext& context, Report& report) {
  for (const FunctionDecl* f : own_functions(context)) {
    Touches(context, report).TraverseStmt(f->getBody());
    Tests(context, report).run(*f);
  }
}

}  // namespace sluice::emitted
