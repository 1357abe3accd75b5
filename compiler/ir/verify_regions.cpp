// What may not happen in a region that is read from its end, which has bits alone and no region in it; and in one of the preset
// dictionary, which has no output, and where places in the input mean nothing.
//
//   within backward 8
//     call 1          rule 1: `skip 1`       <- "rule r: skip: stands in a region that is read from its end"
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "compiler/ir/names.h"
#include "compiler/ir/verify.h"

namespace sluice::ir {
namespace {

struct Limits {
  bool (*is_region)(const Stmt&);
  bool (*statement)(const Stmt&);
  bool (*node)(const Expr&);
  std::string_view where;
};

bool takes_bytes(const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::Read: return s.read.order != ReadSpec::Order::Stream || s.read.kind == ReadSpec::Kind::Varint;
    case Stmt::Kind::Literals: return s.read.kind != ReadSpec::Kind::Code;
    case Stmt::Kind::Within:
    case Stmt::Kind::Align:
    case Stmt::Kind::Skip:
    case Stmt::Kind::ReadSymbol: return true;
    default: return false;
  }
}

constexpr Limits kBackward{
    [](const Stmt& s) { return s.backward; }, takes_bytes,
    [](const Expr& e) { return e.op == Op::Peek || e.op == Op::PeekBits || (e.op == Op::Checksum && e.stream == Stream::Input); },
    "stands in a region that is read from its end"};

bool outputs_or_places(const Stmt& s) {
  switch (s.kind) {
    case Stmt::Kind::Emit:
    case Stmt::Kind::EmitBuffer:
    case Stmt::Kind::EmitSymbol:
    case Stmt::Kind::Literals:
    case Stmt::Kind::Run:
    case Stmt::Kind::Copy:
    case Stmt::Kind::Producing:
    case Stmt::Kind::Into:
    case Stmt::Kind::Stage:
    case Stmt::Kind::Mark:
    case Stmt::Kind::NewWindow:
    case Stmt::Kind::Accept: return true;
    case Stmt::Kind::Within: return s.dictionary || s.b;
    default: return false;
  }
}

bool asks_places(const Expr& e) {
  switch (e.op) {
    case Op::Produced:
    case Op::ProducedSince:
    case Op::ConsumedSince:
    case Op::BufferCount:
    case Op::OutputCount:
    case Op::BufferElem: return true;
    case Op::Checksum: return e.stream != Stream::Dictionary;
    default: return false;
  }
}

constexpr Limits kDictionary{[](const Stmt& s) { return s.dictionary; }, outputs_or_places, asks_places,
                             "stands in a region of the dictionary"};

class Walk {
 public:
  Walk(const Module& m, const Limits& limits) : m_(m), limits_(limits) {}

  std::vector<std::string> run() {
    for (const Rule& rule : m_.rules) block(rule, rule.body, false);
    return std::move(problems_);
  }

 private:
  bool asks(const ExprPtr& e) const {
    if (!e) return false;
    if (limits_.node(*e)) return true;
    for (const ExprPtr& kid : e->kids)
      if (asks(kid)) return true;
    return false;
  }

  void block(const Rule& rule, const Block& statements, bool inside) {
    for (const auto& s : statements) statement(rule, *s, inside);
  }

  void statement(const Rule& rule, const Stmt& s, bool inside) {
    if (inside) {
      bool wrong = limits_.statement(s);
      for (const ExprPtr* e : {&s.a, &s.b, &s.c, &s.d, &s.read.width, &s.read.index}) wrong = wrong || asks(*e);
      for (const ExprPtr& arg : s.args) wrong = wrong || asks(arg);
      if (wrong) problems_.push_back(fmt::format("rule {}: {}: {}", rule.name, name(s.kind), limits_.where));
    }
    if (inside && s.kind == Stmt::Kind::Call && inside_.insert(s.ref).second) block(m_.rules[s.ref], m_.rules[s.ref].body, true);
    block(rule, s.body, inside || limits_.is_region(s));
    block(rule, s.orelse, inside);
  }

  const Module& m_;
  const Limits& limits_;
  std::set<std::uint32_t> inside_;  // rules looked at as part of such a region
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify_regions(const Module& module) {
  std::vector<std::string> problems = Walk(module, kBackward).run();
  return problems.empty() ? Walk(module, kDictionary).run() : problems;
}

}  // namespace sluice::ir
