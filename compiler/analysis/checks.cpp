#include "compiler/analysis/checks.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "compiler/analysis/walk.h"
#include "compiler/ir/elements.h"
#include "compiler/ir/error_text.h"

namespace sluice::analysis {

std::string refusal(const ir::Site& site, const ir::Stmt& stmt) {
  using R = ir::Reason;
  if (!site.wrong.empty()) return "a value " + site.wrong;
  const std::string what = spell(stmt);
  switch (site.reason) {
    case R::Reject:
      return "rejects " + site.name;
    case R::EndOfInput:
      return "the input ends inside " + what;
    case R::OutputFull:
      return "the output is full at " + what;
    case R::BadDistance:
      return "the distance of " + what + " is 0, or reaches before the window";
    case R::NoSuchCode:
      if (stmt.kind == ir::Stmt::Kind::EmitSymbol) return "the input gave no bytes for the entry that " + what + " names";
      return "the bits at " + what + " are not a code";
    case R::VarintTooLong:
      return "the varint at " + what + " is too long";
    case R::OutOfRange:
      if (stmt.kind == ir::Stmt::Kind::Stage) return "a position or an index that " + what + " meets is not there";
      return "a value is out of range";
    case R::DivideByZero:
      return "a divisor is zero";
    case R::Oversubscribed:
      return "the code lengths given to " + what + " claim too many codes";
    case R::Incomplete:
      return "the code lengths given to " + what + " leave codes unused";
    case R::BytesLeft:
      return "the body of " + what + (stmt.flag || stmt.backward ? " leaves bits over" : " leaves bytes over");
    case R::BadPadding:
      return "the region of " + what + " does not end in padding";
    case R::OutputShort:
      if (stmt.kind == ir::Stmt::Kind::EmitBuffer) return "the last run of " + what + " lacks its count";
      return "the body of " + what + " makes too little output";
    case R::Unaligned:
      return what + " is not at a byte boundary";
    case R::NoProgress:
      return "a step of " + what + " neither reads nor makes anything";
    case R::TrailingBytes:
      return "bytes are left after the format's end";
  }
  return {};
}

std::string said(const RunTimeCheck& check, const SourceSet& sources) {
  return check.wrong.empty() ? check.text : ir::quoted_source(sources, check.span) + " " + check.wrong;
}

namespace {

std::string text_of(const ir::Module& module, const ir::Site& site, const ir::Stmt& stmt) {
  const std::string further = site.reason == ir::Reason::OutputFull ? ir::further_output_of(module, stmt) : "";
  return further.empty() ? refusal(site, stmt) : "the output `" + further + "` is full at " + spell(stmt);
}

}  // namespace

Checks checks_of(const ir::Module& module) {
  Checks checks;
  std::set<ir::SiteId> seen;
  const std::vector<bool> reached = reachable_rules(module);
  for (std::uint32_t rule = 0; rule < module.rules.size(); ++rule) {
    if (!reached[rule]) continue;
    for_each_stmt(module.rules[rule].body, [&](const ir::Stmt& stmt) {
      if (stmt.kind == ir::Stmt::Kind::Accept) checks.policies.push_back({true, stmt.name, rule, stmt.span});
      for (const ir::SiteId id : stmt.sites) {
        if (id == ir::kNoSite || !seen.insert(id).second) continue;
        const ir::Site& site = module.sites[id];
        const bool named = site.reason == ir::Reason::Reject || site.reason == ir::Reason::TrailingBytes;
        if (named)
          checks.policies.push_back({false, site.name, rule, site.span});
        else
          checks.run_time.push_back({id, site.reason, text_of(module, site, stmt), site.span, site.wrong});
      }
    });
  }
  // A page is read along the source, not along the calls; modules read from text have no spans and keep their order.
  const auto earlier = [](const auto& a, const auto& b) {
    return std::tie(a.span.file, a.span.offset) < std::tie(b.span.file, b.span.offset);
  };
  std::stable_sort(checks.run_time.begin(), checks.run_time.end(), earlier);
  std::stable_sort(checks.policies.begin(), checks.policies.end(), earlier);
  return checks;
}

}  // namespace sluice::analysis
