#include "compiler/plan/checked.h"

#include <map>
#include <set>
#include <utility>

#include "compiler/ir/count_mode.h"
#include "compiler/ir/elements.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/streams.h"
#include "compiler/plan/symbol_reads.h"

namespace sluice::plan {
namespace {

using ir::ReadSpec;
using ir::Stmt;
using K = Stmt::Kind;

// Does the block's last statement leave the rule?
bool leaves(const ir::Block& block) {
  if (block.empty()) return false;
  const K last = block.back()->kind;
  return last == K::Return || last == K::Reject || last == K::Accept;
}

class Forms {
 public:
  Forms(const ir::Module& module, const Plan& plan) : ground_{module, plan.target}, plan_(plan) {
    for (const Loop& l : plan.loops)
      if (l.form != LoopForm::Checked) tokens_.emplace(&statement_at(module.rules[l.rule], l.path), l.number);
    for (std::uint32_t i = 0; i < plan.tables.size(); ++i) tables_[plan.tables[i].code].push_back(i);
    for (const Loop& l : plan.loops)
      for (const Streams& streams : l.streams) started(l, streams);
  }

  // A rule, or the body of a region of it.
  CheckedRule of(std::uint32_t rule, const ir::Block& body, std::vector<std::uint32_t> region) {
    made_ = {rule, region, leaves(body), plan_.target == Target::Warp && calls_[rule] == 1, {}};
    path_ = std::move(region);
    if (!path_.empty()) path_.push_back(0);
    block(body);
    return std::move(made_);
  }

 private:
  void started(const Loop& loop, const Streams& streams) {
    if (streams.count == 0) return;
    started_.insert(loop.number);
    StreamCall call{loop.number, streams.count, 0, loop.row->table};
    for (const Stmt* s : calls_of(ground_.module, streams)) {
      streams_.emplace(s, call);
      ++call.index;
    }
  }

  void block(const ir::Block& b) {
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      path_.push_back(i);
      statement(*b[i]);
      path_.push_back(0);
      if (!is_view(*b[i])) block(b[i]->body);
      path_.back() = 1;
      block(b[i]->orelse);
      path_.pop_back();
      path_.pop_back();
    }
  }

  // Its text is that of its body, too.
  bool is_view(const Stmt& s) const { return s.kind == K::Into && !s.further && ground_.views[s.ref]; }

  template <typename What>
  void add(What what) {
    made_.steps.push_back({path_, std::move(what)});
  }

  void statement(const Stmt& s) {
    switch (s.kind) {
      case K::Read:
        if (s.read.order != ReadSpec::Order::Stream && !ground_.bytes() && s.sites[2] != ir::kNoSite) add(AlignedRead{});
        return;
      case K::Literals:
        return literals(s);
      case K::Check:
        if (count_.skipped.contains(&s)) add(OutputCheck{plan_.checksums == Checksums::Off});
        return;
      case K::Loop:
        return loop(s);
      case K::Into:
        if (is_view(s)) add(ViewOfInput{});
        return;
      case K::BuildCode:
        return build(s);
      case K::Call:
        if (const auto stream = streams_.find(&s); stream != streams_.end()) add(stream->second);
        return;
      default:
        return;
    }
  }

  void literals(const Stmt& s) {
    const ReadSpec& read = s.read;
    if (read.kind == ReadSpec::Kind::Fixed && read.type == ir::Type{8, false} && elements_.of(s).bits == 8)
      return add(CheckedLiterals{Together::Bytes});
    if (plan_.target != Target::Warp) return;
    if (read.kind == ReadSpec::Kind::Varint) add(CheckedLiterals{Together::Varints});
    if (read.kind == ReadSpec::Kind::Fixed || read.kind == ReadSpec::Kind::Computed)
      add(CheckedLiterals{Together::Fields});
  }

  void loop(const Stmt& s) {
    CheckedLoop made;
    if (const auto tokens = tokens_.find(&s); tokens != tokens_.end()) made.tokens = tokens->second;
    made.started = made.tokens && started_.contains(*made.tokens);
    made.watched = s.loop != ir::LoopKind::Times && s.sites[0] != ir::kNoSite;
    if (made.tokens || made.watched) return add(made);
    if (plan_.target != Target::Warp) return;
    if (const auto symbols = symbol_reads(ground_.module, s)) add(*symbols);
  }

  void build(const Stmt& s) {
    if (const auto tables = tables_.find(s.ref); tables != tables_.end()) add(BuiltTables{tables->second});
  }

  const Ground ground_;
  const ir::Elements elements_ = ir::Elements(ground_.module);
  const Plan& plan_;
  const std::vector<unsigned> calls_ = calls_of_rules(ground_.module);
  const ir::CountPlan count_ = ir::count_plan(ground_.module);
  std::map<const Stmt*, std::uint32_t> tokens_;                   // the loop that comes first
  std::map<std::uint32_t, std::vector<std::uint32_t>> tables_;    // by code
  std::map<const Stmt*, StreamCall> streams_;                     // calls
  std::set<std::uint32_t> started_;                               // loops, by number
  CheckedRule made_;
  std::vector<std::uint32_t> path_;
};

void count_calls(const ir::Block& block, std::vector<unsigned>& calls) {
  for (const auto& s : block) {
    if (s->kind == K::Call) ++calls[s->ref];
    count_calls(s->body, calls);
    count_calls(s->orelse, calls);
  }
}

}  // namespace

std::vector<unsigned> calls_of_rules(const ir::Module& module) {
  std::vector<unsigned> calls(module.rules.size());
  calls[0] = 1;  // the kernel's
  for (const ir::Rule& rule : module.rules) count_calls(rule.body, calls);
  return calls;
}

std::vector<CheckedRule> checked_rules(const ir::Module& module, const Plan& plan) {
  Forms forms(module, plan);
  std::vector<CheckedRule> all;
  for (std::uint32_t r = 0; r < module.rules.size(); ++r) all.push_back(forms.of(r, module.rules[r].body, {}));
  return all;
}

std::vector<CheckedRule> checked_parts(const ir::Module& module, const Plan& lane, const Plan& warp) {
  Forms forms(module, lane);
  std::vector<CheckedRule> all;
  for (const std::uint32_t r : lane.rules) all.push_back(forms.of(r, module.rules[r].body, {}));
  for (const Loop& loop : warp.loops)
    if (loop.part)
      all.push_back(forms.of(loop.rule, statement_at(module.rules[loop.rule], loop.part->core).body, loop.part->core));
  return all;
}

}  // namespace sluice::plan
