#pragma once
// A spec's text to its model, its IR and its diagnostics, in process.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/interp/interp.h"
#include "compiler/ir/verify.h"
#include "compiler/lower/lower.h"
#include "dsl/diag/render.h"
#include "dsl/sema/sema.h"
#include "dsl/syntax/parse.h"

namespace sluice::test {

struct Checked {
  SourceSet sources;
  DiagSink sink;
  std::optional<model::Format> format;

  std::string text() const { return render_all(sources, sink.diagnostics(), false); }
  std::vector<std::string> ids() const {
    std::vector<std::string> out;
    for (const Diagnostic& d : sink.diagnostics()) out.emplace_back(code_info(d.code).id);
    return out;
  }
};

// `modules`: texts for `use` lines by name.
inline Checked check(const std::string& spec, const sema::Params& params = {},
                     const std::map<std::string, std::string>& modules = {}) {
  Checked c;
  const ast::File file = ast::parse(c.sources, c.sources.add("spec", spec), c.sink);
  const sema::Loader load = [&](std::string_view name) -> std::optional<std::uint32_t> {
    const auto found = modules.find(std::string(name));
    if (found == modules.end()) return std::nullopt;
    return c.sources.add(found->first, found->second);
  };
  c.format = sema::analyse(file, load, params, c.sources, c.sink);
  return c;
}

inline const std::string kBytes = "format f\n  input bytes\n  output bytes\n  trailing reject rest\n";
inline const std::string kBits = "format f\n  input bits lsb\n  output bytes\n  trailing reject rest\n";

// The IR of a spec that is right.
inline ir::Module lowered(const std::string& spec) {
  const Checked c = check(spec);
  EXPECT_TRUE(c.format.has_value()) << c.text();
  if (!c.format) return {};
  ir::Module m = lower::lower(*c.format);
  EXPECT_EQ(ir::verify(m), std::vector<std::string>{});
  return m;
}

struct Decoded {
  std::uint64_t error = 0;
  std::string reason;  // name of the site that refused; empty: none did
  std::uint64_t bit = 0;
  std::vector<std::uint8_t> out;
};

// Decodes with the reference interpreter into at most 4096 bytes.
inline Decoded decode(const ir::Module& module, const std::vector<std::uint8_t>& in) {
  std::vector<std::uint8_t> out(4096);
  interp::Job job;
  job.in = in;
  job.out = out;
  job.capacity_elements = out.size() * 8 / module.output.bits;
  const interp::Result r = interp::interpret(module, job);
  Decoded d;
  d.error = r.error;
  if (r.error != 0 && r.site != ir::kNoSite) d.reason = module.sites[r.site].name;
  d.bit = r.error & ((std::uint64_t{1} << ir::kErrorPositionBits) - 1);
  out.resize(r.produced * module.output.bits / 8);
  d.out = std::move(out);
  return d;
}

}  // namespace sluice::test
