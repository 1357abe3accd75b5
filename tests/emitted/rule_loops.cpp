// Every loop consumes, produces or counts: it ends, whatever the input.
//
//   for (u64 i = 0; i < bound; ++i) {...}          counts, if nothing in it takes i back or moves bound
//   while (n != 0) {... n -= done; }               counts, if done is 1 or more on every path
//   for (;;) {... take(s, 8); ...}                 consumes, on every path back to its start
//   for (;;) {... r = rule1<Write>(s); ...}        as well, if rule1 does on every path to where it succeeds
//   for (;;) {... s.end = s.pos + 10; ...          consumes: this region is used up in each round
//             if (s.pos != s.end) return ...; }
//   for (;;) {... if (s.pos == at &&               tested while it runs; or against what a round began with,
//                     s.produced == made) return ...; }    bit == token_bit && out == token_out
//
// Input and output end, so what consumes or produces is one that ends. How much is consumed must stand in the text: a
// constant, a sum with one, a table without zeros, or what a test before says (progress.h). A `goto` goes forwards.
#include <map>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMap.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "tests/emitted/contracts.h"
#include "tests/emitted/flow.h"
#include "tests/emitted/progress.h"
#include "tests/emitted/rules.h"

namespace sluice::emitted {

using namespace clang;

namespace {

constexpr const char* kRule = "loops";

bool is_loop(const Stmt* s) { return isa<ForStmt, WhileStmt, DoStmt>(s); }

const Stmt* body_of(const Stmt* loop) {
  if (const auto* f = dyn_cast<ForStmt>(loop)) return f->getBody();
  if (const auto* w = dyn_cast<WhileStmt>(loop)) return w->getBody();
  return cast<DoStmt>(loop)->getBody();
}

const Expr* condition_of(const Stmt* loop) {
  if (const auto* f = dyn_cast<ForStmt>(loop)) return f->getCond();
  if (const auto* w = dyn_cast<WhileStmt>(loop)) return w->getCond();
  return cast<DoStmt>(loop)->getCond();
}

// What a primitive that succeeds has consumed or produced: one step at least, or as many as an argument says.
struct Advance {
  std::string_view name;
  int amount = -1;  // -1: one at least
};
constexpr Advance kAdvances[]{{"take", 1},
                              {"take_le", 1},
                              {"take_be", 1},
                              {"take_varint"},
                              {"take_symbol"},
                              {"emit"},
                              {"emit_symbol"},
                              {"literal_bytes", 1},
                              {"run", 2},
                              {"copy", 2},
                              {"take_entry"},
                              {"drop", 3},
                              // Of the chunks that a launch has, it takes one.
                              {"next_chunk"}};

// Variables that a statement compares with one that stays as it is: a limit, a number of steps.
class Bounded : public RecursiveASTVisitor<Bounded> {
 public:
  std::set<const VarDecl*> all;
  bool VisitBinaryOperator(BinaryOperator* b) { return look(b); }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* c) { return look(c); }

 private:
  bool look(const Expr* e) {
    const auto b = binary(e);
    if (!b || !BinaryOperator::isComparisonOp(b->op)) return true;
    const VarDecl* bound = variable(b->right);
    const VarDecl* v = variable(b->left);
    if (v != nullptr && bound != nullptr && bound->getType().isConstQualified()) all.insert(v);
    return true;
  }
};

// Every place where a function writes a variable or hands it on to be written.
struct Write {
  const VarDecl* target = nullptr;
  const Stmt* at = nullptr;
  enum Kind { Set, Up, Down, Other } kind = Other;
  const Expr* value = nullptr;           // Set, and what is added or taken
  const FunctionDecl* callee = nullptr;  // handed on to
  unsigned parameter = 0;
};

class Writes : public RecursiveASTVisitor<Writes> {
 public:
  std::vector<Write> all;
  bool VisitVarDecl(VarDecl* v) {
    if (v->hasInit() && v->isLocalVarDecl()) all.push_back({v, nullptr, Write::Set, v->getInit()});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* b) {
    const VarDecl* v = b->isAssignmentOp() ? variable(b->getLHS()) : nullptr;
    if (v != nullptr)
      all.push_back({v, b,
                     b->getOpcode() == BO_Assign      ? Write::Set
                     : b->getOpcode() == BO_AddAssign ? Write::Up
                     : b->getOpcode() == BO_SubAssign ? Write::Down
                                                      : Write::Other,
                     b->getRHS()});
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* u) {
    const VarDecl* v = u->isIncrementDecrementOp() || u->getOpcode() == UO_AddrOf ? variable(u->getSubExpr()) : nullptr;
    if (v != nullptr)
      all.push_back({v, u, u->isIncrementOp() ? Write::Up : u->isDecrementOp() ? Write::Down : Write::Other});
    return true;
  }
  bool VisitCallExpr(CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    if (const auto* o = dyn_cast<CXXOperatorCallExpr>(c)) return assigned(*o);
    if (f == nullptr) return true;
    for (unsigned i = 0; i < c->getNumArgs() && i < f->getNumParams(); ++i) {
      const QualType t = f->getParamDecl(i)->getType();
      const VarDecl* v =
          t->isReferenceType() && !t->getPointeeType().isConstQualified() ? variable(c->getArg(i)) : nullptr;
      if (v != nullptr) all.push_back({v, c, Write::Other, nullptr, f, i});
    }
    return true;
  }

 private:
  // A position that is an object: its operators do what those of a pointer do.
  bool assigned(const CXXOperatorCallExpr& o) {
    const VarDecl* v = o.isAssignmentOp() ? variable(o.getArg(0)) : nullptr;
    if (v != nullptr)
      all.push_back({v, &o,
                     o.getOperator() == OO_Equal       ? Write::Set
                     : o.getOperator() == OO_PlusEqual ? Write::Up
                                                       : Write::Other,
                     o.getArg(1)});
    return true;
  }
};

class Loops {
 public:
  Loops(ASTContext& context, Report& report) : context_(context), numbers_(context), report_(report) {}

  void run(const FunctionDecl& f) {
    Body body(f, context_);
    for (const Stmt* loop : body.loops) {
      if (const auto never = condition_of(loop) ? constant(condition_of(loop), context_) : std::nullopt; never == 0)
        continue;
      if (!counts(body, loop)) body.open.insert(loop);
    }
    for (const auto& [jump, label] : body.jumps)
      if (context_.getSourceManager().isBeforeInTranslationUnit(label, jump))
        report_.add(line_of(jump, context_), kRule, "a jump backwards");
    if (!body.open.empty()) flow_over(body, &report_);
  }

 private:
  struct Body : RecursiveASTVisitor<Body> {
    Body(const FunctionDecl& f, ASTContext& context) : function(f), graph(graph_of(f, context)), parents(f.getBody()) {
      TraverseStmt(f.getBody());
      writes.TraverseStmt(f.getBody());
    }
    bool VisitStmt(Stmt* s) {
      if (is_loop(s)) loops.push_back(s);
      if (const auto* head = dyn_cast<ForStmt>(s); head != nullptr && head->getInc() != nullptr)
        if (const auto* step = dyn_cast<UnaryOperator>(head->getInc()); step && step->isIncrementDecrementOp())
          if (const VarDecl* v = variable(step->getSubExpr())) counters.emplace(v, step->isDecrementOp());
      if (const auto* jump = dyn_cast<GotoStmt>(s))
        jumps.emplace_back(jump->getGotoLoc(), jump->getLabel()->getStmt()->getIdentLoc());
      return true;
    }
    // Loops around a statement, the function itself as well.
    std::set<const Stmt*> around(const Stmt* s) const {
      std::set<const Stmt*> found{function.getBody()};
      for (; s != nullptr; s = parents.getParent(const_cast<Stmt*>(s)))
        if (is_loop(s)) found.insert(s);
      return found;
    }
    // The graph makes statements of its own for declarations of several variables: what they start with stands in the
    // text.
    static const Stmt* written(const Stmt* s) {
      const auto* d = dyn_cast_or_null<DeclStmt>(s);
      const auto* v = d != nullptr && d->isSingleDecl() ? dyn_cast<VarDecl>(d->getSingleDecl()) : nullptr;
      return v != nullptr && v->hasInit() ? v->getInit() : s;
    }
    bool inside(const Stmt* s, const Stmt* loop) const {
      for (s = written(s); s != nullptr; s = parents.getParent(const_cast<Stmt*>(s)))
        if (s == loop) return true;
      return false;
    }
    const std::set<const VarDecl*>& bounded(const Stmt* loop) const {
      const auto [known, first] = bounded_.try_emplace(loop);
      if (first) {
        Bounded look;
        look.TraverseStmt(const_cast<Stmt*>(loop));
        known->second = std::move(look.all);
      }
      return known->second;
    }
    mutable std::map<const Stmt*, std::set<const VarDecl*>> bounded_;
    mutable std::map<std::pair<const Stmt*, const VarDecl*>, bool> nears;
    const FunctionDecl& function;
    std::unique_ptr<CFG> graph;
    ParentMap parents;
    Writes writes;
    Numbers::Counters counters;
    std::vector<const Stmt*> loops;
    std::vector<std::pair<SourceLocation, SourceLocation>> jumps;
    std::set<const Stmt*> open;  // loops that must make progress on every path
  };

  // Does a function only ever raise what is handed to it? `x` and what it is copied to and back are raised or copied.
  bool raises(const FunctionDecl* f, unsigned parameter) {
    const FunctionDecl* definition = nullptr;
    if (!f->hasBody(definition)) return false;
    Writes writes;
    writes.TraverseStmt(definition->getBody());
    std::set<const VarDecl*> same{definition->getParamDecl(parameter)};
    for (bool grown = true; grown;) {
      grown = false;
      for (const Write& w : writes.all) {
        const VarDecl* from = w.kind == Write::Set ? variable(w.value) : nullptr;
        if (from != nullptr && same.contains(w.target)) grown |= same.insert(from).second;
      }
    }
    for (const Write& w : writes.all) {
      if (!same.contains(w.target) || w.kind == Write::Up) continue;
      const VarDecl* from = w.kind == Write::Set ? variable(w.value) : nullptr;
      if (from == nullptr || !same.contains(from)) return false;
    }
    return true;
  }

  // A variable that the condition compares with a bound, and that every round brings nearer to it.
  bool counts(const Body& body, const Stmt* loop) {
    const Expr* condition = condition_of(loop);
    if (condition == nullptr) return false;
    condition = plain(condition);
    if (const auto* both = dyn_cast<BinaryOperator>(condition); both != nullptr && both->getOpcode() == BO_LAnd)
      return counts(body, loop, both->getLHS()) || counts(body, loop, both->getRHS());
    return counts(body, loop, condition);
  }

  bool counts(const Body& body, const Stmt* loop, const Expr* condition) {
    const auto b = binary(condition);
    if (!b) return false;
    const Expr* counted = b->left;
    if (const auto* down = dyn_cast<UnaryOperator>(plain(counted)); down != nullptr && down->getOpcode() == UO_PreDec)
      counted = down->getSubExpr();
    const VarDecl* i = variable(counted);
    if (const auto sum = binary(counted); i == nullptr && sum && sum->op == BO_Add) i = variable(sum->right);
    if (i == nullptr) return false;
    const bool up = b->op == BO_LT, down = (b->op == BO_GT || b->op == BO_NE) && constant(b->right, context_) == 0;
    if (!up && !down) return false;
    // Where the round's own step stands: in the head, which every round passes.
    const auto* head = dyn_cast<ForStmt>(loop);
    bool steps = false;
    for (const Write& w : body.writes.all) {
      if (w.at == nullptr || !body.inside(w.at, loop)) continue;
      const bool bound = names_in(b->right).variables.contains(w.target) ||
                         (w.target != i && names_in(counted).variables.contains(w.target));
      if (bound) return false;
      if (w.target != i) continue;
      const bool raised = w.kind == Write::Up || (w.callee != nullptr && raises(w.callee, w.parameter));
      if (up ? !raised : w.kind != Write::Down) return false;
      const bool by = w.value == nullptr ? w.callee == nullptr : constant(w.value, context_).value_or(0) > 0;
      const bool in_head = (head != nullptr && head->getInc() != nullptr && body.inside(w.at, head->getInc())) ||
                           body.inside(w.at, condition_of(loop));
      steps |= by && in_head;
    }
    return steps;
  }

  // Does the loop compare the variable with something that stays, and move it one way only?
  bool nears(const Body& body, const Stmt* loop, const VarDecl* v) {
    const auto [known, first] = body.nears.try_emplace({loop, v}, false);
    if (first)
      known->second =
          (body.bounded(loop).contains(v) || asks(body, loop, condition_of(loop), v)) && one_way(body, loop, v);
    return known->second;
  }

  bool asks(const Body& body, const Stmt* loop, const Expr* condition, const VarDecl* v) {
    if (condition == nullptr) return false;
    const auto b = binary(condition);
    if (b && b->op == BO_LAnd) return asks(body, loop, b->left, v) || asks(body, loop, b->right, v);
    if (!b || !BinaryOperator::isComparisonOp(b->op) || !names_in(b->left).variables.contains(v)) return false;
    const Names bound = names_in(b->right);
    for (const Write& w : body.writes.all)
      if (w.at != nullptr && bound.variables.contains(w.target) && body.inside(w.at, loop)) return false;
    return true;
  }

  bool one_way(const Body& body, const Stmt* loop, const VarDecl* v) {
    const auto ways = ways_of(body, loop, v);
    return ways && ways->up != ways->down;
  }

  // The ways that the loop moves a variable; nothing when it may move it anyhow.
  struct Ways {
    bool up = false, down = false;
  };
  std::optional<Ways> ways_of(const Body& body, const Stmt* loop, const VarDecl* v) {
    Ways ways;
    for (const Write& w : body.writes.all) {
      if (w.target != v || w.at == nullptr || !body.inside(w.at, loop)) continue;
      if (w.kind == Write::Down)
        ways.down = true;
      else if (w.kind == Write::Up || raised(w, v))
        ways.up = true;
      else
        return std::nullopt;
    }
    return ways;
  }

  // Set to more than it was, as far as it is written there: to the next boundary, to a place behind where it stood; or
  // by a function that only raises it, a primitive that moves a position for one.
  bool raised(const Write& w, const VarDecl* v) {
    if (w.callee != nullptr) {
      const auto contract = is_primitive(*w.callee) ? contract_of(*w.callee) : std::nullopt;
      if (is_primitive(*w.callee)) return contract && contract->in == static_cast<int>(w.parameter);
      return raises(w.callee, w.parameter);
    }
    const auto b = w.kind == Write::Set ? binary(w.value) : std::nullopt;
    if (!b) return false;
    if (b->op == BO_And) return names_in(w.value).variables == std::set{v};
    const VarDecl* from = b->op == BO_Add ? variable(b->left) : nullptr;
    const Expr* start = from != nullptr && from->getType().isConstQualified() ? from->getInit() : nullptr;
    return from == v || (start != nullptr && variable(start) == v);
  }

  // ---- Progress on every path ----

  // Of a statement: what it says of numbers, and the loops around it that it brings on.
  void step(const Body& body, Progress& state, const Stmt* s) {
    const auto left = [&](const Stmt* loop) { return loop != body.function.getBody() && !body.inside(s, loop); };
    for (Known* known : all_known(state)) std::erase_if(known->done, left), std::erase_if(known->region, left);
    if (const auto* declaration = dyn_cast<DeclStmt>(s)) {
      for (const Decl* d : declaration->decls())
        if (const auto* v = dyn_cast<VarDecl>(d); v != nullptr && v->hasInit())
          numbers_.assign(state, v, v->getInit(), body.counters);
      return;
    }
    if (const auto* u = dyn_cast<UnaryOperator>(s); u != nullptr && u->isIncrementDecrementOp()) {
      const VarDecl* v = variable(u->getSubExpr());
      if (v == nullptr) return;
      numbers_.stepped(state, v, body.counters);
      return advanced(body, state, s, v, nullptr);
    }
    if (const auto* c = dyn_cast<CallExpr>(s)) {
      call(body, state, *c);
      const auto* add = dyn_cast<CXXOperatorCallExpr>(c);
      if (add != nullptr && add->getOperator() == OO_PlusEqual)
        if (const VarDecl* v = variable(add->getArg(0))) advanced(body, state, s, v, add->getArg(1));
      return;
    }
    const auto* b = dyn_cast<BinaryOperator>(s);
    if (b == nullptr || !b->isAssignmentOp()) return;
    if (member(b->getLHS()) == "pos" && b->getOpcode() == BO_AddAssign) mark(body, state, s, b->getRHS());
    if (member(b->getLHS()) == "end") region(body, state, s, b->getRHS());
    const VarDecl* v = variable(b->getLHS());
    if (v == nullptr) return;
    if (b->getOpcode() == BO_Assign) return numbers_.assign(state, v, b->getRHS(), body.counters);
    // n -= literal_fields(s, n): what it returns it has consumed. A round in which that is some has made progress; what
    // is left to look at is one in which it is none.
    const auto* together = b->getOpcode() == BO_SubAssign ? dyn_cast<CallExpr>(plain(b->getRHS())) : nullptr;
    const FunctionDecl* taker = together == nullptr ? nullptr : together->getDirectCallee();
    if (taker != nullptr && is_primitive(*taker) && taker->getName().starts_with("literal_")) return;
    if (b->getOpcode() == BO_AddAssign || b->getOpcode() == BO_SubAssign) advanced(body, state, s, v, b->getRHS());
    numbers_.changed(state, v);
  }

  static std::vector<Known*> all_known(Progress& state) {
    std::vector<Known*> all{&state.known};
    for (auto& [flag, known] : state.when) all.push_back(&known);
    return all;
  }

  // `v` went on by `by` (null: one): progress of loops that compare it with a bound.
  void advanced(const Body& body, Progress& state, const Stmt* s, const VarDecl* v, const Expr* by) {
    const auto around = body.around(s);
    for (Known* known : all_known(state)) {
      if (by != nullptr && numbers_.least(*known, by) == 0) continue;
      for (const Stmt* loop : around) {
        if (is_loop(loop) && nears(body, loop, v)) known->done.insert(loop);
      }
    }
  }

  // Input or output went on by `amount` (null: at least one).
  void mark(const Body& body, Progress& state, const Stmt* s, const Expr* amount) {
    const auto around = body.around(s);
    for (Known* known : all_known(state))
      if (amount == nullptr || numbers_.least(*known, amount) > 0) known->done.insert(around.begin(), around.end());
  }

  // s.end = s.pos + n: when the position has come to this end, n was consumed.
  void region(const Body& body, Progress& state, const Stmt* s, const Expr* end) {
    const auto sum = binary(end);
    const bool opens = sum && sum->op == BO_Add && member(sum->left) == "pos";
    for (Known* known : all_known(state)) {
      known->region.clear();
      if (opens && numbers_.least(*known, sum->right) > 0) known->region = body.around(s);
    }
  }

  void call(const Body& body, Progress& state, const CallExpr& c) {
    const FunctionDecl* f = c.getDirectCallee();
    if (f == nullptr) return;
    if (is_primitive(*f) && f->getDeclName().isIdentifier()) {
      for (const Advance& a : kAdvances)
        if (f->getNameAsString() == a.name)
          mark(body, state, &c, a.amount < 0 ? nullptr : c.getArg(static_cast<unsigned>(a.amount)));
    } else if (progresses(f)) {
      mark(body, state, &c, nullptr);
    }
    if (isa<CXXOperatorCallExpr>(c)) return;
    for (unsigned i = 0; i < c.getNumArgs() && i < f->getNumParams(); ++i) {
      const QualType t = f->getParamDecl(i)->getType();
      const VarDecl* v =
          t->isReferenceType() && !t->getPointeeType().isConstQualified() ? variable(c.getArg(i)) : nullptr;
      if (v == nullptr) continue;
      numbers_.changed(state, v);
      // The length of a number that was found; where none is, nobody goes on.
      if (is_primitive(*f) && f->getNameAsString() == "varint" && i + 1 == c.getNumArgs())
        for (Known* known : all_known(state)) known->least[v] = 1;
    }
  }

  // `s.pos == at` is false, and `at` was its value before: it has moved.
  void decided(const Body& body, Progress& state, const Expr* atom, bool truth) {
    numbers_.decided(state, atom, truth, body.counters);
    const auto b = binary(atom);
    if (!b || (b->op != BO_EQ && b->op != BO_NE)) return;
    if ((b->op == BO_EQ) == truth) {
      if (member(b->left) == "pos" && member(b->right) == "end")
        state.known.done.insert(state.known.region.begin(), state.known.region.end());
      return;
    }
    for (const Stmt* loop : body.around(atom))
      if (is_loop(loop) && kept_at_start(body, loop, variable(b->left), variable(b->right), atom))
        state.known.done.insert(loop);
    const llvm::StringRef m = member(b->left);
    const VarDecl* before = variable(b->right);
    if ((m == "pos" || m == "produced") && before != nullptr && before->hasInit() &&
        before->getType().isConstQualified() && member(before->getInit()) == m)
      for (const Stmt* loop : body.around(atom)) {
        const SourceManager& sources = context_.getSourceManager();
        if (is_loop(loop) &&
            sources.isPointWithin(before->getLocation(), body_of(loop)->getBeginLoc(), body_of(loop)->getEndLoc()))
          state.known.done.insert(loop);
      }
  }

  // `token_bit = bit;` in every round before the atom: is `kept` what `v`, which goes one way, was when the round
  // began?
  bool kept_at_start(const Body& body, const Stmt* loop, const VarDecl* v, const VarDecl* kept, const Expr* atom) {
    const auto* round = dyn_cast<CompoundStmt>(body_of(loop));
    if (v == nullptr || kept == nullptr || round == nullptr) return false;
    const auto ways = ways_of(body, loop, v);
    if (!ways || (ways->up && ways->down)) return false;
    bool always = false;
    for (const Write& w : body.writes.all) {
      if (w.target != kept || w.at == nullptr || !body.inside(w.at, loop)) continue;
      if (w.kind != Write::Set || variable(w.value) != v) return false;
      const bool before =
          context_.getSourceManager().isBeforeInTranslationUnit(w.at->getBeginLoc(), atom->getBeginLoc());
      always |= before && body.parents.getParent(const_cast<Stmt*>(w.at)) == round;
    }
    return always;
  }

  // Has a function made progress on every path to where it says that all is well?
  bool progresses(const FunctionDecl* f) {
    const FunctionDecl* definition = nullptr;
    if (!f->hasBody(definition) || definition->getReturnType()->isVoidType() || is_primitive(*f)) return false;
    const auto [known, first] = progresses_.try_emplace(definition, false);
    if (!first) return known->second;
    const Body body(*definition, context_);
    return progresses_[definition] = flow_over(body, nullptr);
  }

  // Reports loops that come round without progress; or says whether the function succeeds with progress alone.
  bool flow_over(const Body& body, Report* report) {
    const auto take = [&](Progress& state, const Stmt* s) { step(body, state, s); };
    const auto edge = [&](Progress& state, const Expr* atom, bool truth) { decided(body, state, atom, truth); };
    // The next round has made no progress yet, nor have the loops in it.
    const auto back = [&](Progress& state, const Stmt* loop) {
      const auto again = [&](const Stmt* x) { return body.inside(x, loop); };
      for (Known* known : all_known(state)) std::erase_if(known->done, again), std::erase_if(known->region, again);
    };
    const auto at = flow(*body.graph, Progress{}, take, edge, back);
    bool always = true;
    for (const CFGBlock* block : *body.graph) {
      if (!at[block->getBlockID()]) continue;
      Progress state = *at[block->getBlockID()];
      for (const CFGElement& element : *block)
        if (const auto s = element.getAs<CFGStmt>()) {
          const auto* end = dyn_cast<ReturnStmt>(s->getStmt());
          if (end != nullptr && end->getRetValue() != nullptr && constant(end->getRetValue(), context_) == 0)
            always = always && state.known.done.contains(body.function.getBody());
          take(state, s->getStmt());
        }
      const Stmt* loop = block->getLoopTarget();
      if (report != nullptr && loop != nullptr && body.open.contains(loop) && !state.known.done.contains(loop))
        report->add(line_of(loop->getBeginLoc(), context_), kRule,
                    "a round of this loop may neither consume, produce nor count");
    }
    return always;
  }

  ASTContext& context_;
  Numbers numbers_;
  Report& report_;
  std::map<const FunctionDecl*, bool> progresses_;
};

}  // namespace

void check_loops(ASTContext& context, Report& report) {
  Loops loops(context, report);
  for (const FunctionDecl* f : own_functions(context)) loops.run(*f);
}

}  // namespace sluice::emitted
