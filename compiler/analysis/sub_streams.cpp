#include "compiler/analysis/sub_streams.h"

#include "compiler/analysis/amount.h"
#include "compiler/analysis/walk.h"

namespace sluice::analysis {
namespace {

using ir::Stmt;
using K = Stmt::Kind;

// What the body of a sub-stream uses that something outside of it may have left.
class Uses {
 public:
  Uses(const ir::Module& module, ReasonChain& why) : module_(module), why_(why), entered_(module.rules.size()), fresh_(module.buffers.size()) {}

  void block(const ir::Block& block, const Effects& body) {
    for (const auto& owned : block) {
      const Stmt& stmt = *owned;
      if (stmt.kind == K::NewWindow) new_window_ = true;
      if (stmt.kind == K::Copy && !new_window_)
        why_.push_back({"`copy` may reach into the output before; `new window` first would forbid it", stmt.span});
      reads(stmt.read, stmt, body);
      buffers(stmt, body);
      for_each_expr(stmt, [&](const ir::Expr& expr) {
        for_each_node(expr, [&](const ir::Expr& node) { leaf(node, stmt, body); });
      });
      if (stmt.kind == K::Call && !entered_[stmt.ref]) {
        entered_[stmt.ref] = true;
        Uses::block(module_.rules[stmt.ref].body, body);
      }
      // A new window inside a branch or a loop need not have been taken, and the same holds of filled buffers.
      const bool window = new_window_, into = into_;
      const std::vector<bool> fresh = fresh_;
      if (stmt.kind == K::Into) {
        if (stmt.further)
          why_.push_back({"`" + module_.outputs[stmt.ref].name + "` gets what it makes behind what earlier ones made", stmt.span});
        else fresh_[stmt.ref] = true;
        new_window_ = into_ = true;  // copies and counts inside see the buffer alone
      }
      Uses::block(stmt.body, body);
      if (stmt.kind == K::If || stmt.kind == K::Loop) fresh_ = fresh;
      if (stmt.kind == K::If || stmt.kind == K::Loop || stmt.kind == K::Into) new_window_ = window;
      into_ = into;
      Uses::block(stmt.orelse, body);
      if (stmt.kind == K::If) {
        new_window_ = window;
        fresh_ = fresh;
      }
    }
  }

 private:
  void reads(const ir::ReadSpec& read, const Stmt& stmt, const Effects& body) {
    if ((stmt.kind != K::Read && stmt.kind != K::Literals) || read.kind != ir::ReadSpec::Kind::Code) return;
    if (body.codes[read.ref] != nullptr)
      why_.push_back({"`" + module_.codes[read.ref].name + "` is a prefix code that it builds and uses", stmt.span});
  }

  void buffer(std::uint32_t ref, const Stmt& stmt, const Effects& body) {
    if (body.buffers[ref] != nullptr && !fresh_[ref])
      why_.push_back({"`" + module_.buffers[ref].name + "` may hold what an earlier one has left", stmt.span});
  }

  void buffers(const Stmt& stmt, const Effects& body) {
    if (stmt.kind == K::Stage || stmt.kind == K::EmitBuffer) buffer(stmt.ref, stmt, body);
    if (stmt.kind != K::Stage) {
      if (stmt.kind == K::EmitSymbol && body.symbols[stmt.ref] != nullptr)
        why_.push_back({"`" + module_.symbols[stmt.ref].name + "` holds symbols that it reads and uses", stmt.span});
    } else if (stmt.stage == ir::StageKind::Gather) {
      buffer(stmt.array, stmt, body);
    } else if (stmt.stage == ir::StageKind::InverseMtf && stmt.array != Stmt::kNoSlot &&
               body.arrays[stmt.array] != nullptr) {
      why_.push_back({"`" + module_.arrays[stmt.array].name + "` is read and written", stmt.span});
    }
  }

  void leaf(const ir::Expr& node, const Stmt& stmt, const Effects& body) {
    if (node.op == ir::Op::Global && body.globals[node.ref] != nullptr)
      why_.push_back({"`" + module_.globals[node.ref].name + "` is read and written", stmt.span});
    if (node.op == ir::Op::Elem && body.arrays[node.ref] != nullptr)
      why_.push_back({"`" + module_.arrays[node.ref].name + "` is read and written", stmt.span});
    if (node.op == ir::Op::BufferCount || node.op == ir::Op::BufferElem) buffer(node.ref, stmt, body);
    if (node.op == ir::Op::OutputCount)
      why_.push_back({"`count of " + module_.outputs[node.ref].name + "` counts what earlier ones made", stmt.span});
    if (node.op == ir::Op::Produced && !into_) why_.push_back({"`produced` counts the output before", stmt.span});
  }

  const ir::Module& module_;
  ReasonChain& why_;
  std::vector<bool> entered_;
  std::vector<bool> fresh_;  // by buffer: filled by this one
  bool new_window_ = false, into_ = false;
};

class Collector {
 public:
  Collector(const ir::Module& module, EffectsOf& effects) : module_(module), effects_(effects) {}

  void block(const ir::Block& block, std::uint32_t rule, unsigned depth, bool repeated) {
    for (const auto& owned : block) {
      const Stmt& stmt = *owned;
      if (stmt.kind == K::Within && !stmt.dictionary) {
        SubStream part;
        part.within = &stmt;
        part.rule = rule;
        part.max_bytes = limit_of(stmt.flag ? (stmt.a->range.hi + 7) / 8 : stmt.a->range.hi);
        part.depth = depth;
        part.repeated = repeated;
        ReasonChain why;
        Uses(module_, why).block(stmt.body, effects_.block(stmt.body, rule));
        append(part.why, why);
        part.independent = part.why.empty();
        found.push_back(std::move(part));
      }
      Collector::block(stmt.body, rule, depth + (stmt.kind == K::Within ? 1 : 0), repeated || stmt.kind == K::Loop);
      Collector::block(stmt.orelse, rule, depth, repeated);
    }
  }

  std::vector<SubStream> found;

 private:
  const ir::Module& module_;
  EffectsOf& effects_;
};

}  // namespace

std::vector<SubStream> sub_streams_of(const ir::Module& module, EffectsOf& effects) {
  Collector collector(module, effects);
  const std::vector<bool> reached = reachable_rules(module);
  for (std::uint32_t rule = 0; rule < module.rules.size(); ++rule)
    if (reached[rule]) collector.block(module.rules[rule].body, rule, 0, false);
  return std::move(collector.found);
}

}  // namespace sluice::analysis
