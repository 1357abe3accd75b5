#include "compiler/plan/streams.h"

#include <algorithm>
#include <optional>

#include "compiler/plan/lower.h"
#include "compiler/plan/walk.h"

namespace sluice::plan {
namespace {

using ir::Op;
using ir::Stmt;
using K = Stmt::Kind;
using Path = std::vector<std::uint32_t>;

struct Against {
  const char* reason = "";
  Span span;
};

bool is_parameter(const ir::Rule& rule, const ir::Expr& e) { return e.op == Op::Local && e.ref < rule.params; }

// What keeps the rule from being one region of stated size and output, and the loop in it.
std::optional<Against> against_rule(const ir::Rule& rule, const Stmt& loop) {
  const ir::Block* block = &rule.body;
  bool sized = false, counted = false;
  for (;;) {
    const auto into = std::ranges::find(*block, K::Into, [](const auto& s) { return s->kind; });
    if (into != block->end()) return Against{"each begins the same buffer anew", (*into)->span};
    if (block->size() != 1) return Against{"a stream is more than its symbols", block->empty() ? rule.span : block->back()->span};
    const Stmt& s = *block->front();
    if (&s == &loop) break;
    if (s.kind == K::Within && !sized) {
      if (s.b || s.dictionary) return Against{"its region may be that of another", s.span};
      if (s.flag || !is_parameter(rule, *s.a)) return Against{"its size is no parameter of whole bytes", s.span};
      sized = true;
    } else if (s.kind == K::Producing && !counted) {
      if (!is_parameter(rule, *s.a)) return Against{"how much it makes is no parameter", s.span};
      counted = true;
    } else {
      return Against{"a stream is more than its symbols", s.span};
    }
    block = &s.body;
  }
  if (!sized) return Against{"where it ends is not known before it is read", loop.span};
  if (!counted) return Against{"how much it makes is not known before it is read", loop.span};
  if (rule.result) return Against{"a stream has a result", rule.span};
  return std::nullopt;
}

// What keeps its token from being a symbol that is output, out of a table that no look-up leaves.
std::optional<Against> against_token(const ir::Module& module, const Plan& plan, const Loop& loop, const Stmt& s) {
  if (!loop.set_globals.empty() || holds<SetGlobal, SetElement>(loop.body)) return Against{"a token changes what others may read", s.span};
  if (holds<Copy, Slice>(loop.body)) return Against{"a token reads what others may make", s.span};
  const auto* symbol = loop.body.empty() ? nullptr : std::get_if<Symbol>(&loop.body.front().what);
  const bool bytes = symbol != nullptr && loop.element_bits(module) == 8 && (symbol->pairs || plan.target == Target::Warp);
  const bool alone = bytes && loop.body.size() == 1 && symbol->in_row && symbol->arms.size() == 1 &&
                     symbol->arms.front().take == Take::Output && loop.kind == ir::LoopKind::UntilEnd && !loop.progress;
  if (!alone) return Against{"a token is more than a byte by a code", s.span};
  const Table& table = plan.tables[symbol->table];
  const ir::Code& code = module.codes[table.code];
  if (code.max_bits > symbol->first || symbol->long_code != LongCode::None || symbol->first > kStreamBits)
    return Against{"its longest codes are longer than its table's index", s.span};
  const bool leaves = std::ranges::any_of(table.info, [](std::uint32_t e) { return (e & kKindSpecial) != 0; });
  if (leaves || code.incomplete != model::Incomplete::Refuse) return Against{"some bits may be no code", s.span};
  return std::nullopt;
}

// Is the value the same before the first stream is read as it will be when the call is reached, but for what sizes and counts say?
// Other buffers than the one that they fill stay as they are.
std::optional<Against> against_value(const ir::Expr& e, std::uint32_t buffer) {
  std::optional<Against> found;
  for_each_node(e, [&](const ir::Expr& x) {
    const bool known = x.op == Op::Const || x.op == Op::Local || x.op == Op::Global || x.op == Op::Arg || x.op == Op::Elem ||
                       x.op == Op::TableElem || (x.op >= Op::Add && x.op <= Op::Fits) || x.op == Op::Remaining || x.op == Op::Produced;
    const bool of_buffer = x.op == Op::BufferElem || x.op == Op::BufferCount;
    if (known || found || (of_buffer && x.ref != buffer)) return;
    const bool made = of_buffer || x.op == Op::Checksum;
    found.emplace();
    found->reason = made ? "a size or count is read from what a stream before it makes" : "a size or count asks for more than what is left";
    found->span = x.span.length != 0 ? x.span : e.span;
  });
  return found;
}

std::optional<Against> against_values(const Stmt& s, std::uint32_t buffer) {
  std::optional<Against> found;
  analysis::for_each_expr(s, [&](const ir::Expr& e) {
    if (!found) found = against_value(e, buffer);
  });
  return found;
}

class Search {
 public:
  Search(const ir::Module& module, const Plan& plan, const Loop& loop)
      : module_(module), loop_(loop), stmt_(statement_at(module.rules[loop.rule], loop.path)) {
    against_ = against_rule(module.rules[loop.rule], stmt_);
    if (auto token = against_token(module, plan, loop, stmt_)) against_ = std::move(token);
  }

  std::vector<Streams> run() {
    for (std::uint32_t r = 0; r < module_.rules.size(); ++r) {
      Path path;
      block(r, module_.rules[r].body, path, std::nullopt);
    }
    return std::move(found_);
  }

 private:
  // `buffer`: that the output goes to; none: it is the output itself, or a caller's.
  void block(std::uint32_t rule, const ir::Block& b, Path& path, std::optional<std::uint32_t> buffer) {
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      path.push_back(i);
      std::uint32_t behind = i;
      if (b[i]->kind == K::Call && b[i]->ref == loop_.rule) behind = row(rule, b, path, buffer);
      path.push_back(0);
      block(rule, b[i]->body, path, b[i]->kind != K::Into ? buffer : b[i]->further ? std::nullopt : std::optional(b[i]->ref));
      path.back() = 1;
      block(rule, b[i]->orelse, path, buffer);
      path.resize(path.size() - 2);
      if (behind != i) i = behind - 1;
    }
  }

  // The call that the path leads to, and those behind it with nothing but checks between: up to where they go.
  std::uint32_t row(std::uint32_t rule, const ir::Block& b, const Path& path, std::optional<std::uint32_t> buffer) {
    std::optional<Against> against = against_;
    if (!buffer && !against) against = Against{"they write to the output itself, where nothing may stand behind what is refused", b[path.back()]->span};
    std::uint32_t count = 0, behind = path.back();
    std::optional<Against> between;
    for (std::uint32_t at = behind; at < b.size() && count < kMostStreams; ++at) {
      const bool call = b[at]->kind == K::Call && b[at]->ref == loop_.rule;
      if (!call && b[at]->kind != K::Check) break;
      if (!between) between = against_values(*b[at], buffer.value_or(Stmt::kNoSlot));
      if (!call) continue;
      ++count;
      behind = at + 1;
      if (between && !against) against = between;
    }
    if (count < 2) return path.back();
    Streams made;
    made.rule = rule;
    made.first = path;
    if (against) {
      made.against = against->reason;
      made.span = against->span;
    } else {
      made.count = count;
      made.look_ups = kStreamBits / loop_.row->first;
      made.span = b[path.back()]->span;
    }
    found_.push_back(std::move(made));
    return behind;
  }

  const ir::Module& module_;
  const Loop& loop_;
  const Stmt& stmt_;
  std::optional<Against> against_;  // whoever calls it
  std::vector<Streams> found_;
};

}  // namespace

std::vector<Streams> streams_of(const ir::Module& module, const Plan& plan, const Loop& loop) {
  if (plan.target == Target::Lane || !loop.backward || !holds<Symbol>(loop.body)) return {};
  return Search(module, plan, loop).run();
}

void set_streams(const ir::Module& module, Plan& plan) {
  for (Loop& loop : plan.loops) loop.streams = streams_of(module, plan, loop);
}

std::vector<const Stmt*> calls_of(const ir::Module& module, const Streams& streams) {
  const ir::Rule& rule = module.rules[streams.rule];
  std::vector<const Stmt*> calls;
  for (Path path = streams.first; calls.size() < streams.count; ++path.back()) {
    const Stmt* s = find_statement(rule, path);
    if (s == nullptr) break;
    if (s->kind == K::Call && (calls.empty() || s->ref == calls.front()->ref)) calls.push_back(s);
  }
  return calls;
}

StreamParameters stream_parameters(const ir::Rule& rule) {
  StreamParameters made;
  for (const ir::Block* block = &rule.body; block->front()->kind != K::Loop; block = &block->front()->body)
    (block->front()->kind == K::Within ? made.size : made.count) = block->front()->a->ref;
  return made;
}

}  // namespace sluice::plan
