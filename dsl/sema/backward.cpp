// What may not stand in a region that is read from its end.
//
//   within size bytes, backward
//     align                     refused here
//     header()                  refused here, when header or a rule it calls holds one; a note shows where
//
// There are bits in it, and no whole bytes: what starts at a byte boundary, or is made of bytes, has no place there.
#include <fmt/format.h>

#include <set>
#include <string>

#include "dsl/sema/context.h"
#include "dsl/sema/visit.h"

namespace sluice::sema {
namespace {

using model::Expr;
using model::Op;
using model::ReadSpec;
using model::Stmt;
using Kind = Stmt::Kind;

// What a statement does that needs whole bytes, for a message; empty: nothing.
std::string whole_bytes(const Stmt& s) {
  switch (s.kind) {
    case Kind::Read:
      if (s.read.order != ReadSpec::Order::Stream) return "a field of whole bytes";
      return s.read.kind == ReadSpec::Kind::Varint ? "a varint" : "";
    case Kind::Literals:
      return s.read.kind == ReadSpec::Kind::Code ? "" : "literals that are no symbols of a prefix code";
    case Kind::Within:
      return "another region";
    case Kind::Align:
      return "`align`";
    case Kind::Skip:
      return "`skip`";
    case Kind::ReadSymbol:
      return "a symbol's bytes";
    default:
      return "";
  }
}

class Checker {
 public:
  Checker(const model::Format& format, DiagSink& sink) : format_(format), sink_(sink) {}

  void run() {
    for (const model::Rule& rule : format_.rules)
      for_each_stmt(rule.body, [&](const Stmt& s) {
        if (!s.backward) return;
        region_ = &s;
        visited_.clear();
        inside(s.body, nullptr);
      });
  }

 private:
  // A block that runs in region_; `call`: the statement in it that leads here, if this is in a rule.
  void inside(const model::Block& body, const Stmt* call) {
    for_each_stmt(body, [&](const Stmt& s) {
      const Stmt& leads = call != nullptr ? *call : s;
      const std::string what = whole_bytes(s);
      if (!what.empty()) report(s.span, leads.span, what);
      for_own_exprs(s, [&](const Expr& e) {
        const bool peeks = e.op == Op::Peek || e.op == Op::PeekBits;
        if (!peeks && !(e.op == Op::Checksum && e.stream == model::Stream::Input)) return;
        report(e.span, call != nullptr ? call->span : e.span, peeks ? "`peek`" : "a checksum of the input");
      });
      for_each_call(s, [&](std::uint32_t rule) {
        if (visited_.insert(rule).second) inside(format_.rules[rule].body, &leads);
      });
    });
  }

  // `what` stands at `span`, and `where` is the place in the region that leads to it.
  void report(Span span, Span where, const std::string& what) {
    auto found = sink_.error(Code::ReadBackward, where, fmt::format("{} in a region that is read from its end", what));
    if (!(span == where)) found.note(span, "in a rule called from here");
    found.note(region_->span, "its bits are read from the last one on")
        .help("read it before or behind the region; in it there are fields of bits and prefix codes");
  }

  const model::Format& format_;
  DiagSink& sink_;
  const Stmt* region_ = nullptr;
  std::set<std::uint32_t> visited_;  // rules looked at for region_
};

}  // namespace

void check_backward(const model::Format& format, DiagSink& sink) { Checker(format, sink).run(); }

}  // namespace sluice::sema
