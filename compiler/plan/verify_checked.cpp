// The checked path's half of verify.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/analysis/input_views.h"
#include "compiler/ir/elements.h"
#include "compiler/plan/checked.h"
#include "compiler/plan/lower.h"
#include "compiler/plan/streams.h"
#include "compiler/plan/symbol_reads.h"
#include "compiler/plan/verify.h"

namespace sluice::plan {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

class RuleVerifier {
 public:
  RuleVerifier(const ir::Module& module, const Plan& plan, const std::vector<bool>& views, const ir::Elements& elements, const CheckedRule& rule,
               std::set<std::uint32_t>& entered, std::vector<std::string>& broken)
      : module_(module), plan_(plan), views_(views), elements_(elements), rule_(rule), entered_(entered), broken_(broken) {}

  void run() {
    if (rule_.rule >= module_.rules.size()) return fail("no such rule");
    const ir::Rule& rule = module_.rules[rule_.rule];
    const Stmt* region = rule_.path.empty() ? nullptr : find_statement(rule, rule_.path);
    if (!rule_.path.empty() && (region == nullptr || (region->kind != K::Within && region->kind != K::Producing)))
      return fail("its path names no region");
    const ir::Block& body = region != nullptr ? region->body : rule.body;
    const bool leaves = !body.empty() && (body.back()->kind == K::Return || body.back()->kind == K::Reject ||
                                          body.back()->kind == K::Accept);
    check(rule_.leaves == leaves, "does control come out of its end?");
    for (const CheckedStep& s : rule_.steps) {
      const bool inside = std::ranges::mismatch(rule_.path, s.path).in1 == rule_.path.end();
      const Stmt* stmt = inside ? find_statement(rule, s.path) : nullptr;
      if (stmt == nullptr) {
        fail("a path that names no statement of it");
        continue;
      }
      check(forms_.emplace(stmt, &s).second, "a statement of two forms");
      std::visit([&](const auto& what) { step(what, *stmt); }, s.what);
    }
    block(body);
  }

 private:
  void fail(std::string_view what) { broken_.push_back(fmt::format("checked rule {}: {}", rule_.rule, what)); }
  void check(bool right, std::string_view what) {
    if (!right) fail(what);
  }

  // ---- What a form stands for

  void step(const AlignedRead&, const Stmt& s) {
    check(s.kind == K::Read && s.sites[2] != ir::kNoSite && module_.input != ir::Input::Bytes,
          "an aligned read of nothing that has to be");
  }
  void step(const CheckedLiterals& what, const Stmt& s) {
    if (s.kind != K::Literals) return fail("literals of another statement");
    using Kind = ir::ReadSpec::Kind;
    const Kind kind = s.read.kind;
    switch (what.form) {
      case Together::Bytes:
        return check(kind == Kind::Fixed && s.read.type == ir::Type{8, false} && elements_.of(s).bits == 8,
                     "literals that are no bytes");
      case Together::Fields:
        return check((kind == Kind::Fixed || kind == Kind::Computed) && plan_.target == Target::Warp,
                     "fields that no lanes take");
      case Together::Varints:
        return check(kind == Kind::Varint && plan_.target == Target::Warp, "varints that no lanes take");
    }
  }
  void step(const OutputCheck& what, const Stmt& s) {
    check(s.kind == K::Check, "a check of another statement");
    check(what.left_out == (plan_.checksums == Checksums::Off), "a check that is left out, or one that has no checksum");
  }
  void step(const CheckedLoop& what, const Stmt& s) {
    if (s.kind != K::Loop) return fail("a loop of another statement");
    check(!what.watched || (s.sites[0] != ir::kNoSite && s.loop != ir::LoopKind::Times),
          "a watched loop that has nothing to say");
    if (!what.tokens) return;
    const auto loop = std::ranges::find_if(plan_.loops, [&](const Loop& l) {
      return l.form != LoopForm::Checked && l.number == *what.tokens;
    });
    check(loop != plan_.loops.end() && loop->rule == rule_.rule && find_statement(module_.rules[loop->rule], loop->path) == &s,
          "tokens of another loop");
    entered_.insert(*what.tokens);
    const bool started = loop != plan_.loops.end() && std::ranges::any_of(loop->streams, [](const Streams& streams) { return streams.count != 0; });
    check(what.started == started, "a loop goes on from where nothing has begun it, or begins anew");
  }
  void step(const ViewOfInput&, const Stmt& s) {
    check(s.kind == K::Into && !s.further && views_[s.ref], "a view of a buffer that is none");
  }
  void step(const BuiltTables& what, const Stmt& s) {
    if (s.kind != K::BuildCode) return fail("tables of another statement");
    for (const std::uint32_t t : what.tables)
      check(t < plan_.tables.size() && plan_.tables[t].code == s.ref, "tables of another code");
  }

  void step(const ReadSymbols& what, const Stmt& s) {
    check(plan_.target == Target::Warp && symbol_reads(module_, s) == what, "symbols that are read otherwise");
  }

  void step(const StreamCall& what, const Stmt& s) {
    const bool right = std::ranges::any_of(plan_.loops, [&](const Loop& loop) {
      return loop.form != LoopForm::Checked && loop.number == what.loop && loop.row && loop.row->table == what.table &&
             std::ranges::any_of(loop.streams, [&](const Streams& streams) {
               if (streams.rule != rule_.rule || streams.count != what.count) return false;
               const std::vector<const Stmt*> calls = calls_of(module_, streams);
               return what.index < calls.size() && calls[what.index] == &s;
             });
    });
    check(right, "a stream of other calls");
  }

  // ---- What must have a form

  void block(const ir::Block& b) {
    for (const auto& s : b) {
      needs(*s);
      block(s->body);
      block(s->orelse);
    }
  }
  template <typename What>
  const What* form(const Stmt& s) const {
    const auto found = forms_.find(&s);
    return found == forms_.end() ? nullptr : std::get_if<What>(&found->second->what);
  }
  bool is_stream(const Stmt& s) const {
    return std::ranges::any_of(plan_.loops, [&](const Loop& loop) {
      return std::ranges::any_of(loop.streams, [&](const Streams& streams) {
        return streams.count != 0 && streams.rule == rule_.rule && std::ranges::count(calls_of(module_, streams), &s) != 0;
      });
    });
  }
  void needs(const Stmt& s) {
    if (s.kind == K::Loop && s.loop != ir::LoopKind::Times && s.sites[0] != ir::kNoSite) {
      const auto* loop = form<CheckedLoop>(s);
      check(loop != nullptr && loop->watched, "a loop that may stand still is not watched");
    }
    if (s.kind == K::Call) check(!is_stream(s) || form<StreamCall>(s) != nullptr, "a call whose stream is not begun");
    if (s.kind == K::Into && !s.further) check(!views_[s.ref] || form<ViewOfInput>(s) != nullptr, "a view has no memory");
    if (s.kind == K::BuildCode) {
      const auto of_code = std::ranges::count(plan_.tables, s.ref, &Table::code);
      const auto* built = form<BuiltTables>(s);
      check(of_code == (built == nullptr ? 0 : std::ssize(built->tables)), "a table is not built beside its code");
    }
    if (s.kind == K::Read && s.read.order != ir::ReadSpec::Order::Stream && module_.input != ir::Input::Bytes &&
        s.sites[2] != ir::kNoSite)
      check(form<AlignedRead>(s) != nullptr, "whole bytes are read at any bit");
  }

  const ir::Module& module_;
  const Plan& plan_;
  const std::vector<bool>& views_;
  const ir::Elements& elements_;
  const CheckedRule& rule_;
  std::set<std::uint32_t>& entered_;  // numbers of loops
  std::vector<std::string>& broken_;
  std::map<const Stmt*, const CheckedStep*> forms_;
};

}  // namespace

void verify_checked(const ir::Module& module, const Plan& plan, std::vector<std::string>& broken) {
  const std::vector<bool> views = analysis::input_views(module);
  const ir::Elements elements(module);
  std::set<std::uint32_t> entered;
  const std::vector<unsigned> calls = calls_of_rules(module);
  for (const CheckedRule& rule : plan.checked) {
    RuleVerifier(module, plan, views, elements, rule, entered, broken).run();
    if (!rule.once) continue;
    if (plan.target != Target::Warp) broken.push_back(fmt::format("checked rule {}: no kernel's, and stands where it is called", rule.rule));
    else if (rule.rule < calls.size() && calls[rule.rule] != 1)
      broken.push_back(fmt::format("checked rule {}: it is called at more than one place", rule.rule));
  }
  for (const Loop& loop : plan.loops)
    if (loop.form != LoopForm::Checked && !entered.contains(loop.number))
      broken.push_back(fmt::format("loop {} of rule {}: nothing on the checked path enters it", loop.number, loop.rule));
}

}  // namespace sluice::plan
