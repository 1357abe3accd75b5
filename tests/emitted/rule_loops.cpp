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
#include "clang/Basic/SourceManager.h"
#include "tests/emitted/contracts.h"
#include "tests/emitted/counting.h"
#include "tests/emitted/flow.h"
#include "tests/emitted/progress.h"
#include "tests/emitted/rules.h"

namespace sluice::emitted {

using namespace clang;

namespace {

constexpr const char* kRule = "loops";

// What a primitive that succeeds has consumed or produced: one step at least, or as many as an argument says.
struct Advance {
  std::string_view name;
  int amount = -1;  // -1: one at least
};
constexpr Advance kAdvances[]{{"take", 1},
                              {"read_word", 1},
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
                              {"drop_shown", 3},
                              // Of the chunks that a launch has, it takes one.
                              {"next_chunk"},
                              // Likewise, of the loops that a chunk's first warp comes to.
                              {"next_job"},
                              {"next_walk"}};

class Loops {
 public:
  Loops(ASTContext& context, Report& report) : context_(context), numbers_(context), counting_(context), report_(report) {}

  void run(const FunctionDecl& f) {
    FunctionBody body(f, context_);
    for (const Stmt* loop : body.loops) {
      if (const auto never = condition_of(loop) ? constant(condition_of(loop), context_) : std::nullopt; never == 0)
        continue;
      if (!counting_.counts(body, loop)) body.open.insert(loop);
    }
    for (const auto& [jump, label] : body.jumps)
      if (context_.getSourceManager().isBeforeInTranslationUnit(label, jump))
        report_.add(line_of(jump, context_), kRule, "a jump backwards");
    if (!body.open.empty()) flow_over(body, &report_);
  }

 private:
  // ---- Progress on every path ----

  // Of a statement: what it says of numbers, and the loops around it that it brings on.
  void step(const FunctionBody& body, Progress& state, const Stmt* s) {
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
  void advanced(const FunctionBody& body, Progress& state, const Stmt* s, const VarDecl* v, const Expr* by) {
    const auto around = body.around(s);
    for (Known* known : all_known(state)) {
      if (by != nullptr && numbers_.least(*known, by) == 0) continue;
      for (const Stmt* loop : around) {
        if (is_loop(loop) && counting_.nears(body, loop, v)) known->done.insert(loop);
      }
    }
  }

  // Input or output went on by `amount` (null: at least one).
  void mark(const FunctionBody& body, Progress& state, const Stmt* s, const Expr* amount) {
    const auto around = body.around(s);
    for (Known* known : all_known(state))
      if (amount == nullptr || numbers_.least(*known, amount) > 0) known->done.insert(around.begin(), around.end());
  }

  // s.end = s.pos + n: when the position has come to this end, n was consumed.
  void region(const FunctionBody& body, Progress& state, const Stmt* s, const Expr* end) {
    const auto sum = binary(end);
    const bool opens = sum && sum->op == BO_Add && member(sum->left) == "pos";
    for (Known* known : all_known(state)) {
      known->region.clear();
      if (opens && numbers_.least(*known, sum->right) > 0) known->region = body.around(s);
    }
  }

  void call(const FunctionBody& body, Progress& state, const CallExpr& c) {
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
  void decided(const FunctionBody& body, Progress& state, const Expr* atom, bool truth) {
    numbers_.decided(state, atom, truth, body.counters);
    const auto* taken = truth ? dyn_cast<CallExpr>(plain(atom)) : nullptr;  // a token by its first byte, if it says so
    const FunctionDecl* taker = taken == nullptr ? nullptr : taken->getDirectCallee();
    if (const auto contract = taker != nullptr && is_primitive(*taker) ? contract_of(*taker) : std::nullopt; contract && contract->taken)
      mark(body, state, atom, nullptr);
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
  bool kept_at_start(const FunctionBody& body, const Stmt* loop, const VarDecl* v, const VarDecl* kept, const Expr* atom) {
    const auto* round = dyn_cast<CompoundStmt>(body_of(loop));
    if (v == nullptr || kept == nullptr || round == nullptr) return false;
    const auto ways = counting_.ways_of(body, loop, v);
    if (!ways || (ways->up && ways->down)) return false;
    bool always = false;
    for (const Write& w : body.writes) {
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
    const FunctionBody body(*definition, context_);
    return progresses_[definition] = flow_over(body, nullptr);
  }

  // Reports loops that come round without progress; or says whether the function succeeds with progress alone.
  bool flow_over(const FunctionBody& body, Report* report) {
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
  Counting counting_;
  Report& report_;
  std::map<const FunctionDecl*, bool> progresses_;
};

}  // namespace

void check_loops(ASTContext& context, Report& report) {
  Loops loops(context, report);
  for (const FunctionDecl* f : own_functions(context)) loops.run(*f);
}

}  // namespace sluice::emitted
