#include "tests/fuzz/specs/known.h"

#include <algorithm>

#include "compiler/analysis/walk.h"
#include "compiler/interp/interp.h"

namespace sluice::fuzz {

Leave leave() { return {.unbuilt = true}; }

bool is_known(const Finding& finding, const std::string& spec) {
  const auto says = [&](const char* what) { return finding.detail.find(what) != std::string::npos; };
  // An element of ranges that nobody uses.
  if (finding.kind.find("in emit") != std::string::npos && spec.find("ranges ") != std::string::npos) return true;
  // Kernels: a loop is left by a label that is not there.
  if (finding.kind == "kernel does not compile" && says("use of undeclared label 'leave'")) return true;
  // Decoders: a temporary hides a type.
  return finding.kind == "decoder does not compile" && (says("is not a function or function pointer") || says("(i8)"));
}

bool reads_unbuilt(const ir::Module& module, const Bytes& input) {
  std::vector<bool> built(module.codes.size(), false);
  Bytes out(kRoom * (module.output.bits / 8u));
  interp::Job job;
  job.in = input;
  job.out = out;
  job.capacity_elements = kRoom;
  const interp::Result result = interp::interpret(module, job, [&](const interp::TraceEvent& e) {
    if (e.kind == interp::TraceEvent::Kind::Build) built[e.stmt->ref] = module.codes[e.stmt->ref].copies == 1;
  });
  if (result.site == ir::kNoSite) return false;
  bool unbuilt = false;
  for (const ir::Rule& rule : module.rules)
    analysis::for_each_stmt(rule.body, [&](const ir::Stmt& s) {
      const bool reads = (s.kind == ir::Stmt::Kind::Read || s.kind == ir::Stmt::Kind::Literals) &&
                         s.read.kind == ir::ReadSpec::Kind::Code;
      if (reads && std::ranges::find(s.sites, result.site) != s.sites.end()) unbuilt |= !built[s.read.ref];
    });
  return unbuilt;
}

}  // namespace sluice::fuzz
