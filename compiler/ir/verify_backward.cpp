// What may not happen in a region that is read from its end: it has bits alone, and no region in it.
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

bool peeks(const ExprPtr& e) {
  if (!e) return false;
  if (e->op == Op::Peek || e->op == Op::PeekBits || (e->op == Op::Checksum && e->stream == Stream::Input)) return true;
  for (const ExprPtr& kid : e->kids)
    if (peeks(kid)) return true;
  return false;
}

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

class Walk {
 public:
  explicit Walk(const Module& m) : m_(m) {}

  std::vector<std::string> run() {
    for (const Rule& rule : m_.rules) block(rule, rule.body, false);
    return std::move(problems_);
  }

 private:
  void problem(const Rule& rule, const Stmt& s, std::string_view text) {
    problems_.push_back(fmt::format("rule {}: {}: {}", rule.name, name(s.kind), text));
  }

  void block(const Rule& rule, const Block& statements, bool backward) {
    for (const auto& s : statements) statement(rule, *s, backward);
  }

  void statement(const Rule& rule, const Stmt& s, bool backward) {
    if (s.backward && (m_.input != Input::BitsLsb || s.flag)) problem(rule, s, "reads from its end what has no bits, lowest first");
    if (backward) {
      bool whole = takes_bytes(s);
      for (const ExprPtr* e : {&s.a, &s.b, &s.c, &s.d, &s.read.width, &s.read.index}) whole = whole || peeks(*e);
      for (const ExprPtr& arg : s.args) whole = whole || peeks(arg);
      if (whole) problem(rule, s, "stands in a region that is read from its end");
    }
    if (backward && s.kind == Stmt::Kind::Call && inside_.insert(s.ref).second) block(m_.rules[s.ref], m_.rules[s.ref].body, true);
    block(rule, s.body, backward || s.backward);
    block(rule, s.orelse, backward);
  }

  const Module& m_;
  std::set<std::uint32_t> inside_;  // rules looked at as part of such a region
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify_backward(const Module& module) { return Walk(module).run(); }

}  // namespace sluice::ir
