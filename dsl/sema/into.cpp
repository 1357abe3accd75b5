// What may not stand inside `into`.
//
//   into text
//     into other                refused here
//     block()                   refused here, when block or a rule it calls holds one; a note shows where
//
// Inside, the output is a buffer that starts empty, or what the block adds to a further output. A place in the real output means nothing there, nor does a place in
// the buffer outside. So a mark that counts output is set and looked at on one side, which a rule shows by itself when it
// may be called on both:
//
//   mark start
//   deflate()
//   require check == adler32(output since start)      of the buffer, where a caller fills one
//
// Other marks count input only when they are set inside, and no output inside.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dsl/sema/context.h"
#include "dsl/sema/visit.h"

namespace sluice::sema {
namespace {

using model::Expr;
using model::Op;
using model::Stmt;
using Kind = Stmt::Kind;

bool counts_output_from_mark(const Expr& e) {
  return e.op == Op::ProducedSince || (e.op == Op::Checksum && e.stream == model::Stream::Output);
}

// Marks whose output is counted where they are set, whatever the output is there: all of those places are in one rule and on one
// side of its `into` blocks, and a mark is set before it is looked at. Rules are not recursive, so nothing sets it in between.
class OwnMarks {
 public:
  explicit OwnMarks(const model::Format& format) : own_(format.marks.size(), true), at_(format.marks.size()) {
    for (const model::Rule& rule : format.rules) {
      Set set(format.marks.size());
      block(rule.body, {&rule, nullptr}, set);
    }
  }
  bool operator[](std::uint32_t mark) const { return own_[mark]; }

 private:
  using Side = std::pair<const model::Rule*, const Stmt*>;
  using Set = std::vector<bool>;

  void stands(std::uint32_t mark, const Side& side) {
    if (!at_[mark]) at_[mark] = side;
    if (*at_[mark] != side) own_[mark] = false;
  }
  void block(const model::Block& body, const Side& side, Set set) {
    for (const auto& s : body) {
      for_own_exprs(*s, [&](const Expr& e) {
        if (!counts_output_from_mark(e)) return;
        stands(e.ref, side);
        if (!set[e.ref]) own_[e.ref] = false;
      });
      for (const model::Arm& arm : s->arms) block(arm.body, side, set);
      if (s->kind == Kind::Into) block(s->body, {side.first, s.get()}, Set(set.size()));
      else block(s->body, side, set);
      if (s->kind != Kind::Mark) continue;
      stands(s->ref, side);
      set[s->ref] = true;
    }
  }

  Set own_;
  std::vector<std::optional<Side>> at_;
};

class Checker {
 public:
  Checker(const model::Format& format, DiagSink& sink) : format_(format), own_(format), sink_(sink) {}

  void run() {
    for (const model::Rule& rule : format_.rules)
      for_each_stmt(rule.body, [&](const Stmt& s) {
        if (s.kind != Kind::Into) return;
        into_ = &s;
        visited_.clear();
        inside(s.body, nullptr);
      });
    for (const model::Rule& rule : format_.rules)
      for_each_stmt(rule.body, [&](const Stmt& s) { for_own_exprs(s, [&](const Expr& e) { mark_use(e); }); });
  }

 private:
  // A block that runs while into_ is open; `call`: the statement in into_ that leads to it, if it stands in a rule.
  void inside(const model::Block& body, const Stmt* call) {
    for_each_stmt(body, [&](const Stmt& s) {
      const Stmt* leads = call != nullptr ? call : &s;
      judge(s, leads);
      for_each_call(s, [&](std::uint32_t rule) {
        if (visited_.insert(rule).second) inside(format_.rules[rule].body, leads);
      });
    });
  }

  void judge(const Stmt& s, const Stmt* at) {
    const bool further = into_->further;
    const std::string& open = further ? format_.outputs[into_->ref].name : format_.buffers[into_->ref].name;
    if (s.kind == Kind::Mark) marks_.emplace(s.ref, std::pair(s.span, further));
    if (s.kind == Kind::Into)
      report(Code::OutputRedirected, s.span, at->span, "`into` inside `into`",
             further || s.further ? "end the one block, then begin the other"
                                  : "fill one buffer after the other; `emit all` appends one to another");
    const bool uses = !further && (s.kind == Kind::Stage || s.kind == Kind::EmitBuffer) && s.ref == into_->ref;
    const bool gathers = !further && s.kind == Kind::Stage && s.stage == model::StageKind::Gather && s.array == into_->ref;
    if (uses || gathers)
      report(Code::BufferBeingFilled, s.span, at->span, fmt::format("`{}` is being filled here", open),
             "do it after the `into` block");
    for_own_exprs(s, [&](const Expr& e) {
      const Span span = at == &s ? e.span : at->span;
      if (counts_output_from_mark(e) && !own_[e.ref])
        report(Code::OutputRedirected, e.span, span, "the real output can't be looked at inside `into`",
               e.op == Op::Checksum
                   ? further ? "compute it behind the block, or since a mark that the same rule sets before"
                             : "compute the checksum where the buffer is output, or since a mark that the same rule sets before"
               : further ? "`produced` counts what the block makes, and so does a mark that the same rule sets before"
                         : "`produced` counts the buffer's elements, and so does a mark that the same rule sets before");
      if (further && e.op == Op::OutputCount && e.ref == into_->ref)
        report(Code::BufferBeingFilled, e.span, span, fmt::format("`{}` is being filled here", open),
               "`produced` counts what the block makes; how much is there before it a name can hold: `n = count of ...`");
      if (!further && (e.op == Op::BufferCount || e.op == Op::BufferElem) && e.ref == into_->ref)
        report(Code::BufferBeingFilled, e.span, span, fmt::format("`{}` is being filled here", open),
               e.op == Op::BufferCount ? "`produced` is the number of its elements so far"
                                       : "look at its elements after the `into` block");
    });
  }

  // Outside as well: the mark may have been set in a buffer.
  void mark_use(const Expr& e) {
    if (!counts_output_from_mark(e) || own_[e.ref]) return;
    const auto set = marks_.find(e.ref);
    if (set == marks_.end() || told(e.span)) return;
    told_.push_back(e.span);
    sink_.error(Code::MarkInBuffer, e.span, fmt::format("mark `{}` is set inside `into`", format_.marks[e.ref]))
        .note(set->second.first, set->second.second ? "here it marks a place in what is added to an output" : "here it marks a place in a buffer")
        .help("set another mark outside the block");
  }

  // `what` is the offender, `where` the place in the into block that leads to it (the same when it stands there).
  void report(Code code, Span what, Span where, const std::string& message, const std::string& help) {
    told_.push_back(what);
    auto found = sink_.error(code, where, message);
    if (!(what == where)) found.note(what, "in a rule called from here");
    found.note(into_->span, into_->further ? fmt::format("the output goes to `{}` from here on", format_.outputs[into_->ref].name)
                                           : "the output goes to a buffer from here on")
        .help(help);
  }

  bool told(Span span) const { return std::find(told_.begin(), told_.end(), span) != told_.end(); }

  const model::Format& format_;
  const OwnMarks own_;
  DiagSink& sink_;
  const Stmt* into_ = nullptr;
  std::set<std::uint32_t> visited_;      // rules looked at for into_
  std::map<std::uint32_t, std::pair<Span, bool>> marks_;  // set while some `into` is open; true: that of a further output
  std::vector<Span> told_;               // reported
};

}  // namespace

void check_into(const model::Format& format, DiagSink& sink) { Checker(format, sink).run(); }

}  // namespace sluice::sema
