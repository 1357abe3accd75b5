// What may not happen while a buffer is filled.
//
//   into 0
//     call 1          rule 1: `into 1 ...`   <- "rule r: into: fills a buffer while another is filled"
//     stage add 0 5                          <- "rule main: stage: uses `b` while it is filled"
#include <fmt/format.h>

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/names.h"
#include "compiler/ir/verify.h"

namespace sluice::ir {
namespace {

// The buffer, or the further output, that outputs go to.
struct Target {
  std::uint32_t ref = 0;
  bool further = false;
  friend auto operator<=>(const Target&, const Target&) = default;
};
using Filled = std::optional<Target>;

bool counts_output(const Expr& e) { return e.op == Op::ProducedSince || (e.op == Op::Checksum && e.stream == Stream::Output); }

// Of each mark: is all of it, set and counted from, in one rule, on one side of its `into`s, and set before it is counted from?
// Then it counts what goes where the rule's output goes.
class OwnMarks {
 public:
  explicit OwnMarks(const Module& m) : own_(m.marks.size(), true), sides_(m.marks.size()) {
    for (const Rule& rule : m.rules) block(rule.body, &rule, std::vector<bool>(m.marks.size()));
  }
  bool operator[](std::uint32_t mark) const { return own_[mark]; }

 private:
  void at(std::uint32_t mark, const void* side, bool set) {
    if (sides_[mark] == nullptr) sides_[mark] = side;
    own_[mark] = own_[mark] && set && sides_[mark] == side;
  }
  void expr(const ExprPtr& e, const void* side, const std::vector<bool>& set) {
    if (!e) return;
    if (counts_output(*e)) at(e->ref, side, set[e->ref]);
    for (const ExprPtr& kid : e->kids) expr(kid, side, set);
  }
  void block(const Block& statements, const void* side, std::vector<bool> set) {
    for (const auto& s : statements) {
      for (const ExprPtr* e : {&s->a, &s->b, &s->c, &s->d, &s->read.width, &s->read.index}) expr(*e, side, set);
      for (const ExprPtr& arg : s->args) expr(arg, side, set);
      if (s->kind == Stmt::Kind::Into) block(s->body, s.get(), std::vector<bool>(set.size()));
      else block(s->body, side, set);
      block(s->orelse, side, set);
      if (s->kind != Stmt::Kind::Mark) continue;
      at(s->ref, side, true);
      set[s->ref] = true;
    }
  }

  std::vector<bool> own_;
  std::vector<const void*> sides_;  // the rule, or the `into`
};

class Walk {
 public:
  explicit Walk(const Module& m) : m_(m), own_(m) {}

  std::vector<std::string> run() {
    for (std::uint32_t rule = 0; rule < m_.rules.size(); ++rule) enter(rule, std::nullopt);
    for (const auto& [mark, where] : output_since_) {
      if (set_inside_.contains(mark)) {
        problems_.push_back(where + ": counts output since a mark that is set while a buffer is filled");
      }
    }
    return std::move(problems_);
  }

 private:
  void enter(std::uint32_t rule, Filled filled) {
    if (entered_.emplace(rule, filled).second) block(m_.rules[rule].body, rule, filled);
  }

  std::string place(const Stmt& s, std::uint32_t rule) const {
    return fmt::format("rule {}: {}", m_.rules[rule].name, name(s.kind));
  }
  void problem(const Stmt& s, std::uint32_t rule, std::string_view text) {
    problems_.push_back(fmt::format("{}: {}", place(s, rule), text));
  }

  std::string in_use(const Target& filled) const {
    return "uses `" + (filled.further ? m_.outputs[filled.ref].name : m_.buffers[filled.ref].name) + "` while it is filled";
  }

  void expr(const ExprPtr& e, const Stmt& s, std::uint32_t rule, Filled filled) {
    if (!e) return;
    const bool foreign = counts_output(*e) && !own_[e->ref];
    if (foreign && !filled) output_since_.emplace(e->ref, place(s, rule));
    if (foreign && filled)
      problem(s, rule, e->op == Op::Checksum ? "takes a checksum of the output while a buffer is filled"
                                             : "counts output since a mark while a buffer is filled");
    if ((e->op == Op::BufferCount || e->op == Op::BufferElem) && filled == Target{e->ref, false}) problem(s, rule, in_use(*filled));
    if (e->op == Op::OutputCount && filled == Target{e->ref, true}) problem(s, rule, in_use(*filled));
    for (const ExprPtr& kid : e->kids) expr(kid, s, rule, filled);
  }

  void block(const Block& statements, std::uint32_t rule, Filled filled) {
    for (const auto& s : statements) statement(*s, rule, filled);
  }

  void statement(const Stmt& s, std::uint32_t rule, Filled filled) {
    for (const ExprPtr* e : {&s.a, &s.b, &s.c, &s.d, &s.read.width, &s.read.index}) expr(*e, s, rule, filled);
    for (const ExprPtr& arg : s.args) expr(arg, s, rule, filled);
    if (filled) {
      const bool gathers = s.kind == Stmt::Kind::Stage && s.stage == StageKind::Gather && filled == Target{s.array, false};
      const bool uses = s.kind == Stmt::Kind::Stage || s.kind == Stmt::Kind::EmitBuffer;
      if ((uses && filled == Target{s.ref, false}) || gathers) problem(s, rule, in_use(*filled));
      if (s.kind == Stmt::Kind::Into) problem(s, rule, s.further || filled->further ? "fills an output or a buffer while another is filled" : "fills a buffer while another is filled");
      if (s.kind == Stmt::Kind::Mark) set_inside_.insert(s.ref);
    }
    if (s.kind == Stmt::Kind::Call) enter(s.ref, filled);
    block(s.body, rule, s.kind == Stmt::Kind::Into ? Filled(Target{s.ref, s.further}) : filled);
    block(s.orelse, rule, filled);
  }

  const Module& m_;
  const OwnMarks own_;
  std::set<std::pair<std::uint32_t, Filled>> entered_;
  std::set<std::uint32_t> set_inside_;                 // marks
  std::map<std::uint32_t, std::string> output_since_;  // by mark: the first place outside that counts output since it
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify_buffers(const Module& module) { return Walk(module).run(); }

}  // namespace sluice::ir
