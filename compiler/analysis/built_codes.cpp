#include "compiler/analysis/built_codes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

// Bit k: copy k of a code, of which a declaration has at most 64 (sema: kMaxCodeCopies). Bits past the last copy mean
// nothing.
using Copies = std::uint64_t;
constexpr std::uint32_t kMaxCopies = 64;

Copies first_copies(ir::i128 n) {
  if (n >= kMaxCopies) return ~Copies{0};
  return n <= 0 ? 0 : (Copies{1} << static_cast<unsigned>(n)) - 1;
}

// What was built on the paths to a place. Nothing is ever taken away again: a `build` replaces a code or ends the chunk.
struct Paths {
  bool reached = false;
  std::vector<Copies> surely, perhaps;  // by code: built on all paths, on some path
  std::vector<bool> entries;            // by symbol table: is an entry read on some path?
  // Code and slot: the copy that the slot's value names is surely built.
  std::set<std::pair<std::uint32_t, std::uint32_t>> chosen;

  explicit Paths(const ir::Module& m)
      : surely(m.codes.size()), perhaps(m.codes.size()), entries(m.symbols.size()) {}

  void forget(std::uint32_t slot) {
    std::erase_if(chosen, [&](const auto& fact) { return fact.second == slot; });
  }
};

// Where the paths of both come together.
void join(Paths& into, const Paths& more) {
  if (!more.reached) return;
  if (!into.reached) {
    into = more;
    return;
  }
  for (std::size_t c = 0; c < into.surely.size(); ++c) {
    into.surely[c] &= more.surely[c];
    into.perhaps[c] |= more.perhaps[c];
  }
  for (std::size_t s = 0; s < into.entries.size(); ++s) into.entries[s] = into.entries[s] || more.entries[s];
  std::erase_if(into.chosen, [&](const auto& fact) { return !more.chosen.contains(fact); });
}

class Analysis {
 public:
  explicit Analysis(const ir::Module& m)
      : module_(m), entries_(m.rules.size(), Paths(m)), exits_(m.rules.size(), Paths(m)), returns_(m) {
    result_.codes.resize(m.codes.size());
  }

  BuiltCodes run() {
    if (module_.codes.empty() && module_.symbols.empty()) return std::move(result_);
    callees_first(0);
    // What a rule adds, callees first: it starts with nothing, and what it ends with is what it built.
    for (const std::uint32_t rule : order_) {
      Paths none(module_);
      none.reached = true;
      exits_[rule] = walk(rule, std::move(none));
    }
    // What is built when a rule starts, callers first: what all of its calls have in common.
    looks_ = true;
    first_empty_.assign(module_.codes.size() + module_.symbols.size(), nullptr);
    builds_.resize(module_.codes.size() + module_.symbols.size());
    proof_.resize(module_.codes.size());
    doubts_.resize(module_.codes.size());
    entries_[0].reached = true;
    for (auto rule = order_.rbegin(); rule != order_.rend(); ++rule)
      if (entries_[*rule].reached) walk(*rule, entries_[*rule]);
    conclude();
    return std::move(result_);
  }

 private:
  void callees_first(std::uint32_t rule) {
    if (!seen_.insert(rule).second) return;
    for_each_stmt(module_.rules[rule].body, [&](const Stmt& s) {
      if (s.kind == K::Call) callees_first(s.ref);
    });
    order_.push_back(rule);
  }

  Paths walk(std::uint32_t rule, Paths in) {
    returns_ = Paths(module_);
    Paths end = block(module_.rules[rule].body, std::move(in));
    join(end, returns_);
    return end;
  }

  Paths block(const ir::Block& statements, Paths at) {
    for (const auto& s : statements) {
      if (!at.reached) return at;
      at = statement(*s, std::move(at));
    }
    return at;
  }

  Paths statement(const Stmt& s, Paths at) {
    switch (s.kind) {
      case K::Read:
      case K::Literals:
        if (s.read.kind == ir::ReadSpec::Kind::Code) read(s, at);
        break;
      case K::BuildCode:
        build(s, at);
        break;
      case K::ReadSymbol:
        at.entries[s.ref] = true;
        if (looks_) builds_[module_.codes.size() + s.ref].push_back(&s);
        break;
      case K::EmitSymbol:
        if (looks_ && !at.entries[s.ref]) note_empty(module_.codes.size() + s.ref, s);
        break;
      case K::If:
        return branch(s, std::move(at));
      case K::Loop:
        return loop(s, std::move(at));
      case K::Call:
        call(s, at);
        break;
      case K::Within:
      case K::Producing:
      case K::Into:
        return block(s.body, std::move(at));
      case K::Stop:
        join(stops_.back(), at);
        at.reached = false;
        break;
      case K::Return:
        join(returns_, at);
        at.reached = false;
        break;
      case K::Reject:
      case K::Accept:
        at.reached = false;
        break;
      default:
        break;
    }
    if (s.slot != Stmt::kNoSlot) at.forget(s.slot);
    return at;
  }

  // The copies that an index may name: its range, of those that there are.
  Copies named(std::uint32_t code, const ir::Expr* index) const {
    const Copies all = first_copies(module_.codes[code].copies);
    if (index == nullptr) return all;
    const Copies some = first_copies(index->range.hi + 1) & ~first_copies(index->range.lo) & all;
    return some != 0 ? some : all;  // an index that is never right is never used either
  }
  static bool sets(const ir::Block& body, std::uint32_t slot) {
    bool found = false;
    for_each_stmt(body, [&](const Stmt& s) { found |= s.slot == slot; });
    return found;
  }
  static bool is_slot(const ir::Expr* e) { return e != nullptr && e->op == ir::Op::Local; }

  void build(const Stmt& s, Paths& at) {
    const Copies copies = named(s.ref, s.d.get());
    if ((copies & (copies - 1)) == 0) at.surely[s.ref] |= copies;  // it can only be this one
    at.perhaps[s.ref] |= copies;
    if (is_slot(s.d.get())) at.chosen.insert({s.ref, s.d->ref});
    if (looks_) builds_[s.ref].push_back(&s);
  }

  void read(const Stmt& s, const Paths& at) {
    if (!looks_) return;
    const std::uint32_t code = s.read.ref;
    const Copies copies = named(code, s.read.index.get());
    const bool chosen = is_slot(s.read.index.get()) && at.chosen.contains({code, s.read.index->ref});
    result_.codes[code].read = true;
    if ((at.perhaps[code] & copies) == 0) note_empty(code, s);
    if ((copies & ~at.surely[code]) == 0 || chosen)
      proof_[code].push_back({"and then read by " + spell(s), s.span});
    else
      doubts_[code].push_back({module_.codes[code].copies > 1
                                   ? "the copy that " + spell(s) + " reads may be one that was not built"
                                   : "a path to " + spell(s) + " may go through no `build` of it",
                               s.span});
  }

  void note_empty(std::size_t which, const Stmt& s) {
    if (first_empty_[which] == nullptr) first_empty_[which] = &s;
  }

  Paths branch(const Stmt& s, Paths at) {
    const ir::Range test = s.a->range;
    if (test.lo > 0 || test.hi < 0) return block(s.body, std::move(at));
    if (test.lo == 0 && test.hi == 0) return block(s.orelse, std::move(at));
    Paths yes = block(s.body, at);
    join(yes, block(s.orelse, std::move(at)));
    return yes;
  }

  // Before a step lies what was built before the loop and perhaps what steps before it built. So the body needs to be
  // followed only once.
  Paths loop(const Stmt& s, Paths at) {
    const bool counted = s.loop == ir::LoopKind::Times || s.loop == ir::LoopKind::UntilOutputs;
    if (counted && s.a->range.hi <= 0) return at;
    if (s.slot != Stmt::kNoSlot) at.forget(s.slot);
    Paths head = std::move(at);
    for_each_stmt(s.body, [&](const Stmt& inner) {
      if (inner.slot != Stmt::kNoSlot) head.forget(inner.slot);
      if (inner.kind == K::BuildCode) head.perhaps[inner.ref] |= named(inner.ref, inner.d.get());
      if (inner.kind == K::ReadSymbol) head.entries[inner.ref] = true;
      if (inner.kind == K::Call) add_perhaps(head, exits_[inner.ref]);
    });
    stops_.emplace_back(module_);
    Paths end = block(s.body, head);
    Paths out = std::move(stops_.back());
    stops_.pop_back();

    if (counted && s.a->range.lo >= 1) {  // at least one step, to its end
      // Each step built the copy of its number: so all copies below the number of steps are built.
      if (s.loop == ir::LoopKind::Times && s.slot != Stmt::kNoSlot && !sets(s.body, s.slot))
        for (const auto& [code, slot] : end.chosen)
          if (slot == s.slot) end.surely[code] |= first_copies(s.a->range.lo);
      if (s.slot != Stmt::kNoSlot) end.forget(s.slot);
      join(out, end);
    } else if (s.loop != ir::LoopKind::Forever) {
      join(out, head);
    }
    return out;
  }

  void add_perhaps(Paths& at, const Paths& more) const {
    if (!more.reached) return;
    for (std::size_t c = 0; c < at.perhaps.size(); ++c) at.perhaps[c] |= more.perhaps[c];
    for (std::size_t e = 0; e < at.entries.size(); ++e) at.entries[e] = at.entries[e] || more.entries[e];
  }

  // A callee knows of its caller's slots what its parameters are, and the other way round.
  void call(const Stmt& s, Paths& at) {
    if (looks_) {
      Paths entry = at;
      entry.chosen.clear();
      for (std::size_t p = 0; p < s.args.size(); ++p)
        for (const auto& [code, slot] : at.chosen)
          if (is_slot(s.args[p].get()) && s.args[p]->ref == slot)
            entry.chosen.insert({code, static_cast<std::uint32_t>(p)});
      join(entries_[s.ref], entry);
    }
    const Paths& adds = exits_[s.ref];
    at.reached = adds.reached;
    if (!adds.reached) return;
    for (std::size_t c = 0; c < at.surely.size(); ++c) at.surely[c] |= adds.surely[c];
    add_perhaps(at, adds);
    for (const auto& [code, slot] : adds.chosen) {
      if (slot >= s.args.size() || sets(module_.rules[s.ref].body, slot)) continue;  // no more what the caller gave
      const ir::Expr& argument = *s.args[slot];
      if (is_slot(&argument)) at.chosen.insert({code, argument.ref});
      if (argument.range.lo == argument.range.hi) at.surely[code] |= named(code, &argument);
    }
  }

  void conclude() {
    for (std::size_t c = 0; c < module_.codes.size(); ++c) {
      BuiltCode& code = result_.codes[c];
      code.always_built = doubts_[c].empty();
      if (!code.read) continue;
      if (!code.always_built) {
        append(code.why, doubts_[c]);
        continue;
      }
      std::ranges::stable_sort(builds_[c], {}, [](const Stmt* s) { return std::pair(s->span.file, s->span.offset); });
      for (const Stmt* s : builds_[c]) append(code.why, {{code.why.empty() ? "built here" : "or here", s->span}});
      append(code.why, proof_[c]);
    }
    for (std::size_t which = 0; which < first_empty_.size(); ++which) {
      const Stmt* read = first_empty_[which];
      if (read == nullptr) continue;
      const auto fills = std::ranges::find_if(builds_[which], [&](const Stmt* s) {
        return s->kind == K::ReadSymbol || (named(s->ref, s->d.get()) & named(s->ref, read->read.index.get())) != 0;
      });
      result_.empty_reads.push_back({read, fills == builds_[which].end() ? nullptr : *fills});
    }
  }

  const ir::Module& module_;
  BuiltCodes result_;
  std::vector<std::uint32_t> order_;  // reachable rules, callees first
  std::set<std::uint32_t> seen_;
  std::vector<Paths> entries_, exits_;  // by rule: on all its calls; when it started with nothing
  bool looks_ = false;                  // the second time: what is read where
  std::vector<Paths> stops_;            // of the loops around
  Paths returns_;                       // of the running rule
  // By code, and behind those by symbol table.
  std::vector<std::vector<const Stmt*>> builds_;
  std::vector<const Stmt*> first_empty_;
  std::vector<ReasonChain> proof_, doubts_;  // by code
};

}  // namespace

BuiltCodes built_codes(const ir::Module& module) { return Analysis(module).run(); }

bool check_built(const ir::Module& module, const BuiltCodes& built, DiagSink& sink) {
  for (const EmptyRead& read : built.empty_reads) {
    const bool symbols = read.stmt->kind == K::EmitSymbol;
    if (symbols) {
      const std::string& name = module.symbols[read.stmt->ref].name;
      auto diagnostic = sink.error(Code::ReadBeforeBuild, read.stmt->span,
                                   "`" + name + "` is empty here: on no path is an entry read before");
      if (read.elsewhere != nullptr)
        diagnostic.note(read.elsewhere->span, "an entry is read here, on no path to the `symbol`");
      diagnostic.help("read entries first: `" + name + "[i] := next n bytes`");
      continue;
    }
    const ir::Code& code = module.codes[read.stmt->read.ref];
    auto diagnostic = sink.error(Code::ReadBeforeBuild, read.stmt->span,
                                 (code.copies > 1 ? "this copy of `" : "`") + code.name +
                                     "` has no codes here: on no path is it built before");
    if (read.elsewhere != nullptr) diagnostic.note(read.elsewhere->span, "it is built here, on no path to the read");
    diagnostic.help("build it first: `build " + code.name + (code.copies > 1 ? "[i]" : "") + " from LENGTHS`");
  }
  return built.empty_reads.empty();
}

}  // namespace sluice::analysis
