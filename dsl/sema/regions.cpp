// What may not stand in a region that is read from its end, nor in one of the preset dictionary.
//
//   within size bytes, backward
//     align                     refused here
//     header()                  refused here, when header or a rule it calls holds one; a note shows where
//
// Of the first there are bits, and no whole bytes: what starts at a byte boundary, or is made of bytes, has no place there.
// The second tells what is needed to decode, and is no part of the input: no output comes from it, and places in the one say
// nothing of places in the other.
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

// One kind of region. What a statement or an expression does that has no place there, for a message; empty: nothing.
struct Limits {
  Code code;
  bool (*is_region)(const Stmt&);
  std::string (*statement)(const Stmt&);
  std::string (*expression)(const Expr&);
  const char *where, *note, *help;
};

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

std::string peeks(const Expr& e) {
  if (e.op == Op::Peek || e.op == Op::PeekBits) return "`peek`";
  return e.op == Op::Checksum && e.stream == model::Stream::Input ? "a checksum of the input" : "";
}

constexpr Limits kBackward{Code::ReadBackward,
                           [](const Stmt& s) { return s.backward; },
                           whole_bytes,
                           peeks,
                           "a region that is read from its end",
                           "its bits are read from the last one on",
                           "read it before or behind the region; in it there are fields of bits and prefix codes"};

std::string output_or_place(const Stmt& s) {
  switch (s.kind) {
    case Kind::Emit:
    case Kind::EmitBuffer:
    case Kind::EmitSymbol:
    case Kind::Literals:
    case Kind::Run:
    case Kind::Copy:
      return "output";
    case Kind::Producing:
      return "`producing`";
    case Kind::Into:
      return "`into`";
    case Kind::Stage:
      return "`stage`";
    case Kind::Mark:
      return "`mark`";
    case Kind::NewWindow:
      return "`new window`";
    case Kind::Accept:
      return "`accept`";
    case Kind::Within:
      if (s.dictionary) return "another `within dictionary`";
      return s.b ? "a region behind a mark" : "";
    default:
      return "";
  }
}

std::string places(const Expr& e) {
  switch (e.op) {
    case Op::Produced:
    case Op::ProducedSince:
      return "`produced`";
    case Op::ConsumedSince:
      return "`consumed since`";
    case Op::BufferCount:
    case Op::BufferElem:
      return "a buffer";
    case Op::OutputCount:
      return "`count of` an output";
    case Op::Checksum:
      return e.stream == model::Stream::Dictionary ? "" : "a checksum of input or output";
    default:
      return "";
  }
}

constexpr Limits kDictionary{Code::InDictionary,
                             [](const Stmt& s) { return s.dictionary; },
                             output_or_place,
                             places,
                             "a region of the dictionary",
                             "the dictionary is read here",
                             "keep what is read in variables and arrays, and do it behind the region"};

class Checker {
 public:
  Checker(const model::Format& format, const Limits& limits, DiagSink& sink) : format_(format), limits_(limits), sink_(sink) {}

  void run() {
    for (const model::Rule& rule : format_.rules)
      for_each_stmt(rule.body, [&](const Stmt& s) {
        if (!limits_.is_region(s)) return;
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
      report(s.span, leads.span, limits_.statement(s));
      for_own_exprs(s, [&](const Expr& e) { report(e.span, call != nullptr ? call->span : e.span, limits_.expression(e)); });
      for_each_call(s, [&](std::uint32_t rule) {
        if (visited_.insert(rule).second) inside(format_.rules[rule].body, &leads);
      });
    });
  }

  // `what` stands at `span`, and `where` is the place in the region that leads to it. Empty: there is nothing wrong.
  void report(Span span, Span where, const std::string& what) {
    if (what.empty()) return;
    auto found = sink_.error(limits_.code, where, fmt::format("{} in {}", what, limits_.where));
    if (!(span == where)) found.note(span, "in a rule called from here");
    found.note(region_->span, limits_.note).help(limits_.help);
  }

  const model::Format& format_;
  const Limits& limits_;
  DiagSink& sink_;
  const Stmt* region_ = nullptr;
  std::set<std::uint32_t> visited_;  // rules looked at for region_
};

}  // namespace

void check_regions(const model::Format& format, DiagSink& sink) {
  Checker(format, kBackward, sink).run();
  Checker(format, kDictionary, sink).run();
}

}  // namespace sluice::sema
