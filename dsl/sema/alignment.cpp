// Where the position is known to be a byte boundary.
//
//   final: u1            position mod 8: 1
//   align                                0
//   size: u16le          proven: no check          (after a prefix code: unknown, needs_alignment)
//
// The position modulo 8 is followed through every rule, from each state it is called in; joins of different states
// are unknown, and a loop is walked until its head is stable. A field of whole bytes that is inside a byte whichever
// way it is reached could only fail:
//
//   kind: u3              position mod 8: 3
//   size: u16le           error
#include <fmt/format.h>

#include <map>
#include <optional>

#include "dsl/sema/context.h"
#include "dsl/sema/visit.h"

namespace sluice::sema {
namespace {

using model::Expr;
using model::Op;
using model::ReadSpec;
using model::Stmt;
using Kind = Stmt::Kind;

constexpr int kUnknown = -1, kNever = -2;  // else 0..7; kNever: not reached

int join(int a, int b) { return a == kNever ? b : b == kNever ? a : a == b ? a : kUnknown; }
int advance(int at, std::uint64_t bits) {
  return at < 0 ? at : static_cast<int>((static_cast<std::uint64_t>(at) + bits) % 8);
}

class Walker {
 public:
  explicit Walker(model::Format& format) : format_(format) {}

  // Fields that are reached, and never at a byte boundary, in the order of the text.
  void report(DiagSink& sink) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<const Stmt*, int>> never;
    for (const auto& [s, at] : field_at_)
      if (at > 0) never[{s->span.file, s->span.offset}] = {s, at};
    for (const auto& [place, found] : never) {
      const auto& [s, at] = found;
      sink.error(Code::NeverAligned, s->span,
                 fmt::format("this field is never at a byte boundary: it starts at bit {} of a byte", at))
          .help("write `align` before it, or read it in the order of the stream's bits: a type without `le` or `be`");
    }
  }

  int rule(std::uint32_t id, int entry) {
    const auto key = std::make_pair(id, entry);
    const auto known = done_.find(key);
    if (known != done_.end()) return known->second;
    const int outer = returned_;
    returned_ = kNever;
    const int end = block(format_.rules[id].body, entry);
    const int exit = join(end, returned_);
    returned_ = outer;
    done_[key] = exit;
    return exit;
  }

 private:
  int block(model::Block& body, int at) {
    for (auto& s : body) at = stmt(*s, at);
    return at;
  }

  // `s` needs a byte boundary and is reached at `at`; a place in a byte that differs between the ways there is unknown.
  void field(Stmt& s, int at) {
    if (at == kNever) return;
    if (at != 0) s.needs_alignment = true;
    const auto [known, added] = field_at_.emplace(&s, at);
    if (!added) known->second = known->second > 0 && at > 0 ? known->second : kUnknown;
  }

  void mark_peeks(Expr* e, int at) {
    if (e == nullptr) return;
    if (e->op == Op::Peek && at != 0 && at != kNever) e->checked = true;
    for (auto& kid : e->kids) mark_peeks(kid.get(), at);
  }

  int after_read(Stmt& s, int at, bool many) {
    ReadSpec& r = s.read;
    if (r.kind == ReadSpec::Kind::Varint) return at;  // groups of 8 bits from wherever it starts
    if (r.order != ReadSpec::Order::Stream) {
      field(s, at);
      return at == kNever ? at : 0;  // checked if need be, and whole bytes
    }
    if (at == kNever) return at;
    switch (r.kind) {
      case ReadSpec::Kind::Fixed:
        return many && r.type.bits % 8 != 0 ? kUnknown : advance(at, r.type.bits);
      case ReadSpec::Kind::Computed:
        return r.width->op == Op::Const && !many ? advance(at, r.width->imm) : kUnknown;
      case ReadSpec::Kind::Rule:
        return rule(r.ref, at);
      default:
        return kUnknown;
    }
  }

  int loop(Stmt& s, int at) {
    const int outer = stopped_;
    int head = at, end = at;
    do {  // the head only ever goes from a number to unknown: two rounds at most
      head = join(head, end);
      mark_peeks(s.kind == Kind::UntilCond ? s.a.get() : nullptr, head);
      stopped_ = kNever;
      end = block(s.body, head);
    } while (join(head, end) != head);
    const int exit = s.kind == Kind::Forever ? stopped_ : join(head, stopped_);
    stopped_ = outer;
    return exit;
  }

  int stmt(Stmt& s, int at) {
    if (s.kind != Kind::UntilCond) mark_peeks(s.a.get(), at);
    mark_peeks(s.b.get(), at);
    mark_peeks(s.c.get(), at);
    mark_peeks(s.read.width.get(), at);
    mark_peeks(s.read.index.get(), at);
    for (auto& arg : s.args) mark_peeks(arg.get(), at);
    for (auto& arg : s.read.args) mark_peeks(arg.get(), at);
    switch (s.kind) {
      case Kind::Read:
        return after_read(s, at, false);
      case Kind::Literals:
        return after_read(s, at, true);
      case Kind::Choose: {
        int out = kNever;
        bool total = false;
        for (model::Arm& arm : s.arms) {
          const bool fixed = arm.condition && arm.condition->op == Op::Const;
          const bool taken = !arm.condition || (fixed && arm.condition->imm != 0);
          mark_peeks(arm.condition.get(), at);
          out = join(out, block(arm.body, total || (fixed && !taken) ? kNever : at));
          total = total || taken;
        }
        return total ? out : join(out, at);
      }
      case Kind::Forever:
      case Kind::UntilEnd:
      case Kind::UntilOutputs:
      case Kind::UntilCond:
      case Kind::Times:
        return loop(s, at);
      case Kind::Stop:
        stopped_ = join(stopped_, at);
        return kNever;
      case Kind::Return:
        returned_ = join(returned_, at);
        return kNever;
      case Kind::Reject:
      case Kind::Accept:
        return kNever;
      case Kind::Within:
        // Elsewhere: at the dictionary's start, or behind a mark that may stand anywhere. The position comes back.
        if (s.dictionary || s.b) {
          block(s.body, at == kNever ? at : s.dictionary ? 0 : kUnknown);
          return at;
        }
        block(s.body, at);
        if (!s.flag) return at;  // whole bytes further
        return s.a->op == Op::Const ? advance(at, s.a->imm) : at == kNever ? at : kUnknown;
      case Kind::ReadSymbol:
        field(s, at);
        return at == kNever ? at : 0;  // checked if need be, and whole bytes
      case Kind::Producing:
      case Kind::Into:
        return block(s.body, at);
      case Kind::Align:
        return at == kNever ? at : 0;
      case Kind::Call:
        return rule(s.ref, at);
      default:
        return at;
    }
  }

  model::Format& format_;
  std::map<std::pair<std::uint32_t, int>, int> done_;
  std::map<const Stmt*, int> field_at_;
  int stopped_ = kNever, returned_ = kNever;
};

}  // namespace

void prove_alignment(model::Format& format, DiagSink& sink) {
  if (format.input == model::Input::Bytes) return;  // every field is whole bytes
  Walker walker(format);
  walker.rule(0, 0);
  walker.report(sink);
}

}  // namespace sluice::sema
